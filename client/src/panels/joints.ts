// Joint sliders: drag, or type a value with its unit. Cables follow live; where they cannot, the joint stops there.
import type { JointInfo } from "../messages";
import type { Player } from "../player";
import { h, Keyed, setText, setTitle, type Piece } from "./elements";
import { Trouble, typedInput } from "./inputs";
import type { Page } from "./page";
import { unitOf, wire, type Kind } from "./quantities";

const STEPS = 2000;
const AXES = ["x", "y", "z"];

/** One number of a joint: a ball joint has three. */
interface Degree {
  joint: JointInfo;
  index: number;
  text: string;
}

export function jointList(page: Page, player: Player): Piece {
  const host = h("div", { class: "joint-list", test: "joints" });
  const rows = new Keyed<Degree>(host, (first) => row(page, player, first));
  return {
    element: host,
    update: () => {
      const moving = (page.scene?.joints ?? []).filter((k) => k.kind !== "fixed");
      rows.show(moving.flatMap(degrees), (k) => `${k.joint.name}|${k.joint.kind}|${k.index}`);
    },
  };
}

function degrees(joint: JointInfo): Degree[] {
  if (joint.kind !== "ball") return [{ joint, index: 0, text: joint.name }];
  return AXES.map((axis, index) => ({ joint, index, text: `${joint.name} ${axis}` }));
}

/** Where a joint stands now. */
export function valuesOf(page: Page, name: string): number[] | null {
  return page.store.get("frame")?.joints[name] ?? null;
}

/** Ends of a slider: those of the joint, of a joint without a range a turn, or a cable's length, to both sides. */
function ends(page: Page, { low, high, kind }: JointInfo): [number, number] {
  if (kind === "ball") return [-(high ?? Math.PI), high ?? Math.PI];
  const free = kind === "slide" ? Math.max(0.1, ...(page.scene?.cables ?? []).map((k) => k.length)) : 2 * Math.PI;
  return [low ?? -free, high ?? free];
}

function row(page: Page, player: Player, first: Degree): { element: HTMLElement; show(degree: Degree): void } {
  let degree = first;
  const { name, kind: joint } = first.joint;
  const kind: Kind = joint === "slide" ? "length" : "angle";
  const test = joint === "ball" ? `joint-${name}-${AXES[first.index]}` : `joint-${name}`;
  const trouble = new Trouble(page, test);
  const label = h("span", { class: "label" }, first.text);
  const [low, high] = [h("span", { class: "range-end" }), h("span", { class: "range-end" })];
  const unit = h("span", { class: "unit" });
  const slider = h("input", { type: "range", class: "slider", min: 0, max: STEPS, step: 1, test: `${test}-slider`, "aria-label": first.text });
  const now = (): number | null => valuesOf(page, name)?.[first.index] ?? null;
  const setting = (value: number | string): number | string | (number | string)[] => {
    if (joint !== "ball") return value;
    const all: (number | string)[] = [...(valuesOf(page, name) ?? [0, 0, 0])];
    all[first.index] = value;
    return all;
  };
  const typed = typedInput(page, {
    kind,
    test,
    title: "Type a value, with or without a unit",
    label: first.text,
    value: now,
    commit: (text) => trouble.watch(() => page.send({ kind: "SetJoints", joints: { [name]: setting(wire(kind, text, page.unit)) } })),
  });
  let held = false;
  slider.addEventListener("input", () => {
    held = true;
    player.playing = false;
    trouble.say("");
    const [from, to] = ends(page, degree.joint);
    player.leader.to({ kind: "Steer", joints: { [name]: setting(from + (Number(slider.value) / STEPS) * (to - from)) } });
  });
  const release = (how: "Drop" | "Cancel"): void => {
    if (!held) return;
    held = false;
    player.leader.end(how);
    page.ask(true);
  };
  for (const event of ["change", "pointerup"]) slider.addEventListener(event, () => release("Drop"));
  slider.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !held) return;
    release("Cancel");
    event.stopPropagation();
  });
  const element = h("div", { class: "joint-row" }, label, low, slider, high, h("span", { class: "typed" }, typed.input, unit), trouble.element);
  return {
    element,
    show: (given) => {
      degree = given;
      const [from, to] = ends(page, given.joint);
      const said = [from, to].map((k) => page.text(kind, k, kind === "angle" ? 0 : undefined));
      const bounded = given.joint.low !== null;
      setText(low, bounded || joint === "ball" ? said[0] : "");
      setText(high, bounded || joint === "ball" ? said[1] : "");
      setTitle(label, `${given.text}: ${given.joint.kind} of ${given.joint.part}${bounded ? `, from ${said[0]} to ${said[1]}` : ", without a range"}`);
      setTitle(slider, `Drag to move ${given.joint.part}; the cables follow. Esc while dragging: back`);
      setText(unit, unitOf(kind, page.unit));
      typed.update();
      const value = now();
      if (held || value === null) return;
      const text = String(Math.round((STEPS * (value - from)) / (to - from)));
      if (slider.value !== text) slider.value = text;
      slider.setAttribute("aria-valuetext", page.text(kind, value));
    },
  };
}
