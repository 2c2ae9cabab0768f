// Where a thing is taken hold of by its name: a support at its place, a part in its middle, several in their middle.
import { Box3, Quaternion, Vector3 } from "three";
import type { Bench } from "./bench";
import type { Held } from "./dragging";

/** Taking hold of a support, junction or part in its middle; none where the thing has no pose of its own. */
export function holdOf(bench: Bench, path: string): Held | null {
  const one = { path, at: null, others: [], moving: new Set([path]) };
  const marker = bench.markers.all.get(path);
  if (marker !== undefined) {
    const position = marker.object.position.clone();
    const quaternion = marker.turns ? marker.object.quaternion.clone() : null;
    return { ...one, position, quaternion, touched: position.clone(), mate: quaternion };
  }
  const part = bench.parts.views.get(path);
  if (part === undefined || !part.group.visible) return null;
  const position = part.group.position.clone(), quaternion = part.group.quaternion.clone();
  const box = part.shape?.geometry.boundingBox ?? new Box3(new Vector3(), new Vector3());
  const middle = box.getCenter(new Vector3()).applyMatrix4(part.group.matrixWorld);
  return { ...one, position, quaternion, touched: middle, mate: null };
}

/** Taking hold of all that is selected, the first of `paths` leading; of a cable, by all that holds it. None where
 * nothing of it can be moved. */
export function holdAll(bench: Bench, paths: readonly string[]): Held | null {
  const all = [...new Set(paths.flatMap((path) => (bench.cables.views.has(path) ? supportsOf(bench, path) : [path])))];
  const held = all.filter((path) => !bench.picking.isLocked(path) && bench.markers.all.get(path)?.kind !== "free").map((path) => holdOf(bench, path));
  const [first, ...others] = held.filter((k) => k !== null);
  if (first === undefined || others.length === 0) return first ?? null;
  const touched = others.reduce((sum, k) => sum.add(k.touched), first.touched.clone()).divideScalar(others.length + 1);
  const quaternion = first.quaternion ?? new Quaternion();
  return { ...first, quaternion, touched, mate: null, others: others.map((k) => k.path), moving: new Set([first, ...others].map((k) => k.path)) };
}

function supportsOf(bench: Bench, cable: string): string[] {
  return [...bench.markers.all.values()].filter((k) => k.cable === cable).map((k) => k.path);
}
