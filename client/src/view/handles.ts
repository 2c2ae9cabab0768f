// The gizmo's shape: arrows, squares, arcs and the knob, in a space where an arrow is 1 long.
import { BufferGeometry, ConeGeometry, CylinderGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial, PlaneGeometry, Quaternion, SphereGeometry, TorusGeometry, Vector3 } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Axis, Pointer } from "../pointer";
import type { CameraRig } from "./camera";
import { nearestOnSegment, onPlane } from "./lines";
import type { Stage } from "./stage";

export interface Handle {
  kind: "move" | "plane" | "turn" | "knob";
  axis: Vector3; // along which it moves, about which it turns, across which it slides
  mesh: Mesh<BufferGeometry, MeshBasicMaterial>;
  colour: number; // which of the three, or 3 for the knob
}

const ARC = 0.7; // radius of the turning arcs
const KNOB = 0.98;
const SQUARE = { from: 0.2, to: 0.36 };
const X = new Vector3(1, 0, 0), Y = new Vector3(0, 1, 0), Z = new Vector3(0, 0, 1);

export class Handles {
  readonly group = new Group();
  private readonly all: Handle[];
  private readonly knobGroup = new Group();
  private lit: Handle | null = null;

  constructor(private readonly stage: Stage) {
    this.all = [X, Y, Z].flatMap((axis, colour) => [
      this.make("move", axis, colour, arrow(axis)),
      this.make("plane", axis, colour, square(axis)),
      this.make("turn", axis, colour, arc(axis)),
    ]);
    this.all.push(this.make("knob", Z, 3, knob()));
    this.group.remove(this.knob.mesh);
    this.knobGroup.add(this.knob.mesh);
    this.group.add(this.knobGroup);
    this.group.visible = false;
    stage.front.add(this.group);
    stage.onTheme(() => this.light(this.lit));
  }

  private get knob(): Handle {
    return this.all[this.all.length - 1];
  }

  /** Shows what the thing can do, as the camera sees it: an arrow seen end on is no use. */
  arrange(turns: boolean, hasKnob: boolean, orientation: Quaternion | null, rig: CameraRig): void {
    const view = rig.forward;
    for (const handle of this.all) {
      const along = Math.abs(handle.axis.clone().applyQuaternion(this.group.quaternion).dot(view));
      if (handle.kind === "move") handle.mesh.visible = along < 0.985;
      else if (handle.kind === "plane") handle.mesh.visible = along > 0.2;
      else if (handle.kind === "turn") handle.mesh.visible = turns && along > 0.12;
      else handle.mesh.visible = turns && hasKnob;
    }
    if (orientation !== null) this.knobGroup.quaternion.copy(this.group.quaternion).invert().multiply(orientation);
  }

  light(handle: Handle | null): void {
    this.lit = handle;
    const { colours } = this.stage;
    for (const each of this.all) {
      each.mesh.material.color.set(each === handle ? colours.accent : each.colour < 3 ? colours.axes[each.colour] : colours.support);
      each.mesh.material.opacity = each === handle ? 1 : each.kind === "plane" ? 0.45 : 0.92;
    }
  }

  /** The handle under a pointer; the smaller ones count first. */
  pick(pointer: Pointer): Handle | null {
    const ray = pointer.ray.clone().applyMatrix4(this.group.matrixWorld.clone().invert());
    const reach = (1.15 * pointer.reach(this.group.position)) / this.group.scale.x;
    const shown = this.all.filter((handle) => handle.mesh.visible);
    for (const kind of ["knob", "plane", "move", "turn"] as const) {
      let best: Handle | null = null;
      let least = reach;
      for (const handle of shown) {
        if (handle.kind !== kind) continue;
        const gap = this.gap(handle, ray.clone());
        if (gap < least) {
          least = gap;
          best = handle;
        }
      }
      if (best !== null) return best;
    }
    return null;
  }

  /** A point to take a handle by, in the world. */
  place(kind: Handle["kind"], axis: Axis): Vector3 | null {
    const along = { x: X, y: Y, z: Z }[axis];
    const handle = this.all.find((each) => each.kind === kind && each.axis === (kind === "knob" ? Z : along));
    if (handle === undefined || !handle.mesh.visible) return null;
    const [u, v] = others(along);
    const between = u.clone().add(v);
    const local = { move: along.clone().multiplyScalar(0.8), plane: between.clone().multiplyScalar((SQUARE.from + SQUARE.to) / 2), turn: between.clone().normalize().multiplyScalar(ARC), knob: X.clone().multiplyScalar(KNOB).applyQuaternion(this.knobGroup.quaternion) }[kind];
    this.group.updateMatrixWorld();
    return local.applyMatrix4(this.group.matrixWorld);
  }

  /** Distance of a ray from a handle, in the gizmo's space. */
  private gap(handle: Handle, ray: Pointer["ray"]): number {
    const { kind, axis } = handle;
    if (kind === "move") return nearestOnSegment(ray, axis.clone().multiplyScalar(0.3), axis.clone().multiplyScalar(1.06)).distance;
    if (kind === "plane") return onSquare(ray, axis) ? 0 : Infinity;
    const [u, v] = kind === "turn" ? others(axis) : [X.clone(), Y.clone()].map((k) => k.applyQuaternion(this.knobGroup.quaternion));
    const radius = kind === "turn" ? ARC : KNOB;
    return gapToArc(ray, u.clone().multiplyScalar(radius), v.clone().multiplyScalar(radius), kind === "turn" ? Math.PI / 2 : 2 * Math.PI);
  }

  private make(kind: Handle["kind"], axis: Vector3, colour: number, shape: BufferGeometry): Handle {
    const material = new MeshBasicMaterial({ transparent: true, side: DoubleSide });
    const mesh = new Mesh(shape, material);
    this.group.add(mesh);
    return { kind, axis, mesh, colour };
  }
}

function onSquare(ray: Pointer["ray"], axis: Vector3): boolean {
  const p = onPlane(ray, new Vector3(), axis);
  return p !== null && others(axis).every((other) => p.dot(other) > SQUARE.from - 0.03 && p.dot(other) < SQUARE.to + 0.03);
}

/** Distance of a ray from an arc that begins at u and goes towards v; right also where it is seen edge on. */
function gapToArc(ray: Pointer["ray"], u: Vector3, v: Vector3, angle: number): number {
  const steps = Math.ceil(angle / 0.2);
  const at = (k: number): Vector3 => u.clone().multiplyScalar(Math.cos((angle * k) / steps)).addScaledVector(v, Math.sin((angle * k) / steps));
  let least = Infinity;
  for (let k = 0; k < steps; k++) least = Math.min(least, nearestOnSegment(ray, at(k), at(k + 1)).distance);
  return least;
}

/** The two axes across one, in order. */
function others(axis: Vector3): [Vector3, Vector3] {
  return axis === X ? [Y, Z] : axis === Y ? [X, Z] : [X, Y];
}

/** Shapes are made about z, then turned so that z is the axis. */
function turned(shape: BufferGeometry, axis: Vector3): BufferGeometry {
  return shape.applyQuaternion(new Quaternion().setFromUnitVectors(Z, axis));
}

function arrow(axis: Vector3): BufferGeometry {
  const shaft = new CylinderGeometry(0.012, 0.012, 0.6, 10).translate(0, 0.56, 0);
  const tip = new ConeGeometry(0.045, 0.17, 20).translate(0, 0.94, 0);
  return turned(merge(shaft, tip).rotateX(Math.PI / 2), axis);
}

function square(axis: Vector3): BufferGeometry {
  const side = SQUARE.to - SQUARE.from, middle = (SQUARE.to + SQUARE.from) / 2;
  const [u, v] = others(axis);
  const shape = turned(new PlaneGeometry(side, side), axis);
  return shape.translate(...u.clone().add(v).multiplyScalar(middle).toArray());
}

function arc(axis: Vector3): BufferGeometry {
  const quarter = new TorusGeometry(ARC, 0.013, 8, 32, Math.PI / 2);
  if (axis === X) return quarter.rotateY(-Math.PI / 2); // from x and y to z and y
  if (axis === Y) return quarter.rotateX(Math.PI / 2);
  return quarter;
}

function knob(): BufferGeometry {
  const ring = new TorusGeometry(KNOB, 0.011, 8, 72);
  const ball = new SphereGeometry(0.06, 18, 12).translate(KNOB, 0, 0);
  return merge(ring, ball);
}

function merge(...shapes: BufferGeometry[]): BufferGeometry {
  const whole = mergeGeometries(shapes);
  if (whole === null) throw new Error("gizmo shapes that do not fit together");
  return whole;
}
