// Pulling a part of a machine: a soft spring from where it was touched to the pointer, in the plane of the view.
import { Vector3 } from "three";
import type { Gesture, Pointer } from "../pointer";
import type { Bench } from "./bench";
import { AXES, Grip } from "./dragging";
import { nearest, onPlane } from "./lines";

export class PullDrag implements Gesture {
  readonly hint = "A soft spring pulls it to the pointer · hold X, Y or Z: along that axis · letting go frees it · Esc: back";
  private grip: Grip | null = null;
  private readonly position: Vector3;

  constructor(
    private readonly bench: Bench,
    private readonly path: string,
    private readonly touched: Vector3,
  ) {
    this.position = (bench.parts.views.get(path)?.group.position ?? touched).clone();
  }

  begin(pointer: Pointer): void {
    const { path, position, touched } = this;
    this.bench.labels.say(null, "");
    this.bench.store.select([path]);
    this.grip = new Grip(this.bench, { path, at: null, position, quaternion: null, touched, mate: null, others: [], moving: new Set([path]) });
    this.move(pointer);
  }

  move(pointer: Pointer): void {
    const goal = this.goal(pointer);
    if (goal !== null) this.grip?.to(this.position.clone().add(goal).sub(this.touched), null);
  }

  end(): void {
    this.grip?.drop();
  }

  cancel(): void {
    this.grip?.cancel();
  }

  private goal(pointer: Pointer): Vector3 | null {
    const { axis } = pointer.modifiers;
    if (axis === null) return onPlane(pointer.ray, this.touched, pointer.facing);
    const along = nearest(pointer.ray, this.touched, AXES[axis]);
    return along === null ? null : this.touched.clone().addScaledVector(AXES[axis], along.onLine);
  }
}
