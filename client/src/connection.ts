// The line to the session: commands with an answer each, events in order, snapshots of which the latest counts.
// When the line breaks it is taken up again after the last event that was heard.
import { readFrame } from "./frame";
import type { Command, Machine, Readouts, SessionEvent, Sweeps } from "./messages";
import { readable } from "./saying";
import type { Store, Vec3 } from "./store";

type Quaternion = [number, number, number, number];
type Numbered = SessionEvent & { seq: number };

const FIRST_WAIT = 250; // ms before the first attempt to reconnect; doubles up to the longest
const LONGEST_WAIT = 8000;

/** Refused by the session; the message says why. */
export class Refused extends Error {}

/** Given up because somebody wanted that: no error. */
export class Stopped extends Refused {}

/** Never answered: the line broke. That is said once, not for every command. */
export class Lost extends Error {}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class Connection {
  private socket: WebSocket | null = null;
  private number = 0;
  private after = 0;
  private wait = FIRST_WAIT;
  private waiting = new Map<number, Waiting>();
  private unsent: string[] = [];
  private drag: { position: Vec3; quaternion: Quaternion | null } | null = null;
  private dragAsked = false;
  private readonly page = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

  constructor(
    private readonly store: Store,
    private readonly address: string = socketAddress(),
  ) {}

  open(): void {
    const url = new URL(this.address);
    url.searchParams.set("after", String(this.after));
    url.searchParams.set("page", this.page); // answers that were under way find this page when it comes back
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.store.set("connection", "open");
      for (const text of this.unsent.splice(0)) socket.send(text);
    };
    socket.onmessage = (message: MessageEvent<string | ArrayBuffer>) => this.hear(message.data);
    socket.onclose = () => this.lost();
  }

  /** Sends a command; the promise is its answer. */
  send(command: Command): Promise<unknown> {
    const id = ++this.number;
    const text = JSON.stringify({ id, ...command });
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
    else this.unsent.push(text);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  /** Sends a command; a refusal goes to the log. */
  do(command: Command): void {
    this.send(command).catch((error: Error) => {
      if (!(error instanceof Lost)) this.store.say(error instanceof Stopped ? "info" : "error", error.message);
    });
  }

  /** Where the grabbed thing is to be: the latest wins, one goes out per animation frame. */
  dragTo(position: Vec3, quaternion: Quaternion | null = null): void {
    this.drag = { position, quaternion };
    if (this.dragAsked) return;
    this.dragAsked = true;
    requestAnimationFrame(() => {
      this.dragAsked = false;
      this.flushDrag();
    });
  }

  /** Sends a drag that still waits; called before the grabbed thing is let go. */
  flushDrag(): void {
    const drag = this.drag;
    this.drag = null;
    if (drag !== null) this.do({ kind: "Drag", ...drag });
  }

  forgetDrag(): void {
    this.drag = null;
  }

  private hear(data: string | ArrayBuffer): void {
    if (data instanceof ArrayBuffer) {
      const frame = readFrame(data);
      const held = frame.held === null ? null : { ...frame.held, reason: this.read(frame.held.reason) };
      this.store.set("frame", { ...frame, reason: this.read(frame.reason), held });
      this.store.set("held", held);
      return;
    }
    const message = JSON.parse(data) as Numbered | Readouts | Sweeps | Machine;
    if (message.kind === "Readouts") {
      this.store.set("readouts", message);
      return;
    }
    if (message.kind === "Machine") {
      this.store.set("machine", message);
      return;
    }
    if (message.kind === "Sweeps") {
      const sweeps = message.sweeps.map((k) => ({ ...k, reasons: k.reasons.map((text) => this.read(text)), error: this.read(k.error) }));
      this.store.set("sweeps", { ...message, sweeps });
      return;
    }
    // A whole scene starts the count anew: a studio that was itself started anew counts from the beginning.
    this.after = message.kind === "SceneEvent" ? message.seq : Math.max(this.after, message.seq);
    this.take(message);
  }

  private take(event: Numbered): void {
    if (event.kind === "Answer") {
      const waiting = this.waiting.get(event.to);
      this.waiting.delete(event.to);
      if (event.ok) waiting?.resolve(event.value);
      else waiting?.reject(new (event.stopped ? Stopped : Refused)(this.read(event.error)));
    } else if (event.kind === "Notice") {
      this.store.say(event.level, this.read(event.text), event.path);
    } else if (event.kind === "Status") {
      this.store.set("status", { ...event, text: this.read(event.text) });
    } else {
      this.store.set("scene", event);
    }
  }

  /** Every sentence of the session passes here. */
  private read(text: string): string {
    return text === "" ? "" : readable(text, this.store.get("scene"));
  }

  private lost(): void {
    this.socket = null;
    const open = [...this.waiting.values()];
    this.waiting.clear();
    this.unsent = [];
    if (this.store.get("connection") === "open") this.store.say("warning", "The connection to the studio was lost; trying again.");
    this.store.set("connection", "lost");
    for (const { reject } of open) reject(new Lost("the connection to the studio was lost"));
    setTimeout(() => {
      this.store.set("connection", "connecting");
      this.open();
    }, this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }
}

/** Beside the page, with the token of the page's own address. */
function socketAddress(): string {
  const url = new URL("socket", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const token = new URLSearchParams(location.search).get("token");
  if (token !== null) url.searchParams.set("token", token);
  return url.href;
}
