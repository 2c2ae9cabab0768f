// A new cable from two clicks: it leaves the first surface along its normal and arrives at the second against it.
import { CubicBezierCurve3, Vector3 } from "three";
import type { Mount } from "../messages";
import type { Gesture, Handler, Pointer } from "../pointer";
import { length } from "../units";
import { unitOf, type Bench } from "./bench";
import { onPlane } from "./lines";
import type { Snap } from "./snapping";
import { Stroke } from "./stroke";

interface Foot {
  point: Vector3;
  normal: Vector3;
  on: string | null;
}

export class Laying implements Handler {
  private first: Foot | null = null;
  private readonly line = new Stroke(2.5);

  constructor(
    private readonly bench: Bench,
    private readonly floor: () => number,
  ) {
    bench.stage.front.add(this.line);
    bench.stage.onTheme(({ accent }) => this.line.paint(accent));
    bench.store.on("tool", (tool) => tool !== "cable" && this.reset());
  }

  hover(pointer: Pointer): void {
    const { labels, store, stage } = this.bench;
    const foot = pointer.screen === null ? null : this.find(pointer);
    store.set("hovered", foot?.on ?? null);
    store.set("hint", this.first === null ? "New cable: click where it begins; it leaves along the surface's normal" : "New cable: click where it ends · Esc: begin again");
    const unit = unitOf(store);
    labels.say(pointer.screen, foot === null ? "" : this.first === null ? `begin on ${foot.on ?? "the floor"}` : `end on ${foot.on ?? "the floor"} · ${length(this.first.point.distanceTo(foot.point), unit)}`, "measure");
    this.line.through(foot === null ? [] : this.first === null ? stub(foot, stage.rig.pixel(foot.point)) : bow(this.first, foot));
    stage.invalidate();
  }

  gestureAt(): Gesture | null {
    return null;
  }

  click(pointer: Pointer): boolean {
    const foot = this.find(pointer);
    if (foot === null) return false;
    if (this.first === null) {
      this.first = foot;
      return true;
    }
    const { connection, store } = this.bench;
    const start = mount(this.first, 1), end = mount(foot, -1);
    connection.send({ kind: "AddCable", start, end, type: store.get("options").newCableType }).then(
      (name) => typeof name === "string" && store.select([name]),
      (error: Error) => store.say("error", error.message),
    );
    this.reset();
    store.set("tool", "select");
    return true;
  }

  reset(): boolean {
    const had = this.first !== null;
    this.first = null;
    this.line.visible = false;
    this.bench.labels.say(null, "");
    this.bench.snapMark.show(null);
    this.bench.stage.invalidate();
    return had;
  }

  private find(pointer: Pointer): Foot | null {
    const { snapping, snapMark, store, picking } = this.bench;
    const on = store.get("options").snap && !pointer.modifiers.shift;
    const snap: Snap | null = on ? snapping.find(pointer, unitOf(store)) : null;
    const special = snap !== null && (snap.kind === "hole" || snap.kind === "frame") ? snap : null;
    snapMark.show(special);
    if (special !== null) {
      const normal = special.quaternion !== null ? new Vector3(0, 0, 1).applyQuaternion(special.quaternion) : special.normal;
      if (normal !== null) return { point: special.point, normal: this.first !== null && special.quaternion !== null ? normal.negate() : normal, on: special.part };
    }
    const face = picking.part(pointer);
    if (face !== null && face.normal !== null) return { point: face.point, normal: face.normal, on: face.path };
    const point = onPlane(pointer.ray, new Vector3(0, 0, this.floor()), new Vector3(0, 0, 1));
    return point === null ? null : { point, normal: new Vector3(0, 0, 1), on: null };
  }
}

function mount({ point, normal, on }: Foot, sign: number): Mount {
  return { position: point.toArray(), tangent: normal.clone().multiplyScalar(sign).toArray(), on };
}

/** The normal where the cable will begin. */
function stub({ point, normal }: Foot, pixel: number): Vector3[] {
  return [point, point.clone().addScaledVector(normal, 46 * pixel)];
}

function bow(a: Foot, b: Foot): Vector3[] {
  const reach = 0.5 * a.point.distanceTo(b.point);
  const out = (foot: Foot): Vector3 => foot.point.clone().addScaledVector(foot.normal, reach);
  return new CubicBezierCurve3(a.point, out(a), out(b), b.point).getPoints(48);
}
