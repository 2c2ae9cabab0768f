// Menus of the timeline: envelopes, and what can be done with a motion; recording one by dragging.
import { ask, showDialog } from "../dialogs/dialog";
import { downloadLink } from "../dialogs/files";
import type { SweepInfo } from "../messages";
import type { Player } from "../player";
import { showMenu, type Entries } from "./buttons";
import { h } from "./elements";
import { message, type Page } from "./page";

const SPAN = 2; // s that a motion over the range of a joint takes

export function toggleTake(page: Page, player: Player): void {
  if (page.scene?.taking !== true) return page.do({ kind: "Take", on: true });
  page.send({ kind: "Take", on: false, name: "motion" }).then(
    (name) => typeof name === "string" && player.choose(name),
    (error: unknown) => page.store.say("error", message(error)),
  );
}

export function envelopeMenu(page: Page, player: Player, anchor: HTMLElement, sweep: SweepInfo | null): void {
  const cables = page.scene?.cables ?? [];
  const ready = sweep !== null && sweep.progress !== "running" && sweep.times.length > 0;
  const entries: Entries = [
    { heading: ready ? "What each cable sweeps" : "Sweep the motion first" },
    ...cables.map(({ name }) => {
      const known = sweep?.envelopes.find((k) => k.cable === name);
      const size = known?.volume == null ? "" : `, ${(1e6 * known.volume).toPrecision(3)} cm³`;
      const state = known === undefined || !known.shown ? size : known.error !== "" ? `: ${known.error}` : known.mesh === null ? `: being found, ${Math.floor(100 * known.done)} %` : size;
      return {
        text: `${name}${state}`,
        test: `envelope-${name}`,
        title: "A closed volume that holds the cable at every position",
        checked: known?.shown ?? false,
        disabled: !ready,
        run: () => page.do({ kind: "ShowEnvelope", motion: player.motion?.name ?? "", cable: name, shown: !(known?.shown ?? false) }),
      };
    }),
  ];
  showMenu(anchor, entries, "envelope-entries");
}

export function motionMenu(page: Page, player: Player, anchor: HTMLElement, sweep: SweepInfo | null): void {
  const { motion } = player;
  const ranged = (page.scene?.joints ?? []).filter((k) => k.kind !== "fixed" && k.kind !== "ball" && k.low !== null && k.high !== null);
  const entries: Entries = [
    {
      text: "Export what the sweep found…",
      test: "sweep-export",
      title: "Tables, plots and envelopes into a folder beside the scene",
      disabled: sweep === null || sweep.times.length === 0,
      run: () => exportSweep(page, motion?.name ?? ""),
    },
    { text: "Rename motion…", test: "motion-rename", disabled: motion === null, run: () => void rename(page, player) },
    {
      text: "Delete motion",
      icon: "trash",
      test: "motion-delete",
      disabled: motion === null,
      run: () => page.do({ kind: "RemoveMotion", name: motion?.name ?? "" }),
    },
    ...(ranged.length === 0 ? [] : [{ heading: "New motion over the range of" }]),
    ...ranged.map(({ name, low, high }) => ({
      text: name,
      test: `motion-over-${name}`,
      run: () => {
        const keyframes = [low, high].map((k, i) => ({ time: SPAN * i, joints: { [name]: k } }));
        page.send({ kind: "AddMotion", name: `${name} over its range`, keyframes }).then(
          (made) => player.choose(String(made)),
          (error: unknown) => page.store.say("error", message(error)),
        );
      },
    })),
  ];
  showMenu(anchor, entries, "motion-entries");
}

async function rename(page: Page, player: Player): Promise<void> {
  const { motion } = player;
  if (motion === null) return;
  const name = await ask({
    title: "Rename motion",
    label: "Name",
    value: motion.name,
    test: "motion-name",
    action: "Rename",
    accept: (to) => page.send({ kind: "RenameMotion", name: motion.name, to }),
  });
  if (name !== null) player.choose(name);
}

function exportSweep(page: Page, motion: string): void {
  const body = h("div", { class: "export-body" }, h("div", { class: "empty" }, "Writing…"));
  const dialog = showDialog({ title: "Export: what the sweep found", test: "export-dialog", body: [body] });
  page.send({ kind: "ExportSweep", motion }).then(
    (value) => {
      const { folder, files } = value as { folder: string; files: string[] };
      body.replaceChildren(
        h("p", {}, "Written into a folder beside the scene:"),
        h("p", { class: "path", test: "export-path" }, folder),
        h("div", { class: "export-files" }, ...files.map((name) => downloadLink(`${folder}/${name}`))),
      );
    },
    (error: unknown) => {
      body.replaceChildren();
      dialog.fail(message(error));
    },
  );
}
