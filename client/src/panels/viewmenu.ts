// What the view shows: standing points, arrows, labels, where the legend is.
import type { Options, StandardView } from "../store";
import { ask } from "../dialogs/dialog";
import { button, type Entries, type Entry } from "./buttons";
import { h, keep, kept } from "./elements";
import { message, type Page } from "./page";

const VIEWS: readonly { view: StandardView; text: string; keys: string }[] = [
  { view: "isometric", text: "Isometric", keys: "7" },
  { view: "front", text: "Front", keys: "1" },
  { view: "back", text: "Back", keys: "2" },
  { view: "left", text: "Left", keys: "3" },
  { view: "right", text: "Right", keys: "4" },
  { view: "top", text: "Top", keys: "5" },
  { view: "bottom", text: "Bottom", keys: "6" },
];

type Switch = { [name in keyof Options]: Options[name] extends boolean ? name : never }[keyof Options];

const SWITCHES: readonly { name: Switch; text: string; title: string; keys?: string }[] = [
  { name: "directors", text: "Directors", title: "The axes of the section along the cables", keys: "D" },
  { name: "reactions", text: "Reaction forces", title: "What ends and clips exert on the cables", keys: "R" },
  { name: "moments", text: "Reaction moments", title: "What ends and clips exert on the cables" },
  { name: "contacts", text: "Contact forces", title: "Where cables touch, and how hard" },
  { name: "tensions", text: "Tensions of ropes", title: "Numbers on the spans, where there is room; always at the pointer" },
  { name: "joints", text: "Joints", title: "Axes of hinges and slides of a machine" },
  { name: "labels", text: "Labels", title: "Names, smallest bend radius, measures" },
  { name: "variants", text: "Kept variants", title: "Draws kept shapes over the present one" },
  { name: "points", text: "Measured points", title: "Draws measured points" },
  { name: "edges", text: "Edges of parts", title: "Draws sharp edges", keys: "E" },
  { name: "grid", text: "Floor grid", title: "A grid below everything", keys: "G" },
  { name: "shadows", text: "Shadows", title: "Shadows on the floor and on parts" },
  { name: "orthographic", text: "Parallel projection", title: "Without perspective", keys: "O" },
  { name: "snap", text: "Snapping", title: "Drags snap to corners, edges, axes and frames", keys: "S" },
];

export const LEGENDS = ["bottom", "top", "left", "right", "hidden"] as const;
type Legend = (typeof LEGENDS)[number];

/** Where the legend of the colours stands in the view. */
export function placeLegend(where: Legend = kept<Legend>("legend", "bottom")): void {
  keep("legend", where);
  const view = document.getElementById("view");
  if (view !== null) view.dataset.legend = where;
}

export function viewEntries(page: Page): Entries {
  const { store } = page;
  const options = store.get("options");
  const legend = h("select", { class: "select", test: "legend-place", "aria-label": "legend" }, ...LEGENDS.map((k) => h("option", { value: k }, k)));
  legend.value = document.getElementById("view")?.dataset.legend ?? "bottom";
  legend.addEventListener("change", () => placeLegend(legend.value as Legend));
  return [
    { text: "Show everything", icon: "fit", keys: "⇧ F", test: "view-fit", run: () => page.fit() },
    {
      node: h(
        "div",
        { class: "view-grid" },
        ...VIEWS.map(({ view, text, keys }) => h(
          "button",
          { type: "button", class: "button small", title: `${text} (${keys})`, test: `view-${view}`, onclick: () => store.get("viewport")?.standard(view) },
          text,
        )),
      ),
    },
    { heading: "Kept views" },
    ...keptViews(page),
    { heading: "Shown" },
    ...SWITCHES.map(({ name, text, title, keys }): Entry => ({
      text,
      title,
      keys,
      checked: options[name],
      test: `show-${name}`,
      run: () => store.setOptions({ [name]: !store.get("options")[name] }),
    })),
    { node: h("label", { class: "menu-field", title: "Where the legend of the colours stands" }, h("span", {}, "Legend"), legend) },
  ];
}

function keptViews(page: Page): Entries {
  const viewport = page.store.get("viewport");
  const views = (page.scene?.views ?? []).map((view) => ({
    node: h(
      "div",
      { class: "menu-row" },
      h(
        "button",
        { type: "button", class: "menu-entry", test: `kept-view-${view.name}`, title: "Go there", onclick: () => viewport?.goTo(view) },
        h("span", { class: "menu-mark" }),
        h("span", { class: "menu-text" }, view.name),
      ),
      button({
        icon: "cross",
        title: `Remove the view ${view.name}`,
        test: `remove-view-${view.name}`,
        class: "quiet",
        run: (event) => {
          (event.currentTarget as HTMLElement).parentElement?.remove();
          page.do({ kind: "RemoveView", name: view.name });
        },
      }),
    ),
  }));
  const keepThis: Entry = { text: "Keep this view…", icon: "plus", test: "keep-view", run: () => void keepView(page) };
  return [...views, keepThis];
}

async function keepView(page: Page): Promise<void> {
  const viewport = page.store.get("viewport");
  if (viewport === null) return;
  const name = await ask({ title: "Keep this view", label: "Name", value: `View ${(page.scene?.views.length ?? 0) + 1}`, test: "view-name", action: "Keep" });
  if (name !== null) page.send({ kind: "KeepView", view: viewport.current(name) }).catch((error: unknown) => page.store.say("error", message(error)));
}
