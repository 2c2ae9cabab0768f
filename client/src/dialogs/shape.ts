// A part of a simple shape.
import { showDialog, submitButton } from "./dialog";
import { h } from "../panels/elements";
import { message, type Page } from "../panels/page";
import { complaint, numberText, parse, unitOf } from "../panels/quantities";

const SHAPES: { [kind: string]: { text: string; sizes: { key: string; label: string; value: number }[] } } = {
  box: { text: "Box", sizes: [{ key: "x", label: "Along x", value: 0.1 }, { key: "y", label: "Along y", value: 0.1 }, { key: "z", label: "Along z", value: 0.05 }] },
  cylinder: { text: "Cylinder", sizes: [{ key: "diameter", label: "Diameter", value: 0.04 }, { key: "length", label: "Length", value: 0.2 }] },
  capsule: { text: "Capsule", sizes: [{ key: "diameter", label: "Diameter", value: 0.04 }, { key: "length", label: "Length", value: 0.2 }] },
  sphere: { text: "Sphere", sizes: [{ key: "diameter", label: "Diameter", value: 0.08 }] },
  plane: { text: "Floor (a half space)", sizes: [] },
};

export function addShape(page: Page): void {
  const { unit } = page;
  const kind = h("select", { class: "select", test: "shape-kind", "aria-label": "shape" }, ...Object.entries(SHAPES).map(([value, { text }]) => h("option", { value }, text)));
  const sizes = h("div", { class: "rows" });
  let inputs: { key: string; label: string; input: HTMLInputElement }[] = [];
  const row = (label: string, field: HTMLElement, name = ""): HTMLElement => h("div", { class: "field" }, h("span", { class: "label" }, label), h("span", { class: "typed" }, field, h("span", { class: "unit" }, name)));
  const fill = (): void => {
    inputs = SHAPES[kind.value].sizes.map(({ key, label, value }) => ({ key, label, input: h("input", { type: "text", class: "number", test: `new-shape-${key}`, value: numberText("length", value, unit), "aria-label": label }) }));
    sizes.replaceChildren(...inputs.map(({ label, input }) => row(label, input, unitOf("length", unit))));
  };
  kind.addEventListener("change", fill);
  fill();
  const position = ["x", "y", "z"].map((axis) => h("input", { type: "text", class: "number", value: "0", test: `shape-position-${axis}`, "aria-label": `position ${axis}` }));
  const form = h(
    "form",
    { class: "mesh-form" },
    row("Shape", kind),
    sizes,
    h("div", { class: "field" }, h("span", { class: "label" }, `Position ${unitOf("length", unit)}`), h("span", { class: "row-of" }, ...position)),
    h("div", { class: "dialog-actions" }, h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Cancel"), submitButton("Add part", "shape-add")),
  );
  const dialog = showDialog({ title: "Add a part of a simple shape", test: "shape-dialog", body: [form] });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const read = (input: HTMLInputElement): number => {
      const value = parse("length", input.value, unit);
      if (value === null) throw new Error(complaint("length", input.value, unit));
      return value;
    };
    try {
      const given = Object.fromEntries(inputs.map(({ key, input }) => [key, read(input)]));
      const shape = kind.value === "box" ? { kind: "box", size: [given.x, given.y, given.z] } : { kind: kind.value, ...given };
      const at = position.map(read) as [number, number, number];
      page.send({ kind: "AddShape", name: kind.value === "plane" ? "floor" : kind.value, shape, position: at }).then(
        (name) => {
          page.store.select([String(name)]);
          dialog.close();
        },
        (error: unknown) => dialog.fail(message(error)),
      );
    } catch (error) {
      dialog.fail(message(error));
    }
  });
}
