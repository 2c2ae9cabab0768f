// Mouse, pen and touch as pointers, and the camera moves that belong to them.
//
// Left: what the tool does; on nothing it turns the view, with Shift it draws a selecting box. Right turns, about what is
// under the pointer; middle or Shift right pans; the wheel goes nearer to what is under the pointer. One finger is the
// left button, two fingers pan and zoom.
import { Vector2, Vector3 } from "three";
import type { Axis, Gesture, Handler, Pointer } from "../pointer";
import type { Stage } from "./stage";

const CLICK = 4; // px: less is a click, more a drag
const REACH = 6; // px
const TURN = 0.0062; // rad per px

/** What the mouse needs to know of the view. */
export interface Surroundings {
  handlers(): readonly Handler[]; // asked in this order
  touched(pointer: Pointer): Vector3 | null; // the point under the pointer, for turning and zooming about it
  box(from: Vector2, to: Vector2, more: boolean): void;
  showBox(from: Vector2, to: Vector2 | null): void;
  look(pointer: Pointer): void; // nearer at what is under the pointer
  hint(text: string): void;
}

type Move = { kind: "gesture"; gesture: Gesture } | { kind: "orbit"; pivot: Vector3 } | { kind: "pan"; pivot: Vector3 } | { kind: "box"; from: Vector2 };

export class Mouse {
  private axis: Axis | null = null;
  private down: { at: Vector2; last: Vector2; move: Move; moved: boolean; pointerId: number } | null = null;
  private fingers = new Map<number, Vector2>();
  private latest: PointerEvent | null = null;
  private keys = { shift: false, control: false, alt: false };
  private readonly canvas: HTMLCanvasElement;

  constructor(
    private readonly stage: Stage,
    private readonly around: Surroundings,
  ) {
    this.canvas = stage.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.addEventListener("mousedown", (event) => event.button === 1 && event.preventDefault()); // no scrolling mark
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.moveTo(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", () => this.cancel());
    canvas.addEventListener("pointerleave", () => this.down === null && this.leave());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", (event) => this.around.look(this.pointer(event)));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    addEventListener("keydown", (event) => this.key(event, true));
    addEventListener("keyup", (event) => this.key(event, false));
    addEventListener("blur", () => (this.axis = null));
  }

  /** Ends what is under way, back to how it was; false where nothing was. */
  cancel(): boolean {
    const down = this.down;
    this.down = null;
    this.around.showBox(new Vector2(), null);
    if (down?.move.kind === "gesture" && down.moved) down.move.gesture.cancel();
    return down !== null;
  }

  /** The pointer did not move, but what it means may have: modifiers, a new frame. */
  again(): void {
    if (this.latest === null) return;
    if (this.down?.moved === true && this.down.move.kind === "gesture") this.down.move.gesture.move(this.pointer(this.latest));
    else if (this.down === null) this.hover(this.latest);
  }

  get busy(): boolean {
    return this.down !== null;
  }

  private press(event: PointerEvent): void {
    this.hear(event);
    this.canvas.focus({ preventScroll: true });
    this.fingers.set(event.pointerId, this.place(event));
    if (event.pointerType === "touch" && this.fingers.size === 2) {
      this.cancel();
      return;
    }
    if (this.down !== null) return;
    this.canvas.setPointerCapture(event.pointerId);
    const at = this.place(event);
    this.down = { at, last: at.clone(), move: this.meaning(event), moved: false, pointerId: event.pointerId };
  }

  private meaning(event: PointerEvent): Move {
    const pointer = this.pointer(event);
    const pivot = (): Vector3 => this.around.touched(pointer) ?? this.stage.rig.target.clone();
    if (event.button === 1 || (event.button === 2 && event.shiftKey)) return { kind: "pan", pivot: pivot() };
    if (event.button === 2) return { kind: "orbit", pivot: pivot() };
    for (const handler of this.around.handlers()) {
      const gesture = handler.gestureAt(pointer);
      if (gesture !== null) return { kind: "gesture", gesture };
    }
    return event.shiftKey ? { kind: "box", from: this.place(event) } : { kind: "orbit", pivot: pivot() };
  }

  private moveTo(event: PointerEvent): void {
    this.hear(event);
    if (this.pinch(event)) return;
    const down = this.down;
    if (down === null) return this.hover(event);
    if (event.pointerId !== down.pointerId) return;
    const now = this.place(event);
    if (!down.moved) {
      if (now.distanceTo(down.at) < CLICK) return;
      down.moved = true;
      if (down.move.kind === "gesture") {
        this.around.hint(down.move.gesture.hint);
        this.canvas.style.cursor = "grabbing";
        down.move.gesture.begin(this.pointer(event));
      }
    }
    const dx = now.x - down.last.x, dy = now.y - down.last.y;
    down.last = now;
    const { rig } = this.stage;
    if (down.move.kind === "gesture") down.move.gesture.move(this.pointer(event));
    else if (down.move.kind === "orbit") rig.orbit(-dx * TURN, dy * TURN, down.move.pivot);
    else if (down.move.kind === "pan") this.pan(dx, dy, down.move.pivot);
    else this.around.showBox(down.move.from, now);
  }

  private release(event: PointerEvent): void {
    this.hear(event);
    this.fingers.delete(event.pointerId);
    const down = this.down;
    if (down === null || event.pointerId !== down.pointerId) return;
    this.down = null;
    this.canvas.style.cursor = "";
    if (down.moved) {
      if (down.move.kind === "gesture") down.move.gesture.end(this.pointer(event));
      if (down.move.kind === "box") {
        this.around.showBox(down.move.from, null);
        this.around.box(down.move.from, this.place(event), event.ctrlKey || event.metaKey);
      }
    } else if (event.button === 0) {
      const pointer = this.pointer(event);
      this.around.handlers().some((handler) => handler.click(pointer));
    }
    this.hover(event);
  }

  private hover(event: PointerEvent): void {
    if (event.pointerType === "touch") return;
    const pointer = this.pointer(event);
    for (const handler of this.around.handlers()) handler.hover(pointer);
  }

  private leave(): void {
    this.latest = null;
    this.around.hint("");
    const away = this.pointer(new PointerEvent("pointermove", { clientX: -1e5, clientY: -1e5 }));
    for (const handler of this.around.handlers()) handler.hover({ ...away, screen: null });
  }

  private pan(dx: number, dy: number, pivot: Vector3): void {
    const { rig } = this.stage;
    const pixel = rig.pixel(pivot);
    rig.pan(new Vector3(-dx * pixel, dy * pixel, 0).applyQuaternion(rig.camera.quaternion));
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const pointer = this.pointer(event);
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 32 : 1;
    const about = this.around.touched(pointer) ?? this.onTargetPlane(pointer);
    this.stage.rig.zoom(Math.exp(Math.max(-240, Math.min(240, event.deltaY * lines)) * 0.0014), about);
  }

  private onTargetPlane(pointer: Pointer): Vector3 {
    const { rig } = this.stage;
    const depth = rig.target.clone().sub(pointer.ray.origin).dot(rig.forward) / Math.max(0.05, pointer.ray.direction.dot(rig.forward));
    return pointer.ray.at(depth, new Vector3());
  }

  /** Two fingers: they carry the view along, and spread or close it. */
  private pinch(event: PointerEvent): boolean {
    if (event.pointerType !== "touch" || this.fingers.size !== 2 || !this.fingers.has(event.pointerId)) return false;
    const [a, b] = [...this.fingers.values()];
    const before = { middle: a.clone().add(b).multiplyScalar(0.5), apart: a.distanceTo(b) };
    this.fingers.set(event.pointerId, this.place(event));
    const [c, d] = [...this.fingers.values()];
    const after = { middle: c.clone().add(d).multiplyScalar(0.5), apart: Math.max(1, c.distanceTo(d)) };
    this.pan(after.middle.x - before.middle.x, after.middle.y - before.middle.y, this.stage.rig.target);
    this.stage.rig.zoom(before.apart / after.apart, this.stage.rig.target.clone());
    return true;
  }

  private key(event: KeyboardEvent, pressed: boolean): void {
    const key = event.key.toLowerCase();
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLSelectElement;
    if ((key === "x" || key === "y" || key === "z") && !typing && !event.ctrlKey && !event.metaKey) this.axis = pressed ? key : this.axis === key ? null : this.axis;
    else if (!["shift", "control", "alt"].includes(key)) return;
    this.keys = { shift: event.shiftKey, control: event.ctrlKey || event.metaKey, alt: event.altKey };
    if (!event.repeat) this.again();
  }

  private pointer(event: MouseEvent): Pointer {
    const { rig } = this.stage;
    const screen = this.place(event);
    return {
      device: "mouse",
      ray: rig.ray(screen.x, screen.y),
      orientation: null,
      facing: rig.forward.negate(),
      screen,
      buttons: { primary: (event.buttons & 1) !== 0, secondary: (event.buttons & 2) !== 0, third: (event.buttons & 4) !== 0 },
      modifiers: { ...this.keys, axis: this.axis },
      reach: (point) => REACH * rig.pixel(point),
    };
  }

  private hear(event: PointerEvent): void {
    this.latest = event;
    this.keys = { shift: event.shiftKey, control: event.ctrlKey || event.metaKey, alt: event.altKey };
  }

  private place(event: MouseEvent): Vector2 {
    const { left, top } = this.canvas.getBoundingClientRect();
    return new Vector2(event.clientX - left, event.clientY - top);
  }
}
