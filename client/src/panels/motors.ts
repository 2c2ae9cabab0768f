// Motors and winches: what drives each joint, with a slider that acts at once.
import type { AxisInfo, AxisValue, SetMotor } from "../messages";
import { selectBox } from "./choices";
import { button } from "./buttons";
import { h, Keyed, setClass, setHidden, setText, setTitle, type Piece } from "./elements";
import { Trouble, typedInput } from "./inputs";
import type { Page } from "./page";
import { complaint, parse, unitOf, type Kind } from "./quantities";

type Drive = AxisInfo["drive"];

const STEPS = 1000;

function kindOf(joint: AxisInfo["joint"], drive: Drive): Kind {
  if (drive === "speed") return joint === "slide" ? "speed" : "angular speed";
  return drive === "torque" && joint !== "slide" ? "moment" : "force";
}

/** Hinges and slides, the driven ones first. */
export function drivable(page: Page): AxisInfo[] {
  const all = (page.scene?.machine?.joints ?? []).filter((k) => k.joint === "hinge" || k.joint === "slide");
  const rank = (k: AxisInfo): number => (k.drive !== "off" ? 0 : k.winch ? 1 : 2);
  return [...all].sort((a, b) => rank(a) - rank(b));
}

export function axisValue(page: Page, name: string): AxisValue | null {
  return page.store.get("machine")?.joints.find((k) => k.name === name) ?? null;
}

export function motorList(page: Page): Piece {
  const host = h("div", { class: "motor-list", test: "motors" });
  const empty = h("div", { class: "empty" }, "No hinge or slide of this machine can be driven.");
  const rows = new Keyed<AxisInfo>(host, (first) => motorRow(page, first));
  return {
    element: h("div", { class: "motors" }, h("h3", {}, "Motors and winches"), host, empty),
    update: () => {
      const all = drivable(page);
      setHidden(empty, all.length > 0);
      rows.show(all, (k) => `${k.name}|${k.joint}|${k.winch}`);
    },
  };
}

/** One command is under way at a time; of those that come meanwhile only the last counts. */
class Driver {
  private under = false;
  private next: SetMotor | null = null;

  constructor(
    private readonly page: Page,
    private readonly trouble: Trouble,
  ) {}

  send(command: SetMotor): void {
    this.next = command;
    if (!this.under) void this.run();
  }

  private async run(): Promise<void> {
    this.under = true;
    while (this.next !== null) {
      const command = this.next;
      this.next = null;
      await this.trouble.watch(() => this.page.send(command));
    }
    this.under = false;
  }
}

function motorRow(page: Page, first: AxisInfo): { element: HTMLElement; show(joint: AxisInfo): void } {
  let info = first;
  const test = `motor-${first.name}`;
  const trouble = new Trouble(page, test);
  const driver = new Driver(page, trouble);
  const now = (): AxisValue | null => axisValue(page, info.name);
  let wished: { drive: Drive; value: number } | null = null; // until the read-outs have it
  const drive = (): Drive => wished?.drive ?? now()?.drive ?? info.drive;
  const value = (): number => wished?.value ?? now()?.setting ?? info.value;
  const most = (): number | null => (info.drive === "speed" ? info.most : null);
  const set = (kind: Drive, to: number): void => {
    wished = { drive: kind, value: to };
    driver.send({ kind: "SetMotor", joint: info.name, drive: kind, value: kind === "off" ? 0 : to, most: kind === "speed" ? most() : null });
    page.ask(true);
  };
  const label = h("span", { class: "label" }, first.name);
  const choose = selectBox({
    label: `what drives ${first.name}`,
    test: `${test}-drive`,
    title: "What drives this joint",
    choices: () => (["off", "speed", "torque", ...(info.winch ? ["tension"] : [])] as Drive[]).map((k) => ({ value: k, text: k === "torque" && info.joint === "slide" ? "force" : k })),
    value: drive,
    commit: (kind) => set(kind as Drive, kind === info.drive ? info.value : 0),
  });
  const slider = h("input", { type: "range", class: "slider", min: 0, max: STEPS, step: 1, test: `${test}-slider`, "aria-label": `setting of ${first.name}` });
  const unit = h("span", { class: "unit" });
  const range = (): [number, number] => {
    const far = Math.max(info.reach[drive()] ?? 1, Math.abs(value()));
    return [drive() === "tension" ? 0 : -far, far];
  };
  const typed = typedInput(page, {
    get kind() {
      return kindOf(info.joint, drive());
    },
    test,
    title: "Type a value, with or without a unit; Enter takes it",
    label: `setting of ${first.name}`,
    value: () => (drive() === "off" ? null : Number(value().toPrecision(6))),
    commit: async (text) => {
      const kind = kindOf(info.joint, drive());
      const wanted = parse(kind, text, page.unit);
      if (wanted === null || !Number.isFinite(wanted)) {
        trouble.say(complaint(kind, text, page.unit));
        return false;
      }
      set(drive(), wanted);
      return true;
    },
  });
  let held = false;
  slider.addEventListener("input", () => {
    held = true;
    const [low, high] = range();
    const raw = low + (Number(slider.value) / STEPS) * (high - low);
    set(drive(), Math.abs(raw) < 0.012 * high ? 0 : Number(raw.toPrecision(3)));
  });
  for (const event of ["change", "pointerup"]) slider.addEventListener(event, () => (held = false));
  const back = button({ icon: "undo", title: "As the scene has it", test: `${test}-back`, class: "quiet", run: () => set(info.drive, info.value) });
  const element = h("div", { class: "motor-row", test: `${test}-row` }, label, choose.select, slider, h("span", { class: "typed" }, typed.input, unit), back, trouble.element);
  return {
    element,
    show: (given) => {
      info = given;
      const heard = now();
      if (wished !== null && heard !== null && heard.drive === wished.drive && Math.abs(heard.setting - wished.value) <= 1e-6 * Math.max(1, Math.abs(wished.value))) wished = null;
      const kind = drive();
      setClass(element, "off", kind === "off");
      choose.update();
      typed.update();
      setText(unit, kind === "off" ? "" : unitOf(kindOf(info.joint, kind), page.unit));
      slider.disabled = typed.input.disabled = kind === "off";
      const limit = kind === "speed" && most() !== null ? `, with at most ${most()} ${unitOf(kindOf(info.joint, "torque"), page.unit)}` : "";
      setTitle(label, `${info.name}: ${info.winch ? "winch, " : ""}${info.joint} of ${info.part}${limit}`);
      setTitle(slider, `Drives ${info.part} at once, also while it plays`);
      back.style.visibility = kind === info.drive && Math.abs(value() - info.value) < 1e-9 ? "hidden" : "";
      const [low, high] = range();
      const text = String(Math.round((STEPS * (value() - low)) / (high - low)));
      if (!held && slider.value !== text) slider.value = text;
      slider.setAttribute("aria-valuetext", `${value()} ${unitOf(kindOf(info.joint, kind), page.unit)}`);
    },
  };
}
