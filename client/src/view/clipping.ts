// The tool that sets a clip where a cable is clicked.
import type { Gesture, Handler, Pointer } from "../pointer";
import { length } from "../units";
import { unitOf, type Bench } from "./bench";

export class Clipping implements Handler {
  constructor(private readonly bench: Bench) {}

  hover(pointer: Pointer): boolean {
    this.bench.stage.cursor = "crosshair";
    const { picking, store, labels, cables } = this.bench;
    const hit = pointer.screen === null ? null : picking.pick(pointer, { markers: false });
    const place = hit?.kind === "cable" && hit.at !== null ? { cable: hit.path, at: hit.at } : null;
    store.setPlace(place);
    store.set("hovered", place?.cable ?? null);
    store.set("hint", `Clip: click a cable to hold it there with a ${store.get("options").clip}`);
    const total = place === null ? 0 : (cables.views.get(place.cable)?.strand?.length ?? 0);
    labels.say(pointer.screen, place === null ? "" : `${store.get("options").clip} at ${length(place.at * total, unitOf(store))}`, "measure");
    return true;
  }

  gestureAt(): Gesture | null {
    return null;
  }

  click(pointer: Pointer): boolean {
    const { picking, store, connection } = this.bench;
    const hit = picking.pick(pointer, { markers: false });
    if (hit?.kind !== "cable" || hit.at === null) {
      store.say("info", "A clip holds a cable: click on one.");
      return false;
    }
    connection.do({ kind: "AddClip", cable: hit.path, at: hit.at, clip: store.get("options").clip });
    return true;
  }
}
