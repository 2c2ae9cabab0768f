// Frames arrive as bytes: the header's length, the header as JSON, then the numbers of every strand and rope.
import type { Frame } from "./messages";
import type { FrameData, RopeData, StrandData } from "./store";

export function readFrame(buffer: ArrayBuffer): FrameData {
  const headerLength = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, headerLength))) as Frame;
  let offset = 4 + headerLength;
  const take = (count: number): Float32Array => {
    const numbers = new Float32Array(buffer, offset, count);
    offset += 4 * count;
    return numbers;
  };
  const strands = new Map<string, StrandData>();
  for (const strand of header.strands) {
    const n = strand.points;
    strands.set(strand.name, { ...strand, positions: take(3 * n), quaternions: take(4 * n), colour: take(n) });
  }
  const ropes = new Map<string, RopeData>();
  for (const rope of header.ropes) {
    const { points, spans } = rope;
    ropes.set(rope.name, { ...rope, positions: take(3 * points), tension: take(points), numbers: take(5 * spans) });
  }
  return { ...header, strands, ropes, bodies: new Map(header.bodies.map((body) => [body.path, body])) };
}
