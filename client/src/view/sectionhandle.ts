// The frame of the section plane, and an arrow that pushes it along.
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Vector3 } from "three";
import type { Gesture, Handler, Pointer } from "../pointer";
import { length } from "../units";
import { unitOf, type Bench } from "./bench";
import { nearest, nearestOnSegment } from "./lines";
import type { SectionPlane } from "./section";
import { Stroke } from "./stroke";

const LENGTH = 58; // px

export class SectionHandle implements Handler {
  private readonly group = new Group();
  private readonly material = new MeshBasicMaterial();
  private readonly frame = new Stroke(1.4, true);

  constructor(
    private readonly bench: Bench,
    private readonly section: SectionPlane,
  ) {
    const { stage } = bench;
    this.frame.through([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]].map(([x, y]) => new Vector3(x, y, 0)));
    const shaft = new CylinderGeometry(0.035, 0.035, 0.7, 12).translate(0, 0.35, 0).rotateX(Math.PI / 2);
    const tip = new ConeGeometry(0.13, 0.3, 20).translate(0, 0.85, 0).rotateX(Math.PI / 2);
    this.group.add(new Mesh(shaft, this.material), new Mesh(tip, this.material));
    stage.scene.add(this.frame);
    stage.front.add(this.group);
    stage.onTheme((colours) => {
      this.material.color.set(colours.cap);
      this.frame.paint(colours.cap, 0.8);
    });
    stage.beforeDraw(() => this.follow());
  }

  hover(): void {
    // nothing to light up: the arrow is always the same
  }

  gestureAt(pointer: Pointer): Gesture | null {
    return this.isOn(pointer) ? new SectionDrag(this.bench, this.group.position.clone(), this.normal) : null;
  }

  click(pointer: Pointer): boolean {
    return this.isOn(pointer);
  }

  private get normal(): Vector3 {
    return new Vector3(...this.bench.store.get("options").section.normal).normalize();
  }

  private isOn(pointer: Pointer): boolean {
    if (!this.group.visible) return false;
    const { position } = this.group;
    const tip = position.clone().addScaledVector(this.normal, this.group.scale.x);
    return nearestOnSegment(pointer.ray, position, tip).distance < 1.3 * pointer.reach(position);
  }

  private follow(): void {
    const { cap } = this.section;
    this.group.visible = this.frame.visible = this.bench.store.get("options").section.on;
    if (!this.group.visible) return;
    this.frame.position.copy(cap.position);
    this.frame.quaternion.copy(cap.quaternion);
    this.frame.scale.copy(cap.scale);
    this.group.position.copy(new Vector3(cap.scale.x, cap.scale.y, 0).applyQuaternion(cap.quaternion).add(cap.position));
    this.group.quaternion.copy(cap.quaternion);
    this.group.scale.setScalar(LENGTH * this.bench.stage.rig.pixel(this.group.position));
  }
}

class SectionDrag implements Gesture {
  readonly hint = "Pushes the section plane along";
  private readonly before: number;
  private from = 0;

  constructor(
    private readonly bench: Bench,
    private readonly origin: Vector3,
    private readonly normal: Vector3,
  ) {
    this.before = bench.store.get("options").section.offset;
  }

  begin(pointer: Pointer): void {
    this.from = nearest(pointer.ray, this.origin, this.normal)?.onLine ?? 0;
  }

  move(pointer: Pointer): void {
    const now = nearest(pointer.ray, this.origin, this.normal)?.onLine;
    if (now === undefined) return;
    const offset = this.before + now - this.from;
    this.put(offset);
    this.bench.labels.say(pointer.screen, length(offset, unitOf(this.bench.store)), "measure");
  }

  end(): void {
    this.bench.labels.say(null, "");
  }

  cancel(): void {
    this.put(this.before);
    this.end();
  }

  private put(offset: number): void {
    const { store } = this.bench;
    store.setOptions({ section: { ...store.get("options").section, offset } });
  }
}
