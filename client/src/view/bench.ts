// What every tool works with: the store, the line to the session, and the things in the view.
import type { Connection } from "../connection";
import type { Store, Unit } from "../store";
import type { Cables } from "./cables";
import type { Labels } from "./labels";
import type { Markers } from "./markers";
import type { Parts } from "./parts";
import type { Ropes } from "./ropes";
import type { Picking } from "./picking";
import type { SnapMark } from "./snapmark";
import type { Snapping } from "./snapping";
import type { Stage } from "./stage";

export interface Bench {
  stage: Stage;
  store: Store;
  connection: Connection;
  cables: Cables;
  parts: Parts;
  ropes: Ropes;
  markers: Markers;
  labels: Labels;
  picking: Picking;
  snapping: Snapping;
  snapMark: SnapMark;
}

/** Whether forces move a part, in time. */
export function isLoose(store: Store, path: string): boolean {
  return store.get("scene")?.machine?.loose.includes(path) ?? false;
}

export function unitOf(store: Store): Unit {
  return store.get("scene")?.unit ?? "mm";
}
