// The plain tool: point, click to select, drag what is under the pointer.
import { Quaternion, Vector3 } from "three";
import type { Gesture, Handler, Pointer } from "../pointer";
import { length } from "../units";
import { unitOf, type Bench } from "./bench";
import { FreeDrag, type Held } from "./dragging";
import type { Hit } from "./picking";

export class Selecting implements Handler {
  constructor(private readonly bench: Bench) {}

  hover(pointer: Pointer): void {
    const { store, labels, picking } = this.bench;
    const hit = picking.pick(pointer);
    store.set("hovered", hit?.path ?? null);
    store.setPlace(hit?.kind === "cable" && hit.at !== null ? { cable: hit.path, at: hit.at } : null);
    labels.say(pointer.screen, hit === null ? "" : this.words(hit));
    store.set("hint", hit === null ? "" : this.hint(hit));
  }

  gestureAt(pointer: Pointer): Gesture | null {
    const { picking } = this.bench;
    const hit = picking.pick(pointer);
    if (hit === null || hit.kind === "part" || picking.isLocked(hit.path)) return null;
    const held = this.hold(hit);
    return held === null ? null : new FreeDrag(this.bench, held);
  }

  click(pointer: Pointer): boolean {
    const { store, picking } = this.bench;
    const hit = picking.pick(pointer);
    const more = pointer.modifiers.control || pointer.modifiers.shift;
    const now = store.get("selection");
    if (hit === null) {
      if (!more) store.select([]);
      return false;
    }
    const place = hit.kind === "cable" && hit.at !== null ? { cable: hit.path, at: hit.at } : null;
    if (!more) store.select([hit.path], place);
    else if (now.includes(hit.path)) store.select(now.filter((path) => path !== hit.path));
    else store.select([...now, hit.path], place);
    return true;
  }

  private hold(hit: Hit): Held | null {
    const { markers, cables } = this.bench;
    if (hit.kind === "cable") {
      const point = hit.at === null ? null : cables.point(hit.path, hit.at);
      return point === null ? null : { path: hit.path, at: hit.at, position: point, quaternion: null, touched: hit.point, moving: new Set() };
    }
    const marker = markers.all.get(hit.path);
    if (marker === undefined) return null;
    const position = marker.object.position.clone();
    const quaternion = marker.turns ? new Quaternion().copy(marker.object.quaternion) : null;
    return { path: hit.path, at: null, position, quaternion, touched: position.clone(), moving: new Set([hit.path]) };
  }

  private words(hit: Hit): string {
    const { store, markers, cables } = this.bench;
    const unit = unitOf(store);
    if (hit.kind === "cable" && hit.at !== null) {
      const total = cables.views.get(hit.path)?.strand?.length ?? 0;
      return `${hit.path}\n${length(hit.at * total, unit)} from start · ${length((1 - hit.at) * total, unit)} from end`;
    }
    const marker = markers.all.get(hit.path);
    return marker === undefined ? hit.path : `${hit.path}\n${marker.kind}`;
  }

  private hint(hit: Hit): string {
    if (this.bench.picking.isLocked(hit.path)) return "Locked";
    if (hit.kind === "cable") return "Click: select · drag: pull the cable · hold X, Y or Z while dragging: along that axis";
    if (hit.kind === "marker") return "Click: select, then turn it with the gizmo · drag: move";
    return "Click: select, then move it with the gizmo";
  }
}

/** The point halfway through a set of points. */
export function middle(points: readonly Vector3[]): Vector3 {
  return points.reduce((sum, p) => sum.add(p), new Vector3()).multiplyScalar(1 / Math.max(1, points.length));
}
