// Where a thing being placed wants to go: hole centres, frames, corners, edges and faces of parts near the pointer.
import { Matrix4, Quaternion, Vector3, type Ray } from "three";
import type { Pointer } from "../pointer";
import type { Unit } from "../store";
import { length } from "../units";
import { nearest, nearestOnSegment, onPlane } from "./lines";
import type { Parts, PartView } from "./parts";
import type { Hit, Picking } from "./picking";

export type SnapKind = "hole" | "frame" | "corner" | "edge" | "axis" | "face";

export interface Snap {
  kind: SnapKind;
  part: string;
  point: Vector3;
  normal: Vector3 | null; // axis of a hole, normal of a face: towards the pointer
  edge: [Vector3, Vector3] | null;
  direction: Vector3 | null; // of a frame: of the cable that is mounted there
  quaternion: Quaternion | null; // of a frame, where its roll is said too
  text: string;
}

const NOTHING = { normal: null, edge: null, direction: null, quaternion: null };
const CENTRE_REACH = 2.2; // times the pointer's reach: from a hole's centre
const POINT_REACH = 1.6;
const EDGE_REACH = 1.2;
const AXIS_REACH = 0.8;
const AXIS_LENGTH = 8; // radii

export class Snapping {
  constructor(
    private readonly parts: Parts,
    private readonly picking: Picking,
  ) {}

  /** The best place to snap to; `except` are parts that move along. */
  find(pointer: Pointer, unit: Unit, except: ReadonlySet<string> = new Set()): Snap | null {
    const face = this.picking.part(pointer, except);
    const nearer = face === null ? Infinity : face.distance + pointer.reach(face.point);
    let best: { snap: Snap; rank: number; distance: number } | null = null;
    const offer = (snap: Snap, rank: number, distance: number): void => {
      if (distance > nearer && snap.kind !== "frame") return; // behind the surface that is seen
      if (best === null || rank < best.rank || (rank === best.rank && distance < best.distance)) best = { snap, rank, distance };
    };
    for (const [name, view] of this.parts.views) {
      if (!view.group.visible || except.has(name)) continue;
      this.frames(name, view, pointer, offer);
      if (view.shape === null) continue;
      this.holes(name, view, pointer, face, unit, offer);
      this.axes(name, view, pointer, unit, offer);
      const ray = pointer.ray.clone().applyMatrix4(new Matrix4().copy(view.group.matrixWorld).invert());
      const reach = reachOn(view, ray, pointer);
      if (reach === null) continue;
      this.corners(name, view, ray, reach, pointer, offer);
      this.edges(name, view, ray, reach, offer);
    }
    if (face !== null) {
      const { path: part, point, normal, distance } = face;
      offer({ ...NOTHING, kind: "face", part, point, normal, text: `face of ${part}` }, 4, distance);
    }
    return (best as { snap: Snap } | null)?.snap ?? null;
  }

  /** What of a part to take it by: a frame, hole centre or corner of its own under the pointer. */
  own(pointer: Pointer, unit: Unit, part: string): Snap | null {
    const others = new Set([...this.parts.views.keys()].filter((name) => name !== part));
    const snap = this.find(pointer, unit, others);
    return snap !== null && (snap.kind === "frame" || snap.kind === "hole" || snap.kind === "corner") ? snap : null;
  }

  private frames(name: string, view: PartView, pointer: Pointer, offer: Offer): void {
    for (const frame of view.info.frames) {
      const point = new Vector3(...frame.position).applyMatrix4(view.group.matrixWorld);
      if (pointer.ray.distanceToPoint(point) > CENTRE_REACH * pointer.reach(point)) continue;
      const { quaternion: turn } = view.group;
      const direction = frame.direction === null ? null : new Vector3(...frame.direction).applyQuaternion(turn);
      const [w, x, y, z] = frame.quaternion ?? [1, 0, 0, 0];
      const quaternion = frame.quaternion === null ? null : turn.clone().multiply(new Quaternion(x, y, z, w));
      offer({ ...NOTHING, kind: "frame", part: name, point, direction, quaternion, text: `${name}/${frame.name}` }, 0, depth(pointer.ray, point));
    }
  }

  /** Near its centre, or anywhere in an open hole. */
  private holes(name: string, view: PartView, pointer: Pointer, face: Hit | null, unit: Unit, offer: Offer): void {
    const matrix = view.group.matrixWorld;
    for (const circle of view.shape?.features.circles ?? []) {
      const point = circle.centre.clone().applyMatrix4(matrix);
      const axis = circle.axis.clone().transformDirection(matrix);
      const across = onPlane(pointer.ray, point, axis);
      const distance = depth(pointer.ray, point);
      const near = pointer.ray.distanceToPoint(point) < CENTRE_REACH * pointer.reach(point);
      const within = across !== null && across.distanceTo(point) < circle.radius;
      const inHole = within && (face === null || face.distance > across.distanceTo(pointer.ray.origin) + 0.2 * circle.radius);
      if (!near && !inHole) continue;
      if (axis.dot(pointer.ray.direction) > 0) axis.negate();
      offer({ ...NOTHING, kind: "hole", part: name, point, normal: axis, text: `centre Ø ${length(2 * circle.radius, unit)}` }, 1, distance);
    }
  }

  /** On the line through a hole or shaft, a few radii out of it. */
  private axes(name: string, view: PartView, pointer: Pointer, unit: Unit, offer: Offer): void {
    const matrix = view.group.matrixWorld;
    for (const circle of view.shape?.features.circles ?? []) {
      const centre = circle.centre.clone().applyMatrix4(matrix);
      const axis = circle.axis.clone().transformDirection(matrix);
      const along = nearest(pointer.ray, centre, axis);
      if (along === null || Math.abs(along.onLine) > AXIS_LENGTH * circle.radius) continue;
      const point = centre.addScaledVector(axis, along.onLine);
      if (along.distance > AXIS_REACH * pointer.reach(point)) continue;
      if (axis.dot(pointer.ray.direction) > 0) axis.negate();
      offer({ ...NOTHING, kind: "axis", part: name, point, normal: axis, text: `axis Ø ${length(2 * circle.radius, unit)}` }, 3, along.onRay);
    }
  }

  private corners(name: string, view: PartView, ray: Ray, reach: number, pointer: Pointer, offer: Offer): void {
    for (const corner of view.shape?.features.corners ?? []) {
      if (ray.distanceSqToPoint(corner) > (POINT_REACH * reach) ** 2) continue;
      const point = corner.clone().applyMatrix4(view.group.matrixWorld);
      offer({ ...NOTHING, kind: "corner", part: name, point, text: "corner" }, 2, depth(pointer.ray, point));
    }
  }

  private edges(name: string, view: PartView, ray: Ray, reach: number, offer: Offer): void {
    const edges = view.shape?.features.edges;
    if (edges === undefined) return;
    const matrix = view.group.matrixWorld;
    const a = new Vector3(), b = new Vector3(), middle = new Vector3();
    for (let k = 0; k < edges.length; k += 6) {
      a.fromArray(edges, k);
      b.fromArray(edges, k + 3);
      middle.addVectors(a, b).multiplyScalar(0.5);
      if (ray.distanceSqToPoint(middle) > (0.5 * a.distanceTo(b) + EDGE_REACH * reach) ** 2) continue;
      const { onLine, onRay, distance } = nearestOnSegment(ray, a, b);
      if (distance > EDGE_REACH * reach) continue;
      const edge: [Vector3, Vector3] = [a.clone().applyMatrix4(matrix), b.clone().applyMatrix4(matrix)];
      offer({ ...NOTHING, kind: "edge", part: name, point: edge[0].clone().lerp(edge[1], onLine), edge, text: "edge" }, 3, onRay);
    }
  }

}

type Offer = (snap: Snap, rank: number, distance: number) => void;

/** How far beside its edges the pointer may be, where it passes the part; none where it passes far from it. */
function reachOn(view: PartView, ray: Ray, pointer: Pointer): number | null {
  const box = view.shape?.geometry.boundingBox;
  if (box === null || box === undefined) return null;
  const centre = ray.closestPointToPoint(box.getCenter(new Vector3()), new Vector3());
  const reach = pointer.reach(centre.applyMatrix4(view.group.matrixWorld));
  return ray.intersectsBox(box.clone().expandByScalar(2 * reach)) ? reach : null;
}

function depth(ray: Ray, point: Vector3): number {
  return point.clone().sub(ray.origin).dot(ray.direction);
}
