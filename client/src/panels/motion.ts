// Everything that moves parts: joint sliders and named positions beside the timeline of the motions.
import { Player } from "../player";
import type { SceneEvent } from "../messages";
import { h, type Piece } from "./elements";
import { jointList } from "./joints";
import type { Page } from "./page";
import { positionList } from "./positions";
import { timeline } from "./timeline";

/** Whether there is anything to move. */
export function hasMotion(scene: SceneEvent | null): boolean {
  return scene !== null && scene.joints.length + scene.positions.length + scene.motions.length > 0;
}

export function motionPanel(page: Page): Piece & { player: Player } {
  const player = new Player(page);
  const pieces = [jointList(page, player), positionList(page), timeline(page, player)];
  const [joints, positions, time] = pieces.map((k) => k.element);
  return {
    player,
    element: h("div", { class: "motion-panel", test: "motion-panel" }, h("div", { class: "motion-side" }, joints, positions), time),
    update: () => pieces.forEach((k) => k.update()),
  };
}
