// How long a cable is: typed, slid, found by itself, fed, lengthened between two places, or asked for.
import { h, setHidden, setText, stack, Slot, type Piece } from "./elements";
import { segments } from "./choices";
import { action, part, quantityField } from "./fields";
import { metres } from "./make";
import { message, type Page } from "./page";
import { parse, unitOf } from "./quantities";
import { readable } from "../saying";

export function lengthPart(page: Page, name: string): Piece {
  const mode = (): string => page.cable(name)?.mode ?? "fixed";
  const length = quantityField(page, {
    label: "Length",
    kind: "length",
    test: "cable-length",
    title: "Unstretched length of the cable",
    value: () => (mode() === "fixed" ? page.cable(name)?.length : (page.values(name)?.length ?? page.cable(name)?.length)),
    commit: (value, more) => page.edit({ [`${name}/length`]: value }, more),
    slider: { range: (value) => [0.5 * value, 1.5 * value] },
    readonly: () => mode() !== "fixed",
  });
  const trouble = h("div", { class: "field-error", role: "alert", test: "mode-error", hidden: true });
  const choose = segments({
    test: "length-mode",
    label: "how the length is set",
    choices: [
      { value: "fixed", text: "Fixed", title: "The length is what was typed" },
      { value: "soft", text: "Finds its own", title: "The cable finds its own length while you drag: rather straight or rather bent" },
      { value: "feed", text: "Feeds", title: "The cable grows or shrinks between two places as it is pulled" },
    ],
    value: mode,
    commit: (value) => {
      const command = value === "soft" ? ({
        kind: "Soften",
        cable: name,
        bent: 0.5,
      } as const) : value === "feed" ? ({ kind: "Feed", cable: name } as const) : ({ kind: "Freeze", cable: name } as const);
      if (value === mode()) return;
      page.send(command).then(
        () => setHidden(trouble, true),
        (error: unknown) => {
          setText(trouble, message(error));
          setHidden(trouble, false);
        },
      );
    },
  });
  const more = new Slot(() => ({
    key: mode(),
    build: () => (mode() === "soft" ? soft(page, name) : mode() === "feed" ? feed(page, name) : lengthen(page, name)),
  }));
  return part("Length", "part-length", length, choose, trouble, more, howLong(page, name));
}

function soft(page: Page, name: string): Piece {
  const slider = quantityField(page, {
    label: "Bent",
    kind: "fraction",
    test: "soft-bent",
    title: "0 %: rather straight; 100 %: rather bent",
    value: () => page.cable(name)?.bent,
    commit: (value, more) => {
      if (typeof value !== "number") throw new Error("write a percentage from 0 to 100");
      return page.send({ kind: "Soften", cable: name, bent: value, more });
    },
    slider: { range: () => [0, 1] },
    wide: true,
  });
  return stack(
    "rows",
    slider,
    h("div", { class: "ends-of-scale" }, h("span", {}, "rather straight"), h("span", {}, "rather bent")),
    h("div", { class: "note" }, "“Fixed” keeps the length that was found."),
  );
}

function feed(page: Page, name: string): Piece {
  const between = places(page, name, "feed");
  const again = action(page, {
    text: "Feed between",
    title: "The cable grows or shrinks between these two places only",
    test: "feed-between",
    run: () => page.send({ kind: "Feed", cable: name, between: between.value() }),
  });
  return stack(
    "rows",
    h("div", { class: "note" }, "Pull an end or a clip: the cable feeds as it goes. “Fixed” keeps the length."),
    between,
    h("div", { class: "row-of" }, again.element),
    again.trouble,
  );
}

function lengthen(page: Page, name: string): Piece {
  const input = h(
    "input",
    {
      type: "text",
      class: "number",
      test: "lengthen-amount",
      placeholder: "20",
      "aria-label": "amount",
      title: "How much longer (negative: shorter), or how long",
    },
  );
  const unit = h("span", { class: "unit" });
  const between = places(page, name, "lengthen");
  const send = (how: "by" | "to"): Promise<unknown> => page.send({ kind: "Lengthen", cable: name, [how]: metres(page, input.value), between: between.value() });
  const by = action(page, { text: "by", title: "Add this length between the two places", test: "lengthen-by", run: () => send("by") });
  const to = action(page, { text: "to", title: "Make the cable this long, by a change between the two places", test: "lengthen-to", run: () => send("to") });
  const element = h(
    "div",
    { class: "rows" },
    h(
      "div",
      { class: "field" },
      h("span", { class: "label", title: "Adds length between two places of the cable" }, "Lengthen"),
      h("span", { class: "row-of" }, h("span", { class: "typed" }, input, unit), by.element, to.element),
      by.trouble,
      to.trouble,
    ),
    between.element,
  );
  return {
    element,
    update: () => {
      setText(unit, unitOf("length", page.unit));
      between.update();
    },
  };
}

/** Two places of a cable, in percent of its length; empty: the whole of it. */
function places(page: Page, name: string, test: string): Piece & { value(): [number, number] | null } {
  const inputs = ["from", "to"].map((which, i) =>
    h(
      "input",
      {
        type: "text",
        class: "number",
        test: `${test}-${which}`,
        placeholder: i === 0 ? "0" : "100",
        "aria-label": `${which} (percent, or a length)`,
        title: "In percent of the length, or a length from the start; empty: the whole cable",
      },
    ),
  );
  const fraction = (text: string): number => {
    const percent = parse("fraction", text, page.unit);
    const length = page.cable(name)?.length ?? 1;
    const along = percent ?? (parse("length", text, page.unit) ?? NaN) / length;
    if (!Number.isFinite(along)) throw new Error(`“${text}” is no place on the cable: write 25 %, or 120 mm from the start`);
    return along;
  };
  return {
    element: h(
      "div",
      { class: "field" },
      h("span", { class: "label", title: "Where the length changes" }, "Between"),
      h(
        "span",
        { class: "row-of places" },
        h("span", { class: "typed" }, inputs[0], h("span", { class: "unit" }, "%")),
        "–",
        h("span", { class: "typed" }, inputs[1], h("span", { class: "unit" }, "%")),
      ),
    ),
    update: () => undefined,
    value: () => {
      const [from, to] = inputs.map((input) => input.value.trim());
      return from === "" && to === "" ? null : [from === "" ? 0 : fraction(from), to === "" ? 1 : fraction(to)];
    },
  };
}

const HOW_LONG = "How long must it be?";

interface Answer {
  length: number | null;
  now: number;
  why: string;
}

function howLong(page: Page, name: string): Piece {
  const told = h("div", { class: "note", test: "how-long-answer", hidden: true });
  const ask = action(page, {
    text: HOW_LONG,
    title: "Finds the shortest length with which the cable passes all its checks",
    test: "how-long",
    run: async () => {
      setHidden(told, true);
      setText(ask.element, "Looking for it…");
      try {
        told.replaceChildren(...story(page, name, (await page.send({ kind: "HowLong", cable: name })) as Answer));
        setHidden(told, false);
      } finally {
        setText(ask.element, HOW_LONG);
      }
    },
  });
  return { element: h("div", { class: "rows" }, h("div", { class: "row-of" }, ask.element), ask.trouble, told), update: () => undefined };
}

function story(page: Page, name: string, { length, now, why: said }: Answer): (Node | string)[] {
  const why = readable(said, page.scene);
  if (length === null) return [`No length was found from a quarter to four times the present one${why === "" ? "" : `: ${why}`}.`];
  const shorter = length < now;
  const use = h(
    "button",
    {
      type: "button",
      class: "button small",
      test: "how-long-use",
      title: "Give the cable this length",
      onclick: () => void page.edit({ [`${name}/length`]: length }).catch((error: unknown) => page.store.say("error", message(error), name)),
    },
    "Use it",
  );
  return [
    `${page.length(length)}: ${page.length(Math.abs(length - now))} ${shorter ? "shorter" : "longer"} than now. `,
    `Below that fails: ${why === "" ? "a check" : why}. `,
    use,
  ];
}
