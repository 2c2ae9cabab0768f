// The place on a cable that the pointer is on, here or in a plot, and the one that was clicked, with both distances.
import { Mesh, MeshBasicMaterial, TorusGeometry, Vector3 } from "three";
import type { Place } from "../store";
import { length } from "../units";
import { unitOf, type Bench } from "./bench";

export class Places {
  private readonly hovered: Mesh<TorusGeometry, MeshBasicMaterial>;
  private readonly selected: Mesh<TorusGeometry, MeshBasicMaterial>;

  constructor(private readonly bench: Bench) {
    const { stage, store, cables } = bench;
    this.hovered = ring();
    this.selected = ring();
    stage.scene.add(this.hovered, this.selected);
    stage.onTheme((colours) => {
      this.hovered.material.color.set(colours.hover);
      this.selected.material.color.set(colours.accent);
    });
    const update = (): void => this.update();
    for (const key of ["place", "selectedPlace", "selection", "scene", "dragging"] as const) store.on(key, update);
    cables.onFrame(update);
  }

  private update(): void {
    const { store, labels, cables, stage } = this.bench;
    this.put(this.hovered, store.get("dragging") === null ? store.get("place") : null);
    const place = store.get("selectedPlace");
    const at = this.put(this.selected, place);
    const total = place === null ? undefined : cables.views.get(place.cable)?.strand?.length;
    if (at === null || place === null || total === undefined) labels.remove("place");
    else {
      const unit = unitOf(store);
      labels.put("place", at, `start ${length(place.at * total, unit)} · end ${length((1 - place.at) * total, unit)}`, "selected");
    }
    stage.invalidate();
  }

  private put(ring: Mesh, place: Place | null): Vector3 | null {
    const { cables } = this.bench;
    const point = place === null ? null : cables.point(place.cable, place.at);
    const tangent = place === null ? null : cables.tangent(place.cable, place.at);
    const info = place === null ? undefined : cables.views.get(place.cable)?.info;
    ring.visible = point !== null && tangent !== null && info !== undefined;
    if (point === null || tangent === null || info === undefined) return null;
    ring.position.copy(point);
    ring.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), tangent);
    ring.scale.setScalar(Math.max(info.radius * 1.12, ...info.outline.map(([x, y]) => Math.hypot(x, y) * 1.06)));
    return point;
  }
}

function ring(): Mesh<TorusGeometry, MeshBasicMaterial> {
  const mesh = new Mesh(new TorusGeometry(1.1, 0.13, 12, 40), new MeshBasicMaterial());
  mesh.visible = false;
  return mesh;
}
