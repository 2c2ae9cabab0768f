// The picture: renderer, lights, and a loop that draws only when something changed.
import { AmbientLight, BasicShadowMap, Box3, Color, DirectionalLight, HemisphereLight, Object3D, PCFShadowMap, Scene, Sphere, Vector3, WebGLRenderer } from "three";
import type { Store } from "../store";
import { CameraRig } from "./camera";
import { isDark, palette, type Palette } from "./palette";
import { quality, type Quality } from "./quality";

Object3D.DEFAULT_UP.set(0, 0, 1);

const SHADOW_SIZE = { full: 2048, plain: 1024 };
const SHADOW_LAG = 200; // ms after the last movement, when drawn plainly

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly front = new Scene(); // drawn over everything: gizmo, markers
  readonly rig: CameraRig;
  readonly overlay: HTMLDivElement; // labels and what else is no geometry
  colours: Palette;
  readonly quality: Quality;
  private shadowLater = 0;
  private asked = false;
  private before = new Set<() => void>();
  private themed = new Set<(colours: Palette) => void>();
  private readonly sky = new HemisphereLight();
  private readonly head = new DirectionalLight();
  private readonly key = new DirectionalLight();
  private readonly fill = new AmbientLight();

  constructor(
    readonly element: HTMLElement,
    readonly store: Store,
  ) {
    this.colours = palette(store.get("options").theme);
    this.quality = quality();
    const full = this.quality === "full";
    this.renderer = new WebGLRenderer({ antialias: full, alpha: true, stencil: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = full ? PCFShadowMap : BasicShadowMap;
    this.renderer.shadowMap.autoUpdate = false; // the light stands still: only what moves changes the shadow
    this.renderer.localClippingEnabled = true;
    this.renderer.autoClear = false;
    this.overlay = document.createElement("div");
    this.overlay.className = "view-overlay";
    element.append(this.renderer.domElement, this.overlay);
    this.renderer.domElement.classList.add("view-canvas");
    this.rig = new CameraRig(() => this.invalidate());
    this.light();
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();
    store.on("options", (now, was) => {
      if (now.theme !== was.theme) this.theme();
      if (now.orthographic !== was.orthographic) this.rig.setOrthographic(now.orthographic);
      if (now.shadows !== was.shadows) this.key.castShadow = now.shadows;
      this.moved();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.theme());
    this.rig.setOrthographic(store.get("options").orthographic);
    this.theme();
  }

  /** Something moved or changed its look: the shadow is drawn anew too. */
  moved(): void {
    this.invalidate();
    if (this.quality === "full") {
      this.renderer.shadowMap.needsUpdate = true;
      return;
    }
    clearTimeout(this.shadowLater);
    this.shadowLater = window.setTimeout(() => {
      this.renderer.shadowMap.needsUpdate = true;
      this.invalidate();
    }, SHADOW_LAG);
  }

  /** Draws once more, soon. */
  invalidate(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame((now) => {
      this.asked = false;
      this.rig.advance(now);
      this.draw();
    });
  }

  /** Called before every picture: for what depends on the camera. */
  beforeDraw(call: () => void): void {
    this.before.add(call);
  }

  /** Called now and whenever the theme changes. */
  onTheme(call: (colours: Palette) => void): void {
    this.themed.add(call);
    call(this.colours);
  }

  /** Aims the shadow at what there is. */
  setBounds(bounds: Box3): void {
    if (bounds.isEmpty()) return;
    this.rig.setBounds(bounds);
    const { center, radius } = bounds.getBoundingSphere(new Sphere());
    const r = Math.max(radius, 0.01) * 1.15;
    this.key.position.copy(center).add(new Vector3(-0.35, -0.45, 1).normalize().multiplyScalar(2 * r));
    this.key.target.position.copy(center);
    this.key.target.updateMatrixWorld();
    const { camera } = this.key.shadow;
    camera.left = camera.bottom = -r;
    camera.right = camera.top = r;
    camera.near = 0.05 * r;
    camera.far = 4 * r;
    camera.updateProjectionMatrix();
    this.key.shadow.normalBias = r * 2e-3;
    this.moved();
  }

  draw(): void {
    for (const call of this.before) call();
    this.head.position.set(0.35, 0.5, 1).applyQuaternion(this.rig.camera.quaternion);
    this.renderer.clear();
    this.renderer.render(this.scene, this.rig.camera);
    this.renderer.clearDepth();
    this.renderer.render(this.front, this.rig.camera);
  }

  /** The present picture on the background of the theme. */
  picture(): string {
    this.draw();
    const canvas = document.createElement("canvas");
    const source = this.renderer.domElement;
    canvas.width = source.width;
    canvas.height = source.height;
    const pen = canvas.getContext("2d");
    if (pen === null) throw new Error("this browser gives no 2D canvas for the picture");
    pen.fillStyle = getComputedStyle(this.element).backgroundColor;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(source, 0, 0);
    return canvas.toDataURL("image/png");
  }

  private light(): void {
    this.key.castShadow = this.store.get("options").shadows;
    this.key.shadow.mapSize.setScalar(SHADOW_SIZE[this.quality]);
    this.key.shadow.radius = 5;
    this.key.shadow.bias = -2e-4;
    this.scene.add(this.sky, this.head, this.key, this.key.target, this.fill);
    const frontLight = new DirectionalLight("#ffffff", 1.6);
    this.front.add(new AmbientLight("#ffffff", 1.9), frontLight);
    this.beforeDraw(() => frontLight.position.copy(this.head.position));
  }

  private theme(): void {
    const { theme } = this.store.get("options");
    this.colours = palette(theme);
    document.documentElement.dataset.theme = isDark(theme) ? "dark" : "light";
    this.sky.color = new Color(this.colours.sky);
    this.sky.groundColor = new Color(this.colours.ground);
    this.sky.intensity = 1.15 * this.colours.light;
    this.fill.intensity = 0.35 * this.colours.light;
    this.head.intensity = 1.15 * this.colours.light;
    this.key.intensity = 1.15 * this.colours.light;
    for (const call of this.themed) call(this.colours);
    this.invalidate();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, this.quality === "full" ? 2 : 1));
    this.renderer.setSize(width, height);
    this.rig.resize(width, height);
    this.draw();
  }
}
