// Joints of a machine: the axis of a hinge as a ring with a pin, of a slide as a rail, a ball as a dot; as large as reads well.
import { BufferGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Quaternion, SphereGeometry, TorusGeometry, Vector3 } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { AxisInfo, SceneEvent } from "../messages";
import type { Bench } from "./bench";

const SIZE = 9; // px: of half a sign
const MOST = 80; // beyond, they would hide the machine

interface Sign {
  joint: AxisInfo;
  mesh: Mesh;
}

export class Axles {
  private readonly group = new Group();
  private readonly plain = new MeshBasicMaterial({ transparent: true, opacity: 0.85 });
  private readonly driven = new MeshBasicMaterial({ transparent: true, opacity: 0.95 });
  private readonly shapes: { [kind in AxisInfo["joint"]]: BufferGeometry } = {
    hinge: joined(new TorusGeometry(0.75, 0.12, 8, 24), bar(0.11, 2.6)),
    slide: joined(bar(0.09, 5), head(2.5), head(-2.5)),
    ball: new SphereGeometry(0.6, 16, 12),
    fixed: new SphereGeometry(0.3, 12, 8),
  };
  private signs: Sign[] = [];

  constructor(private readonly bench: Bench) {
    const { stage, store } = bench;
    stage.front.add(this.group);
    stage.onTheme((colours) => {
      this.plain.color.set(colours.ghost);
      this.driven.color.set(colours.moment);
    });
    store.on("scene", (scene) => scene !== null && this.setScene(scene));
    store.on("frame", () => this.follow());
    store.on("options", ({ joints }) => (this.group.visible = joints));
    store.on("machine", (machine) => {
      const driven = new Set(machine?.joints.filter((k) => k.drive !== "off").map((k) => k.name));
      for (const { joint, mesh } of this.signs) mesh.material = driven.has(joint.name) ? this.driven : this.plain;
    });
    stage.beforeDraw(() => this.size());
  }

  private setScene(scene: SceneEvent): void {
    const joints = (scene.machine?.joints ?? []).filter((k) => k.joint !== "fixed");
    this.group.clear();
    this.group.visible = this.bench.store.get("options").joints;
    this.signs = (joints.length > MOST ? [] : joints).map((joint) => {
      const mesh = new Mesh(this.shapes[joint.joint], joint.drive === "off" ? this.plain : this.driven);
      this.group.add(mesh);
      return { joint, mesh };
    });
    this.follow();
  }

  /** The axis goes with the parent; the sign stands where the part is: on the axis, nearest to it. */
  private follow(): void {
    const bodies = this.bench.store.get("frame")?.bodies;
    const at = new Vector3(), turn = new Quaternion(), axis = new Vector3();
    for (const { joint, mesh } of this.signs) {
      const parent = joint.parent === null ? undefined : bodies?.get(joint.parent);
      turn.identity();
      if (parent !== undefined && parent.quaternion !== null) turn.set(parent.quaternion[1], parent.quaternion[2], parent.quaternion[3], parent.quaternion[0]);
      at.set(...joint.origin).applyQuaternion(turn);
      if (parent !== undefined) at.add(new Vector3(...parent.position));
      axis.set(...joint.axis).applyQuaternion(turn).normalize();
      const part = bodies?.get(joint.part);
      if (joint.joint === "slide" && part !== undefined) at.addScaledVector(axis, new Vector3(...part.position).sub(at).dot(axis));
      mesh.position.copy(at);
      mesh.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), axis);
    }
  }

  private size(): void {
    for (const { mesh } of this.signs) mesh.scale.setScalar(SIZE * this.bench.stage.rig.pixel(mesh.position));
  }
}

function bar(radius: number, long: number): BufferGeometry {
  return new CylinderGeometry(radius, radius, long, 8).rotateX(Math.PI / 2);
}

/** The tip of a rail, pointing away from its middle. */
function head(at: number): BufferGeometry {
  return new CylinderGeometry(0, 0.42, 0.9, 12).rotateX(at > 0 ? Math.PI / 2 : -Math.PI / 2).translate(0, 0, at);
}

function joined(...shapes: BufferGeometry[]): BufferGeometry {
  const whole = mergeGeometries(shapes);
  if (whole === null) throw new Error("signs of joints that do not fit together");
  return whole;
}
