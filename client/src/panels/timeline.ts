// The timeline of a motion: play, scrub, record, sweep; one row of lights per check, and where each is worst.
import type { Band, SweepInfo } from "../messages";
import { SPEEDS, type Player } from "../player";
import { button } from "./buttons";
import { selectBox } from "./choices";
import { h, Keyed, setClass, setHidden, setText, setTitle, type Piece } from "./elements";
import { icon, setIcon } from "./icons";
import { typedInput } from "./inputs";
import { drawLights, lightOf, nearestPosition, placeOf, ROW, RULER, timeAt } from "./lights";
import { motionMenu, envelopeMenu, toggleTake } from "./motionmenu";
import type { Page } from "./page";
import type { Kind } from "./quantities";

const KINDS: { [unit: string]: Kind } = { m: "length", N: "force", "rad/m": "twist rate", "1/m": "twist rate", Pa: "pressure" };
const KEY = 0.02; // of the motion, per arrow key

export function timeline(page: Page, player: Player): Piece {
  const bar = toolbar(page, player);
  const names = h("div", { class: "lane-names" });
  const worst = h("div", { class: "lane-worst" });
  const canvas = h("canvas", { class: "lane-canvas", test: "timeline", tabindex: 0, role: "slider", "aria-label": "time on the motion" });
  const [nameRows, worstRows] = [
    new Keyed<Row>(names, (first) => nameRow(first)),
    new Keyed<Row>(worst, (first) => worstRow(page, player, first)),
  ];
  scrubbing(page, player, canvas);
  const lanes = h("div", { class: "lanes" }, names, canvas, worst);
  const note = h("div", { class: "motion-note", test: "motion-note", role: "status" });
  const empty = h("div", { class: "empty", test: "no-motion" });
  new ResizeObserver(() => page.ask(true)).observe(canvas);
  return {
    element: h("div", { class: "timeline" }, bar.element, note, h("div", { class: "lane-scroll" }, lanes, empty)),
    update: () => {
      bar.update();
      const { motion } = player;
      const sweep = sweepOf(page, player);
      const usable = motion !== null && motion.error === "";
      setHidden(lanes, !usable);
      setHidden(empty, usable && sweep !== null);
      setText(empty, emptyText(player));
      const said = noteOf(page, player, sweep);
      setText(note, said.text);
      setHidden(note, said.text === "");
      setClass(note, "bad", said.bad);
      if (!usable) return;
      const rows = rowsOf(sweep);
      nameRows.show(rows, (k) => k.key);
      worstRows.show(rows, (k) => k.key);
      canvas.style.height = `${RULER + ROW * rows.length}px`;
      const [range, time] = [player.range, player.time];
      canvas.dataset.range = range.join(" ");
      canvas.setAttribute("aria-valuenow", time.toFixed(3));
      canvas.setAttribute("aria-valuemin", String(range[0]));
      canvas.setAttribute("aria-valuemax", String(range[1]));
      drawLights(canvas, { range, keyframes: motion.recorded ? [] : motion.times, time, standing: player.standing !== null, sweep });
    },
  };
}

function emptyText({ motion }: Player): string {
  if (motion === null) return "No motion yet. Press record and drag a slider, or take one over the range of a joint (⋯).";
  return motion.error !== "" ? motion.error : "Sweep visits every position in the background, and shows each check along the motion.";
}

export function sweepOf(page: Page, player: Player): SweepInfo | null {
  return page.store.get("sweeps")?.sweeps.find((k) => k.motion === player.motion?.name) ?? null;
}

function noteOf(page: Page, player: Player, sweep: SweepInfo | null): { text: string; bad: boolean } {
  if (player.reason !== "") return { text: `Stopped: ${player.reason}`, bad: true };
  if (page.scene?.taking === true) return { text: "Recording: drag a slider, or a part that has a joint. Press again to keep it as a motion.", bad: true };
  if (sweep?.error !== undefined && sweep.error !== "") return { text: `Sweep: ${sweep.error}`, bad: true };
  const finding = sweep?.envelopes.find((k) => k.shown && k.mesh === null && k.error === "");
  if (finding !== undefined && sweep?.progress !== "running") return { text: `Envelope of ${finding.cable}: ${Math.floor(100 * finding.done)} %`, bad: false };
  if (sweep?.stale === true) return { text: "The scene was edited since this sweep: sweep again.", bad: false };
  return { text: "", bad: false };
}

// ---- the bar -----------------------------------------------------------------------------------------------------------

function toolbar(page: Page, player: Player): Piece {
  const choose = selectBox({
    label: "motion",
    test: "motion",
    title: "Which motion is played and swept",
    choices: () => (page.scene?.motions ?? []).map((k) => ({ value: k.name, text: k.name })),
    value: () => player.motion?.name ?? "",
    commit: (name) => player.choose(name),
  });
  const mark = icon("play");
  const play = h("button", { type: "button", class: "button icon-button", test: "play", onclick: () => player.toggle() }, mark);
  const speed = selectBox({
    label: "speed",
    test: "speed",
    title: "How fast it is played",
    choices: () => SPEEDS.map((k) => ({ value: String(k), text: `${k}×` })),
    value: () => String(player.speed),
    commit: (value) => (player.speed = Number(value)),
  });
  const time = typedInput(page, {
    kind: "number",
    test: "time",
    title: "Time on the motion, s: type one to go there",
    label: "time",
    value: () => Number(player.time.toFixed(3)),
    commit: async (text) => {
      const wanted = Number(text.replace(",", ".").replace(/s$/, ""));
      if (!Number.isFinite(wanted)) return false;
      await player.goTo(wanted, false);
      return true;
    },
  });
  const take = button({ icon: "record", title: "", test: "take", class: "take", run: () => toggleTake(page, player) });
  const sweepText = h("span", {});
  const sweepMark = icon("step");
  const sweep = h("button", { type: "button", class: "button small", test: "sweep", onclick: () => toggleSweep(page, player) }, sweepMark, sweepText);
  const envelope: HTMLButtonElement = button({
    icon: "glass",
    title: "Envelope: what each cable sweeps in this motion, as a closed volume",
    test: "envelope",
    run: () => envelopeMenu(page, player, envelope, sweepOf(page, player)),
  });
  const more: HTMLButtonElement = button({
    icon: "more",
    title: "Rename, delete, export, motion over the range of a joint",
    test: "motion-more",
    class: "quiet",
    run: () => motionMenu(page, player, more, sweepOf(page, player)),
  });
  return {
    element: h(
      "div",
      { class: "timeline-bar" },
      choose.select,
      play,
      speed.select,
      h("span", { class: "typed time" }, time.input, h("span", { class: "unit" }, "s")),
      take,
      h("span", { class: "push" }),
      sweep,
      envelope,
      more,
    ),
    update: () => {
      choose.update();
      speed.update();
      time.update();
      const usable = player.motion !== null && player.motion.error === "";
      for (const element of [play, speed.select, time.input, sweep, envelope]) element.disabled = !usable;
      setHidden(choose.select, player.motion === null);
      setIcon(mark, player.playing ? "pause" : "play");
      setTitle(play, player.playing ? "Pause (J)" : "Play; the cables follow (J)");
      play.setAttribute("aria-label", player.playing ? "pause" : "play");
      const taking = page.scene?.taking === true;
      setClass(take, "on", taking);
      setTitle(take, taking ? "Stop recording and keep the motion" : "Record a motion: drag sliders or parts with a joint");
      const found = sweepOf(page, player);
      const running = found?.progress === "running";
      setIcon(sweepMark, running ? "cross" : "step");
      setText(sweepText, running ? `Stop ${Math.floor((100 * found.times.length) / Math.max(1, found.total))} %` : found === null ? "Sweep" : "Sweep again");
      setTitle(sweep, running ? "Stops the sweep; what was found stays" : "Visits every position of the motion in the background, and checks each");
      setClass(sweep, "primary", !running && found?.stale === true);
      setClass(envelope, "on", found?.envelopes.some((k) => k.shown) === true);
    },
  };
}

function toggleSweep(page: Page, player: Player): void {
  const { motion } = player;
  if (motion === null) return;
  if (sweepOf(page, player)?.progress === "running") page.do({ kind: "StopSweep" });
  else page.do({ kind: "Sweep", motion: motion.name });
}

// ---- rows --------------------------------------------------------------------------------------------------------------

interface Row {
  key: string;
  sweep: SweepInfo;
  band: Band | null; // none: whether positions are certified
}

function rowsOf(sweep: SweepInfo | null): Row[] {
  if (sweep === null) return [];
  return [
    { key: "certified", sweep, band: null },
    ...sweep.bands.map((band, i) => ({ key: `${band.cable}|${band.rule}|${i}`, sweep, band })),
  ];
}

function nameRow(first: Row): { element: HTMLElement; show(row: Row): void } {
  const light = h("span", { class: "light" });
  const text = h("span", { class: "lane-text" });
  const element = h("div", { class: "lane-name" }, light, text);
  return {
    element,
    show: ({ band, sweep }) => {
      const bad = band === null ? sweep.reasons.some((k) => k !== "") : band.failed > 0;
      const near = band !== null && band.worst !== null && lightOf(band, band.worst) === "warn";
      light.dataset.state = bad ? "bad" : near ? "warn" : "good";
      const several = sweep.bands.some((k) => k.cable !== band?.cable);
      setText(text, band === null ? "certified" : `${several ? `${band.cable}: ` : ""}${band.text.replace("twist per length", "twist")}`);
      setTitle(element, band === null ? "Where positions are certified, and where a cable snaps through" : `${band.cable}: ${band.text}`);
      element.dataset.test = first.band === null ? "lane-certified" : `lane-${first.band.cable}-${first.band.rule}`;
    },
  };
}

/** The button that goes where a check is worst; of the first row where the first position fails or snaps. */
function worstRow(page: Page, player: Player, first: Row): { element: HTMLElement; show(row: Row): void } {
  let row = first;
  const value = h("span", {});
  const go = (): void => {
    const at = target(row);
    if (at === null) return;
    const { sweep, band } = row;
    void player.goTo(sweep.times[at], sweep.snaps.length > 0).then(() => band !== null && page.store.select([band.cable]));
  };
  const test = first.band === null ? "worst-certified" : `worst-${first.band.cable}-${first.band.rule}`;
  const element = h("button", { type: "button", class: "lane-go", test, onclick: go }, value);
  return {
    element,
    show: (now) => {
      row = now;
      const at = target(now);
      const { sweep, band } = now;
      element.disabled = at === null;
      const when = at === null ? "" : ` at ${Number(sweep.times[at].toFixed(3))} s`;
      if (band === null) {
        const failed = sweep.reasons.filter((k) => k !== "").length;
        const snaps = sweep.snaps.length;
        const many = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;
        setText(value, failed > 0 ? `${failed} of ${sweep.times.length} fail` : snaps > 0 ? many(snaps, "snap-through") : `all ${sweep.times.length}`);
        setTitle(element, at === null ? "Every position is certified" : `Go to the first${when}${failed > 0 ? `: ${sweep.reasons[at]}` : ""}`);
        setClass(element, "bad", failed > 0);
        return;
      }
      const text = at === null ? "–" : quantity(page, band.values[at], band.unit);
      setText(value, `${text}${when}`);
      setClass(element, "bad", band.failed > 0);
      const many = band.failed > 0 ? `; fails at ${band.failed} of ${sweep.times.length} positions` : "";
      setTitle(element, `Worst ${band.text}: ${text}${when}, limit ${quantity(page, band.limit, band.unit)}${many}. Click to go there`);
    },
  };
}

function target({ sweep, band }: Row): number | null {
  if (band !== null) return band.worst;
  const failing = sweep.reasons.findIndex((k) => k !== "");
  return failing >= 0 ? failing : (sweep.snaps[0]?.position ?? null);
}

function quantity(page: Page, value: number | null, unit: string): string {
  const kind = KINDS[unit];
  if (value === null) return "straight";
  return kind === undefined ? `${Number(value.toPrecision(4))} ${unit}` : kind === "length" ? page.length(value) : page.text(kind, value);
}

// ---- scrubbing ---------------------------------------------------------------------------------------------------------

function scrubbing(page: Page, player: Player, canvas: HTMLCanvasElement): void {
  let down = false;
  const timeOf = (event: PointerEvent): number => {
    const box = canvas.getBoundingClientRect();
    const time = timeAt(event.clientX - box.left, box.width, player.range);
    if (event.clientY - box.top < RULER) return time;
    const sweep = sweepOf(page, player);
    const near = nearestPosition(sweep, time); // in a row of lights: a position that was swept
    const apart = near < 0 ? Infinity : Math.abs(placeOf(sweep?.times[near] ?? 0, box.width, player.range) - (event.clientX - box.left));
    return apart < 6 ? (sweep?.times[near] ?? time) : time;
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    down = true;
    canvas.setPointerCapture(event.pointerId);
    player.scrub(timeOf(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    if (down) player.scrub(timeOf(event));
    else tell(page, player, canvas, event);
  });
  canvas.addEventListener("pointerup", () => {
    if (down) player.leader.end();
    down = false;
  });
  canvas.addEventListener("pointercancel", () => {
    if (down) player.leader.end("Cancel");
    down = false;
  });
  canvas.addEventListener("keydown", (event) => {
    const sign = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (sign === undefined) return;
    const [start, end] = player.range;
    player.scrub(player.time + sign * KEY * (end - start) * (event.shiftKey ? 5 : 1));
    player.leader.end();
    event.preventDefault();
  });
}

/** What is under the pointer, as its title. */
function tell(page: Page, player: Player, canvas: HTMLCanvasElement, event: PointerEvent): void {
  const box = canvas.getBoundingClientRect();
  const time = timeAt(event.clientX - box.left, box.width, player.range);
  const sweep = sweepOf(page, player);
  const row = Math.floor((event.clientY - box.top - RULER) / ROW);
  const at = nearestPosition(sweep, time);
  if (sweep === null || row < 0 || at < 0) return setTitle(canvas, `${time.toFixed(2)} s. Drag to scrub`);
  const when = `${Number(sweep.times[at].toFixed(3))} s`;
  if (sweep.reasons[at] !== "") return setTitle(canvas, `${when}: ${sweep.reasons[at]}`);
  const band = row === 0 ? null : (sweep.bands[row - 1] ?? null);
  const snaps = sweep.snaps.filter((k) => k.position === at).map((k) => `; ${k.cable} snaps through, ${page.length(k.distance)} at once`);
  setTitle(
    canvas,
    band === null
      ? `${when}: certified${snaps.join("")}`
      : `${when}: ${band.text} ${quantity(page, band.values[at], band.unit)}, limit ${quantity(page, band.limit, band.unit)}`,
  );
}
