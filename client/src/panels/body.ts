// The properties of parts and of junctions.
import type { JunctionInfo, PartInfo } from "../messages";
import { button } from "./buttons";
import { h, Keyed, setText, stack, type Piece } from "./elements";
import { selectField } from "./choices";
import { action, checkField, part, quantityField, readout, vectorField } from "./fields";
import type { Page } from "./page";
import { bodyPose } from "./pose";
import type { Kind } from "./quantities";

const MOTIONS = [
  { value: "fixed", text: "fixed", title: "Never moves by itself" },
  { value: "held", text: "held (moved by you)", title: "Moves where you drag it" },
  { value: "driven", text: "driven (by a joint)", title: "Moved by a joint or a recorded motion" },
  { value: "free", text: "free (mass, weight)", title: "Moves by forces; needs a mass" },
];

interface Fields {
  [name: string]: unknown;
}

export function partPanel(page: Page, name: string): Piece {
  const info = (): PartInfo | undefined => page.part(name);
  const shape = info()?.fields.shape as Fields | undefined;
  const facts = part(
    "Part",
    "part-body",
    readout("Surface", "What it looks like", "part-surface", () => {
      const now = info();
      if (now === undefined) return "–";
      if (now.mesh === null) return "none: carries frames only";
      return `${now.triangles.toLocaleString("en")} triangles, ${now.solid ? "closed" : "open"}`;
    }),
    ...(shape === undefined ? [] : sizes(page, name, shape)),
    selectField(page, {
      label: "Motion",
      test: "part-motion",
      title: "How it moves",
      choices: () => MOTIONS,
      value: () => info()?.motion ?? "fixed",
      commit: (motion) => page.edit(motion === "free" && info()?.fields.mass === undefined ? {
        [`${name}/motion`]: motion,
        [`${name}/mass`]: 1,
      } : { [`${name}/motion`]: motion }),
    }),
    quantityField(
      page,
      {
        label: "Mass",
        kind: "mass",
        test: "part-mass",
        title: "Needed when it is free",
        empty: "none",
        value: () => info()?.fields.mass as number | undefined,
        commit: (value) => page.edit({ [`${name}/mass`]: value }),
      },
    ),
    quantityField(
      page,
      {
        label: "Friction",
        kind: "number",
        test: "part-friction",
        title: "Of its surface: rubber on steel about 0.8, 0 is smooth",
        value: () => Number(info()?.fields.friction ?? 0),
        commit: (value, more) => page.edit({ [`${name}/friction`]: value }, more),
        slider: { range: () => [0, 1] },
      },
    ),
    selectField(page, {
      label: "Moves with",
      test: "part-parent",
      title: "The part that it moves with",
      choices: () => [
        { value: "", text: "nothing" },
        ...(page.scene?.parts ?? []).filter((k) => k.name !== name).map((k) => ({ value: k.name, text: k.name })),
      ],
      value: () => info()?.parent ?? "",
      commit: (value) => page.edit({ [`${name}/parent`]: value === "" ? null : value }),
    }),
    checkField(
      page,
      {
        label: "Things touch it",
        test: "part-collide",
        title: "Off: cables pass through it",
        value: () => info()?.fields.collide !== false,
        commit: (value) => page.edit({ [`${name}/collide`]: value }),
      },
    ),
  );
  return stack("parts", part("Pose", "part-pose", ...bodyPose(page, name)), facts, framesPart(page, name));
}

const SIZES: { [key: string]: { label: string; kind: Kind } } = {
  diameter: { label: "Diameter", kind: "length" },
  radius: { label: "Radius", kind: "length" },
  length: { label: "Length", kind: "length" },
};

function sizes(page: Page, name: string, shape: Fields): Piece[] {
  const now = (): Fields => (page.part(name)?.fields.shape ?? {}) as Fields;
  const pieces: Piece[] = Object.keys(SIZES)
    .filter((key) => shape[key] !== undefined)
    .map((key) => quantityField(
      page,
      {
        ...SIZES[key],
        test: `shape-${key}`,
        title: `Of the ${String(shape.kind)}`,
        value: () => now()[key] as number | undefined,
        commit: (value) => page.edit({ [`${name}/shape.${key}`]: value }),
      },
    ));
  if (Array.isArray(shape.size)) pieces.push(vectorField(
    page,
    {
      label: "Size",
      kind: "length",
      test: "shape-size",
      title: "Edges of the box",
      value: () => (now().size as number[] | undefined) ?? null,
      commit: (size) => page.edit({ [`${name}/shape.size`]: size }),
    },
  ));
  return pieces;
}

function framesPart(page: Page, name: string): Piece {
  const list = h("div", { class: "list", test: "frames" });
  const frames = (): [string, Fields][] => Object.entries((page.part(name)?.fields.frames ?? {}) as { [frame: string]: Fields });
  const rows = new Keyed<[string, Fields]>(list, ([frame]) => {
    const held = h("span", { class: "value muted" });
    const at = vectorField(
      page,
      {
        label: frame,
        kind: "length",
        test: `frame-${frame}`,
        title: `Position of the frame ${frame} in the part's axes`,
        value: () => (frames().find(([k]) => k === frame)?.[1].position as number[] | undefined) ?? null,
        commit: (position) => page.edit({ [`${name}/${frame}.position`]: position }),
      },
    );
    const element = h(
      "div",
      { class: "frame-row" },
      at.element,
      h(
        "div",
        { class: "row-of" },
        held,
        h("span", { class: "push" }),
        button({
          icon: "trash",
          title: `Remove frame ${frame}`,
          test: `remove-frame-${frame}`,
          class: "quiet",
          run: () => void page.edit({ [`${name}/frames.${frame}`]: null }).catch((error: Error) => page.store.say("error", error.message, name)),
        }),
      ),
    );
    return {
      element,
      show: () => {
        at.update();
        const users = (page.scene?.cables ?? []).flatMap((cable) => [["start", cable.fields.start], ["end", cable.fields.end]].filter(
          ([, end]) => (end as Fields | undefined)?.on === name && (end as Fields).frame === frame,
        ).map(([end]) => `${cable.name}/${String(end)}`));
        setText(held, users.length === 0 ? "holds nothing" : `holds ${users.join(", ")}`);
      },
    };
  });
  const input = h("input", { type: "text", class: "text", test: "frame-name", placeholder: "name", "aria-label": "name of the new frame" });
  const add = action(page, {
    text: "Add frame",
    title: "A place on the part to mount cables on, at its origin",
    test: "frame-add",
    class: "small",
    run: async () => {
      const frame = input.value.trim();
      if (frame === "") throw new Error("give the frame a name");
      await page.edit({ [`${name}/frames.${frame}`]: { position: [0, 0, 0], tangent: [0, 0, 1], roll: 0 } });
      input.value = "";
    },
  });
  return part("Frames", "part-frames", {
    element: h("div", { class: "rows" }, list, h("div", { class: "row-of" }, input, add.element), add.trouble),
    update: () => rows.show(frames(), ([frame]) => frame),
  });
}

export function junctionPanel(page: Page, name: string): Piece {
  const info = (): JunctionInfo | undefined => page.junction(name);
  const list = h("div", { class: "list", test: "members" });
  const rows = new Keyed<string>(list, (member) => {
    const cable = member.split("/")[0];
    return {
      element: h(
        "div",
        { class: "list-row" },
        h("button", { type: "button", class: "link name", title: "Select the cable", onclick: () => page.store.select([cable]) }, member),
      ),
      show: () => undefined,
    };
  });
  return stack(
    "parts",
    part("Pose", "part-pose", ...bodyPose(page, name)),
    part(
      "Junction",
      "part-junction",
      selectField(page, {
        label: "Motion",
        test: "junction-motion",
        title: "Free: the cables carry it. Held: it stays where you put it.",
        choices: () => [{ value: "free", text: "free (carried by its cables)" }, { value: "held", text: "held" }],
        value: () => info()?.motion ?? "free",
        commit: (motion) => {
          const pose = page.pose(name);
          const here = motion === "held" && pose !== null ? { [`${name}/position`]: pose.position, [`${name}/quaternion`]: pose.quaternion } : {};
          return page.edit({ ...here, [`${name}/motion`]: motion });
        },
      }),
      quantityField(
        page,
        {
          label: "Mass",
          kind: "mass",
          test: "junction-mass",
          title: "Of the joint itself",
          empty: "none",
          value: () => info()?.fields.mass as number | undefined,
          commit: (value) => page.edit({ [`${name}/mass`]: value }),
        },
      ),
    ),
    part("Members", "part-members", { element: list, update: () => rows.show(info()?.members ?? [], (k) => k) }),
  );
}
