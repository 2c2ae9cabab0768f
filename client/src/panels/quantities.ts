// Quantities as they are typed and shown: each has a unit on the screen; SI everywhere else.
import type { Unit } from "../store";
import { fixed, METRES } from "../units";

export type Kind =
  | "number"
  | "count"
  | "fraction"
  | "length"
  | "small length"
  | "angle"
  | "force"
  | "moment"
  | "pressure"
  | "density"
  | "mass"
  | "mass per length"
  | "stiffness"
  | "curvature"
  | "twist rate"
  | "speed"
  | "angular speed";

interface Shown {
  unit: string; // beside the number
  size: number; // of that unit, SI
  digits: number; // behind the point; what follows is rounded
  spellings: { [unit: string]: number };
}

const DEGREE = Math.PI / 180;
const LENGTHS = { mm: 1e-3, cm: 1e-2, m: 1, km: 1e3, um: 1e-6, in: 0.0254, ft: 0.3048, '"': 0.0254 };
const ANGLES = { deg: DEGREE, "°": DEGREE, rad: 1, turn: 360 * DEGREE, turns: 360 * DEGREE };
const POUND_FORCE = 4.4482216152605;

const SHOWN: { [kind in Exclude<Kind, "length" | "small length">]: Shown } = {
  number: { unit: "", size: 1, digits: 4, spellings: {} },
  count: { unit: "", size: 1, digits: 0, spellings: {} },
  fraction: { unit: "%", size: 0.01, digits: 1, spellings: { "%": 0.01 } },
  angle: { unit: "°", size: DEGREE, digits: 1, spellings: ANGLES },
  force: { unit: "N", size: 1, digits: 3, spellings: { N: 1, mN: 1e-3, kN: 1e3, MN: 1e6, lbf: POUND_FORCE } },
  moment: { unit: "N m", size: 1, digits: 4, spellings: { "N m": 1, Nm: 1, "N mm": 1e-3, Nmm: 1e-3, "kN m": 1e3, kNm: 1e3 } },
  pressure: {
    unit: "MPa",
    size: 1e6,
    digits: 3,
    spellings: { Pa: 1, kPa: 1e3, MPa: 1e6, GPa: 1e9, bar: 1e5, "N/mm2": 1e6, psi: 6894.757293168, ksi: 6894757.293168 },
  },
  density: { unit: "kg/m³", size: 1, digits: 1, spellings: { "kg/m3": 1, "g/cm3": 1e3, "kg/l": 1e3, "g/ml": 1e3 } },
  mass: { unit: "kg", size: 1, digits: 4, spellings: { kg: 1, g: 1e-3, t: 1e3, lb: 0.45359237 } },
  "mass per length": { unit: "g/m", size: 1e-3, digits: 2, spellings: { "g/m": 1e-3, "kg/m": 1, "kg/km": 1e-3 } },
  stiffness: { unit: "N m²", size: 1, digits: 6, spellings: { "N m2": 1, Nm2: 1, "N mm2": 1e-6, Nmm2: 1e-6, "mN m2": 1e-3 } },
  curvature: { unit: "1/m", size: 1, digits: 3, spellings: { "1/m": 1, "/m": 1, "1/mm": 1e3, "/mm": 1e3, "rad/m": 1 } },
  "twist rate": { unit: "°/m", size: DEGREE, digits: 1, spellings: { "deg/m": DEGREE, "°/m": DEGREE, "rad/m": 1, "1/m": 1 } },
  speed: { unit: "m/s", size: 1, digits: 4, spellings: { "m/s": 1, "cm/s": 1e-2, "mm/s": 1e-3, "m/min": 1 / 60, "km/h": 1 / 3.6, "in/s": 0.0254, "ft/s": 0.3048 } },
  "angular speed": {
    unit: "rad/s",
    size: 1,
    digits: 4,
    spellings: { "rad/s": 1, "deg/s": DEGREE, "°/s": DEGREE, "turn/s": 360 * DEGREE, "turns/s": 360 * DEGREE, rpm: 6 * DEGREE, "1/min": 6 * DEGREE },
  },
};
const LENGTH_DIGITS: { [unit in Unit]: number } = { mm: 2, cm: 3, m: 5, in: 4 };

function shown(kind: Kind, unit: Unit): Shown {
  if (kind === "length" || kind === "small length") return {
    unit,
    size: METRES[unit],
    digits: LENGTH_DIGITS[unit] + (kind === "length" ? 0 : 1),
    spellings: LENGTHS,
  };
  return SHOWN[kind];
}

export function unitOf(kind: Kind, unit: Unit): string {
  return shown(kind, unit).unit;
}

/** The number alone, without trailing zeros: what stands in a field. */
export function numberText(kind: Kind, value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "";
  const { size, digits } = shown(kind, unit);
  const number = value / size;
  if (Math.abs(number) < 10 ** -digits * 1e-3 && kind !== "stiffness") return "0"; // what a solve leaves of a zero
  const small = number !== 0 && Math.abs(number) < 10 ** -digits * 50;
  const text = small ? String(Number(number.toPrecision(4))) : String(Number(number.toFixed(digits)));
  return text === "-0" ? "0" : text;
}

/** Number and unit: "182.4 mm". */
export function quantityText(kind: Kind, value: number | null | undefined, unit: Unit, digits?: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const { size, unit: name } = shown(kind, unit);
  const number = digits === undefined ? numberText(kind, value, unit) : fixed(value / size, digits);
  return name === "" ? number : name === "°" || name === "%" ? `${number}${name === "%" ? " %" : name}` : `${number} ${name}`;
}

const NUMBER = /^\s*([-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[-+]?\d{1,3})?)\s*(.*?)\s*$/i;

/** What was typed, in SI; a plain number is in the unit on the screen. None where it cannot be read. */
export function parse(kind: Kind, text: string, unit: Unit): number | null {
  const match = NUMBER.exec(text);
  if (match === null) return null;
  const number = Number(match[1].replace(",", "."));
  const spelled = plain(match[2]);
  const { size, spellings } = shown(kind, unit);
  if (spelled === "") return number * size;
  const factor = spellings[spelled] ?? spellings[spelled.toLowerCase()];
  return factor === undefined ? null : number * factor;
}

/** For a field of the scene: SI where it can be read, else the text itself, so that the session says what is wrong. */
export function wire(kind: Kind, text: string, unit: Unit): number | string {
  return parse(kind, text, unit) ?? text.trim();
}

/** What is wrong with a text that could not be read, and what would be right. */
export function complaint(kind: Kind, text: string, unit: Unit): string {
  const name = kind === "small length" ? "length" : kind;
  const example = quantityText(kind, shown(kind, unit).size * (kind === "number" || kind === "fraction" ? 0.5 : 12), unit);
  return `“${text.trim().slice(0, 40)}” is no ${name}: write for example ${example}`;
}

function plain(unit: string): string {
  return unit.replace(/²/g, "2").replace(/³/g, "3").replace(/[·*^]/g, " ").replace(/\s+/g, " ").replace(/\s*\/\s*/g, "/").trim();
}
