// Everything the page knows, in one place. The view and the panels never call each other: they read and write here.
import type { Body, Frame, Held, Machine, Readouts, RopeStrand, SceneEvent, Status, Strand, Sweeps, View } from "./messages";

export type Vec3 = [number, number, number];
export type Unit = SceneEvent["unit"];
export type ClipKind = "clamp" | "ball" | "swivel" | "ring" | "sleeve";

/** A place on a cable: `at` is a fraction of its length, 0 at the start. */
export interface Place {
  cable: string;
  at: number;
}

/** What a click in the view does. */
export type Tool = "select" | "cable" | "clip" | "measure";

/** What a measuring click takes: what lies under the pointer, or always one kind. */
export type MeasureWhat = "auto" | "point" | "edge" | "face" | "cable" | "part" | "place";

export type StandardView = "front" | "back" | "left" | "right" | "top" | "bottom" | "isometric";

export interface Section {
  on: boolean;
  normal: Vec3; // what lies on this side is cut away
  offset: number; // m along the normal from the origin
  cables: boolean; // whether cables are cut too
}

/** How this page shows the scene; the session does not know of it. Kept in the browser. */
export interface Options {
  theme: "light" | "dark" | "system";
  orthographic: boolean;
  grid: boolean;
  edges: boolean;
  shadows: boolean;
  labels: boolean;
  tensions: boolean;
  joints: boolean;
  directors: boolean;
  reactions: boolean;
  moments: boolean;
  contacts: boolean;
  variants: boolean;
  points: boolean;
  section: Section;
  snap: boolean;
  axes: "world" | "local"; // of the gizmo
  keep: ClipKind | null; // a clip of this kind is left where a cable is let go; none: it springs back
  clip: ClipKind; // what the clip tool sets
  measure: MeasureWhat;
  newCableType: string | null; // for the tool "cable"; none: as the last one
}

/** One cable of a frame, its numbers as views into the buffer that came. */
export interface StrandData extends Strand {
  positions: Float32Array; // n×3
  quaternions: Float32Array; // n×4, w first
  colour: Float32Array; // n
}

/** One rope of a frame. */
export interface RopeData extends RopeStrand {
  positions: Float32Array; // n×3
  tension: Float32Array; // n, NaN where it is slack
  numbers: Float32Array; // m×5: link, first point, points, tension, how much longer than its way
}

export interface FrameData extends Omit<Frame, "kind" | "strands" | "bodies" | "ropes"> {
  strands: Map<string, StrandData>;
  ropes: Map<string, RopeData>;
  bodies: Map<string, Body>;
}

/** A line in the log: what the session or the page had to say. */
export interface Said {
  level: "info" | "warning" | "error";
  text: string;
  path: string;
  time: number; // ms since 1970
}

/** A mesh file that is to become a part: what of it is drawn, in the file's own numbers, and where it would stand. */
export interface Offer {
  corners: readonly number[]; // of triangles
  low: Vec3;
  high: Vec3;
  scale: number; // m
  up: "x" | "y" | "z";
  position: Vec3;
}

/** What the view can be asked to do; it puts itself into the store. */
export interface Viewport {
  fit(paths?: readonly string[]): void;
  standard(view: StandardView): void;
  goTo(view: View): void;
  current(name: string): View;
  /** A picture of the view as a PNG data address. */
  picture(): string;
  /** Shows what is to become a part with everything else; none: goes back to how it was looked at before. */
  offer(offer: Offer | null): void;
  cancel(): void;
}

export interface State {
  connection: "connecting" | "open" | "lost";
  status: Status | null;
  scene: SceneEvent | null;
  frame: FrameData | null;
  readouts: Readouts | null;
  sweeps: Sweeps | null;
  machine: Machine | null;
  said: readonly Said[];
  selection: readonly string[]; // paths, the last one picked last
  selectedPlace: Place | null; // where a selected cable was clicked
  hovered: string | null; // path under the pointer, here or in a panel
  place: Place | null; // the place under the pointer, in the view or in a plot
  dragging: string | null; // path of what is being dragged
  held: Held | null; // of the latest frame while dragging
  tool: Tool;
  hint: string; // what the pointer can do now
  options: Options;
  viewport: Viewport | null;
}

type Listener<K extends keyof State> = (value: State[K], before: State[K]) => void;

const OPTIONS: Options = {
  theme: "system",
  orthographic: false,
  grid: true,
  edges: true,
  shadows: true,
  labels: true,
  tensions: true,
  joints: true,
  directors: false,
  reactions: false,
  moments: false,
  contacts: false,
  variants: true,
  points: true,
  section: { on: false, normal: [1, 0, 0], offset: 0, cables: false },
  snap: true,
  axes: "world",
  keep: null,
  clip: "clamp",
  measure: "auto",
  newCableType: null,
};

const KEPT = "lissom.options";
const LOG_LENGTH = 500;

export class Store {
  readonly state: State = {
    connection: "connecting",
    status: null,
    scene: null,
    frame: null,
    readouts: null,
    sweeps: null,
    machine: null,
    said: [],
    selection: [],
    selectedPlace: null,
    hovered: null,
    place: null,
    dragging: null,
    held: null,
    tool: "select",
    hint: "",
    options: keptOptions(),
    viewport: null,
  };
  private listeners = new Map<keyof State, Set<Listener<never>>>();

  get<K extends keyof State>(key: K): State[K] {
    return this.state[key];
  }

  /** Sets a value; listeners hear of it where it changed. */
  set<K extends keyof State>(key: K, value: State[K]): void {
    const before = this.state[key];
    if (Object.is(before, value)) return;
    this.state[key] = value;
    for (const listener of this.listeners.get(key) ?? []) (listener as unknown as Listener<K>)(value, before);
  }

  /** Calls `listener` after every change of `key`; returns what ends that. */
  on<K extends keyof State>(key: K, listener: Listener<K>): () => void {
    const all = this.listeners.get(key) ?? new Set();
    this.listeners.set(key, all);
    all.add(listener as unknown as Listener<never>);
    return () => all.delete(listener as unknown as Listener<never>);
  }

  setOptions(change: Partial<Options>): void {
    const options = { ...this.state.options, ...change };
    keepOptions(options);
    this.set("options", options);
  }

  select(paths: readonly string[], place: Place | null = null): void {
    const now = this.state.selection;
    const same = paths.length === now.length && paths.every((path, i) => path === now[i]);
    if (!same) this.set("selection", [...paths]);
    this.set("selectedPlace", place);
  }

  setPlace(place: Place | null): void {
    const now = this.state.place;
    if (now?.cable !== place?.cable || now?.at !== place?.at) this.set("place", place);
  }

  say(level: Said["level"], text: string, path = ""): void {
    this.set("said", [...this.state.said.slice(1 - LOG_LENGTH), { level, text, path, time: Date.now() }]);
  }
}

function keptOptions(): Options {
  const text = localStorage.getItem(KEPT);
  if (text === null) return OPTIONS;
  try {
    return { ...OPTIONS, ...(JSON.parse(text) as Partial<Options>) };
  } catch (error) {
    console.warn("options of an earlier visit could not be read, the usual ones are taken", error);
    return OPTIONS;
  }
}

function keepOptions(options: Options): void {
  try {
    localStorage.setItem(KEPT, JSON.stringify(options));
  } catch (error) {
    console.warn("options could not be kept for the next visit", error);
  }
}
