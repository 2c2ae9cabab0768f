// What can be done with cables, parts and junctions: from the tree, its menus, and by keys.
import type { Arrange } from "../messages";
import { ask } from "../dialogs/dialog";
import { addPartFromFile } from "../dialogs/mesh";
import { addShape } from "../dialogs/shape";
import type { Entries } from "./buttons";
import { message, type Page } from "./page";

export class Objects {
  constructor(
    private readonly page: Page,
    readonly rename: (path: string) => void, // in place, in the tree
  ) {}

  /** What can be done with what is selected. */
  entries(): Entries {
    const { page } = this;
    const paths = page.store.get("selection");
    const tops = [...new Set(paths.map((k) => k.split("/")[0]))];
    const one = paths.length === 1 ? page.thing(paths[0]) : null;
    const scene = page.scene;
    return [
      { text: "Show it whole", icon: "fit", keys: "F", test: "do-fit", run: () => page.fit(paths) },
      { text: "Rename", keys: "F2", test: "do-rename", disabled: one === null, run: () => this.rename(paths[0]) },
      {
        text: "Duplicate",
        icon: "copy",
        keys: "Ctrl D",
        test: "do-duplicate",
        disabled: one === null || (one.kind !== "cable" && one.kind !== "part"),
        run: () => this.duplicate(),
      },
      "line",
      { text: scene?.hidden.includes(tops[0]) === true ? "Show" : "Hide", icon: "eye", keys: "H", test: "do-hide", run: () => this.flip("hidden", tops) },
      { text: "Isolate", icon: "isolate", keys: "I", test: "do-isolate", title: "Hides everything else", run: () => this.isolate() },
      { text: "Show all", test: "do-show-all", disabled: scene?.hidden.length === 0, run: () => this.arrange({ hidden: [] }) },
      { text: scene?.locked.includes(tops[0]) === true ? "Unlock" : "Lock", icon: "lock", test: "do-lock", run: () => this.flip("locked", tops) },
      {
        text: scene?.transparent.includes(tops[0]) === true ? "Solid" : "Transparent",
        icon: "glass",
        keys: "T",
        test: "do-transparent",
        run: () => this.flip("transparent", tops),
      },
      "line",
      { text: "Group…", icon: "group", keys: "Ctrl G", test: "do-group", run: () => void this.groupSelected() },
      {
        text: "Out of its group",
        test: "do-ungroup",
        disabled: !Object.values(scene?.groups ?? {}).some((k) => k.some((path) => tops.includes(path))),
        run: () => this.regroup(tops, null),
      },
      "line",
      { text: "Delete", icon: "trash", keys: "Del", test: "do-delete", run: () => this.remove() },
    ];
  }

  groupEntries(group: string): Entries {
    const paths = this.page.scene?.groups[group] ?? [];
    return [
      { text: "Select all of it", run: () => this.page.store.select(paths), test: "group-select" },
      { text: "Rename…", run: () => this.renameGroup(group), test: "group-rename" },
      { text: "Hide or show", run: () => this.flip("hidden", paths), test: "group-hide" },
      {
        text: "Dissolve",
        title: "Its things stay",
        run: () => this.arrange({ groups: Object.fromEntries(Object.entries(this.page.scene?.groups ?? {}).filter(([k]) => k !== group)) }),
        test: "group-dissolve",
      },
    ];
  }

  addEntries(): Entries {
    const { page } = this;
    return [
      {
        text: "Cable",
        icon: "cable",
        keys: "N",
        test: "add-cable",
        title: "Two clicks in the view: where it begins and where it ends",
        run: () => page.store.set("tool", "cable"),
      },
      { text: "Part from a file…", icon: "part", test: "add-part", title: "STL, OBJ, PLY or GLB", run: () => addPartFromFile(page) },
      { text: "Box, cylinder, sphere, floor…", icon: "part", test: "add-shape", run: () => addShape(page) },
      "line",
      { text: "Group of what is selected…", icon: "group", test: "add-group", disabled: page.selected.length === 0, run: () => void this.groupSelected() },
    ];
  }

  arrange(change: Omit<Arrange, "kind">): void {
    this.page.do({ kind: "Arrange", ...change });
  }

  /** Turns a mark on for all, or off where the first has it. */
  flip(key: "hidden" | "locked" | "transparent", paths: readonly string[]): void {
    const now = this.page.scene?.[key] ?? [];
    const on = !now.includes(paths[0]);
    this.arrange({ [key]: on ? [...new Set([...now, ...paths])] : now.filter((k) => !paths.includes(k)) });
  }

  isolate(): void {
    const { scene } = this.page;
    const shown = new Set(this.page.store.get("selection").map((k) => k.split("/")[0]));
    if (scene === null || shown.size === 0) return;
    const all = [...scene.cables, ...scene.parts, ...scene.junctions].map((k) => k.name);
    const others = all.filter((k) => !shown.has(k));
    const isolated = others.length > 0 && others.every((k) => scene.hidden.includes(k)) && ![...shown].some((k) => scene.hidden.includes(k));
    this.arrange({ hidden: isolated ? [] : others });
  }

  remove(): void {
    const paths = this.page.store.get("selection").filter((path) => {
      const thing = this.page.thing(path);
      return thing !== null && !(thing.kind === "support" && (thing.support.name === "start" || thing.support.name === "end"));
    });
    if (paths.length === 0) {
      this.page.store.say("info", "The ends of a cable stay with it: make an end free in its properties, or delete the cable.");
      return;
    }
    this.page.send({ kind: "Remove", paths: [...paths] }).then(
      () => this.page.store.select([]),
      (error: unknown) => this.page.store.say("error", message(error), paths[0]),
    );
  }

  duplicate(): void {
    const thing = this.page.selected.at(-1);
    if (thing?.kind !== "cable" && thing?.kind !== "part") {
      this.page.store.say("info", "Select a cable or a part to duplicate it.");
      return;
    }
    this.page.send({ kind: "Duplicate", path: thing.path }).then(
      (name) => this.page.store.select([String(name)]),
      (error: unknown) => this.page.store.say("error", message(error), thing.path),
    );
  }

  async groupSelected(): Promise<void> {
    const tops = [...new Set(this.page.store.get("selection").map((k) => k.split("/")[0]))];
    if (tops.length === 0) return this.page.store.say("info", "Select what is to be in the group first.");
    const name = await ask({ title: "Group", label: "Name", value: "Group", test: "group-name", action: "Group" });
    if (name !== null) this.regroup(tops, name);
  }

  renameGroup(group: string): void {
    void ask({ title: "Rename group", label: "Name", value: group, test: "group-name", action: "Rename" }).then((name) => {
      if (name === null || name === group) return;
      this.arrange({ groups: Object.fromEntries(Object.entries(this.page.scene?.groups ?? {}).map(([k, paths]) => [k === group ? name : k, paths])) });
    });
  }

  /** Into a group, out of all others; empty groups go. */
  private regroup(paths: readonly string[], group: string | null): void {
    const groups: { [name: string]: string[] } = {};
    for (const [name, its] of Object.entries(this.page.scene?.groups ?? {})) groups[name] = its.filter((k) => !paths.includes(k));
    if (group !== null) groups[group] = [...(groups[group] ?? []), ...paths];
    this.arrange({ groups: Object.fromEntries(Object.entries(groups).filter(([, its]) => its.length > 0)) });
  }
}
