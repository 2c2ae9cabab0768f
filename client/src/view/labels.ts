// Words at places in space, kept where they belong as the camera moves; and one tip at the pointer.
import { Vector3, type Vector2 } from "three";
import type { Stage } from "./stage";

interface Label {
  element: HTMLDivElement;
  point: Vector3;
  lifted: boolean; // stands off, on a line
}

export class Labels {
  private readonly labels = new Map<string, Label>();
  private readonly tip = document.createElement("div");

  constructor(private readonly stage: Stage) {
    this.tip.className = "view-tip";
    this.tip.hidden = true;
    stage.overlay.append(this.tip);
    stage.beforeDraw(() => this.place());
  }

  put(key: string, point: Vector3, text: string, kind = ""): void {
    let label = this.labels.get(key);
    if (label === undefined) {
      label = { element: document.createElement("div"), point: new Vector3(), lifted: false };
      this.stage.overlay.append(label.element);
      this.labels.set(key, label);
    }
    label.point.copy(point);
    label.lifted = kind === "bad";
    label.element.className = `view-label ${kind}`;
    if (label.element.textContent !== text) label.element.textContent = text;
    this.stage.invalidate();
  }

  remove(key: string): void {
    this.labels.get(key)?.element.remove();
    this.labels.delete(key);
  }

  /** Keeps only those of `group` (keys begin with it) that are in `keep`. */
  retain(group: string, keep: ReadonlySet<string>): void {
    for (const key of [...this.labels.keys()]) if (key.startsWith(group) && !keep.has(key)) this.remove(key);
  }

  /** Says something at the pointer; nothing hides it. */
  say(screen: Vector2 | null, text: string, kind = ""): void {
    this.tip.hidden = screen === null || text === "";
    if (screen === null || text === "") return;
    this.tip.className = `view-tip ${kind}`;
    if (this.tip.textContent !== text) this.tip.textContent = text;
    const { x: width, y: height } = this.stage.rig.size;
    const right = screen.x > width - 300, low = screen.y > height - 80;
    this.tip.style.transform = `translate(${screen.x.toFixed(0)}px, ${screen.y.toFixed(0)}px) translate(${right ? "calc(-100% - 14px)" : "16px"}, ${low ? "calc(-100% - 10px)" : "16px"})`;
  }

  private place(): void {
    for (const { element, point, lifted } of this.labels.values()) {
      const at = this.stage.rig.project(point);
      element.hidden = at === null;
      if (at !== null) element.style.transform = `translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px) translate(-50%, calc(-100% - ${lifted ? 22 : 9}px))`;
    }
  }
}
