// Rays against lines, planes and circles: what dragging along something comes down to.
import { Vector3, type Ray } from "three";

export interface Approach {
  onRay: number; // distance along the ray
  onLine: number; // multiple of the line's direction
  distance: number;
}

/** Where a ray comes nearest to the line through `origin` along `direction`; none where they are parallel. */
export function nearest(ray: Ray, origin: Vector3, direction: Vector3): Approach | null {
  const w = origin.clone().sub(ray.origin);
  const a = direction.lengthSq(), b = ray.direction.dot(direction);
  const d = direction.dot(w), e = ray.direction.dot(w);
  const det = a - b * b;
  if (det < 1e-9 * a) return null;
  const onLine = (b * e - d) / det;
  const onRay = Math.max(0, e + b * onLine);
  const gap = w.addScaledVector(direction, onLine).addScaledVector(ray.direction, -onRay);
  return { onRay, onLine, distance: gap.length() };
}

/** Like `nearest`, but between a and b only. */
export function nearestOnSegment(ray: Ray, a: Vector3, b: Vector3): Approach {
  const direction = b.clone().sub(a);
  const free = nearest(ray, a, direction);
  const onLine = Math.max(0, Math.min(1, free?.onLine ?? 0));
  const point = a.clone().addScaledVector(direction, onLine);
  const onRay = Math.max(0, point.clone().sub(ray.origin).dot(ray.direction));
  return { onRay, onLine, distance: point.distanceTo(ray.at(onRay, new Vector3())) };
}

/** Where a ray meets the plane through `point`; none where it runs along it or away from it. */
export function onPlane(ray: Ray, point: Vector3, normal: Vector3): Vector3 | null {
  const slope = ray.direction.dot(normal);
  if (Math.abs(slope) < 1e-6) return null;
  const t = point.clone().sub(ray.origin).dot(normal) / slope;
  return t < 0 ? null : ray.at(t, new Vector3());
}

export function distanceToRay(ray: Ray, point: Vector3): number {
  return ray.distanceToPoint(point);
}
