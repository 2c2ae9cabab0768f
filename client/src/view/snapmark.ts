// Shows what is being snapped to: a sign at the place, and its name at the pointer.
import { BufferGeometry, Group, Line, LineBasicMaterial, LineLoop, Quaternion, Vector3 } from "three";
import type { Snap } from "./snapping";
import type { Stage } from "./stage";

const SIZE = 9; // px

export class SnapMark {
  private readonly material = new LineBasicMaterial({ depthTest: false });
  private readonly group = new Group();
  private readonly signs = {
    hole: new LineLoop(round(), this.material),
    frame: new LineLoop(polygon(4, 0), this.material),
    corner: new LineLoop(polygon(4, Math.PI / 4), this.material),
    edge: new LineLoop(polygon(3, Math.PI / 2), this.material),
    axis: new Line(dashes(), this.material),
    face: new Line(cross(), this.material),
  };

  constructor(private readonly stage: Stage) {
    this.group.add(...Object.values(this.signs));
    this.group.visible = false;
    stage.front.add(this.group);
    stage.onTheme((colours) => this.material.color.set(colours.accent));
    stage.beforeDraw(() => {
      if (!this.group.visible) return;
      this.group.quaternion.copy(stage.rig.camera.quaternion);
      this.group.scale.setScalar(SIZE * stage.rig.pixel(this.group.position));
    });
  }

  show(snap: Snap | null): void {
    if (snap === null && !this.group.visible) return;
    this.group.visible = snap !== null;
    if (snap !== null) {
      this.group.position.copy(snap.point);
      for (const [kind, sign] of Object.entries(this.signs)) sign.visible = kind === snap.kind;
    }
    this.stage.invalidate();
  }
}

function polygon(corners: number, from: number): BufferGeometry {
  return new BufferGeometry().setFromPoints(Array.from({ length: corners }, (_, k) => new Vector3(1, 0, 0).applyQuaternion(turn(from + (2 * Math.PI * k) / corners))));
}

function round(): BufferGeometry {
  return polygon(28, 0);
}

function dashes(): BufferGeometry {
  return new BufferGeometry().setFromPoints([new Vector3(-1.4, 0, 0), new Vector3(1.4, 0, 0), new Vector3(0, 0, 0), new Vector3(0, -0.7, 0), new Vector3(0, 0.7, 0)]);
}

function cross(): BufferGeometry {
  return new BufferGeometry().setFromPoints([new Vector3(-1, -1, 0), new Vector3(1, 1, 0), new Vector3(0, 0, 0), new Vector3(-1, 1, 0), new Vector3(1, -1, 0)]);
}

function turn(angle: number): Quaternion {
  return new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), angle);
}
