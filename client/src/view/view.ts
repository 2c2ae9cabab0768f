// The 3D half of the page, put together.
import { Box3, Sphere, Vector3 } from "three";
import type { Connection } from "../connection";
import type { View } from "../messages";
import type { Handler, Pointer } from "../pointer";
import type { Offer, StandardView, Store, Viewport } from "../store";
import { Arrows } from "./arrows";
import { Axles } from "./axles";
import type { Bench } from "./bench";
import { Boxes } from "./boxes";
import { Cables } from "./cables";
import { Clipping } from "./clipping";
import { Directors } from "./directors";
import { Envelopes } from "./envelopes";
import { Gizmo } from "./gizmo";
import { Grid } from "./grid";
import { Holding } from "./holding";
import { listenToKeys } from "./keys";
import { Labels } from "./labels";
import { Laying } from "./laying";
import { Legend } from "./legend";
import { Markers } from "./markers";
import { Measuring } from "./measuring";
import { Mouse } from "./mouse";
import { Offering } from "./offering";
import { Overlays } from "./overlays";
import { Parts } from "./parts";
import { Picking } from "./picking";
import { Places } from "./places";
import { Ropes } from "./ropes";
import { SectionPlane } from "./section";
import { SectionHandle } from "./sectionhandle";
import { Selecting } from "./selecting";
import { SnapMark } from "./snapmark";
import { Snapping } from "./snapping";
import { Spans } from "./spans";
import { Stage } from "./stage";
import { Triad } from "./triad";

export class View3D implements Viewport {
  readonly bench: Bench;
  private readonly grid: Grid;
  readonly gizmo: Gizmo;
  private readonly section: SectionHandle;
  private readonly mouse: Mouse;
  private readonly tools: { select: Selecting; cable: Laying; clip: Clipping; measure: Measuring };
  private opened: string | null = null;
  private readonly offering: Offering;
  private before: View | null = null; // something was offered
  private waiting = false; // for meshes and shapes of a scene just opened

  constructor(
    element: HTMLElement,
    private readonly store: Store,
    connection: Connection,
  ) {
    const stage = new Stage(element, store);
    this.grid = new Grid(stage);
    const cables = new Cables(stage, store);
    const parts = new Parts(stage, store);
    const markers = new Markers(stage, store, cables);
    const ropes = new Ropes(stage, store);
    const picking = new Picking(store, cables, parts, markers, ropes);
    const [labels, snapping, snapMark] = [new Labels(stage), new Snapping(parts, picking), new SnapMark(stage)];
    const bench = { stage, store, connection, cables, parts, ropes, markers, picking, labels, snapping, snapMark };
    this.bench = bench;
    this.section = new SectionHandle(bench, new SectionPlane(bench, new Overlays(bench), () => this.bounds()));
    new Directors(bench);
    new Envelopes(bench);
    new Spans(bench);
    new Axles(bench);
    this.offering = new Offering(stage);
    new Arrows(bench);
    new Places(bench);
    new Holding(bench);
    new Legend(bench);
    new Triad(stage, (view) => this.standard(view));
    this.gizmo = new Gizmo(bench);
    this.tools = { select: new Selecting(bench), cable: new Laying(bench, () => (this.bounds().isEmpty() ? this.grid.height : null)), clip: new Clipping(bench), measure: new Measuring(bench) };
    const boxes = new Boxes(bench);
    this.mouse = new Mouse(stage, {
      handlers: () => this.handlers(),
      touched: (pointer) => this.touched(pointer),
      box: (from, to, more) => boxes.select(from, to, more),
      showBox: (from, to) => boxes.show(from, to),
      look: (pointer) => this.look(pointer),
      hint: (text) => store.set("hint", text),
    });
    cables.onFrame(() => this.settle());
    parts.onShape(() => this.settle());
    store.on("dragging", (path) => path === null && this.settle());
    store.on("tool", () => store.set("hint", "")); // of the tool before
    listenToKeys(store, this);
    store.set("viewport", this);
  }

  bounds(paths?: readonly string[]): Box3 {
    const { cables, parts, markers, ropes } = this.bench;
    const names = paths === undefined ? undefined : new Set(paths);
    const box = cables.bounds(names).union(parts.bounds(names)).union(ropes.bounds(names));
    for (const path of paths ?? []) {
      const marker = markers.all.get(path);
      if (marker !== undefined) box.union(new Box3().setFromCenterAndSize(marker.object.position, new Vector3().setScalar(16 * marker.radius)));
    }
    return box;
  }

  fit(paths?: readonly string[]): void {
    const box = this.bounds(paths);
    this.bench.stage.rig.fit(box.isEmpty() ? this.bounds() : box);
  }

  standard(view: StandardView): void {
    this.bench.stage.rig.standard(view, this.bounds());
  }

  goTo(view: View): void {
    this.store.setOptions({ orthographic: view.orthographic });
    this.bench.stage.rig.goTo(view);
  }

  current(name: string): View {
    return this.bench.stage.rig.current(name);
  }

  picture(): string {
    return this.bench.stage.picture();
  }

  offer(offer: Offer | null): void {
    const { stage } = this.bench;
    const box = this.offering.show(offer).union(this.bounds());
    stage.setBounds(box);
    if (offer !== null) {
      this.before ??= this.current("before");
      stage.rig.fit(box);
    } else if (this.before !== null) {
      stage.rig.goTo(this.before);
      this.before = null;
    }
  }

  /** Esc: ends a drag, forgets half a measure or cable, leaves the tool, then the selection; one at a time. */
  cancel(): void {
    if (this.mouse.cancel()) return;
    const { cable, measure } = this.tools;
    if (cable.reset() || measure.reset()) return;
    if (this.store.get("tool") !== "select") this.store.set("tool", "select");
    else this.store.select([]);
  }

  private handlers(): readonly Handler[] {
    const tool = this.store.get("tool");
    if (tool !== "select") return [this.section, this.tools[tool]];
    return [this.section, this.gizmo, this.tools.select];
  }

  private look(pointer: Pointer): void {
    const hit = this.store.get("tool") === "select" ? this.bench.picking.pick(pointer) : null;
    if (hit !== null) this.fit([hit.path]);
  }

  private touched(pointer: Pointer): Vector3 | null {
    return this.bench.picking.pick(pointer)?.point ?? null;
  }

  /** Floor, shadow and depth follow what there is; a newly opened scene is shown whole. */
  private settle(): void {
    if (this.store.get("dragging") !== null) return;
    const bounds = this.bounds();
    if (bounds.isEmpty()) return;
    const { radius } = bounds.getBoundingSphere(new Sphere());
    this.bench.stage.setBounds(bounds);
    const scene = this.store.get("scene");
    const opened = scene?.file ?? scene?.title ?? "";
    const isNew = opened !== this.opened || this.waiting;
    const floor = bounds.min.z - 0.02 * radius;
    if (isNew || bounds.min.z < this.grid.height) this.grid.setFloor(floor, radius); // else it stays: it must not jump
    if (!isNew) return;
    this.opened = opened;
    const strands = this.store.get("frame")?.strands;
    const unseen = scene?.cables.some(({ name }) => strands?.has(name) !== true) ?? true;
    this.waiting = this.bench.parts.waiting || unseen;
    const kept = scene?.views[0];
    if (kept === undefined) this.bench.stage.rig.standard("isometric", bounds, true);
    else this.goTo(kept);
  }
}
