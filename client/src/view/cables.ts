// All cables: their skins, kept up with every frame, and how they are lit when pointed at or selected.
import { BackSide, Box3, BufferGeometry, Color, GreaterDepth, Group, Mesh, MeshBasicMaterial, MeshStandardMaterial, ShaderMaterial, Vector2, Vector3, type Plane } from "three";
import type { CableInfo, SceneEvent } from "../messages";
import type { FrameData, Store, StrandData } from "../store";
import { rampTexture } from "./ramp";
import { scaleOf, type Scale } from "./scale";
import type { Stage } from "./stage";
import { circle, Tube } from "./tube";

const RAMP = rampTexture();
const NOTHING = new BufferGeometry();

/** One cable as it is drawn and picked. */
export class CableView {
  readonly group = new Group();
  tube: Tube | null = null;
  strand: StrandData | null = null;
  readonly material: MeshStandardMaterial;
  readonly tint = { coloured: { value: 0 }, limit: { value: Infinity }, ramp: { value: RAMP }, bad: { value: new Color() } };
  private readonly skin: Mesh;
  private readonly rim: Mesh;
  private readonly behind: Mesh;
  private amounts = new Float32Array(0);

  constructor(
    readonly info: CableInfo,
    rimMaterial: ShaderMaterial,
    behindMaterial: MeshBasicMaterial,
  ) {
    this.material = cableMaterial(this.tint);
    this.skin = new Mesh(undefined, this.material);
    this.skin.castShadow = this.skin.receiveShadow = true;
    this.rim = new Mesh(undefined, rimMaterial);
    this.behind = new Mesh(undefined, behindMaterial);
    this.behind.renderOrder = 5;
    for (const mesh of [this.skin, this.rim, this.behind]) {
      mesh.frustumCulled = false;
      this.group.add(mesh);
    }
    this.mark(false, false);
  }

  update(strand: StrandData, scale: Scale | null): void {
    if (this.tube === null || this.tube.points !== strand.points) this.build(strand.points);
    this.strand = strand;
    const n = strand.points;
    for (let i = 0; i < n; i++) this.amounts[i] = scale === null ? 0 : scale.amount(strand.colour[i], this.info);
    this.tint.coloured.value = scale === null ? 0 : 1;
    this.tint.limit.value = scale === null ? Infinity : Math.min(1e6, scale.limitOf(this.info));
    this.tube?.update(strand.positions, strand.quaternions, strand.length, this.amounts);
  }

  clear(): void {
    this.tube?.dispose();
    this.tube = this.strand = null;
    for (const mesh of [this.skin, this.rim, this.behind]) mesh.geometry = NOTHING;
  }

  mark(selected: boolean, hovered: boolean): void {
    this.rim.visible = selected || hovered;
    this.behind.visible = selected;
  }

  dispose(): void {
    this.tube?.dispose();
    this.material.dispose();
  }

  private build(points: number): void {
    this.tube?.dispose();
    const { outline, radius } = this.info;
    this.tube = new Tube(points, outline.length >= 3 ? outline : circle(radius));
    this.amounts = new Float32Array(points);
    for (const mesh of [this.skin, this.rim, this.behind]) mesh.geometry = this.tube.geometry;
  }
}

export class Cables {
  readonly views = new Map<string, CableView>();
  scale: Scale | null = null;
  private readonly group = new Group();
  private readonly selectedRim = rimMaterial();
  private readonly hoveredRim = rimMaterial();
  private readonly behind = new MeshBasicMaterial({ transparent: true, opacity: 0.22, depthFunc: GreaterDepth, depthWrite: false });
  private readonly drawn = new Set<(frame: FrameData) => void>();

  constructor(
    private readonly stage: Stage,
    private readonly store: Store,
  ) {
    stage.scene.add(this.group);
    stage.onTheme(() => this.paint());
    stage.beforeDraw(() => {
      const size = stage.rig.size;
      for (const rim of [this.selectedRim, this.hoveredRim]) (rim.uniforms.viewport.value as Vector2).copy(size);
    });
    store.on("scene", (scene) => scene !== null && this.setScene(scene));
    store.on("frame", (frame) => frame !== null && this.setFrame(frame));
    store.on("selection", () => this.mark());
    store.on("hovered", () => this.mark());
  }

  /** Called after the cables took up a frame. */
  onFrame(call: (frame: FrameData) => void): void {
    this.drawn.add(call);
  }

  bounds(names?: ReadonlySet<string>): Box3 {
    const box = new Box3();
    for (const [name, { tube, info, group }] of this.views) {
      if (tube === null || !group.visible || (names !== undefined && !names.has(name))) continue;
      box.union(new Box3(tube.low.clone(), tube.high.clone()).expandByScalar(info.radius));
    }
    return box;
  }

  cut(planes: Plane[]): void {
    for (const view of this.views.values()) view.material.clippingPlanes = planes;
    this.selectedRim.clippingPlanes = this.hoveredRim.clippingPlanes = this.behind.clippingPlanes = planes;
  }

  /** Centre of the cable at a fraction of its length; none while there is no frame of it. */
  point(cable: string, at: number, into = new Vector3()): Vector3 | null {
    const tube = this.views.get(cable)?.tube;
    if (tube === null || tube === undefined) return null;
    const x = Math.max(0, Math.min(1, at)) * (tube.rings - 1);
    const i = Math.min(tube.rings - 2, Math.floor(x)), u = x - i;
    const c = tube.centre;
    return into.set(
      c[3 * i] * (1 - u) + c[3 * i + 3] * u,
      c[3 * i + 1] * (1 - u) + c[3 * i + 4] * u,
      c[3 * i + 2] * (1 - u) + c[3 * i + 5] * u,
    );
  }

  /** Direction of the cable there. */
  tangent(cable: string, at: number): Vector3 | null {
    const a = this.point(cable, Math.max(0, at - 0.004)), b = this.point(cable, Math.min(1, at + 0.004));
    return a === null || b === null ? null : b.sub(a).normalize();
  }

  private setScene(scene: SceneEvent): void {
    const infos = new Map(scene.cables.map((cable) => [cable.name, cable]));
    for (const [name, view] of this.views) {
      const info = infos.get(name);
      if (info !== undefined && sameSkin(info, view.info)) {
        Object.assign(view.info, info);
        continue;
      }
      this.group.remove(view.group);
      view.dispose();
      this.views.delete(name);
    }
    for (const info of scene.cables) {
      if (this.views.has(info.name)) continue;
      const view = new CableView({ ...info }, this.selectedRim, this.behind);
      this.views.set(info.name, view);
      this.group.add(view.group);
    }
    const hidden = new Set(scene.hidden);
    for (const [name, view] of this.views) view.group.visible = !hidden.has(name);
    this.paint();
    this.mark();
    const frame = this.store.get("frame");
    if (frame !== null) this.setFrame(frame);
  }

  private setFrame(frame: FrameData): void {
    const scene = this.store.get("scene");
    this.scale = scene === null ? null : scaleOf(frame, scene.cables, scene.unit);
    for (const [name, view] of this.views) {
      const strand = frame.strands.get(name);
      if (strand !== undefined) view.update(strand, this.scale);
      else view.clear(); // the session has no shape of it
    }
    for (const call of this.drawn) call(frame);
    this.stage.moved();
  }

  private mark(): void {
    const selected = new Set(this.store.get("selection"));
    const hovered = this.store.get("hovered");
    for (const [name, view] of this.views) {
      view.mark(selected.has(name), hovered === name);
      (view.group.children[1] as Mesh).material = selected.has(name) ? this.selectedRim : this.hoveredRim;
    }
    this.stage.moved();
  }

  private paint(): void {
    const { colours } = this.stage;
    let k = 0;
    for (const view of this.views.values()) {
      view.material.color.set(colours.cables[k++ % colours.cables.length]);
      view.tint.bad.value.set(colours.bad);
    }
    (this.selectedRim.uniforms.ink.value as Color).set(colours.accent);
    (this.hoveredRim.uniforms.ink.value as Color).set(colours.hover);
    this.behind.color.set(colours.accent);
  }
}

function sameSkin(a: CableInfo, b: CableInfo): boolean {
  return a.radius === b.radius && JSON.stringify(a.outline) === JSON.stringify(b.outline);
}

/** A plain material that can show the amount along the ramp instead of its own colour, and red beyond the limit. */
function cableMaterial(tint: CableView["tint"]): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ roughness: 0.55, metalness: 0 });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, tint);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nattribute float amount; varying float vAmount;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvAmount = amount;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying float vAmount; uniform float coloured; uniform float limit; uniform sampler2D ramp; uniform vec3 bad;")
      .replace(
        "#include <color_fragment>",
        `if (coloured > 0.5) {
          diffuseColor.rgb = texture2D(ramp, vec2(clamp(vAmount, 0.002, 0.998), 0.5)).rgb;
          if (vAmount > limit) diffuseColor.rgb = bad;
        }`,
      );
  };
  return material;
}

/** A rim of even width in pixels around a shape: its back, pushed out along the normals. */
function rimMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    side: BackSide,
    clipping: true,
    uniforms: { ink: { value: new Color() }, width: { value: 2.5 }, viewport: { value: new Vector2(1, 1) } },
    vertexShader: `
      #include <clipping_planes_pars_vertex>
      uniform float width; uniform vec2 viewport;
      void main() {
        vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
        #include <clipping_planes_vertex>
        gl_Position = projectionMatrix * mvPosition;
        vec2 n = normalize((normalMatrix * normal).xy + 1e-6);
        gl_Position.xy += n * width * 2.0 / viewport * gl_Position.w;
      }`,
    fragmentShader: `
      #include <clipping_planes_pars_fragment>
      uniform vec3 ink;
      void main() {
        #include <clipping_planes_fragment>
        gl_FragColor = vec4(ink, 1.0);
        #include <colorspace_fragment>
      }`,
  });
}
