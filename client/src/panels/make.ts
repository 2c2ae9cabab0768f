// What a cable is made of: its type, and the numbers behind it, which may be shared with other cables.
import type { CableInfo, TypeInfo } from "../messages";
import { h, setHidden, setText, Slot, stack, type Piece } from "./elements";
import { selectField, type Choice } from "./choices";
import { action, part, quantityField } from "./fields";
import type { Page } from "./page";
import { parse, quantityText, type Kind } from "./quantities";
import { addType } from "./types";

interface Fields {
  [name: string]: unknown;
}

interface Make {
  fields: Fields;
  prefix: string | null; // of the paths to edit; none: of the library, which does not change
  shared: string[]; // the cables of this type, more than one
}

const MAKE = ["section", "material", "stiffness", "mass_per_length", "radius", "extensible"];

export function makeOf(page: Page, cable: CableInfo): Make {
  const type = cable.type;
  if (type === null) return { fields: cable.fields, prefix: `${cable.name}/`, shared: [] };
  const fields = page.scene?.types.find((k) => k.name === type)?.fields ?? {};
  if (type.startsWith("library:")) return { fields, prefix: null, shared: [] };
  const users = (page.scene?.cables ?? []).filter((k) => k.type === type).map((k) => k.name);
  return { fields, prefix: `types.${type}.`, shared: users.length > 1 ? users : [] };
}

function get(fields: Fields, path: string): unknown {
  return path.split(".").reduce<unknown>((here, key) => (here as Fields | undefined)?.[key], fields);
}

function number(fields: Fields, path: string): number | null {
  const value = get(fields, path);
  return typeof value === "number" ? value : null;
}

/** The fields that give the cable a make of its own, as it is now, with one value set. */
export function ownMake(cable: CableInfo, fields: Fields, path?: string, value?: unknown): { [path: string]: unknown } {
  const own = structuredClone(Object.fromEntries(MAKE.filter(
    (key) => fields[key] !== undefined && fields[key] !== false,
  ).map((key) => [key, fields[key]]))) as Fields;
  if (fields.limits !== undefined && cable.fields.limits === undefined) own.limits = structuredClone(fields.limits);
  if (path !== undefined) {
    const keys = path.split(".");
    const last = keys.pop() as string;
    const host = keys.reduce<Fields>((here, key) => (here[key] ??= {}) as Fields, own);
    if (value === null) delete host[last];
    else host[last] = value;
  }
  return { [`${cable.name}/type`]: null, ...Object.fromEntries(Object.entries(own).map(([key, k]) => [`${cable.name}/${key}`, k])) };
}

/** Sets one number of the make, in the type, on the cable, or on a make of its own where it was of the library. */
export function setMake(page: Page, name: string, path: string, value: unknown, more = false): Promise<unknown> {
  const cable = page.cable(name);
  if (cable === undefined) return Promise.reject(new Error(`${name} is no longer there`));
  const { prefix, fields } = makeOf(page, cable);
  return page.edit(prefix === null ? ownMake(cable, fields, path, value) : { [`${prefix}${path}`]: value }, more);
}

/** "Ø 10.5 mm, 97 g/m": what a type amounts to. */
export function summary(page: Page, type: TypeInfo): string {
  const f = type.fields;
  const radius = number(f, "radius") ?? number(f, "section.radius");
  const diameter = number(f, "section.diameter") ?? (radius === null ? null : 2 * radius);
  const [width, height] = [number(f, "section.width"), number(f, "section.height")];
  const mass = number(f, "mass_per_length");
  const modulus = number(f, "material.youngs_modulus");
  const said = [
    diameter === null ? "" : `Ø ${page.text("length", diameter)}`,
    width === null || height === null ? "" : `${page.text("length", width)} × ${page.text("length", height)}`,
    modulus === null ? "" : `E ${page.text("pressure", modulus)}`,
    mass === null ? "" : page.text("mass per length", mass),
  ];
  return said.filter((k) => k !== "").join(", ");
}

export function typeChoices(page: Page): Choice[] {
  return (page.scene?.types ?? []).map((type) => {
    const name = type.name.replace("library:", "");
    const about = summary(page, type);
    return {
      value: type.name,
      text: about === "" ? name : `${name}  (${about})`,
      group: type.name.startsWith("library:") ? "Library" : "In this scene",
      title: String(type.fields.description ?? "") || about,
    };
  });
}

export function makePart(page: Page, name: string): Piece {
  const cable = (): CableInfo | undefined => page.cable(name);
  const made = (): Make => {
    const now = cable();
    return now === undefined ? { fields: {}, prefix: null, shared: [] } : makeOf(page, now);
  };
  const type = selectField(page, {
    label: "Type",
    test: "cable-type",
    title: "What the cable is made of: a type of this scene, or of the library",
    choices: () => [...(cable()?.type == null ? [{ value: "", text: "its own values" }] : []), ...typeChoices(page)],
    value: () => cable()?.type ?? "",
    commit: (value) => {
      const own = Object.fromEntries(MAKE.filter((key) => cable()?.fields[key] !== undefined).map((key) => [`${name}/${key}`, null]));
      return page.edit({ ...own, [`${name}/type`]: value });
    },
  });
  const asType = action(page, {
    text: "As a new type…",
    title: "Makes a type of this scene of what the cable is made of; the cable is then of it, and others can be",
    test: "make-type",
    class: "small",
    run: () => addType(page, name, name),
  });
  return part("Make", "part-make", type, note(page, name, made), asType, asType.trouble, new Slot(() => {
    const { fields } = made();
    return { key: signature(fields), build: () => stack("rows", ...numbers(page, name, fields, made)) };
  }));
}

/** Who else is changed, or that the library is not. */
function note(page: Page, name: string, made: () => Make): Piece {
  const text = h("span", { test: "make-note" });
  const own = action(page, {
    text: "Make its own",
    title: "Gives this cable its own copy of the values: other cables then stay as they are",
    test: "make-own",
    class: "small",
    run: () => {
      const cable = page.cable(name);
      return cable === undefined ? Promise.reject(new Error(`${name} is no longer there`)) : page.edit(ownMake(cable, made().fields));
    },
  });
  const element = h("div", { class: "note" }, text, own.element, own.trouble);
  return {
    element,
    update: () => {
      const { prefix, shared, fields } = made();
      const others = shared.filter((k) => k !== name);
      const about = String(fields.description ?? "");
      const source = String(fields.source ?? "");
      setText(
        text,
        prefix === null
          ? `${about === "" ? "" : `${about}. `}A value changed here makes it the cable's own; the library stays.`
          : others.length > 0
            ? `Shared: a change here also changes ${others.slice(0, 4).join(", ")}${others.length > 4 ? ` and ${others.length - 4} more` : ""}.`
            : about,
      );
      text.title = source;
      setHidden(own.element, others.length === 0);
      setHidden(element, text.textContent === "");
    },
  };
}

/** Which numbers there are: the fields are built anew only when that changes. */
function signature(fields: Fields): string {
  const section = Object.keys((fields.section as Fields | undefined) ?? {}).sort();
  const material = Object.keys((fields.material as Fields | undefined) ?? {}).sort();
  const pair = Array.isArray(get(fields, "stiffness.bending"));
  return JSON.stringify([
    section,
    material,
    Object.keys((fields.stiffness as Fields | undefined) ?? {}).sort(),
    pair,
    fields.mass_per_length !== undefined,
    fields.radius !== undefined,
  ]);
}

interface NumberOptions {
  label: string;
  kind: Kind;
  title: string;
  range?: (value: number) => [number, number];
  log?: boolean;
  scale?: number; // shown is so many times what the scene says
  empty?: string;
}

function numbers(page: Page, name: string, fields: Fields, made: () => Make): Piece[] {
  const field = (path: string, options: NumberOptions): Piece => {
    const scale = options.scale ?? 1;
    return quantityField(page, {
      label: options.label,
      kind: options.kind,
      test: `make-${path.replaceAll(".", "-")}`,
      title: options.title,
      empty: options.empty,
      value: () => {
        const value = number(made().fields, path);
        return value === null ? null : value * scale;
      },
      commit: (value, more) => setMake(page, name, path, typeof value === "number" ? value / scale : value, more),
      slider: { range: options.range ?? around, log: options.log },
    });
  };
  const said: Piece[] = [];
  const has = (path: string): boolean => get(fields, path) !== undefined;
  const bore = (value: number): [number, number] => [0.1 * value, 2 * value];
  if (has("section.diameter")) said.push(field("section.diameter", { label: "Diameter", kind: "small length", title: "Outer diameter" }));
  if (has("section.inner_diameter")) said.push(field(
    "section.inner_diameter",
    { label: "Bore", kind: "small length", title: "Inner diameter; empty: solid", range: bore, empty: "solid" },
  ));
  if (has("section.radius")) said.push(field("section.radius", { label: "Diameter", kind: "small length", title: "Outer diameter", scale: 2 }));
  if (has("section.inner_radius")) said.push(field(
    "section.inner_radius",
    { label: "Bore", kind: "small length", title: "Inner diameter; empty: solid", range: bore, scale: 2, empty: "solid" },
  ));
  if (has("section.width")) said.push(field("section.width", { label: "Width", kind: "small length", title: "Side along the first axis" }));
  if (has("section.height")) said.push(field("section.height", { label: "Height", kind: "small length", title: "Side along the second axis" }));
  if (has("section.layers")) said.push(fact("Layers", () => String((get(made().fields, "section.layers") as unknown[] | undefined)?.length ?? 0)));
  if (has("radius")) said.push(field("radius", { label: "Diameter", kind: "small length", title: "Outer diameter, for drawing and contact", scale: 2 }));
  if (has("material")) {
    said.push(field(
      "material.youngs_modulus",
      {
        label: "Young's modulus",
        kind: "pressure",
        title: "Stiffness of the material: rubber about 5 MPa, PVC 50 MPa, steel 210 GPa",
        log: true,
        range: (v) => [v / 10, v * 10],
      },
    ));
    if (has("material.shear_modulus")) said.push(field(
      "material.shear_modulus",
      { label: "Shear modulus", kind: "pressure", title: "Resistance to twist", log: true, range: (v) => [v / 10, v * 10] },
    ));
    else said.push(field(
      "material.poisson",
      { label: "Poisson's ratio", kind: "number", title: "Rubber about 0.49, plastics 0.4, metals 0.3", range: () => [0, 0.5] },
    ));
    if (has("material.density")) said.push(field(
      "material.density",
      { label: "Density", kind: "density", title: "Of the material: rubber about 1200 kg/m³", range: (v) => [0, Math.max(2 * v, 100)] },
    ));
  }
  if (has("stiffness")) {
    if (Array.isArray(get(fields, "stiffness.bending")))
      said.push(fact("Bending", () => (get(made().fields, "stiffness.bending") as number[]).map((k) => quantityText("stiffness", k, page.unit)).join(", ")));
    else said.push(field(
      "stiffness.bending",
      { label: "Bending", kind: "stiffness", title: "Measured bending stiffness, E I", log: true, range: (v) => [v / 10, v * 10] },
    ));
    if (has("stiffness.torsion")) said.push(field(
      "stiffness.torsion",
      { label: "Torsion", kind: "stiffness", title: "Measured torsion stiffness, G J", log: true, range: (v) => [v / 10, v * 10] },
    ));
  }
  if (has("mass_per_length")) said.push(field(
    "mass_per_length",
    { label: "Mass per length", kind: "mass per length", title: "Of the whole cable", range: (v) => [0, Math.max(2 * v, 1e-3)] },
  ));
  return said;
}

function around(value: number): [number, number] {
  return [0.5 * value, 1.5 * value];
}

function fact(label: string, value: () => string): Piece {
  const shown = h("span", { class: "value" });
  return { element: h("div", { class: "readout" }, h("span", { class: "label" }, label), shown), update: () => setText(shown, value()) };
}

const LIMITS: readonly { key: string; label: string; kind: Kind; title: string }[] = [
  { key: "bend_radius", label: "Bend radius ≥", kind: "length", title: "Smallest bend radius allowed" },
  { key: "clearance", label: "Clearance ≥", kind: "length", title: "Smallest distance to other things allowed" },
  { key: "tension", label: "Tension ≤", kind: "force", title: "Largest pull allowed" },
  { key: "twist_per_length", label: "Twist ≤", kind: "twist rate", title: "Largest twist per length allowed" },
  { key: "stress", label: "Stress ≤", kind: "pressure", title: "Largest bending stress at the surface allowed" },
];

/** Rules to check; they stand with the type, or on the cable itself. */
export function limitsPart(page: Page, name: string): Piece {
  const where = (): { prefix: string; whole: Fields } => {
    const cable = page.cable(name);
    const own = cable?.fields.limits as Fields | undefined;
    const made = cable === undefined ? null : makeOf(page, cable);
    if (own === undefined && made?.prefix != null) return { prefix: `${made.prefix}limits`, whole: (made.fields.limits as Fields | undefined) ?? {} };
    return { prefix: `${name}/limits`, whole: own ?? (made?.fields.limits as Fields | undefined) ?? {} };
  };
  const set = (key: string, value: unknown): Promise<unknown> => {
    const { prefix, whole } = where();
    const limits: Fields = { ...whole, [key]: value };
    if (value === null) delete limits[key];
    return page.edit({ [prefix]: limits });
  };
  const rows = LIMITS.map(({ key, label, kind, title }) =>
    quantityField(page, {
      label,
      kind,
      title: `${title}; empty: not checked`,
      test: `limit-${key}`,
      empty: "not checked",
      value: () => {
        const value = page.cable(name)?.limits[key];
        return typeof value === "number" ? value : null;
      },
      commit: (value) => set(key, value),
    }),
  );
  const measured = selectField(page, {
    label: "Radius of",
    test: "limit-measured",
    title: "Where the bend radius is measured",
    choices: () => [{ value: "centre", text: "the centre line" }, { value: "inside", text: "the inside of the bend" }],
    value: () => String(page.cable(name)?.limits.measured ?? "centre"),
    commit: (value) => set("measured", value),
  });
  const shared = h("div", { class: "note" });
  const told: Piece = {
    element: shared,
    update: () => {
      const cable = page.cable(name);
      const others = cable === undefined || cable.fields.limits !== undefined ? [] : makeOf(page, cable).shared.filter((k) => k !== name);
      setText(shared, others.length === 0 ? "" : `Of the type: a change here also changes ${others.join(", ")}.`);
      setHidden(shared, others.length === 0);
    },
  };
  return part("Limits", "part-limits", told, rows[0], measured, ...rows.slice(1));
}

/** A length that the session takes only as a number. */
export function metres(page: Page, text: string): number {
  const value = parse("length", text, page.unit);
  if (value === null) throw new Error(`“${text}” is no length: write for example 450 mm`);
  return value;
}
