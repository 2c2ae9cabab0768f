// The check list: every limit with its value, its place, and whether it is kept. One click looks at it.
import type { CheckValue } from "../messages";
import { h, Keyed, setClass, setHidden, setText, type Piece } from "./elements";
import { icon, setIcon } from "./icons";
import type { Page } from "./page";
import type { Kind } from "./quantities";
import { isMachine } from "./transport";

const KINDS: { [unit: string]: Kind } = { m: "length", N: "force", "rad/m": "twist rate", "1/m": "twist rate", rad: "angle", Pa: "pressure" };
const AT_LEAST = ["bend_radius", "clearance", "safety_factor", "sheave_ratio", "turns"]; // small is bad

export function checksPanel(page: Page): Piece {
  const list = h("div", { class: "check-list", test: "checks", role: "list" });
  const empty = h("div", { class: "empty" });
  const total = h("span", { class: "badge", test: "checks-total" });
  const rows = new Keyed<CheckValue>(list, (first) => row(page, first));
  return {
    element: h("section", { class: "checks", "aria-label": "checks" }, h("div", { class: "panel-head low" }, h("h2", {}, "Checks"), total), list, empty),
    update: () => {
      const checks = page.store.get("readouts")?.checks ?? [];
      const sorted = [...checks].sort((a, b) => Number(a.ok) - Number(b.ok));
      setClass(list, "one-name", isMachine(page) && new Set(checks.map((k) => k.cable)).size === 1); // there is room for more of the rule
      rows.show(sorted, (k) => `${k.cable}|${k.text}`);
      const failed = checks.filter((k) => !k.ok).length;
      setText(total, checks.length === 0 ? "" : failed === 0 ? `all ${checks.length} pass` : `${failed} of ${checks.length} fail`);
      setClass(total, "bad", failed > 0);
      setClass(total, "good", failed === 0 && checks.length > 0);
      setText(
        empty,
        page.store.get("readouts") === null ? "Nothing is solved yet." : checks.length === 0 ? (isMachine(page) ? "No limits are set. Give a rope limits in the scene file." : "No limits are set. Give a cable limits in its properties.") : "",
      );
      setHidden(empty, empty.textContent === "");
      setHidden(list, checks.length === 0);
    },
  };
}

function row(page: Page, first: CheckValue): { element: HTMLElement; show(check: CheckValue): void } {
  let check = first;
  const mark = icon("check");
  const name = h("span", { class: "check-name" });
  const rule = h("span", { class: "check-rule" });
  const value = h("span", { class: "check-value" });
  const limit = h("span", { class: "check-limit" });
  const element = h(
    "button",
    { type: "button", class: "check", role: "listitem", test: `check-${first.cable}-${first.rule}`, onclick: () => look() },
    mark,
    name,
    rule,
    value,
    limit,
  );
  const look = (): void => {
    page.store.select([check.cable], check.at === null ? null : { cable: check.cable, at: check.at });
    if (check.at !== null) page.store.setPlace({ cable: check.cable, at: check.at });
    if (check.point !== null) page.lookAt(check.point);
    else page.fit([check.cable]);
  };
  return {
    element,
    show: (now) => {
      check = now;
      const kind = KINDS[now.unit];
      const say = (k: number | null): string => (
        k === null ? "–" : kind === undefined ? `${Number(k.toPrecision(4))} ${now.unit}` : kind === "length" ? page.length(k) : page.text(kind, k)
      );
      setIcon(mark, now.ok ? "check" : "cross");
      setClass(element, "bad", !now.ok);
      element.dataset.ok = String(now.ok);
      setText(name, now.cable);
      setText(rule, now.text.replace("twist per length", "twist"));
      setText(value, say(now.value));
      setText(limit, `${AT_LEAST.includes(now.rule) ? "≥" : "≤"} ${say(now.limit)}`);
      const where = now.at === null ? "" : `, at ${(100 * now.at).toFixed(0)} %`;
      element.title = `${now.cable}: ${now.text} ${say(now.value)}, limit ${say(now.limit)}${where}. Click to look at it`;
    },
  };
}
