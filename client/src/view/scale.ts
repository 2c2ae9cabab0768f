// How a quantity becomes a colour: an amount from 0 to 1, growing towards what is bad, with the limit marked.
import type { CableInfo } from "../messages";
import type { FrameData, Unit } from "../store";
import { lengthNumber, significant } from "../units";

export interface Tick {
  amount: number;
  label: string;
}

export interface Scale {
  title: string;
  limit: number | null; // amount at which limits stand, where there are any
  amount(value: number, cable: CableInfo): number; // may be above 1
  limitOf(cable: CableInfo): number; // amount beyond which this cable's own limit is exceeded
  ticks: Tick[];
}

const LIMIT_AT = 0.8; // of the ramp: what exceeds the limit has room to show
const MOST = 8; // amounts are cut there

/** The scale of a frame's colours: about the limit where there is one, else over the values there are. */
export function scaleOf(frame: FrameData, cables: readonly CableInfo[], unit: Unit): Scale | null {
  switch (frame.colour) {
    case "none":
      return null;
    case "bend_radius":
      return inverse(frame, cables, unit, "bend radius", bendRadius);
    case "clearance":
      return inverse(frame, cables, unit, "clearance", (cable) => number(cable, "clearance"));
    case "curvature":
      return linear(frame, cables, "curvature", "1/m", (cable) => reciprocal(bendRadius(cable)));
    case "torsion":
      return linear(frame, cables, "torsion, either way", "°/m", (cable) => number(cable, "twist_per_length"), 180 / Math.PI);
    case "tension":
      return signed(frame, cables, "tension", "N", (cable) => number(cable, "tension"));
    case "stress":
      return linear(frame, cables, "stress", "MPa", (cable) => number(cable, "stress"), 1e-6);
    case "contact":
      return linear(frame, cables, "contact force", "N/m", () => null);
  }
}

type Limit = (cable: CableInfo) => number | null;

/** Small is bad: the amount is limit / value, so that straight is 0 and the limit stands at its place. */
function inverse(frame: FrameData, cables: readonly CableInfo[], unit: Unit, name: string, limit: Limit): Scale {
  const { one, common, any } = limitsOf(cables, limit, Math.max, smallest(frame));
  const places = [0, 0.2, 0.4, 0.6, LIMIT_AT, 1];
  const label = (at: number): string => {
    if (at === 0) return "∞";
    return common ? lengthNumber((one * LIMIT_AT) / at, unit, unit === "mm" ? 0 : undefined) : `${significant(LIMIT_AT / at, 2)}×`;
  };
  return {
    title: common ? `${name} (${unit})` : `${name} in multiples of each cable's limit`,
    limit: any ? LIMIT_AT : null,
    amount: (value, cable) => {
      const own = (limit(cable) ?? one) * LIMIT_AT;
      return own > 0 && Number.isFinite(value) ? Math.min(MOST, own / Math.max(value, own / MOST)) : 0;
    },
    limitOf: (cable) => (limit(cable) === null ? Infinity : LIMIT_AT * (1 + 1e-6)),
    ticks: one > 0 ? places.map((amount) => ({ amount, label: label(amount) })) : [],
  };
}

/** Large is bad: from 0 to a little beyond the limit or the largest value. */
function linear(frame: FrameData, cables: readonly CableInfo[], name: string, unit: string, limit: Limit, shown = 1): Scale {
  const { one, common, any } = limitsOf(cables, limit, Math.min, LIMIT_AT * (niceAbove(largest(frame) * shown) / shown));
  const places = any ? [0, 0.2, 0.4, 0.6, LIMIT_AT, 1] : [0, 0.25, 0.5, 0.75, 1];
  const label = (at: number): string => (common ? significant((one / LIMIT_AT) * at * shown) : `${significant((100 * at) / LIMIT_AT)}%`);
  return {
    title: common ? `${name} (${unit})` : `${name} in percent of each cable's limit`,
    limit: any ? LIMIT_AT : null,
    amount: (value, cable) => (Number.isFinite(value) ? Math.min(MOST, (LIMIT_AT * Math.abs(value)) / (limit(cable) ?? one)) : MOST),
    limitOf: (cable) => (limit(cable) === null ? Infinity : LIMIT_AT * (1 + 1e-6)),
    ticks: places.map((amount) => ({ amount, label: label(amount) })),
  };
}

/** Large is bad, and it may be negative: from the smallest value to a little beyond the limit or the largest one. */
function signed(frame: FrameData, cables: readonly CableInfo[], name: string, unit: string, limit: Limit): Scale {
  const { one, common, any } = limitsOf(cables, limit, Math.min, 0);
  if (!common) return linear(frame, cables, name, unit, limit);
  const [least, most] = range(frame);
  const low = least < 0 ? -niceAbove(-least) : 0;
  const high = any ? low + (one - low) / LIMIT_AT : most > 0 ? niceAbove(most) : 0;
  const span = Math.max(high - low, 1e-12);
  const places = any ? [0, 0.2, 0.4, 0.6, LIMIT_AT, 1] : [0, 0.25, 0.5, 0.75, 1];
  return {
    title: `${name} (${unit})`,
    limit: any ? LIMIT_AT : null,
    amount: (value) => (Number.isFinite(value) ? Math.max(0, Math.min(MOST, (value - low) / span)) : MOST),
    limitOf: (cable) => (limit(cable) === null ? Infinity : LIMIT_AT * (1 + 1e-6)),
    ticks: places.map((amount) => ({ amount, label: significant(low + span * amount) })),
  };
}

/** What stands at the limit's place: the strictest limit, or `otherwise`; and whether all cables share it. */
function limitsOf(
  cables: readonly CableInfo[],
  limit: Limit,
  strictest: (...values: number[]) => number,
  otherwise: number,
): { one: number; common: boolean; any: boolean } {
  const limits = cables.map(limit).filter((value): value is number => value !== null);
  if (limits.length === 0) return { one: Number.isFinite(otherwise) ? otherwise : 0, common: true, any: false };
  const one = strictest(...limits);
  return { one, common: limits.every((value) => value === one), any: true };
}

/** Of the centreline, whatever the catalogue measures it to; a flat cable bends over its flat side. */
function bendRadius(cable: CableInfo): number | null {
  const radius = number(cable, "bend_radius");
  if (radius === null || cable.limits.measured !== "inside") return radius;
  const half = (k: 0 | 1): number => Math.max(...cable.outline.map((corner) => Math.abs(corner[k])));
  return radius + (cable.outline.length < 3 ? cable.radius : Math.min(half(0), half(1)));
}

function number(cable: CableInfo, name: string): number | null {
  const value = cable.limits[name];
  return typeof value === "number" && value > 0 ? value : null;
}

function largest(frame: FrameData): number {
  return Math.max(...range(frame).map(Math.abs));
}

/** Smallest and largest value. */
function range(frame: FrameData): [number, number] {
  let least = Infinity, most = -Infinity;
  for (const strand of frame.strands.values()) {
    for (const value of strand.colour) {
      if (!Number.isFinite(value)) continue;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
  }
  return least <= most ? [least, most] : [0, 0];
}

function smallest(frame: FrameData): number {
  let least = Infinity;
  for (const strand of frame.strands.values()) for (const value of strand.colour) if (value > 0) least = Math.min(least, value);
  return least;
}

function reciprocal(value: number | null): number | null {
  return value === null ? null : 1 / value;
}

/** 1, 2 or 5 times a power of ten, at or above. */
export function niceAbove(value: number): number {
  if (!(value > 0)) return 1;
  const decade = 10 ** Math.floor(Math.log10(value));
  return decade * ([1, 2, 5, 10].find((k) => k * decade >= value * 0.999) ?? 10);
}
