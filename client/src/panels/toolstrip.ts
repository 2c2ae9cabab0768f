// What the tool at hand can be told, in a strip over the view.
import type { ClipKind, MeasureWhat, Options, Vec3 } from "../store";
import { KINDS } from "./clips";
import { h, setHidden, Slot, stack, type Piece } from "./elements";
import { selectBox, segments } from "./choices";
import { typeChoices } from "./make";
import type { Page } from "./page";
import { isMachine } from "./transport";

const WHAT: readonly { value: MeasureWhat; text: string }[] = [
  { value: "auto", text: "what is there" },
  { value: "point", text: "points" },
  { value: "edge", text: "edges" },
  { value: "face", text: "faces" },
  { value: "cable", text: "whole cables" },
  { value: "part", text: "whole parts" },
  { value: "place", text: "places on cables" },
];
const AXES: readonly { value: string; text: string; normal: Vec3 }[] = [
  { value: "x", text: "x", normal: [1, 0, 0] },
  { value: "y", text: "y", normal: [0, 1, 0] },
  { value: "z", text: "z", normal: [0, 0, 1] },
];

export function toolStrip(page: Page): Piece {
  const tool = new Slot(() => {
    const now = page.store.get("tool");
    return {
      key: now,
      build: () => (now === "cable" ? cableTool(page) : now === "clip" ? clipTool(page) : now === "measure" ? measureTool(page) : selectTool(page)),
    };
  }, "strip");
  const section = sectionStrip(page);
  return stack("strips", tool, section);
}

function labelled(text: string, field: HTMLElement): HTMLElement {
  return h("label", {}, h("span", {}, text), field);
}

function selectTool(page: Page): Piece {
  const options = (): Options => page.store.get("options");
  const keep = selectBox({
    label: "when a cable is let go",
    test: "keep-kind",
    title: "What happens when a cable that was dragged by itself is let go",
    choices: () => [{ value: "", text: "springs back" }, ...KINDS.map((k) => ({ value: k.value, text: `keeps a ${k.value}` }))],
    value: () => options().keep ?? "",
    commit: (value) => page.store.setOptions({ keep: value === "" ? null : (value as ClipKind) }),
  });
  const axes = segments({
    test: "axes",
    label: "axes of the handles",
    choices: [
      { value: "world", text: "World", title: "Handles along the axes of the world (L)" },
      { value: "local", text: "Local", title: "Handles along the axes of the thing itself (L)" },
    ],
    value: () => options().axes,
    commit: (value) => page.store.setOptions({ axes: value as Options["axes"] }),
  });
  const element = h("div", { class: "strip-row" }, labelled("A dragged cable", keep.select), axes.element);
  return {
    element,
    update: () => {
      setHidden(element, isMachine(page) && page.scene?.cables.length === 0); // bodies are pulled: nothing of this is for them
      keep.update();
      axes.update();
    },
  };
}

function cableTool(page: Page): Piece {
  const type = selectBox({
    label: "type",
    test: "new-cable-type",
    title: "What the new cable is made of",
    choices: () => [{ value: "", text: "as the last cable" }, ...typeChoices(page)],
    value: () => page.store.get("options").newCableType ?? "",
    commit: (value) => page.store.setOptions({ newCableType: value === "" ? null : value }),
  });
  return {
    element: h(
      "div",
      { class: "strip-row" },
      labelled("New cable", type.select),
      h("span", { class: "muted" }, "Click where it begins, then where it ends. Esc leaves."),
    ),
    update: type.update,
  };
}

function clipTool(page: Page): Piece {
  const kind = selectBox({
    label: "kind",
    test: "clip-kind",
    title: "What kind of clip a click sets",
    choices: () => KINDS,
    value: () => page.store.get("options").clip,
    commit: (value) => page.store.setOptions({ clip: value as ClipKind }),
  });
  return {
    element: h("div", { class: "strip-row" }, labelled("New clip", kind.select), h("span", { class: "muted" }, "Click on a cable. Esc leaves.")),
    update: kind.update,
  };
}

function measureTool(page: Page): Piece {
  const what = selectBox({
    label: "what",
    test: "measure-what",
    title: "What a click takes",
    choices: () => WHAT,
    value: () => page.store.get("options").measure,
    commit: (value) => page.store.setOptions({ measure: value as MeasureWhat }),
  });
  return {
    element: h("div", { class: "strip-row" }, labelled("Measure", what.select), h("span", { class: "muted" }, "Click two things. Esc leaves.")),
    update: what.update,
  };
}

function sectionStrip(page: Page): Piece {
  const section = (): Options["section"] => page.store.get("options").section;
  const set = (change: Partial<Options["section"]>): void => page.store.setOptions({ section: { ...section(), ...change } });
  const axis = segments({
    test: "section-axis",
    label: "axis of the section",
    choices: AXES.map((k) => ({ ...k, title: `Across the ${k.text} axis` })),
    value: () => AXES.find((k) => k.normal.every((n, i) => Math.abs(n) === Math.abs(section().normal[i])))?.value ?? "",
    commit: (value) => set({ normal: [...(AXES.find((k) => k.value === value) ?? AXES[0]).normal] }),
  });
  const flip = h(
    "button",
    {
      type: "button",
      class: "button small",
      test: "section-flip",
      title: "Cuts the other side away",
      onclick: () => set({ normal: section().normal.map((k) => -k) as Vec3, offset: -section().offset }),
    },
    "Flip",
  );
  const slider = h(
    "input",
    {
      type: "range",
      class: "slider",
      min: -1000,
      max: 1000,
      step: 1,
      test: "section-offset",
      title: "Where the plane is",
      "aria-label": "place of the section",
    },
  );
  slider.addEventListener("input", () => set({ offset: (Number(slider.value) / 1000) * reach(page) }));
  const value = h("span", { class: "value" });
  const cables = h("input", { type: "checkbox", test: "section-cables" });
  cables.addEventListener("change", () => set({ cables: cables.checked }));
  const element = h(
    "div",
    { class: "strip-row section-row", test: "section-strip" },
    h("span", {}, "Section"),
    axis.element,
    slider,
    value,
    flip,
    h("label", { title: "Whether cables are cut too" }, cables, h("span", {}, "cables too")),
  );
  return {
    element,
    update: () => {
      const now = section();
      setHidden(element, !now.on);
      if (!now.on) return;
      axis.update();
      if (document.activeElement !== slider) slider.value = String(Math.round((1000 * now.offset) / reach(page)));
      value.textContent = page.length(now.offset);
      if (cables.checked !== now.cables) cables.checked = now.cables;
    },
  };
}

/** How far from the origin there is anything, m. */
function reach(page: Page): number {
  let most = 0.05;
  const frame = page.store.get("frame");
  for (const strand of frame?.strands.values() ?? []) for (const k of strand.positions) most = Math.max(most, Math.abs(k));
  for (const body of frame?.bodies.values() ?? []) most = Math.max(most, ...body.position.map(Math.abs));
  return 1.3 * most;
}
