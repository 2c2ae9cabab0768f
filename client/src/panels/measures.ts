// Measures that were taken: they stay, and follow what they measure.
import type { MeasureInfo } from "../messages";
import { button } from "./buttons";
import { h, Keyed, setHidden, setText, type Piece } from "./elements";
import type { Page } from "./page";

export function measuresPanel(page: Page): Piece {
  const body = h("tbody", { test: "measures" });
  const table = h("table", { class: "table" }, h("thead", {}, h("tr", {}, ...["", "Between", "Distance", "Along", "Angle", ""].map((k) => h("th", {}, k)))), body);
  const rows = new Keyed<MeasureInfo>(body, (first) => {
    const cells = ["distance", "arc", "angle"].map((k) => h("td", { class: "figure", test: `measure-${first.number}-${k}` }));
    const text = h("td", {});
    const element = h(
      "tr",
      { test: `measure-${first.number}`, title: "Click to look at it" },
      h("td", { class: "muted" }, String(first.number)),
      text,
      ...cells,
      h("td", {}, button({ icon: "trash", title: "Remove this measure", test: `remove-measure-${first.number}`, class: "quiet", run: (event) => {
        event.stopPropagation();
        page.do({ kind: "RemoveMeasure", number: first.number });
      } })),
    );
    element.addEventListener("click", () => {
      const value = page.store.get("readouts")?.measures.find((k) => k.number === first.number);
      if (value !== undefined) page.lookAt(value.a.map((k, i) => (k + value.b[i]) / 2) as [number, number, number]);
    });
    return {
      element,
      show: (measure) => {
        const value = page.store.get("readouts")?.measures.find((k) => k.number === measure.number);
        setText(text, measure.text);
        setText(cells[0], page.length(value?.distance));
        setText(cells[1], value?.arc == null ? "" : page.length(value.arc));
        setText(cells[2], value?.angle == null ? "" : page.text("angle", value.angle, 1));
      },
    };
  });
  const start = button({ icon: "measure", text: "Measure", title: "Two clicks in the view (M)", test: "measure-start", class: "small", run: () => page.store.set("tool", "measure") });
  const empty = h("div", { class: "empty" }, "No measures yet. Take the tool and click two things in the view: corners, edges, faces, cables, places on a cable.");
  return {
    element: h("div", { class: "tab-body" }, h("div", { class: "row-of" }, start), table, empty),
    update: () => {
      const measures = page.scene?.measures ?? [];
      rows.show(measures, (k) => String(k.number));
      setHidden(table, measures.length === 0);
      setHidden(empty, measures.length > 0);
    },
  };
}
