// `window.lissom`: what browser tests and the console can ask of the page.
import { Vector3 } from "three";
import type { Connection } from "./connection";
import type { Command, View } from "./messages";
import type { Axis } from "./pointer";
import type { Store, Vec3 } from "./store";
import type { Stage } from "./view/stage";
import type { View3D } from "./view/view";

export interface Hooks {
  store: Store;
  /** Pixels in the page of a point in the world; none behind the eye. */
  project(point: Vec3): [number, number] | null;
  /** The centre of a cable at a fraction of its length. */
  place(cable: string, at: number): Vec3 | null;
  /** The middle of a span of a rope, by the link that it leaves. */
  span(rope: string, link: number): Vec3 | null;
  /** Where an end, clip, junction or part is. */
  position(path: string): Vec3 | null;
  /** Pixels in the page of a handle of the gizmo: "move", "plane" or "turn" of an axis, or the "knob". */
  handle(kind: "move" | "plane" | "turn" | "knob", axis: Axis): [number, number] | null;
  frame(): number | null;
  selection(): readonly string[];
  camera(): View;
  /** Whether the camera stands still. */
  still(): boolean;
  stage: Stage;
  send(command: Command): Promise<unknown>;
  /** Resolves after the next picture was drawn. */
  drawn(): Promise<void>;
}

declare global {
  interface Window {
    lissom: Hooks;
  }
}

export function expose(store: Store, connection: Connection, view: View3D): void {
  const { stage, cables, markers, parts } = view.bench;
  window.lissom = {
    store,
    project: (point) => {
      const p = stage.rig.project(new Vector3(...point));
      const { left, top } = stage.renderer.domElement.getBoundingClientRect();
      return p === null ? null : [p.x + left, p.y + top];
    },
    span: (rope, link) => view.bench.ropes.middle(rope, link)?.toArray() ?? null,
    place: (cable, at) => cables.point(cable, at)?.toArray() ?? null,
    position: (path) => (markers.position(path) ?? parts.views.get(path)?.group.position)?.toArray() ?? null,
    handle: (kind, axis) => {
      const point = view.gizmo.place(kind, axis);
      return point === null ? null : window.lissom.project(point.toArray());
    },
    frame: () => store.get("frame")?.number ?? null,
    selection: () => store.get("selection"),
    camera: () => stage.rig.current("now"),
    still: () => !stage.rig.gliding,
    stage,
    send: (command) => connection.send(command),
    drawn: () => {
      stage.invalidate();
      return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
    },
  };
}
