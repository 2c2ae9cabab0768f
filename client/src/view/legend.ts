// What the colours along the cables mean, with the limit marked.
import type { Bench } from "./bench";
import { rampGradient } from "./ramp";
import type { Scale } from "./scale";

export class Legend {
  private readonly element = document.createElement("div");
  private shown = "";

  constructor(private readonly bench: Bench) {
    this.element.className = "view-legend";
    this.element.hidden = true;
    bench.stage.overlay.append(this.element);
    bench.cables.onFrame(() => this.update());
    bench.stage.onTheme(() => this.update());
  }

  private update(): void {
    const found = this.bench.cables.scale;
    const scale = found === null || found.ticks.length === 0 ? null : found; // there is nothing to read off
    const text = scale === null ? "" : `${JSON.stringify(scale)}${this.bench.stage.colours.bad}`;
    if (text === this.shown) return;
    this.shown = text;
    this.element.hidden = scale === null;
    if (scale !== null) this.element.replaceChildren(...this.parts(scale));
  }

  private parts(scale: Scale): HTMLElement[] {
    const title = made("title", scale.title);
    const bar = made("bar", "");
    bar.style.background = rampGradient(scale.limit, this.bench.stage.colours.bad);
    const ticks = made("ticks", "");
    for (const { amount, label } of scale.ticks) {
      const isLimit = scale.limit !== null && Math.abs(amount - scale.limit) < 1e-9;
      const tick = made(isLimit ? "tick limit" : "tick", label);
      tick.style.left = `${100 * amount}%`;
      ticks.append(tick);
    }
    return [title, bar, ticks];
  }
}

function made(name: string, text: string): HTMLDivElement {
  const element = document.createElement("div");
  element.className = name;
  element.textContent = text;
  return element;
}
