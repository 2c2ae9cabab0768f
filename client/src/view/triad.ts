// The axes in the corner: how the view lies, and a click looks along one.
import { Vector3 } from "three";
import type { StandardView } from "../store";
import type { Stage } from "./stage";

const SVG = "http://www.w3.org/2000/svg";
const SIZE = 92, REACH = 32;

const ENDS: readonly { axis: Vector3; view: StandardView; colour: number; label: string }[] = [
  { axis: new Vector3(1, 0, 0), view: "right", colour: 0, label: "x" },
  { axis: new Vector3(0, 1, 0), view: "back", colour: 1, label: "y" },
  { axis: new Vector3(0, 0, 1), view: "top", colour: 2, label: "z" },
  { axis: new Vector3(-1, 0, 0), view: "left", colour: 0, label: "" },
  { axis: new Vector3(0, -1, 0), view: "front", colour: 1, label: "" },
  { axis: new Vector3(0, 0, -1), view: "bottom", colour: 2, label: "" },
];

export class Triad {
  private readonly svg = document.createElementNS(SVG, "svg");
  private readonly marks: { end: (typeof ENDS)[number]; group: SVGGElement; line: SVGLineElement; disc: SVGCircleElement; text: SVGTextElement }[];

  constructor(
    private readonly stage: Stage,
    go: (view: StandardView) => void,
  ) {
    this.svg.setAttribute("class", "view-triad");
    this.svg.setAttribute("viewBox", `${-SIZE / 2} ${-SIZE / 2} ${SIZE} ${SIZE}`);
    this.marks = ENDS.map((end) => {
      const group = document.createElementNS(SVG, "g");
      const line = document.createElementNS(SVG, "line");
      const disc = document.createElementNS(SVG, "circle");
      const text = document.createElementNS(SVG, "text");
      const title = document.createElementNS(SVG, "title");
      title.textContent = `${end.view} view`;
      disc.setAttribute("r", end.label === "" ? "6" : "8.5");
      text.textContent = end.label;
      group.append(title, line, disc, text);
      group.addEventListener("click", () => go(end.view));
      this.svg.append(group);
      return { end, group, line, disc, text };
    });
    stage.overlay.append(this.svg);
    stage.onTheme((colours) => {
      for (const { end, line, disc } of this.marks) {
        const colour = colours.axes[end.colour];
        line.setAttribute("stroke", end.label === "" ? "none" : colour);
        disc.setAttribute("fill", colour);
        disc.setAttribute("fill-opacity", end.label === "" ? "0.18" : "1");
        disc.setAttribute("stroke", colour);
      }
    });
    stage.beforeDraw(() => this.turn());
  }

  private turn(): void {
    const inverse = this.stage.rig.camera.quaternion.clone().invert();
    const order = this.marks.map((mark) => ({ mark, p: mark.end.axis.clone().applyQuaternion(inverse) })).sort((a, b) => a.p.z - b.p.z);
    order.forEach(({ mark, p }, k) => {
      const [x, y] = [(p.x * REACH).toFixed(1), (-p.y * REACH).toFixed(1)];
      mark.line.setAttribute("x2", x);
      mark.line.setAttribute("y2", y);
      mark.disc.setAttribute("cx", x);
      mark.disc.setAttribute("cy", y);
      mark.text.setAttribute("x", x);
      mark.text.setAttribute("y", y);
      if (this.svg.children[k] !== mark.group) this.svg.insertBefore(mark.group, this.svg.children[k] ?? null);
    });
  }
}
