// Where a thing being placed wants to go: hole centres, frames, corners, edges and faces of parts near the pointer.
import { Matrix4, Quaternion, Vector3, type Ray } from "three";
import type { Pointer } from "../pointer";
import type { Unit } from "../store";
import { length } from "../units";
import { frameOf } from "./frames";
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
  quaternion: Quaternion | null; // of a frame
  text: string;
}

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
    if (face !== null) offer({ kind: "face", part: face.path, point: face.point, normal: face.normal, edge: null, quaternion: null, text: `face of ${face.path}` }, 4, face.distance);
    return (best as { snap: Snap } | null)?.snap ?? null;
  }

  private frames(name: string, view: PartView, pointer: Pointer, offer: Offer): void {
    for (const frame of view.info.frames) {
      const local = frameOf(view.info, frame);
      if (local === null) continue;
      const point = local.position.clone().applyMatrix4(view.group.matrixWorld);
      if (pointer.ray.distanceToPoint(point) > CENTRE_REACH * pointer.reach(point)) continue;
      const quaternion = local.quaternion === null ? null : view.group.quaternion.clone().multiply(local.quaternion);
      offer({ kind: "frame", part: name, point, normal: null, edge: null, quaternion, text: `${name}/${frame}` }, 0, depth(pointer.ray, point));
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
      const inHole = across !== null && across.distanceTo(point) < circle.radius && (face === null || face.distance > across.distanceTo(pointer.ray.origin) + 0.2 * circle.radius);
      if (!near && !inHole) continue;
      if (axis.dot(pointer.ray.direction) > 0) axis.negate();
      offer({ kind: "hole", part: name, point, normal: axis, edge: null, quaternion: null, text: `centre Ø ${length(2 * circle.radius, unit)}` }, 1, distance);
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
      offer({ kind: "axis", part: name, point, normal: axis, edge: null, quaternion: null, text: `axis Ø ${length(2 * circle.radius, unit)}` }, 3, along.onRay);
    }
  }

  private corners(name: string, view: PartView, ray: Ray, reach: number, pointer: Pointer, offer: Offer): void {
    for (const corner of view.shape?.features.corners ?? []) {
      if (ray.distanceSqToPoint(corner) > (POINT_REACH * reach) ** 2) continue;
      const point = corner.clone().applyMatrix4(view.group.matrixWorld);
      offer({ kind: "corner", part: name, point, normal: null, edge: null, quaternion: null, text: "corner" }, 2, depth(pointer.ray, point));
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
      offer({ kind: "edge", part: name, point: edge[0].clone().lerp(edge[1], onLine), normal: null, edge, quaternion: null, text: "edge" }, 3, onRay);
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
