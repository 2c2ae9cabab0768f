// Files: open, save, export, recordings, and the session as a script.
import { showDialog, ask } from "./dialog";
import { h, type Child } from "../panels/elements";
import { icon } from "../panels/icons";
import { message, type Page } from "../panels/page";
import { button } from "../panels/buttons";

interface Listing {
  scenes: string[];
  recordings: string[];
  recent: string[];
  gallery: { name: string; title: string; question: string }[];
  unsaved: string[]; // scenes that never were files: "unsaved:…"
}

const TEMPLATES = [
  { value: "", text: "Empty scene", about: "Draw cables and add parts yourself" },
  { value: "hose", text: "Hose", about: "A hose between two points" },
  { value: "cantilever", text: "Strip", about: "Clamped at one end, with a weight on the other" },
  { value: "rope", text: "Rope", about: "Hanging between two hooks" },
  { value: "moulded", text: "Moulded hose", about: "With a shape of its own" },
  { value: "parts", text: "Hose on parts", about: "From the chassis to a carrier that moves" },
];

export function newScene(page: Page): void {
  const cards = TEMPLATES.map(({ value, text, about }) =>
    card(
      text,
      about,
      `new-${value === "" ? "empty" : value}`,
      () => page.send({ kind: "New", template: value }).then(() => opened(page, dialog.close), (error: unknown) => dialog.fail(message(error))),
    ),
  );
  const dialog = showDialog({
    title: "New scene",
    test: "new-dialog",
    body: [
      h("div", { class: "cards" }, ...cards),
      h("p", { class: "note" }, "Unsaved edits of the present scene are kept, and come back when it is opened again."),
    ],
  });
}

function opened(page: Page, close: () => void): void {
  page.store.select([]);
  close();
  page.fit();
}

function card(title: string, about: string, test: string, run: () => void): HTMLElement {
  return h("button", { type: "button", class: "card", test, onclick: run }, h("strong", {}, title), h("span", {}, about));
}

export function openScene(page: Page): void {
  const body = h("div", { class: "open-body" }, h("div", { class: "empty" }, "Looking for scenes…"));
  const dialog = showDialog({ title: "Open", test: "open-dialog", wide: true, body: [body] });
  const open = (command: { kind: "Open"; path: string } | { kind: "New"; template: string }): void => {
    page.send(command).then(() => opened(page, dialog.close), (error: unknown) => dialog.fail(message(error)));
  };
  page.send({ kind: "Files" }).then(
    (answer) => body.replaceChildren(...listing(answer as Listing, open, page.scene?.file ?? null)),
    (error: unknown) => {
      body.replaceChildren();
      dialog.fail(message(error));
    },
  );
}

function listing(
  files: Listing,
  open: (command: { kind: "Open"; path: string } | { kind: "New"; template: string }) => void,
  now: string | null,
): HTMLElement[] {
  const search = h("input", { type: "search", class: "search text", placeholder: "Search scenes", test: "open-search", "aria-label": "search scenes" });
  const rows = files.scenes.map((path) => fileRow(path, path === now, () => open({ kind: "Open", path })));
  search.addEventListener("input", () => {
    const wanted = search.value.toLowerCase();
    rows.forEach((row, i) => (row.hidden = !files.scenes[i].toLowerCase().includes(wanted)));
  });
  const unsaved = files.unsaved.map((path) => fileRow(path, false, () => open({ kind: "Open", path }), path.replace("unsaved:", "")));
  const recent = files.recent.slice(0, 5).map((path) => fileRow(path, path === now, () => open({ kind: "Open", path })));
  const cards = files.gallery.map(({ name, title, question }) => card(
    title || name,
    question || "A scene to try things on",
    `demo-${name}`,
    () => open({ kind: "New", template: `demo:${name}` }),
  ));
  const column = (title: string, ...children: Child[]): HTMLElement => h("section", {}, h("h3", {}, title), ...children);
  return [
    h(
      "div",
      { class: "open-column" },
      unsaved.length === 0 ? null : column("Never saved", h("div", { class: "file-list", test: "unsaved-scenes" }, ...unsaved)),
      recent.length === 0 ? null : column("Recent", h("div", { class: "file-list" }, ...recent)),
      column(
        "In this folder",
        search,
        rows.length === 0 ? h("div", { class: "empty" }, "There is no scene file here yet.") : h("div", { class: "file-list tall", test: "scenes" }, ...rows),
      ),
    ),
    h(
      "div",
      { class: "open-column" },
      column("Gallery", cards.length === 0 ? h("div", { class: "empty" }, "The gallery is empty.") : h("div", { class: "cards" }, ...cards)),
    ),
  ];
}

function fileRow(path: string, now: boolean, run: () => void, shown = path): HTMLElement {
  const at = shown.lastIndexOf("/") + 1;
  return h(
    "button",
    { type: "button", class: `file-row ${now ? "now" : ""}`, test: `file-${path}`, title: path, onclick: run },
    icon("cable"),
    h("span", {}, shown.slice(at)),
    h("span", { class: "muted" }, shown.slice(0, at)),
  );
}

/** Saves; asks for a name where there is none yet. */
export function save(page: Page): void {
  if (page.scene?.file == null) return void saveAs(page);
  page.send({ kind: "Save" }).then(
    (path) => page.store.say("info", `Saved ${String(path)}.`),
    (error: unknown) => page.store.say("error", message(error)),
  );
}

export async function saveAs(page: Page): Promise<void> {
  const scene = page.scene;
  if (scene === null) return;
  const title = scene.title.toLowerCase().replace(/[^\w]+/g, "-").replace(/^-|-$/g, "").slice(0, 40);
  const path = await ask({
    title: "Save as",
    label: "File in the workspace",
    value: scene.file ?? `${title || "scene"}.toml`,
    note: "Ends in .toml or .json; folders are made where they are missing.",
    test: "save-path",
    action: "Save",
    accept: (value) => page.send({ kind: "Save", path: /\.(toml|json)$/i.test(value) ? value : `${value}.toml` }),
  });
  if (path !== null) page.store.say("info", `Saved ${page.scene?.file ?? path}.`);
}

const EXPORTS = {
  picture: { text: "Picture", about: "A drawing of the shape with its scale (PNG)" },
  table: { text: "Tables and plots", about: "A folder with CSV tables and plots of every cable" },
  shapes: { text: "Shapes", about: "Cables and parts as a 3D model (GLB)" },
  report: { text: "Report", about: "All results as JSON" },
} as const;

export function exportFile(page: Page, format: keyof typeof EXPORTS): void {
  const { text } = EXPORTS[format];
  const body = h("div", { class: "export-body" }, h("div", { class: "empty" }, "Writing…"));
  const dialog = showDialog({ title: `Export: ${text}`, test: "export-dialog", body: [body] });
  page.send({ kind: "ExportFile", format }).then(
    (answer) => {
      const paths = answer as string[];
      const [first] = paths;
      const folder = first.slice(0, first.lastIndexOf("/"));
      body.replaceChildren(
        h("p", {}, format === "table" ? "Written into a folder beside the scene:" : "Written beside the scene:"),
        h("p", { class: "path", test: "export-path" }, format === "table" ? folder : first),
        h("div", { class: "downloads" }, ...paths.map(downloadLink)),
      );
    },
    (error: unknown) => {
      body.replaceChildren();
      dialog.fail(message(error));
    },
  );
}

export function downloadLink(path: string): HTMLElement {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return h(
    "a",
    { class: "button", href: `file/${path.split("/").map(encodeURIComponent).join("/")}`, download: name, test: "export-download" },
    `Download ${name}`,
  );
}

/** The view as it is on the screen. */
export function pictureOfView(page: Page): void {
  const viewport = page.store.get("viewport");
  if (viewport === null) return page.store.say("error", "The view is not ready for a picture yet.");
  const name = (page.scene?.file ?? "view").replace(/^.*\//, "").replace(/\.\w+$/, "");
  h("a", { href: viewport.picture(), download: `${name}.png` }).click();
}

export function record(page: Page): void {
  const on = page.scene?.recording !== true;
  page.send({ kind: "Record", on }).then(
    (path) => page.store.say("info", on ? "Recording: everything you do is noted until you stop it." : `Recorded in ${String(path)}.`),
    (error: unknown) => page.store.say("error", message(error)),
  );
}

export function replay(page: Page): void {
  const body = h("div", { class: "open-body single" }, h("div", { class: "empty" }, "Looking for recordings…"));
  const dialog = showDialog({ title: "Replay a recording", test: "replay-dialog", body: [body] });
  const run = (path: string): void => {
    body.replaceChildren(h("div", { class: "empty" }, "Going back to where it began…"));
    page.send({ kind: "Replay", path }).then(
      () => {
        page.store.say("info", `Replaying ${path}: Esc stops it, and so does any edit.`);
        opened(page, dialog.close);
      },
      (error: unknown) => dialog.fail(message(error)),
    );
  };
  page.send({ kind: "Files" }).then(
    (answer) => {
      const { recordings } = answer as Listing;
      body.replaceChildren(recordings.length === 0 ? h("div", { class: "empty" }, "Nothing was recorded in this folder yet.") : h(
        "div",
        { class: "file-list tall" },
        ...recordings.map((path) => fileRow(path, false, () => run(path))),
      ));
    },
    (error: unknown) => dialog.fail(message(error)),
  );
}

/** The session so far as Python. */
export function copyAsPython(page: Page): void {
  const text = h("pre", { class: "script", tabindex: 0, test: "script-text" }, "…");
  const run = async (): Promise<void> => {
    const done = await copyText(text.textContent ?? "");
    const label = copy.querySelector("span");
    if (label !== null) label.textContent = done ? "Copied" : "Select it and press Ctrl C";
    if (!done) getSelection()?.selectAllChildren(text);
  };
  const copy = button({ icon: "copy", text: "Copy", title: "Copy the script", test: "script-copy", class: "primary", run: () => void run() });
  const dialog = showDialog({
    title: "This session as Python",
    test: "script-dialog",
    wide: true,
    body: [h("p", { class: "note" }, "Does the same without the workbench: run it beside the scene file."), text],
    actions: [copy],
  });
  page.send({ kind: "Script" }).then(
    (script) => (text.textContent = String(script)),
    (error: unknown) => dialog.fail(message(error)),
  );
}

/** True where the browser let us; some need a secure page for the clipboard. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    console.warn("the clipboard is not to be had", error);
    return false;
  }
}
