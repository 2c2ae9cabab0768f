// Below the view: the check list beside plots, measures, variants, measured points and messages. It can be folded away.
import { Plots } from "../plots/plots";
import { TimePlots } from "../plots/timeplots";
import { button } from "./buttons";
import { checksPanel } from "./checks";
import { h, keep, kept, Keyed, setClass, setHidden, setText, type Piece } from "./elements";
import { setIcon } from "./icons";
import { measuresPanel } from "./measures";
import { machinePanel } from "./machine";
import { hasMotion, motionPanel } from "./motion";
import type { Player } from "../player";
import type { Page } from "./page";
import { pointsPanel } from "./points";
import { variantsPanel } from "./variants";
import type { Said } from "../store";

export type Tab = "machine" | "time" | "motion" | "plots" | "measures" | "variants" | "points" | "messages";

const TABS: { [tab in Tab]: { text: string; title: string } } = {
  machine: { text: "Machine", title: "Motors and winches, tensions and lengths of ropes, joints" },
  time: { text: "Over time", title: "Tensions, joints and torques as the machine runs" },
  motion: { text: "Motion", title: "Joints, named positions, and the timeline of motions" },
  plots: { text: "Plots", title: "Curves along the cable" },
  measures: { text: "Measures", title: "Distances, arc lengths and angles that were taken" },
  variants: { text: "Variants", title: "Kept shapes, compared" },
  points: { text: "Points", title: "A real cable beside the computed one" },
  messages: { text: "Messages", title: "Everything that was said" },
};
const LOWEST = 132, HIGHEST = 0.6; // px, and part of the window

export class Bottom implements Piece {
  readonly element: HTMLElement;
  private tab: Tab = kept<Tab>("tab", "plots");
  private folded = kept("folded", false);
  private height = kept("bottom", 204);
  private readonly plots: Plots;
  private readonly choices: Piece;
  private readonly menu: HTMLElement;
  private readonly panels: { [tab in Tab]: Piece };
  private readonly checks: Piece;
  private readonly fold: HTMLButtonElement;
  private readonly tabs = new Map<Tab, { button: HTMLElement; count: HTMLElement }>();
  private readonly plotsText = h("span", { class: "tab-text", test: "plotted-cable" });
  readonly player: Player;
  private seen = 0; // messages
  private moves = false; // whether the scene has anything to move
  private runs = false; // whether anything moves in time
  private readonly time: TimePlots;
  private readonly timeHead: HTMLElement;

  constructor(private readonly page: Page) {
    this.plots = new Plots(page);
    this.choices = this.plots.choices();
    this.menu = this.plots.menu();
    const motion = motionPanel(page);
    this.player = motion.player;
    this.time = new TimePlots(page);
    this.timeHead = this.time.head();
    this.panels = { machine: machinePanel(page), time: this.time, motion, plots: this.plots, measures: measuresPanel(page), variants: variantsPanel(page), points: pointsPanel(page), messages: messagesPanel(page) };
    this.checks = checksPanel(page);
    for (const tab of Object.keys(TABS) as Tab[]) {
      const count = h("span", { class: "count" });
      const element = h(
        "button",
        { type: "button", class: "tab", role: "tab", test: `tab-${tab}`, title: TABS[tab].title, onclick: () => this.show(tab) },
        tab === "plots" ? this.plotsText : TABS[tab].text,
        count,
      );
      this.tabs.set(tab, { button: element, count });
    }
    this.fold = button({ icon: "down", title: "Fold this away (B)", test: "bottom-fold", class: "quiet", run: () => this.toggle() });
    const head = h(
      "div",
      { class: "panel-head low tabs", role: "tablist" },
      ...[...this.tabs.values()].map((k) => k.button),
      h("span", { class: "push" }),
      this.choices.element,
      this.menu,
      this.timeHead,
      this.fold,
    );
    const grip = h("div", { class: "grip", title: "Drag to make this higher or lower", test: "bottom-grip" });
    this.dragHeight(grip);
    this.element = h(
      "section",
      { class: "bottom", test: "bottom" },
      grip,
      this.checks.element,
      h("div", { class: "bottom-main" }, head, ...Object.values(this.panels).map((k) => k.element)),
    );
    this.fit();
  }

  show(tab: Tab): void {
    this.tab = tab;
    this.folded = false;
    keep("tab", tab);
    keep("folded", false);
    this.fit();
    this.page.ask(true);
  }

  toggle(): void {
    this.folded = !this.folded;
    keep("folded", this.folded);
    this.fit();
    this.page.ask(true);
  }

  update(): void {
    const { scene } = this.page;
    const said = this.page.store.get("said");
    const moves = hasMotion(scene);
    if (scene !== null && moves !== this.moves) {
      this.moves = moves; // a scene with joints shows them; one without has no such tab
      if (moves || this.tab === "motion") this.tab = moves ? "motion" : "plots";
    }
    const runs = (scene?.machine ?? null) !== null;
    if (scene !== null && runs !== this.runs) {
      this.runs = runs;
      if (runs || this.tab === "machine" || this.tab === "time") this.tab = runs ? "machine" : "plots";
    }
    if (this.tab === "messages" && !this.folded) this.seen = said.length;
    const counts: { [tab in Tab]: number } = {
      machine: 0,
      time: 0,
      motion: 0,
      plots: 0,
      measures: scene?.measures.length ?? 0,
      variants: scene?.variants.length ?? 0,
      points: scene?.points.length ?? 0,
      messages: Math.max(0, said.length - this.seen),
    };
    for (const [tab, { button: element, count }] of this.tabs) {
      const on = tab === this.tab && !this.folded;
      setClass(element, "on", on);
      element.setAttribute("aria-selected", String(on));
      const pointless = { machine: !runs, time: !runs, motion: !moves, plots: runs && scene?.cables.length === 0 } as { [tab in Tab]?: boolean };
      setHidden(element, pointless[tab] === true);
      setText(count, counts[tab] === 0 ? "" : String(counts[tab]));
      setHidden(this.panels[tab].element, tab !== this.tab);
    }
    setClass(this.element, "with-motion", this.tab === "motion" && !this.folded);
    const ofMachine = (this.tab === "machine" || this.tab === "time") && !this.folded;
    setClass(this.element, "with-machine", ofMachine);
    setClass(this.element, "unchecked", ofMachine && (this.page.store.get("readouts")?.checks.length ?? 0) === 0);
    const timing = this.tab === "time" && !this.folded;
    setHidden(this.timeHead, !timing);
    this.time.ask(timing);
    const plotting = this.tab === "plots" && !this.folded;
    setHidden(this.choices.element, !plotting);
    setHidden(this.menu, !plotting);
    const cable = this.page.current?.name;
    setText(this.plotsText, cable === undefined ? "Plots" : `Plots: ${cable}`);
    this.plots.ask(plotting);
    this.checks.update();
    if (this.folded) return;
    this.panels[this.tab].update();
    this.choices.update();
  }

  private fit(): void {
    const most = Math.round(HIGHEST * innerHeight);
    const height = Math.max(LOWEST, Math.min(most, this.height));
    document.documentElement.style.setProperty("--bottom", this.folded ? "31px" : `${height}px`);
    setClass(this.element, "folded", this.folded);
    const mark = this.fold.querySelector("svg");
    if (mark !== null) this.fold.classList.toggle("turned", this.folded);
    if (mark !== null) setIcon(mark, "down");
    this.fold.title = this.folded ? "Unfold this (B)" : "Fold this away (B)";
  }

  private dragHeight(grip: HTMLElement): void {
    let from: { y: number; height: number } | null = null;
    grip.addEventListener("pointerdown", (event) => {
      from = { y: event.clientY, height: this.height };
      grip.setPointerCapture(event.pointerId);
    });
    grip.addEventListener("pointermove", (event) => {
      if (from === null) return;
      this.height = from.height + from.y - event.clientY;
      this.folded = this.height < LOWEST - 40;
      this.fit();
    });
    grip.addEventListener("pointerup", () => {
      from = null;
      this.height = Math.max(LOWEST, Math.min(HIGHEST * innerHeight, this.height));
      keep("bottom", this.height);
      keep("folded", this.folded);
      this.page.ask(true);
    });
  }
}

function messagesPanel(page: Page): Piece {
  const list = h("div", { class: "messages", test: "messages", role: "log" });
  const empty = h("div", { class: "empty" }, "Nothing was said yet.");
  const rows = new Keyed<Said>(list, (said) => ({
    element: h(
      "div",
      { class: `said ${said.level}` },
      h("time", {}, new Date(said.time).toLocaleTimeString()),
      said.path === "" ? null : h("button", { type: "button", class: "link", title: "Select it", onclick: () => page.store.select([said.path]) }, said.path),
      h("span", {}, said.text),
    ),
    show: () => undefined,
  }));
  const keys = new WeakMap<Said, string>();
  let count = 0;
  return {
    element: h("div", { class: "tab-body" }, list, empty),
    update: () => {
      const said = page.store.get("said");
      rows.show([...said].reverse(), (k) => {
        let key = keys.get(k);
        if (key === undefined) keys.set(k, (key = String(++count)));
        return key;
      });
      setHidden(empty, said.length > 0);
    },
  };
}
