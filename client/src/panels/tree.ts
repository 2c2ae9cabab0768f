// The left side: everything there is, in groups; what is hidden, locked and transparent.
import type { CableInfo, SceneEvent } from "../messages";
import { button, showMenu } from "./buttons";
import { h, Keyed, setClass, setHidden, setText, type Piece } from "./elements";
import { icon, setIcon, type IconName } from "./icons";
import { Objects } from "./objects";
import { message, type Page, type Thing } from "./page";

interface Row {
  key: string;
  path: string | null; // none: a heading
  depth: number;
  text: string;
  note: string;
  icon: IconName | null;
  open: boolean | null; // none: nothing below
  group: string | null; // of the person's own, on headings
}

const CATEGORIES = ["Cables", "Ropes", "Parts", "Junctions"] as const;

export function bodyIcon(thing: Thing): IconName {
  if (thing.kind === "support") return thing.support.name === "start" || thing.support.name === "end" ? "end" : "clip";
  return thing.kind === "rope" ? "cable" : thing.kind;
}

export class Tree implements Piece {
  readonly element: HTMLElement;
  /** What can be done with what is selected. */
  readonly objects: Objects;
  private readonly list = h("div", { class: "tree-list", role: "tree", "aria-label": "objects", "aria-multiselectable": "true", test: "tree", tabindex: 0 });
  private readonly empty = h("div", { class: "empty", test: "tree-empty" });
  private readonly search = h(
    "input",
    {
      type: "search",
      class: "search",
      placeholder: "Search",
      test: "tree-search",
      "aria-label": "search objects",
      title: "Shows only what has this in its name",
    },
  );
  private readonly showAll: HTMLButtonElement;
  private readonly keyed: Keyed<Row>;
  private rows: Row[] = [];
  private closed = new Set<string>();
  private opened = new Set<string>(); // cables whose ends and clips are shown
  private anchor: string | null = null;
  private renaming: string | null = null;

  constructor(private readonly page: Page) {
    this.objects = new Objects(page, (path) => this.rename(path));
    this.keyed = new Keyed<Row>(this.list, (row) => this.makeRow(row));
    const add = button({
      icon: "plus",
      title: "Add a cable, a part or a group",
      test: "tree-add",
      class: "quiet",
      run: () => showMenu(add, this.objects.addEntries(), "add-menu"),
    });
    this.showAll = button({
      icon: "eye",
      text: "Show all",
      title: "Nothing is hidden any more",
      test: "tree-show-all",
      class: "small quiet",
      run: () => this.objects.arrange({ hidden: [] }),
    });
    const head = h("div", { class: "panel-head" }, h("h2", {}, "Objects"), h("span", { class: "push" }), this.showAll, add);
    this.element = h(
      "aside",
      { class: "panel tree", "aria-label": "objects" },
      head,
      h("div", { class: "search-box" }, icon("search"), this.search),
      this.list,
      this.empty,
    );
    this.search.addEventListener("input", () => this.page.ask(true));
    this.search.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.search.value = "";
      this.page.ask(true);
      event.stopPropagation();
    });
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.list.addEventListener("contextmenu", (event) => this.context(event));
    this.list.addEventListener("pointerleave", () => page.store.set("hovered", null));
  }

  update(): void {
    const scene = this.page.scene;
    this.rows = scene === null ? [] : this.collect(scene);
    this.keyed.show(this.rows, (row) => row.key);
    setHidden(this.showAll, (scene?.hidden.length ?? 0) === 0);
    const nothing = scene !== null && scene.cables.length + scene.parts.length + scene.junctions.length === 0;
    if (scene === null) setText(this.empty, "Opening…");
    else if (nothing) setText(this.empty, "Nothing here yet. Draw a cable with the tool, or drop a mesh file on the page.");
    else setText(this.empty, this.rows.length === 0 ? "Nothing has this in its name." : "");
    setHidden(this.empty, this.empty.textContent === "");
    setHidden(this.list, this.rows.length === 0);
  }

  /** Renames in place. */
  rename(path: string): void {
    const cable = path.split("/")[0];
    if (path.includes("/")) this.opened.add(cable);
    this.renaming = path;
    this.page.ask(true);
  }

  // ---- what rows there are -------------------------------------------------------------------------------------------

  private collect(scene: SceneEvent): Row[] {
    const wanted = this.search.value.trim().toLowerCase();
    const grouped = new Set(Object.values(scene.groups).flat());
    const rows: Row[] = [];
    const top: { path: string; category: (typeof CATEGORIES)[number] }[] = [
      ...scene.cables.map((k) => ({ path: k.name, category: "Cables" as const })),
      ...(scene.machine?.ropes ?? []).map((k) => ({ path: k.name, category: "Ropes" as const })),
      ...scene.parts.map((k) => ({ path: k.name, category: "Parts" as const })),
      ...scene.junctions.map((k) => ({ path: k.name, category: "Junctions" as const })),
    ];
    const section = (title: string, group: string | null, paths: string[]): void => {
      const below = paths.flatMap((path) => this.thingRows(path, wanted));
      if (below.length === 0 && (group === null || wanted !== "")) return;
      const key = group === null ? `heading:${title}` : `group:${group}`;
      const open = !this.closed.has(key) || wanted !== "";
      rows.push({ key, path: null, depth: 0, text: title, note: String(paths.length), icon: group === null ? null : "group", open, group });
      if (open) rows.push(...below);
    };
    for (const [group, paths] of Object.entries(scene.groups)) section(group, group, paths.filter((path) => top.some((k) => k.path === path)));
    for (const category of CATEGORIES) section(category, null, top.filter((k) => k.category === category && !grouped.has(k.path)).map((k) => k.path));
    return rows;
  }

  private thingRows(path: string, wanted: string): Row[] {
    const thing = this.page.thing(path);
    if (thing === null) return [];
    const fits = path.toLowerCase().includes(wanted);
    const supports = thing.kind === "cable" ? thing.cable.supports : [];
    const fitting = supports.filter((k) => fits || k.name.toLowerCase().includes(wanted));
    if (!fits && fitting.length === 0) return [];
    const selectedWithin = this.page.store.get("selection").some((k) => k.startsWith(`${path}/`));
    const open = supports.length === 0 ? null : this.opened.has(path) || selectedWithin || (wanted !== "" && !fits);
    const own: Row = { key: path, path, depth: 1, text: path, note: noteOf(thing), icon: bodyIcon(thing), open, group: null };
    if (open !== true) return [own];
    return [
      own,
      ...fitting.map((k): Row => ({
        key: k.path,
        path: k.path,
        depth: 2,
        text: k.name,
        note: k.kind,
        icon: k.name === "start" || k.name === "end" ? "end" : "clip",
        open: null,
        group: null,
      })),
    ];
  }

  // ---- one row -------------------------------------------------------------------------------------------------------

  private makeRow(first: Row): { element: HTMLElement; show(row: Row): void } {
    let row = first;
    const { page } = this;
    const twisty = icon("down", "twisty");
    const mark = icon(first.icon ?? "part", "mark");
    const text = h("span", { class: "row-name" });
    const note = h("span", { class: "row-note" });
    const flags = first.path === null || first.depth > 1 ? null : this.flags(first.path);
    const element = h(
      "div",
      { class: "row", role: "treeitem", test: first.path === null ? first.key : `row-${first.path}` },
      h("span", { class: "twisty-box" }, twisty),
      mark,
      text,
      note,
      flags?.element ?? null,
    );
    twisty.parentElement?.addEventListener("click", (event) => {
      event.stopPropagation();
      this.toggle(row);
    });
    element.addEventListener("click", (event) => (row.path === null ? this.headingClick(row, event) : this.click(row.path, event)));
    element.addEventListener("dblclick", () => (row.path === null ? row.group !== null && this.objects.renameGroup(row.group) : this.rename(row.path)));
    element.addEventListener("pointerenter", () => page.store.set("hovered", row.path));
    return {
      element,
      show: (now) => {
        row = now;
        element.style.setProperty("--depth", String(now.depth));
        setClass(element, "heading", now.path === null);
        mark.toggleAttribute("hidden", now.icon === null);
        if (now.icon !== null) setIcon(mark, now.icon);
        twisty.toggleAttribute("hidden", now.open === null);
        if (now.open !== null) {
          setIcon(twisty, now.open ? "down" : "right");
          element.setAttribute("aria-expanded", String(now.open));
        }
        this.showName(text, now);
        setText(note, now.note);
        const selected = now.path !== null && page.store.get("selection").includes(now.path);
        setClass(element, "selected", selected);
        element.setAttribute("aria-selected", String(selected));
        setClass(element, "hovered", now.path !== null && page.store.get("hovered") === now.path);
        const failing = now.path !== null && now.depth === 1 && (page.store.get("readouts")?.checks.some((k) => k.cable === now.path && !k.ok) ?? false);
        setClass(element, "failing", failing);
        element.title = now.path === null ? (
          now.group === null ? "" : "A group: double click renames it"
        ) : `${now.path}${failing ? ": a check fails" : ""}. Double click or F2 renames it`;
        setClass(element, "off", now.path !== null && (page.scene?.hidden.includes(now.path.split("/")[0]) ?? false));
        flags?.update();
      },
    };
  }

  private showName(text: HTMLElement, row: Row): void {
    if (this.renaming === null || this.renaming !== row.path) {
      if (text.firstElementChild === null) setText(text, row.text);
      return;
    }
    if (text.firstElementChild !== null) return;
    const path = row.path;
    const input = h("input", { type: "text", class: "rename", test: "rename", value: row.text, "aria-label": "new name", spellcheck: "false" });
    let done = false;
    const finish = (take: boolean): void => {
      if (done) return;
      done = true;
      this.renaming = null;
      const name = input.value.trim();
      setText(text, row.text);
      if (!take || name === "" || name === row.text) return;
      const renamed = path.includes("/") ? `${path.split("/")[0]}/${name}` : name;
      this.page.send({ kind: "Rename", path, name }).then(
        () => this.page.store.select([renamed]),
        (error: unknown) => this.page.store.say("error", message(error), path),
      );
      this.list.focus();
    };
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") finish(true);
      if (event.key === "Escape") finish(false);
    });
    for (const kind of ["click", "dblclick", "pointerdown"]) input.addEventListener(kind, (event) => event.stopPropagation());
    input.addEventListener("blur", () => finish(true));
    text.replaceChildren(input);
    input.focus();
    input.select();
  }

  private flags(path: string): Piece {
    const { page } = this;
    const flag = (key: "hidden" | "locked" | "transparent", on: IconName, off: IconName, titles: [string, string]): Piece => {
      const mark = icon(off);
      const element = h("button", { type: "button", class: "flag", test: `${key}-${path}`, tabindex: -1, onclick: (event: MouseEvent) => {
        event.stopPropagation();
        this.objects.flip(key, [path]);
      } });
      element.append(mark);
      return {
        element,
        update: () => {
          const is = page.scene?.[key].includes(path) ?? false;
          setIcon(mark, is ? on : off);
          setClass(element, "on", is);
          element.setAttribute("aria-pressed", String(is));
          element.title = titles[is ? 1 : 0];
          element.setAttribute("aria-label", `${titles[is ? 1 : 0]}: ${path}`);
        },
      };
    };
    const pieces = [
      flag("transparent", "glass", "glass", ["Make it transparent", "Make it solid again"]),
      flag("locked", "lock", "unlock", ["Lock it: it cannot be dragged", "Unlock it"]),
      flag("hidden", "eyeOff", "eye", ["Hide it (H)", "Show it (H)"]),
    ];
    return { element: h("span", { class: "flags" }, ...pieces.map((k) => k.element)), update: () => pieces.forEach((k) => k.update()) };
  }

  // ---- what a person does --------------------------------------------------------------------------------------------

  private toggle(row: Row): void {
    if (row.path === null) {
      if (!this.closed.delete(row.key)) this.closed.add(row.key);
    } else if (!this.opened.delete(row.path)) this.opened.add(row.path);
    this.page.ask(true);
  }

  private headingClick(row: Row, event: MouseEvent): void {
    if (row.group === null) return this.toggle(row);
    const paths = this.page.scene?.groups[row.group] ?? [];
    this.page.store.select(event.ctrlKey || event.metaKey ? [...new Set([...this.page.store.get("selection"), ...paths])] : paths);
  }

  private click(path: string, event: MouseEvent): void {
    const { store } = this.page;
    const now = store.get("selection");
    if (event.shiftKey && this.anchor !== null) {
      const visible = this.rows.flatMap((row) => (row.path === null ? [] : [row.path]));
      const [a, b] = [visible.indexOf(this.anchor), visible.indexOf(path)];
      if (a >= 0 && b >= 0) return store.select(visible.slice(Math.min(a, b), Math.max(a, b) + 1));
    }
    this.anchor = path;
    if (event.ctrlKey || event.metaKey) store.select(now.includes(path) ? now.filter((k) => k !== path) : [...now, path]);
    else store.select([path]);
  }

  private key(event: KeyboardEvent): void {
    const { store } = this.page;
    const visible = this.rows.filter((row) => row.path !== null);
    const last = store.get("selection").at(-1);
    const at = visible.findIndex((row) => row.path === last);
    const row = visible[at];
    const go = (to: number): void => {
      const path = visible[Math.max(0, Math.min(visible.length - 1, to))]?.path;
      if (path == null) return;
      if (!event.shiftKey) this.anchor = path;
      this.click(path, { shiftKey: event.shiftKey, ctrlKey: false, metaKey: false } as MouseEvent);
      this.list.querySelector(`[data-test="row-${CSS.escape(path)}"]`)?.scrollIntoView({ block: "nearest" });
    };
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at < 0 ? 0 : at - 1);
    else if (event.key === "ArrowRight" && row?.open === false) this.toggle(row);
    else if (event.key === "ArrowLeft" && row?.open === true) this.toggle(row);
    else if (event.key === "Enter") this.page.fit(store.get("selection"));
    else if (event.key === "ContextMenu") return;
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private context(event: MouseEvent): void {
    event.preventDefault();
    const test = (event.target as HTMLElement).closest<HTMLElement>("[data-test^='row-']")?.dataset.test;
    const path = test?.slice("row-".length);
    if (path === undefined) {
      const group = (event.target as HTMLElement).closest<HTMLElement>("[data-test^='group:']")?.dataset.test?.slice("group:".length);
      if (group !== undefined) showMenu({ x: event.clientX, y: event.clientY }, this.objects.groupEntries(group), "group-menu");
      return;
    }
    if (!this.page.store.get("selection").includes(path)) this.page.store.select([path]);
    showMenu({ x: event.clientX, y: event.clientY }, this.objects.entries(), "object-menu");
  }
}

function noteOf(thing: Thing): string {
  if (thing.kind === "cable") return cableNote(thing.cable);
  if (thing.kind === "part") return thing.part.motion === "fixed" ? "" : thing.part.motion;
  if (thing.kind === "rope") return `${thing.rope.path.length} links`;
  return thing.kind === "junction" ? thing.junction.motion : "";
}

function cableNote(cable: CableInfo): string {
  return cable.mode === "fixed" ? (cable.type ?? "").replace("library:", "") : cable.mode === "soft" ? "finds its length" : "feeds";
}
