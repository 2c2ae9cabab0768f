// Variants: shapes that were kept, drawn over the present one, compared with it, and taken up again.
import type { CableValues, MakeInfo, VariantInfo } from "../messages";
import { ask } from "../dialogs/dialog";
import { button } from "./buttons";
import { h, setHidden, Slot, type Piece } from "./elements";
import { message, type Page } from "./page";
import { unitOf, type Kind } from "./quantities";

const COLUMNS: readonly { text: string; kind: Kind; value(k: CableValues): number | null }[] = [
  { text: "Length", kind: "length", value: (k) => k.length },
  { text: "Bend R", kind: "length", value: (k) => k.bend_radius },
  { text: "Tension", kind: "force", value: (k) => k.tension },
  { text: "Twist", kind: "angle", value: (k) => k.twist },
  { text: "Clearance", kind: "length", value: (k) => k.clearance },
  { text: "Weight", kind: "force", value: (k) => k.weight },
];

export async function keepVariant(page: Page): Promise<void> {
  const count = (page.scene?.variants.length ?? 0) + 1;
  await ask({
    title: "Keep this variant",
    label: "Name",
    value: `Variant ${count}`,
    note: "Keeps the scene and its shape as they are now. A name that is there already is replaced.",
    test: "variant-name",
    action: "Keep",
    accept: (name) => page.send({ kind: "KeepVariant", name }),
  });
}

export function variantsPanel(page: Page): Piece {
  const keepIt = button({
    icon: "plus",
    text: "Keep this variant",
    title: "Keeps the present scene and shape under a name (K)",
    test: "variant-keep",
    class: "small",
    run: () => void keepVariant(page),
  });
  const table = new Slot(() => {
    const { scene } = page;
    const now = page.store.get("readouts")?.cables ?? [];
    if (scene === null || scene.variants.length === 0) return null;
    // Built anew when a variant or the present values change: a small table, and nothing in it is typed.
    return {
      key: JSON.stringify([
        scene.unit,
        scene.variants.map((k) => [k.name, k.shown, k.cables.map((c) => c.length), k.makes]),
        presentMakes(page),
        now.map((k) => [k.name, k.length, k.bend_radius, k.tension, k.twist, k.clearance].map((v) => (typeof v === "number" ? v.toPrecision(5) : v))),
      ]),
      build: () => ({ element: tableOf(page, scene.variants, now), update: () => undefined }),
    };
  }, "variants");
  const empty = h("div", { class: "empty" }, "No variants yet. Keep the present one, change something, and compare.");
  return {
    element: h("div", { class: "tab-body" }, h("div", { class: "row-of" }, keepIt), table.element, empty),
    update: () => {
      table.update();
      setHidden(empty, (page.scene?.variants.length ?? 0) > 0);
    },
  };
}

function tableOf(page: Page, variants: readonly VariantInfo[], now: readonly CableValues[]): HTMLElement {
  const names = [...new Set([...now.map((k) => k.name), ...variants.flatMap((k) => k.cables.map((c) => c.name))])];
  const cells = (values: CableValues | undefined, base: CableValues | undefined): HTMLElement[] =>
    COLUMNS.map(({ kind, value }) => {
      const own = values === undefined ? null : value(values);
      const other = base === undefined ? null : value(base);
      const straight = own !== null && own >= 1e3 && kind === "length";
      const change = own !== null && other !== null && values !== base && !straight ? own - other : null;
      const digits = kind === "force" ? 2 : page.unit === "mm" || kind === "angle" ? 1 : undefined;
      const small = change !== null && !/[1-9]/.test(page.text(kind, Math.abs(change), digits)); // rounds to nothing
      return h(
        "td",
        { class: "figure" },
        straight ? "straight" : figure(page, kind, own, digits),
        change === null || small ? null : h("small", { class: "difference" }, `${change > 0 ? "+" : "−"}${figure(page, kind, Math.abs(change), digits)}`),
      );
    });
  const rows: HTMLElement[] = [];
  const present = presentMakes(page);
  const add = (
    label: HTMLElement,
    list: readonly CableValues[],
    makes: readonly MakeInfo[],
    isNow: boolean,
    test: string,
  ): void =>
    names.forEach((name, i) => {
      const values = list.find((k) => k.name === name);
      const base = now.find((k) => k.name === name);
      const [make, other] = [makes, present].map((all) => all.find((k) => k.cable === name));
      rows.push(h(
        "tr",
        { test: i === 0 ? test : `${test}-${name}`, class: isNow ? "present" : "" },
        i === 0 ? label : h("td", {}),
        h("td", {}, name, makeOf(page, make, other, `${test}-make${i === 0 ? "" : `-${name}`}`)),
        ...cells(values, isNow ? undefined : base),
      ));
    });
  add(h("td", {}, h("strong", {}, "now")), now, present, true, "variant-now");
  for (const variant of variants) add(
    h("td", {}, variant.name, h("div", { class: "tools" }, ...tools(page, variant))),
    variant.cables,
    variant.makes,
    false,
    `variant-${variant.name}`,
  );
  return h(
    "table",
    { class: "table close", test: "variants" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", {}, "Variant"),
        h("th", {}, "Cable"),
        ...COLUMNS.map((k) => h("th", { class: "figure" }, k.text, h("small", {}, unitOf(k.kind, page.unit)))),
      ),
    ),
    h("tbody", {}, ...rows),
  );
}

/** Types and clips as they are now. */
function presentMakes(page: Page): MakeInfo[] {
  return (page.scene?.cables ?? []).map((cable) => ({
    cable: cable.name,
    type: cable.type,
    clips: cable.supports
      .filter((k) => k.at > 0 && k.at < 1 && !["joined", "free"].includes(k.kind))
      .map(({ name, kind, at }) => ({ name, kind, at: at * cable.length })),
  }));
}

/** Type and clips; what differs from now stands out. */
function makeOf(page: Page, make: MakeInfo | undefined, now: MakeInfo | undefined, test: string): HTMLElement | null {
  if (make === undefined) return null;
  const words = (k: MakeInfo): string[] => [k.type === null ? "its own values" : k.type.replace("library:", ""), clipsOf(k)];
  const other = now === undefined ? [] : words(now);
  const places = make.clips.map((k) => `${k.name}: ${k.kind}${k.at === null ? "" : ` at ${page.length(k.at)}`}`).join("\n");
  const [type, clips] = words(make).map((text, i) => h("span", { class: text === other[i] ? "" : "differs", title: i === 1 ? places : "" }, text));
  return h("small", { class: "make", test }, type, " · ", clips);
}

/** A number whose unit stands in the heading. */
function figure(page: Page, kind: Kind, value: number | null, digits: number | undefined): string {
  return page.text(kind, value, digits).replace(unitOf(kind, page.unit), "").trim();
}

/** "2 clamps, 1 ring" */
function clipsOf({ clips }: MakeInfo): string {
  const kinds = [...new Set(clips.map((k) => k.kind))];
  return kinds.length === 0 ? "no clips" : kinds.map((kind) => {
    const count = clips.filter((k) => k.kind === kind).length;
    return `${count} ${kind}${count > 1 ? "s" : ""}`;
  }).join(", ");
}

function tools(page: Page, { name, shown }: VariantInfo): HTMLElement[] {
  return [
    button({
      icon: shown ? "eye" : "eyeOff",
      title: shown ? "Do not draw it over the present shape" : "Draw it over the present shape",
      test: `variant-show-${name}`,
      class: "quiet",
      run: () => page.do({ kind: "ShowVariant", name, shown: !shown }),
    }),
    button({
      text: "Take",
      title: "Go on from this variant",
      test: `variant-take-${name}`,
      class: "small",
      run: () => void page.send({ kind: "TakeVariant", name }).catch((error: unknown) => page.store.say("error", message(error))),
    }),
    button({
      icon: "trash",
      title: "Remove this variant",
      test: `variant-remove-${name}`,
      class: "quiet",
      run: () => page.do({ kind: "RemoveVariant", name }),
    }),
  ];
}
