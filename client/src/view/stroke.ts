// A line of a width in pixels, for what must be seen at a glance: measures, previews, the section's frame.
import { Color, type Vector3 } from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";

export class Stroke extends Line2 {
  constructor(width: number, depthTest = false) {
    super(new LineGeometry(), new LineMaterial({ linewidth: width, depthTest, transparent: true }));
    this.frustumCulled = false;
    this.visible = false;
  }

  /** Draws through these points; none hides it. */
  through(points: readonly Vector3[]): void {
    this.visible = points.length > 1;
    if (!this.visible) return;
    this.geometry.dispose();
    this.geometry = new LineGeometry();
    this.geometry.setPositions(points.flatMap((p) => [p.x, p.y, p.z]));
  }

  paint(colour: string, opacity = 1): void {
    (this.material.color as Color).set(colour);
    this.material.opacity = opacity;
  }

  override dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
  }
}
