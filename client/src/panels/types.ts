// The cable types of the scene: copied, renamed, taken out. Their numbers are edited on a cable that is of them.
import { ask } from "../dialogs/dialog";
import type { TypeInfo } from "../messages";
import { button } from "./buttons";
import { h, Keyed, setHidden, setText, type Piece } from "./elements";
import { part } from "./fields";
import { summary } from "./make";
import { message, type Page } from "./page";

/** Asks for a name and makes a type of it: a copy of another, or of what a cable is made of, which is then of it. */
export async function addType(page: Page, like: string, cable: string | null = null): Promise<void> {
  const accept = (name: string): Promise<unknown> => page.send({ kind: "AddType", name, like, cable });
  await ask({ title: "New cable type", label: "Name", value: freeName(page, like), test: "type-name", action: "Make it", accept });
}

function freeName(page: Page, like: string): string {
  const stem = like.replace("library:", "").replaceAll(/[./]/g, " ").trim();
  const taken = new Set(page.scene?.types.map((k) => k.name));
  for (let k = 2; ; k++) if (!taken.has(`${stem} ${k}`)) return `${stem} ${k}`;
}

function usersOf(page: Page, type: string): string[] {
  const stretched = (fields: { [field: string]: unknown }): boolean => ((fields.stretches ?? []) as { type?: unknown }[]).some((k) => k.type === type);
  return (page.scene?.cables ?? []).filter((k) => k.type === type || stretched(k.fields)).map((k) => k.name);
}

export function typesPart(page: Page): Piece {
  const list = h("div", { class: "list", test: "types" });
  const attempt = (what: Promise<unknown>): void => void what.catch((error: unknown) => page.store.say("error", message(error)));
  const rows = new Keyed<TypeInfo>(list, ({ name }) => {
    const about = h("div", { class: "note" });
    const pick = h(
      "button",
      { type: "button", class: "link name", title: "Select the cables of this type", onclick: () => page.store.select(usersOf(page, name)) },
      name,
    );
    const accept = async (other: string): Promise<void> => {
      if (other !== name) await page.send({ kind: "Rename", path: `types.${name}`, name: other });
    };
    const rename = (): Promise<unknown> => ask({ title: "Rename cable type", label: "Name", value: name, test: "type-name", action: "Rename", accept });
    const remove = button({
      icon: "trash",
      title: "Take it out: no cable is of it",
      test: `type-remove-${name}`,
      class: "quiet",
      run: () => attempt(page.edit({ [`types.${name}`]: null })),
    });
    const again = button({ text: "Rename", title: "Another name, for all its cables", test: `type-rename-${name}`, class: "small quiet", run: () => attempt(rename()) });
    const copy = button({ icon: "copy", title: "A copy under another name", test: `type-copy-${name}`, class: "quiet", run: () => attempt(addType(page, name)) });
    const element = h("div", { class: "type-row" }, h("div", { class: "row-of" }, pick, h("span", { class: "push" }), again, copy, remove), about);
    return {
      element,
      show: (type) => {
        const users = usersOf(page, name);
        setText(about, [summary(page, type), users.length === 1 ? users[0] : `${users.length} cables`].filter((k) => k !== "").join(" · "));
        setHidden(remove, users.length > 0);
      },
    };
  });
  const whole = part("Cable types", "part-types", { element: list, update: () => rows.show(own(), (k) => k.name) });
  const own = (): TypeInfo[] => (page.scene?.types ?? []).filter((k) => !k.name.startsWith("library:"));
  return {
    element: whole.element,
    update: () => {
      whole.update();
      setHidden(whole.element, own().length === 0);
    },
  };
}
