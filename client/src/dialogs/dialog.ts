// Dialogs: the browser's own, so that focus stays inside and Escape closes.
import { h, type Child } from "../panels/elements";
import { message } from "../panels/page";

interface Options {
  title: string;
  test: string;
  wide?: boolean;
  aside?: boolean; // beside the view, which stays bright
  body: Child[];
  actions?: HTMLElement[];
}

export interface Dialog {
  element: HTMLDialogElement;
  close(): void;
  /** What went wrong, above the buttons. */
  fail(text: string): void;
  closed: Promise<void>;
}

export function showDialog({ title, test, wide, aside, body, actions = [] }: Options): Dialog {
  const trouble = h("div", { class: "field-error", role: "alert", test: `${test}-error`, hidden: true });
  const close = (): void => element.close();
  const cross = h(
    "button",
    { type: "button", class: "button icon-button quiet", title: "Close (Esc)", "aria-label": "close", test: `${test}-close`, onclick: close },
    "×",
  );
  const element = h(
    "dialog",
    { class: `dialog ${wide === true ? "wide" : aside === true ? "aside" : ""}`, test, "aria-label": title },
    h("div", { class: "dialog-head" }, h("h2", {}, title), cross),
    h("div", { class: "dialog-body" }, ...body),
    trouble,
    actions.length === 0 ? null : h("div", { class: "dialog-actions" }, ...actions),
  );
  const closed = new Promise<void>((resolve) => element.addEventListener("close", () => {
    element.remove();
    resolve();
  }));
  element.addEventListener("keydown", (event) => event.stopPropagation()); // no shortcuts of the page meanwhile
  document.body.append(element);
  element.showModal();
  return {
    element,
    close,
    closed,
    fail: (text) => {
      element.querySelector(".dialog-actions")?.before(trouble);
      trouble.textContent = text;
      trouble.hidden = text === "";
    },
  };
}

export function submitButton(text: string, test: string): HTMLButtonElement {
  return h("button", { type: "submit", class: "button primary", test }, text);
}

/** Asks for a line of text; none where the dialog was left. */
export function ask(options: {
  title: string;
  label: string;
  value: string;
  test: string;
  action: string;
  note?: string;
  accept?: (value: string) => Promise<unknown>; // may still refuse it
}): Promise<string | null> {
  const input = h(
    "input",
    { type: "text", class: "text", value: options.value, test: options.test, "aria-label": options.label, spellcheck: "false", autocomplete: "off" },
  );
  return new Promise((resolve) => {
    let result: string | null = null;
    const dialog = showDialog({ title: options.title, test: `${options.test}-dialog`, body: [] });
    const form = h(
      "form",
      { method: "dialog", class: "ask" },
      h("label", { class: "stacked" }, h("span", { class: "label" }, options.label), input),
      options.note === undefined ? null : h("div", { class: "note" }, options.note),
      h(
        "div",
        { class: "dialog-actions" },
        h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Cancel"),
        submitButton(options.action, `${options.test}-ok`),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const value = input.value.trim();
      if (value === "") return dialog.fail("a name is needed");
      const accepted = options.accept?.(value) ?? Promise.resolve();
      accepted.then(
        () => {
          result = value;
          dialog.close();
        },
        (error: unknown) => dialog.fail(message(error)),
      );
    });
    dialog.element.querySelector(".dialog-body")?.append(form);
    input.focus();
    input.select();
    void dialog.closed.then(() => resolve(result));
  });
}
