// The line at the bottom: how the solve went, how long it took, the connection, frames per second, recording.
import { button } from "./buttons";
import { h, setClass, setHidden, setText, setTitle, type Piece } from "./elements";
import { icon } from "./icons";
import { message, type Page } from "./page";

const WORDS: { [status: string]: string } = {
  converged: "Solved",
  unstable: "Unstable",
  not_converged: "Not converged",
  infeasible: "Cannot be",
  under_resolved: "Too few points",
  error: "Error inside",
  stored: "As it was stored",
};

export function statusBar(page: Page): Piece {
  const light = h("span", { class: "light" });
  const word = h("span", { test: "solve-status" });
  const reason = h("span", { class: "reason", test: "solve-reason" });
  const time = h("span", { class: "figure", test: "solve-time", title: "How long the last solve took" });
  const hint = h("span", { class: "hint", test: "hint" });
  const work = h("span", { test: "session-state" });
  const line = h("span", { class: "line-state", test: "connection" });
  const rate = h("span", { class: "figure", test: "frame-rate", title: "Shapes that came in the last second" });
  const recorded = h(
    "button",
    {
      type: "button",
      class: "recorded",
      test: "recording",
      title: "Everything is being recorded: click to stop",
      onclick: () => page.send({ kind: "Record", on: false }).then(
        (path) => page.store.say("info", `Recorded in ${String(path)}.`),
        (error: unknown) => page.store.say("error", message(error)),
      ),
    },
    icon("record"),
    "Recording",
  );
  const stop = button({
    text: "Stop",
    title: "Ends what takes long; everything is then as it was before (Esc)",
    test: "stop",
    class: "small",
    run: () => page.do({ kind: "Stop" }),
  });
  const times: number[] = [];
  page.store.on("frame", () => {
    times.push(performance.now());
    if (times.length > 200) times.shift();
  });
  setInterval(() => page.ask(), 1000); // the rate falls to nothing when nothing moves
  return {
    element: h(
      "footer",
      { class: "status", test: "status" },
      h("span", { class: "status-solve" }, light, word, reason),
      time,
      hint,
      h("span", { class: "push" }),
      recorded,
      work,
      stop,
      rate,
      line,
    ),
    update: () => {
      const frame = page.store.get("frame");
      const live = page.scene?.simulate ?? true;
      const status = frame?.status ?? "";
      const clock = page.scene?.cables.length === 0 ? (frame?.clock ?? null) : null;
      setText(word, frame === null ? "Nothing solved yet" : clock !== null ? (clock.playing ? "Running" : clock.error !== "" ? "Stopped" : clock.time === 0 ? "At the start" : "Paused") : (WORDS[status] ?? status));
      light.dataset.state = frame === null || status === "stored" ? "none" : status === "converged" ? "good" : status === "unstable" ? "warn" : "bad";
      if (clock !== null) light.dataset.state = clock.error !== "" ? "bad" : clock.playing ? "good" : "none";
      const held = page.store.get("held");
      const why = (held?.reason ?? "") || (status === "converged" ? "" : (frame?.reason ?? ""));
      setText(reason, why !== "" ? why : live ? "" : "the simulation is off");
      setTitle(reason, why);
      setText(time, frame === null || status === "stored" || clock !== null ? "" : milliseconds(frame.seconds));
      setText(hint, page.store.get("hint"));
      const state = page.store.get("status");
      setHidden(stop, state?.can_stop !== true);
      const waiting = state?.state === "replaying" ? 0 : page.waiting;
      setClass(work, "working", waiting > 0);
      setText(
        work,
        waiting > 0 ? (
          waiting < 2 ? "Working…" : `Working… ${waiting.toFixed(0)} s`
        ) : state === null || ["ready", "restarted"].includes(state.state) ? (state?.text ?? "") : state.text || `${state.state[0].toUpperCase()}${state.state.slice(1)}…`,
      );
      const connection = page.store.get("connection");
      setText(line, connection === "open" ? "Connected" : connection === "connecting" ? "Connecting…" : "Not connected");
      line.dataset.state = connection;
      const now = performance.now();
      while (times.length > 0 && times[0] < now - 1000) times.shift();
      setText(rate, times.length < 2 ? "– fps" : `${times.length} fps`);
      setHidden(recorded, page.scene?.recording !== true);
      setClass(recorded, "on", page.scene?.recording === true);
    },
  };
}

function milliseconds(seconds: number): string {
  const ms = 1e3 * seconds;
  return ms < 1 ? `${ms.toFixed(2)} ms` : ms < 100 ? `${ms.toFixed(1)} ms` : `${ms.toFixed(0)} ms`;
}
