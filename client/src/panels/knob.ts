// A knob that turns the end of a cable about its tangent. It takes hold of the end and turns it as a drag does, so that
// one turn of the hand is one step of undo.
import { h, setText, type Piece } from "./elements";
import type { Page, Quaternion } from "./page";
import { times } from "./turns";

const SVG = "http://www.w3.org/2000/svg";
const FINE = 0.2; // with shift, the knob follows so much slower
const KEY = Math.PI / 36; // 5° per arrow key

interface Options {
  path: string;
  value(): number | null; // rad
  usable(): boolean;
}

export function knob(page: Page, { path, value, usable }: Options): Piece {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "-20 -20 40 40");
  const ring = svg.appendChild(document.createElementNS(SVG, "circle"));
  ring.setAttribute("r", "15");
  ring.setAttribute("class", "knob-ring");
  const sweep = svg.appendChild(document.createElementNS(SVG, "path"));
  sweep.setAttribute("class", "knob-sweep");
  const hand = svg.appendChild(document.createElementNS(SVG, "line"));
  hand.setAttribute("class", "knob-hand");
  hand.setAttribute("y1", "-5");
  hand.setAttribute("y2", "-15");
  const turns = h("span", { class: "knob-turns" });
  const element = h("div", { class: "knob", tabindex: 0, role: "slider", test: "twist-knob", "aria-label": "turn the end", title: "Drag around to turn the end about its tangent; shift turns finely; arrow keys turn by 5°" });
  element.append(svg, turns);

  let turning: { start: Quaternion; turned: number; last: number } | null = null;
  const angleAt = (event: PointerEvent): number => {
    const box = element.getBoundingClientRect();
    return Math.atan2(event.clientX - box.left - box.width / 2, box.top + box.height / 2 - event.clientY);
  };
  element.addEventListener("pointerdown", (event) => {
    const quaternion = page.pose(path)?.quaternion ?? null;
    if (!usable() || quaternion === null) return;
    element.setPointerCapture(event.pointerId);
    turning = { start: quaternion, turned: 0, last: angleAt(event) };
    page.do({ kind: "Grab", path });
  });
  element.addEventListener("pointermove", (event) => {
    const pose = page.pose(path);
    if (turning === null || pose === null) return;
    const now = angleAt(event);
    const by = Math.atan2(Math.sin(now - turning.last), Math.cos(now - turning.last));
    turning.last = now;
    turning.turned += by * (event.shiftKey ? FINE : 1);
    const half = turning.turned / 2;
    page.connection.dragTo(pose.position, times(turning.start, [Math.cos(half), 0, 0, Math.sin(half)]));
  });
  const end = (command: "Drop" | "Cancel"): void => {
    if (turning === null) return;
    turning = null;
    page.connection.flushDrag();
    page.do({ kind: command });
  };
  element.addEventListener("pointerup", () => end("Drop"));
  element.addEventListener("pointercancel", () => end("Cancel"));
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && turning !== null) {
      end("Cancel");
      event.stopPropagation();
    }
    const sign = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
    if (sign === undefined || !usable()) return;
    event.preventDefault();
    page.do({ kind: "Turn", path, by: sign * KEY * (event.shiftKey ? FINE : 1) });
  });
  return {
    element,
    update: () => {
      const angle = value();
      element.classList.toggle("off", !usable());
      const shown = angle ?? 0;
      const degrees = (shown * 180) / Math.PI;
      hand.setAttribute("transform", `rotate(${degrees.toFixed(1)})`);
      sweep.setAttribute("d", arc(shown));
      element.setAttribute("aria-valuenow", degrees.toFixed(0));
      const whole = Math.trunc(Math.abs(shown) / (2 * Math.PI));
      setText(turns, whole === 0 ? "" : `${shown < 0 ? "−" : "+"}${whole}`);
    },
  };
}

/** From the top to the angle, at most once around. */
function arc(angle: number): string {
  const part = angle - 2 * Math.PI * Math.trunc(angle / (2 * Math.PI));
  if (Math.abs(part) < 1e-3) return "";
  const [x, y] = [15 * Math.sin(part), -15 * Math.cos(part)];
  return `M0-15A15 15 0 ${Math.abs(part) > Math.PI ? 1 : 0} ${part > 0 ? 1 : 0} ${x.toFixed(2)} ${y.toFixed(2)}`;
}
