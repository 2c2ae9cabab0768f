// The player of motions: which one is chosen, where it stands, play and pause. Where the parts really are comes back
// with every frame, and when they cannot go on the player stops and says why.
import { Leader } from "./leading";
import type { MotionInfo } from "./messages";
import { message, type Page } from "./panels/page";

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  readonly leader: Leader;
  speed = 1;
  playing = false;
  private refused = ""; // what a command was answered with that could not be done
  private chosen = "";
  private wanted = 0; // s
  private last = 0; // ms, of the last picture while playing

  constructor(private readonly page: Page) {
    this.leader = new Leader(page.connection, {
      stopped: () => this.halt(""),
      refused: (why) => this.halt(why),
    });
    page.store.on("scene", (now, before) => {
      if (now?.file !== before?.file) this.halt("");
    });
  }

  /** Why the parts are not where they were to be. */
  get reason(): string {
    return this.refused !== "" ? this.refused : (this.page.store.get("frame")?.stopped ?? "");
  }

  get motion(): MotionInfo | null {
    const motions = this.page.scene?.motions ?? [];
    return motions.find((k) => k.name === this.chosen) ?? motions[0] ?? null;
  }

  choose(name: string): void {
    this.halt("");
    this.chosen = name;
    this.wanted = this.range[0];
    this.page.ask(true);
  }

  /** First and last time of the motion, s. */
  get range(): [number, number] {
    const times = this.motion?.times ?? [];
    return times.length < 2 ? [0, 1] : [times[0], times[times.length - 1]];
  }

  /** Where on the motion the parts stand; where they do not, none. */
  get standing(): number | null {
    const head = this.page.store.get("frame")?.playhead ?? null;
    return head !== null && head.motion === this.motion?.name ? head.time : null;
  }

  get time(): number {
    return this.standing ?? this.wanted;
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    const { motion } = this;
    if (motion === null || motion.error !== "" || this.playing) return;
    const [start, end] = this.range;
    this.wanted = this.time >= end - 1e-9 ? start : this.time;
    this.playing = true;
    this.refused = "";
    this.last = performance.now();
    this.page.ask(true);
    requestAnimationFrame((now) => this.tick(now));
  }

  pause(): void {
    this.playing = false;
    this.leader.end();
    this.page.ask(true);
  }

  /** To a time, while the pointer is down. */
  scrub(time: number): void {
    const { motion } = this;
    if (motion === null || motion.error !== "") return;
    this.playing = false;
    this.refused = "";
    const [start, end] = this.range;
    this.wanted = Math.min(Math.max(time, start), end);
    this.leader.to({ kind: "Scrub", motion: motion.name, seconds: this.wanted });
  }

  /** To a time at once: one step of undo. `along`: as the sweep went there. */
  async goTo(time: number, along: boolean): Promise<void> {
    const { motion } = this;
    if (motion === null) return;
    this.pause();
    this.wanted = time;
    this.refused = "";
    try {
      await this.page.send({ kind: "GoToTime", motion: motion.name, seconds: time, along });
    } catch (error) {
      this.refused = message(error);
    }
    this.page.ask(true);
  }

  private halt(why: string): void {
    if (this.playing) this.leader.end("Drop", true);
    this.playing = false;
    this.refused = why;
    this.page.ask(true);
  }

  private tick(now: number): void {
    const { motion } = this;
    if (!this.playing || motion === null) return;
    const end = this.range[1];
    this.wanted = Math.min(end, this.wanted + (this.speed * (now - this.last)) / 1000);
    this.last = now;
    this.leader.to({ kind: "Scrub", motion: motion.name, seconds: this.wanted });
    if (this.wanted >= end) this.pause();
    else requestAnimationFrame((next) => this.tick(next));
  }
}
