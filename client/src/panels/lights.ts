// The timeline drawn: a ruler with keyframes, a row that tells where positions are certified and where a cable snaps,
// and a row of lights for every check. What passes is low, what is near its limit higher, what fails full: the colour
// is not alone.
import type { Band, SweepInfo } from "../messages";

export const RULER = 22; // px
export const ROW = 19;
export const PAD = 9; // on both sides, so that a mark at an end is whole
const NEAR = 0.1; // of the limit: a margin below is amber

export interface Drawn {
  range: [number, number]; // s
  keyframes: readonly number[];
  time: number;
  standing: boolean; // whether the parts are at this time
  sweep: SweepInfo | null;
}

export type Light = "good" | "warn" | "bad" | "none";

export function lightOf(band: Band, position: number): Light {
  const margin = band.margins[position];
  if (margin === null || margin === undefined) return "none";
  return margin < 0 ? "bad" : margin < NEAR * Math.abs(band.limit) ? "warn" : "good";
}

export function timeAt(x: number, width: number, [start, end]: [number, number]): number {
  const u = (x - PAD) / Math.max(1, width - 2 * PAD);
  return start + Math.min(1, Math.max(0, u)) * (end - start);
}

export function placeOf(time: number, width: number, [start, end]: [number, number]): number {
  return PAD + ((time - start) / Math.max(1e-12, end - start)) * (width - 2 * PAD);
}

/** The swept position nearest to a time; −1 where nothing was swept. */
export function nearestPosition(sweep: SweepInfo | null, time: number): number {
  let best = -1;
  sweep?.times.forEach((k, i) => {
    if (best < 0 || Math.abs(k - time) < Math.abs(sweep.times[best] - time)) best = i;
  });
  return best;
}

export function drawLights(canvas: HTMLCanvasElement, { range, keyframes, time, standing, sweep }: Drawn): void {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const scale = devicePixelRatio;
  const size = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  const pen = canvas.getContext("2d");
  if (pen === null || width === 0) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const at = (t: number): number => placeOf(t, width, range);
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);

  pen.font = `10.5px ${style.fontFamily}`;
  pen.textAlign = "center";
  pen.strokeStyle = colour("line");
  pen.fillStyle = colour("muted");
  const step = tick(range[1] - range[0], width / 64);
  for (let t = Math.ceil(range[0] / step - 1e-9) * step; t <= range[1] + 1e-9; t += step) {
    const x = Math.round(at(t)) + 0.5;
    pen.beginPath();
    pen.moveTo(x, RULER - 5);
    pen.lineTo(x, height);
    pen.stroke();
    pen.fillText(`${Number(t.toFixed(6))} s`, Math.min(Math.max(x, 14), width - 14), 9);
  }
  pen.fillStyle = colour("accent");
  for (const t of keyframes) diamond(pen, at(t), RULER - 5, 3.5);

  if (sweep !== null) drawSweep(pen, sweep, at, colour);

  const x = Math.round(at(time)) + 0.5;
  pen.strokeStyle = pen.fillStyle = colour(standing ? "ink" : "muted");
  pen.lineWidth = 1.5;
  if (!standing) pen.setLineDash([3, 3]);
  pen.beginPath();
  pen.moveTo(x, 11);
  pen.lineTo(x, height);
  pen.stroke();
  pen.setLineDash([]);
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(x - 5, 10);
  pen.lineTo(x + 5, 10);
  pen.lineTo(x, 17);
  pen.fill();
}

function drawSweep(pen: CanvasRenderingContext2D, sweep: SweepInfo, at: (t: number) => number, colour: (name: string) => string): void {
  const { times, reasons, bands, snaps } = sweep;
  const left = (i: number): number => (i === 0 ? at(times[0]) - 2 : (at(times[i - 1]) + at(times[i])) / 2);
  const right = (i: number): number => (i === times.length - 1 ? at(times[i]) + 2 : (at(times[i]) + at(times[i + 1])) / 2);
  const bar = (i: number, row: number, part: number): void => {
    const [high, low] = [part * (ROW - 5), RULER + ROW * (row + 1) - 2];
    pen.fillRect(left(i), low - high, right(i) - left(i) + (sweep.stale ? 0 : 0.3), high);
  };
  pen.globalAlpha = sweep.stale ? 0.35 : 1;
  times.forEach((_, i) => {
    pen.fillStyle = colour(reasons[i] === "" ? "good" : "bad");
    bar(i, 0, reasons[i] === "" ? 0.25 : 1);
  });
  bands.forEach((band, row) =>
    times.forEach((_, i) => {
      const light = lightOf(band, i);
      pen.fillStyle = colour(light === "none" ? "field-line" : light);
      bar(i, row + 1, light === "bad" ? 1 : light === "warn" ? 0.65 : light === "good" ? 0.35 : 0.12);
    }),
  );
  pen.fillStyle = colour("plot-2");
  for (const { position } of snaps) {
    const x = left(position);
    pen.fillRect(x - 0.75, RULER, 1.5, ROW * (bands.length + 1));
    pen.beginPath();
    pen.moveTo(x - 5, RULER + 1);
    pen.lineTo(x + 5, RULER + 1);
    pen.lineTo(x, RULER + 9);
    pen.fill();
  }
  pen.globalAlpha = 1;
}

function diamond(pen: CanvasRenderingContext2D, x: number, y: number, r: number): void {
  pen.beginPath();
  pen.moveTo(x, y - r);
  pen.lineTo(x + r, y);
  pen.lineTo(x, y + r);
  pen.lineTo(x - r, y);
  pen.fill();
}

/** A round step with which at most so many fit. */
function tick(span: number, most: number): number {
  const rough = span / Math.max(1, most);
  const ten = 10 ** Math.floor(Math.log10(rough));
  return ten * ([1, 2, 5, 10].find((k) => k * ten >= rough) ?? 10);
}
