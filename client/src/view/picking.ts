// What a pointer is on. Markers and cables count a little before parts: they are thin, and what one came for.
import { Box3, DoubleSide, Ray, Vector3, type Intersection, type Plane } from "three";
import type { Pointer } from "../pointer";
import type { Store } from "../store";
import type { Cables, CableView } from "./cables";
import { nearestOnSegment } from "./lines";
import type { Markers } from "./markers";
import type { Parts, PartView } from "./parts";
import type { Ropes } from "./ropes";

export interface Hit {
  kind: "marker" | "cable" | "rope" | "part";
  path: string;
  point: Vector3; // where the pointer touches it
  distance: number; // along the ray
  at: number | null; // place on a cable; of a rope the link that the span leaves
  normal: Vector3 | null; // of a part's surface, towards the pointer
}

const MARKER_REACH = 1.4; // times the pointer's reach
const CABLE_REACH = 0.9;

export class Picking {
  cut: { parts: Plane[]; cables: Plane[] } = { parts: [], cables: [] };

  constructor(
    private readonly store: Store,
    private readonly cables: Cables,
    private readonly parts: Parts,
    private readonly markers: Markers,
    private readonly ropes: Ropes,
  ) {}

  /** The nearest thing under the pointer that is shown. */
  pick(pointer: Pointer, wanted: { markers?: boolean; cables?: boolean; parts?: boolean; ropes?: boolean } = {}): Hit | null {
    const part = wanted.parts === false ? null : this.part(pointer);
    const marker = wanted.markers === false ? null : this.marker(pointer);
    const cable = wanted.cables === false ? null : this.cable(pointer);
    // A marker sits inside its support and a cable on its part: what is just below a surface is still meant.
    const limit = part === null ? Infinity : part.distance;
    if (marker !== null) {
      const slack = this.slack(marker, pointer);
      const covered = cable !== null && cable.distance < marker.distance - 4 * slack;
      if (marker.distance - slack < limit && !covered) return marker;
    }
    if (cable !== null && cable.distance < limit + this.slack(cable, pointer)) return cable;
    const rope = wanted.ropes === true ? this.ropes.pick(pointer) : null;
    return rope !== null && rope.distance < limit + 2 * pointer.reach(rope.point) ? rope : part;
  }

  private slack(hit: Hit, pointer: Pointer): number {
    const radius = this.cables.views.get(hit.path)?.info.radius ?? this.markers.all.get(hit.path)?.radius ?? 0;
    return radius + pointer.reach(hit.point);
  }

  private marker(pointer: Pointer): Hit | null {
    let best: Hit | null = null;
    let least = Infinity;
    for (const marker of this.markers.all.values()) {
      if (!marker.object.visible) continue;
      const centre = marker.object.position;
      if (this.isCut(centre, this.cut.cables)) continue;
      const reach = Math.max(marker.radius * marker.object.scale.x, MARKER_REACH * pointer.reach(centre));
      const gap = pointer.ray.distanceToPoint(centre);
      if (gap > reach) continue;
      const distance = centre.clone().sub(pointer.ray.origin).dot(pointer.ray.direction);
      const score = distance + gap; // nearest, and nearest to the ray among equals
      if (distance <= 0 || score >= least) continue;
      least = score;
      best = { kind: "marker", path: marker.path, point: centre.clone(), distance, at: marker.at, normal: null };
    }
    return best;
  }

  private cable(pointer: Pointer): Hit | null {
    let best: Hit | null = null;
    for (const [name, view] of this.cables.views) {
      if (!view.group.visible) continue;
      const hit = this.onCable(name, view, pointer);
      if (hit !== null && (best === null || hit.distance < best.distance)) best = hit;
    }
    return best;
  }

  /** The place on one cable's centreline nearest to the ray, the front one where it crosses itself. */
  onCable(name: string, view: CableView, pointer: Pointer, reach = CABLE_REACH): Hit | null {
    const { tube, info } = view;
    if (tube === null) return null;
    const { centre, rings } = tube;
    const box = new Box3(tube.low.clone(), tube.high.clone());
    const margin = Math.max(2 * info.radius, 2 * pointer.reach(box.getCenter(new Vector3())));
    if (!pointer.ray.intersectsBox(box.expandByScalar(margin))) return null;
    const a = new Vector3(), b = new Vector3().fromArray(centre, 0);
    let best: Hit | null = null;
    let least = Infinity;
    for (let i = 0; i + 1 < rings; i++) {
      a.copy(b);
      b.fromArray(centre, 3 * i + 3);
      const { onRay, onLine, distance } = nearestOnSegment(pointer.ray, a, b);
      const point = a.clone().lerp(b, onLine);
      const allowed = Math.max(info.radius, reach * pointer.reach(point));
      if (distance > allowed || onRay <= 0 || this.isCut(point, this.cut.cables)) continue;
      // Within the cable's own thickness the front counts, beside it the nearest.
      const score = onRay + distance * (distance > info.radius ? 8 : 1);
      if (score >= least) continue;
      least = score;
      const skin = Math.sqrt(Math.max(0, info.radius ** 2 - distance ** 2)); // the ray meets it before the centreline
      best = { kind: "cable", path: name, point, distance: Math.max(0, onRay - skin), at: (i + onLine) / (rings - 1), normal: null };
    }
    return best;
  }

  /** The surface point of a part under the pointer. */
  part(pointer: Pointer, except?: ReadonlySet<string>): Hit | null {
    let best: Hit | null = null;
    for (const [name, view] of this.parts.views) {
      if (!view.group.visible || view.shape === null || except?.has(name)) continue;
      const hit = this.onPart(name, view, pointer.ray);
      if (hit !== null && (best === null || hit.distance < best.distance)) best = hit;
    }
    return best;
  }

  private onPart(name: string, view: PartView, ray: Ray): Hit | null {
    const { shape, group } = view;
    if (shape === null) return null;
    const local = ray.clone().applyMatrix4(group.matrixWorld.clone().invert());
    const found = this.cut.parts.length > 0 ? this.firstUncut(shape.tree.raycast(local, DoubleSide), view) : shape.tree.raycastFirst(local, DoubleSide);
    if (found === null || found.face === null || found.face === undefined) return null;
    const point = found.point.clone().applyMatrix4(group.matrixWorld);
    const normal = found.face.normal.clone().transformDirection(group.matrixWorld);
    if (normal.dot(ray.direction) > 0) normal.negate();
    return { kind: "part", path: name, point, distance: point.distanceTo(ray.origin), at: null, normal };
  }

  private firstUncut(all: Intersection[], view: PartView): Intersection | null {
    all.sort((a, b) => a.distance - b.distance);
    return all.find(({ point }) => !this.isCut(point.clone().applyMatrix4(view.group.matrixWorld), this.cut.parts)) ?? null;
  }

  private isCut(point: Vector3, planes: Plane[]): boolean {
    return planes.some((plane) => plane.distanceToPoint(point) < 0);
  }

  isLocked(path: string): boolean {
    const locked = this.store.get("scene")?.locked ?? [];
    return locked.includes(path) || locked.includes(path.split("/")[0]);
  }
}
