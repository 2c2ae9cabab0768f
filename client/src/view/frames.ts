// Poses as the scene file writes them: a position with or without units, and an orientation in one of three ways.
import { Quaternion, Vector3 } from "three";
import type { PartInfo } from "../messages";
import { parseLength } from "../units";

export interface LocalFrame {
  position: Vector3;
  quaternion: Quaternion | null;
}

/** A named frame in its part's axes; none where the scene writes it in a way the page does not read. */
export function frameOf(part: PartInfo, name: string): LocalFrame | null {
  const frames = part.fields.frames as { [name: string]: { [field: string]: unknown } } | undefined;
  const said = frames?.[name];
  if (said === undefined) return null;
  const position = vector(said.position ?? [0, 0, 0], true);
  if (position === null) return null;
  const turned = numbers(said.quaternion, 4);
  if (turned !== null) return { position, quaternion: new Quaternion(turned[1], turned[2], turned[3], turned[0]).normalize() };
  const tangent = said.tangent === undefined ? null : vector(said.tangent, false);
  if (tangent === null || tangent.lengthSq() === 0) return { position, quaternion: null };
  return { position, quaternion: new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), tangent.normalize()) };
}

function vector(value: unknown, lengths: boolean): Vector3 | null {
  if (!Array.isArray(value) || value.length !== 3) return null;
  const read = value.map((k) => (typeof k === "number" ? k : typeof k === "string" && lengths ? parseLength(k, "m") : null));
  return read.every((k) => k !== null) ? new Vector3(...(read as [number, number, number])) : null;
}

function numbers(value: unknown, count: number): number[] | null {
  return Array.isArray(value) && value.length === count && value.every((k) => typeof k === "number") ? (value as number[]) : null;
}
