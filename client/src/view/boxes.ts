// A box drawn on the screen selects: from left to right what lies wholly in it, from right to left all it touches.
import { Vector2, Vector3 } from "three";
import type { Bench } from "./bench";

export class Boxes {
  private readonly element = document.createElement("div");

  constructor(private readonly bench: Bench) {
    this.element.className = "view-box";
    this.element.hidden = true;
    bench.stage.overlay.append(this.element);
  }

  show(from: Vector2, to: Vector2 | null): void {
    this.element.hidden = to === null;
    if (to === null) return;
    const { style } = this.element;
    style.left = `${Math.min(from.x, to.x)}px`;
    style.top = `${Math.min(from.y, to.y)}px`;
    style.width = `${Math.abs(to.x - from.x)}px`;
    style.height = `${Math.abs(to.y - from.y)}px`;
    this.element.classList.toggle("touching", to.x < from.x);
  }

  select(from: Vector2, to: Vector2, more: boolean): void {
    const low = new Vector2(Math.min(from.x, to.x), Math.min(from.y, to.y)), high = new Vector2(Math.max(from.x, to.x), Math.max(from.y, to.y));
    const touching = to.x < from.x;
    const { rig } = this.bench.stage;
    const inside = (point: Vector3): boolean => {
      const p = rig.project(point);
      return p !== null && p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y;
    };
    const found: string[] = [];
    for (const [path, points] of this.outlines()) {
      if (points.length > 0 && (touching ? points.some(inside) : points.every(inside))) found.push(path);
    }
    const { store } = this.bench;
    const whole = new Set(found);
    const outermost = found.filter((path) => !path.includes("/") || !whole.has(path.split("/")[0])); // a cable stands for its ends
    store.select(more ? [...new Set([...store.get("selection"), ...outermost])] : outermost);
  }

  /** Points that stand for each thing that is shown. */
  private *outlines(): Iterable<[string, Vector3[]]> {
    const { parts, cables, markers } = this.bench;
    for (const [name, { shape, group }] of parts.views) {
      if (!group.visible || shape === null) continue;
      const at = shape.geometry.attributes.position;
      const step = Math.max(1, Math.floor(at.count / 600));
      const points: Vector3[] = [];
      for (let i = 0; i < at.count; i += step) points.push(new Vector3().fromBufferAttribute(at, i).applyMatrix4(group.matrixWorld));
      yield [name, points];
    }
    for (const [name, { tube, group }] of cables.views) {
      if (!group.visible || tube === null) continue;
      yield [name, Array.from({ length: tube.rings }, (_, i) => new Vector3().fromArray(tube.centre, 3 * i))];
    }
    for (const { path, object } of markers.all.values()) if (object.visible) yield [path, [object.position]];
  }
}
