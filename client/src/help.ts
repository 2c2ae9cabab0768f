// The keys of the page, and the sheet that lists them with what the mouse does.
import { showDialog } from "./dialogs/dialog";
import { openScene, save, saveAs } from "./dialogs/files";
import type { Bottom } from "./panels/bottom";
import { closeMenu } from "./panels/buttons";
import { h } from "./panels/elements";
import { hasMotion } from "./panels/motion";
import type { Page } from "./panels/page";
import { isMachine, rewind, stepOnce, togglePlay } from "./panels/transport";
import type { Tree } from "./panels/tree";
import { isTyping } from "./view/keys";

interface Key {
  keys: string;
  text: string;
}

const SHEET: readonly { heading: string; keys: readonly Key[] }[] = [
  {
    heading: "Mouse",
    keys: [
      { keys: "Drag a thing", text: "moves an end, a clip, a part; a cable by itself springs back" },
      { keys: "Click", text: "selects; Shift or Ctrl adds" },
      { keys: "Shift drag", text: "beside things: selects with a box" },
      { keys: "Right button", text: "turns the view" },
      { keys: "Middle, Shift right", text: "moves the view" },
      { keys: "Wheel", text: "zooms where the pointer is" },
      { keys: "X Y Z held", text: "keeps a drag to an axis" },
      { keys: "Drop a file", text: "adds a mesh as a part" },
    ],
  },
  {
    heading: "Tools",
    keys: [
      { keys: "V", text: "select" },
      { keys: "N", text: "new cable" },
      { keys: "K", text: "clip" },
      { keys: "M", text: "measure" },
      { keys: "P", text: "section plane" },
      { keys: "Esc", text: "cancels what is under way; stops what takes long" },
    ],
  },
  {
    heading: "View",
    keys: [
      { keys: "F", text: "shows the selection whole; ⇧ F everything" },
      { keys: "1 … 7", text: "front, back, left, right, top, bottom, isometric" },
      { keys: "O", text: "parallel projection" },
      { keys: "D  R", text: "directors, reactions" },
      { keys: "G  E", text: "grid, edges" },
      { keys: "S  L", text: "snapping, local axes" },
      { keys: "B", text: "folds the lower panel" },
    ],
  },
  {
    heading: "Objects",
    keys: [
      { keys: "F2", text: "renames" },
      { keys: "Ctrl D", text: "duplicates" },
      { keys: "Del", text: "deletes" },
      { keys: "H", text: "hides or shows" },
      { keys: "I", text: "isolates, and back" },
      { keys: "T", text: "transparent" },
      { keys: "Ctrl G", text: "groups" },
      { keys: "Ctrl A", text: "selects everything" },
      { keys: "/", text: "searches" },
    ],
  },
  {
    heading: "Session",
    keys: [
      { keys: "Ctrl Z  Ctrl Y", text: "undo, redo" },
      { keys: "Space", text: "simulation on and off; of a machine: play" },
      { keys: "Ctrl Enter", text: "solves once" },
      { keys: "Ctrl S", text: "saves; Ctrl ⇧ S under another name" },
      { keys: "Ctrl O", text: "opens" },
      { keys: "?", text: "this sheet" },
    ],
  },
  {
    heading: "Motion",
    keys: [
      { keys: "J", text: "plays and pauses the motion" },
      { keys: "Drag a slider", text: "moves a joint; the cables follow" },
      { keys: "Drag a part", text: "with a joint: moves it as the joint lets it" },
      { keys: "Drag the timeline", text: "scrubs; in a row of lights: to a swept position" },
      { keys: "← →", text: "on the timeline: a step; Shift five" },
    ],
  },
  {
    heading: "Machine",
    keys: [
      { keys: "Space", text: "plays and pauses" },
      { keys: ".  Home", text: "one step; back to the start" },
      { keys: "Drag a body", text: "pulls it with a soft spring, also while paused" },
      { keys: "Point at a rope", text: "tells its tension and length there" },
    ],
  },
  {
    heading: "Fields",
    keys: [
      { keys: "450 mm, 18 in", text: "a value may carry its unit" },
      { keys: "90 deg, 2 turns", text: "and so may an angle" },
      { keys: "Enter", text: "takes it; Esc takes it back" },
      { keys: "↑ ↓", text: "a step up or down; Shift ten" },
    ],
  },
];

export function showHelp(): void {
  const sections = SHEET.map(({ heading, keys }) => h(
    "section",
    {},
    h("h3", {}, heading),
    h("dl", {}, ...keys.flatMap((k) => [h("dt", {}, h("kbd", {}, k.keys)), h("dd", {}, k.text)])),
  ));
  showDialog({ title: "Keys and mouse", test: "help-dialog", wide: true, body: [h("div", { class: "help" }, ...sections)] });
}

/** The keys that are not the view's own. */
export function listenToKeys(page: Page, tree: Tree, bottom: Bottom): void {
  addEventListener("keydown", (event) => stopWhatTakesLong(page, event), { capture: true });
  addEventListener("keydown", (event) => {
    const typing = isTyping(event.target);
    const key = event.key.toLowerCase();
    const run = event.ctrlKey || event.metaKey ? control(
      page,
      tree,
      key,
      event.shiftKey,
      typing,
    ) : typing || event.altKey ? null : plain(page, tree, bottom, key, event.target);
    if (run === null) return;
    event.preventDefault();
    closeMenu();
    run();
  });
}

/** Esc, before it means anything else; what is dragged is let go by it too. */
function stopWhatTakesLong(page: Page, event: KeyboardEvent): void {
  if (event.key !== "Escape" || page.store.get("status")?.can_stop !== true || document.querySelector("dialog[open]") !== null) return;
  page.do({ kind: "Stop" });
  if (page.store.get("dragging") !== null) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

function control(page: Page, tree: Tree, key: string, shift: boolean, typing: boolean): (() => void) | null {
  if (key === "s") return () => (shift ? void saveAs(page) : save(page));
  if (key === "o") return () => openScene(page);
  if (key === "enter") return () => page.do({ kind: "Solve", cold: shift });
  if (typing) return null; // a field has its own undo
  const kind = key === "z" && !shift ? "Undo" : "Redo";
  const any = kind === "Undo" ? page.scene?.undo !== "" || page.store.get("dragging") !== null : page.scene?.redo !== "";
  if (key === "z" || key === "y") return () => any && page.do({ kind });
  if (key === "d") return () => tree.objects.duplicate();
  if (key === "g") return () => void tree.objects.groupSelected();
  if (key === "a") return () => page.store.select([
    ...(page.scene?.cables ?? []),
    ...(page.scene?.parts ?? []),
    ...(page.scene?.junctions ?? []),
  ].map((k) => k.name));
  return null;
}

function plain(page: Page, tree: Tree, bottom: Bottom, key: string, target: EventTarget | null): (() => void) | null {
  const selection = page.store.get("selection");
  const tops = [...new Set(selection.map((k) => k.split("/")[0]))];
  if (key === "?") return () => showHelp();
  if (key === "j" && hasMotion(page.scene)) return () => bottom.player.toggle();
  if (key === "b") return () => bottom.toggle();
  if (key === "/") return () => document.querySelector<HTMLElement>("[data-test=tree-search]")?.focus();
  if (isMachine(page) && !(target instanceof HTMLButtonElement && key === " ")) {
    if (key === " ") return () => togglePlay(page);
    if (key === ".") return () => stepOnce(page);
    if (key === "home") return () => rewind(page);
  }
  if (key === " " && !(target instanceof HTMLButtonElement)) return () => page.do({ kind: "Simulate", on: !(page.scene?.simulate ?? true) });
  if (selection.length === 0) return null;
  if (key === "f2") return () => tree.rename(selection[selection.length - 1]);
  if (key === "delete" || key === "backspace") return () => tree.objects.remove();
  if (key === "h") return () => tree.objects.flip("hidden", tops);
  if (key === "i") return () => tree.objects.isolate();
  if (key === "t") return () => tree.objects.flip("transparent", tops);
  return null;
}
