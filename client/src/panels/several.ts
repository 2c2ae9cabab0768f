// What can be changed for several things at once: every change is one step of undo.
import type { Command } from "../messages";
import { h, stack, type Piece } from "./elements";
import { selectField } from "./choices";
import { action, part, quantityField } from "./fields";
import { typeChoices } from "./make";
import type { Page, Thing } from "./page";
import { KINDS } from "./clips";

export function severalPanel(page: Page): Piece {
  const things = (): Thing[] => page.selected;
  const kinds = new Set(things().map((k) => k.kind));
  const all = (field: string, value: unknown): Promise<unknown> => page.edit(Object.fromEntries(things().map((k) => [`${k.path}/${field}`, value])));
  const pieces: (Piece | HTMLElement)[] = [];
  if (kinds.size === 1 && kinds.has("cable")) pieces.push(...cableFields(page, all));
  if (kinds.size === 1 && kinds.has("part")) pieces.push(...partFields(page, things, all));
  if (kinds.size === 1 && kinds.has("support")) pieces.push(...supportFields(page, things));
  if (kinds.size > 1) pieces.push(h("div", { class: "note" }, "Things of different kinds: move them as one in the view; hide, lock, group or delete them in the tree."));
  return stack(
    "parts",
    part(`${things().length} selected`, "part-several", h("div", { class: "note", test: "several-names" }, things().map((k) => k.path).join(", ")), ...pieces),
  );
}

/** What is checked now, with another bend radius: limits on a cable stand for those of its type. */
function limitsWith(limits: { [rule: string]: unknown }, radius: number | string | null): { [rule: string]: unknown } {
  const { bend_radius: _, ...others } = limits;
  return radius === null ? others : { ...others, bend_radius: radius };
}

/** The value all have; none where they differ. */
function common<T>(values: T[]): T | undefined {
  return values.every((k) => k === values[0]) ? values[0] : undefined;
}

function cableFields(page: Page, all: (field: string, value: unknown) => Promise<unknown>): Piece[] {
  const cables = () => page.selected.flatMap((k) => (k.kind === "cable" ? [k.cable] : []));
  return [
    selectField(page, {
      label: "Type",
      test: "several-type",
      title: "For all of them",
      choices: () => [...(common(cables().map((k) => k.type)) === undefined ? [{ value: "", text: "different" }] : []), ...typeChoices(page)],
      value: () => common(cables().map((k) => k.type)) ?? "",
      commit: (value) => all("type", value),
    }),
    quantityField(
      page,
      {
        label: "Length",
        kind: "length",
        test: "several-length",
        title: "For all of them",
        empty: "different",
        value: () => common(cables().map((k) => k.length)),
        commit: (value) => (value === null ? Promise.resolve() : all("length", value)),
      },
    ),
    quantityField(
      page,
      {
        label: "Bend radius ≥",
        kind: "length",
        test: "several-bend-radius",
        title: "Limit for all of them, on the cables themselves",
        empty: "different",
        value: () => common(cables().map((k) => k.limits.bend_radius as number | undefined)),
        commit: (value) => page.edit(Object.fromEntries(cables().map((k) => [`${k.name}/limits`, limitsWith(k.limits, value)]))),
      },
    ),
    quantityField(
      page,
      {
        label: "Points",
        kind: "count",
        test: "several-points",
        title: "Points they are computed with",
        empty: "different",
        value: () => common(cables().map((k) => k.points)),
        commit: (value) => all("points", value),
      },
    ),
  ];
}

function partFields(page: Page, things: () => Thing[], all: (field: string, value: unknown) => Promise<unknown>): Piece[] {
  const parts = () => things().flatMap((k) => (k.kind === "part" ? [k.part] : []));
  return [
    selectField(page, {
      label: "Motion",
      test: "several-motion",
      title: "For all of them",
      choices: () => [
        ...(common(parts().map((k) => k.motion)) === undefined ? [{ value: "", text: "different" }] : []),
        ...["fixed", "held", "driven"].map((k) => ({ value: k, text: k })),
      ],
      value: () => common(parts().map((k) => k.motion)) ?? "",
      commit: (value) => all("motion", value),
    }),
    quantityField(
      page,
      {
        label: "Friction",
        kind: "number",
        test: "several-friction",
        title: "For all of them",
        empty: "different",
        value: () => common(parts().map((k) => Number(k.fields.friction ?? 0))),
        commit: (value) => all("friction", value),
      },
    ),
  ];
}

function supportFields(page: Page, things: () => Thing[]): (Piece | HTMLElement)[] {
  const supports = () => things().flatMap((k) => (k.kind === "support" ? [k.support] : []));
  const pieces: (Piece | HTMLElement)[] = [];
  const clips = supports().every((k) => k.name !== "start" && k.name !== "end");
  if (clips)
    pieces.push(
      selectField(page, {
        label: "Kind",
        test: "several-kind",
        title: "For all of them; kinds that hold more than they do now are refused",
        choices: () => [...(common(supports().map((k) => k.kind)) === undefined ? [{ value: "", text: "different" }] : []), ...KINDS],
        value: () => common(supports().map((k) => k.kind)) ?? "",
        commit: (value) => page.edit(Object.fromEntries(supports().map((k) => [`${k.path}.kind`, value]))),
      }),
    );
  const ends = supports().filter((k) => (k.name === "start" || k.name === "end") && k.kind !== "joined");
  if (ends.length >= 2 && ends.length === supports().length) {
    const join: Command = { kind: "Join", ends: ends.map((k) => k.path) };
    const button = action(
      page,
      {
        text: "Join these ends",
        title: "Into a junction, in the pose they have",
        test: "join",
        run: () => page.send(join).then((name) => page.store.select([String(name)])),
      },
    );
    pieces.push(h("div", { class: "row-of" }, button.element), button.trouble);
  }
  return pieces;
}
