// Forces as arrows: what supports and parts do to the cables. The longest is as long as looks well; the rest to scale.
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Vector3, type BufferGeometry } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Readouts } from "../messages";
import type { Options } from "../store";
import { force, significant } from "../units";
import type { Bench } from "./bench";

const LONGEST = 96; // px
const SHORTEST = 14;
const WIDTH = 5.5; // px, of the head

interface Arrow {
  key: string;
  point: Vector3;
  vector: Vector3; // of length 0…1
  kind: "reaction" | "moment" | "contact";
  text: string;
}

export class Arrows {
  private readonly group = new Group();
  private readonly materials = { reaction: new MeshBasicMaterial(), moment: new MeshBasicMaterial(), contact: new MeshBasicMaterial() };
  private readonly single = arrowShape(1);
  private readonly double = arrowShape(2);
  private arrows: { arrow: Arrow; shaft: Mesh; head: Mesh }[] = [];

  constructor(private readonly bench: Bench) {
    const { stage, store } = bench;
    stage.front.add(this.group);
    stage.onTheme((colours) => {
      for (const kind of ["reaction", "moment", "contact"] as const) this.materials[kind].color.set(colours[kind]);
    });
    store.on("readouts", () => this.update());
    store.on("options", () => this.update());
    stage.beforeDraw(() => this.follow());
  }

  private update(): void {
    const { store, labels, stage } = this.bench;
    const readouts = store.get("readouts");
    const options = store.get("options");
    const arrows = readouts === null ? [] : arrowsOf(readouts, options);
    this.group.clear();
    this.arrows = arrows.map((arrow) => {
      const { shaft, head } = arrow.kind === "moment" ? this.double : this.single;
      const meshes = { arrow, shaft: new Mesh(shaft, this.materials[arrow.kind]), head: new Mesh(head, this.materials[arrow.kind]) };
      this.group.add(meshes.shaft, meshes.head);
      return meshes;
    });
    if (!options.labels || arrows.length === 0) labels.retain("arrow ", new Set());
    else labels.retain("arrow ", new Set(arrows.map(({ key }) => key)));
    stage.invalidate();
  }

  private follow(): void {
    const { stage, labels, store } = this.bench;
    const up = new Vector3(0, 0, 1);
    const withLabels = store.get("options").labels;
    for (const { arrow, shaft, head } of this.arrows) {
      const pixel = stage.rig.pixel(arrow.point);
      const size = arrow.vector.length();
      const long = Math.max(SHORTEST, LONGEST * size) * pixel;
      const direction = arrow.vector.clone().divideScalar(size);
      const tip = arrow.point.clone().addScaledVector(direction, long);
      shaft.position.copy(arrow.point);
      head.position.copy(tip);
      shaft.quaternion.setFromUnitVectors(up, direction);
      head.quaternion.copy(shaft.quaternion);
      shaft.scale.set(WIDTH * pixel, WIDTH * pixel, long - WIDTH * 2 * pixel);
      head.scale.setScalar(WIDTH * pixel);
      if (withLabels) labels.put(arrow.key, tip, arrow.text, arrow.kind);
    }
  }
}

function arrowsOf(readouts: Readouts, options: Options): Arrow[] {
  const arrows: Arrow[] = [];
  const forces = [...(options.reactions ? readouts.reactions : []), ...(options.contacts ? readouts.contacts : [])];
  const most = Math.max(1e-12, ...forces.map(({ force: f }) => Math.hypot(...f)));
  const mostMoment = Math.max(1e-12, ...readouts.reactions.map(({ moment }) => Math.hypot(...moment)));
  const add = (key: string, point: readonly number[], vector: readonly number[], scale: number, kind: Arrow["kind"], unit: (size: number) => string): void => {
    const size = Math.hypot(...vector);
    if (size > 1e-3 * scale) arrows.push({ key: `arrow ${key}`, point: new Vector3(...point), vector: new Vector3(...vector).divideScalar(scale), kind, text: unit(size) });
  };
  for (const { path, point, force: f, moment } of readouts.reactions) {
    if (options.reactions) add(`${path} force`, point, f, most, "reaction", force);
    if (options.moments) add(`${path} moment`, point, moment, mostMoment, "moment", (size) => `${significant(size)} N m`);
  }
  if (options.contacts) readouts.contacts.forEach(({ cable, other, point, force: f }, k) => add(`${cable} ${other} ${k}`, point, f, most, "contact", force));
  return arrows;
}

/** About z: a shaft from 0 to 1 of unit width, and a head whose tip is at 0. */
function arrowShape(heads: number): { shaft: BufferGeometry; head: BufferGeometry } {
  const shaft = new CylinderGeometry(0.22, 0.22, 1, 10).translate(0, 0.5, 0).rotateX(Math.PI / 2);
  const cones = Array.from({ length: heads }, (_, k) => new ConeGeometry(0.75, 2.4, 18).translate(0, -1.2 - 1.8 * k, 0).rotateX(Math.PI / 2));
  const head = mergeGeometries(cones);
  if (head === null) throw new Error("arrow heads that do not fit together");
  return { shaft, head };
}
