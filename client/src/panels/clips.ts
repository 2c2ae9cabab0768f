// What holds a cable: its ends and clips, their kinds and places.
import type { CableInfo, Support } from "../messages";
import type { ClipKind } from "../store";
import { button } from "./buttons";
import { h, Keyed, setText, type Piece } from "./elements";
import { action, part, quantityField, selectBox, selectField } from "./fields";
import { message, type Page, type Quaternion } from "./page";
import { supportPose } from "./pose";
import { inverse, times } from "./turns";

export const KINDS: readonly { value: ClipKind; text: string; title: string }[] = [
  { value: "clamp", text: "clamp", title: "Holds place, direction and turn" },
  { value: "swivel", text: "swivel", title: "Holds place and direction; the cable may turn in it" },
  { value: "ball", text: "ball", title: "Holds the place only" },
  { value: "ring", text: "ring (slides)", title: "The cable slides through, in any direction" },
  { value: "sleeve", text: "sleeve (slides)", title: "The cable slides through, in a given direction" },
];
const END_KINDS = [...KINDS.slice(0, 3), { value: "free", text: "free", title: "Nothing holds it" }];
const DIRECTED = ["clamp", "swivel", "sleeve"];

interface Held {
  [field: string]: unknown;
}

/** What the scene says of an end or a clip. */
function said(cable: CableInfo, support: Support): Held | undefined {
  if (isEnd(support)) return cable.fields[support.name] as Held | undefined;
  return (cable.fields.clips as Held[] | undefined)?.find((clip) => clip.name === support.name);
}

export function isEnd(support: Support): boolean {
  return support.path.endsWith("/start") || support.path.endsWith("/end");
}

/** Another kind of end or clip, in the pose it has; what the new kind does not hold is left out. */
export function setKind(page: Page, cable: CableInfo, support: Support, kind: string): Promise<unknown> {
  const path = support.path;
  const twist = support.name === "end" && kind !== "clamp" && cable.fields.twist !== undefined ? { [`${cable.name}/twist`]: null } : {};
  if (kind === "free") return page.edit({ [path]: null, ...twist });
  const held: Held = { ...said(cable, support), kind };
  const directed = DIRECTED.includes(kind);
  if (held.position === undefined && held.frame === undefined) held.position = page.pose(path)?.position ?? support.position;
  if (directed && held.tangent === undefined && held.quaternion === undefined && held.frame === undefined) {
    const frame = frameAt(page, cable.name, support.at);
    if (frame !== null) held.quaternion = onPart(page, held.on, frame);
  }
  if (!directed) for (const key of ["tangent", "roll", "quaternion"]) delete held[key];
  if (kind !== "clamp") for (const key of ["twist", "roll"]) delete held[key];
  const placed = ["at", "from_start", "from_end"].some((key) => held[key] !== undefined);
  if (!isEnd(support) && !placed) held.at = support.at;
  return page.edit({ [path]: held, ...twist });
}

/** The cable's frame at a fraction of its length, of the latest shape. */
function frameAt(page: Page, cable: string, at: number): Quaternion | null {
  const strand = page.store.get("frame")?.strands.get(cable);
  if (strand === undefined || strand.points === 0) return null;
  const point = Math.round(at * (strand.points - 1));
  return Array.from(strand.quaternions.subarray(4 * point, 4 * point + 4)) as Quaternion;
}

function onPart(page: Page, on: unknown, frame: Quaternion): Quaternion {
  const turn = typeof on === "string" ? (page.pose(on)?.quaternion ?? null) : null;
  return turn === null ? frame : times(inverse(turn), frame);
}

export function supportsPart(page: Page, name: string): Piece {
  const list = h("div", { class: "list", test: "supports" });
  const rows = new Keyed<Support>(list, (first) => row(page, name, first));
  const count = h("input", { type: "number", class: "number short", min: 1, max: 200, value: 3, test: "clips-count", "aria-label": "number of clips", title: "How many clips" });
  const kind = selectBox({ label: "kind", test: "clips-kind", title: "Kind of the new clips", choices: () => KINDS, value: () => page.store.get("options").clip, commit: (value) => page.store.setOptions({ clip: value as ClipKind }) });
  const one = action(page, {
    text: "Add one",
    title: "A clip where the cable was clicked, or in its middle; nothing moves",
    test: "clip-add",
    class: "small",
    run: () => {
      const place = page.store.get("selectedPlace");
      return page.send({ kind: "AddClip", cable: name, at: place?.cable === name ? place.at : 0.5, clip: page.store.get("options").clip });
    },
  });
  const evenly = action(page, {
    text: "Space evenly",
    title: "So many clips, evenly spaced along the cable, in its present shape",
    test: "clips-space",
    class: "small",
    run: () => page.send({ kind: "SpaceClips", cable: name, count: Math.round(Number(count.value)), clip: page.store.get("options").clip }),
  });
  const add = h("div", { class: "row-of add" }, kind.select, one.element, h("span", { class: "push" }), count, evenly.element);
  return part("Ends and clips", "part-clips", {
    element: h("div", { class: "rows" }, list, add, one.trouble, evenly.trouble),
    update: () => {
      rows.show(page.cable(name)?.supports ?? [], (support) => support.path);
      kind.update();
    },
  });
}

function row(page: Page, name: string, first: Support): { element: HTMLElement; show(support: Support): void } {
  let support = first;
  const label = h("button", { type: "button", class: "link name", title: "Select it", onclick: () => page.store.select([support.path]) });
  const place = h("span", { class: "value muted" });
  const trouble = h("div", { class: "field-error", role: "alert", hidden: true });
  const kind = kindBox(page, name, () => support, (error) => {
    trouble.hidden = error === "";
    setText(trouble, error);
  });
  const remove = isEnd(first)
    ? h("span", { class: "icon-space" })
    : button({ icon: "trash", title: `Remove ${first.name}`, test: `remove-${first.name}`, class: "quiet", run: () => page.do({ kind: "Remove", paths: [support.path] }) });
  const element = h("div", { class: "list-row", test: `support-${first.name}` }, label, place, kind.select, remove, trouble);
  return {
    element,
    show: (now) => {
      support = now;
      setText(label, now.on === null ? now.name : `${now.name} on ${now.on}`);
      setText(place, page.length(now.at * (page.cable(name)?.length ?? 0)));
      kind.update();
    },
  };
}

function kindBox(page: Page, name: string, support: () => Support, failed: (error: string) => void): ReturnType<typeof selectBox> {
  return selectBox({
    label: "kind",
    test: `kind-${support().name}`,
    title: "How it holds the cable",
    choices: () => (support().kind === "joined" ? [{ value: "joined", text: "joined" }] : isEnd(support()) ? END_KINDS : KINDS),
    value: () => support().kind,
    disabled: () => support().kind === "joined",
    commit: (value) => {
      const cable = page.cable(name);
      if (cable === undefined) return;
      setKind(page, cable, support(), value).then(
        () => failed(""),
        (error: unknown) => {
          failed(message(error));
          page.ask(true);
        },
      );
    },
  });
}

/** All about one end or clip. */
export function supportPanel(page: Page, path: string): Piece {
  const support = (): Support | undefined => page.support(path);
  const cable = (): CableInfo | undefined => page.cable(path.split("/")[0]);
  const name = path.split("/")[0];
  const kind = selectField(page, {
    label: "Kind",
    test: "support-kind",
    title: "How it holds the cable",
    choices: () => {
      const now = support();
      return now === undefined ? [] : now.kind === "joined" ? [{ value: "joined", text: "joined" }] : isEnd(now) ? END_KINDS : KINDS;
    },
    value: () => support()?.kind ?? "",
    disabled: () => support()?.kind === "joined",
    commit: (value) => {
      const [now, its] = [support(), cable()];
      return now === undefined || its === undefined ? Promise.reject(new Error(`${path} is no longer there`)) : setKind(page, its, now, value);
    },
  });
  const place = quantityField(page, {
    label: "Place",
    kind: "length",
    test: "support-place",
    title: "Length from the start of the cable; of a sliding one it is found",
    value: () => (support()?.at ?? 0) * (cable()?.length ?? 0),
    commit: (value) => page.edit({ [`${path}.from_start`]: value }),
    readonly: () => {
      const now = support();
      return now === undefined || isEnd(now) || now.kind === "ring" || now.kind === "sleeve";
    },
  });
  const on = selectField(page, {
    label: "On",
    test: "support-on",
    title: "The part that holds it, and that it moves with",
    choices: () => [{ value: "", text: "the world" }, ...(page.scene?.parts ?? []).map((k) => ({ value: k.name, text: k.name }))],
    value: () => support()?.on ?? "",
    disabled: () => support()?.kind === "joined" || support()?.kind === "free",
    commit: (value) => mountOn(page, path, value),
  });
  const force = (which: "force" | "moment"): string => {
    const reaction = page.store.get("readouts")?.reactions.find((k) => k.path === path);
    return reaction === undefined ? "–" : page.text(which, Math.hypot(...reaction[which]));
  };
  const shown = (label: string, title: string, value: () => string): Piece => {
    const element = h("span", { class: "value", test: `reaction-${label.toLowerCase()}` });
    return { element: h("div", { class: "readout", title }, h("span", { class: "label" }, label), element), update: () => setText(element, value()) };
  };
  const whole = h("button", { type: "button", class: "link", title: "Select the whole cable", onclick: () => page.store.select([name]) }, name);
  return {
    ...combined(
      part("Holds", "part-support", h("div", { class: "readout" }, h("span", { class: "label" }, "Cable"), whole), kind, on, place),
      part("Pose", "part-pose", ...supportPose(page, path)),
      part("Reaction", "part-reaction", shown("Force", "What it exerts on the cable", () => force("force")), shown("Moment", "What it exerts on the cable", () => force("moment"))),
    ),
  };
}

function combined(...pieces: Piece[]): Piece {
  return { element: h("div", { class: "parts" }, ...pieces.map((k) => k.element)), update: () => pieces.forEach((k) => k.update()) };
}

/** Onto a part or into the world, in the pose it has. */
function mountOn(page: Page, path: string, part: string): Promise<unknown> {
  const support = page.support(path);
  const cable = page.cable(path.split("/")[0]);
  const pose = page.pose(path);
  if (support === undefined || cable === undefined || pose === null) return Promise.reject(new Error(`${path} is no longer there`));
  const held: Held = { ...said(cable, support) };
  for (const key of ["on", "frame", "position", "tangent", "roll", "quaternion"]) delete held[key];
  const base = part === "" ? null : page.pose(part);
  const turn = base?.quaternion ?? null;
  const offset = base === null ? pose.position : rotated(inverse(turn ?? [1, 0, 0, 0]), pose.position.map((k, i) => k - base.position[i]));
  held.position = offset;
  if (pose.quaternion !== null && DIRECTED.includes(support.kind)) held.quaternion = turn === null ? pose.quaternion : times(inverse(turn), pose.quaternion);
  if (part !== "") held.on = part;
  held.kind = support.kind;
  return page.edit({ [path]: held });
}

function rotated(q: Quaternion, v: readonly number[]): number[] {
  const [, x, y, z] = times(times(q, [0, v[0], v[1], v[2]]), inverse(q));
  return [x, y, z];
}
