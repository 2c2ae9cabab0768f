// Measuring: two clicks make a measure that is kept and stays true while things move. Drawn as a line with its number.
import { Group, Vector3 } from "three";
import type { MeasureValue, Pick } from "../messages";
import type { Gesture, Handler, Pointer } from "../pointer";
import type { Vec3 } from "../store";
import { angle, length } from "../units";
import { unitOf, type Bench } from "./bench";
import { Stroke } from "./stroke";

const FROM = "Measure: click what to measure from · Alt: the whole cable or part";
const TO = "Measure: click what to measure to · Esc: begin again";

export class Measuring implements Handler {
  private first: { pick: Pick; own: Pick } | null = null; // where it was clicked, and as the session keeps it
  private readonly group = new Group();
  private readonly preview = new Stroke(1.6);
  private readonly edge = new Stroke(3);

  constructor(private readonly bench: Bench) {
    const { stage, store } = bench;
    stage.front.add(this.group, this.preview, this.edge);
    stage.onTheme(({ measure }) => [this.preview, this.edge, ...this.strokes].forEach((stroke) => stroke.paint(measure)));
    store.on("readouts", () => this.draw());
    store.on("scene", () => this.draw());
    store.on("tool", (tool) => tool !== "measure" && this.reset());
  }

  hover(pointer: Pointer): boolean {
    this.bench.stage.cursor = "crosshair";
    const { labels, store, snapMark, stage } = this.bench;
    const found = pointer.screen === null ? null : this.find(pointer);
    labels.say(pointer.screen, found?.text ?? "", "measure");
    store.set("hovered", found?.pick.path || null);
    store.set("hint", this.first === null ? FROM : TO);
    if (found === null) snapMark.show(null);
    this.edge.through((found?.pick.edge ?? []).map((p) => new Vector3(...p)));
    this.preview.through(this.first === null || found === null ? [] : [this.first, found].map(({ pick }) => new Vector3(...pick.point)));
    stage.invalidate();
    return true;
  }

  gestureAt(): Gesture | null {
    return null;
  }

  click(pointer: Pointer): boolean {
    const found = this.find(pointer);
    if (found === null) return false;
    if (this.first === null) {
      this.first = { pick: found.pick, own: this.own(found.pick) };
      this.bench.labels.put("measure first", new Vector3(...found.pick.point), found.text, "measure");
      return true;
    }
    this.bench.connection.do({ kind: "AddMeasure", a: this.first.own, b: this.own(found.pick) });
    this.reset();
    return true;
  }

  /** True where there was something to forget. */
  reset(): boolean {
    const had = this.first !== null;
    this.first = null;
    this.preview.visible = this.edge.visible = false;
    this.bench.labels.remove("measure first");
    this.bench.labels.say(null, "");
    this.bench.snapMark.show(null);
    return had;
  }

  /** What is on a part, in the part's own axes: it goes along with it. */
  private own(pick: Pick): Pick {
    const group = this.bench.parts.views.get(pick.path)?.group;
    if (group === undefined) return pick;
    const local = (point: Vec3): Vec3 => vec(group.worldToLocal(new Vector3(...point)));
    const turned = (normal: Vec3): Vec3 => vec(new Vector3(...normal).applyQuaternion(group.quaternion.clone().invert()));
    const edge: Pick["edge"] = pick.edge === null ? null : [local(pick.edge[0]), local(pick.edge[1])];
    return { ...pick, point: local(pick.point), edge, normal: pick.normal === null ? null : turned(pick.normal) };
  }

  private find(pointer: Pointer): { pick: Pick; text: string } | null {
    const { picking, snapping, snapMark, store } = this.bench;
    const unit = unitOf(store);
    const what = store.get("options").measure;
    const cable = what === "auto" || what === "cable" || what === "place" ? picking.pick(pointer) : null;
    if (cable !== null && cable.kind !== "part") {
      const name = cable.path.split("/")[0];
      const at = cable.at;
      snapMark.show(null);
      if (what === "cable" || (what === "auto" && pointer.modifiers.alt) || at === null) return { pick: made("cable", cable.point, name), text: name };
      const total = this.bench.cables.views.get(name)?.strand?.length ?? 0;
      return { pick: { ...made("place", cable.point, name), at }, text: `${name} at ${length(at * total, unit)}` };
    }
    const snap = what === "cable" || what === "place" ? null : snapping.find(pointer, unit);
    if (snap === null) return null;
    if (what === "part" || (what === "auto" && pointer.modifiers.alt)) return { pick: made("part", snap.point, snap.part), text: snap.part };
    snapMark.show(snap);
    if (snap.kind === "edge" && what !== "point" && what !== "face" && snap.edge !== null) {
      const [a, b] = snap.edge;
      return { pick: { ...made("edge", snap.point, snap.part), edge: [vec(a), vec(b)] }, text: `edge ${length(a.distanceTo(b), unit)}` };
    }
    if ((snap.kind === "face" && what !== "point") || what === "face") {
      const face = picking.part(pointer);
      if (face === null || face.normal === null) return null;
      return { pick: { ...made("face", face.point, face.path), normal: vec(face.normal) }, text: `face of ${face.path}` };
    }
    return what === "edge" ? null : { pick: made("point", snap.point, snap.part), text: snap.text };
  }

  /** Every kept measure, as the latest read-outs have it. */
  private draw(): void {
    const { store, labels, stage } = this.bench;
    for (const stroke of this.strokes) stroke.dispose();
    this.group.clear();
    const kept = new Set<string>();
    const numbers = new Set(store.get("scene")?.measures.map(({ number }) => number));
    for (const measure of store.get("readouts")?.measures ?? []) {
      if (!numbers.has(measure.number)) continue;
      const a = new Vector3(...measure.a), b = new Vector3(...measure.b);
      const stroke = new Stroke(1.6);
      stroke.through([a, b]);
      stroke.paint(stage.colours.measure);
      this.group.add(stroke);
      const key = `measured ${measure.number}`;
      labels.put(key, a.lerp(b, 0.5), this.words(measure), "measure");
      kept.add(key);
    }
    labels.retain("measured ", kept);
    stage.invalidate();
  }

  private get strokes(): Stroke[] {
    return this.group.children as Stroke[];
  }

  private words({ distance, angle: turned, arc }: MeasureValue): string {
    const unit = unitOf(this.bench.store);
    const words = [];
    if (distance !== null) words.push(length(distance, unit));
    if (arc !== null) words.push(`${length(arc, unit)} along`);
    if (turned !== null) words.push(angle(turned));
    return words.join(" · ");
  }
}

function made(kind: Pick["kind"], point: Vector3, path: string): Pick {
  return { kind, point: vec(point), path, at: null, edge: null, normal: null };
}

function vec(v: Vector3): Vec3 {
  return v.toArray();
}
