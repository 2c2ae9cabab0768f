// What a triangle mesh looks like to a person: smooth where it is round, with edges where it folds.
//
// Vertices at the same place are made one; an edge is sharp where its two triangles meet at more than the crease
// angle, or where it has not two. Normals are averaged only over neighbours that are not across a crease.

export interface Creased {
  positions: Float32Array<ArrayBuffer>; // 9 per triangle
  normals: Float32Array<ArrayBuffer>;
  edges: Float32Array<ArrayBuffer>; // 6 per sharp edge
  edgeVertices: Uint32Array; // 2 per sharp edge: which places it joins
}

const CREASE = Math.cos((28 * Math.PI) / 180);

export function creased(vertices: Float32Array, triangles: Uint32Array): Creased {
  const place = weld(vertices);
  const faces = faceNormals(vertices, triangles);
  const { first, around } = trianglesAround(triangles, place, vertices.length / 3);
  const normals = cornerNormals(triangles, place, faces, first, around);
  const edgeVertices = sharpEdges(triangles, place, faces);
  return { positions: spread(vertices, triangles), normals, edges: spread(vertices, edgeVertices), edgeVertices };
}

/** The points of these vertices, one after the other. */
function spread(vertices: Float32Array, which: Uint32Array): Float32Array<ArrayBuffer> {
  const points = new Float32Array(3 * which.length);
  for (let k = 0; k < which.length; k++) {
    const v = 3 * which[k];
    points[3 * k] = vertices[v];
    points[3 * k + 1] = vertices[v + 1];
    points[3 * k + 2] = vertices[v + 2];
  }
  return points;
}

/** For each vertex the first one at the same place. */
function weld(vertices: Float32Array): Uint32Array {
  const n = vertices.length / 3;
  const bits = new Uint32Array(vertices.buffer, vertices.byteOffset, vertices.length);
  let size = 16;
  while (size < 2 * n) size *= 2;
  const table = new Int32Array(size).fill(-1);
  const place = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const a = bits[3 * i], b = bits[3 * i + 1], c = bits[3 * i + 2];
    let slot = ((Math.imul(a, 73856093) ^ Math.imul(b, 19349663) ^ Math.imul(c, 83492791)) >>> 0) & (size - 1);
    while (table[slot] >= 0) {
      const j = table[slot];
      if (bits[3 * j] === a && bits[3 * j + 1] === b && bits[3 * j + 2] === c) break;
      slot = (slot + 1) & (size - 1);
    }
    if (table[slot] < 0) table[slot] = i;
    place[i] = table[slot];
  }
  return place;
}

/** Of length twice the area. */
function faceNormals(v: Float32Array, triangles: Uint32Array): Float32Array {
  const out = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = v[b] - v[a], uy = v[b + 1] - v[a + 1], uz = v[b + 2] - v[a + 2];
    const wx = v[c] - v[a], wy = v[c + 1] - v[a + 1], wz = v[c + 2] - v[a + 2];
    out[t] = uy * wz - uz * wy;
    out[t + 1] = uz * wx - ux * wz;
    out[t + 2] = ux * wy - uy * wx;
  }
  return out;
}

function trianglesAround(triangles: Uint32Array, place: Uint32Array, vertices: number): { first: Uint32Array; around: Uint32Array } {
  const first = new Uint32Array(vertices + 1);
  for (const v of triangles) first[place[v] + 1]++;
  for (let i = 0; i < vertices; i++) first[i + 1] += first[i];
  const next = first.slice();
  const around = new Uint32Array(triangles.length);
  for (let k = 0; k < triangles.length; k++) around[next[place[triangles[k]]]++] = k - (k % 3);
  return { first, around };
}

function cornerNormals(triangles: Uint32Array, place: Uint32Array, faces: Float32Array, first: Uint32Array, around: Uint32Array): Float32Array<ArrayBuffer> {
  const normals = new Float32Array(3 * triangles.length);
  for (let k = 0; k < triangles.length; k++) {
    const t = k - (k % 3);
    const fx = faces[t], fy = faces[t + 1], fz = faces[t + 2];
    const size = Math.sqrt(fx * fx + fy * fy + fz * fz);
    const p = place[triangles[k]];
    let x = 0, y = 0, z = 0;
    for (let j = first[p]; j < first[p + 1]; j++) {
      const o = around[j];
      const gx = faces[o], gy = faces[o + 1], gz = faces[o + 2];
      if (fx * gx + fy * gy + fz * gz < CREASE * size * Math.sqrt(gx * gx + gy * gy + gz * gz)) continue;
      x += gx;
      y += gy;
      z += gz;
    }
    const n = Math.sqrt(x * x + y * y + z * z) || 1;
    normals[3 * k] = x / n;
    normals[3 * k + 1] = y / n;
    normals[3 * k + 2] = z / n;
  }
  return normals;
}

function sharpEdges(triangles: Uint32Array, place: Uint32Array, faces: Float32Array): Uint32Array {
  let size = 16;
  while (size < 2 * triangles.length) size *= 2;
  const low = new Int32Array(size).fill(-1), high = new Int32Array(size), face = new Int32Array(size), state = new Uint8Array(size);
  for (let k = 0; k < triangles.length; k++) {
    const t = k - (k % 3);
    const p = place[triangles[k]], q = place[triangles[t + ((k + 1) % 3)]];
    if (p === q) continue;
    const a = Math.min(p, q), b = Math.max(p, q);
    let slot = ((Math.imul(a, 73856093) ^ Math.imul(b, 19349663)) >>> 0) & (size - 1);
    while (low[slot] >= 0 && (low[slot] !== a || high[slot] !== b)) slot = (slot + 1) & (size - 1);
    if (low[slot] < 0) {
      low[slot] = a;
      high[slot] = b;
      face[slot] = t;
      state[slot] = 1; // an edge of one triangle so far
    } else {
      state[slot] = state[slot] === 1 && !folded(faces, face[slot], t) ? 2 : 3; // smooth, or sharp
    }
  }
  const edges: number[] = [];
  for (let slot = 0; slot < size; slot++) if (low[slot] >= 0 && state[slot] !== 2) edges.push(low[slot], high[slot]);
  return Uint32Array.from(edges);
}

function folded(faces: Float32Array, t: number, o: number): boolean {
  const fx = faces[t], fy = faces[t + 1], fz = faces[t + 2];
  const gx = faces[o], gy = faces[o + 1], gz = faces[o + 2];
  return fx * gx + fy * gy + fz * gz < CREASE * Math.sqrt(fx * fx + fy * fy + fz * fz) * Math.sqrt(gx * gx + gy * gy + gz * gz);
}
