// Named positions of the joints: a click goes there; the present one can be kept.
import type { PositionInfo } from "../messages";
import { ask } from "../dialogs/dialog";
import { button, showMenu } from "./buttons";
import { h, Keyed, setClass, setHidden, setTitle, type Piece } from "./elements";
import { valuesOf } from "./joints";
import type { Page } from "./page";

const SAME = 1e-9; // rad or m

export function positionList(page: Page): Piece {
  const host = h("span", { class: "position-chips", test: "positions" });
  const rows = new Keyed<PositionInfo>(host, (first) => chip(page, first));
  const keep = button({
    icon: "plus",
    text: "Keep position",
    title: "Keeps the present setting of the joints under a name; it is saved with the scene",
    test: "position-keep",
    class: "small",
    run: () => void keepPosition(page),
  });
  const element = h("div", { class: "position-list" }, host, keep);
  return {
    element,
    update: () => {
      rows.show(page.scene?.positions ?? [], (k) => k.name);
      setHidden(element, (page.scene?.joints ?? []).every((k) => k.kind === "fixed"));
    },
  };
}

async function keepPosition(page: Page): Promise<void> {
  const taken = new Set((page.scene?.positions ?? []).map((k) => k.name));
  let number = 1;
  while (taken.has(`position ${number}`)) number += 1;
  await ask({
    title: "Keep this position",
    label: "Name",
    value: `position ${number}`,
    note: "Keeps where the joints stand now. A name that is there already is replaced.",
    test: "position-name",
    action: "Keep",
    accept: (name) => page.send({ kind: "KeepPosition", name }),
  });
}

function chip(page: Page, first: PositionInfo): { element: HTMLElement; show(position: PositionInfo): void } {
  const { name } = first;
  const go = h("button", { type: "button", class: "chip position", test: `position-${name}`, onclick: () => page.do({ kind: "GoToPosition", name }) }, name);
  const more = button({
    icon: "more",
    title: `Rename, replace or delete ${name}`,
    test: `position-${name}-more`,
    class: "quiet",
    run: () => showMenu(
      more,
      [
        { text: "Rename…", test: "position-rename", run: () => void rename(page, name) },
        {
          text: "Replace with the present setting",
          test: "position-replace",
          run: () => page.do({ kind: "KeepPosition", name }),
        },
        { text: "Delete", icon: "trash", test: "position-delete", run: () => page.do({ kind: "RemovePosition", name }) },
      ],
      "position-entries",
    ),
  });
  return {
    element: h("span", { class: "position-chip" }, go, more),
    show: (position) => {
      const here = Object.entries(position.joints).every(([joint, values]) => {
        const now = valuesOf(page, joint);
        return now !== null && values.every((k, i) => Math.abs(k - now[i]) < SAME);
      });
      setClass(go, "on", here);
      go.setAttribute("aria-pressed", String(here));
      setTitle(go, `Go to ${name}: ${settingText(page, position.joints)}`);
    },
  };
}

/** "steering 20.0°, travel 30 mm" */
export function settingText(page: Page, joints: { [name: string]: number[] }): string {
  const kinds = new Map(page.scene?.joints.map((k) => [k.name, k.kind]));
  return Object.entries(joints).map(([name, values]) => {
    const kind = kinds.get(name) === "slide" ? "length" : "angle";
    return `${name} ${values.map((k) => page.text(kind, k)).join(", ")}`;
  }).join(", ");
}

async function rename(page: Page, name: string): Promise<void> {
  await ask({
    title: "Rename position",
    label: "Name",
    value: name,
    test: "position-name",
    action: "Rename",
    accept: (to) => page.send({ kind: "RenamePosition", name, to }),
  });
}
