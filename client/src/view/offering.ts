// A mesh that is to become a part: seen through, in its box, where it would stand; the view shows it whole meanwhile.
import {
  Box3,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  Vector3,
} from "three";
import type { Offer } from "../store";
import type { Stage } from "./stage";

const SEE_THROUGH = 0.5;
/** The rotation that makes an axis of the file point up, as the session turns it. */
const UP: { [axis in Offer["up"]]: Quaternion } = {
  z: new Quaternion(),
  y: new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), Math.PI / 2),
  x: new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), -Math.PI / 2),
};

export class Offering {
  private readonly group = new Group();
  private readonly surface = new Mesh(
    new BufferGeometry(),
    new MeshStandardMaterial({ transparent: true, opacity: SEE_THROUGH, depthWrite: false, side: DoubleSide, flatShading: true }),
  );
  private readonly box = new LineSegments(new BufferGeometry(), new LineBasicMaterial());

  constructor(private readonly stage: Stage) {
    this.group.visible = false;
    this.group.add(this.surface, this.box);
    stage.scene.add(this.group);
    stage.onTheme(({ accent }) => [this.surface, this.box].forEach(({ material }) => material.color.set(accent)));
  }

  /** Draws it, or none; the box around it in the world. */
  show(offer: Offer | null): Box3 {
    this.group.visible = offer !== null;
    this.stage.invalidate();
    if (offer === null) return new Box3();
    const within = new Box3(new Vector3(...offer.low), new Vector3(...offer.high));
    const size = within.getSize(new Vector3());
    this.surface.geometry.dispose();
    this.surface.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(offer.corners), 3));
    this.box.geometry.dispose();
    this.box.geometry = new EdgesGeometry(new BoxGeometry(size.x, size.y, size.z));
    within.getCenter(this.box.position);
    this.group.scale.setScalar(offer.scale);
    this.group.quaternion.copy(UP[offer.up]);
    this.group.position.set(...offer.position);
    this.group.updateMatrixWorld(true);
    return within.applyMatrix4(this.group.matrixWorld);
  }
}
