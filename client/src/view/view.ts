// The 3D half of the page, put together.
import { Box3, Sphere } from "three";
import type { Connection } from "../connection";
import type { Store } from "../store";
import { Cables } from "./cables";
import { Grid } from "./grid";
import { Parts } from "./parts";
import { Stage } from "./stage";

export class View3D {
  readonly stage: Stage;
  readonly cables: Cables;
  readonly parts: Parts;
  readonly grid: Grid;
  private title: string | null = null;

  constructor(
    element: HTMLElement,
    private readonly store: Store,
    readonly connection: Connection,
  ) {
    this.stage = new Stage(element, store);
    this.grid = new Grid(this.stage);
    this.cables = new Cables(this.stage, store);
    this.parts = new Parts(this.stage, store);
    this.cables.onFrame(() => this.settle());
    this.parts.onShape(() => this.settle());
  }

  bounds(paths?: readonly string[]): Box3 {
    const names = paths === undefined ? undefined : new Set(paths.flatMap((path) => [path, path.split("/")[0]]));
    return this.cables.bounds(names).union(this.parts.bounds(names));
  }

  /** Floor, shadow and depth follow what there is; a newly opened scene is shown whole. */
  private settle(): void {
    if (this.store.get("dragging") !== null) return;
    const bounds = this.bounds();
    if (bounds.isEmpty()) return;
    const radius = bounds.getBoundingSphere(new Sphere()).radius;
    this.stage.setBounds(bounds);
    this.grid.setFloor(bounds.min.z - 0.02 * radius, radius);
    const title = this.store.get("scene")?.file ?? this.store.get("scene")?.title ?? "";
    if (title !== this.title) {
      this.title = title;
      this.stage.rig.standard("isometric", bounds);
    }
  }
}
