// Live plots along the length of one cable. The pointer is shared with the view: a place pointed at here is marked there.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Curves, SceneEvent } from "../messages";
import { button, showMenu } from "../panels/buttons";
import { h, keep, kept, setClass, setHidden, setText, type Piece } from "../panels/elements";
import type { Page } from "../panels/page";
import { METRES, significant } from "../units";

type Quantity = "curvature" | "torsion" | "tension" | "moment";

const QUANTITIES: { [name in Quantity]: { text: string; unit: string; size: number; colour: string; title: string; least: number } } = {
  // `least` is the smallest range that is drawn: what is below is nothing, and looks like it
  curvature: { text: "Curvature", unit: "1/m", size: 1, colour: "--plot-1", title: "One over the bend radius; the red line is the limit", least: 0.1 },
  torsion: { text: "Torsion", unit: "°/m", size: Math.PI / 180, colour: "--plot-2", title: "Twist per length", least: 0.5 },
  tension: { text: "Tension", unit: "N", size: 1, colour: "--plot-3", title: "Pull along the cable; negative: push", least: 1e-3 },
  moment: { text: "Moment", unit: "N m", size: 1, colour: "--plot-4", title: "Size of the internal moment", least: 1e-5 },
};
const NAMES = Object.keys(QUANTITIES) as Quantity[];
const FEW = 1500; // px: a narrower window begins with two plots

function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export class Plots implements Piece {
  readonly element: HTMLElement;
  private readonly empty = h("div", { class: "empty", test: "plots-empty" });
  private readonly row = h("div", { class: "plots", test: "plots" });
  private readonly plots: OnePlot[];
  private shown = new Set<Quantity>(kept<Quantity[]>("plots", innerWidth < FEW ? ["curvature", "tension"] : NAMES));
  private askedIn: SceneEvent | null = null;
  private asked: string | null | undefined = undefined; // cable whose curves were asked for

  constructor(private readonly page: Page) {
    this.plots = NAMES.map((name) => new OnePlot(page, name));
    this.row.append(...this.plots.map((plot) => plot.element));
    this.element = h("div", { class: "plots-panel" }, this.row, this.empty);
    page.store.on("place", (place) => this.plots.forEach((plot) => plot.point(place)));
    page.store.on("status", (status) => {
      if (status?.state === "restarted" || status?.state === "ready") this.asked = undefined;
    });
    page.store.on("connection", () => (this.asked = undefined));
    const redraw = (): unknown => requestAnimationFrame(() => this.plots.forEach((plot) => plot.redraw()));
    page.store.on("options", redraw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  }

  /** Which plots are shown: buttons for the head of the panel. */
  choices(): Piece {
    const buttons = NAMES.map((name) => {
      const { text, title } = QUANTITIES[name];
      return { name, element: h("button", { type: "button", class: "chip", test: `plot-${name}`, title, onclick: () => this.flip(name) }, text) };
    });
    return {
      element: h("span", { class: "chips" }, ...buttons.map((k) => k.element)),
      update: () =>
        buttons.forEach(({ name, element }) => {
          setClass(element, "on", this.shown.has(name));
          element.setAttribute("aria-pressed", String(this.shown.has(name)));
        }),
    };
  }

  /** The same as a menu, where there is no room for the buttons. */
  menu(): HTMLElement {
    const element: HTMLButtonElement = button({
      text: "Curves",
      title: "What is plotted",
      test: "plot-menu",
      class: "small narrow-only",
      run: () => showMenu(
        element,
        NAMES.map((name) => ({
          text: QUANTITIES[name].text,
          title: QUANTITIES[name].title,
          checked: this.shown.has(name),
          test: `plot-menu-${name}`,
          run: () => this.flip(name),
        })),
        "plot-entries",
      ),
    });
    return element;
  }

  private flip(name: Quantity): void {
    if (!this.shown.delete(name)) this.shown.add(name);
    keep("plots", [...this.shown]);
    this.page.ask(true);
  }

  /** Asks for the curves of the cable at hand; none while the plots are not seen. */
  ask(seen: boolean): void {
    const ready = this.page.store.get("connection") === "open" && this.page.scene !== null && ["ready", "restarted"].includes(
      this.page.store.get("status")?.state ?? "",
    );
    if (!ready) return;
    const cable = seen ? (this.page.current?.name ?? null) : null;
    // A scene that was opened anew knows nothing of what was asked before.
    const forgotten = this.page.scene !== this.askedIn && (this.page.store.get("readouts")?.curves ?? null) === null;
    if (cable === this.asked && !(forgotten && cable !== null)) return;
    this.asked = cable;
    this.askedIn = this.page.scene;
    this.page.send({ kind: "Plot", cable }).catch(() => (this.asked = undefined)); // the cable has just gone: the next scene says so
  }

  update(): void {
    const curves = this.page.store.get("readouts")?.curves ?? null;
    const current = this.page.current;
    const shown = current === null ? null : curves; // of the cable before, for a moment after another was selected
    if (current === null) setText(this.empty, "There is no cable to plot.");
    else if (shown === null) setText(this.empty, `Curves of ${current.name} will be here as soon as it is solved.`);
    else setText(this.empty, this.shown.size === 0 ? "Choose what to plot above." : "");
    setClass(this.row, "stale", shown?.cable !== current?.name);
    setHidden(this.empty, this.empty.textContent === "");
    setHidden(this.row, this.empty.textContent !== "");
    for (const plot of this.plots) {
      const on = shown !== null && this.shown.has(plot.quantity);
      setHidden(plot.element, !on);
      if (on) plot.show(shown);
    }
  }
}

class OnePlot {
  readonly element: HTMLElement;
  private readonly host = h("div", { class: "plot-host" });
  private readonly value = h("span", { class: "value" });
  private plot: uPlot | null = null;
  private curves: Curves | null = null;
  private pointing = false; // by this page's own doing

  constructor(
    private readonly page: Page,
    readonly quantity: Quantity,
  ) {
    const { text, unit, title } = QUANTITIES[quantity];
    this.element = h(
      "figure",
      { class: "plot", title, test: `plot-of-${quantity}` },
      h("figcaption", {}, `${text} `, h("span", { class: "muted" }, unit), h("span", { class: "push" }), this.value),
      this.host,
    );
    new ResizeObserver(() => this.resize()).observe(this.host);
    this.host.addEventListener("pointerleave", () => this.page.store.setPlace(null));
  }

  show(curves: Curves): void {
    const unit = METRES[this.page.unit];
    const { size } = QUANTITIES[this.quantity];
    const x = curves.s.map((s) => s / unit);
    const y = curves[this.quantity].map((k) => (k === null ? null : k / size));
    const limit = this.quantity === "curvature" ? curves.curvature_limit : null;
    const fresh = this.curves !== curves;
    this.curves = curves;
    const data: uPlot.AlignedData = [x, y, x.map(() => limit)];
    if (this.plot === null) this.make(data);
    else if (fresh) this.plot.setData(data);
    if (fresh) this.say(this.placed(this.page.store.get("place")));
  }

  redraw(): void {
    this.plot?.redraw(false, true);
  }

  /** Marks a place on this cable. */
  point(place: { cable: string; at: number } | null): void {
    const { plot, curves } = this;
    if (plot === null || curves === null) return;
    const at = this.placed(place);
    this.say(at);
    if (this.pointing) return;
    const s = at === null ? null : (at * (curves.s.at(-1) ?? 0)) / METRES[this.page.unit];
    plot.setCursor({ left: s === null ? -10 : plot.valToPos(s, "x"), top: -10 }, false);
  }

  /** A place, where it is on this cable. */
  private placed(place: { cable: string; at: number } | null): number | null {
    return place !== null && place.cable === this.curves?.cable ? place.at : null;
  }

  private say(at: number | null): void {
    const { curves } = this;
    if (curves === null || at === null) return setText(this.value, "");
    const s = at * (curves.s.at(-1) ?? 0);
    const k = nearest(curves.s, s);
    setText(this.value, `${significant((curves[this.quantity][k] ?? NaN) / QUANTITIES[this.quantity].size)} at ${this.page.length(s)}`);
  }

  private make(data: uPlot.AlignedData): void {
    const { colour, least } = QUANTITIES[this.quantity];
    const axis = (size: number): uPlot.Axis => ({
      stroke: () => css("--muted"),
      grid: { stroke: () => css("--grid"), width: 1 },
      ticks: { stroke: () => css("--grid"), width: 1, size: 3 },
      font: "11px system-ui, sans-serif",
      size,
      gap: 3,
    });
    const options: uPlot.Options = {
      width: Math.max(60, this.host.clientWidth),
      height: Math.max(40, this.host.clientHeight),
      padding: [6, 10, 0, 0],
      legend: { show: false },
      scales: { x: { time: false }, y: { range: (_, low, high) => padded(low, high, least) } },
      axes: [
        { ...axis(22), space: 60 },
        { ...axis(46), space: 24, values: (_, ticks) => ticks.map((k) => (k === 0 ? "0" : String(Number(k.toPrecision(3))))) },
      ],
      series: [
        {},
        { stroke: () => css(colour), width: 1.6, points: { show: false } },
        { stroke: () => css("--bad"), width: 1.2, dash: [5, 4], points: { show: false } },
      ],
      cursor: { y: false, drag: { x: false, y: false }, points: { show: true, size: 6 } },
      hooks: { setCursor: [(plot) => this.moved(plot)] },
    };
    this.plot = new uPlot(options, data, this.host);
  }

  private moved(plot: uPlot): void {
    const { left } = plot.cursor;
    if (left === undefined || left < 0 || this.curves === null || !this.host.matches(":hover")) return;
    const length = this.curves.s.at(-1) ?? 0;
    if (length <= 0) return;
    this.pointing = true;
    const at = (plot.posToVal(left, "x") * METRES[this.page.unit]) / length;
    this.page.store.setPlace({ cable: this.curves.cable, at: Math.max(0, Math.min(1, at)) });
    this.pointing = false;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (this.plot !== null && width > 0 && height > 0) this.plot.setSize({ width, height });
  }
}

/** Zero is always in it, and there is a little room. */
function padded(low: number, high: number, least: number): [number, number] {
  const small = Math.max(-(low ?? 0), high ?? 0) < least;
  const [a, b] = small ? [(low ?? 0) < 0 ? -least : 0, least] : [Math.min(0, low ?? 0), Math.max(0, high ?? 0)];
  const room = 0.06 * (b - a) || 1;
  return [a < 0 ? a - room : 0, b > 0 ? b + room : room];
}

function nearest(sorted: readonly number[], value: number): number {
  let best = 0;
  for (let k = 1; k < sorted.length; k++) if (Math.abs(sorted[k] - value) < Math.abs(sorted[best] - value)) best = k;
  return best;
}
