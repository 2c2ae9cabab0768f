// What holds the cables, as small shapes that tell the kinds apart: ends, clips, junctions, and parts without a mesh.
import { BoxGeometry, ExtrudeGeometry, Group, Mesh, MeshStandardMaterial, Shape, SphereGeometry, TorusGeometry, Vector2, Vector3, type BufferGeometry, type Plane } from "three";
import { mergeGeometries, toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import type { CableInfo, SceneEvent } from "../messages";
import type { FrameData, Store } from "../store";
import type { Cables } from "./cables";
import type { Stage } from "./stage";
import { circle } from "./tube";

const SMALLEST = 4.5; // px: radius below which a marker no longer shrinks

export interface Marker {
  path: string;
  kind: string; // of the support; "junction", "frame"
  cable: string | null;
  at: number | null;
  radius: number; // m, as drawn at full size
  object: Mesh;
  turns: boolean; // has an orientation of its own
}

export class Markers {
  readonly all = new Map<string, Marker>();
  private readonly group = new Group();
  private readonly plain = new MeshStandardMaterial({ roughness: 0.4, metalness: 0.35 });
  private readonly chosen = new MeshStandardMaterial({ roughness: 0.4, metalness: 0.1 });
  private readonly pointed = new MeshStandardMaterial({ roughness: 0.4, metalness: 0.1 });

  constructor(
    private readonly stage: Stage,
    private readonly store: Store,
    private readonly cables: Cables,
  ) {
    stage.scene.add(this.group);
    stage.onTheme((colours) => {
      this.plain.color.set(colours.support);
      this.chosen.color.set(colours.accent);
      this.pointed.color.set(colours.hover);
    });
    stage.beforeDraw(() => this.keepVisible());
    store.on("scene", (scene) => scene !== null && this.setScene(scene));
    cables.onFrame((frame) => this.setFrame(frame));
    for (const key of ["selection", "hovered"] as const) store.on(key, () => this.mark());
  }

  position(path: string): Vector3 | null {
    return this.all.get(path)?.object.position ?? null;
  }

  cut(planes: Plane[]): void {
    for (const material of [this.plain, this.chosen, this.pointed]) material.clippingPlanes = planes;
  }

  private setScene(scene: SceneEvent): void {
    for (const { object } of this.all.values()) object.geometry.dispose();
    this.all.clear();
    this.group.clear();
    const hidden = new Set(scene.hidden);
    for (const cable of scene.cables)
      for (const support of cable.supports) {
        if (support.kind === "joined") continue;
        const turns = support.quaternion !== null;
        const marker = this.add(support.path, support.kind, cable.name, support.at, supportShape(support.kind, cable), 1.6 * cable.radius, turns);
        place(marker, support.position, support.quaternion);
        marker.object.visible = !hidden.has(cable.name) && !hidden.has(support.path);
      }
    for (const junction of scene.junctions) {
      const members = scene.cables.filter((cable) => junction.members.some((member) => member.startsWith(`${cable.name}/`)));
      const radius = 1.5 * Math.max(0.002, ...members.map((cable) => cable.radius));
      place(this.add(junction.name, "junction", null, null, new SphereGeometry(radius, 24, 16), radius, true), junction.position, junction.quaternion);
    }
    for (const part of scene.parts) {
      if (part.mesh !== null) continue;
      const marker = this.add(part.name, "frame", null, null, frameShape(0.006), 0.008, true);
      place(marker, part.position, part.quaternion);
      marker.object.visible = !hidden.has(part.name);
    }
    const frame = this.store.get("frame");
    if (frame !== null) this.setFrame(frame);
    this.mark();
  }

  private add(path: string, kind: string, cable: string | null, at: number | null, shape: BufferGeometry, radius: number, turns: boolean): Marker {
    const object = new Mesh(shape, this.plain);
    object.castShadow = true;
    const marker = { path, kind, cable, at, radius, object, turns };
    this.all.set(path, marker);
    this.group.add(object);
    return marker;
  }

  private setFrame(frame: FrameData): void {
    for (const marker of this.all.values()) {
      const body = frame.bodies.get(marker.path);
      if (body !== undefined) place(marker, body.position, body.quaternion);
      else if (marker.kind === "free" && marker.cable !== null && marker.at !== null) this.cables.point(marker.cable, marker.at, marker.object.position);
      if (!marker.turns && marker.cable !== null && marker.at !== null) this.along(marker, marker.cable, marker.at);
    }
  }

  /** A marker that does not turn with its support lies along the cable. */
  private along(marker: Marker, cable: string, at: number): void {
    const tangent = this.cables.tangent(cable, at);
    if (tangent !== null) marker.object.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), tangent);
  }

  private mark(): void {
    const selected = new Set(this.store.get("selection"));
    const hovered = this.store.get("hovered");
    for (const { path, object } of this.all.values()) object.material = selected.has(path) ? this.chosen : hovered === path ? this.pointed : this.plain;
    this.stage.moved();
  }

  private keepVisible(): void {
    for (const { object, radius } of this.all.values()) object.scale.setScalar(Math.max(1, (SMALLEST * this.stage.rig.pixel(object.position)) / radius));
  }
}

function place(marker: Marker, [x, y, z]: readonly number[], quaternion: readonly number[] | null): void {
  marker.object.position.set(x, y, z);
  if (quaternion !== null) marker.object.quaternion.set(quaternion[1], quaternion[2], quaternion[3], quaternion[0]);
}

/** About the z axis, which is the cable's direction; collars follow the outline of the section. */
function supportShape(kind: string, { radius: r, outline }: CableInfo): BufferGeometry {
  const collar = (grown: number, length: number, at: number): BufferGeometry => collarOf(outline.length >= 3 ? outline : circle(r, 28), grown * r, length * r, at * r);
  switch (kind) {
    case "clamp":
      return collar(0.45, 2.6, 0);
    case "swivel":
      return joined(collar(0.5, 0.9, -0.85), collar(0.5, 0.9, 0.85), collar(0.2, 2.2, 0));
    case "ball":
      return new SphereGeometry(1.6 * r, 28, 18);
    case "ring":
      return new TorusGeometry(1.5 * r, 0.35 * r, 14, 36);
    case "sleeve":
      return joined(collar(0.3, 5, 0), collar(0.55, 0.5, 2.5), collar(0.55, 0.5, -2.5));
    default: // a free end
      return new TorusGeometry(1.25 * r, 0.16 * r, 10, 32);
  }
}

/** The outline grown by a margin, as a prism with a slight bevel. */
function collarOf(outline: readonly (readonly [number, number])[], margin: number, length: number, at: number): BufferGeometry {
  const wide = Math.max(...outline.map(([x]) => Math.abs(x))), high = Math.max(...outline.map(([, y]) => Math.abs(y)));
  const m = Math.min(margin, 1.2 * Math.min(wide, high));
  const bevel = 0.25 * m;
  const shape = new Shape(outline.map(([x, y]) => new Vector2((x * (wide + m - bevel)) / wide, (y * (high + m - bevel)) / high)));
  const flat = new ExtrudeGeometry(shape, { depth: length - 2 * bevel, bevelSize: bevel, bevelThickness: bevel, bevelSegments: 1, curveSegments: 1 });
  return toCreasedNormals(flat.translate(0, 0, at - length / 2 + bevel), 0.6);
}

function frameShape(size: number): BufferGeometry {
  const bar = (x: number, y: number, z: number): BufferGeometry => new BoxGeometry(size * (x ? 2.4 : 0.22), size * (y ? 2.4 : 0.22), size * (z ? 2.4 : 0.22)).translate(x * size * 1.2, y * size * 1.2, z * size * 1.2);
  return joined(new BoxGeometry(size, size, size), bar(1, 0, 0), bar(0, 1, 0), bar(0, 0, 1));
}

function joined(...shapes: BufferGeometry[]): BufferGeometry {
  const whole = mergeGeometries(shapes);
  if (whole === null) throw new Error("marker shapes that do not fit together");
  return whole;
}
