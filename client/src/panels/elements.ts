// Small helpers to build and keep up elements: made once, then changed in place.

export type Child = Node | string | null | undefined | false;
type Listener = (event: never) => void;
export interface Props {
  class?: string;
  test?: string; // data-test: a name that stays, for tests of the page
  title?: string;
  [name: string]: string | number | boolean | null | undefined | Listener;
}

/** An element; `onclick` and the like are listeners, `true` an attribute without a value. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as unknown as EventListener);
    else if (name === "class") element.className = String(value);
    else if (name === "test") element.dataset.test = String(value);
    else if (name === "value" && "value" in element) (element as HTMLInputElement).value = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  put(element, children);
  return element;
}

function put(element: Element, children: readonly Child[]): void {
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
}

/** Sets the text where it differs: nothing flickers, no selection is lost. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setTitle(element: HTMLElement, text: string): void {
  if (element.title !== text) element.title = text;
}

export function setClass(element: Element, name: string, on: boolean): void {
  if (element.classList.contains(name) !== on) element.classList.toggle(name, on);
}

export function setHidden(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/** Something shown that can be brought up to date without being built anew. */
export interface Piece {
  element: HTMLElement;
  update(): void;
}

/** A place that shows one piece: built anew when its key changes, else only brought up to date. */
export class Slot implements Piece {
  readonly element: HTMLElement;
  private key: string | null = null;
  private piece: Piece | null = null;

  constructor(
    private readonly choose: () => { key: string; build: () => Piece } | null,
    className = "slot",
  ) {
    this.element = h("div", { class: className });
  }

  update(): void {
    const chosen = this.choose();
    const key = chosen?.key ?? null;
    if (key !== this.key) {
      const focused = this.element.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.test : undefined;
      this.key = key;
      this.piece = chosen?.build() ?? null;
      this.element.replaceChildren(...(this.piece === null ? [] : [this.piece.element]));
      this.piece?.update();
      if (focused !== undefined) this.element.querySelector<HTMLElement>(`[data-test="${CSS.escape(focused)}"]`)?.focus();
      return;
    }
    this.piece?.update();
  }
}

/** Children that follow a list: made for new keys, moved, brought up to date, taken out. */
export class Keyed<T> {
  private pieces = new Map<string, Piece & { show(item: T): void }>();

  constructor(
    private readonly host: HTMLElement,
    private readonly make: (item: T, key: string) => { element: HTMLElement; show(item: T): void },
  ) {}

  show(items: readonly T[], keyOf: (item: T) => string): void {
    const seen = new Set<string>();
    let before: ChildNode | null = this.host.firstChild;
    for (const item of items) {
      const key = keyOf(item);
      if (seen.has(key)) continue;
      seen.add(key);
      let piece = this.pieces.get(key);
      if (piece === undefined) {
        piece = { update: () => undefined, ...this.make(item, key) };
        this.pieces.set(key, piece);
      }
      piece.show(item);
      if (piece.element === before) before = before.nextSibling;
      else this.host.insertBefore(piece.element, before);
    }
    for (const [key, piece] of this.pieces)
      if (!seen.has(key)) {
        piece.element.remove();
        this.pieces.delete(key);
      }
  }
}

/** Several pieces one below the other. */
export function stack(className: string, ...pieces: (Piece | HTMLElement)[]): Piece {
  const element = h("div", { class: className }, ...pieces.map((piece) => ("update" in piece ? piece.element : piece)));
  return { element, update: () => pieces.forEach((piece) => "update" in piece && piece.update()) };
}

/** Keeps a small thing in the browser for the next visit; a browser that keeps nothing is no error. */
export function keep(key: string, value: unknown): void {
  try {
    localStorage.setItem(`lissom.${key}`, JSON.stringify(value));
  } catch (error) {
    console.warn(`${key} could not be kept for the next visit`, error);
  }
}

export function kept<T>(key: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(`lissom.${key}`);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch (error) {
    console.warn(`${key} of an earlier visit could not be read`, error);
    return otherwise;
  }
}
