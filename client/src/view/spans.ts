// The tension of every span as a number beside it, where there is room; what is slack says so.
import { length, pull } from "../units";
import { unitOf, type Bench } from "./bench";
import { middleOf } from "./ropes";

const MOST = 60; // numbers
const SHORT = 46; // px: a shorter span has none

export class Spans {
  private seen = "";

  constructor(private readonly bench: Bench) {
    bench.store.on("frame", () => this.follow());
    bench.store.on("machine", () => this.follow()); // the numbers: those of the tables, at the same instant
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
    const hidden = new Set(store.get("scene")?.hidden);
    for (const [name, { data, mesh }] of any && tensions ? ropes.views : []) {
      if (data === null || !mesh.visible || hidden.has(name)) continue;
      const told = store.get("machine")?.ropes.find((k) => k.name === name)?.spans ?? [];
      const known = new Map(told.map((k) => [k.link, { tension: k.tension ?? NaN, slack: k.slack ? k.rest - k.length : 0 }]));
      for (let m = 0; m < data.spans && kept.size < MOST; m++) {
        const [link, first, count] = data.numbers.subarray(5 * m, 5 * m + 3);
        const now = known.get(link);
        if (now === undefined) continue; // just met: it is told of in a moment
        const at = middleOf(data, m);
        const ends = [first, first + count - 1].map((i) => stage.rig.project(at.clone().fromArray(data.positions, 3 * i)));
        if (ends[0] === null || ends[1] === null || ends[0].distanceTo(ends[1]) < SHORT) continue;
        const key = `span ${name} ${link}`;
        kept.add(key);
        const { tension, slack } = now;
        labels.put(key, at, slack > 0 ? `slack ${length(slack, unitOf(store))}` : pull(tension), slack > 0 ? "span slack" : "span");
      }
    }
    labels.retain("span ", kept);
  }
}
