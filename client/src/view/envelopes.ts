// What cables sweep: closed volumes that can be seen through, in the colour of their cable.
import { BufferAttribute, BufferGeometry, DoubleSide, Group, Mesh, MeshStandardMaterial } from "three";
import type { EnvelopeInfo } from "../messages";
import type { Bench } from "./bench";
import { address } from "./shapes";

const SEE_THROUGH = 0.3;
const STALE = 0.12;

export class Envelopes {
  private readonly group = new Group();
  private readonly known = new Map<string, Mesh<BufferGeometry, MeshStandardMaterial> | null>(); // by key; none: on its way

  constructor(private readonly bench: Bench) {
    const { stage, store } = bench;
    stage.scene.add(this.group);
    store.on("sweeps", () => this.show());
    store.on("scene", () => this.show());
    stage.onTheme(() => this.show());
  }

  private show(): void {
    const { store, stage } = this.bench;
    const wanted = new Map<string, { info: EnvelopeInfo; stale: boolean }>();
    for (const sweep of store.get("sweeps")?.sweeps ?? [])
      for (const info of sweep.envelopes) if (info.shown && info.mesh !== null) wanted.set(info.mesh, { info, stale: sweep.stale });
    for (const [key, mesh] of this.known) {
      if (wanted.has(key)) continue;
      this.known.delete(key);
      if (mesh !== null) this.remove(mesh);
    }
    for (const [key, { info, stale }] of wanted) {
      const mesh = this.known.get(key);
      if (mesh === undefined) void this.fetch(key, info.cable);
      else if (mesh !== null) this.paint(mesh, info.cable, stale);
    }
    stage.invalidate();
  }

  private async fetch(key: string, cable: string): Promise<void> {
    this.known.set(key, null);
    try {
      const answer = await fetch(address(key));
      if (!answer.ok) throw new Error(await answer.text());
      const geometry = geometryOf(await answer.arrayBuffer());
      const mesh = new Mesh(geometry, new MeshStandardMaterial({ transparent: true, depthWrite: false, side: DoubleSide, roughness: 0.8 }));
      mesh.name = `envelope of ${cable}`;
      if (this.known.get(key) !== null) return mesh.geometry.dispose(); // no longer wanted
      this.known.set(key, mesh);
      this.group.add(mesh);
      this.show();
    } catch (error) {
      this.known.delete(key);
      this.bench.store.say("error", `the envelope of ${cable} did not arrive (${error instanceof Error ? error.message : String(error)})`, cable);
    }
  }

  private paint(mesh: Mesh<BufferGeometry, MeshStandardMaterial>, cable: string, stale: boolean): void {
    const { store, stage } = this.bench;
    const number = store.get("scene")?.cables.findIndex((k) => k.name === cable) ?? 0;
    const { cables } = stage.colours;
    mesh.material.color.set(cables[Math.max(0, number) % cables.length]);
    mesh.material.opacity = stale ? STALE : SEE_THROUGH;
    mesh.visible = store.get("scene")?.hidden.includes(cable) !== true;
  }

  private remove(mesh: Mesh<BufferGeometry, MeshStandardMaterial>): void {
    this.group.remove(mesh);
    mesh.geometry.dispose();
    mesh.material.dispose();
  }
}

/** Counts, vertices and triangles, as parts travel too. */
function geometryOf(buffer: ArrayBuffer): BufferGeometry {
  const [vertices, triangles] = new Uint32Array(buffer, 0, 2);
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(buffer, 8, 3 * vertices), 3));
  geometry.setIndex(new BufferAttribute(new Uint32Array(buffer, 8 + 12 * vertices, 3 * triangles), 1));
  geometry.computeVertexNormals();
  return geometry;
}
