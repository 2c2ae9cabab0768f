// What on a mesh a person would aim at: its edges, corners, and the circles of holes and shafts, found in its sharp edges.
import { Vector3 } from "three";
import type { Creased } from "./creases";

export interface Circle {
  centre: Vector3;
  axis: Vector3;
  radius: number;
}

/** In the part's own axes. */
export interface Features {
  edges: Float32Array; // 6 per edge
  corners: Vector3[]; // where edges end or turn
  circles: Circle[];
}

const ROUND = 7; // a circle has at least so many corners
const OFF_CIRCLE = 0.01; // of its radius
const WIDE = 1.4; // an arc of less than about 40° is taken for a bent edge
const STRAIGHT = Math.cos((20 * Math.PI) / 180); // edges that go on straighter than this have no corner between them

export function featuresOf({ edges, edgeVertices }: Creased): Features {
  const at = new Map<number, number[]>(); // vertex → edges
  const where = new Map<number, Vector3>();
  edgeVertices.forEach((vertex, k) => {
    const list = at.get(vertex);
    if (list === undefined) at.set(vertex, [k >> 1]);
    else list.push(k >> 1);
    if (!where.has(vertex)) where.set(vertex, new Vector3().fromArray(edges, 3 * k));
  });
  const point = (vertex: number): Vector3 => where.get(vertex) as Vector3;
  const circles: Circle[] = [];
  const round = new Set<number>(); // vertices on circles: no corners
  for (const chain of chains(edgeVertices, at)) {
    const circle = circleThrough(chain.map(point));
    if (circle === null) continue;
    circles.push(circle);
    for (const vertex of chain) round.add(vertex);
  }
  const corners: Vector3[] = [];
  for (const [vertex, list] of at) if (!round.has(vertex) && isCorner(vertex, list, edgeVertices, point)) corners.push(point(vertex));
  return { edges, corners, circles: merged(circles) };
}

/** Edges strung together through vertices where just two meet; a closed one ends where it began. */
function chains(edgeVertices: Uint32Array, at: ReadonlyMap<number, number[]>): number[][] {
  const used = new Uint8Array(edgeVertices.length / 2);
  const other = (edge: number, vertex: number): number => (edgeVertices[2 * edge] === vertex ? edgeVertices[2 * edge + 1] : edgeVertices[2 * edge]);
  const walk = (edge: number, from: number): number[] => {
    const chain = [from];
    let next = edge, vertex = from;
    while (used[next] === 0) {
      used[next] = 1;
      vertex = other(next, vertex);
      chain.push(vertex);
      const around = at.get(vertex) ?? [];
      if (around.length !== 2) break;
      next = around[0] === next ? around[1] : around[0];
    }
    return chain;
  };
  const found: number[][] = [];
  for (const [vertex, list] of at) if (list.length !== 2) for (const edge of list) if (used[edge] === 0) found.push(walk(edge, vertex));
  for (let edge = 0; edge < used.length; edge++) if (used[edge] === 0) found.push(walk(edge, edgeVertices[2 * edge]));
  return found;
}

/** The circle all points lie on, if they do. */
function circleThrough(points: Vector3[]): Circle | null {
  const closed = points.length > 2 && points[0].distanceToSquared(points[points.length - 1]) === 0;
  const own = closed ? points.slice(0, -1) : points;
  if (own.length < ROUND) return null;
  const third = Math.floor(own.length / 3);
  const [a, b, c] = closed ? [own[0], own[third], own[2 * third]] : [own[0], own[own.length >> 1], own[own.length - 1]];
  const u = b.clone().sub(a), v = c.clone().sub(a);
  const axis = u.clone().cross(v);
  const area = axis.lengthSq();
  if (area < 1e-16 * u.lengthSq() * v.lengthSq() || area === 0) return null;
  // Circumcentre of three points in space.
  const centre = a
    .clone()
    .addScaledVector(v.clone().cross(axis), u.lengthSq() / (2 * area))
    .addScaledVector(axis.clone().cross(u), v.lengthSq() / (2 * area));
  const radius = centre.distanceTo(a);
  if (radius > WIDE * Math.max(...own.map((p) => p.distanceTo(a)))) return null; // nearly straight
  axis.normalize();
  const near = own.every((p) => {
    const d = p.clone().sub(centre);
    return Math.abs(d.dot(axis)) < OFF_CIRCLE * radius && Math.abs(d.length() - radius) < OFF_CIRCLE * radius;
  });
  return near ? { centre, axis, radius } : null;
}

/** Arcs of one circle are one circle. */
function merged(circles: Circle[]): Circle[] {
  const kept: Circle[] = [];
  for (const circle of circles) {
    const again = kept.some((k) => k.centre.distanceTo(circle.centre) < 0.02 * circle.radius && Math.abs(k.radius - circle.radius) < 0.02 * circle.radius);
    if (!again) kept.push(circle);
  }
  return kept;
}

function isCorner(vertex: number, list: number[], edgeVertices: Uint32Array, point: (vertex: number) => Vector3): boolean {
  if (list.length !== 2) return true;
  const [a, b] = list.map((edge) => {
    const end = edgeVertices[2 * edge] === vertex ? edgeVertices[2 * edge + 1] : edgeVertices[2 * edge];
    return point(end).clone().sub(point(vertex)).normalize();
  });
  return a.dot(b) > -STRAIGHT;
}
