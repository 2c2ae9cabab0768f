// Ropes of a machine: as thick as they are, but never too thin to see; coloured by their tension, dashed where slack.
import { Box3, BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, Mesh, MeshStandardMaterial, PerspectiveCamera, Vector2, Vector3 } from "three";
import type { RopeInfo, SceneEvent } from "../messages";
import type { Pointer } from "../pointer";
import type { FrameData, RopeData, Store } from "../store";
import { length, pull, significant } from "../units";
import { nearestOnSegment } from "./lines";
import type { Hit } from "./picking";
import { rampTexture } from "./ramp";
import { niceAbove, type Tick } from "./scale";
import type { Stage } from "./stage";

const SIDES = 8;
const LATELY = 3; // s on the clock: the colours end at the largest tension in them
const LEAST = 0.01; // of the weight of the machine: less makes no colour
const THIN = 1.5; // px: half the width at least
const SLACK = -1; // the amount of what is slack
const REACH = 1.2; // times the pointer's

export interface RopeScale {
  title: string;
  limit: number | null;
  ticks: Tick[];
  high: number; // N
}

const uniforms = {
  ramp: { value: rampTexture() },
  pixel: { value: new Vector2() }, // m per px: x + y · depth
  slackInk: { value: new Color() },
  badInk: { value: new Color() },
};

export class RopeView {
  readonly mesh: Mesh<BufferGeometry, MeshStandardMaterial>;
  data: RopeData | null = null;
  readonly low = new Vector3();
  readonly high = new Vector3();
  private room = 0;
  private readonly own = { radius: { value: 0 }, thin: { value: THIN }, limit: { value: Infinity } };

  constructor(readonly info: RopeInfo) {
    this.own.radius.value = 0.5 * info.diameter;
    this.mesh = new Mesh(new BufferGeometry(), ropeMaterial(this.own));
    this.mesh.frustumCulled = false;
    this.mesh.name = `rope ${info.name}`;
  }

  mark(chosen: boolean, pointed: boolean): void {
    this.own.thin.value = chosen || pointed ? 1.6 * THIN : THIN;
    this.own.radius.value = 0.5 * this.info.diameter * (chosen || pointed ? 1.3 : 1);
    this.mesh.material.emissiveIntensity = chosen ? 0.5 : pointed ? 0.3 : 0;
  }

  update(data: RopeData, scale: RopeScale): void {
    this.data = data;
    const n = data.points;
    this.mesh.visible = n > 1;
    if (n < 2) return;
    if (n > this.room) this.build(Math.ceil(1.3 * n));
    this.own.limit.value = this.info.allowed === null ? 1e30 : this.info.allowed / scale.high;
    const attributes = this.mesh.geometry.attributes;
    const [position, normal, amount, along] = ["position", "normal", "amount", "along"].map((name) => attributes[name].array as Float32Array);
    const { positions: p, tension } = data;
    this.low.set(Infinity, Infinity, Infinity);
    this.high.set(-Infinity, -Infinity, -Infinity);
    const here = new Vector3(), t = new Vector3(0, 0, 1), u = new Vector3(), v = new Vector3();
    let far = 0;
    for (let i = 0; i < n; i++) {
      here.fromArray(p, 3 * i);
      this.low.min(here);
      this.high.max(here);
      if (i > 0) far += Math.hypot(p[3 * i] - p[3 * i - 3], p[3 * i + 1] - p[3 * i - 2], p[3 * i + 2] - p[3 * i - 1]);
      direction(p, i, n, t);
      u.addScaledVector(t, -u.dot(t));
      if (u.lengthSq() < 1e-8) u.set(t.z, t.x, t.y).addScaledVector(t, -(t.z * t.x + t.x * t.y + t.y * t.z));
      if (u.lengthSq() < 1e-8) u.set(1, 0, 0).addScaledVector(t, -t.x);
      u.normalize();
      v.crossVectors(t, u);
      const share = Number.isNaN(tension[i]) ? SLACK : Math.max(0, tension[i]) / scale.high;
      for (let k = 0; k < SIDES; k++) {
        const at = i * SIDES + k;
        const c = COSINES[k], s = SINES[k];
        position[3 * at] = here.x;
        position[3 * at + 1] = here.y;
        position[3 * at + 2] = here.z;
        normal[3 * at] = c * u.x + s * v.x;
        normal[3 * at + 1] = c * u.y + s * v.y;
        normal[3 * at + 2] = c * u.z + s * v.z;
        amount[at] = share;
        along[at] = far;
      }
    }
    for (const name of ["position", "normal", "amount", "along"]) attributes[name].needsUpdate = true;
    this.mesh.geometry.setDrawRange(0, 6 * SIDES * (n - 1));
  }

  private build(points: number): void {
    this.room = points;
    const geometry = new BufferGeometry();
    const add = (name: string, size: number): unknown =>
      geometry.setAttribute(name, new BufferAttribute(new Float32Array(size * SIDES * points), size).setUsage(DynamicDrawUsage));
    add("position", 3);
    add("normal", 3);
    add("amount", 1);
    add("along", 1);
    const index = new Uint32Array(6 * SIDES * (points - 1));
    let at = 0;
    for (let i = 0; i + 1 < points; i++)
      for (let k = 0; k < SIDES; k++) {
        const a = i * SIDES + k, b = i * SIDES + ((k + 1) % SIDES);
        index.set([a, b, b + SIDES, a, b + SIDES, a + SIDES], at);
        at += 6;
      }
    geometry.setIndex(new BufferAttribute(index, 1));
    this.mesh.geometry.dispose();
    this.mesh.geometry = geometry;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

const COSINES = Array.from({ length: SIDES }, (_, k) => Math.cos((2 * Math.PI * k) / SIDES));
const SINES = Array.from({ length: SIDES }, (_, k) => Math.sin((2 * Math.PI * k) / SIDES));

/** Of the line at a point; where points coincide, that of before. */
function direction(p: Float32Array, i: number, n: number, into: Vector3): void {
  const a = 3 * Math.max(0, i - 1), b = 3 * Math.min(n - 1, i + 1);
  const x = p[b] - p[a], y = p[b + 1] - p[a + 1], z = p[b + 2] - p[a + 2];
  const size = Math.hypot(x, y, z);
  if (size > 1e-9) into.set(x / size, y / size, z / size);
}

export class Ropes {
  readonly views = new Map<string, RopeView>();
  scale: RopeScale | null = null;
  private readonly group = new Group();
  private lately: { time: number; most: number }[] = []; // the largest tension of each frame, N
  private readonly scaled = new Set<() => void>();

  constructor(
    private readonly stage: Stage,
    private readonly store: Store,
  ) {
    stage.scene.add(this.group);
    stage.onTheme((colours) => {
      uniforms.slackInk.value.set(colours.ghost);
      uniforms.badInk.value.set(colours.bad);
      for (const view of this.views.values()) view.mesh.material.emissive.set(colours.accent);
    });
    stage.beforeDraw(() => this.setPixel());
    store.on("scene", (scene) => scene !== null && this.setScene(scene));
    store.on("frame", (frame) => frame !== null && this.setFrame(frame));
    for (const key of ["selection", "hovered"] as const) store.on(key, () => this.mark());
  }

  /** Called when the colours may mean something else. */
  onScale(call: () => void): void {
    this.scaled.add(call);
  }

  bounds(names?: ReadonlySet<string>): Box3 {
    const box = new Box3();
    for (const [name, view] of this.views)
      if (view.mesh.visible && view.data !== null && view.low.x <= view.high.x && (names === undefined || names.has(name))) box.union(new Box3(view.low.clone(), view.high.clone()));
    return box;
  }

  /** The middle of the span that leaves a link. */
  middle(rope: string, link: number): Vector3 | null {
    const data = this.views.get(rope)?.data ?? null;
    const span = data === null ? -1 : spanOf(data, link);
    return data === null || span < 0 ? null : middleOf(data, span);
  }

  /** What is known of a span, for the tip at the pointer. */
  words(rope: string, link: number): string {
    const view = this.views.get(rope);
    const data = view?.data ?? null;
    if (view === undefined || data === null) return rope;
    const span = spanOf(data, link);
    const path = view.info.path;
    const unit = this.store.get("scene")?.unit ?? "mm";
    if (span < 0) return rope;
    const [tension, slack] = [data.numbers[5 * span + 3], data.numbers[5 * span + 4]];
    const value = this.store.get("machine")?.ropes.find((k) => k.name === rope)?.spans.find((k) => k.link === link);
    const to = value === undefined ? "" : ` – ${path[value.to].on}`;
    const state = slack > 0 ? `slack, ${length(slack, unit)} too long` : pull(tension);
    return `${rope}: ${path[link].on}${to}\n${state}${value === undefined ? "" : ` · ${length(value.length, unit)}`}`;
  }

  pick(pointer: Pointer): Hit | null {
    let best: Hit | null = null;
    let least = Infinity;
    const a = new Vector3(), b = new Vector3();
    for (const [name, { data, info, mesh }] of this.views) {
      if (data === null || !mesh.visible) continue;
      for (let m = 0; m < data.spans; m++) {
        const [link, first, count] = data.numbers.subarray(5 * m, 5 * m + 3);
        for (let i = first; i + 1 < first + count; i++) {
          const { onRay, onLine, distance } = nearestOnSegment(pointer.ray, a.fromArray(data.positions, 3 * i), b.fromArray(data.positions, 3 * i + 3));
          const point = a.clone().lerp(b, onLine);
          if (onRay <= 0 || distance > Math.max(0.5 * info.diameter, REACH * pointer.reach(point)) || onRay + distance >= least) continue;
          least = onRay + distance;
          best = { kind: "rope", path: name, point, distance: onRay, at: link, normal: null };
        }
      }
    }
    return best;
  }

  private setScene(scene: SceneEvent): void {
    const infos = new Map((scene.machine?.ropes ?? []).map((rope) => [rope.name, rope]));
    for (const [name, view] of this.views) {
      if (JSON.stringify(infos.get(name)) === JSON.stringify(view.info)) continue;
      this.group.remove(view.mesh);
      view.dispose();
      this.views.delete(name);
      this.lately = [];
    }
    const hidden = new Set(scene.hidden);
    for (const [name, info] of infos) {
      const view = this.views.get(name) ?? new RopeView(info);
      if (!this.views.has(name)) {
        view.mesh.material.emissive.set(this.stage.colours.accent);
        this.views.set(name, view);
        this.group.add(view.mesh);
      }
    }
    for (const view of this.views.values()) view.mesh.layers.mask = hidden.has(view.info.name) ? 0 : 1;
    const frame = this.store.get("frame");
    if (frame !== null) this.setFrame(frame);
    this.mark();
  }

  private setFrame(frame: FrameData): void {
    const time = frame.clock?.time ?? 0;
    let most = 0;
    for (const { numbers, spans } of frame.ropes.values())
      for (let m = 0; m < spans; m++) if (Number.isFinite(numbers[5 * m + 3])) most = Math.max(most, numbers[5 * m + 3]);
    this.lately = [...this.lately.filter((k) => k.time < time && k.time >= time - LATELY), { time, most }]; // what was undone is forgotten
    const least = LEAST * (this.store.get("scene")?.machine?.weight ?? 0);
    const high = niceAbove(Math.max(least, ...this.lately.map((k) => k.most)));
    this.scale = this.views.size === 0 ? null : scaleOf(high, [...this.views.values()].map((k) => k.info));
    for (const [name, view] of this.views) {
      const data = frame.ropes.get(name);
      if (data !== undefined && this.scale !== null) view.update(data, this.scale);
      else view.mesh.visible = false;
    }
    for (const call of this.scaled) call();
    this.stage.moved();
  }

  private mark(): void {
    const selected = new Set(this.store.get("selection"));
    const hovered = this.store.get("hovered");
    for (const [name, view] of this.views) view.mark(selected.has(name), hovered === name);
    this.stage.invalidate();
  }

  private setPixel(): void {
    const { camera, size } = this.stage.rig;
    if (camera instanceof PerspectiveCamera) uniforms.pixel.value.set(0, (2 * Math.tan((camera.fov * Math.PI) / 360)) / Math.max(1, size.y));
    else uniforms.pixel.value.set((camera.top - camera.bottom) / camera.zoom / Math.max(1, size.y), 0);
  }
}

export function spanOf(data: RopeData, link: number): number {
  for (let m = 0; m < data.spans; m++) if (data.numbers[5 * m] === link) return m;
  return -1;
}

export function middleOf({ numbers, positions }: RopeData, span: number): Vector3 {
  const [first, count] = numbers.subarray(5 * span + 1, 5 * span + 3);
  const half = first + (count - 1) / 2;
  const a = new Vector3().fromArray(positions, 3 * Math.floor(half));
  return a.lerp(new Vector3().fromArray(positions, 3 * Math.ceil(half)), half - Math.floor(half));
}

function scaleOf(high: number, ropes: readonly RopeInfo[]): RopeScale {
  const limits = ropes.map((k) => k.allowed).filter((k) => k !== null);
  const one = limits.length === ropes.length && limits.every((k) => k === limits[0]) ? limits[0] : null;
  const large = high >= 1e4;
  const ticks = [0, 0.5, 1].map((amount) => ({ amount, label: significant((amount * high) / (large ? 1e3 : 1)) }));
  return { title: `rope tension (${large ? "kN" : "N"})`, limit: one !== null && one < high ? one / high : null, ticks, high };
}

/** Its width grows to a few pixels where it would be too thin to see; slack is dashed in pixels. */
function ropeMaterial(own: object): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ roughness: 0.6, metalness: 0, emissiveIntensity: 0 });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms, own);
    shader.vertexShader = shader.vertexShader
      .replace(
        "#include <common>",
        `#include <common>
        attribute float amount; attribute float along; varying float vAmount; varying float vAlong;
        uniform float radius; uniform float thin; uniform vec2 pixel;`,
      )
      .replace(
        "#include <begin_vertex>",
        `vec3 transformed = position;
        float size = pixel.x - pixel.y * (modelViewMatrix * vec4(position, 1.0)).z;
        transformed += normal * max(radius, thin * size);
        vAmount = amount;
        vAlong = along / max(size, 1e-9);`,
      );
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        `#include <common>
        varying float vAmount; varying float vAlong; uniform float limit; uniform sampler2D ramp; uniform vec3 slackInk; uniform vec3 badInk;`,
      )
      .replace(
        "#include <color_fragment>",
        `if (vAmount < -0.5) {
          if (fract(vAlong / 13.0) > 0.6) discard;
          diffuseColor.rgb = slackInk;
        } else {
          diffuseColor.rgb = texture2D(ramp, vec2(clamp(vAmount, 0.002, 0.998), 0.5)).rgb;
          if (vAmount > limit) diffuseColor.rgb = badInk;
        }`,
      );
  };
  return material;
}
