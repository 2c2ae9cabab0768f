// While something is dragged: where it is held, where the pointer wants it, and why it does not get there; of a hand on a
// part of a machine, how hard it pulls.
import { BufferGeometry, Line, LineDashedMaterial, Mesh, MeshBasicMaterial, SphereGeometry, Vector2, Vector3 } from "three";
import type { Held } from "../messages";
import { pull } from "../units";
import type { Bench } from "./bench";

const DOT = 5; // px

export class Holding {
  private readonly ghost = new Mesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial({ transparent: true, opacity: 0.45 }));
  private readonly grip = new Mesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial());
  private readonly line: Line<BufferGeometry, LineDashedMaterial>;
  private held: Held | null = null;

  constructor(private readonly bench: Bench) {
    const { stage, store } = bench;
    this.line = new Line(new BufferGeometry().setFromPoints([new Vector3(), new Vector3()]), new LineDashedMaterial());
    this.line.frustumCulled = false;
    stage.front.add(this.ghost, this.grip, this.line);
    stage.onTheme((colours) => this.grip.material.color.set(colours.accent));
    store.on("held", (held) => this.set(held));
    store.on("dragging", (path) => path === null && this.set(null));
    stage.beforeDraw(() => this.follow());
    this.set(null);
  }

  private set(held: Held | null): void {
    const { store, labels, stage } = this.bench;
    this.held = store.get("dragging") === null ? null : held;
    const stopped = this.held !== null && this.held.reason !== "";
    const force = this.held?.force ?? null;
    this.grip.visible = this.held !== null;
    this.ghost.visible = this.line.visible = stopped || force !== null;
    this.line.material.color.set(force === null ? stage.colours.bad : stage.colours.accent);
    this.ghost.material.color.copy(this.line.material.color);
    if (force === null || this.held === null) labels.remove("hand");
    else labels.put("hand", new Vector3(...this.held.position).lerp(new Vector3(...this.held.wanted), 0.5), pull(force), "measure");
    if (this.held !== null) {
      this.grip.position.set(...this.held.position);
      this.ghost.position.set(...this.held.wanted);
    }
    if (stopped && this.held !== null) labels.say(stage.rig.project(this.ghost.position) ?? new Vector2(), this.held.reason, "stopped");
    else if (this.wasStopped) labels.say(null, "");
    this.wasStopped = stopped;
    stage.invalidate();
  }
  private wasStopped = false;

  private follow(): void {
    if (this.held === null) return;
    const { rig } = this.bench.stage;
    const pixel = rig.pixel(this.grip.position);
    this.grip.scale.setScalar(DOT * pixel);
    this.ghost.scale.setScalar(DOT * rig.pixel(this.ghost.position));
    if (!this.line.visible) return;
    this.line.geometry.setFromPoints([this.grip.position, this.ghost.position]);
    this.line.computeLineDistances();
    this.line.material.dashSize = 5 * pixel;
    this.line.material.gapSize = 4 * pixel;
  }
}
