// All parts: fetched once by key, drawn with their edges, moved with every frame.
import { Box3, Group, LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial, type Plane } from "three";
import type { PartInfo, SceneEvent } from "../messages";
import type { FrameData, Store } from "../store";
import { Shapes, type Shape } from "./shapes";
import type { Stage } from "./stage";

const SEE_THROUGH = 0.28;

export class PartView {
  readonly group = new Group();
  readonly material = new MeshStandardMaterial({ roughness: 0.75, metalness: 0.05, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  readonly edgeMaterial = new LineBasicMaterial();
  shape: Shape | null = null;
  mesh: Mesh | null = null;
  lines: LineSegments | null = null;

  constructor(readonly info: PartInfo) {
    this.group.name = info.name;
    this.place(info.position, info.quaternion);
  }

  show(shape: Shape): void {
    this.shape = shape;
    this.mesh = new Mesh(shape.geometry, this.material);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.lines = new LineSegments(shape.edges, this.edgeMaterial);
    this.group.add(this.mesh, this.lines);
  }

  place([x, y, z]: readonly [number, number, number], [w, i, j, k]: readonly [number, number, number, number]): void {
    this.group.position.set(x, y, z);
    this.group.quaternion.set(i, j, k, w);
    this.group.updateMatrixWorld();
  }

  dispose(): void {
    this.material.dispose();
    this.edgeMaterial.dispose();
  }
}

export class Parts {
  readonly views = new Map<string, PartView>();
  private readonly group = new Group();
  private readonly shapes = new Shapes();
  private readonly arrived = new Set<() => void>();

  constructor(
    private readonly stage: Stage,
    private readonly store: Store,
  ) {
    stage.scene.add(this.group);
    stage.onTheme(() => this.paint());
    store.on("scene", (scene) => scene !== null && this.setScene(scene));
    store.on("frame", (frame) => frame !== null && this.setFrame(frame));
    for (const key of ["selection", "hovered"] as const) store.on(key, () => this.paint());
    store.on("options", (now, was) => now.edges !== was.edges && this.paint());
  }

  /** Called when a mesh has arrived. */
  onShape(call: () => void): void {
    this.arrived.add(call);
  }

  /** Whether meshes are still on their way. */
  get waiting(): boolean {
    return [...this.views.values()].some(({ info, shape }) => info.mesh !== null && shape === null);
  }

  bounds(names?: ReadonlySet<string>): Box3 {
    const box = new Box3();
    for (const [name, view] of this.views) {
      if (view.mesh === null || !view.group.visible || (names !== undefined && !names.has(name))) continue;
      const own = view.shape?.geometry.boundingBox;
      if (own !== null && own !== undefined) box.union(own.clone().applyMatrix4(view.group.matrixWorld));
    }
    return box;
  }

  cut(planes: Plane[]): void {
    for (const view of this.views.values()) {
      view.material.clippingPlanes = view.edgeMaterial.clippingPlanes = planes;
      view.material.clipShadows = true;
    }
  }

  private setScene(scene: SceneEvent): void {
    const infos = new Map(scene.parts.map((part) => [part.name, part]));
    for (const [name, view] of this.views) {
      if (infos.get(name)?.mesh === view.info.mesh && infos.has(name)) continue;
      this.group.remove(view.group);
      view.dispose();
      this.views.delete(name);
    }
    for (const info of scene.parts) {
      const known = this.views.get(info.name);
      if (known !== undefined) {
        Object.assign(known.info, info);
        known.place(info.position, info.quaternion);
      } else this.add(info);
    }
    this.paint();
  }

  private add(info: PartInfo): void {
    const view = new PartView({ ...info });
    this.views.set(info.name, view);
    this.group.add(view.group);
    if (info.mesh === null) return;
    this.shapes.get(info.mesh).then(
      (shape) => {
        view.show(shape);
        this.paint();
        for (const call of this.arrived) call();
      },
      (error: Error) => this.store.say("error", `${info.name}: its mesh did not arrive (${error.message})`, info.name),
    );
  }

  private setFrame(frame: FrameData): void {
    for (const [name, view] of this.views) {
      const body = frame.bodies.get(name);
      if (body !== undefined && body.quaternion !== null) view.place(body.position, body.quaternion);
    }
    this.stage.moved();
  }

  private paint(): void {
    const { colours } = this.stage;
    const scene = this.store.get("scene");
    const selected = new Set(this.store.get("selection"));
    const hidden = new Set(scene?.hidden), clear = new Set(scene?.transparent);
    const { edges } = this.store.get("options");
    for (const [name, view] of this.views) {
      const chosen = selected.has(name), pointed = this.store.get("hovered") === name;
      view.group.visible = !hidden.has(name);
      view.material.color.set(chosen ? colours.partSelected : colours.part);
      const seeThrough = clear.has(name);
      if (view.material.transparent !== seeThrough) view.material.needsUpdate = true;
      view.material.transparent = seeThrough;
      view.material.opacity = seeThrough ? SEE_THROUGH : 1;
      view.material.depthWrite = !seeThrough;
      view.edgeMaterial.color.set(chosen ? colours.edgeSelected : pointed ? colours.hover : colours.edge);
      view.edgeMaterial.transparent = seeThrough;
      view.edgeMaterial.opacity = seeThrough ? 0.5 : 1;
      if (view.mesh !== null) view.mesh.castShadow = !seeThrough;
      if (view.lines !== null) view.lines.visible = edges || chosen || pointed;
    }
    this.stage.moved();
  }
}
