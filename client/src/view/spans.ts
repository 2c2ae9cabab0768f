// The tension of every span as a number beside it, where there is room; what is slack says so.
import type { Vector3 } from "three";
import { length, pull } from "../units";
import { unitOf, type Bench } from "./bench";
import { middleOf } from "./ropes";

const MOST = 60; // numbers
const SHORT = 46; // px: a shorter span has none
const EVERY = 140; // ms: nobody reads faster

export class Spans {
  private words = new Map<string, string>();
  private said = 0;
  private seen = "";

  constructor(private readonly bench: Bench) {
    bench.store.on("frame", () => this.follow());
    bench.store.on("scene", () => this.follow());
    bench.store.on("options", () => this.follow());
    bench.stage.beforeDraw(() => this.look());
  }

  /** From elsewhere other spans are long enough to be labelled. */
  private look(): void {
    const { camera, size } = this.bench.stage.rig;
    const seen = [...camera.matrixWorld.elements, ...camera.projectionMatrix.elements, size.x, size.y].map((k) => k.toFixed(4)).join(" ");
    if (seen === this.seen) return;
    this.seen = seen;
    this.follow();
  }

  private follow(): void {
    const { store, labels, ropes, stage } = this.bench;
    const kept = new Set<string>();
    const { labels: any, tensions } = store.get("options");
    const now = performance.now();
    const anew = now - this.said > EVERY || store.get("frame")?.clock?.playing !== true;
    if (anew) this.said = now;
    const hidden = new Set(store.get("scene")?.hidden);
    const nothing = 1e-6 * (ropes.scale?.high ?? 0); // what a solution leaves of 0
    for (const [name, { data, mesh }] of any && tensions ? ropes.views : []) {
      if (data === null || !mesh.visible || hidden.has(name)) continue;
      for (let m = 0; m < data.spans && kept.size < MOST; m++) {
        const [link, first, count, tension, slack] = data.numbers.subarray(5 * m, 5 * m + 5);
        const at = middleOf(data, m);
        const ends = [first, first + count - 1].map((i) => stage.rig.project(at.clone().fromArray(data.positions, 3 * i)));
        if (ends[0] === null || ends[1] === null || ends[0].distanceTo(ends[1]) < SHORT) continue;
        const key = `span ${name} ${link}`;
        kept.add(key);
        this.put(key, at, slack > 0 ? `slack ${length(slack, unitOf(store))}` : pull(tension < nothing ? 0 : tension), slack > 0, anew);
      }
    }
    labels.retain("span ", kept);
    if (anew) for (const key of this.words.keys()) if (!kept.has(key)) this.words.delete(key);
  }

  private put(key: string, at: Vector3, text: string, slack: boolean, anew: boolean): void {
    const words = anew ? text : (this.words.get(key) ?? text);
    this.words.set(key, words);
    this.bench.labels.put(key, at, words, slack || words.startsWith("slack") ? "span slack" : "span");
  }
}
