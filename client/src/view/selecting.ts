// The plain tool: point, click to select, drag what is under the pointer.
import { Quaternion, Vector3 } from "three";
import type { Gesture, Handler, Pointer } from "../pointer";
import { length } from "../units";
import { isLoose, unitOf, type Bench } from "./bench";
import { FreeDrag, LockedDrag, type Held } from "./dragging";
import { holdAll, holdOf } from "./holds";
import type { Hit } from "./picking";
import { PullDrag } from "./pulling";

const NEAR = 1.8; // times the pointer's reach

export class Selecting implements Handler {
  constructor(private readonly bench: Bench) {}

  hover(pointer: Pointer): boolean {
    const { store, labels, picking } = this.bench;
    const hit = this.loose(pointer) ?? picking.pick(pointer, { ropes: true });
    store.set("hovered", hit?.path ?? null);
    store.setPlace(hit?.kind === "cable" && hit.at !== null ? { cable: hit.path, at: hit.at } : null);
    labels.say(pointer.screen, hit === null ? "" : this.words(hit));
    store.set("hint", hit === null ? "" : this.hint(hit));
    this.bench.stage.cursor = hit === null || pointer.screen === null ? "" : this.cursor(hit);
    return true;
  }

  gestureAt(pointer: Pointer): Gesture | null {
    const { picking } = this.bench;
    const hit = this.loose(pointer) ?? picking.pick(pointer);
    if (hit === null) return null;
    if (picking.isLocked(hit.path)) return this.isMovable(hit) ? new LockedDrag(this.bench, hit.path) : null;
    if (isLoose(this.bench.store, hit.path)) return new PullDrag(this.bench, hit.path, hit.point);
    const selection = this.bench.store.get("selection");
    const several = hit.kind !== "cable" && selection.length > 1 && selection.includes(hit.path);
    const held = several ? this.holdSeveral(hit, selection) : this.hold(hit, pointer);
    return held === null ? null : new FreeDrag(this.bench, held);
  }

  click(pointer: Pointer): boolean {
    const { store, picking } = this.bench;
    const hit = this.loose(pointer) ?? picking.pick(pointer, { ropes: true });
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

  /** A body of a machine that is small on the screen, near the pointer; nothing that stands before it counts. */
  private loose(pointer: Pointer): Hit | null {
    const { store, parts, picking } = this.bench;
    const on = picking.pick(pointer, { ropes: false });
    if (on !== null && isLoose(store, on.path)) return on;
    let best: Hit | null = null;
    let least = NEAR;
    for (const path of store.get("scene")?.machine?.loose ?? []) {
      const view = parts.views.get(path);
      if (view?.mesh === undefined || view.mesh === null || !view.group.visible || pointer.screen === null) continue;
      const point = view.group.position;
      const gap = pointer.ray.distanceToPoint(point) / pointer.reach(point);
      const distance = point.distanceTo(pointer.ray.origin);
      if (gap >= least || (on !== null && on.distance < distance - 4 * pointer.reach(point))) continue;
      least = gap;
      best = { kind: "part", path, point: point.clone(), distance, at: null, normal: null };
    }
    return best;
  }

  private hold(hit: Hit, pointer: Pointer): Held | null {
    const { cables } = this.bench;
    if (hit.kind === "cable") {
      const point = hit.at === null ? null : cables.point(hit.path, hit.at);
      const alone = { quaternion: null, mate: null, others: [], moving: new Set<string>() };
      return point === null ? null : { path: hit.path, at: hit.at, position: point, touched: hit.point, ...alone };
    }
    return hit.kind === "part" ? this.holdPart(hit, pointer) : holdOf(this.bench, hit.path);
  }

  /** What is under the pointer leads, the others that are selected move along. */
  private holdSeveral(hit: Hit, selection: readonly string[]): Held | null {
    const held = holdAll(this.bench, [hit.path, ...selection]);
    const touched = hit.kind === "part" ? hit.point : this.bench.markers.position(hit.path);
    return held === null || touched === null ? null : { ...held, touched: touched.clone() };
  }

  /** A part is moved by itself only once it is selected: else the view turns. Its own holes and corners are taken exactly. */
  private holdPart(hit: Hit, pointer: Pointer): Held | null {
    const { store, snapping } = this.bench;
    const held = store.get("selection").includes(hit.path) ? holdOf(this.bench, hit.path) : null;
    if (held === null) return null;
    const own = snapping.own(pointer, unitOf(store), hit.path);
    const direction = own?.direction ?? null;
    const mate = own?.quaternion ?? (direction === null ? null : new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), direction));
    return { ...held, touched: own?.point ?? hit.point, mate };
  }

  private words(hit: Hit): string {
    const { store, markers, cables } = this.bench;
    const unit = unitOf(store);
    if (hit.kind === "cable" && hit.at !== null) {
      const total = cables.views.get(hit.path)?.strand?.length ?? 0;
      return `${hit.path}\n${length(hit.at * total, unit)} from start · ${length((1 - hit.at) * total, unit)} from end`;
    }
    if (hit.kind === "rope") return this.bench.ropes.words(hit.path, hit.at ?? 0);
    const marker = markers.all.get(hit.path);
    if (isLoose(store, hit.path)) return `${hit.path}\ndrag to pull it`;
    return marker === undefined ? hit.path : `${hit.path}\n${marker.kind}`;
  }

  private cursor(hit: Hit): string {
    return this.isMovable(hit) && !this.bench.picking.isLocked(hit.path) ? "grab" : "pointer";
  }

  private isMovable(hit: Hit): boolean {
    if (hit.kind === "rope") return false;
    return hit.kind !== "part" || isLoose(this.bench.store, hit.path) || this.bench.store.get("selection").includes(hit.path);
  }

  private hint(hit: Hit): string {
    if (this.bench.picking.isLocked(hit.path)) return "Locked: the padlock in the tree unlocks it";
    if (hit.kind === "rope") return "Click: select the rope";
    if (isLoose(this.bench.store, hit.path)) return "Drag: pull it with a soft spring; while paused, time runs only as long as you pull";
    if (hit.kind === "cable") return "Click: select · drag: pull the cable · hold X, Y or Z while dragging: along that axis";
    if (hit.kind === "marker") return "Click: select, then turn it with the gizmo · drag: move";
    return this.bench.store.get("selection").includes(hit.path) ? "Drag: move it in the view" : "Click: select, then move it";
  }
}
