// The bar at the top: files, undo, simulation, tools, what is coloured and shown, unit, theme, help.
import type { Colour, SetUnit } from "../messages";
import type { Options, Tool } from "../store";
import { copyAsPython, exportFile, newScene, openScene, pictureOfView, record, replay, save, saveAs } from "../dialogs/files";
import { showHelp } from "../help";
import { button, showMenu, type Entries } from "./buttons";
import { h, setClass, setHidden, setText, type Piece } from "./elements";
import { selectBox } from "./choices";
import { icon, setIcon, type IconName } from "./icons";
import { message, type Page } from "./page";
import { isMachine } from "./transport";
import { viewEntries } from "./viewmenu";

const TOOLS: readonly { tool: Tool; text: string; icon: IconName; title: string }[] = [
  { tool: "select", text: "Select", icon: "select", title: "Select and drag (V)" },
  { tool: "cable", text: "Cable", icon: "cable", title: "New cable: click where it begins, and where it ends (N)" },
  { tool: "clip", text: "Clip", icon: "clip", title: "Set a clip: click on a cable (K)" },
  { tool: "measure", text: "Measure", icon: "measure", title: "Measure: click two things (M)" },
];

const COLOURS: readonly { value: Colour["quantity"]; text: string }[] = [
  { value: "none", text: "Plain colour" },
  { value: "bend_radius", text: "Bend radius" },
  { value: "curvature", text: "Curvature" },
  { value: "torsion", text: "Torsion" },
  { value: "tension", text: "Tension" },
  { value: "stress", text: "Stress" },
  { value: "contact", text: "Contact force" },
  { value: "clearance", text: "Clearance" },
];

export function topBar(page: Page): Piece {
  const pieces = [fileGroup(page), undoGroup(page), simulationGroup(page), toolGroup(page), shownGroup(page), endGroup(page)];
  return { element: h("header", { class: "top-bar", test: "bar" }, ...pieces.map((k) => k.element)), update: () => pieces.forEach((k) => k.update()) };
}

function fileGroup(page: Page): Piece {
  const file = button({
    icon: "menu",
    text: "File",
    title: "New, open, save, export, record",
    test: "file-menu",
    run: () => showMenu(file, fileEntries(page), "file-entries"),
  });
  file.setAttribute("aria-haspopup", "menu");
  const name = h("span", { class: "file-name", test: "file-name" });
  const dot = h("span", { class: "unsaved", test: "unsaved", title: "There are unsaved edits; they are kept against a crash" }, "●");
  return {
    element: h("div", { class: "bar-group file" }, file, h("span", { class: "file-title" }, name, dot)),
    update: () => {
      const { scene } = page;
      const text = scene === null ? "lissom" : (scene.file?.replace(/^.*\//, "") ?? (scene.title || "untitled"));
      setText(name, text);
      name.title = scene === null ? "" : `${scene.title}${scene.file === null ? " (never saved)" : `: ${scene.file}`}`;
      dot.style.visibility = scene?.unsaved === true ? "" : "hidden"; // its room is kept
      const title = `${scene?.unsaved === true ? "• " : ""}${text} – lissom`;
      if (document.title !== title) document.title = title;
    },
  };
}

function fileEntries(page: Page): Entries {
  const recording = page.scene?.recording === true;
  return [
    { text: "New…", test: "file-new", run: () => newScene(page) },
    { text: "Open…", keys: "Ctrl O", test: "file-open", run: () => openScene(page) },
    { text: "Save", keys: "Ctrl S", test: "file-save", run: () => save(page) },
    { text: "Save as…", keys: "Ctrl ⇧ S", test: "file-save-as", run: () => void saveAs(page) },
    { heading: "Export" },
    { text: "Picture of the view", icon: "camera", test: "export-view", title: "As it is on the screen (PNG)", run: () => pictureOfView(page) },
    { text: "Drawing", test: "export-picture", title: "The shape with its scale (PNG)", run: () => exportFile(page, "picture") },
    { text: "Tables and plots", test: "export-table", title: "A folder with CSV tables and plots", run: () => exportFile(page, "table") },
    { text: "Shapes as 3D model", test: "export-shapes", title: "GLB", run: () => exportFile(page, "shapes") },
    { text: "Report", test: "export-report", title: "All results as JSON", run: () => exportFile(page, "report") },
    { heading: "Session" },
    {
      text: recording ? "Stop recording" : "Record",
      icon: "record",
      test: "file-record",
      title: "Notes everything you do in a file that can be replayed",
      run: () => record(page),
    },
    { text: "Replay…", icon: "play", test: "file-replay", run: () => replay(page) },
    { text: "Copy as Python…", icon: "copy", test: "file-script", run: () => copyAsPython(page) },
  ];
}

function undoGroup(page: Page): Piece {
  const make = (kind: "Undo" | "Redo", name: IconName, keys: string): Piece => {
    const element = h(
      "button",
      { type: "button", class: "button icon-button", test: kind.toLowerCase(), onclick: () => page.do({ kind }) },
      icon(name),
    );
    return {
      element,
      update: () => {
        const what = page.scene?.[kind === "Undo" ? "undo" : "redo"] ?? "";
        element.disabled = what === "";
        element.title = what === "" ? `Nothing to ${kind.toLowerCase()} (${keys})` : `${kind}: ${what} (${keys})`;
        element.setAttribute("aria-label", element.title);
      },
    };
  };
  const label = h("span", { class: "undo-label", title: "What was done last" }); // as wide when empty: the tools stay where they are
  const last: Piece = { element: label, update: () => setText(label, page.scene?.undo ?? "") };
  const pieces = [make("Undo", "undo", "Ctrl Z"), make("Redo", "redo", "Ctrl Y"), last];
  return { element: h("div", { class: "bar-group undo-group" }, ...pieces.map((k) => k.element)), update: () => pieces.forEach((k) => k.update()) };
}

function simulationGroup(page: Page): Piece {
  const mark = icon("pause");
  const text = h("span", { class: "wide-only" }, "Live");
  const live = h(
    "button",
    { type: "button", class: "button toggle", test: "simulate", onclick: () => page.do({ kind: "Simulate", on: !(page.scene?.simulate ?? true) }) },
    mark,
    text,
  );
  const solve = button({
    icon: "step",
    title: "Solve once (Ctrl Enter); with shift: forgetting the present shapes",
    test: "solve",
    run: (event) => page.do({ kind: "Solve", cold: event.shiftKey }),
  });
  const reset = button({
    icon: "reset",
    title: "Back to the scene as it was opened; can be undone",
    test: "reset",
    run: () => void page.send({ kind: "Reset" }).then(
      () => page.store.say("info", "Back to the scene as it was opened."),
      (error: unknown) => page.store.say("error", message(error)),
    ),
  });
  const element = h("div", { class: "bar-group" }, live, solve, reset);
  return {
    element,
    update: () => {
      setHidden(element, isMachine(page) && page.scene?.cables.length === 0); // the clock below the view is all there is to run
      const on = page.scene?.simulate ?? true;
      setClass(live, "on", on);
      setIcon(mark, on ? "pause" : "play");
      live.title = on
        ? "Cables follow at once. Click to stop: things then move and wait for a single solve (Space)"
        : "The simulation is off: click to let cables follow again (Space)";
      live.setAttribute("aria-pressed", String(on));
      live.setAttribute("aria-label", "simulation");
      setText(text, on ? "Live" : "Off");
    },
  };
}

function toolGroup(page: Page): Piece {
  const tools = TOOLS.map(({ tool, text, icon: name, title }) => ({
    tool,
    element: h(
      "button",
      { type: "button", class: "button tool", title, test: `tool-${tool}`, "aria-label": title, onclick: () => page.store.set("tool", tool) },
      icon(name),
      h("span", { class: "wide-only" }, text),
    ),
  }));
  const section = h(
    "button",
    {
      type: "button",
      class: "button tool",
      title: "Section plane: cuts parts open (P)",
      test: "tool-section",
      "aria-label": "section plane",
      onclick: () => {
        const { section: now } = page.store.get("options");
        page.store.setOptions({ section: { ...now, on: !now.on } });
      },
    },
    icon("section"),
    h("span", { class: "wide-only" }, "Section"),
  );
  return {
    element: h("div", { class: "bar-group tools", role: "group", "aria-label": "tools" }, ...tools.map((k) => k.element), section),
    update: () => {
      for (const { tool, element } of tools) {
        setClass(element, "on", page.store.get("tool") === tool);
        element.setAttribute("aria-pressed", String(page.store.get("tool") === tool));
      }
      setClass(section, "on", page.store.get("options").section.on);
      section.setAttribute("aria-pressed", String(page.store.get("options").section.on));
    },
  };
}

function shownGroup(page: Page): Piece {
  const colour = selectBox({
    label: "colour by",
    test: "colour",
    title: "What the colour of the cables tells",
    choices: () => COLOURS,
    value: () => page.scene?.colour ?? "none",
    commit: (value) => page.do({ kind: "Colour", quantity: value as Colour["quantity"] }),
  });
  const view: HTMLButtonElement = button({
    icon: "eye",
    text: "View",
    title: "Standing points, arrows, labels, legend and more",
    test: "view-menu",
    run: () => showMenu(view, viewEntries(page), "view-entries"),
  });
  view.setAttribute("aria-haspopup", "menu");
  return {
    element: h("div", { class: "bar-group" }, colour.select, view),
    update: () => {
      setHidden(colour.select, isMachine(page) && page.scene?.cables.length === 0);
      colour.update();
    },
  };
}

function endGroup(page: Page): Piece {
  const unit = selectBox({
    label: "unit",
    test: "unit",
    title: "Unit of lengths on the screen",
    choices: () => ["mm", "cm", "m", "in"].map((k) => ({ value: k, text: k })),
    value: () => page.unit,
    commit: (value) => page.do({ kind: "SetUnit", unit: value as SetUnit["unit"] }),
  });
  const mark = icon("moon");
  const dark = (): boolean => document.documentElement.dataset.theme === "dark";
  const theme = h(
    "button",
    {
      type: "button",
      class: "button icon-button",
      test: "theme",
      "aria-label": "theme",
      onclick: () => page.store.setOptions({ theme: (dark() ? "light" : "dark") satisfies Options["theme"] }),
    },
    mark,
  );
  const help = button({ icon: "help", title: "Keys and mouse (?)", test: "help", run: () => showHelp() });
  return {
    element: h("div", { class: "bar-group end" }, unit.select, theme, help),
    update: () => {
      unit.update();
      setIcon(mark, dark() ? "sun" : "moon");
      theme.title = dark() ? "Light theme" : "Dark theme";
    },
  };
}
