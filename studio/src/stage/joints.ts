/** The joints of a posed figure, to be taken hold of. */

import { Group, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import type { Clip } from "../core/protocol";

export class JointMarks {
  readonly group = new Group();
  private readonly ball = new SphereGeometry(0.018, 14, 10);
  private readonly materials: Record<"free" | "over" | "fixed" | "limit", MeshBasicMaterial>;
  private readonly marks: Mesh[] = [];
  private atLimit: string[] = [];
  names: string[] = [];

  constructor(accent: number) {
    const made = (color: number, opacity: number) =>
      new MeshBasicMaterial({ color, transparent: true, opacity, depthTest: false, depthWrite: false });
    this.materials = { free: made(0x6b7683, 0.7), over: made(accent, 1), fixed: made(0xd64550, 1), limit: made(0xe8a317, 1) };
    this.group.renderOrder = 5;
  }

  show(clip: Clip | null): void {
    this.names = clip?.joints ?? [];
    this.atLimit = clip?.atLimit ?? [];
    while (this.marks.length > this.names.length) this.marks.pop()!.removeFromParent();
    while (this.marks.length < this.names.length) {
      const mark = new Mesh(this.ball, this.materials.free);
      mark.renderOrder = 5;
      this.marks.push(mark);
      this.group.add(mark);
    }
    clip?.places.forEach((p, j) => this.marks[j]?.position.set(p[0], p[1], p[2]));
  }

  /** As large on the screen wherever the camera is. */
  paint(over: string | null, fixed: readonly string[], eye: Vector3): void {
    this.marks.forEach((mark, j) => {
      const scale = 0.32 * mark.position.distanceTo(eye);
      const name = this.names[j]!;
      const kind = fixed.includes(name) ? "fixed" : name === over ? "over" : this.atLimit.includes(name) ? "limit" : "free";
      mark.material = this.materials[kind];
      mark.scale.setScalar(scale * (kind === "free" ? 1 : 1.5));
    });
  }

  at(name: string): Vector3 | null {
    const j = this.names.indexOf(name);
    return j < 0 ? null : this.marks[j]!.position;
  }

  nearest(seen: (p: Vector3) => { x: number; y: number }, x: number, y: number): string | null {
    let best: string | null = null;
    let least = 22;
    this.marks.forEach((mark, j) => {
      const at = seen(mark.position);
      const away = Math.hypot(at.x - x, at.y - y);
      if (away < least) [best, least] = [this.names[j]!, away];
    });
    return best;
  }
}
