// Fields: a value that is shown, typed, or slid. A refusal stands beside the field, and the old value comes back.
import { h, setClass, setHidden, setText, setTitle, type Piece } from "./elements";
import { message, type Page } from "./page";
import { complaint, numberText, parse, unitOf, wire, type Kind } from "./quantities";

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
class Trouble {
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

export interface QuantityOptions {
  label: string;
  kind: Kind;
  test: string;
  title: string;
  value(): number | null | undefined; // SI
  /** Sets it: SI, or the text where it could not be read; null: nothing was typed, take it out. */
  commit(value: number | string | null): Promise<unknown>;
  slider?: { range(value: number): [number, number]; log?: boolean };
  wide?: boolean; // the slider has a row of its own
  empty?: string; // what an empty field says; then it may be emptied
  readonly?: () => boolean;
}

export function quantityField(page: Page, options: QuantityOptions): Piece {
  const { kind, test, label, title } = options;
  const trouble = new Trouble(page, test);
  const typed = typedInput(page, {
    kind,
    test,
    title,
    label,
    placeholder: options.empty,
    value: () => options.value() ?? null,
    commit: (text) =>
      trouble.watch(() => {
        if (text.trim() === "") {
          if (options.empty === undefined) throw new Error("a value is needed here");
          return options.commit(null);
        }
        return options.commit(wire(kind, text, page.unit));
      }),
  });
  const unit = h("span", { class: "unit" });
  const slider = options.slider === undefined ? null : slide(page, options, options.slider, trouble);
  const element = h(
    "div",
    { class: `field ${slider === null ? "" : options.wide === true ? "with-slider wide" : "with-slider"}` },
    h("label", { class: "label", title, for: typed.input.id }, label),
    slider?.element ?? null,
    h("span", { class: "typed" }, typed.input, unit),
    trouble.element,
  );
  return {
    element,
    update: () => {
      setText(unit, unitOf(kind, page.unit));
      const fixed = options.readonly?.() ?? false;
      if (typed.input.readOnly !== fixed) typed.input.readOnly = fixed;
      if (slider !== null && slider.element.disabled !== fixed) slider.element.disabled = fixed;
      typed.update();
      slider?.update();
    },
  };
}

let number = 0;

interface TypedOptions {
  kind: Kind;
  test: string;
  title: string;
  label: string;
  placeholder?: string;
  value(): number | null;
  commit(text: string): Promise<boolean>;
}

/** The box to type a number in. While it is being typed in, nothing overwrites it. */
function typedInput(page: Page, options: TypedOptions): { input: HTMLInputElement; update(): void } {
  const { kind, test } = options;
  let typing = false;
  const input = h("input", {
    type: "text",
    class: "number",
    id: `field-${++number}`,
    test,
    title: options.title,
    "aria-label": options.label,
    placeholder: options.placeholder ?? "",
    spellcheck: "false",
    autocomplete: "off",
  });
  const restore = (): void => {
    typing = false;
    input.value = numberText(kind, options.value(), page.unit);
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
      const step = stepOf(kind) * (event.shiftKey ? 10 : 1) * (event.key === "ArrowUp" ? 1 : -1);
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
      const text = numberText(kind, options.value(), page.unit);
      if (input.value === text) return;
      const all = document.activeElement === input && input.selectionStart === 0 && input.selectionEnd === input.value.length;
      input.value = text;
      if (all) input.select();
    },
  };
}

/** Of an arrow key, in the unit on the screen. */
function stepOf(kind: Kind): number {
  return kind === "number" ? 0.01 : kind === "stiffness" ? 0.001 : kind === "curvature" || kind === "pressure" || kind === "force" ? 0.1 : 1;
}

const STEPS = 1000;

function slide(page: Page, options: QuantityOptions, how: { range(value: number): [number, number]; log?: boolean }, trouble: Trouble): { element: HTMLInputElement; update(): void } {
  const element = h("input", { type: "range", class: "slider", min: 0, max: STEPS, step: 1, test: `${options.test}-slider`, title: options.title, "aria-label": options.label });
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
  element.addEventListener("input", () => {
    held = true;
    say();
    const wanted = Number(value().toPrecision(5));
    latest.run(() => trouble.watch(() => options.commit(wanted)));
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

interface VectorOptions {
  label: string;
  kind: Kind;
  test: string;
  title: string;
  value(): readonly number[] | null; // SI
  commit(value: [number, number, number]): Promise<unknown>;
  names?: readonly [string, string, string];
  readonly?: () => boolean;
}

/** Three numbers in a row. */
export function vectorField(page: Page, options: VectorOptions): Piece {
  const { kind, test, title, label } = options;
  const names = options.names ?? ["x", "y", "z"];
  const trouble = new Trouble(page, test);
  const inputs = names.map((name, i) =>
    typedInput(page, {
      kind,
      test: `${test}-${name}`,
      title: `${title} (${name})`,
      label: `${label} ${name}`,
      value: () => options.value()?.[i] ?? null,
      commit: (text) =>
        trouble.watch(() => {
          const now = options.value();
          const given = parse(kind, text, page.unit);
          if (given === null) return Promise.reject(new Error(`${name}: ${complaint(kind, text, page.unit)}`));
          if (now === null) return Promise.reject(new Error("there is nothing to move yet"));
          const vector = [...now] as [number, number, number];
          vector[i] = given;
          return options.commit(vector);
        }),
    }),
  );
  const unit = h("span", { class: "unit" });
  const element = h(
    "div",
    { class: "field vector" },
    h("span", { class: "label", title }, label, unit),
    h("span", { class: "three" }, ...inputs.map(({ input }, i) => h("span", { class: "typed", "data-axis": names[i] }, input))),
    trouble.element,
  );
  return {
    element,
    update: () => {
      const text = unitOf(kind, page.unit);
      setText(unit, text === "" ? "" : ` ${text}`);
      const fixed = options.readonly?.() ?? false;
      for (const { input, update } of inputs) {
        if (input.readOnly !== fixed) input.readOnly = fixed;
        update();
      }
    },
  };
}

export interface Choice {
  value: string;
  text: string;
  group?: string;
  title?: string;
}

interface SelectOptions {
  label: string;
  test: string;
  title: string;
  choices(): readonly Choice[];
  value(): string;
  commit(value: string): Promise<unknown>;
  disabled?: () => boolean;
}

export function selectField(page: Page, options: SelectOptions): Piece {
  const trouble = new Trouble(page, options.test);
  const { select, update } = selectBox({ ...options, commit: (value) => void trouble.watch(() => options.commit(value)).then(() => page.ask(true)) });
  const element = h("div", { class: "field" }, h("span", { class: "label", title: options.title }, options.label), select, trouble.element);
  return { element, update };
}

/** The box alone. */
export function selectBox(options: Omit<SelectOptions, "commit"> & { commit(value: string): void }): { select: HTMLSelectElement; update(): void } {
  const select = h("select", { class: "select", test: options.test, title: options.title, "aria-label": options.label });
  let shown = "";
  const fill = (): void => {
    const choices = options.choices();
    const key = JSON.stringify(choices);
    if (key === shown) return;
    shown = key;
    const groups = new Map<string, HTMLOptGroupElement>();
    select.replaceChildren();
    for (const { value, text, group, title } of choices) {
      const option = h("option", { value, title }, text);
      if (group === undefined) select.append(option);
      else {
        let host = groups.get(group);
        if (host === undefined) {
          host = h("optgroup", { label: group });
          groups.set(group, host);
          select.append(host);
        }
        host.append(option);
      }
    }
  };
  select.addEventListener("change", () => options.commit(select.value));
  const update = (): void => {
    if (document.activeElement !== select || shown === "") fill();
    const value = options.value();
    if (select.value !== value) select.value = value;
    const disabled = options.disabled?.() ?? false;
    if (select.disabled !== disabled) select.disabled = disabled;
  };
  return { select, update };
}

interface TextOptions {
  label: string;
  test: string;
  title: string;
  value(): string;
  commit(value: string): Promise<unknown>;
}

export function textField(page: Page, options: TextOptions): Piece {
  const trouble = new Trouble(page, options.test);
  const input = h("input", { type: "text", class: "text", test: options.test, title: options.title, "aria-label": options.label, spellcheck: "false", autocomplete: "off" });
  let typing = false;
  const commit = (): void => {
    if (!typing) return;
    typing = false;
    void trouble.watch(() => options.commit(input.value.trim())).then((done) => {
      if (!done) input.value = options.value();
      page.ask(true);
    });
  };
  input.addEventListener("input", () => (typing = true));
  input.addEventListener("blur", commit);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") commit();
    if (event.key === "Escape") {
      typing = false;
      input.value = options.value();
      input.blur();
      event.stopPropagation();
    }
  });
  const element = h("div", { class: "field" }, h("span", { class: "label", title: options.title }, options.label), input, trouble.element);
  return { element, update: () => !typing && input.value !== options.value() && (input.value = options.value()) };
}

interface CheckOptions {
  label: string;
  test: string;
  title: string;
  value(): boolean;
  commit(value: boolean): Promise<unknown>;
}

export function checkField(page: Page, options: CheckOptions): Piece {
  const trouble = new Trouble(page, options.test);
  const input = h("input", { type: "checkbox", test: options.test });
  input.addEventListener("change", () => void trouble.watch(() => options.commit(input.checked)).then(() => page.ask(true)));
  const element = h("div", { class: "field tick" }, h("label", { title: options.title }, input, h("span", {}, options.label)), trouble.element);
  return { element, update: () => input.checked !== options.value() && (input.checked = options.value()) };
}

/** A choice of a few, side by side. */
export function segments(options: { test: string; label: string; choices: readonly (Choice & { title: string })[]; value(): string; commit(value: string): void }): Piece {
  const buttons = options.choices.map((choice) => {
    const element = h("button", { type: "button", class: "segment", title: choice.title, test: `${options.test}-${choice.value}`, onclick: () => options.commit(choice.value) }, choice.text);
    return { element, value: choice.value };
  });
  return {
    element: h("div", { class: "segments", role: "group", "aria-label": options.label, test: options.test }, ...buttons.map((k) => k.element)),
    update: () => {
      const now = options.value();
      for (const { element, value } of buttons) {
        setClass(element, "on", value === now);
        element.setAttribute("aria-pressed", String(value === now));
      }
    },
  };
}

/** A value that is only read. */
export function readout(label: string, title: string, test: string, value: () => string, extra?: { go?: () => void; bad?: () => boolean }): Piece {
  const shown = h("span", { class: "value", test });
  const place = extra?.go === undefined ? shown : h("button", { type: "button", class: "link", title: "Look at it", onclick: extra.go }, shown);
  const element = h("div", { class: "readout", title }, h("span", { class: "label" }, label), place);
  return {
    element,
    update: () => {
      setText(shown, value());
      if (extra?.bad !== undefined) setClass(shown, "bad", extra.bad());
    },
  };
}

/** A heading with what belongs to it; whether it is open is remembered. */
const closed = new Set<string>(["advanced"]);

export function part(name: string, test: string, ...pieces: (Piece | HTMLElement)[]): Piece {
  const body = h("div", { class: "part-body" }, ...pieces.map((piece) => ("update" in piece ? piece.element : piece)));
  const element = h("details", { class: "part", test }, h("summary", {}, name), body);
  element.open = !closed.has(test);
  const update = (): void => {
    if (element.open) for (const piece of pieces) if ("update" in piece) piece.update();
  };
  element.addEventListener("toggle", () => {
    if (element.open) closed.delete(test);
    else closed.add(test);
    update();
  });
  return { element, update };
}

/** A button whose refusal stands below it; it rests while its command is under way. */
export function action(page: Page, options: { text: string; title: string; test: string; class?: string; run(): Promise<unknown> }): Piece & { trouble: HTMLElement } {
  const trouble = new Trouble(page, options.test);
  const element = h("button", { type: "button", class: `button ${options.class ?? ""}`, title: options.title, test: options.test }, options.text);
  element.addEventListener("click", () => {
    element.disabled = true;
    void trouble.watch(() => options.run()).then(() => {
      element.disabled = false;
      page.ask(true);
    });
  });
  return { element, trouble: trouble.element, update: () => setTitle(element, options.title) };
}
