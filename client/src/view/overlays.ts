// Shapes to compare with: variants as pale cables, measured points as dots, and the places where a check fails.
import { Group, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, Quaternion, SphereGeometry, TorusGeometry, Vector3, type Plane } from "three";
import type { SceneEvent } from "../messages";
import { length, significant } from "../units";
import { unitOf, type Bench } from "./bench";
import { transported } from "./transport";
import { circle, Tube } from "./tube";

const DOT = 3.2; // px

export class Overlays {
  private readonly variants = new Group();
  private readonly dots = new Group();
  private readonly fails = new Group();
  private readonly pale = new MeshStandardMaterial({ transparent: true, opacity: 0.38, depthWrite: false, roughness: 0.8 });
  private readonly dotMaterial = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }); // also inside a cable
  private readonly badMaterial = new MeshBasicMaterial();
  private points: { mesh: InstancedMesh; at: Vector3[] }[] = [];

  constructor(private readonly bench: Bench) {
    const { stage, store } = bench;
    this.variants.name = "variants";
    stage.scene.add(this.variants, this.dots, this.fails);
    stage.onTheme((colours) => {
      this.pale.color.set(colours.ghost);
      this.dotMaterial.color.set(colours.measured);
      this.badMaterial.color.set(colours.bad);
    });
    store.on("scene", (scene) => scene !== null && this.setScene(scene));
    store.on("options", ({ variants, points }) => {
      this.variants.visible = variants;
      this.dots.visible = points;
    });
    store.on("readouts", () => this.showFails());
    stage.beforeDraw(() => this.sizeDots());
  }

  /** Variants are cut where cables are. */
  cut(planes: Plane[]): void {
    this.pale.clippingPlanes = planes;
  }

  private setScene(scene: SceneEvent): void {
    for (const child of this.variants.children) (child as Mesh).geometry.dispose();
    this.variants.clear();
    this.dots.clear();
    const radius = new Map(scene.cables.map((cable) => [cable.name, cable.radius]));
    for (const variant of scene.variants)
      if (variant.shown) for (const [cable, points] of Object.entries(variant.shapes)) this.addGhost(points, radius.get(cable) ?? 0.003);
    this.points = scene.points.map(({ points }) => {
      const mesh = new InstancedMesh(new SphereGeometry(1, 12, 8), this.dotMaterial, points.length);
      mesh.frustumCulled = false;
      mesh.renderOrder = 6;
      this.dots.add(mesh);
      return { mesh, at: points.map((p) => new Vector3(...p)) };
    });
    const { variants, points } = this.bench.store.get("options");
    this.variants.visible = variants;
    this.dots.visible = points;
    this.bench.stage.invalidate();
  }

  private addGhost(points: readonly [number, number, number][], radius: number): void {
    if (points.length < 2) return;
    const { positions, quaternions, total } = transported(points);
    const tube = new Tube(points.length, circle(radius, 14));
    tube.update(positions, quaternions, total, new Float32Array(points.length));
    const mesh = new Mesh(tube.geometry, this.pale);
    mesh.frustumCulled = false;
    this.variants.add(mesh);
  }

  private sizeDots(): void {
    if (!this.dots.visible) return;
    const matrix = new Matrix4(), size = new Vector3(), straight = new Quaternion();
    for (const { mesh, at } of this.points) {
      at.forEach((point, i) => mesh.setMatrixAt(i, matrix.compose(point, straight, size.setScalar(DOT * this.bench.stage.rig.pixel(point)))));
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  /** A red ring and the number, where a check fails at a place. */
  private showFails(): void {
    const { store, labels, cables, stage } = this.bench;
    for (const child of this.fails.children) (child as Mesh).geometry.dispose();
    this.fails.clear();
    const kept = new Set<string>();
    const hidden = new Set(store.get("scene")?.hidden);
    for (const check of store.get("readouts")?.checks ?? []) {
      if (check.ok || check.point === null || hidden.has(check.cable)) continue;
      const radius = cables.views.get(check.cable)?.info.radius ?? 0.003;
      const ring = new Mesh(new TorusGeometry(1.5 * radius, 0.16 * radius, 10, 40), this.badMaterial);
      ring.position.set(...check.point);
      const tangent = check.at === null ? null : cables.tangent(check.cable, check.at);
      if (tangent !== null) ring.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), tangent);
      this.fails.add(ring);
      if (!store.get("options").labels) continue;
      const key = `fail ${check.cable} ${check.rule}`;
      const value = check.value === null ? "–" : check.unit === "m" ? length(check.value, unitOf(store)) : `${significant(check.value)} ${check.unit}`;
      labels.put(key, ring.position, `${check.text} ${value}`, "bad");
      kept.add(key);
    }
    labels.retain("fail ", kept);
    stage.invalidate();
  }
}
