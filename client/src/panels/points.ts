// Measured points: a real cable beside the computed one.
import type { PointsInfo } from "../messages";
import type { Unit } from "../store";
import { showDialog, submitButton } from "../dialogs/dialog";
import { button } from "./buttons";
import { h, Keyed, setHidden, setText, type Piece } from "./elements";
import { message, type Page } from "./page";

export function pointsPanel(page: Page): Piece {
  const body = h("tbody", { test: "points" });
  const table = h("table", { class: "table" }, h("thead", {}, h("tr", {}, ...["Points", "Cable", "Number", "Mean deviation", "Largest deviation", ""].map((k) => h("th", {}, k)))), body);
  const rows = new Keyed<PointsInfo>(body, (first) => {
    const cells = ["cable", "count", "mean", "largest"].map((k, i) => h("td", { class: i === 0 ? "" : "figure", test: `points-${first.name}-${k}` }));
    const element = h("tr", {}, h("td", {}, first.name), ...cells, h("td", {}, button({ icon: "trash", title: "Remove these points", test: `remove-points-${first.name}`, class: "quiet", run: () => page.do({ kind: "RemovePoints", name: first.name }) })));
    return {
      element,
      show: (points) => {
        const deviation = page.store.get("readouts")?.deviations.find((k) => k.name === points.name);
        const texts = [points.cable, String(points.points.length), page.text("length", deviation?.mean), page.text("length", deviation?.largest)];
        cells.forEach((cell, i) => setText(cell, texts[i]));
      },
    };
  });
  const load = button({ icon: "plus", text: "Load points…", title: "Measured points of a cable, from a CSV file: x, y, z per line", test: "points-load", class: "small", run: () => loadPoints(page) });
  const empty = h("div", { class: "empty" }, "Load the measured points of a real cable to see how far the computed one is from them.");
  return {
    element: h("div", { class: "tab-body" }, h("div", { class: "row-of" }, load), table, empty),
    update: () => {
      const points = page.scene?.points ?? [];
      rows.show(points, (k) => k.name);
      setHidden(table, points.length === 0);
      setHidden(empty, points.length > 0);
    },
  };
}

export function loadPoints(page: Page): void {
  const file = h("input", { type: "file", accept: ".csv,.txt,.tsv,text/csv", test: "points-file", "aria-label": "file" });
  const units = h("select", { class: "select", test: "points-units", "aria-label": "units" }, ...(["mm", "cm", "m", "in"] as const).map((k) => h("option", { value: k }, k)));
  const cable = h("select", { class: "select", test: "points-cable", "aria-label": "cable" }, ...(page.scene?.cables ?? []).map((k) => h("option", { value: k.name }, k.name)));
  if (page.current !== null) cable.value = page.current.name;
  const row = (label: string, field: HTMLElement): HTMLElement => h("div", { class: "field" }, h("span", { class: "label" }, label), field);
  const form = h(
    "form",
    { class: "mesh-form" },
    row("File", file),
    row("Units", units),
    row("Compare with", cable),
    h("p", { class: "note" }, "x, y, z per line, with commas, semicolons or tabs; a heading is passed over."),
    h("div", { class: "dialog-actions" }, h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Cancel"), submitButton("Load", "points-ok")),
  );
  const dialog = showDialog({ title: "Measured points", test: "points-dialog", body: [form] });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = file.files?.[0];
    if (chosen === undefined) return dialog.fail("choose a file first");
    chosen
      .text()
      .then((text) => page.send({ kind: "AddPoints", name: chosen.name.replace(/\.\w+$/, ""), text, units: units.value as Unit, cable: cable.value }))
      .then(dialog.close, (error: unknown) => dialog.fail(message(error)));
  });
}
