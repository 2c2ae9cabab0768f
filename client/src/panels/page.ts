// What every panel is given: the store, the line to the session, and the beat at which panels are brought up to date.
import { Stopped, type Connection } from "../connection";
import type { CableInfo, CableValues, Command, JunctionInfo, PartInfo, RopeInfo, SceneEvent, Support, View } from "../messages";
import type { Store, Unit, Vec3 } from "../store";
import { length } from "../units";
import type { Kind } from "./quantities";
import { quantityText } from "./quantities";

const BEAT = 1000 / 12; // ms: read-outs come about so often, and nobody reads faster
const PATIENCE = 350; // ms before it is said that something takes long
const NEAR = 0.25; // m: how large a piece of the world is shown around a place that is looked at
export type Quaternion = [number, number, number, number];

export type Thing =
  | { kind: "cable"; path: string; cable: CableInfo }
  | { kind: "support"; path: string; cable: CableInfo; support: Support }
  | { kind: "part"; path: string; part: PartInfo }
  | { kind: "junction"; path: string; junction: JunctionInfo }
  | { kind: "rope"; path: string; rope: RopeInfo };

export class Page {
  private updates = new Set<() => void>();
  private asked: "no" | "later" | "soon" = "no";
  private last = 0;
  private pending = new Set<number>(); // when commands were sent that have no answer yet

  constructor(
    readonly store: Store,
    readonly connection: Connection,
  ) {
    for (const key of ["frame", "readouts", "sweeps"] as const) store.on(key, () => this.ask());
    for (const key of ["machine", "scene", "selection", "selectedPlace", "hovered", "connection", "status", "options", "tool", "said", "hint", "dragging"] as const)
      store.on(key, () => this.ask(true));
  }

  /** Calls `update` on every beat on which something may have changed, and once now. */
  onBeat(update: () => void): void {
    this.updates.add(update);
    update();
  }

  /** Brings the panels up to date: with the next picture where a person did something, else at the beat. */
  ask(soon = false): void {
    if (this.asked === "soon" || (this.asked === "later" && !soon)) return;
    const wait = soon ? 0 : Math.max(0, this.last + BEAT - performance.now());
    this.asked = soon ? "soon" : "later";
    if (wait > 0) setTimeout(() => requestAnimationFrame(() => this.beat()), wait);
    else requestAnimationFrame(() => this.beat());
  }

  private beat(): void {
    if (this.asked === "no") return;
    this.asked = "no";
    this.last = performance.now();
    for (const update of this.updates) update();
  }

  get scene(): SceneEvent | null {
    return this.store.get("scene");
  }

  get unit(): Unit {
    return this.store.get("scene")?.unit ?? "mm";
  }

  /** A quantity as it is shown. */
  text(kind: Kind, value: number | null | undefined, digits?: number): string {
    return quantityText(kind, value, this.unit, digits);
  }

  /** A length that is read, with as many digits as its unit deserves. */
  length(metres: number | null | undefined): string {
    return length(metres ?? NaN, this.unit);
  }

  /** Sends a command; a refusal is shown to the person. */
  do(command: Command): void {
    this.send(command).catch((error: unknown) => this.store.say(error instanceof Stopped ? "info" : "error", message(error)));
  }

  /** Sends a command; the promise is its answer, or fails with what the session says. */
  async send(command: Command): Promise<unknown> {
    const began = performance.now();
    this.pending.add(began);
    document.body.dataset.busy = String(this.pending.size);
    setTimeout(() => this.ask(), PATIENCE);
    try {
      return await this.connection.send(command);
    } finally {
      this.pending.delete(began);
      document.body.dataset.busy = String(this.pending.size);
      this.ask(true);
    }
  }

  /** How long the oldest command without an answer has been waiting, s; 0 where that is not worth a word. */
  get waiting(): number {
    const oldest = Math.min(...this.pending);
    const wait = performance.now() - oldest;
    return wait > PATIENCE ? wait / 1000 : 0;
  }

  /** Changes fields of the scene; `more` of the same slide of a slider is one step of undo with what came before. */
  edit(values: { [path: string]: unknown }, more = false): Promise<unknown> {
    return this.send({ kind: "Edit", values, more });
  }

  cable(name: string): CableInfo | undefined {
    return this.scene?.cables.find((cable) => cable.name === name);
  }

  part(name: string): PartInfo | undefined {
    return this.scene?.parts.find((part) => part.name === name);
  }

  junction(name: string): JunctionInfo | undefined {
    return this.scene?.junctions.find((junction) => junction.name === name);
  }

  rope(name: string): RopeInfo | undefined {
    return this.scene?.machine?.ropes.find((rope) => rope.name === name);
  }

  support(path: string): Support | undefined {
    return this.cable(cableOf(path))?.supports.find((support) => support.path === path);
  }

  values(name: string): CableValues | undefined {
    return this.store.get("readouts")?.cables.find((values) => values.name === name);
  }

  /** What a path means; none where it is gone. */
  thing(path: string): Thing | null {
    const cable = this.cable(cableOf(path));
    const support = cable?.supports.find((k) => k.path === path);
    if (cable !== undefined && support !== undefined && path.includes("/")) return { kind: "support", path, cable, support };
    if (cable !== undefined) return { kind: "cable", path: cable.name, cable };
    const part = this.part(path);
    if (part !== undefined) return { kind: "part", path, part };
    const junction = this.junction(path);
    if (junction !== undefined) return { kind: "junction", path, junction };
    const rope = this.rope(path);
    return rope === undefined ? null : { kind: "rope", path, rope };
  }

  /** What is selected and still there. */
  get selected(): Thing[] {
    return this.store.get("selection").map((path) => this.thing(path)).filter((thing) => thing !== null);
  }

  /** The cable whose curves and read-outs are shown: the one selected last, else the first. */
  get current(): CableInfo | null {
    const cables = this.selected.flatMap((thing) => ("cable" in thing ? [thing.cable] : []));
    return cables.at(-1) ?? this.scene?.cables[0] ?? null;
  }

  /** Where a thing is now: of the latest frame, else of the scene. */
  pose(path: string): { position: Vec3; quaternion: Quaternion | null } | null {
    const body = this.store.get("frame")?.bodies.get(path);
    if (body !== undefined) return { position: body.position, quaternion: body.quaternion ?? null };
    const thing = this.thing(path);
    if (thing === null || thing.kind === "cable" || thing.kind === "rope") return null;
    const at = thing.kind === "support" ? thing.support : thing.kind === "part" ? thing.part : thing.junction;
    return { position: at.position, quaternion: at.quaternion ?? null };
  }

  /** Turns the eye to a place, as near as makes it plain to see. */
  lookAt(point: Vec3): void {
    const viewport = this.store.get("viewport");
    if (viewport === null) return;
    const view: View = viewport.current("");
    const back = view.eye.map((value, i) => value - view.target[i]);
    const distance = Math.hypot(...back) || 1;
    const nearer = Math.min(1, NEAR / Math.max(view.height, 1e-6));
    const eye = point.map((value, i) => value + back[i] * nearer * (distance > 0 ? 1 : 0)) as Vec3;
    viewport.goTo({ ...view, eye, target: [...point], height: view.height * nearer });
  }

  fit(paths?: readonly string[]): void {
    this.store.get("viewport")?.fit(paths);
  }
}

export function cableOf(path: string): string {
  return path.split("/")[0];
}

export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
