// What dragging a handle of the gizmo does: along an axis, in a plane, about an axis, and the twist knob.
import { Quaternion, Vector3 } from "three";
import type { Gesture, Pointer } from "../pointer";
import { angle, length } from "../units";
import { unitOf, type Bench } from "./bench";
import { Grip, type Held } from "./dragging";
import { nearest, onPlane } from "./lines";
import type { Snap } from "./snapping";

/** The gizmo as the drag began. */
export interface Frame {
  middle: Vector3;
  axis: Vector3;
  radius: number; // of its arcs, m
}

const STEP = Math.PI / 12; // of turning with Ctrl held
const EDGE_ON = 0.25; // cosine between view and axis
const KNOB_STEP = 0.8; // rad: more at once and the session could not tell a turn from its other way round

abstract class HandleDrag implements Gesture {
  abstract readonly hint: string;
  protected grip: Grip | null = null;

  constructor(
    protected readonly bench: Bench,
    protected readonly held: Held,
    protected readonly frame: Frame,
  ) {}

  begin(pointer: Pointer): void {
    this.start(pointer);
    this.grip = new Grip(this.bench, this.held);
    this.move(pointer);
  }

  end(_pointer: Pointer): void {
    this.grip?.drop();
    this.tidy();
  }

  cancel(): void {
    this.grip?.cancel();
    this.tidy();
  }

  abstract move(pointer: Pointer): void;

  protected abstract start(pointer: Pointer): void;

  protected tidy(): void {
    this.bench.snapMark.show(null);
    this.bench.labels.say(null, "");
  }

  protected snap(pointer: Pointer): Snap | null {
    const on = this.bench.store.get("options").snap && !pointer.modifiers.shift;
    const snap = on ? this.bench.snapping.find(pointer, unitOf(this.bench.store), this.held.moving) : null;
    this.bench.snapMark.show(snap);
    return snap;
  }

  /** By so much from where it was; the length stands at the pointer. */
  protected shift(pointer: Pointer, by: Vector3, quaternion: Quaternion | null, note = ""): void {
    this.grip?.to(this.held.position.clone().add(by), quaternion);
    this.bench.labels.say(pointer.screen, `${length(by.length(), unitOf(this.bench.store))}${note}`, "measure");
  }
}

export class AxisDrag extends HandleDrag {
  readonly hint = "Along this axis · over a hole, corner, edge or face: level with it (Shift: not) · Esc: back";
  private from = 0;

  protected start(pointer: Pointer): void {
    this.from = nearest(pointer.ray, this.frame.middle, this.frame.axis)?.onLine ?? 0;
  }

  move(pointer: Pointer): void {
    const { middle, axis } = this.frame;
    const snap = this.snap(pointer);
    const special = snap !== null && snap.kind !== "face" ? snap : null;
    if (special === null) this.bench.snapMark.show(null);
    const along = special === null ? nearest(pointer.ray, middle, axis)?.onLine : special.point.clone().sub(this.held.position).dot(axis) + this.from;
    if (along !== undefined) this.shift(pointer, axis.clone().multiplyScalar(along - this.from), this.held.quaternion, special === null ? "" : ` · level with ${special.text}`);
  }
}

export class PlaneDrag extends HandleDrag {
  readonly hint = "In this plane · Esc: back";
  private from = new Vector3();

  protected start(pointer: Pointer): void {
    this.from = onPlane(pointer.ray, this.frame.middle, this.frame.axis) ?? this.frame.middle.clone();
  }

  move(pointer: Pointer): void {
    const to = onPlane(pointer.ray, this.frame.middle, this.frame.axis);
    if (to !== null) this.shift(pointer, to.sub(this.from), this.held.quaternion);
  }
}

/** The angle of the pointer about an axis, counted on over whole turns. */
class Angle {
  total = 0;
  private last: number;
  private readonly edgeOn: Vector3 | null;
  private readonly u: Vector3;
  private readonly v: Vector3;

  constructor(
    pointer: Pointer,
    private readonly frame: Frame,
  ) {
    const { axis } = frame;
    this.u = new Vector3(0, 0, 1).cross(axis);
    if (this.u.lengthSq() < 0.01) this.u.set(1, 0, 0).cross(axis);
    this.u.normalize();
    this.v = axis.clone().cross(this.u);
    // A circle seen edge on is pulled along like the rim of a wheel.
    this.edgeOn = Math.abs(pointer.facing.dot(axis)) < EDGE_ON ? axis.clone().cross(pointer.facing).normalize() : null;
    this.last = this.read(pointer) ?? 0;
  }

  follow(pointer: Pointer): number {
    const now = this.read(pointer);
    if (now !== null) {
      const by = now - this.last;
      this.total += this.edgeOn === null ? by - 2 * Math.PI * Math.round(by / (2 * Math.PI)) : by;
      this.last = now;
    }
    return this.total;
  }

  private read(pointer: Pointer): number | null {
    if (this.edgeOn !== null) return (nearest(pointer.ray, this.frame.middle, this.edgeOn)?.onLine ?? 0) / this.frame.radius;
    const p = onPlane(pointer.ray, this.frame.middle, this.frame.axis)?.sub(this.frame.middle);
    return p === undefined ? null : Math.atan2(p.dot(this.v), p.dot(this.u));
  }
}

export class TurnDrag extends HandleDrag {
  readonly hint = "Turns about this axis · Ctrl: steps of 15° · Esc: back";
  private angle: Angle | null = null;

  protected start(pointer: Pointer): void {
    this.angle = new Angle(pointer, this.frame);
  }

  move(pointer: Pointer): void {
    const free = this.angle?.follow(pointer) ?? 0;
    const by = pointer.modifiers.control ? STEP * Math.round(free / STEP) : free;
    const { position, quaternion } = this.held;
    if (quaternion === null) return;
    const turn = new Quaternion().setFromAxisAngle(this.frame.axis, by);
    const moved = position.clone().sub(this.frame.middle).applyQuaternion(turn).add(this.frame.middle);
    this.grip?.to(moved, turn.multiply(quaternion));
    this.bench.labels.say(pointer.screen, angle(by), "measure");
  }
}

/** Turns an end about its own direction, as many times as one likes. */
export class KnobDrag extends HandleDrag {
  readonly hint = "Twists the cable, whole turns count · Ctrl: steps of 15° · Esc: back";
  private angle: Angle | null = null;
  private wanted = 0;
  private given = 0;
  private sending = false;
  private done = false;

  protected start(pointer: Pointer): void {
    this.angle = new Angle(pointer, this.frame);
  }

  move(pointer: Pointer): void {
    const free = this.angle?.follow(pointer) ?? 0;
    this.wanted = pointer.modifiers.control ? STEP * Math.round(free / STEP) : free;
    this.bench.labels.say(pointer.screen, `twist ${angle(this.wanted)}`, "measure");
    this.send();
  }

  override end(pointer: Pointer): void {
    this.done = true;
    if (!this.sending) super.end(pointer);
  }

  override cancel(): void {
    this.done = false;
    this.wanted = this.given;
    super.cancel();
  }

  /** One small step after the other, each when the last one is answered: none is overtaken, so no turn is lost. */
  private send(): void {
    const { quaternion, position } = this.held;
    if (this.sending || quaternion === null || this.grip === null || this.grip.lost) return;
    const by = Math.max(-KNOB_STEP, Math.min(KNOB_STEP, this.wanted - this.given));
    if (by === 0) return;
    this.given += by;
    this.sending = true;
    const q = quaternion.clone().multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), this.given));
    this.bench.connection
      .send({ kind: "Drag", position: position.toArray(), quaternion: [q.w, q.x, q.y, q.z] })
      .catch((error: Error) => this.bench.store.say("warning", error.message, this.held.path))
      .finally(() => {
        this.sending = false;
        if (this.wanted !== this.given) this.send();
        else if (this.done) {
          this.grip?.drop();
          this.tidy();
        }
      });
  }
}

