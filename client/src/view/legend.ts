// What the colours along cables and ropes mean, with the limit marked.
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
    bench.ropes.onScale(() => this.update());
    bench.stage.onTheme(() => this.update());
  }

  private update(): void {
    const { cables, ropes, stage } = this.bench;
    const found = [cables.views.size === 0 ? null : cables.scale, ropes.scale];
    const scales = found.filter((k) => k !== null).filter((k) => k.ticks.length > 0); // else there is nothing to read off
    const text = scales.length === 0 ? "" : `${JSON.stringify(scales)}${stage.colours.bad}`;
    if (text === this.shown) return;
    this.shown = text;
    this.element.hidden = scales.length === 0;
    this.element.replaceChildren(...scales.flatMap((scale) => this.parts(scale)));
  }

  private parts(scale: Pick<Scale, "title" | "limit" | "ticks">): HTMLElement[] {
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
