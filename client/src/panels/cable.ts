// The properties of one cable.
import type { CableInfo } from "../messages";
import { loadsPart, stretchesPart } from "./along";
import { supportsPart } from "./clips";
import { h, setText, Slot, stack, type Piece } from "./elements";
import { action, checkField, part, quantityField, readout, vectorField } from "./fields";
import { knob } from "./knob";
import { lengthPart } from "./lengths";
import { limitsPart, makePart } from "./make";
import type { Page } from "./page";
import { parse } from "./quantities";
import { branchNear, twistBetween } from "./turns";

export function cablePanel(page: Page, name: string): Piece {
  return stack(
    "parts",
    readoutsPart(page, name),
    lengthPart(page, name),
    twistPart(page, name),
    makePart(page, name),
    restPart(page, name),
    limitsPart(page, name),
    supportsPart(page, name),
    loadsPart(page, name),
    stretchesPart(page, name),
    advancedPart(page, name),
  );
}

function readoutsPart(page: Page, name: string): Piece {
  const values = () => page.values(name);
  const failing = (rule: string): boolean => page.store.get("readouts")?.checks.some((k) => k.cable === name && k.rule.startsWith(rule) && !k.ok) ?? false;
  const look = (): void => {
    const at = values()?.bend_radius_at;
    const strand = page.store.get("frame")?.strands.get(name);
    if (at === undefined || strand === undefined) return;
    const point = Math.round(at * (strand.points - 1));
    page.store.select([name], { cable: name, at });
    page.lookAt(Array.from(strand.positions.subarray(3 * point, 3 * point + 3)) as [number, number, number]);
  };
  const radius = (): string => {
    const now = values();
    if (now === undefined) return "–";
    return now.bend_radius >= 1e3 ? "straight" : `${page.length(now.bend_radius)} at ${(100 * now.bend_radius_at).toFixed(0)} %`;
  };
  return part(
    "Read-outs",
    "part-readouts",
    readout("Length", "As it is now", "value-length", () => page.length(values()?.length)),
    readout("Smallest bend radius", "And where it is; click to look at it", "value-bend-radius", radius, { go: look, bad: () => failing("bend_radius") }),
    readout("Largest tension", "Along the cable", "value-tension", () => page.text("force", values()?.tension, 2), { bad: () => failing("tension") }),
    readout("Torsion", "By how much the section turns about the centre line, from start to end; not the turn of the end frame where the cable winds through space", "value-twist", () => page.text("angle", values()?.twist, 1), { bad: () => failing("twist") }),
    readout("Clearance", "To the nearest part", "value-clearance", () => {
      const now = values();
      return now?.clearance == null ? "–" : `${page.length(now.clearance)} to ${now.clearance_to}`;
    }, { bad: () => failing("clearance") }),
    readout("Weight", "Of the cable", "value-weight", () => page.text("force", values()?.weight, 2)),
    readout("Level", "Segments in each section of a kinematic cable; it gets finer when nothing moves", "value-level", () => {
      const level = values()?.level ?? 0;
      return level === 0 ? "–" : `${level} segments`;
    }),
    readout("Certificate", "How far the forces are from balance, relative to the largest: below 1e-6 is exact for all purposes", "value-residual", () => {
      const now = values();
      return now === undefined ? "–" : `${now.status.replace("_", " ")} · ${now.residual === null ? "–" : now.residual.toExponential(1)}`;
    }),
  );
}

/** The turn of the end relative to the clamp before it, rad; null where the end holds none. */
function twistOf(page: Page, cable: CableInfo): number | null {
  const supports = cable.supports.filter((k) => k.kind === "clamp" || k.kind === "joined");
  const end = supports.at(-1), before = supports.at(-2);
  if (end?.name !== "end" || end.kind !== "clamp" || before === undefined) return null;
  const [a, b] = [page.pose(before.path)?.quaternion ?? null, page.pose(end.path)?.quaternion ?? null];
  if (a === null || b === null) return null;
  const told = cable.fields.twist;
  const near = typeof told === "number" && page.store.get("dragging") === null ? told : (page.values(cable.name)?.twist ?? 0);
  return branchNear(twistBetween(a, b), near);
}

function twistPart(page: Page, name: string): Piece {
  const path = `${name}/end`;
  const value = (): number | null => {
    const cable = page.cable(name);
    return cable === undefined ? null : twistOf(page, cable);
  };
  const usable = (): boolean => page.support(path)?.kind === "clamp";
  const field = quantityField(page, {
    label: "Twist",
    kind: "angle",
    test: "cable-twist",
    title: "Turn of the end about its tangent, relative to the clamp before it; whole turns count",
    value,
    commit: (wanted) => {
      const angle = typeof wanted === "string" ? parse("angle", wanted, page.unit) : wanted;
      if (angle === null) throw new Error(`“${String(wanted)}” is no angle: write for example 90 deg, or 2 turns`);
      const now = value();
      if (now === null) throw new Error("the end does not hold a turn: make it a clamp first");
      return page.send({ kind: "Turn", path, by: angle - now });
    },
    readonly: () => !usable() || value() === null,
  });
  const turner = knob(page, { path, value, usable });
  const told = h("div", { class: "note" });
  return part("Twist", "part-twist", {
    element: h("div", { class: "twist" }, turner.element, h("div", { class: "rows" }, field.element, told)),
    update: () => {
      field.update();
      turner.update();
      const kind = page.support(path)?.kind;
      setText(told, kind === "clamp" ? "Turn the knob, or type." : `The end is ${kind ?? "free"}: it holds no turn.`);
    },
  });
}

const STRAIGHT: readonly number[] = [0, 0, 0];

/** The curvature without forces: one triple for the whole cable, or a moulded shape. */
function restPart(page: Page, name: string): Piece {
  const rest = (): { curvature?: unknown; points?: unknown[] } => (page.cable(name)?.fields.rest ?? {}) as { curvature?: unknown; points?: unknown[] };
  const plain = (): readonly number[] | null => {
    const { curvature, points } = rest();
    if (points !== undefined) return null;
    if (curvature === undefined) return STRAIGHT;
    return Array.isArray(curvature) && typeof curvature[0] === "number" ? (curvature as number[]) : null;
  };
  const component = (i: number, label: string, title: string, test: string): Piece =>
    quantityField(page, {
      label,
      kind: "curvature",
      test,
      title,
      value: () => plain()?.[i],
      commit: (value, more) => {
        const now = [...(plain() ?? STRAIGHT)] as (number | string)[];
        now[i] = value ?? 0;
        const straight = now.every((k) => k === 0);
        return page.edit(straight ? { [`${name}/rest`]: null } : { [`${name}/rest`]: { curvature: now } }, more);
      },
      slider: { range: (value) => [-Math.max(20, 2 * Math.abs(value)), Math.max(20, 2 * Math.abs(value))] },
    });
  const straighten = action(
    page,
    {
      text: "Make it straight",
      title: "The cable is then straight without forces",
      test: "rest-straight",
      class: "small",
      run: () => page.edit({ [`${name}/rest`]: null }),
    },
  );
  return part(
    "Rest shape",
    "part-rest",
    new Slot(() =>
      plain() === null
        ? {
          key: "moulded",
          build: () => stack(
            "rows",
            h("div", { class: "note" }, `Moulded: ${rest().points?.length ?? (rest().curvature as unknown[] | undefined)?.length ?? 0} points.`),
            straighten.element,
            straighten.trouble,
          ),
        }
        : {
            key: "curved",
            build: () =>
              stack(
                "rows",
                component(0, "Curvature 1", "Curvature without forces about the first axis of the section", "rest-1"),
                component(1, "Curvature 2", "Curvature without forces about the second axis of the section", "rest-2"),
                component(2, "Torsion", "Torsion without forces", "rest-3"),
              ),
          },
    ),
  );
}

function advancedPart(page: Page, name: string): Piece {
  const cable = (): CableInfo | undefined => page.cable(name);
  const stiffness = (key: string): (() => string) => () => page.text("stiffness", cable()?.stiffness[key]);
  return part(
    "Advanced",
    "advanced",
    quantityField(page, {
      label: "Points",
      kind: "count",
      test: "cable-points",
      title: "Points the cable is computed with; empty: chosen by itself",
      empty: "by itself",
      value: () => cable()?.points,
      commit: (value) => page.edit({ [`${name}/points`]: value }),
    }),
    checkField(
      page,
      {
        label: "Kinematic",
        test: "cable-kinematic",
        title: "A chain with joints that is near the true shape, as fine as the time allows; off: the true shape",
        value: () => cable()?.fields.model === "kinematic",
        commit: (value) => page.edit({ [`${name}/model`]: value ? "kinematic" : "rod" }),
      },
    ),
    checkField(
      page,
      {
        label: "Touches other things",
        test: "cable-collide",
        title: "Off: it touches no part, no other cable, and not itself",
        value: () => cable()?.fields.collide !== false,
        commit: (value) => page.edit({ [`${name}/collide`]: value }),
      },
    ),
    quantityField(
      page,
      {
        label: "Friction",
        kind: "number",
        test: "cable-friction",
        title: "With other cables and itself",
        value: () => Number(cable()?.fields.friction ?? 0),
        commit: (value) => page.edit({ [`${name}/friction`]: value }),
      },
    ),
    readout("Bending, axis 1", "What the make amounts to", "stiffness-1", stiffness("bending about d1")),
    readout("Bending, axis 2", "What the make amounts to", "stiffness-2", stiffness("bending about d2")),
    readout("Torsion", "What the make amounts to", "stiffness-3", stiffness("torsion")),
    readout("Mass per length", "What the make amounts to", "mass-per-length", () => page.text("mass per length", cable()?.stiffness.mass_per_length)),
  );
}

/** Gravity and title, when nothing is selected. */
export function scenePart(page: Page): Piece {
  return part(
    "World",
    "part-world",
    vectorField(
      page,
      {
        label: "Gravity m/s²",
        kind: "number",
        test: "gravity",
        title: "Of the world, m/s²; z is up",
        value: () => page.scene?.gravity ?? null,
        commit: (gravity) => page.edit({ gravity }),
      },
    ),
  );
}
