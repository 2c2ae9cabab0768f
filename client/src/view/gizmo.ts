// Six handles for six degrees of freedom, and a knob that turns an end about the cable: on what is selected.
//
// What it looks like is in handles.ts, what dragging a handle means in gizmodrag.ts.
import { Quaternion, Vector3 } from "three";
import type { Axis, Gesture, Handler, Pointer } from "../pointer";
import { isLoose, type Bench } from "./bench";
import { AxisDrag, KnobDrag, PlaneDrag, TurnDrag } from "./gizmodrag";
import { Handles, type Handle } from "./handles";
import type { Held } from "./dragging";
import { holdAll, holdOf } from "./holds";

const HINTS: { [kind in Handle["kind"]]: string } = {
  move: "Drag: along this axis",
  plane: "Drag: in this plane",
  turn: "Drag: turns about this axis · Ctrl: steps of 15°",
  knob: "Drag around: twists the cable, as many turns as you like · Ctrl: steps of 15°",
};
const SIZE = 92; // px from the middle to the tip of an arrow

export class Gizmo implements Handler {
  private readonly handles: Handles;
  private targets: readonly string[] = [];
  private pointed: Handle | null = null;

  constructor(private readonly bench: Bench) {
    const { stage, store, cables } = bench;
    this.handles = new Handles(stage);
    for (const key of ["selection", "scene", "tool"] as const) store.on(key, () => this.choose());
    store.on("options", () => stage.invalidate());
    cables.onFrame(() => stage.invalidate());
    stage.beforeDraw(() => this.follow());
  }

  hover(pointer: Pointer): boolean {
    const now = pointer.screen === null ? null : this.under(pointer);
    if (now !== this.pointed) {
      this.pointed = now;
      this.handles.light(now);
      this.bench.stage.invalidate();
    }
    if (now === null) return false;
    const { store, labels, stage } = this.bench;
    store.set("hovered", null);
    store.setPlace(null);
    store.set("hint", HINTS[now.kind]);
    labels.say(null, "");
    stage.cursor = "grab";
    return true;
  }

  click(pointer: Pointer): boolean {
    return this.under(pointer) !== null;
  }

  gestureAt(pointer: Pointer): Gesture | null {
    const handle = this.under(pointer);
    const held = this.hold();
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
    const locked = (selection.length === 1 && picking.isLocked(selection[0])) || selection.some((path) => isLoose(store, path));
    this.targets = store.get("tool") === "select" && !locked ? selection : [];
    if (this.hold() === null) this.pointed = null;
    this.bench.stage.invalidate();
  }

  /** What it moves: one thing, or several as one. */
  private hold(): Held | null {
    if (this.targets.length === 0) return null;
    return this.targets.length === 1 ? holdOf(this.bench, this.targets[0]) : holdAll(this.bench, this.targets);
  }

  private follow(): void {
    const held = this.hold();
    this.handles.group.visible = held !== null;
    if (held === null) return;
    const { stage, store, markers } = this.bench;
    const several = held.others.length > 0;
    const marker = several ? undefined : markers.all.get(held.path);
    this.handles.group.position.copy(held.touched);
    const local = store.get("options").axes === "local" && held.quaternion !== null && !several;
    this.handles.group.quaternion.copy(local && held.quaternion !== null ? held.quaternion : new Quaternion());
    this.handles.group.scale.setScalar(SIZE * stage.rig.pixel(held.touched));
    this.handles.arrange(held.quaternion !== null, marker?.cable !== null && marker?.cable !== undefined, held.quaternion, stage.rig);
  }
}
