// Fields: a value that is shown, typed, or slid. A refusal stands beside the field, and the old value comes back.
import { h, setClass, setText, setTitle, type Piece } from "./elements";
import { Sent, slide, Trouble, typedInput } from "./inputs";
import type { Page } from "./page";
import { complaint, parse, unitOf, wire, type Kind } from "./quantities";

export interface QuantityOptions {
  label: string;
  kind: Kind;
  test: string;
  title: string;
  value(): number | null | undefined; // SI
  /** Sets it: SI, or the text where it could not be read; null: nothing was typed, take it out. `more` of one slide. */
  commit(value: number | string | null, more?: boolean): Promise<unknown>;
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
  const sent = new Sent<readonly number[] | null>();
  const inputs = names.map((name, i) =>
    typedInput(page, {
      kind,
      test: `${test}-${name}`,
      title: `${title} (${name})`,
      label: `${label} ${name}`,
      value: () => options.value()?.[i] ?? null,
      commit: (text) =>
        trouble.watch(() => {
          const now = sent.or(options.value());
          const given = parse(kind, text, page.unit);
          if (given === null) return Promise.reject(new Error(`${name}: ${complaint(kind, text, page.unit)}`));
          if (now === null) return Promise.reject(new Error("there is nothing to move yet"));
          const vector = [...now] as [number, number, number];
          vector[i] = given;
          return sent.until(vector, () => options.commit(vector));
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

interface TextOptions {
  label: string;
  test: string;
  title: string;
  value(): string;
  commit(value: string): Promise<unknown>;
}

export function textField(page: Page, options: TextOptions): Piece {
  const trouble = new Trouble(page, options.test);
  const input = h(
    "input",
    { type: "text", class: "text", test: options.test, title: options.title, "aria-label": options.label, spellcheck: "false", autocomplete: "off" },
  );
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
export function action(
  page: Page,
  options: { text: string; title: string; test: string; class?: string; run(): Promise<unknown> },
): Piece & { trouble: HTMLElement } {
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
