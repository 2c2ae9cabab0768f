// The clock of a machine, below the view: reset, play, single step, speed, time; and whether it keeps up with real time.
import type { Clock } from "../messages";
import { SPEEDS } from "../player";
import { selectBox } from "./choices";
import { button } from "./buttons";
import { h, setClass, setHidden, setText, setTitle, type Piece } from "./elements";
import { icon, setIcon } from "./icons";
import { message, type Page } from "./page";

export function isMachine(page: Page): boolean {
  return (page.scene?.machine ?? null) !== null;
}

export function togglePlay(page: Page): void {
  page.do({ kind: "Play", on: page.store.get("frame")?.clock?.playing !== true });
}

export function stepOnce(page: Page): void {
  page.do({ kind: "Advance" });
}

export function rewind(page: Page): void {
  page.do({ kind: "Rewind" });
}

export function transport(page: Page): Piece {
  const clock = (): Clock | null => page.store.get("frame")?.clock ?? null;
  const mark = icon("play");
  const play = h("button", { type: "button", class: "button primary play-button", test: "machine-play", onclick: () => togglePlay(page) }, mark);
  const reset = button({ icon: "reset", title: "Back to the start, 0 s; motors stay as they are set (Home)", test: "machine-reset", class: "quiet", run: () => rewind(page) });
  const step = button({ icon: "step", title: "One step of 1/60 s (.)", test: "machine-step", class: "quiet", run: () => stepOnce(page) });
  const speed = selectBox({
    label: "speed",
    test: "machine-speed",
    title: "How fast time runs, against real time",
    choices: () => [...new Set([...SPEEDS, clock()?.pace ?? 1])].sort((a, b) => a - b).map((k) => ({ value: String(k), text: `${k}×` })),
    value: () => String(clock()?.pace ?? 1),
    commit: (value) => page.do({ kind: "Pace", speed: Number(value) }),
  });
  const time = h("span", { class: "clock", test: "machine-time", title: "Time of the machine" });
  const pace = h("span", { class: "true-pace", test: "machine-pace" });
  const rest = button({
    text: "Rest",
    title: "Finds where everything stands by itself; motors with a speed hold, and their torques are those that hold (as lissom solve)",
    test: "machine-rest",
    class: "small",
    run: () => {
      page.send({ kind: "FindRest" }).catch((error: unknown) => page.store.say("error", message(error)));
    },
  });
  const trouble = h("div", { class: "transport-error", test: "machine-error", role: "alert" });
  const bar = h("div", { class: "transport", role: "toolbar", "aria-label": "time of the machine" }, reset, play, step, speed.select, time, pace, rest);
  return {
    element: h("div", { class: "transport-place", test: "transport" }, trouble, bar),
    update: () => {
      const now = clock();
      const element = bar.parentElement;
      if (element !== null) setHidden(element, !isMachine(page) || now === null);
      document.body.classList.toggle("has-machine", isMachine(page));
      if (now === null) return;
      setIcon(mark, now.playing ? "pause" : "play");
      setTitle(play, now.playing ? "Pause (Space)" : "Play: time runs (Space)");
      play.setAttribute("aria-label", now.playing ? "pause" : "play");
      play.setAttribute("aria-pressed", String(now.playing));
      setClass(play, "on", now.playing);
      reset.disabled = now.time === 0;
      step.disabled = now.playing;
      speed.update();
      setText(time, `${now.time.toFixed(2)} s`);
      const slow = now.ratio !== null;
      setText(pace, now.ratio === null ? "" : `runs at ${now.ratio.toFixed(now.ratio < 0.1 ? 3 : 2)}×`);
      setTitle(pace, slow ? "The machine is too large to keep the pace that is wanted: this is how fast it really runs" : "");
      setHidden(pace, !slow);
      setText(trouble, now.error);
      setHidden(trouble, now.error === "");
    },
  };
}
