// What the session says, as it is read on the screen: its sentences are in SI, or in mm whatever unit was chosen.
import type { SceneEvent } from "./messages";
import type { Unit } from "./store";
import { length, METRES } from "./units";

const NUMBER = String.raw`[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?`;
const BEFORE = String.raw`(?<![\w.,"-])`; // not in the middle of a name or a number, nor what somebody typed
const LENGTH = String.raw`(mm|m)(?![\w²³/"])`;
const RANGE = new RegExp(`${BEFORE}(${NUMBER})( and | to )(${NUMBER}) ${LENGTH}`, "g");
const ONE = new RegExp(`${BEFORE}(${NUMBER}) ${LENGTH}`, "g");
const FORCE = new RegExp(`${BEFORE}(${NUMBER}) N(?![\\w/ ]*m\\b)(?!\\w)`, "g");
const SHARE = new RegExp(`${BEFORE}(${NUMBER}) %`, "g");
const VALUE = new RegExp(` = (${NUMBER})(?=:)`); // the value that a field was to have
const BOUND = new RegExp(`: must [^:]*${NUMBER} ${LENGTH}`); // a length, so the value is one too
const IN_FILES = /[.;] a plain number is in metres[^"]*"[^"]*"(?: for millimetres)?/gi; // here it is in the unit shown

/** A sentence of the session in the unit on the screen, without digits that nobody reads. */
export function readable(text: string, scene: SceneEvent | null): string {
  const unit = scene?.unit ?? "mm";
  const names = scene === null ? [] : [...scene.cables, ...scene.parts, ...scene.junctions].map((k) => k.name).filter((k) => k !== inUnit(k, unit));
  if (names.length === 0) return inUnit(text, unit);
  const apart = new RegExp(`(${names.map((k) => k.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`);
  return text.split(apart).map((piece, i) => (i % 2 === 1 ? piece : inUnit(piece, unit))).join("");
}

function inUnit(text: string, unit: Unit): string {
  return text.split("\n").map((line) => lineInUnit(line, unit)).join("\n");
}

function lineInUnit(text: string, unit: Unit): string {
  const bare = text.replace(IN_FILES, "").replace("expected a length in m,", `expected a length in ${unit},`);
  const isLength = bare !== text || BOUND.test(text);
  return (isLength ? bare.replace(VALUE, (_, value: string) => ` = ${short(Number(value), unit)}`) : text)
    .replace(RANGE, (_, a: string, and: string, b: string, of: Unit) => `${metres(a, of, unit)}${and}${metres(b, of, unit)}`)
    .replace(ONE, (_, value: string, of: Unit) => metres(value, of, unit))
    .replace(FORCE, (_, value: string) => (Math.abs(Number(value)) < 1e4 ? `${trimmed(Number(value), 3)} N` : `${Number((Number(value) / 1e3).toPrecision(3))} kN`))
    .replace(SHARE, (_, value: string) => `${trimmed(Number(value), 1)} %`);
}

function metres(value: string, of: Unit, unit: Unit): string {
  return short(Number(value) * METRES[of], unit);
}

/** "12.3 mm", "400 mm", "0.04 mm": what is small keeps two digits, down to where nothing is meant any more. */
function short(value: number, unit: Unit): string {
  const shown = value / METRES[unit];
  if (value !== 0 && Math.abs(value) < 1e-6) return `${value < 0 ? "−" : ""}less than ${short(1e-6, unit)}`;
  const coarse = length(value, unit).replace(/\.?0+(?= )/, "");
  return Math.abs(Number.parseFloat(coarse)) >= 0.5 * Math.abs(shown) && Number.parseFloat(coarse) !== 0 ? coarse : `${Number(shown.toPrecision(2))} ${unit}`;
}

function trimmed(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
