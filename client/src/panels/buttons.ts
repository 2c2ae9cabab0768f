// Buttons and menus.
import { h } from "./elements";
import { icon, type IconName } from "./icons";

interface ButtonOptions {
  icon?: IconName;
  text?: string;
  title: string;
  test: string;
  class?: string;
  run(event: MouseEvent): void;
}

export function button({ icon: name, text, title, test, class: extra = "", run }: ButtonOptions): HTMLButtonElement {
  const only = text === undefined;
  return h(
    "button",
    { type: "button", class: `button ${only ? "icon-button" : ""} ${extra}`, title, test, "aria-label": only ? title : null, onclick: run },
    name === undefined ? null : icon(name),
    text === undefined ? null : h("span", {}, text),
  );
}

export interface Entry {
  text: string;
  test?: string;
  icon?: IconName;
  keys?: string; // the shortcut, shown at the right
  title?: string;
  checked?: boolean;
  disabled?: boolean;
  run(): void;
}

export type Entries = readonly (Entry | "line" | { heading: string } | { node: HTMLElement })[];

let open: { element: HTMLElement; close(): void } | null = null;

export function closeMenu(): void {
  open?.close();
}

/** A menu below `anchor`, or at a point; goes away on a choice, a click elsewhere or Escape. */
export function showMenu(anchor: HTMLElement | { x: number; y: number }, entries: Entries, test: string): void {
  const was = open;
  open?.close();
  if (was !== null && anchor instanceof HTMLElement && was.element.dataset.test === test) return; // a second click closes
  const element = h("div", { class: "menu", role: "menu", test, tabindex: -1 });
  for (const entry of entries) element.append(entryElement(entry, () => close()));
  const before = document.activeElement as HTMLElement | null;
  const close = (): void => {
    if (open?.element !== element) return;
    open = null;
    const within = element.contains(document.activeElement);
    element.remove();
    document.removeEventListener("pointerdown", outside, true);
    if (anchor instanceof HTMLElement) anchor.setAttribute("aria-expanded", "false");
    if (within) before?.focus();
  };
  const outside = (event: PointerEvent): void => {
    const target = event.target as Node;
    if (!element.contains(target) && !(anchor instanceof HTMLElement && anchor.contains(target))) close();
  };
  element.addEventListener("keydown", (event) => {
    const items = [...element.querySelectorAll<HTMLElement>("button:not(:disabled)")];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const typing = document.activeElement instanceof HTMLInputElement || document.activeElement instanceof HTMLSelectElement;
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown" && !typing) items[(at + 1) % items.length]?.focus();
    else if (event.key === "ArrowUp" && !typing) items[(at - 1 + items.length) % items.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.body.append(element);
  place(element, anchor);
  document.addEventListener("pointerdown", outside, true);
  if (anchor instanceof HTMLElement) anchor.setAttribute("aria-expanded", "true");
  open = { element, close };
  (element.querySelector<HTMLElement>("button:not(:disabled)") ?? element).focus({ preventScroll: true });
}

function place(element: HTMLElement, anchor: HTMLElement | { x: number; y: number }): void {
  const box = anchor instanceof HTMLElement ? anchor.getBoundingClientRect() : { left: anchor.x, bottom: anchor.y, top: anchor.y };
  const { offsetWidth: width, offsetHeight: height } = element;
  const top = box.bottom + 3 + height > innerHeight - 6 ? Math.max(6, Math.min(box.top - 3, innerHeight - 6) - height) : box.bottom + 3;
  element.style.left = `${Math.max(6, Math.min(box.left, innerWidth - width - 6))}px`;
  element.style.top = `${top}px`;
}

function entryElement(entry: Entries[number], close: () => void): HTMLElement {
  if (entry === "line") return h("div", { class: "menu-line", role: "separator" });
  if ("heading" in entry) return h("div", { class: "menu-heading" }, entry.heading);
  if ("node" in entry) return entry.node;
  const mark = entry.checked === undefined ? (entry.icon === undefined ? null : icon(entry.icon)) : icon("check", entry.checked ? "" : "blank");
  return h(
    "button",
    {
      type: "button",
      class: "menu-entry",
      role: entry.checked === undefined ? "menuitem" : "menuitemcheckbox",
      "aria-checked": entry.checked === undefined ? null : String(entry.checked),
      test: entry.test,
      title: entry.title,
      disabled: entry.disabled ?? false,
      onclick: () => {
        close();
        entry.run();
      },
    },
    h("span", { class: "menu-mark" }, mark),
    h("span", { class: "menu-text" }, entry.text),
    entry.keys === undefined ? null : h("kbd", {}, entry.keys),
  );
}
