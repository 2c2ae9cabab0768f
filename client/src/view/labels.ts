// Words at places in space, kept where they belong as the camera moves; and one tip at the pointer.
import { Vector3, type Vector2 } from "three";
import type { Stage } from "./stage";

interface Label {
  element: HTMLDivElement;
  point: Vector3;
  lifted: boolean; // stands off, on a line
  rank: number; // who gives way to whom
  width: number; // px
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const HEIGHT = 19; // px
const RANKS = ["selected", "measure", "bad", "tightest", "reaction", "contact", "moment", "span", "span slack"];
const GIVES_WAY = RANKS.indexOf("tightest"); // from this rank on, a label that finds no room is left out

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
      label = { element: document.createElement("div"), point: new Vector3(), lifted: false, rank: 0, width: 0 };
      this.stage.overlay.append(label.element);
      this.labels.set(key, label);
    }
    label.point.copy(point);
    label.lifted = kind === "bad";
    label.rank = RANKS.indexOf(kind);
    const className = `view-label ${kind}`;
    if (label.element.className !== className) label.element.className = className;
    if (label.element.textContent !== text) {
      label.element.textContent = text;
      label.width = 0;
    }
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
    const aside = `translate(${right ? "calc(-100% - 14px)" : "16px"}, ${low ? "calc(-100% - 10px)" : "16px"})`;
    this.tip.style.transform = `translate(${screen.x.toFixed(0)}px, ${screen.y.toFixed(0)}px) ${aside}`;
  }

  /** Above its point, or below where another one is; arrows' numbers give way when there is no room at all. */
  private place(): void {
    const taken: Box[] = [];
    for (const label of [...this.labels.values()].sort((a, b) => a.rank - b.rank)) {
      const at = this.stage.rig.project(label.point);
      const box = at === null ? null : this.room(label, at, taken);
      label.element.hidden = box === null;
      if (box === null) continue;
      taken.push(box);
      label.element.style.transform = `translate(${box.left.toFixed(1)}px, ${box.top.toFixed(1)}px)`;
    }
  }

  private room(label: Label, at: Vector2, taken: readonly Box[]): Box | null {
    if (label.width === 0) {
      label.element.hidden = false;
      label.width = label.element.offsetWidth;
    }
    const gap = label.lifted ? 22 : 9;
    const left = at.x - label.width / 2;
    const boxes = [at.y - gap - HEIGHT, ...(label.lifted ? [] : [at.y + 6])].map((top) => ({ left, right: left + label.width, top, bottom: top + HEIGHT }));
    const free = boxes.find((box) => taken.every((other) => box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom));
    return free ?? (label.rank >= GIVES_WAY ? null : boxes[0]);
  }
}
