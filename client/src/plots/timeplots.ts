// Plots over time of a machine: tensions, lengths, joints, torques, energies. What is shown is chosen; all can be exported.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { downloadLink } from "../dialogs/files";
import { showDialog } from "../dialogs/dialog";
import type { MachineInfo, Series } from "../messages";
import { button, showMenu, type Entries } from "../panels/buttons";
import { h, Keyed, setHidden, setText, type Piece } from "../panels/elements";
import { message, type Page } from "../panels/page";
import { fixed, significant } from "../units";

type Quantity = "tension" | "rest" | "stored" | "hinge" | "slide" | "torque" | "force" | "energy" | "position";

const QUANTITIES: { [name in Quantity]: { text: string; unit: string; size: number; least: number } } = {
  tension: { text: "Tension", unit: "N", size: 1, least: 1e-3 },
  rest: { text: "Length at rest", unit: "m", size: 1, least: 1e-5 },
  stored: { text: "Stored on wheels", unit: "m", size: 1, least: 1e-5 },
  hinge: { text: "Hinges", unit: "°", size: Math.PI / 180, least: 1e-3 },
  slide: { text: "Slides", unit: "m", size: 1, least: 1e-5 },
  torque: { text: "Torque", unit: "N m", size: 1, least: 1e-5 },
  force: { text: "Force", unit: "N", size: 1, least: 1e-3 },
  energy: { text: "Energy", unit: "J", size: 1, least: 1e-5 },
  position: { text: "Position", unit: "m", size: 1, least: 1e-5 },
};
const RELATIVE = 1e-3; // of the values: an axis shows no less, or rounding would look like something
const COLOURS = ["--plot-1", "--plot-4", "--plot-3", "--plot-2", "--plot-5", "--plot-6"];
const MOST = 12; // series
const OFFERED = 40; // of one quantity, in the menu

interface Offer {
  key: string;
  text: string;
  quantity: Quantity;
}

function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** All series there are, in the order of the menu. */
export function offers(machine: MachineInfo): Offer[] {
  const found: Offer[] = [];
  for (const rope of machine.ropes) {
    const named = rope.path.filter((k) => k.named).length;
    const name = (i: number): string => `${machine.ropes.length > 1 ? `${rope.name}: ` : ""}${rope.path[i].on}`;
    rope.path.forEach((_, i) => {
      if (i === named - 1 && !rope.closed) return;
      const text = i < named ? `${name(i)} – ${rope.path[(i + 1) % named].on}` : `${name(i)} onwards, when met`;
      found.push({ key: `tension/${rope.name}/${i}`, text, quantity: "tension" });
      found.push({ key: `rest/${rope.name}/${i}`, text, quantity: "rest" });
    });
    rope.path.forEach(({ link }, i) => {
      if (link !== "attachment" && link !== "pinhole") found.push({ key: `stored/${rope.name}/${i}`, text: name(i), quantity: "stored" });
    });
  }
  for (const { name, joint } of machine.joints) {
    if (joint !== "hinge" && joint !== "slide") continue;
    found.push({ key: `joint/${name}`, text: name, quantity: joint });
    found.push({ key: `torque/${name}`, text: name, quantity: joint === "slide" ? "force" : "torque" });
  }
  found.push({ key: "energy", text: "all", quantity: "energy" }, { key: "kinetic", text: "kinetic", quantity: "energy" });
  return found;
}

/** To begin with: the first spans, and what the motors do. */
function usual(machine: MachineInfo, all: readonly Offer[]): string[] {
  const spans = all.filter((k) => k.quantity === "tension").slice(0, 4);
  const driven = new Set(machine.joints.filter((k) => k.drive !== "off").map((k) => `torque/${k.name}`));
  const torques = all.filter((k) => driven.has(k.key)).slice(0, 2);
  const rest = spans.length + torques.length > 0 ? [] : all.filter((k) => k.quantity === "hinge" || k.quantity === "slide").slice(0, 3);
  return [...spans, ...torques, ...rest].map((k) => k.key);
}

export class TimePlots implements Piece {
  readonly element: HTMLElement;
  private readonly row = h("div", { class: "plots", test: "time-plots" });
  private readonly empty = h("div", { class: "empty", test: "time-plots-empty" });
  private readonly plots: Keyed<{ quantity: Quantity; series: Series[]; names: Map<string, string> }>;
  private chosen: string[] = [];
  private chosenFor = "";
  private asked = "";

  constructor(private readonly page: Page) {
    this.plots = new Keyed(this.row, ({ quantity }) => {
      const plot = new TimePlot(quantity);
      return { element: plot.element, show: (shown) => plot.show(shown) };
    });
    this.element = h("div", { class: "plots-panel" }, this.row, this.empty);
    for (const key of ["status", "connection"] as const) page.store.on(key, () => (this.asked = ""));
  }

  /** Buttons for the head of the panel: which series, and all of them as files. */
  head(): HTMLElement {
    const choose: HTMLButtonElement = button({ text: "Series", title: "What is plotted", test: "time-series", class: "small", run: () => showMenu(choose, this.entries(), "series-menu") });
    const save = button({ text: "Export", title: "Everything that was recorded: a table (CSV), JSON, arrays and a plot, as lissom run writes them", test: "export-run", class: "small", run: () => exportRun(this.page) });
    return h("span", { class: "time-head" }, choose, save);
  }

  /** Asks for the series that are shown; none while the plots are not seen. */
  ask(seen: boolean): void {
    const machine = this.page.scene?.machine ?? null;
    if (machine === null || this.page.store.get("connection") !== "open") return;
    const all = offers(machine);
    const what = `${this.page.scene?.file ?? this.page.scene?.title ?? ""}|${all.map((k) => k.key).join("|")}`;
    if (what !== this.chosenFor) {
      this.chosenFor = what;
      this.chosen = usual(machine, all);
      this.asked = "";
    }
    const series = seen ? this.chosen : [];
    const text = `${what}#${series.join("|")}`;
    if (text === this.asked) return;
    this.asked = text;
    this.page.send({ kind: "Watch", series }).catch(() => (this.asked = ""));
  }

  update(): void {
    const machine = this.page.scene?.machine ?? null;
    const known = this.page.store.get("machine");
    const all = machine === null ? [] : offers(machine);
    const names = new Map(all.map((k) => [k.key, k.text]));
    const of = new Map(all.map((k) => [k.key, k.quantity]));
    const series = (known?.series ?? []).filter((k) => this.chosen.includes(k.key) && of.has(k.key));
    const quantities = [...new Set(series.map((k) => of.get(k.key)))].filter((k) => k !== undefined);
    setText(this.empty, this.chosen.length === 0 ? "Choose what to plot: Series, above." : series.length === 0 ? "Play, and the curves are drawn here." : "");
    setHidden(this.empty, this.empty.textContent === "");
    setHidden(this.row, this.empty.textContent !== "");
    this.plots.show(quantities.map((quantity) => ({ quantity, names, series: series.filter((k) => of.get(k.key) === quantity) })), (k) => k.quantity);
  }

  private entries(): Entries {
    const machine = this.page.scene?.machine ?? null;
    const all = machine === null ? [] : offers(machine);
    return (Object.keys(QUANTITIES) as Quantity[]).flatMap((quantity) => {
      const some = all.filter((k) => k.quantity === quantity);
      if (some.length === 0) return [];
      return [
        { heading: `${QUANTITIES[quantity].text} (${QUANTITIES[quantity].unit})` },
        ...some.slice(0, OFFERED).map(({ key, text }) => ({
          text,
          checked: this.chosen.includes(key),
          test: `series-${key}`,
          title: this.chosen.includes(key) ? "Plotted: click to leave it out" : "Click to plot it",
          run: () => this.flip(key),
        })),
      ];
    });
  }

  private flip(key: string): void {
    if (this.chosen.includes(key)) this.chosen = this.chosen.filter((k) => k !== key);
    else if (this.chosen.length < MOST) this.chosen = [...this.chosen, key];
    else this.page.store.say("warning", `At most ${MOST} series are plotted at once: leave one out first.`);
    this.page.ask(true);
  }
}

class TimePlot {
  readonly element: HTMLElement;
  private readonly host = h("div", { class: "plot-host" });
  private readonly legend = h("span", { class: "series" });
  private plot: uPlot | null = null;
  private keys = "";
  private drawn: readonly Series[] = [];

  constructor(readonly quantity: Quantity) {
    const { text, unit } = QUANTITIES[quantity];
    this.element = h("figure", { class: "plot", test: `time-plot-${quantity}` }, h("figcaption", {}, `${text} `, h("span", { class: "muted" }, unit), h("span", { class: "push" }), this.legend), this.host);
    new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = this.host;
      if (this.plot !== null && width > 0 && height > 0) this.plot.setSize({ width, height });
    }).observe(this.host);
  }

  show({ series, names }: { series: Series[]; names: Map<string, string> }): void {
    if (series.length === this.drawn.length && series.every((k, i) => k === this.drawn[i])) return;
    this.drawn = series;
    const groups = alike(series);
    const keys = `${series.map((k, i) => `${k.key} ${groups[i]}`).join("|")}${document.documentElement.dataset.theme ?? ""}`;
    const { size } = QUANTITIES[this.quantity];
    const data = uPlot.join(series.map((k) => [k.times, k.values.map((v) => (v === null ? null : v / size))] as uPlot.AlignedData));
    if (keys !== this.keys || this.plot === null) this.make(series, names, groups, data);
    else this.plot.setData(data);
    this.keys = keys;
    series.forEach((k, i) => {
      const value = k.values.at(-1);
      const entry = this.legend.querySelector(`[data-of="${i}"] b`);
      if (entry !== null) setText(entry, value === null || value === undefined ? "–" : thousands(value / size));
    });
  }

  private make(series: readonly Series[], names: Map<string, string>, groups: readonly number[], data: uPlot.AlignedData): void {
    this.plot?.destroy();
    const colour = (i: number): string => css(COLOURS[i % COLOURS.length]);
    const name = (i: number): string => names.get(series[i].key) ?? series[i].key;
    const leaders = series.map((_, i) => i).filter((i) => groups[i] === i);
    this.legend.replaceChildren(...leaders.map((i) => {
      const dot = h("i", {});
      dot.style.background = colour(i);
      const same = series.map((_, k) => k).filter((k) => groups[k] === i);
      const title = same.map(name).join("\n");
      return h("span", { title, "data-of": i }, dot, h("span", { class: "series-name" }, same.length > 1 ? `${same.length} alike` : name(i)), h("b", {}));
    }));
    const axis = (wide: number): uPlot.Axis => ({
      stroke: () => css("--muted"),
      grid: { stroke: () => css("--grid"), width: 1 },
      ticks: { stroke: () => css("--grid"), width: 1, size: 3 },
      font: "11px system-ui, sans-serif",
      size: wide,
      gap: 3,
    });
    this.plot = new uPlot(
      {
        width: Math.max(60, this.host.clientWidth),
        height: Math.max(40, this.host.clientHeight),
        padding: [6, 12, 0, 0],
        legend: { show: false },
        scales: { x: { time: false, range: (_, low, high) => [low ?? 0, Math.max(high ?? 1, (low ?? 0) + 1)] }, y: { range: (_, low, high) => roomy(low, high, QUANTITIES[this.quantity].least) } },
        axes: [
          { ...axis(22), space: 60, values: (_, ticks) => ticks.map((k) => `${k} s`) },
          { ...axis(56), space: 24, values: (_, ticks, _axis, _space, step) => labels(ticks, step) },
        ],
        series: [{}, ...series.map((_, i) => ({ stroke: () => colour(groups[i]), width: 1.6, points: { show: false }, spanGaps: true }))],
        cursor: { y: false, drag: { x: false, y: false }, points: { show: true, size: 5 } },
      },
      data,
      this.host,
    );
  }
}

/** Of each series the first that it cannot be told from. */
function alike(series: readonly Series[]): number[] {
  return series.map((one, i) => {
    const size = 5e-3 * Math.max(1e-9, ...one.values.map((v) => Math.abs(v ?? 0)));
    const first = series.slice(0, i).findIndex((other) => other.values.length === one.values.length && one.values.every((v, k) => Math.abs((v ?? 0) - (other.values[k] ?? 0)) <= size));
    return first < 0 ? i : first;
  });
}

function thousands(value: number): string {
  return Math.abs(value) >= 9999.5 ? `${significant(value / 1e3, 4)}k` : significant(Math.abs(value) < 1e-6 ? 0 : value, 4);
}

/** Ticks with as many digits as tell them apart. */
function labels(ticks: readonly number[], step: number): string[] {
  const size = Math.max(...ticks.map(Math.abs)) >= 1e4 ? 1e3 : 1;
  const exact = (digits: number): boolean => Math.abs(Number((step / size).toFixed(digits)) - step / size) <= 1e-6 * (step / size);
  const digits = [0, 1, 2, 3, 4, 5, 6, 7, 8].find(exact) ?? 9;
  return ticks.map((k) => `${Number(fixed(k / size, digits))}${size > 1 && k !== 0 ? "k" : ""}`);
}

/** Zero is in it unless the values are far from it; it spans a part of their size at least; and there is a little room. */
function roomy(low: number | null, high: number | null, least: number): [number, number] {
  const [from, to] = [low ?? 0, high ?? 1];
  const more = 0.5 * Math.max(0, Math.max(least, RELATIVE * Math.max(Math.abs(from), Math.abs(to))) - (to - from));
  const [a, b] = [from - more, to + more];
  const near = Math.min(Math.abs(a), Math.abs(b)) < 1.5 * (b - a) || a * b <= 0;
  const [c, d] = near ? [Math.min(0, a), Math.max(0, b)] : [a, b];
  const room = 0.06 * (d - c);
  return [c === 0 && near ? 0 : c - room, d === 0 && near ? 0 : d + room];
}

function exportRun(page: Page): void {
  const body = h("div", { class: "export-body" }, h("div", { class: "empty" }, "Writing…"));
  const dialog = showDialog({ title: "Export: what the machine did", test: "export-dialog", body: [body] });
  page.send({ kind: "ExportRun" }).then(
    (value) => {
      const { folder, files, since } = value as { folder: string; files: string[]; since: number };
      body.replaceChildren(
        h("p", {}, since > 0 ? `Everything since ${since.toFixed(1)} s, as far back as it is remembered; written beside the scene:` : "Everything since the start; written into a folder beside the scene:"),
        h("p", { class: "path", test: "export-path" }, folder),
        h("div", { class: "export-files" }, ...files.map((name) => downloadLink(name))),
      );
    },
    (error: unknown) => {
      body.replaceChildren();
      dialog.fail(message(error));
    },
  );
}
