// Fields to choose from a list, or from a few things side by side.
import { h, setClass, type Piece } from "./elements";
import { Trouble } from "./inputs";
import type { Page } from "./page";

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
  select.addEventListener("change", () => {
    options.commit(select.value);
    if (!select.matches(":focus-visible")) select.blur(); // chosen with the mouse: the keys are the page's again
  });
  const update = (): void => {
    if (document.activeElement !== select || shown === "") fill();
    const value = options.value();
    if (select.value !== value) select.value = value;
    const disabled = options.disabled?.() ?? false;
    if (select.disabled !== disabled) select.disabled = disabled;
  };
  return { select, update };
}

/** A choice of a few, side by side. */
export function segments(options: {
  test: string;
  label: string;
  choices: readonly (Choice & { title: string })[];
  value(): string;
  commit(value: string): void;
}): Piece {
  const buttons = options.choices.map((choice) => {
    const element = h(
      "button",
      { type: "button", class: "segment", title: choice.title, test: `${options.test}-${choice.value}`, onclick: () => options.commit(choice.value) },
      choice.text,
    );
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
