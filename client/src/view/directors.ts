// The cable's own axes along it: d1, d2 across, d3 along. Twist can be seen in them.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, LineBasicMaterial, LineSegments, Quaternion, Vector3 } from "three";
import type { FrameData } from "../store";
import type { Bench } from "./bench";

const REACH = 2.2; // times the cable's radius

export class Directors {
  private readonly lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true }));

  constructor(private readonly bench: Bench) {
    const { stage, store, cables } = bench;
    this.lines.frustumCulled = false;
    stage.scene.add(this.lines);
    cables.onFrame((frame) => this.update(frame));
    const again = (): void => {
      const frame = store.get("frame");
      if (frame !== null) this.update(frame);
    };
    store.on("options", again);
    stage.onTheme(again);
  }

  private update(frame: FrameData): void {
    const { store, cables, stage } = this.bench;
    this.lines.visible = store.get("options").directors;
    if (!this.lines.visible) return;
    let points = 0;
    for (const name of cables.views.keys()) points += frame.strands.get(name)?.points ?? 0;
    const { position, colour } = this.room(18 * points);
    const tints = stage.colours.axes.map((axis) => new Color(axis));
    const q = new Quaternion(), d = new Vector3();
    let k = 0;
    for (const [name, { info, group }] of cables.views) {
      const strand = frame.strands.get(name);
      if (strand === undefined || !group.visible) continue;
      for (let i = 0; i < strand.points; i++) {
        q.set(strand.quaternions[4 * i + 1], strand.quaternions[4 * i + 2], strand.quaternions[4 * i + 3], strand.quaternions[4 * i]);
        for (let axis = 0; axis < 3; axis++) {
          d.set(axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0).applyQuaternion(q).multiplyScalar(REACH * info.radius);
          for (const end of [0, 1]) {
            position[k] = strand.positions[3 * i] + end * d.x;
            position[k + 1] = strand.positions[3 * i + 1] + end * d.y;
            position[k + 2] = strand.positions[3 * i + 2] + end * d.z;
            tints[axis].toArray(colour, k);
            k += 3;
          }
        }
      }
    }
    this.lines.geometry.setDrawRange(0, k / 3);
    this.lines.geometry.attributes.position.needsUpdate = true;
    this.lines.geometry.attributes.color.needsUpdate = true;
    stage.invalidate();
  }

  /** Arrays that hold at least so many numbers; kept from frame to frame. */
  private room(count: number): { position: Float32Array; colour: Float32Array } {
    const { attributes } = this.lines.geometry;
    if (attributes.position === undefined || attributes.position.array.length < count) {
      this.lines.geometry.dispose();
      this.lines.geometry = new BufferGeometry();
      this.lines.geometry.setAttribute("position", new BufferAttribute(new Float32Array(count), 3).setUsage(DynamicDrawUsage));
      this.lines.geometry.setAttribute("color", new BufferAttribute(new Float32Array(count), 3).setUsage(DynamicDrawUsage));
    }
    const now = this.lines.geometry.attributes;
    return { position: now.position.array as Float32Array, colour: now.color.array as Float32Array };
  }
}
