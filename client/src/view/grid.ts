// The floor: a grid whose spacing follows the zoom, in steps of ten, and the shadow that shows what stands above it.
import { Color, DoubleSide, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector2 } from "three";
import type { Unit } from "../store";
import { METRES, roundLength } from "../units";
import type { Stage } from "./stage";

const SHORTEST_BAR = 56; // px
const SMALLEST = 9; // px between lines: closer ones fade away
const VERTEX = `
varying vec3 vWorld;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  vWorld = world.xyz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;
const FRAGMENT = `
varying vec3 vWorld;
uniform float step; uniform float fade; uniform float strength; uniform float radius;
uniform vec3 ink; uniform vec3 xInk; uniform vec3 yInk; uniform vec2 centre;
float lines(vec2 width, float spacing) {
  vec2 w = width / spacing;
  vec2 d = abs(fract(vWorld.xy / spacing - 0.5) - 0.5);
  vec2 on = clamp((w * 1.3 - d) / (w * 0.8), 0.0, 1.0) * clamp((0.7 - w) / 0.45, 0.0, 1.0);
  return max(on.x, on.y);
}
void main() {
  vec2 width = fwidth(vWorld.xy);
  float far = 1.0 - length(vWorld.xy - centre) / radius;
  if (far <= 0.0) discard;
  float on = max(lines(width, step) * fade * 0.45, lines(width, step * 10.0) * mix(0.6, 1.0, fade)) * strength;
  vec2 axis = clamp((width * 1.6 - abs(vWorld.xy)) / (width * 0.9), 0.0, 1.0);
  vec3 colour = mix(mix(ink, xInk, axis.y), yInk, axis.x);
  on = max(on, max(axis.x, axis.y) * min(1.0, strength * 2.4)) * min(1.0, far * 1.5);
  if (on < 0.004) discard;
  gl_FragColor = vec4(colour, on);
  #include <colorspace_fragment>
}`;

export class Grid {
  private readonly material = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    uniforms: {
      step: { value: 0.01 }, fade: { value: 1 }, strength: { value: 0.3 }, radius: { value: 1 },
      ink: { value: new Color() }, xInk: { value: new Color() }, yInk: { value: new Color() }, centre: { value: new Vector2() },
    },
  });
  private readonly lines = new Mesh(new PlaneGeometry(2, 2), this.material);
  private readonly shade = new ShadowMaterial({ depthWrite: false });
  private readonly floor = new Mesh(new PlaneGeometry(2, 2), this.shade);
  private readonly scale = document.createElement("div");

  constructor(private readonly stage: Stage) {
    this.lines.renderOrder = -2;
    this.floor.renderOrder = -1;
    this.floor.receiveShadow = true;
    stage.scene.add(this.lines, this.floor);
    this.scale.className = "view-scale";
    stage.overlay.append(this.scale);
    stage.onTheme((colours) => {
      const { uniforms } = this.material;
      uniforms.ink.value.set(colours.gridLine);
      uniforms.xInk.value.set(colours.axes[0]);
      uniforms.yInk.value.set(colours.axes[1]);
      uniforms.strength.value = colours.gridStrength;
      this.shade.opacity = colours.shadow;
    });
    stage.beforeDraw(() => this.follow());
  }

  /** Lays the floor below everything. */
  setFloor(z: number, reach: number): void {
    this.lines.position.z = z;
    this.floor.position.z = z;
    this.floor.scale.setScalar(Math.max(reach, 0.1) * 3);
    this.stage.invalidate();
  }

  private follow(): void {
    const { rig, store } = this.stage;
    const { grid, shadows } = store.get("options");
    this.lines.visible = grid;
    this.floor.visible = shadows && rig.forward.z < 0.02;
    this.scale.hidden = !grid;
    if (!grid) return;
    const unit: Unit = store.get("scene")?.unit ?? "mm";
    const pixel = rig.pixel(rig.target);
    const decade = Math.ceil(Math.log10((SMALLEST * pixel) / METRES[unit]));
    const step = METRES[unit] * 10 ** decade;
    const { uniforms } = this.material;
    uniforms.step.value = step;
    uniforms.fade.value = Math.min(1, (step / pixel - SMALLEST) / (2.5 * SMALLEST));
    const radius = 60 * step + 900 * pixel;
    uniforms.radius.value = radius;
    uniforms.centre.value.set(rig.target.x, rig.target.y);
    this.lines.position.setX(rig.target.x).setY(rig.target.y);
    this.lines.scale.set(radius, radius, 1);
    this.floor.position.setX(rig.target.x).setY(rig.target.y);
    const bar = step * ([1, 2, 5, 10].find((k) => (k * step) / pixel >= SHORTEST_BAR) ?? 10);
    this.scale.style.setProperty("--bar", `${(bar / pixel).toFixed(1)}px`);
    this.scale.textContent = roundLength(bar, unit);
  }

  /** z of the floor. */
  get height(): number {
    return this.lines.position.z;
  }
}
