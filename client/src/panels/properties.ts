// The right side: the properties of what is selected.
import { button } from "./buttons";
import { bodyIcon } from "./tree";
import { junctionPanel, partPanel } from "./body";
import { cablePanel, scenePart } from "./cable";
import { supportPanel } from "./clips";
import { h, setHidden, setText, Slot, stack, type Piece } from "./elements";
import { textField } from "./fields";
import type { Page, Thing } from "./page";
import { ropePanel } from "./rope";
import { severalPanel } from "./several";
import { typesPart } from "./types";
import { setIcon, icon } from "./icons";

export function propertiesPanel(page: Page): Piece {
  const mark = icon("cable");
  const title = h("h2", { test: "properties-title" });
  const look = button({ icon: "fit", title: "Show it whole (F)", test: "properties-fit", class: "quiet", run: () => page.fit(page.store.get("selection")) });
  const head = h("div", { class: "panel-head" }, mark, title, h("span", { class: "push" }), look);
  const body = new Slot(() => choose(page), "panel-body");
  return {
    element: h("aside", { class: "panel properties", test: "properties", "aria-label": "properties" }, head, body.element),
    update: () => {
      const things = page.selected;
      setText(title, things.length === 0 ? "Scene" : things.length === 1 ? things[0].path : `${things.length} selected`);
      setIcon(mark, things.length === 1 ? bodyIcon(things[0]) : things.length === 0 ? "view" : "group");
      setHidden(look, things.length === 0);
      body.update();
    },
  };
}

function choose(page: Page): { key: string; build: () => Piece } | null {
  if (page.scene === null) return {
    key: "loading",
    build: () => ({ element: h("div", { class: "empty" }, "The scene is being opened…"), update: () => undefined }),
  };
  const things = page.selected;
  if (things.length === 0) return { key: "scene", build: () => sceneSummary(page) };
  if (things.length > 1) return { key: `several:${things.map((k) => `${k.kind} ${k.path}`).join("|")}`, build: () => severalPanel(page) };
  return { key: keyOf(things[0]), build: () => one(page, things[0]) };
}

/** A panel is built anew where other fields are needed, not when a value changes. */
function keyOf(thing: Thing): string {
  if (thing.kind === "support") return `support:${thing.path}:${thing.support.kind}`;
  if (thing.kind === "part") return `part:${thing.path}:${JSON.stringify(Object.keys((thing.part.fields.shape as object | undefined) ?? {}))}`;
  return `${thing.kind}:${thing.path}`;
}

function one(page: Page, thing: Thing): Piece {
  switch (thing.kind) {
    case "cable":
      return cablePanel(page, thing.path);
    case "support":
      return supportPanel(page, thing.path);
    case "part":
      return partPanel(page, thing.path);
    case "junction":
      return junctionPanel(page, thing.path);
    case "rope":
      return ropePanel(page, thing.path);
  }
}

function sceneSummary(page: Page): Piece {
  const counts = h("div", { class: "note", test: "scene-counts" });
  const title = textField(
    page,
    { label: "Title", test: "scene-title", title: "Of the scene", value: () => page.scene?.title ?? "", commit: (value) => page.edit({ title: value }) },
  );
  return stack("parts", title, scenePart(page), typesPart(page), {
    element: counts,
    update: () => {
      const scene = page.scene;
      const many = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;
      setText(
        counts,
        scene === null
          ? ""
          : `${many(scene.cables.length, "cable")}, ${many(scene.parts.length, "part")}, ${many(scene.junctions.length, "junction")}` +
              `${scene.machine === null ? "" : `, ${many(scene.machine.ropes.length, "rope")}, ${many(scene.machine.joints.length, "joint")} of a machine`}. ` +
              "Select something to see its properties.",
      );
    },
  });
}
