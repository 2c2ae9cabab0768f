// A plane that cuts parts open. What is solid shows a filled face where it is cut.
//
// The fill is drawn where more back faces than front faces of the cut solids lie in front of the eye: there the plane
// is inside one of them (counted in the stencil buffer).
import {
  AlwaysStencilFunc,
  BackSide,
  Box3,
  DecrementWrapStencilOp,
  DoubleSide,
  FrontSide,
  Group,
  IncrementWrapStencilOp,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  NotEqualStencilFunc,
  Plane,
  PlaneGeometry,
  ReplaceStencilOp,
  Vector3,
  type Side,
  type StencilOp,
} from "three";
import type { Bench } from "./bench";
import type { Overlays } from "./overlays";

export class SectionPlane {
  private readonly plane = new Plane();
  private readonly counters = new Group();
  private readonly back = counter(BackSide, IncrementWrapStencilOp);
  private readonly front = counter(FrontSide, DecrementWrapStencilOp);
  private readonly fill = new MeshStandardMaterial({ roughness: 0.9, side: DoubleSide, ...stencil(ReplaceStencilOp), stencilFunc: NotEqualStencilFunc });
  readonly cap = new Mesh(new PlaneGeometry(2, 2), this.fill);

  constructor(
    private readonly bench: Bench,
    private readonly overlays: Overlays,
    private readonly bounds: () => Box3,
  ) {
    const { stage, store, parts } = bench;
    this.cap.renderOrder = 1.1;
    this.cap.onAfterRender = (renderer) => renderer.clearStencil();
    this.back.clippingPlanes = this.front.clippingPlanes = [this.plane];
    stage.scene.add(this.counters, this.cap);
    stage.onTheme((colours) => this.fill.color.set(colours.cap));
    store.on("options", (now, was) => {
      if (now.section.on && !was.section.on) this.meet();
      if (now.section !== was.section) this.update();
    });
    store.on("scene", () => this.update());
    parts.onShape(() => this.update());
    stage.beforeDraw(() => this.follow());
    this.update();
  }

  /** A plane that is switched on where it would cut off all or next to nothing goes to the middle of the scene. */
  private meet(): void {
    const { store } = this.bench;
    const { section } = store.get("options");
    const normal = new Vector3(...section.normal).normalize();
    const bounds = this.bounds();
    const middle = bounds.getCenter(new Vector3()).dot(normal), size = bounds.getSize(new Vector3());
    const half = 0.5 * (Math.abs(normal.x) * size.x + Math.abs(normal.y) * size.y + Math.abs(normal.z) * size.z);
    if (Math.abs(section.offset - middle) > 0.8 * half) store.setOptions({ section: { ...section, offset: middle } });
  }

  private update(): void {
    const { parts, cables, markers, picking, stage, store } = this.bench;
    const { on, normal, offset, cables: withCables } = store.get("options").section;
    // Kept is what lies behind the plane as seen along its normal.
    const direction = new Vector3(...normal).normalize();
    this.plane.normal.copy(direction).negate();
    this.plane.constant = offset;
    const planes = on ? [this.plane] : [];
    parts.cut(planes);
    cables.cut(on && withCables ? planes : []);
    markers.cut(on && withCables ? planes : []);
    this.overlays.cut(on && withCables ? planes : []);
    picking.cut = { parts: planes, cables: on && withCables ? planes : [] };
    this.counters.clear();
    this.cap.visible = on;
    if (on) for (const view of parts.views.values()) this.count(view);
    this.lay(direction);
    stage.moved();
  }

  /** The fill covers what the scene can fill of the plane. */
  private lay(direction: Vector3): void {
    const bounds = this.bounds();
    this.plane.projectPoint(bounds.getCenter(new Vector3()), this.cap.position);
    this.cap.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), direction);
    const size = bounds.getSize(new Vector3()).multiplyScalar(0.5);
    const half = (x: number, y: number): number => {
      const axis = new Vector3(x, y, 0).applyQuaternion(this.cap.quaternion);
      return Math.max(0.001, 1.06 * (Math.abs(axis.x) * size.x + Math.abs(axis.y) * size.y + Math.abs(axis.z) * size.z));
    };
    this.cap.scale.set(half(1, 0), half(0, 1), 1);
  }

  private count({ shape, info, group }: { shape: { geometry: Mesh["geometry"] } | null; info: { solid: boolean }; group: Group }): void {
    if (shape === null || !info.solid || !group.visible) return;
    for (const material of [this.back, this.front]) {
      const mesh = new Mesh(shape.geometry, material);
      mesh.renderOrder = 1;
      mesh.matrixAutoUpdate = false;
      mesh.matrix = group.matrixWorld; // moves with the part
      this.counters.add(mesh);
    }
  }

  private follow(): void {
    for (const mesh of this.counters.children) mesh.matrixWorldNeedsUpdate = true;
  }
}

function counter(side: Side, op: StencilOp): MeshBasicMaterial {
  return new MeshBasicMaterial({ side, depthWrite: false, depthTest: false, colorWrite: false, ...stencil(op), stencilFunc: AlwaysStencilFunc });
}

/** The same whatever the tests of depth and stencil say. */
function stencil(op: StencilOp): { stencilWrite: true; stencilRef: 0; stencilFail: StencilOp; stencilZFail: StencilOp; stencilZPass: StencilOp } {
  return { stencilWrite: true, stencilRef: 0, stencilFail: op, stencilZFail: op, stencilZPass: op };
}
