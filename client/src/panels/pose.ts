// Where a thing is, typed: ends and clips by tangent and roll, parts and junctions by angles about the axes.
import type { Piece } from "./elements";
import { quantityField, vectorField } from "./fields";
import type { Page } from "./page";
import { parse } from "./quantities";
import { anglesOf, fromAngles, rollOf, tangentOf } from "./turns";

function positionField(page: Page, path: string, free?: () => boolean): Piece {
  return vectorField(page, {
    label: "Position",
    kind: "length",
    test: "position",
    title: "Where it is in the world; type a number with or without a unit",
    value: () => page.pose(path)?.position ?? null,
    commit: (position) => page.send({ kind: "Move", path, position }),
    readonly: free,
  });
}

/** Of an end or a clip. */
export function supportPose(page: Page, path: string): Piece[] {
  const pieces = [positionField(page, path, () => page.support(path)?.kind === "free")];
  const directed = (page.pose(path)?.quaternion ?? null) !== null && page.support(path)?.kind !== "free";
  if (!directed) return pieces;
  pieces.push(
    vectorField(page, {
      label: "Tangent",
      kind: "number",
      test: "tangent",
      title: "Direction of the cable here, from start to end; of any length",
      value: () => {
        const q = page.pose(path)?.quaternion;
        return q == null ? null : tangentOf(q);
      },
      commit: (tangent) => page.send({ kind: "Move", path, tangent }),
    }),
    quantityField(page, {
      label: "Roll",
      kind: "angle",
      test: "roll",
      title: "Turn of the cable's first axis about the tangent",
      value: () => {
        const q = page.pose(path)?.quaternion;
        return q == null ? null : rollOf(q);
      },
      commit: (roll) => page.send({ kind: "Move", path, roll: needed(page, roll) }),
    }),
  );
  return pieces;
}

/** Of a part or a junction. */
export function bodyPose(page: Page, path: string): Piece[] {
  return [
    positionField(page, path),
    vectorField(page, {
      label: "Turned about",
      kind: "angle",
      test: "angles",
      title: "Turns about the world's x, then y, then z axis",
      value: () => {
        const q = page.pose(path)?.quaternion;
        return q == null ? null : anglesOf(q);
      },
      commit: (angles) => page.send({ kind: "Move", path, quaternion: fromAngles(angles) }),
    }),
  ];
}

/** An angle that the session takes only as a number. */
function needed(page: Page, value: number | string | null): number {
  const angle = typeof value === "string" ? parse("angle", value, page.unit) : value;
  if (angle === null) throw new Error(`“${String(value ?? "")}” is no angle: write for example 90 deg`);
  return angle;
}
