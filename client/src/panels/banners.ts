// What must not be missed: a lost connection, recovered edits; and over the view: waiting, an empty scene, a question, a
// first hint, and what was just said.
import { addPartFromFile } from "../dialogs/mesh";
import { newScene, openScene } from "../dialogs/files";
import { showHelp } from "../help";
import type { Said } from "../store";
import { button } from "./buttons";
import { h, keep, kept, setHidden, setText, Slot, type Piece } from "./elements";
import { icon } from "./icons";
import { message, type Page } from "./page";

export function banners(page: Page): Piece {
  const lost = h(
    "div",
    { class: "banner bad", role: "alert", test: "disconnected" },
    icon("warning"),
    h("span", {}, "The studio does not answer. The last shape stays; this page tries to connect again by itself."),
  );
  const backToFile = async (): Promise<void> => {
    try {
      await page.send({ kind: "Discard" });
      page.store.select([]);
      page.fit();
    } catch (error) {
      page.store.say("error", message(error));
    }
  };
  const goOn = (): void => {
    kept = true;
    page.ask(true);
  };
  const discard = button({ text: "Discard them", title: "Back to the file as it was saved", test: "discard", class: "small", run: () => void backToFile() });
  const keepThem = button({ text: "Keep", title: "Go on with the recovered edits", test: "keep-recovered", class: "small", run: goOn });
  const recovered = h(
    "div",
    { class: "banner", test: "recovered" },
    icon("info"),
    h("span", {}, "Unsaved edits of the last session were recovered."),
    keepThem,
    discard,
  );
  let kept = false;
  let lostSince: number | null = null;
  return {
    element: h("div", { class: "banners" }, lost, recovered),
    update: () => {
      const gone = page.store.get("connection") !== "open";
      lostSince = gone ? (lostSince ?? performance.now()) : null;
      const long = lostSince !== null && (page.scene !== null || performance.now() - lostSince > 1500);
      setHidden(lost, !long || page.store.get("connection") === "open" || (page.scene === null && performance.now() - (lostSince ?? 0) < 1500));
      if (gone && !long) setTimeout(() => page.ask(), 1600);
      const is = page.scene?.recovered === true;
      if (!is) kept = false;
      setHidden(recovered, !is || kept);
      document.body.classList.toggle("disconnected", gone && page.scene !== null);
    },
  };
}

const WAITING: { [state: string]: string } = { compiling: "Compiling the solver", solving: "Solving" };
const COMPILING = "Once after an installation, about a minute. You can look around meanwhile.";

/** Cards over the view, below the strips of the tools. */
export function overlays(page: Page, strips: HTMLElement): Piece {
  const [title, more] = [h("strong", {}), h("span", {})];
  const waiting = h("div", { class: "card-over waiting", test: "waiting", role: "status" }, h("span", { class: "spinner" }), h("div", {}, title, more));
  const empty = h(
    "div",
    { class: "card-over centre", test: "empty-scene" },
    h("strong", {}, "An empty scene"),
    h("span", {}, "Draw a cable, add a part, or begin with something that is there."),
    h(
      "div",
      { class: "row-of" },
      button({
        icon: "cable",
        text: "New cable",
        title: "Click where it begins, and where it ends",
        test: "empty-cable",
        run: () => page.store.set("tool", "cable"),
      }),
      button({ icon: "part", text: "Add a part", title: "From a mesh file", test: "empty-part", run: () => addPartFromFile(page) }),
      button({ text: "New from a template", title: "A hose, a rope, a strip", test: "empty-new", run: () => newScene(page) }),
      button({ text: "Open", title: "A scene of this folder, or of the gallery", test: "empty-open", run: () => openScene(page) }),
    ),
  );
  const question = new Slot(() => {
    const text = page.scene?.question ?? "";
    return text === "" || text === dismissed ? null : { key: text, build: () => questionCard(text) };
  }, "question-slot");
  let dismissed = "";
  const questionCard = (text: string): Piece => ({
    element: h("div", { class: "card-over question", test: "question" }, icon("help"), h("span", {}, text), close("question-close", () => {
      dismissed = text;
      page.ask(true);
    })),
    update: () => undefined,
  });
  const hint = firstHint(page);
  const toasts = toastList(page);
  return {
    element: h("div", { class: "overlays" }, h("div", { class: "overlay-top" }, strips, waiting, question.element, hint.element, toasts.element), empty),
    update: () => {
      const status = page.store.get("status");
      const busy = status !== null && !["ready", "restarted"].includes(status.state);
      const opening = page.scene === null;
      setHidden(waiting, !(busy || opening));
      setText(
        title,
        WAITING[status?.state ?? ""] ?? (opening ? "Opening the scene" : "Starting the simulation"),
      );
      setText(
        more,
        status?.state === "compiling" ? COMPILING : page.store.get("connection") === "open" ? "" : "Waiting for the studio to answer…",
      );
      const { scene } = page;
      setHidden(empty, busy || scene === null || scene.cables.length + scene.parts.length + scene.junctions.length > 0 || page.store.get("tool") !== "select");
      question.update();
      hint.update();
      toasts.update();
    },
  };
}

function close(test: string, run: () => void): HTMLElement {
  return h("button", { type: "button", class: "button icon-button quiet", title: "Dismiss", "aria-label": "dismiss", test, onclick: run }, "×");
}

function firstHint(page: Page): Piece {
  let seen = kept("hint-seen", false);
  const element = h(
    "div",
    { class: "card-over hint-card", test: "first-hint" },
    h(
      "span",
      {},
      h("b", {}, "Drag"),
      " an end, a clip or the cable itself. ",
      h("b", {}, "Click"),
      " to select. ",
      h("b", {}, "Right button"),
      " turns, ",
      h("b", {}, "wheel"),
      " zooms. ",
      h("button", { type: "button", class: "link", onclick: () => showHelp() }, "All keys"),
      " with ",
      h("kbd", {}, "?"),
    ),
    close("first-hint-close", () => {
      seen = true;
      keep("hint-seen", true);
      page.ask(true);
    }),
  );
  return {
    element,
    update: () => setHidden(element, seen || (page.scene?.cables.length ?? 0) === 0 || document.querySelector(".question, .waiting:not([hidden])") !== null),
  };
}

const LONG = { info: 4500, warning: 9000, error: 15000 }; // ms that something said stays over the view

/** What was just said; all of it stays under "Messages". */
function toastList(page: Page): Piece {
  const element = h("div", { class: "toasts", test: "toasts", "aria-live": "polite" });
  let last: Said | null = page.store.get("said").at(-1) ?? null;
  const show = (said: Said): void => {
    const same = [...element.children].find((k) => (k as HTMLElement).dataset.text === said.text);
    same?.remove();
    const toast = h(
      "div",
      { class: `toast ${said.level}`, role: said.level === "error" ? "alert" : "status", test: `toast-${said.level}`, "data-text": said.text },
      icon(said.level === "info" ? "info" : "warning"),
      h("span", {}, said.text),
      close("toast-close", () => toast.remove()),
    );
    element.append(toast);
    while (element.childElementCount > 4) element.firstElementChild?.remove();
    setTimeout(() => toast.remove(), LONG[said.level]);
  };
  page.store.on("said", (all) => {
    const at = last === null ? -1 : all.lastIndexOf(last);
    for (const said of all.slice(at + 1)) show(said);
    last = all.at(-1) ?? null;
  });
  return { element, update: () => undefined };
}
