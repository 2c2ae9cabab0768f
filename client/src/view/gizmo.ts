// Six handles for six degrees of freedom, and a knob that turns an end about the cable: on the one thing that is selected.
//
// What it looks like is in handles.ts, what dragging a handle means in gizmodrag.ts.
import { Quaternion, Vector3 } from "three";
import type { Axis, Gesture, Handler, Pointer } from "../pointer";
import type { Bench } from "./bench";
import { AxisDrag, KnobDrag, PlaneDrag, TurnDrag } from "./gizmodrag";
import { Handles, type Handle } from "./handles";
import { holdOf } from "./holds";

const SIZE = 92; // px from the middle to the tip of an arrow

export class Gizmo implements Handler {
  private readonly handles: Handles;
  private target: string | null = null;
  private pointed: Handle | null = null;

  constructor(private readonly bench: Bench) {
    const { stage, store, cables } = bench;
    this.handles = new Handles(stage);
    for (const key of ["selection", "scene", "tool"] as const) store.on(key, () => this.choose());
    store.on("options", () => stage.invalidate());
    cables.onFrame(() => stage.invalidate());
    stage.beforeDraw(() => this.follow());
  }

  hover(pointer: Pointer): void {
    const now = pointer.screen === null ? null : this.under(pointer);
    if (now === this.pointed) return;
    this.pointed = now;
    this.handles.light(now);
    this.bench.stage.invalidate();
  }

  /** Whether the pointer is on a handle: then it is on nothing else. */
  get isPointed(): boolean {
    return this.pointed !== null;
  }

  click(pointer: Pointer): boolean {
    return this.under(pointer) !== null;
  }

  gestureAt(pointer: Pointer): Gesture | null {
    const handle = this.under(pointer);
    const held = this.target === null ? null : holdOf(this.bench, this.target);
    if (handle === null || held === null) return null;
    const { position: middle, quaternion: turn } = this.handles.group;
    const axis = handle.axis.clone().applyQuaternion(turn).normalize();
    const radius = this.handles.group.scale.x;
    const frame = { middle: middle.clone(), axis, radius };
    switch (handle.kind) {
      case "move":
        return new AxisDrag(this.bench, held, frame);
      case "plane":
        return new PlaneDrag(this.bench, held, frame);
      case "turn":
        return new TurnDrag(this.bench, held, frame);
      case "knob":
        return new KnobDrag(this.bench, held, { ...frame, axis: new Vector3(0, 0, 1).applyQuaternion(held.quaternion ?? turn) });
    }
  }

  /** Where a handle is, in the world: "move", "plane", "turn" of x, y, z, or the "knob"; none while it is not shown. */
  place(kind: Handle["kind"], axis: Axis): Vector3 | null {
    return this.handles.group.visible ? this.handles.place(kind, axis) : null;
  }

  private under(pointer: Pointer): Handle | null {
    return this.handles.group.visible ? this.handles.pick(pointer) : null;
  }

  private choose(): void {
    const { store, picking } = this.bench;
    const selection = store.get("selection");
    const path = selection.length === 1 ? selection[0] : null;
    const movable = path !== null && store.get("tool") === "select" && !picking.isLocked(path) && holdOf(this.bench, path) !== null;
    this.target = movable ? path : null;
    if (!movable) this.pointed = null;
    this.bench.stage.invalidate();
  }

  private follow(): void {
    const held = this.target === null ? null : holdOf(this.bench, this.target);
    this.handles.group.visible = held !== null;
    if (held === null) return;
    const { stage, store, markers } = this.bench;
    const marker = markers.all.get(held.path);
    this.handles.group.position.copy(held.touched);
    const local = store.get("options").axes === "local" && held.quaternion !== null;
    this.handles.group.quaternion.copy(local && held.quaternion !== null ? held.quaternion : new Quaternion());
    this.handles.group.scale.setScalar(SIZE * stage.rig.pixel(held.touched));
    this.handles.arrange(held.quaternion !== null, marker?.cable !== null && marker?.cable !== undefined, held.quaternion, stage.rig);
  }
}
