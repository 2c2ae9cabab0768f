// Generated from lissom/session/messages by `python -m lissom.studio.types`; do not edit.

/** Something to measure from: where it was clicked, and what was there; on a part in the part's own axes. */
export interface Pick {
  kind: "point" | "edge" | "face" | "cable" | "part" | "place";
  point: [number, number, number];
  path: string;
  at: number | null;
  edge: [[number, number, number], [number, number, number]] | null;
  normal: [number, number, number] | null;
}

/** Where the camera stands. */
export interface View {
  name: string;
  eye: [number, number, number];
  target: [number, number, number];
  up: [number, number, number];
  height: number;
  orthographic: boolean;
}

/** Takes hold of an end, a clip, a junction or a part (by path), or of the cable itself (its name, and `at`). */
export interface Grab {
  kind: "Grab";
  path: string;
  at?: number | null;
  touched?: [number, number, number] | null;
  others?: string[];
}

/** Where the grabbed thing is to be; a later one makes an earlier one void. */
export interface Drag {
  kind: "Drag";
  position: [number, number, number];
  quaternion?: [number, number, number, number] | null;
}

/** Lets go. A cable held by itself springs back, unless `keep` leaves a clip of that kind there. */
export interface Drop {
  kind: "Drop";
  keep?: "clamp" | "ball" | "swivel" | "ring" | "sleeve" | null;
}

/** Lets go, and back to where the drag began. */
export interface Cancel {
  kind: "Cancel";
}

/** Typed numbers for the pose of an end, clip, junction or part; only what is given changes. */
export interface Move {
  kind: "Move";
  path: string;
  position?: [number, number, number] | null;
  quaternion?: [number, number, number, number] | null;
  tangent?: [number, number, number] | null;
  roll?: number | null;
}

/** Turns an end or clamp about its tangent, by an angle in rad; whole turns count. */
export interface Turn {
  kind: "Turn";
  path: string;
  by: number;
}

/** Fields of the scene by path: `{"brake hose/length": 0.45}`; several at once are one step of undo. */
export interface Edit {
  kind: "Edit";
  values: { [key: string]: unknown };
  more?: boolean;
}

export interface AddClip {
  kind: "AddClip";
  cable: string;
  at: number;
  clip?: "clamp" | "ball" | "swivel" | "ring" | "sleeve";
}

export interface SpaceClips {
  kind: "SpaceClips";
  cable: string;
  count: number;
  clip?: "clamp" | "ball" | "swivel" | "ring" | "sleeve";
}

/** A place where a new cable begins or ends: along `tangent` (from start to end), on a part or in the world. */
export interface Mount {
  position: [number, number, number];
  tangent: [number, number, number];
  on: string | null;
}

export interface AddCable {
  kind: "AddCable";
  start: Mount;
  end: Mount;
  type?: string | null;
  length?: number | null;
  name?: string | null;
}

/** A new cable type: a copy of another ("library:…" too) or of what a cable is made of; `cable` is then of it. */
export interface AddType {
  kind: "AddType";
  name: string;
  like: string;
  cable?: string | null;
}

/** A mesh that was uploaded, as a part; `up` is the axis of the file that is to point up. */
export interface AddPart {
  kind: "AddPart";
  upload: string;
  name: string;
  units: "mm" | "cm" | "m" | "in";
  up?: "x" | "y" | "z";
  position?: [number, number, number];
}

/** A primitive as a part: `{"kind": "box", "size": […]}` as in the scene file. */
export interface AddShape {
  kind: "AddShape";
  name: string;
  shape: { [key: string]: unknown };
  position?: [number, number, number];
}

/** Joins ends ("trunk/end", "left/start") into a junction, in the pose they have. */
export interface Join {
  kind: "Join";
  ends: string[];
  motion?: "free" | "held";
  name?: string | null;
}

export interface Remove {
  kind: "Remove";
  paths: string[];
}

export interface Duplicate {
  kind: "Duplicate";
  path: string;
  offset?: [number, number, number] | null;
}

export interface Rename {
  kind: "Rename";
  path: string;
  name: string;
}

/** Whether cables follow at once; off, things move and wait for a single solve. */
export interface Simulate {
  kind: "Simulate";
  on: boolean;
}

/** One solve; `cold` forgets the present shapes. */
export interface Solve {
  kind: "Solve";
  cold?: boolean;
}

/** Ends what takes long: the command under way, which then has changed nothing; those that wait; a replay. */
export interface Stop {
  kind: "Stop";
}

/** Back to the scene as it was opened. */
export interface Reset {
  kind: "Reset";
}

/** Adds length (m, may be negative) between two places (fractions), or sets the whole length. */
export interface Lengthen {
  kind: "Lengthen";
  cable: string;
  by?: number | null;
  to?: number | null;
  between?: [number, number] | null;
}

/** The cable finds its own length: 0 rather straight, 1 rather bent. */
export interface Soften {
  kind: "Soften";
  cable: string;
  bent?: number;
  more?: boolean;
}

/** The cable grows or shrinks between two places (fractions) as it is pulled. */
export interface Feed {
  kind: "Feed";
  cable: string;
  between?: [number, number] | null;
}

/** Leaves a routing mode: the length stays as it is. */
export interface Freeze {
  kind: "Freeze";
  cable: string;
}

/** The shortest length with which the cable passes all its checks; answered with a number and its story. */
export interface HowLong {
  kind: "HowLong";
  cable: string;
}

/** Kept and live: distance, arc length along a cable, or angle between two picks. */
export interface AddMeasure {
  kind: "AddMeasure";
  a: Pick;
  b: Pick;
}

export interface RemoveMeasure {
  kind: "RemoveMeasure";
  number: number;
}

/** Keeps the present scene and shape under a name. */
export interface KeepVariant {
  kind: "KeepVariant";
  name: string;
}

export interface RemoveVariant {
  kind: "RemoveVariant";
  name: string;
}

/** Whether its shape is drawn over the present one. */
export interface ShowVariant {
  kind: "ShowVariant";
  name: string;
  shown: boolean;
}

/** Goes on from a variant. */
export interface TakeVariant {
  kind: "TakeVariant";
  name: string;
}

/** Measured points, as the text of a CSV file (x, y, z per line, in `units`): compared with a cable. */
export interface AddPoints {
  kind: "AddPoints";
  name: string;
  text: string;
  units: "mm" | "cm" | "m" | "in";
  cable: string;
}

export interface RemovePoints {
  kind: "RemovePoints";
  name: string;
}

/** How the tree is arranged: what is hidden, locked, transparent, and in which group. Absent: as it was. */
export interface Arrange {
  kind: "Arrange";
  hidden?: string[] | null;
  locked?: string[] | null;
  transparent?: string[] | null;
  groups?: { [key: string]: string[] } | null;
}

export interface KeepView {
  kind: "KeepView";
  view: View;
}

export interface RemoveView {
  kind: "RemoveView";
  name: string;
}

export interface SetUnit {
  kind: "SetUnit";
  unit: "mm" | "cm" | "m" | "in";
}

/** What frames carry beside the shape. */
export interface Colour {
  kind: "Colour";
  quantity: "none" | "bend_radius" | "curvature" | "torsion" | "tension" | "stress" | "contact" | "clearance";
}

/** Which cable `Readouts` carries curves of along its length; none: no curves. */
export interface Plot {
  kind: "Plot";
  cable: string | null;
}

export interface Undo {
  kind: "Undo";
}

export interface Redo {
  kind: "Redo";
}

/** An empty scene, or one from a template or the gallery ("demo:brake hose"). */
export interface New {
  kind: "New";
  template?: string;
}

/** A scene file of the workspace, by its path in it; or edits that were never saved, as `Files` names them. */
export interface Open {
  kind: "Open";
  path: string;
}

/** Writes scene, state and what belongs to the studio; with a path: under another name. */
export interface Save {
  kind: "Save";
  path?: string | null;
}

/** Forgets edits that were recovered after a crash: back to the file. */
export interface Discard {
  kind: "Discard";
}

/** Writes a file beside the scene, or a folder of them; answered with the paths of the files in the workspace. */
export interface ExportFile {
  kind: "ExportFile";
  format: "picture" | "table" | "shapes" | "report";
  path?: string | null;
}

/** Begins a recording of all commands, or ends it and writes it; answered with its path. */
export interface Record {
  kind: "Record";
  on: boolean;
}

/** Plays a recording from its beginning, at the pace of then; answered with how many commands it has. */
export interface Replay {
  kind: "Replay";
  path: string;
}

/** The session so far as a Python script; answered with its text. */
export interface Script {
  kind: "Script";
}

/** What the workspace holds; answered with scenes, recordings, recent ones, the gallery, and unsaved edits. */
export interface Files {
  kind: "Files";
}

/** To the command of that number: done, or why not; nothing changed then. */
export interface Answer {
  kind: "Answer";
  to: number;
  ok: boolean;
  error: string;
  value: unknown;
  stopped: boolean;
}

/** Something to be said; `path` is what it is about. */
export interface Notice {
  kind: "Notice";
  level: "info" | "warning" | "error";
  text: string;
  path: string;
}

/** What the simulation process is doing; `restarted` after it died and came back. A text with `ready` is of what is being prepared meanwhile. */
export interface Status {
  kind: "Status";
  state: "starting" | "compiling" | "solving" | "replaying" | "ready" | "restarted";
  text: string;
  can_stop: boolean;
}

/** What holds a cable: an end or a clip. `kind` is clamp, ball, swivel, ring, sleeve, free or joined. */
export interface Support {
  path: string;
  name: string;
  kind: string;
  at: number;
  on: string | null;
  position: [number, number, number];
  quaternion: [number, number, number, number] | null;
}

export interface CableInfo {
  name: string;
  type: string | null;
  length: number;
  radius: number;
  outline: [number, number][];
  points: number;
  supports: Support[];
  limits: { [key: string]: unknown };
  mode: "fixed" | "soft" | "feed";
  bent: number | null;
  stiffness: { [key: string]: number };
  fields: { [key: string]: unknown };
}

/** A named place on a part, in its axes: with a direction, and a whole orientation, where it has them. */
export interface FrameInfo {
  name: string;
  position: [number, number, number];
  direction: [number, number, number] | null;
  quaternion: [number, number, number, number] | null;
}

export interface PartInfo {
  name: string;
  mesh: string | null;
  solid: boolean;
  triangles: number;
  motion: string;
  parent: string | null;
  frames: FrameInfo[];
  position: [number, number, number];
  quaternion: [number, number, number, number];
  fields: { [key: string]: unknown };
}

export interface JunctionInfo {
  name: string;
  motion: string;
  members: string[];
  position: [number, number, number];
  quaternion: [number, number, number, number];
  fields: { [key: string]: unknown };
}

/** A cable type of the scene, or of the library ("library:…"). */
export interface TypeInfo {
  name: string;
  summary: string;
  fields: { [key: string]: unknown };
}

export interface MeasureInfo {
  number: number;
  a: Pick;
  b: Pick;
  text: string;
}

export interface ClipInfo {
  name: string;
  kind: string;
  at: number | null;
}

/** What a cable is made of, and how it is held between its ends. */
export interface MakeInfo {
  cable: string;
  type: string | null;
  clips: ClipInfo[];
}

export interface VariantInfo {
  name: string;
  shown: boolean;
  cables: CableValues[];
  makes: MakeInfo[];
  shapes: { [key: string]: [number, number, number][] };
}

export interface PointsInfo {
  name: string;
  cable: string;
  points: [number, number, number][];
}

/** Everything that is not a shape; after every change of it. */
export interface SceneEvent {
  kind: "SceneEvent";
  title: string;
  file: string | null;
  unsaved: boolean;
  recovered: boolean;
  undo: string;
  redo: string;
  simulate: boolean;
  recording: boolean;
  unit: "mm" | "cm" | "m" | "in";
  gravity: [number, number, number];
  cables: CableInfo[];
  parts: PartInfo[];
  junctions: JunctionInfo[];
  types: TypeInfo[];
  hidden: string[];
  locked: string[];
  transparent: string[];
  groups: { [key: string]: string[] };
  views: View[];
  measures: MeasureInfo[];
  variants: VariantInfo[];
  points: PointsInfo[];
  colour: "none" | "bend_radius" | "curvature" | "torsion" | "tension" | "stress" | "contact" | "clearance";
  question: string;
  joints: JointInfo[];
  positions: PositionInfo[];
  motions: MotionInfo[];
  taking: boolean;
  machine: MachineInfo | null;
}

/** One cable of a frame; its numbers follow the header: positions (n×3), quaternions (n×4), colour (n), float32. */
export interface Strand {
  name: string;
  points: number;
  length: number;
  bend_radius: number;
  bend_radius_at: number;
}

/** Where a part, a junction or a support (by path) is. */
export interface Body {
  path: string;
  position: [number, number, number];
  quaternion: [number, number, number, number] | null;
}

/** The drag under way: where the thing is, and why it is not where the pointer wants it. */
export interface Held {
  path: string;
  position: [number, number, number];
  wanted: [number, number, number];
  reason: string;
  force: number | null;
}

/** The header of a binary frame: uint32 length of this (JSON, padded to a multiple of 4), this, then the numbers. */
export interface Frame {
  kind: "Frame";
  number: number;
  seconds: number;
  status: string;
  reason: string;
  colour: "none" | "bend_radius" | "curvature" | "torsion" | "tension" | "stress" | "contact" | "clearance";
  strands: Strand[];
  bodies: Body[];
  held: Held | null;
  joints: { [key: string]: number[] };
  playhead: Playhead | null;
  stopped: string;
  ropes: RopeStrand[];
  clock: Clock | null;
}

/** Read-outs of one cable. */
export interface CableValues {
  name: string;
  status: string;
  length: number;
  bend_radius: number;
  bend_radius_at: number;
  tension: number;
  twist: number;
  clearance: number | null;
  clearance_to: string;
  residual: number;
  penetration: number;
  weight: number;
  level: number;
}

export interface CheckValue {
  cable: string;
  rule: string;
  text: string;
  limit: number;
  value: number | null;
  unit: string;
  at: number | null;
  point: [number, number, number] | null;
  ok: boolean;
}

export interface Reaction {
  path: string;
  point: [number, number, number];
  force: [number, number, number];
  moment: [number, number, number];
}

export interface ContactValue {
  cable: string;
  other: string;
  at: number;
  point: [number, number, number];
  force: [number, number, number];
}

export interface MeasureValue {
  number: number;
  distance: number | null;
  angle: number | null;
  arc: number | null;
  a: [number, number, number];
  b: [number, number, number];
}

/** Along one cable: what the plots draw. */
export interface Curves {
  cable: string;
  s: number[];
  curvature: number[];
  torsion: number[];
  tension: number[];
  moment: number[];
  curvature_limit: number | null;
}

/** Of measured points from their cable, m. */
export interface Deviation {
  name: string;
  mean: number;
  largest: number;
}

/** Everything that is read off the shapes; less often than frames. */
export interface Readouts {
  kind: "Readouts";
  frame: number;
  status: string;
  reason: string;
  cables: CableValues[];
  checks: CheckValue[];
  reactions: Reaction[];
  contacts: ContactValue[];
  measures: MeasureValue[];
  deviations: Deviation[];
  curves: Curves | null;
  notes: string[];
}

/** Where joints are to be, while they are dragged; a later one makes an earlier one void. `Drop` lets go. */
export interface Steer {
  kind: "Steer";
  joints: { [key: string]: unknown };
}

/** To which time of a motion the parts are to go, while it is played or scrubbed; `Drop` lets go. */
export interface Scrub {
  kind: "Scrub";
  motion: string;
  seconds: number;
}

/** Typed values of joints: numbers, or texts with a unit; only what is given changes. */
export interface SetJoints {
  kind: "SetJoints";
  joints: { [key: string]: unknown };
}

export interface GoToPosition {
  kind: "GoToPosition";
  name: string;
}

/** To a time of a motion; with `along` as its sweep does: to its beginning, and along it from there. */
export interface GoToTime {
  kind: "GoToTime";
  motion: string;
  seconds: number;
  along?: boolean;
}

/** Keeps the present setting of the joints under a name. */
export interface KeepPosition {
  kind: "KeepPosition";
  name: string;
}

export interface RemovePosition {
  kind: "RemovePosition";
  name: string;
}

export interface RenamePosition {
  kind: "RenamePosition";
  name: string;
  to: string;
}

export interface KeyframeSaid {
  time: number;
  joints: { [key: string]: unknown };
}

/** A new motion; answered with its name, which may get a number. */
export interface AddMotion {
  kind: "AddMotion";
  name: string;
  keyframes: KeyframeSaid[];
}

export interface RemoveMotion {
  kind: "RemoveMotion";
  name: string;
}

export interface RenameMotion {
  kind: "RenameMotion";
  name: string;
  to: string;
}

/** Begins to take down how joints are moved, or ends that: a new motion, answered with its name. */
export interface Take {
  kind: "Take";
  on: boolean;
  name?: string;
}

/** Visits every position of a motion in the background, on a copy of the scene. */
export interface Sweep {
  kind: "Sweep";
  motion: string;
}

/** Ends the sweep or the envelope under way; what was found stays. */
export interface StopSweep {
  kind: "StopSweep";
}

/** Whether what a cable sweeps in a motion is drawn; found in the background when it is first asked for. */
export interface ShowEnvelope {
  kind: "ShowEnvelope";
  motion: string;
  cable: string;
  shown: boolean;
}

/** Writes what a sweep found to a folder beside the scene; answered with its path and the files in it. */
export interface ExportSweep {
  kind: "ExportSweep";
  motion: string;
}

export interface JointInfo {
  name: string;
  part: string;
  kind: "hinge" | "slide" | "ball" | "fixed";
  low: number | null;
  high: number | null;
}

export interface PositionInfo {
  name: string;
  joints: { [key: string]: number[] };
}

export interface MotionInfo {
  name: string;
  recorded: boolean;
  moves: string[];
  times: number[];
  error: string;
}

/** Where on a motion the parts stand. */
export interface Playhead {
  motion: string;
  time: number;
}

/** One check over a sweep; lists have an entry for every position. */
export interface Band {
  cable: string;
  rule: string;
  text: string;
  limit: number;
  unit: string;
  values: (number | null)[];
  margins: (number | null)[];
  worst: number | null;
  failed: number;
}

/** A cable snapped through on the way to a position. */
export interface SnapMark {
  cable: string;
  position: number;
  distance: number;
}

export interface EnvelopeInfo {
  cable: string;
  shown: boolean;
  done: number;
  mesh: string | null;
  volume: number | null;
  error: string;
}

/** The sweep of one motion. */
export interface SweepInfo {
  motion: string;
  progress: "running" | "done" | "stopped" | "failed";
  stale: boolean;
  total: number;
  times: number[];
  reasons: string[];
  bands: Band[];
  snaps: SnapMark[];
  envelopes: EnvelopeInfo[];
  error: string;
}

/** All sweeps of this scene. */
export interface Sweeps {
  kind: "Sweeps";
  sweeps: SweepInfo[];
}

/** Whether time runs. */
export interface Play {
  kind: "Play";
  on: boolean;
}

/** So many substeps of 1/600 s; ten are a step. */
export interface Advance {
  kind: "Advance";
  substeps?: number;
}

/** Back to how the scene says that the machine begins; motors stay as they are set. */
export interface Rewind {
  kind: "Rewind";
}

/** How fast time runs, in multiples of real time. */
export interface Pace {
  kind: "Pace";
  speed: number;
}

/** What drives a joint from now on: a speed (with a torque at most), a torque, or the tension of its rope. */
export interface SetMotor {
  kind: "SetMotor";
  joint: string;
  drive: "off" | "speed" | "torque" | "tension";
  value?: number;
  most?: number | null;
}

/** Bodies and ropes go where they stand by themselves, motors hold; answered with how that went. */
export interface FindRest {
  kind: "FindRest";
}

/** Which series over time `Machine` carries: "energy", "tension/ROPE/2", "joint/WINCH", "position/PART/z" … */
export interface Watch {
  kind: "Watch";
  series: string[];
}

/** Writes what was recorded since the start to a folder beside the scene; answered with the paths of the files. */
export interface ExportRun {
  kind: "ExportRun";
}

export interface LinkInfo {
  on: string;
  link: string;
  named: boolean;
}

export interface RopeInfo {
  name: string;
  diameter: number;
  closed: boolean;
  path: LinkInfo[];
  breaking: number | null;
  allowed: number | null;
}

/** A joint on a free part; origin and axis in the axes of its parent. */
export interface AxisInfo {
  name: string;
  part: string;
  joint: "hinge" | "slide" | "ball" | "fixed";
  parent: string | null;
  origin: [number, number, number];
  axis: [number, number, number];
  low: number | null;
  high: number | null;
  winch: boolean;
  drive: "off" | "speed" | "torque" | "tension";
  value: number;
  most: number | null;
  reach: { [key: string]: number };
}

export interface MachineInfo {
  ropes: RopeInfo[];
  joints: AxisInfo[];
  loose: string[];
  weight: number;
}

/** One rope of a frame; its numbers follow those of the cables, float32: positions (n×3), tension (n; NaN where it is slack), and of each span (m×5) the link that it leaves, its first point, how many it has, its tension, and by how much it is longer than its way (m). */
export interface RopeStrand {
  name: string;
  points: number;
  spans: number;
  broken: boolean;
}

/** The time of the machine. */
export interface Clock {
  time: number;
  playing: boolean;
  pace: number;
  ratio: number | null;
  error: string;
}

export interface SpanValue {
  link: number;
  to: number;
  tension: number | null;
  length: number;
  rest: number;
  slack: boolean;
}

export interface RopeValue {
  name: string;
  total: number;
  broke: string;
  spans: SpanValue[];
  stored: (number | null)[];
  turns: number[];
  fleet: number[];
}

export interface AxisValue {
  name: string;
  value: number;
  speed: number;
  torque: number;
  drive: "off" | "speed" | "torque" | "tension";
  setting: number;
  most: number | null;
}

/** Over time; where there is more than can be drawn, the extremes are kept. */
export interface Series {
  key: string;
  times: number[];
  values: (number | null)[];
}

/** Everything that is read off a machine; less often than frames. */
export interface Machine {
  kind: "Machine";
  time: number;
  since: number;
  energy: number;
  kinetic: number;
  ropes: RopeValue[];
  joints: AxisValue[];
  series: Series[];
}

export type Command = Grab | Drag | Drop | Cancel | Move | Turn | Edit | AddClip | SpaceClips | AddCable | AddType | AddPart | AddShape | Join | Remove | Duplicate | Rename | Simulate | Solve | Stop | Reset | Lengthen | Soften | Feed | Freeze | HowLong | AddMeasure | RemoveMeasure | KeepVariant | RemoveVariant | ShowVariant | TakeVariant | AddPoints | RemovePoints | Arrange | KeepView | RemoveView | SetUnit | Colour | Plot | Undo | Redo | New | Open | Save | Discard | ExportFile | Record | Replay | Script | Files | Steer | Scrub | SetJoints | GoToPosition | GoToTime | KeepPosition | RemovePosition | RenamePosition | AddMotion | RemoveMotion | RenameMotion | Take | Sweep | StopSweep | ShowEnvelope | ExportSweep | Play | Advance | Rewind | Pace | SetMotor | FindRest | Watch | ExportRun;

export type SessionEvent = Answer | Notice | Status | SceneEvent;

export type Snapshot = Frame | Readouts | Sweeps | Machine;
