// The keys of the view. Those of the whole page (save, undo, delete) belong to the shell.
import type { StandardView, Store, Tool, Viewport } from "../store";

const VIEWS: { [key: string]: StandardView } = {
  "1": "front",
  "2": "back",
  "3": "left",
  "4": "right",
  "5": "top",
  "6": "bottom",
  "7": "isometric",
  "0": "isometric",
};
const TOOLS: { [key: string]: Tool } = { v: "select", n: "cable", k: "clip", m: "measure" };

export function listenToKeys(store: Store, view: Viewport): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
    const key = event.key.toLowerCase();
    const options = store.get("options");
    if (key === "escape") view.cancel();
    else if (key in VIEWS) view.standard(VIEWS[key]);
    else if (key in TOOLS) store.set("tool", TOOLS[key]);
    else if (key === "f") view.fit(event.shiftKey || store.get("selection").length === 0 ? undefined : store.get("selection"));
    else if (key === "o") store.setOptions({ orthographic: !options.orthographic });
    else if (key === "g") store.setOptions({ grid: !options.grid });
    else if (key === "e") store.setOptions({ edges: !options.edges });
    else if (key === "d") store.setOptions({ directors: !options.directors });
    else if (key === "r") store.setOptions({ reactions: !options.reactions, contacts: !options.reactions });
    else if (key === "l") store.setOptions({ axes: options.axes === "world" ? "local" : "world" });
    else if (key === "s") store.setOptions({ snap: !options.snap });
    else if (key === "p") store.setOptions({ section: { ...options.section, on: !options.section.on } });
    else return;
    event.preventDefault();
  });
}

/** Whether keys mean text there; boxes to tick and sliders take none. */
export function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "range";
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
