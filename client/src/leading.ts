// Leading joints or a motion: one command is under way at a time, and of those that come meanwhile only the last counts.
import { Lost, type Connection } from "./connection";
import type { Scrub, Steer } from "./messages";

/** What comes back from what leads. */
export interface Heard {
  stopped(): void; // the cables do not follow to where it was led
  refused(why: string): void;
}

export class Leader {
  private under = false; // a command is under way
  private next: Steer | Scrub | null = null;
  private ending: "Drop" | "Cancel" | null = null;
  private held = false;

  constructor(
    private readonly connection: Connection,
    private readonly heard: Heard,
  ) {}

  to(command: Steer | Scrub): void {
    this.held = true;
    this.ending = null;
    this.next = command;
    this.send();
  }

  /** Lets go, once all that was asked is done; `now`: what is not yet under way is not done any more. */
  end(how: "Drop" | "Cancel" = "Drop", now = how === "Cancel"): void {
    if (!this.held) return;
    if (now) this.next = null;
    this.ending = how;
    this.send();
  }

  private send(): void {
    if (this.under) return;
    const { next, ending } = this;
    if (next === null && ending === null) return;
    this.next = null;
    if (next === null) {
      this.ending = null;
      this.held = false;
    }
    this.under = true;
    this.connection
      .send(next ?? { kind: ending ?? "Drop" })
      .then((answer) => {
        if (next !== null && typeof answer === "string" && answer !== "") this.heard.stopped();
      })
      .catch((error: Error) => {
        if (!(error instanceof Lost)) this.heard.refused(error.message);
      })
      .finally(() => {
        this.under = false;
        this.send();
      });
  }
}
