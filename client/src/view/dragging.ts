// Taking hold of something and moving it: in the plane of the view, along an axis, or to what it snaps to.
//
// The page only says where the pointer wants the thing; where it is comes back with the next frame, and when it cannot
// follow, the frame says why.
import { Quaternion, Vector3 } from "three";
import type { Drop } from "../messages";
import type { Axis, Gesture, Pointer } from "../pointer";
import { length } from "../units";
import { unitOf, type Bench } from "./bench";
import { nearest, onPlane } from "./lines";
import type { Snap } from "./snapping";

export const AXES: { [axis in Axis]: Vector3 } = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };

/** What is taken hold of. */
export interface Held {
  path: string;
  at: number | null; // for a cable itself
  position: Vector3; // of the thing
  quaternion: Quaternion | null;
  touched: Vector3; // where the pointer is on it
  mate: Quaternion | null; // what comes into the orientation of a frame that it snaps to: an end's, or that of a frame on a part
  others: readonly string[]; // that move along as one
  moving: ReadonlySet<string>; // parts that move along: not snapped to
}

/** Takes hold, and lets go in the end; how the pointer moves the thing is up to whoever uses it. */
export class Grip {
  private over = false;

  constructor(
    private readonly bench: Bench,
    readonly held: Held,
  ) {
    const { connection, store } = bench;
    store.set("dragging", held.path);
    const grab = held.at === null ? { path: held.path, touched: held.touched.toArray() } : { path: held.path, at: held.at };
    connection.send({ kind: "Grab", ...grab, others: [...held.others] }).catch((error: Error) => {
      store.say("warning", error.message, held.path);
      if (!this.over) this.finish();
    });
  }

  get lost(): boolean {
    return this.over;
  }

  to(position: Vector3, quaternion: Quaternion | null): void {
    if (!this.over) this.bench.connection.dragTo(position.toArray(), quaternion === null ? null : [quaternion.w, quaternion.x, quaternion.y, quaternion.z]);
  }

  drop(keep: Drop["keep"] = null): void {
    if (this.over) return;
    this.bench.connection.flushDrag();
    this.bench.connection.do({ kind: "Drop", keep });
    this.finish();
  }

  cancel(): void {
    if (this.over) return;
    this.bench.connection.forgetDrag();
    this.bench.connection.do({ kind: "Cancel" });
    this.finish();
  }

  private finish(): void {
    this.over = true;
    this.bench.store.set("dragging", null);
  }
}

/** The free drag of a cable, an end, a clip, a junction or a part. */
export class FreeDrag implements Gesture {
  readonly hint: string;
  private grip: Grip | null = null;

  constructor(
    private readonly bench: Bench,
    private readonly held: Held,
  ) {
    const keep = held.at === null ? "" : " · Ctrl on letting go keeps a clip";
    const turn = held.quaternion === null || held.others.length > 0 ? "" : " · Alt: turns to what it snaps to";
    this.hint = `Drag moves in the view · hold X, Y or Z: along that axis · Shift: no snapping${turn}${keep} · Esc: back`;
  }

  begin(pointer: Pointer): void {
    this.bench.labels.say(null, "");
    this.grip = new Grip(this.bench, this.held);
    this.move(pointer);
  }

  move(pointer: Pointer): void {
    const { position, quaternion, touched } = this.held;
    const snap = this.snap(pointer);
    this.bench.snapMark.show(snap);
    const goal = snap?.point.clone() ?? this.free(pointer);
    if (goal === null) return;
    const by = goal.clone().sub(touched);
    const turn = this.turn(snap, pointer.modifiers.alt);
    if (turn === null || quaternion === null) this.grip?.to(position.clone().add(by), quaternion);
    else this.grip?.to(position.clone().sub(touched).applyQuaternion(turn).add(goal), turn.multiply(quaternion));
    if (!this.isStopped) this.bench.labels.say(pointer.screen, this.words(by, snap, pointer.modifiers.axis), "measure");
  }

  /** What it is turned by to lie as what it snaps to. */
  private turn(snap: Snap | null, alt: boolean): Quaternion | null {
    const { mate, quaternion, others } = this.held;
    const lies = mate ?? (alt ? quaternion : null);
    return snap === null || lies === null || others.length > 0 ? null : turnTo(lies, snap, alt);
  }

  /** How far it was moved, and to what. */
  private words(by: Vector3, snap: Snap | null, axis: Axis | null): string {
    const unit = unitOf(this.bench.store);
    if (axis !== null) return `${axis} ${by[axis] < 0 ? "−" : "+"}${length(Math.abs(by[axis]), unit)}`;
    return snap === null ? length(by.length(), unit) : `${snap.text} · ${length(by.length(), unit)}`;
  }

  end(pointer: Pointer): void {
    const { keep } = this.bench.store.get("options");
    const kept = this.held.at === null ? null : pointer.modifiers.control ? (keep ?? "clamp") : keep;
    this.grip?.drop(kept);
    this.tidy();
  }

  cancel(): void {
    this.grip?.cancel();
    this.tidy();
  }

  private tidy(): void {
    this.bench.snapMark.show(null);
    this.bench.labels.say(null, "");
  }

  /** Then the reason stands at the pointer. */
  private get isStopped(): boolean {
    return (this.bench.store.get("held")?.reason ?? "") !== "";
  }

  /** Where the pointer takes the place that it touched. */
  private free(pointer: Pointer): Vector3 | null {
    const { axis } = pointer.modifiers;
    if (axis === null) return onPlane(pointer.ray, this.held.touched, pointer.facing);
    const along = nearest(pointer.ray, this.held.touched, AXES[axis]);
    return along === null ? null : this.held.touched.clone().addScaledVector(AXES[axis], along.onLine);
  }

  /** A cable itself is not snapped, nor is what moves along an axis. */
  private snap(pointer: Pointer): Snap | null {
    const { snap } = this.bench.store.get("options");
    const { axis, shift } = pointer.modifiers;
    if (!snap || shift || axis !== null || this.held.at !== null) return null;
    return this.bench.snapping.find(pointer, unitOf(this.bench.store), this.held.moving);
  }
}

/** Of what is locked: it stays, and says so. */
export class LockedDrag implements Gesture {
  readonly hint: string;

  constructor(
    private readonly bench: Bench,
    private readonly path: string,
  ) {
    this.hint = `${path} is locked: the padlock in the tree unlocks it`;
  }

  begin(pointer: Pointer): void {
    this.bench.store.say("warning", `${this.hint}.`, this.path);
    this.move(pointer);
  }

  move(pointer: Pointer): void {
    this.bench.labels.say(pointer.screen, "locked", "stopped");
  }

  end(): void {
    this.bench.labels.say(null, "");
  }

  cancel(): void {
    this.end();
  }
}

/** The turn that brings an orientation into a frame's, roll and all, or its d3 along a frame's direction. With `also`
 * d3 also comes along a hole's axis or out of a face, whichever way is nearer. None where it stays as it is. */
export function turnTo(mate: Quaternion, snap: Snap, also: boolean): Quaternion | null {
  if (snap.quaternion !== null) return snap.quaternion.clone().multiply(mate.clone().invert());
  const d3 = new Vector3(0, 0, 1).applyQuaternion(mate);
  const normal = also && snap.normal !== null ? snap.normal.clone().multiplyScalar(d3.dot(snap.normal) < 0 ? -1 : 1) : null;
  const along = snap.direction ?? normal;
  return along === null ? null : new Quaternion().setFromUnitVectors(d3, along);
}
