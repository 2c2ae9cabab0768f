// Lengths on the screen, in the unit the user chose; metres everywhere else.
import type { Unit } from "./store";

export const METRES: { [unit in Unit]: number } = { mm: 1e-3, cm: 1e-2, m: 1, in: 0.0254 };
const DIGITS: { [unit in Unit]: number } = { mm: 1, cm: 2, m: 4, in: 3 };

/** "182.4 mm" */
export function length(metres: number, unit: Unit, digits: number = DIGITS[unit]): string {
  return Number.isFinite(metres) ? `${lengthNumber(metres, unit, digits)} ${unit}` : "–";
}

/** "182.4" */
export function lengthNumber(metres: number, unit: Unit, digits: number = DIGITS[unit]): string {
  return Number.isFinite(metres) ? fixed(metres / METRES[unit], digits) : "–";
}

/** Nothing is "0.0", never "-0.0". */
export function fixed(value: number, digits: number): string {
  return value.toFixed(digits).replace(/^-(?=[0.]*$)/, "");
}

/** A round length, without trailing zeros: "50 mm" */
export function roundLength(metres: number, unit: Unit): string {
  return `${Number((metres / METRES[unit]).toPrecision(4))} ${unit}`;
}

/** What was typed, in metres: "12", "12 mm", "0.5in"; none where it is no length. */
export function parseLength(text: string, unit: Unit): number | null {
  const match = /^\s*([-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:e[-+]?\d+)?)\s*(mm|cm|m|in)?\s*$/i.exec(text);
  if (match === null) return null;
  return Number(match[1].replace(",", ".")) * METRES[(match[2]?.toLowerCase() as Unit | undefined) ?? unit];
}

export function angle(radians: number): string {
  return `${fixed((radians * 180) / Math.PI, 1)}°`;
}

/** An angle that may be many turns: "86.4°", "239.9 turns" */
export function turned(radians: number): string {
  return Math.abs(radians) <= 2 * Math.PI + 1e-9 ? angle(radians) : `${fixed(radians / (2 * Math.PI), 1)} turns`;
}

/** Three significant digits: "12.3 N" */
export function force(newtons: number): string {
  return `${significant(newtons)} N`;
}

/** Three digits, whatever the size: "981 N", "11.4 kN" */
export function pull(newtons: number): string {
  const size = Math.abs(newtons);
  if (size >= 9.995e5) return `${significant(newtons / 1e6)} MN`;
  return size >= 9995 ? `${significant(newtons / 1e3)} kN` : `${size < 5e-4 ? "0" : significant(newtons)} N`;
}

export function significant(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  const text = Math.abs(value) < 1e4 && Math.abs(value) >= 1e-3 ? Number(value.toPrecision(digits)).toString() : value.toExponential(digits - 1);
  return value === 0 ? "0" : text;
}
