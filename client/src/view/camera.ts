// Where the eye is: it turns about the vertical like a thing on a turntable, and z stays up.
//
// The state is the target, two angles and the distance; both cameras are derived from it, so that changing between
// perspective and parallel projection keeps what is at the target at its size.
import { Box3, Matrix4, OrthographicCamera, PerspectiveCamera, Quaternion, Ray, Vector2, Vector3 } from "three";
import type { View } from "../messages";
import type { StandardView } from "../store";

const FIELD = (32 * Math.PI) / 180; // narrow: lengths near and far stay comparable
const NEAREST = 0.004; // m, closest distance of the eye to its target
const FARTHEST = 500;
const HALF_TURN = Math.PI;

/** Azimuth and height of the eye as seen from the target. */
const STANDARD: { [view in StandardView]: [number, number] } = {
  front: [-HALF_TURN / 2, 0],
  back: [HALF_TURN / 2, 0],
  left: [HALF_TURN, 0],
  right: [0, 0],
  top: [-HALF_TURN / 2, HALF_TURN / 2],
  bottom: [-HALF_TURN / 2, -HALF_TURN / 2],
  isometric: [-HALF_TURN / 3.2, 0.48],
};

interface Stand {
  target: Vector3;
  azimuth: number;
  height: number; // angle above the horizon
  distance: number;
}

export class CameraRig {
  readonly perspective = new PerspectiveCamera();
  readonly parallel = new OrthographicCamera();
  orthographic = false;
  size = new Vector2(1, 1);
  private stand: Stand = { target: new Vector3(), azimuth: STANDARD.isometric[0], height: STANDARD.isometric[1], distance: 1 };
  private goal: { from: Stand; to: Stand; began: number } | null = null;
  private bounds = new Box3(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));

  constructor(private readonly changed: () => void) {
    this.update();
  }

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.orthographic ? this.parallel : this.perspective;
  }

  get target(): Vector3 {
    return this.stand.target;
  }

  get eye(): Vector3 {
    return this.camera.position;
  }

  /** Away from the viewer. */
  get forward(): Vector3 {
    return new Vector3(0, 0, -1).applyQuaternion(this.camera.quaternion);
  }

  /** Metres per pixel at a point. */
  pixel(point: Vector3): number {
    const depth = this.orthographic ? this.stand.distance : Math.max(1e-6, point.clone().sub(this.eye).dot(this.forward));
    return (2 * depth * Math.tan(FIELD / 2)) / this.size.y;
  }

  /** Pixels from the top left; none behind the eye. */
  project(point: Vector3): Vector2 | null {
    const p = point.clone().project(this.camera);
    if (p.z > 1 || p.z < -1) return null;
    return new Vector2(((p.x + 1) / 2) * this.size.x, ((1 - p.y) / 2) * this.size.y);
  }

  ray(x: number, y: number): Ray {
    const ndc = new Vector3((x / this.size.x) * 2 - 1, 1 - (y / this.size.y) * 2, -1);
    const near = ndc.clone().unproject(this.camera);
    const direction = this.orthographic ? this.forward : near.clone().sub(this.eye).normalize();
    return new Ray(this.orthographic ? near : this.eye.clone(), direction);
  }

  resize(width: number, height: number): void {
    this.size.set(Math.max(1, width), Math.max(1, height));
    this.update();
  }

  /** What the scene fills: sets the near and far planes. */
  setBounds(bounds: Box3): void {
    if (bounds.isEmpty()) return;
    this.bounds.copy(bounds);
    this.update();
  }

  setOrthographic(on: boolean): void {
    this.orthographic = on;
    this.update();
  }

  /** Turns the eye; `pivot` stays where it is on the screen. */
  orbit(azimuth: number, height: number, pivot: Vector3): void {
    const stand = this.settle();
    const seen = pivot.clone().sub(stand.target).applyQuaternion(orientation(stand).invert());
    stand.azimuth += azimuth;
    stand.height = Math.max(-HALF_TURN / 2, Math.min(HALF_TURN / 2, stand.height + height));
    stand.target.copy(pivot).sub(seen.applyQuaternion(orientation(stand)));
    this.update();
  }

  /** Moves eye and target together, by a world vector. */
  pan(by: Vector3): void {
    this.settle().target.add(by);
    this.update();
  }

  /** Nearer by a factor; `about` stays where it is on the screen. */
  zoom(factor: number, about: Vector3): void {
    const stand = this.settle();
    const distance = Math.max(NEAREST, Math.min(FARTHEST, stand.distance * factor));
    const actual = distance / stand.distance;
    stand.target.lerp(about, 1 - actual);
    stand.distance = distance;
    this.update();
  }

  fit(box: Box3, direction: [number, number] | null = null, atOnce = false): void {
    const to = { ...this.stand, target: this.stand.target.clone() };
    if (direction !== null) [to.azimuth, to.height] = nearestTurn(this.stand.azimuth, direction);
    if (!box.isEmpty()) {
      const { half, centre } = extent(box, orientation(to));
      const aspect = this.size.x / this.size.y;
      const room = 1.14;
      const high = room * Math.max(half.y, half.x / aspect);
      to.target.copy(centre);
      to.distance = Math.max(4 * NEAREST, high / Math.tan(FIELD / 2) + (this.orthographic ? 0 : half.z * 0.6));
    }
    this.glide(to, atOnce);
  }

  standard(view: StandardView, box: Box3, atOnce = false): void {
    this.fit(box, STANDARD[view], atOnce);
  }

  current(name: string): View {
    const { target, distance } = this.stand;
    const up = new Vector3(0, 1, 0).applyQuaternion(this.camera.quaternion);
    const eye = new Vector3(0, 0, distance).applyQuaternion(this.camera.quaternion).add(target);
    const height = 2 * distance * Math.tan(FIELD / 2);
    return { name, eye: eye.toArray(), target: target.toArray(), up: up.toArray(), height, orthographic: this.orthographic };
  }

  goTo(view: View): void {
    const target = new Vector3(...view.target);
    const back = new Vector3(...view.eye).sub(target);
    const flat = Math.hypot(back.x, back.y);
    const height = Math.atan2(back.z, flat);
    const steep = flat < 1e-6 * back.length(); // straight from above or below: only `up` tells the azimuth
    const azimuth = steep ? Math.atan2(-view.up[1] * Math.sign(back.z), -view.up[0] * Math.sign(back.z)) : Math.atan2(back.y, back.x);
    const distance = view.orthographic ? view.height / (2 * Math.tan(FIELD / 2)) : back.length();
    const [near] = nearestTurn(this.stand.azimuth, [azimuth, height]);
    this.glide({ target, azimuth: near, height, distance });
  }

  /** Advances a change of view under way; true while there is one. */
  advance(now: number): boolean {
    const goal = this.goal;
    if (goal === null) return false;
    const t = Math.min(1, (now - goal.began) / 260);
    const s = t * t * (3 - 2 * t);
    this.stand = {
      target: goal.from.target.clone().lerp(goal.to.target, s),
      azimuth: goal.from.azimuth + s * (goal.to.azimuth - goal.from.azimuth),
      height: goal.from.height + s * (goal.to.height - goal.from.height),
      distance: goal.from.distance * (goal.to.distance / goal.from.distance) ** s,
    };
    if (t >= 1) this.goal = null;
    this.update();
    return true;
  }

  private glide(to: Stand, atOnce = false): void {
    const still = atOnce || matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.goal = { from: this.stand, to, began: performance.now() - (still ? 1e4 : 0) };
    this.changed();
  }

  /** Ends a change of view under way where it is. */
  private settle(): Stand {
    this.goal = null;
    return this.stand;
  }

  private update(): void {
    const { target, distance } = this.stand;
    const turn = orientation(this.stand);
    const aspect = this.size.x / this.size.y;
    const high = distance * Math.tan(FIELD / 2);
    const centre = this.bounds.getCenter(new Vector3());
    const reach = 4 * this.bounds.getSize(new Vector3()).length() + 4 * distance;
    for (const camera of [this.perspective, this.parallel]) {
      camera.quaternion.copy(turn);
      camera.position.set(0, 0, distance).applyQuaternion(turn).add(target);
    }
    const depth = centre.distanceTo(this.perspective.position);
    this.perspective.fov = (FIELD * 180) / Math.PI;
    this.perspective.aspect = aspect;
    this.perspective.near = Math.max(distance / 200, Math.min(distance / 4, depth - reach));
    this.perspective.far = depth + reach;
    // A parallel camera may stand far back: nothing is then behind it.
    const back = depth + reach;
    this.parallel.position.set(0, 0, back).applyQuaternion(turn).add(target);
    this.parallel.left = -high * aspect;
    this.parallel.right = high * aspect;
    this.parallel.top = high;
    this.parallel.bottom = -high;
    this.parallel.near = 0;
    this.parallel.far = 2 * back + reach;
    for (const camera of [this.perspective, this.parallel]) {
      camera.updateProjectionMatrix();
      camera.updateMatrixWorld();
    }
    this.changed();
  }
}

function orientation({ azimuth, height }: Stand): Quaternion {
  const back = new Vector3(Math.cos(height) * Math.cos(azimuth), Math.cos(height) * Math.sin(azimuth), Math.sin(height));
  const right = new Vector3(-Math.sin(azimuth), Math.cos(azimuth), 0);
  return new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(right, back.clone().cross(right), back));
}

/** The same direction, less than half a turn away. */
function nearestTurn(from: number, [azimuth, height]: [number, number]): [number, number] {
  return [azimuth + 2 * HALF_TURN * Math.round((from - azimuth) / (2 * HALF_TURN)), height];
}

/** Half sizes and centre of a box as seen from a direction. */
function extent(box: Box3, turn: Quaternion): { half: Vector3; centre: Vector3 } {
  const centre = box.getCenter(new Vector3());
  const inverse = turn.clone().invert();
  const half = new Vector3();
  for (let i = 0; i < 8; i++) {
    const corner = new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z);
    corner.sub(centre).applyQuaternion(inverse);
    half.max(corner.set(Math.abs(corner.x), Math.abs(corner.y), Math.abs(corner.z)));
  }
  return { half, centre };
}
