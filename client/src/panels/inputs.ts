// The boxes and sliders themselves, and what is wrong with what was put into them.
import { h, setHidden, setText } from "./elements";
import type { QuantityOptions } from "./fields";
import { message, type Page } from "./page";
import { numberText, type Kind } from "./quantities";

/** Does the latest of what is asked, one at a time: what comes while one is under way waits, and only the last of it. */
class Latest {
  private busy = false;
  private next: (() => Promise<unknown>) | null = null;

  run(call: () => Promise<unknown>): void {
    if (this.busy) {
      this.next = call;
      return;
    }
    this.busy = true;
    void call().finally(() => {
      this.busy = false;
      const next = this.next;
      this.next = null;
      if (next !== null) this.run(next);
    });
  }
}

/** What is wrong with a field, below it. */
export class Trouble {
  readonly element = h("div", { class: "field-error", role: "alert", hidden: true });

  constructor(
    private readonly page: Page,
    test: string,
  ) {
    this.element.dataset.test = `${test}-error`;
  }

  say(text: string): void {
    setText(this.element, text);
    setHidden(this.element, text === "");
  }

  /** Watches an attempt: says why it failed, or that all is well. */
  async watch(attempt: () => Promise<unknown>): Promise<boolean> {
    try {
      await attempt();
      this.say("");
      return true;
    } catch (error) {
      this.say(message(error));
      if (!this.element.isConnected) this.page.store.say("error", message(error)); // another thing was selected meanwhile
      return false;
    }
  }
}

/** What was sent and is not answered yet: the next edit builds on it, and not on what is still shown. */
export class Sent<T> {
  private last: { readonly value: T } | null = null;

  or(shown: T): T {
    return this.last === null ? shown : this.last.value;
  }

  async until(value: T, answered: () => Promise<unknown>): Promise<void> {
    const mine = { value };
    this.last = mine;
    try {
      await answered();
    } finally {
      if (this.last === mine) this.last = null;
    }
  }
}

let number = 0;

interface TypedOptions {
  readonly kind: Kind; // may change, as a joint is driven in another way
  test: string;
  title: string;
  label: string;
  placeholder?: string;
  value(): number | null;
  commit(text: string): Promise<boolean>;
}

/** The box to type a number in. While it is being typed in, nothing overwrites it. */
export function typedInput(page: Page, options: TypedOptions): { input: HTMLInputElement; update(): void } {
  let typing = false;
  const input = h("input", {
    type: "text",
    class: "number",
    id: `field-${++number}`,
    test: options.test,
    title: options.title,
    "aria-label": options.label,
    placeholder: options.placeholder ?? "",
    spellcheck: "false",
    autocomplete: "off",
  });
  const restore = (): void => {
    typing = false;
    input.value = numberText(options.kind, options.value(), page.unit);
  };
  const commit = (): void => {
    if (!typing) return;
    typing = false;
    void options.commit(input.value).then((done) => {
      if (!done && !typing) restore();
      page.ask(true);
    });
  };
  input.addEventListener("input", () => (typing = true));
  input.addEventListener("focus", () => input.select());
  input.addEventListener("blur", commit);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      commit();
      input.select();
    } else if (event.key === "Escape") {
      restore();
      input.blur();
      event.stopPropagation();
    } else if ((event.key === "ArrowUp" || event.key === "ArrowDown") && !input.readOnly) {
      const step = stepOf(options.kind) * (event.shiftKey ? 10 : 1) * (event.key === "ArrowUp" ? 1 : -1);
      const now = Number(input.value.replace(",", "."));
      if (!Number.isFinite(now)) return;
      input.value = String(Number((now + step).toPrecision(12)));
      typing = true;
      commit();
      event.preventDefault();
    }
  });
  return {
    input,
    update: () => {
      if (typing) return;
      const text = numberText(options.kind, options.value(), page.unit);
      if (input.value === text) return;
      const all = document.activeElement === input && input.selectionStart === 0 && input.selectionEnd === input.value.length;
      input.value = text;
      if (all) input.select();
    },
  };
}

/** Of an arrow key, in the unit on the screen. */
function stepOf(kind: Kind): number {
  if (kind === "stiffness") return 0.001;
  if (kind === "number" || kind === "speed" || kind === "angular speed") return 0.01;
  return kind === "curvature" || kind === "pressure" || kind === "force" ? 0.1 : 1;
}

const STEPS = 1000;

export function slide(
  page: Page,
  options: QuantityOptions,
  how: { range(value: number): [number, number]; log?: boolean },
  trouble: Trouble,
): { element: HTMLInputElement; update(): void } {
  const element = h(
    "input",
    { type: "range", class: "slider", min: 0, max: STEPS, step: 1, test: `${options.test}-slider`, title: options.title, "aria-label": options.label },
  );
  const latest = new Latest();
  let held = false;
  let range: [number, number] | null = null;
  const bent = (x: number): number => (how.log === true ? Math.log(x) : x);
  const value = (): number => {
    const [low, high] = range ?? [0, 1];
    const u = Number(element.value) / STEPS;
    return how.log === true ? Math.exp(bent(low) + u * (bent(high) - bent(low))) : low + u * (high - low);
  };
  const say = (): void => element.setAttribute("aria-valuetext", page.text(options.kind, value()));
  let steps = 0; // of this slide that were taken
  element.addEventListener("input", () => {
    if (!held) steps = 0;
    held = true;
    say();
    const wanted = Number(value().toPrecision(5));
    latest.run(async () => {
      if (await trouble.watch(() => options.commit(wanted, steps > 0))) steps++;
    });
  });
  element.addEventListener("change", () => (held = false));
  element.addEventListener("pointerup", () => (held = false));
  return {
    element,
    update: () => {
      const now = options.value();
      if (held || now === null || now === undefined || !Number.isFinite(now)) return;
      if (range === null || !(now >= range[0] && now <= range[1])) range = how.range(now);
      const [low, high] = range;
      const u = high > low ? (bent(now) - bent(low)) / (bent(high) - bent(low)) : 0.5;
      const text = String(Math.round(STEPS * Math.max(0, Math.min(1, u))));
      if (element.value !== text) element.value = text;
      say();
    },
  };
}
