// The skin of one cable, from the positions and frames at its points: swept smoothly between them, updated in place.
//
// Between two points the centreline is the cubic with the frames' tangents at both ends, and the frame is interpolated;
// so a cable of a few points looks as smooth as it is.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, ShapeUtils, Vector2, Vector3 } from "three";

const RINGS = 160; // at least so many along a cable
const SHARP = Math.cos((35 * Math.PI) / 180); // corners of the outline beyond this are edges

/** The outline as corners with normals; a sharp corner stands twice. */
interface Profile {
  x: number[];
  y: number[];
  nx: number[];
  ny: number[];
  sides: [number, number][];
  cap: [number, number, number][]; // triangles over corners `first`
  first: number[]; // corner of each point of the outline
}

export class Tube {
  readonly geometry = new BufferGeometry();
  readonly rings: number;
  readonly centre: Float32Array; // rings×3
  readonly frames: Float32Array; // rings×4, w first
  readonly low = new Vector3();
  readonly high = new Vector3();
  private readonly between: number; // rings per segment
  private readonly profile: Profile;
  private readonly perRing: number;
  private readonly position: Float32Array;
  private readonly normal: Float32Array;
  private readonly amount: Float32Array;
  private readonly weights: Float32Array; // of the cubic, 4 per step between points

  constructor(
    readonly points: number,
    outline: readonly (readonly [number, number])[],
  ) {
    this.profile = profileOf(outline);
    this.perRing = this.profile.x.length;
    this.between = Math.max(1, Math.ceil(RINGS / (points - 1)));
    this.rings = (points - 1) * this.between + 1;
    this.centre = new Float32Array(3 * this.rings);
    this.frames = new Float32Array(4 * this.rings);
    this.weights = cubicWeights(this.between);
    const caps = 2 * this.profile.first.length;
    const vertices = this.rings * this.perRing + caps;
    this.position = new Float32Array(3 * vertices);
    this.normal = new Float32Array(3 * vertices);
    this.amount = new Float32Array(vertices);
    this.geometry.setAttribute("position", new BufferAttribute(this.position, 3).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute("normal", new BufferAttribute(this.normal, 3).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute("amount", new BufferAttribute(this.amount, 1).setUsage(DynamicDrawUsage));
    this.geometry.setIndex(new BufferAttribute(this.triangles(), 1));
  }

  /** Writes positions, normals and amounts (0…1 along the colour scale, per point). */
  update(positions: Float32Array, quaternions: Float32Array, length: number, amounts: Float32Array): void {
    this.sweep(positions, quaternions, length);
    this.skin(amounts);
    this.caps();
    for (const name of ["position", "normal", "amount"]) this.geometry.attributes[name].needsUpdate = true;
  }

  dispose(): void {
    this.geometry.dispose();
  }

  /** Fills `centre` and `frames`. */
  private sweep(positions: Float32Array, quaternions: Float32Array, length: number): void {
    const { between, weights, centre, frames, low, high } = this;
    const reach = length / (this.points - 1);
    low.set(Infinity, Infinity, Infinity);
    high.set(-Infinity, -Infinity, -Infinity);
    for (let i = 0; i < this.points; i++) {
      const last = i === this.points - 1;
      const a = 3 * i, b = last ? a : a + 3;
      const p = 4 * i, q = last ? p : p + 4;
      const aw = quaternions[p], ax = quaternions[p + 1], ay = quaternions[p + 2], az = quaternions[p + 3];
      const bw = quaternions[q], bx = quaternions[q + 1], by = quaternions[q + 2], bz = quaternions[q + 3];
      const sign = aw * bw + ax * bx + ay * by + az * bz < 0 ? -1 : 1;
      // tangents d3 at both points
      const tax = 2 * (ax * az + aw * ay) * reach, tay = 2 * (ay * az - aw * ax) * reach, taz = (1 - 2 * (ax * ax + ay * ay)) * reach;
      const tbx = 2 * (bx * bz + bw * by) * reach, tby = 2 * (by * bz - bw * bx) * reach, tbz = (1 - 2 * (bx * bx + by * by)) * reach;
      for (let k = 0; k < (last ? 1 : between); k++) {
        const ring = i * between + k;
        const u = k / between;
        const w0 = weights[4 * k], w1 = weights[4 * k + 1], w2 = weights[4 * k + 2], w3 = weights[4 * k + 3];
        const x = w0 * positions[a] + w1 * tax + w2 * positions[b] + w3 * tbx;
        const y = w0 * positions[a + 1] + w1 * tay + w2 * positions[b + 1] + w3 * tby;
        const z = w0 * positions[a + 2] + w1 * taz + w2 * positions[b + 2] + w3 * tbz;
        centre[3 * ring] = x; centre[3 * ring + 1] = y; centre[3 * ring + 2] = z;
        if (x < low.x) low.x = x;
        if (y < low.y) low.y = y;
        if (z < low.z) low.z = z;
        if (x > high.x) high.x = x;
        if (y > high.y) high.y = y;
        if (z > high.z) high.z = z;
        const v = u * sign;
        const w = aw + u * -aw + v * bw, i1 = ax + u * -ax + v * bx, j1 = ay + u * -ay + v * by, k1 = az + u * -az + v * bz;
        const n = 1 / Math.sqrt(w * w + i1 * i1 + j1 * j1 + k1 * k1);
        frames[4 * ring] = w * n; frames[4 * ring + 1] = i1 * n; frames[4 * ring + 2] = j1 * n; frames[4 * ring + 3] = k1 * n;
      }
    }
  }

  private skin(amounts: Float32Array): void {
    const { centre, frames, profile, perRing, between, position, normal, amount } = this;
    for (let ring = 0; ring < this.rings; ring++) {
      const w = frames[4 * ring], x = frames[4 * ring + 1], y = frames[4 * ring + 2], z = frames[4 * ring + 3];
      const d1x = 1 - 2 * (y * y + z * z), d1y = 2 * (x * y + w * z), d1z = 2 * (x * z - w * y);
      const d2x = 2 * (x * y - w * z), d2y = 1 - 2 * (x * x + z * z), d2z = 2 * (y * z + w * x);
      const cx = centre[3 * ring], cy = centre[3 * ring + 1], cz = centre[3 * ring + 2];
      const i = Math.floor(ring / between);
      const u = ring / between - i;
      const value = u === 0 ? amounts[i] : amounts[i] * (1 - u) + amounts[i + 1] * u;
      for (let k = 0; k < perRing; k++) {
        const px = profile.x[k], py = profile.y[k], nx = profile.nx[k], ny = profile.ny[k];
        const v = 3 * (ring * perRing + k);
        position[v] = cx + px * d1x + py * d2x;
        position[v + 1] = cy + px * d1y + py * d2y;
        position[v + 2] = cz + px * d1z + py * d2z;
        normal[v] = nx * d1x + ny * d2x;
        normal[v + 1] = nx * d1y + ny * d2y;
        normal[v + 2] = nx * d1z + ny * d2z;
        amount[v / 3] = value;
      }
    }
  }

  /** The flat ends: copies of the outline with the tangent as normal. */
  private caps(): void {
    const { profile, perRing, position, normal, amount, frames } = this;
    let v = 3 * this.rings * perRing;
    for (const [ring, sign] of [[0, -1], [this.rings - 1, 1]]) {
      const w = frames[4 * ring], x = frames[4 * ring + 1], y = frames[4 * ring + 2], z = frames[4 * ring + 3];
      for (const corner of profile.first) {
        const from = 3 * (ring * perRing + corner);
        position[v] = position[from]; position[v + 1] = position[from + 1]; position[v + 2] = position[from + 2];
        normal[v] = sign * 2 * (x * z + w * y); normal[v + 1] = sign * 2 * (y * z - w * x); normal[v + 2] = sign * (1 - 2 * (x * x + y * y));
        amount[v / 3] = amount[from / 3];
        v += 3;
      }
    }
  }

  private triangles(): Uint32Array {
    const { profile, perRing, rings } = this;
    const index: number[] = [];
    for (let ring = 0; ring + 1 < rings; ring++) {
      const here = ring * perRing, next = here + perRing;
      for (const [a, b] of profile.sides) index.push(here + a, here + b, next + b, here + a, next + b, next + a);
    }
    const start = rings * perRing, end = start + profile.first.length;
    for (const [a, b, c] of profile.cap) index.push(start + a, start + c, start + b, end + a, end + b, end + c);
    return Uint32Array.from(index);
  }
}

/** A circle for cables that have no outline of their own. */
export function circle(radius: number, corners = 20): [number, number][] {
  const turn = (2 * Math.PI) / corners;
  return Array.from({ length: corners }, (_, k) => [radius * Math.cos(k * turn), radius * Math.sin(k * turn)]);
}

function profileOf(outline: readonly (readonly [number, number])[]): Profile {
  const contour = outline.map(([x, y]) => new Vector2(x, y));
  if (ShapeUtils.isClockWise(contour)) contour.reverse();
  const n = contour.length;
  const out = contour.map((p, i) => {
    const along = contour[(i + 1) % n].clone().sub(p).normalize();
    return new Vector2(along.y, -along.x);
  });
  const profile: Profile = { x: [], y: [], nx: [], ny: [], sides: [], cap: [], first: [] };
  const add = (p: Vector2, normal: Vector2): number => {
    profile.nx.push(normal.x);
    profile.ny.push(normal.y);
    profile.y.push(p.y);
    return profile.x.push(p.x) - 1;
  };
  const leaving: number[] = [], arriving: number[] = [];
  contour.forEach((p, i) => {
    const before = out[(i + n - 1) % n], after = out[i];
    if (before.dot(after) < SHARP) {
      arriving.push(add(p, before));
      leaving.push(add(p, after));
    } else {
      const corner = add(p, before.clone().add(after).normalize());
      arriving.push(corner);
      leaving.push(corner);
    }
  });
  profile.first = leaving;
  for (let i = 0; i < n; i++) profile.sides.push([leaving[i], arriving[(i + 1) % n]]);
  profile.cap = ShapeUtils.triangulateShape(contour, []) as [number, number, number][];
  return profile;
}

/** Cubic Hermite weights of start, start tangent, end, end tangent at each step between two points. */
function cubicWeights(steps: number): Float32Array {
  const weights = new Float32Array(4 * steps);
  for (let k = 0; k < steps; k++) {
    const t = k / steps, t2 = t * t, t3 = t2 * t;
    weights.set([2 * t3 - 3 * t2 + 1, t3 - 2 * t2 + t, 3 * t2 - 2 * t3, t3 - t2], 4 * k);
  }
  return weights;
}
