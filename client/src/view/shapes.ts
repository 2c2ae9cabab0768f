// Meshes by their key, each fetched and prepared once, by a worker: the page stays fluent however large they are.
import { BufferAttribute, BufferGeometry, Vector3 } from "three";
import { MeshBVH } from "three-mesh-bvh";
import type { Features } from "./features";
import type { Failed, Prepared, Wanted } from "./shapeworker";

/** A mesh ready to be drawn, picked and snapped to; shared by parts of the same shape. */
export interface Shape {
  geometry: BufferGeometry;
  edges: BufferGeometry;
  tree: MeshBVH;
  features: Features;
}

interface Waiting {
  resolve(shape: Shape): void;
  reject(error: Error): void;
}

export class Shapes {
  private readonly known = new Map<string, Promise<Shape>>();
  private readonly waiting = new Map<string, Waiting>();
  private readonly worker = new Worker(new URL("./shapeworker.ts", import.meta.url), { type: "module" });

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<Prepared | Failed>) => this.take(data);
    this.worker.onerror = (event) => {
      for (const { reject } of this.waiting.values()) reject(new Error(event.message));
      this.waiting.clear();
      this.known.clear();
    };
  }

  get(key: string): Promise<Shape> {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const shape = new Promise<Shape>((resolve, reject) => this.waiting.set(key, { resolve, reject }));
    this.known.set(key, shape);
    shape.catch(() => this.known.delete(key)); // asked for again with the next scene
    const wanted: Wanted = { key, url: address(key) };
    this.worker.postMessage(wanted);
    return shape;
  }

  private take(message: Prepared | Failed): void {
    const waiting = this.waiting.get(message.key);
    this.waiting.delete(message.key);
    if ("error" in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(shapeOf(message));
  }
}

export function address(key: string): string {
  const url = new URL(`mesh/${encodeURIComponent(key)}`, location.href);
  url.search = "";
  const token = new URLSearchParams(location.search).get("token");
  if (token !== null) url.searchParams.set("token", token);
  return url.href;
}

function shapeOf({ positions, normals, edges, tree, corners, circles }: Prepared): Shape {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  const bvh = MeshBVH.deserialize(tree, geometry, { setIndex: true });
  geometry.computeBoundingBox();
  geometry.computeBoundingSphere();
  const lines = new BufferGeometry();
  lines.setAttribute("position", new BufferAttribute(edges, 3));
  const features = {
    edges,
    corners: corners.map((p) => new Vector3(...p)),
    circles: circles.map(({ centre, axis, radius }) => ({ centre: new Vector3(...centre), axis: new Vector3(...axis), radius })),
  };
  return { geometry, edges: lines, tree: bvh, features };
}
