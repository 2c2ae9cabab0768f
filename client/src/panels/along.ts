// What differs along a cable: forces and moments at places, and stretches of another type.
import { button } from "./buttons";
import { selectField } from "./choices";
import { h, Keyed, stack, type Piece } from "./elements";
import { action, part, quantityField, vectorField } from "./fields";
import { Sent } from "./inputs";
import { typeChoices } from "./make";
import { message, type Page } from "./page";
import { parse } from "./quantities";

interface Entry {
  [field: string]: unknown;
}

const NONE: readonly number[] = [0, 0, 0];

/** The entries of a list of a cable, each of them edited by setting the whole list. */
class Entries {
  private readonly sent = new Sent<readonly Entry[]>();

  constructor(
    private readonly page: Page,
    private readonly name: string,
    private readonly key: "loads" | "stretches",
  ) {}

  get all(): readonly Entry[] {
    return this.sent.or((this.page.cable(this.name)?.fields[this.key] ?? []) as Entry[]);
  }

  get length(): number {
    return this.page.cable(this.name)?.length ?? 1;
  }

  set(entries: readonly Entry[]): Promise<unknown> {
    return this.sent.until(entries, () => this.page.edit({ [`${this.name}/${this.key}`]: entries.length === 0 ? null : entries }));
  }

  /** Fields of one, where null takes a field out. */
  change(number: number, fields: Entry): Promise<unknown> {
    const changed = Object.fromEntries(Object.entries({ ...this.all[number], ...fields }).filter(([, value]) => value !== null));
    return this.set(this.all.map((entry, i) => (i === number ? changed : entry)));
  }

  remove(number: number): Promise<unknown> {
    return this.set(this.all.filter((_, i) => i !== number));
  }

  /** Where a field of one is, m from the start, and the way to set it. */
  place(number: number, field: string, label: string, test: string, clear: Entry = {}): Piece {
    return quantityField(this.page, {
      label,
      kind: "length",
      test,
      title: "From the start of the cable; it stays at this fraction when the length changes",
      value: () => this.metres(number, field),
      commit: (value) => {
        const metres = typeof value === "string" ? parse("length", value, this.page.unit) : value;
        if (metres === null) throw new Error("write a length, such as 120 mm");
        return this.change(number, { ...clear, [field]: Math.min(1, Math.max(0, metres / this.length)) });
      },
    });
  }

  private metres(number: number, field: string): number | null {
    const entry = this.all[number] ?? {};
    if (typeof entry[field] === "number") return entry[field] * this.length;
    if (typeof entry.from_start === "number") return entry.from_start;
    return typeof entry.from_end === "number" ? this.length - entry.from_end : null;
  }

  /** The rows of all, made anew when there are more or fewer. */
  rows(test: string, row: (number: number) => Piece[]): Piece {
    const list = h("div", { class: "list", test });
    const keyed = new Keyed<number>(list, (number) => {
      const remove = button({
        icon: "trash",
        title: "Take it out",
        test: `${test}-remove-${number}`,
        class: "quiet",
        run: () => void this.remove(number).catch((error: unknown) => this.page.store.say("error", message(error), this.name)),
      });
      const fields = stack("rows", ...row(number));
      const element = h("div", { class: "along-row" }, fields.element, h("div", { class: "row-of" }, h("span", { class: "push" }), remove));
      return { element, update: () => fields.update(), show: () => fields.update() };
    });
    return { element: list, update: () => keyed.show(this.all.map((_, i) => i), (i) => `${i} of ${this.all.length}`) };
  }
}

export function loadsPart(page: Page, name: string): Piece {
  const loads = new Entries(page, name, "loads");
  const vector = (number: number, field: "force" | "moment", other: "force" | "moment"): Piece =>
    vectorField(page, {
      label: field === "force" ? "Force" : "Moment",
      kind: field,
      test: `load-${number}-${field}`,
      title: field === "force" ? "On the cable, in world axes" : "On the cable; zero: none",
      value: () => (loads.all[number]?.[field] as number[] | undefined) ?? NONE,
      commit: (value) => {
        const nothing = value.every((k) => k === 0) && loads.all[number]?.[other] !== undefined;
        return loads.change(number, { [field]: nothing ? null : value });
      },
    });
  const rows = loads.rows("loads", (number) => [
    loads.place(number, "at", "From start", `load-${number}-at`, { from_start: null, from_end: null }),
    vector(number, "force", "moment"),
    vector(number, "moment", "force"),
  ]);
  const add = action(page, {
    text: "Add load",
    title: "A force where the cable was clicked, else in its middle: 1 N down to begin with",
    test: "load-add",
    class: "small",
    run: () => {
      const place = page.store.get("selectedPlace");
      return loads.set([...loads.all, { at: place?.cable === name ? Number(place.at.toFixed(4)) : 0.5, force: [0, 0, -1] }]);
    },
  });
  return part("Loads", "part-loads", rows, add, add.trouble);
}

export function stretchesPart(page: Page, name: string): Piece {
  const stretches = new Entries(page, name, "stretches");
  const rows = stretches.rows("stretches", (number) => [
    stretches.place(number, "from", "From", `stretch-${number}-from`),
    stretches.place(number, "to", "To", `stretch-${number}-to`),
    selectField(page, {
      label: "Type",
      test: `stretch-${number}-type`,
      title: "What the cable is made of there: tape, conduit, bare wire",
      choices: () => typeChoices(page),
      value: () => String(stretches.all[number]?.type ?? ""),
      commit: (type) => stretches.change(number, { type }),
    }),
  ]);
  const add = action(page, {
    text: "Add stretch",
    title: "A part of the cable that is made of something else",
    test: "stretch-add",
    class: "small",
    run: () => {
      const own = page.cable(name)?.type;
      const type = page.scene?.types.find((k) => k.name !== own)?.name ?? own;
      const after = Math.max(0, ...stretches.all.map((k) => Number(k.to)));
      const from = after < 0.9 ? Math.max(after, stretches.all.length === 0 ? 0.4 : 0) : 0;
      return stretches.set([...stretches.all, { from, to: Math.min(1, from + 0.2), type }]);
    },
  });
  return part("Stretches", "part-stretches", rows, add, add.trouble);
}
