// The panels around the view, put together.
import type { Connection } from "./connection";
import { takeDrops } from "./dialogs/mesh";
import { listenToKeys } from "./help";
import { banners, overlays } from "./panels/banners";
import { topBar } from "./panels/bar";
import { Bottom } from "./panels/bottom";
import { Page } from "./panels/page";
import { propertiesPanel } from "./panels/properties";
import { statusBar } from "./panels/status";
import { toolStrip } from "./panels/toolstrip";
import { transport } from "./panels/transport";
import { Tree } from "./panels/tree";
import { placeLegend } from "./panels/viewmenu";
import type { Store } from "./store";

/** Builds the panels around `view`, which stays where it is in the page. */
export function buildShell(view: HTMLElement, store: Store, connection: Connection): void {
  const page = new Page(store, connection);
  const tree = new Tree(page);
  const bottom = new Bottom(page);
  const middle = document.createElement("div");
  middle.className = "middle";
  const strip = toolStrip(page);
  const over = overlays(page, strip.element);
  const [bar, notes, properties, status] = [topBar(page), banners(page), propertiesPanel(page), statusBar(page)];
  view.replaceWith(middle);
  const clock = transport(page);
  middle.append(view, over.element, clock.element);
  const shell = document.createElement("div");
  shell.className = "shell";
  shell.append(bar.element, notes.element, tree.element, middle, properties.element, bottom.element, status.element);
  document.body.prepend(shell);
  placeLegend();
  for (const piece of [bar, notes, tree, strip, over, clock, properties, bottom, status]) page.onBeat(() => piece.update());
  listenToKeys(page, tree, bottom);
  takeDrops(page);
  forgetWhatIsGone(page);
}

/** A selected thing that is gone is no longer selected. */
function forgetWhatIsGone(page: Page): void {
  page.store.on("scene", () => {
    const selection = page.store.get("selection");
    const left = selection.filter((path) => page.thing(path) !== null);
    if (left.length < selection.length) page.store.select(left);
  });
}
