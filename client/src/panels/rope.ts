// The properties of a rope: what it is, and how it lies now, span by span.
import type { RopeInfo, RopeValue } from "../messages";
import { pull } from "../units";
import { h, Keyed, setClass, setText, stack, type Piece } from "./elements";
import { part, readout } from "./fields";
import type { Page } from "./page";

export function ropePanel(page: Page, name: string): Piece {
  const info = (): RopeInfo | undefined => page.rope(name);
  const value = (): RopeValue | undefined => page.store.get("machine")?.ropes.find((k) => k.name === name);
  const broke = (): string => value()?.broke ?? "";
  const most = (): number => Math.max(0, ...(value()?.spans ?? []).map((k) => k.tension ?? 0));
  const facts = part(
    "Rope",
    "rope-facts",
    readout("Diameter", "Of the rope", "rope-diameter", () => ((info()?.diameter ?? 0) > 0 ? page.length(info()?.diameter) : "none given")),
    readout("Length", "Unstretched, all of it", "rope-length", () => page.length(value()?.total)),
    readout("Largest tension now", "Over all spans", "rope-tension", () => (broke() !== "" ? broke() : pull(most())), {
      bad: () => broke() !== "" || most() > (info()?.allowed ?? Infinity),
    }),
    readout("Breaking force", "As the scene has it", "rope-breaking", () => {
      const breaking = info()?.breaking ?? null;
      return breaking === null ? "none given" : pull(breaking);
    }),
    readout("Allowed", "The breaking force by the safety factor of the scene", "rope-allowed", () => {
      const { breaking, allowed } = info() ?? {};
      return typeof allowed !== "number" || allowed === breaking ? "no safety factor given" : pull(allowed);
    }),
  );
  const list = h("div", { class: "rows", test: "rope-links" });
  interface Line {
    key: string;
    left: string;
    right: string;
    slack: boolean;
  }
  const rows = new Keyed<Line>(list, () => {
    const left = h("span", { class: "label" }), right = h("span", { class: "value" });
    return {
      element: h("div", { class: "readout" }, left, right),
      show: (line) => {
        setText(left, line.left);
        setText(right, line.right);
        setClass(right, "slack", line.slack);
      },
    };
  });
  const lines = (): Line[] => {
    const [rope, now] = [info(), value()];
    if (rope === undefined || now === undefined || now.stored.length !== rope.path.length) return [];
    return rope.path.slice(0, 120).flatMap(({ on, link, named }, i) => {
      const stored = now.stored[i], span = now.spans.find((k) => k.link === i);
      if (!named && stored === null) return [];
      const here: Line = { key: `link ${i}`, left: on, right: stored === null ? "passed by" : stored === 0 ? link : `${link}, ${page.length(stored)}`, slack: stored === null };
      if (span === undefined) return [here];
      const text = span.slack ? `slack ${page.length(span.rest - span.length)}` : pull(span.tension ?? NaN);
      return [here, { key: `span ${i}`, left: `   ${page.length(span.length)}`, right: text, slack: span.slack }];
    });
  };
  return stack("parts", facts, part("Along it", "rope-along", { element: list, update: () => rows.show(lines(), (k) => k.key) }), {
    element: h("div", { class: "note" }, "What a rope is made of and where it runs stands in the scene file."),
    update: () => undefined,
  });
}
