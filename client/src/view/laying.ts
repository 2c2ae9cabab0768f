// A new cable from two clicks: it leaves the first surface along its normal and arrives at the second against it. Beside
// all parts it begins or ends in mid-air, across the view from what is looked at: the floor may be far behind that.
import { CubicBezierCurve3, Vector3 } from "three";
import type { Mount } from "../messages";
import type { Gesture, Handler, Pointer } from "../pointer";
import { length } from "../units";
import { unitOf, type Bench } from "./bench";
import { onPlane } from "./lines";
import type { Snap } from "./snapping";
import { Stroke } from "./stroke";

const BEGIN = "New cable: click where it begins; it leaves along the surface's normal";
const END = "New cable: click where it ends · Esc: begin again";
const FAR = 2; // heights of the view: the floor is not meant so far away

interface Foot {
  point: Vector3;
  normal: Vector3 | null; // none in mid-air
  on: string | null;
}

export class Laying implements Handler {
  private first: Foot | null = null;
  private readonly line = new Stroke(2.5);

  constructor(
    private readonly bench: Bench,
    private readonly floor: () => number | null, // where there is nothing else to go by
  ) {
    bench.stage.front.add(this.line);
    bench.stage.onTheme(({ accent }) => this.line.paint(accent));
    bench.store.on("tool", (tool) => tool !== "cable" && this.reset());
  }

  hover(pointer: Pointer): boolean {
    this.bench.stage.cursor = "crosshair";
    const { labels, store, stage } = this.bench;
    const foot = pointer.screen === null ? null : this.find(pointer);
    store.set("hovered", foot?.on ?? null);
    store.set("hint", this.first === null ? BEGIN : END);
    labels.say(pointer.screen, foot === null ? "" : this.words(foot), "measure");
    this.line.through(foot === null ? [] : this.first === null ? stub(foot, stage.rig.pixel(foot.point)) : bow(this.first, foot));
    stage.invalidate();
    return true;
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
    const across = foot.point.clone().sub(this.first.point).normalize();
    const start = mount(this.first, this.first.normal ?? across), end = mount(foot, foot.normal?.clone().negate() ?? across);
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

  private words({ on, point, normal }: Foot): string {
    const where = on !== null ? `on ${on}` : normal !== null ? "on the floor" : "in mid-air";
    if (this.first === null) return `begin ${where}`;
    return `end ${where} · ${length(this.first.point.distanceTo(point), unitOf(this.bench.store))}`;
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
    return this.beside(pointer);
  }

  /** Where nothing is: as deep in the view as the beginning, or as what is looked at. */
  private beside(pointer: Pointer): Foot | null {
    const { rig } = this.bench.stage;
    const up = new Vector3(0, 0, 1), height = this.floor();
    const floor = height === null ? null : onPlane(pointer.ray, new Vector3(0, 0, height), up);
    const near = FAR * rig.size.y * rig.pixel(rig.target);
    if (floor !== null && floor.distanceTo(rig.target) < near) return { point: floor, normal: up, on: null };
    const point = onPlane(pointer.ray, this.first?.point ?? rig.target, pointer.facing);
    return point === null ? null : { point, normal: null, on: null };
  }
}

function mount({ point, on }: Foot, tangent: Vector3): Mount {
  return { position: point.toArray(), tangent: tangent.toArray(), on };
}

/** The normal where the cable will begin. */
function stub({ point, normal }: Foot, pixel: number): Vector3[] {
  return normal === null ? [] : [point, point.clone().addScaledVector(normal, 46 * pixel)];
}

function bow(a: Foot, b: Foot): Vector3[] {
  const across = b.point.clone().sub(a.point);
  const reach = 0.5 * across.length();
  across.normalize();
  const out = (foot: Foot, free: number): Vector3 => foot.point.clone().addScaledVector(foot.normal ?? across, foot.normal === null ? free * reach : reach);
  return new CubicBezierCurve3(a.point, out(a, 1), out(b, -1), b.point).getPoints(48);
}
