// Where a thing is taken hold of by its name: a support at its place, a part in its middle.
import { Box3, Vector3 } from "three";
import type { Bench } from "./bench";
import type { Held } from "./dragging";

/** Taking hold of a support, junction or part in its middle; none where the thing has no pose of its own. */
export function holdOf(bench: Bench, path: string): Held | null {
  const marker = bench.markers.all.get(path);
  if (marker !== undefined) {
    const position = marker.object.position.clone();
    return { path, at: null, position, quaternion: marker.turns ? marker.object.quaternion.clone() : null, touched: position.clone(), moving: new Set([path]) };
  }
  const part = bench.parts.views.get(path);
  if (part === undefined || !part.group.visible) return null;
  const { position, quaternion } = part.group;
  const box = part.shape?.geometry.boundingBox ?? new Box3(new Vector3(), new Vector3());
  const middle = box.getCenter(new Vector3()).applyMatrix4(part.group.matrixWorld);
  return { path, at: null, position: position.clone(), quaternion: quaternion.clone(), touched: middle, moving: new Set([path]) };
}
