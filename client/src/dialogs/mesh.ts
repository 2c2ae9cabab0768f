// A mesh file becomes a part: sent, looked at, and added with its units and which way is up.
import { showDialog, submitButton, type Dialog } from "./dialog";
import { h, setHidden, setText } from "../panels/elements";
import { message, type Page } from "../panels/page";
import { parse, unitOf } from "../panels/quantities";
import type { Offer, Unit, Vec3 } from "../store";
import { METRES } from "../units";

interface Preview {
  upload: string;
  low: Vec3; // in the file's own numbers
  high: Vec3;
  triangles: number;
  corners: number[]; // of some of them, to be drawn
  closed: boolean;
  warnings: string[];
  needs_units: boolean;
}

const ENDINGS = [".stl", ".obj", ".ply", ".glb"];
const HUGE = 100; // times larger or smaller than the cables: the units are probably wrong

/** Takes files dropped anywhere on the page. */
export function takeDrops(page: Page): void {
  const veil = h(
    "div",
    { class: "drop-veil", test: "drop-veil", hidden: true },
    h("div", {}, "Drop a mesh file to add it as a part", h("small", {}, ENDINGS.join("  "))),
  );
  document.body.append(veil);
  let depth = 0;
  const isFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragenter", (event) => {
    if (!isFile(event)) return;
    depth += 1;
    veil.hidden = false;
    event.preventDefault();
  });
  addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) veil.hidden = true;
  });
  addEventListener("dragover", (event) => isFile(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    depth = 0;
    veil.hidden = true;
    const file = event.dataTransfer?.files[0];
    if (file === undefined) return;
    event.preventDefault();
    void addMesh(page, file);
  });
}

export function addPartFromFile(page: Page): void {
  const input = h("input", { type: "file", accept: ENDINGS.join(",") });
  input.addEventListener("change", () => input.files?.[0] !== undefined && void addMesh(page, input.files[0]));
  input.click();
}

async function addMesh(page: Page, file: File): Promise<void> {
  const body = h("div", { class: "mesh-body" }, h("div", { class: "empty" }, `Reading ${file.name}…`));
  const dialog = showDialog({ title: "Add a part", test: "mesh-dialog", aside: true, body: [body] });
  void dialog.closed.then(() => page.store.get("viewport")?.offer(null));
  try {
    const response = await fetch(`upload?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
    const answer = (await response.json()) as Preview | { error: string };
    if ("error" in answer) throw new Error(answer.error);
    if (!response.ok) throw new Error(`the studio answered ${response.status}`);
    body.replaceChildren(form(page, file.name, answer, dialog));
  } catch (error) {
    body.replaceChildren();
    dialog.fail(`${file.name} cannot be used: ${message(error)}`);
  }
}

function form(page: Page, file: string, seen: Preview, { close, fail, closed }: Dialog): HTMLElement {
  const unit = page.unit;
  const name = h("input", { type: "text", class: "text", test: "mesh-name", value: freeName(page, file.replace(/\.\w+$/, "")), "aria-label": "name" });
  const units = h(
    "select",
    { class: "select", test: "mesh-units", title: "What one number in the file means", "aria-label": "units" },
    ...(["mm", "cm", "m", "in"] as const).map((k) => h("option", { value: k }, k)),
  );
  units.value = seen.needs_units ? "mm" : "m";
  units.disabled = !seen.needs_units;
  const up = h(
    "select",
    { class: "select", test: "mesh-up", title: "The axis of the file that points up", "aria-label": "up axis" },
    ...["z", "y", "x"].map((k) => h("option", { value: k }, `${k} is up`)),
  );
  const position = ["x", "y", "z"].map((axis) => h(
    "input",
    { type: "text", class: "number", value: "0", test: `mesh-position-${axis}`, "aria-label": `position ${axis}` },
  ));
  const size = h("span", { class: "value", test: "mesh-size" });
  const warning = h("div", { class: "warning-box", test: "mesh-warning" });
  let at: Vec3 = [0, 0, 0];
  const place = (): boolean => {
    const typed = position.map((input) => parse("length", input.value, unit));
    const whole = typed.every((k) => k !== null);
    if (whole) at = typed as Vec3;
    return whole;
  };
  const show = (): void => {
    const scale = METRES[units.value as Unit]; // the file was looked at as if in metres: what was said of its units is judged here
    const edges = seen.high.map((k, i) => (k - seen.low[i]) * scale);
    const turned = up.value === "z" ? edges : up.value === "y" ? [edges[0], edges[2], edges[1]] : [edges[2], edges[1], edges[0]];
    setText(size, `${turned.map((k) => Number((k / METRES[unit]).toPrecision(4))).join(" × ")} ${unit}`);
    const told = [...seen.warnings.filter((k) => !k.includes("units")), sizeWarning(page, Math.hypot(...edges))].filter((k) => k !== "");
    setText(warning, told.join("\n"));
    setHidden(warning, told.length === 0);
    place();
    page.store.get("viewport")?.offer({ ...seen, scale, up: up.value as Offer["up"], position: at });
  };
  units.addEventListener("change", show);
  up.addEventListener("change", show);
  for (const input of position) input.addEventListener("input", show);
  const row = (label: string, ...fields: (HTMLElement | string)[]): HTMLElement => h(
    "div",
    { class: "field" },
    h("span", { class: "label" }, label),
    h("span", { class: "row-of" }, ...fields),
  );
  const element = h(
    "form",
    { class: "mesh-form" },
    row("File", h("span", { class: "value" }, file)),
    row(
      "Surface",
      h("span", { class: "value", test: "mesh-triangles" }, `${seen.triangles.toLocaleString("en")} triangles, ${seen.closed ? "closed" : "open"}`),
    ),
    row("Size", size),
    row("Name", name),
    row("Units", units, seen.needs_units ? "" : h("span", { class: "muted" }, "by definition")),
    row("Up", up),
    row(`Position ${unitOf("length", unit)}`, ...position),
    warning,
    h("div", { class: "dialog-actions" }, h("button", { type: "button", class: "button", onclick: close }, "Cancel"), submitButton("Add part", "mesh-add")),
  );
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!place()) return fail("the position needs three lengths, such as 50, 2 in or -30 mm");
    page.send({
      kind: "AddPart",
      upload: seen.upload,
      name: name.value.trim(),
      units: units.value as Unit,
      up: up.value as Offer["up"],
      position: at,
    }).then(
      (added) => {
        page.store.select([String(added)]);
        close();
        void closed.then(() => page.fit());
      },
      (error: unknown) => fail(message(error)),
    );
  });
  show();
  return element;
}

/** Of the diagonal of its box. */
function sizeWarning(page: Page, size: number): string {
  const lengths = (page.scene?.cables ?? []).map((k) => k.length);
  if (lengths.length === 0 || !(size > 0)) return "";
  const longest = Math.max(...lengths);
  if (size < HUGE * longest && size > longest / HUGE) return "";
  const times = Math.round(Math.max(size / longest, longest / size)).toLocaleString("en");
  return `It is ${times} times ${size > longest ? "larger" : "smaller"} than the longest cable: are the units right?`;
}

function freeName(page: Page, stem: string): string {
  const taken = new Set([...(page.scene?.parts ?? []), ...(page.scene?.cables ?? []), ...(page.scene?.junctions ?? [])].map((k) => k.name));
  let name = stem.replaceAll("/", " ").trim() || "part";
  for (let k = 2; taken.has(name); k++) name = `${stem} ${k}`;
  return name;
}
