// Rotations as a person types them: a tangent with a roll, or angles about the axes. Quaternions are (w, x, y, z).
import type { Vec3 } from "../store";
import type { Quaternion } from "./page";

export function times(a: Quaternion, b: Quaternion): Quaternion {
  const [aw, ax, ay, az] = a, [bw, bx, by, bz] = b;
  return [
    aw * bw - ax * bx - ay * by - az * bz,
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
  ];
}

export function inverse([w, x, y, z]: Quaternion): Quaternion {
  return [w, -x, -y, -z];
}

/** The third director: where z is turned to. */
export function tangentOf([w, x, y, z]: Quaternion): Vec3 {
  return [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
}

/** The smallest rotation of one unit vector onto another; half a turn about x or y where they are opposite. */
function smallest(a: Vec3, b: Vec3): Quaternion {
  const w = 1 + a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  if (w < 1e-12) return Math.abs(a[0]) < 0.9 ? normal([0, 0, a[2], -a[1]]) : normal([0, -a[2], 0, a[0]]);
  return normal([w, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]);
}

function normal(q: Quaternion): Quaternion {
  const size = Math.hypot(...q) || 1;
  return q.map((k) => k / size) as Quaternion;
}

/** The turn about z that is left of a rotation that keeps z where it is, rad. */
function about([w, , , z]: Quaternion): number {
  return wrapped(2 * Math.atan2(z, w));
}

function wrapped(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

/** The turn of d1 about the tangent, from the frame that the smallest rotation of z onto the tangent gives, rad. */
export function rollOf(q: Quaternion): number {
  return about(times(inverse(smallest([0, 0, 1], tangentOf(q))), q));
}

/** The rotation of frame `b` about its tangent relative to `a` carried over by the smallest rotation of tangents, rad. */
export function twistBetween(a: Quaternion, b: Quaternion): number {
  const carried = times(smallest(tangentOf(a), tangentOf(b)), a);
  return about(times(inverse(carried), b));
}

/** The same angle, whole turns from `near`. */
export function branchNear(angle: number, near: number): number {
  return angle + 2 * Math.PI * Math.round((near - angle) / (2 * Math.PI));
}

/** Turns about the fixed x, then y, then z axis, rad. */
export function anglesOf([w, x, y, z]: Quaternion): Vec3 {
  const sine = Math.max(-1, Math.min(1, 2 * (w * y - z * x)));
  if (Math.abs(sine) > 1 - 1e-9) return [0, (Math.sign(sine) * Math.PI) / 2, Math.sign(sine) * -2 * Math.atan2(x, w)].map(wrapped) as Vec3;
  return [Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), Math.asin(sine), Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))];
}

export function fromAngles([a, b, c]: readonly number[]): Quaternion {
  const turn = (angle: number, axis: 1 | 2 | 3): Quaternion => {
    const q: Quaternion = [Math.cos(angle / 2), 0, 0, 0];
    q[axis] = Math.sin(angle / 2);
    return q;
  };
  return times(turn(c, 3), times(turn(b, 2), turn(a, 1)));
}
