// Frames for a line of points that has none: carried along without turning about the line.
import { Matrix4, Quaternion, Vector3 } from "three";

export interface Carried {
  positions: Float32Array;
  quaternions: Float32Array; // w first
  total: number; // length
}

export function transported(points: readonly (readonly [number, number, number])[]): Carried {
  const p = points.map((k) => new Vector3(...k));
  const n = p.length;
  const positions = new Float32Array(3 * n), quaternions = new Float32Array(4 * n);
  let d1 = new Vector3(0, 0, 1);
  let total = 0;
  for (let i = 0; i < n; i++) {
    const d3 = p[Math.min(n - 1, i + 1)].clone().sub(p[Math.max(0, i - 1)]).normalize();
    if (i > 0) total += p[i].distanceTo(p[i - 1]);
    let across = d1.clone().addScaledVector(d3, -d1.dot(d3));
    if (across.lengthSq() < 1e-6) across = new Vector3(1, 0, 0).addScaledVector(d3, -d3.x);
    d1 = across.normalize();
    const q = new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(d1, d3.clone().cross(d1), d3));
    p[i].toArray(positions, 3 * i);
    quaternions.set([q.w, q.x, q.y, q.z], 4 * i);
  }
  return { positions, quaternions, total };
}
