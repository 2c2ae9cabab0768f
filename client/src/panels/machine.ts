// The tab of a machine: motors and winches beside tables of ropes, span by span, and of joints.
import type { AxisInfo, AxisValue, RopeInfo, RopeValue, SpanValue } from "../messages";
import { length, pull, significant, turned } from "../units";
import { h, Keyed, setClass, setHidden, setText, setTitle, type Piece } from "./elements";
import { motorList } from "./motors";
import type { Page } from "./page";

const MOST = 150; // rows of a table

export function machinePanel(page: Page): Piece {
  const pieces = [motorList(page), jointTable(page), ropeTable(page)];
  const [motors, joints, ropes] = pieces.map((k) => k.element);
  return {
    element: h("div", { class: "machine-panel", test: "machine-panel" }, h("div", { class: "machine-left" }, motors, joints), ropes),
    update: () => pieces.forEach((k) => k.update()),
  };
}

/** A length with no more digits than a table has room for. */
function short(page: Page, metres: number | null): string {
  return length(metres ?? NaN, page.unit, page.unit === "m" ? 3 : page.unit === "mm" ? 1 : 2);
}

// ---- ropes -------------------------------------------------------------------------------------------------------------

type Row =
  | { kind: "rope"; rope: RopeInfo; value: RopeValue }
  | { kind: "span"; rope: RopeInfo; value: RopeValue; span: SpanValue }
  | { kind: "link"; rope: RopeInfo; value: RopeValue; link: number };

export function ropeRows(info: RopeInfo, value: RopeValue): Row[] {
  const rows: Row[] = [{ kind: "rope", rope: info, value }];
  const on = (i: number): void => {
    const { link } = info.path[i];
    if (link !== "attachment" && link !== "pinhole") rows.push({ kind: "link", rope: info, value, link: i });
  };
  for (const span of value.spans) {
    on(span.link);
    rows.push({ kind: "span", rope: info, value, span });
  }
  if (!info.closed && value.spans.length > 0) on(value.spans[value.spans.length - 1].to);
  return rows;
}

function ropeTable(page: Page): Piece {
  const body = h("tbody", {});
  const head = (text: string, title: string, figure = true): HTMLElement => h("th", { class: figure ? "figure" : "", title }, text);
  const table = h(
    "table",
    { class: "table machine-table", test: "rope-table" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        head("Rope", "Spans between links, and what lies on the wheels", false),
        head("Tension", "Pull in the span"),
        head("Length", "Of the span; of a wheel what is stored on it"),
        head("At rest", "Unstretched length of the span; of a wheel the turns on it"),
        head("", "Taut, slack, or the fleet angle on a wheel", false),
      ),
    ),
    body,
  );
  const rows = new Keyed<Row>(body, (first) => ropeRow(page, first));
  const more = h("div", { class: "note" });
  const empty = h("div", { class: "empty" }, "This machine has no ropes.");
  return {
    element: h("div", { class: "machine-side" }, table, more, empty),
    update: () => {
      const ropes = page.scene?.machine?.ropes ?? [];
      const values = new Map((page.store.get("machine")?.ropes ?? []).map((k) => [k.name, k]));
      const all = ropes.flatMap((rope) => {
        const value = values.get(rope.name);
        return value === undefined || value.stored.length !== rope.path.length ? [] : ropeRows(rope, value);
      });
      rows.show(all.slice(0, MOST), (k) => `${k.rope.name}|${k.kind}|${k.kind === "span" ? k.span.link : k.kind === "link" ? k.link : ""}`);
      setHidden(table, ropes.length === 0);
      setHidden(empty, ropes.length > 0);
      setText(more, all.length > MOST ? `… and ${all.length - MOST} more: export the run to have all of them.` : "");
    },
  };
}

function ropeRow(page: Page, first: Row): { element: HTMLElement; show(row: Row): void } {
  let row = first;
  const cells = Array.from({ length: 5 }, (_, k) => h("td", { class: k === 0 || k === 4 ? "" : "figure" }));
  const test = first.kind === "span" ? `span-${first.rope.name}-${first.span.link}` : first.kind === "rope" ? `rope-${first.rope.name}` : `wheel-${first.rope.name}-${first.link}`;
  const element = h("tr", { class: `rope-row ${first.kind}`, test }, ...cells);
  element.addEventListener("click", () => page.store.select([row.rope.name]));
  element.addEventListener("pointerenter", () => page.store.set("hovered", row.rope.name));
  element.addEventListener("pointerleave", () => page.store.set("hovered", null));
  const put = (...texts: string[]): void => texts.forEach((text, k) => setText(cells[k], text));
  return {
    element,
    show: (now) => {
      row = now;
      setClass(element, "selected", page.store.get("selection").includes(now.rope.name));
      const { path, allowed } = now.rope;
      if (now.kind === "rope") {
        put(now.rope.name, "", short(page, now.value.total), "", now.value.broke);
        setTitle(cells[2], "Unstretched length of the whole rope");
        setClass(element, "broken", now.value.broke !== "");
      } else if (now.kind === "link") {
        const turns = now.value.turns[now.link], fleet = (now.value.fleet[now.link] * 180) / Math.PI;
        put(`on ${path[now.link].on}`, "", short(page, now.value.stored[now.link]), `${turns.toFixed(turns < 10 ? 2 : 1)} turns`, fleet >= 0.05 ? `${fleet.toFixed(1)}° fleet` : "");
      } else {
        const { link, to, tension, rest, slack } = now.span;
        put(`${path[link].on} – ${path[to].on}`, tension === null ? "–" : slack ? "0 N" : pull(tension), short(page, now.span.length), short(page, rest), now.value.broke !== "" ? "" : slack ? `slack ${short(page, rest - now.span.length)}` : "taut");
        setTitle(cells[0], cells[0].textContent);
        setClass(element, "slack", slack);
        setClass(element, "over", allowed !== null && tension !== null && tension > allowed);
      }
    },
  };
}

// ---- joints ------------------------------------------------------------------------------------------------------------

interface JointRow {
  info: AxisInfo;
  value: AxisValue;
}

function jointTable(page: Page): Piece {
  const body = h("tbody", {});
  const effort = h("th", { class: "figure", title: "Of its motor, or of friction, on the part" });
  const table = h(
    "table",
    { class: "table machine-table", test: "joint-table" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", {}, "Joint"),
        h("th", { class: "figure" }, "Position"),
        h("th", { class: "figure" }, "Speed"),
        effort,
      ),
    ),
    body,
  );
  const rows = new Keyed<JointRow>(body, (first) => {
    const cells = Array.from({ length: 4 }, (_, k) => h("td", { class: k === 0 ? "" : "figure" }));
    const element = h("tr", { test: `joint-row-${first.info.name}` }, ...cells);
    element.addEventListener("click", () => page.store.select([first.info.part]));
    return {
      element,
      show: ({ info, value }) => {
        const slides = info.joint === "slide";
        setText(cells[0], info.name);
        setTitle(cells[0], `${info.joint} of ${info.part}`);
        setText(cells[1], slides ? short(page, value.value) : turned(value.value));
        const speed = Math.abs(value.speed) < 5e-6 ? 0 : value.speed;
        setText(cells[2], `${significant(speed)} ${slides ? "m/s" : "rad/s"}`);
        setText(cells[3], slides ? pull(value.torque) : torque(value.torque));
      },
    };
  });
  const more = h("div", { class: "note" });
  return {
    element: h("div", { class: "machine-side" }, table, more),
    update: () => {
      const values = new Map((page.store.get("machine")?.joints ?? []).map((k) => [k.name, k]));
      const all = (page.scene?.machine?.joints ?? []).flatMap((info) => {
        const value = values.get(info.name);
        return value === undefined || info.joint === "fixed" ? [] : [{ info, value }];
      });
      rows.show(all.slice(0, MOST), (k) => k.info.name);
      const slides = all.filter((k) => k.info.joint === "slide").length;
      setText(effort, slides === 0 ? "Torque" : slides === all.length ? "Force" : "Torque, force");
      setHidden(table, all.length === 0);
      setText(more, all.length > MOST ? `… and ${all.length - MOST} more: export the run to have all of them.` : "");
    },
  };
}

export function torque(value: number): string {
  const size = Math.abs(value);
  return size >= 9995 ? `${significant(value / 1e3)} kN m` : `${size < 5e-6 ? "0" : significant(value)} N m`;
}
