// A pointer is a ray with buttons. Picking and dragging know nothing else, so a mouse, a pen, a hand-held controller or
// a space mouse can all do the same things.
import type { Quaternion, Ray, Vector2, Vector3 } from "three";

export type Axis = "x" | "y" | "z";

export interface Pointer {
  device: string; // "mouse", "left controller"
  ray: Ray; // in the world
  orientation: Quaternion | null; // of a device that is held in space
  facing: Vector3; // towards the viewer: things are moved freely in the plane across it
  screen: Vector2 | null; // px in the view, for devices that have a screen
  buttons: { primary: boolean; secondary: boolean; third: boolean };
  modifiers: { shift: boolean; control: boolean; alt: boolean; axis: Axis | null };
  /** How far beside a thing at `point` still counts as on it, in m, for a device of ordinary precision. */
  reach(point: Vector3): number;
}

/** Something that happens between pressing and letting go. */
export interface Gesture {
  hint: string;
  begin(pointer: Pointer): void;
  move(pointer: Pointer): void;
  end(pointer: Pointer): void;
  /** Back to how it was. */
  cancel(): void;
}

/** What a click and a drag mean just now. */
export interface Handler {
  hover(pointer: Pointer): void;
  /** What pressing here and moving would do; nothing happens yet. */
  gestureAt(pointer: Pointer): Gesture | null;
  /** Pressed and let go without moving; true where it meant something. */
  click(pointer: Pointer): boolean;
}
