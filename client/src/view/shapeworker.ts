// A worker that fetches meshes and prepares them: creases, edges, features, and the tree that picking uses.
import { BufferAttribute, BufferGeometry } from "three";
import { MeshBVH, type SerializedBVH } from "three-mesh-bvh";
import type { Vec3 } from "../store";
import { creased } from "./creases";
import { featuresOf } from "./features";

export interface Wanted {
  key: string;
  url: string;
}

export interface Prepared {
  key: string;
  positions: Float32Array<ArrayBuffer>;
  normals: Float32Array<ArrayBuffer>;
  edges: Float32Array<ArrayBuffer>;
  tree: SerializedBVH;
  corners: Vec3[];
  circles: { centre: Vec3; axis: Vec3; radius: number }[];
}

export interface Failed {
  key: string;
  error: string;
}

onmessage = async ({ data: { key, url } }: MessageEvent<Wanted>) => {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    postMessage(prepared(key, await response.arrayBuffer()));
  } catch (error) {
    postMessage({ key, error: error instanceof Error ? error.message : String(error) } satisfies Failed);
  }
};

/** uint32 vertices, uint32 triangles, then float32 points and uint32 corners. */
function prepared(key: string, buffer: ArrayBuffer): Prepared {
  const [vertices, triangles] = new Uint32Array(buffer, 0, 2);
  const look = creased(new Float32Array(buffer, 8, 3 * vertices), new Uint32Array(buffer, 8 + 12 * vertices, 3 * triangles));
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(look.positions, 3));
  const tree = MeshBVH.serialize(new MeshBVH(geometry), { cloneBuffers: false });
  const { corners, circles } = featuresOf(look);
  return {
    key,
    positions: look.positions,
    normals: look.normals,
    edges: look.edges,
    tree,
    corners: corners.map((p) => p.toArray()),
    circles: circles.map(({ centre, axis, radius }) => ({ centre: centre.toArray(), axis: axis.toArray(), radius })),
  };
}
