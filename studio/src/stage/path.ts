/** The path on the ground: a line through its points, and handles to drag. */

import { CatmullRomCurve3, Group, Line, BufferGeometry, LineBasicMaterial, Mesh, MeshStandardMaterial, SphereGeometry, Vector3 } from "three";
import type { Vec3 } from "../core/protocol";

const LIFT = 0.03;

export class PathMarks {
  readonly group = new Group();
  private readonly ball = new SphereGeometry(0.09, 20, 14);
  private readonly usual: MeshStandardMaterial;
  private readonly chosen: MeshStandardMaterial;
  private readonly line: Line;
  private readonly handles: Mesh[] = [];

  constructor(colour: number) {
    this.usual = new MeshStandardMaterial({ color: colour, roughness: 0.4 });
    this.chosen = new MeshStandardMaterial({ color: 0xffffff, emissive: colour, emissiveIntensity: 0.7, roughness: 0.4 });
    this.line = new Line(new BufferGeometry(), new LineBasicMaterial({ color: colour }));
    this.line.frustumCulled = false;
    this.group.add(this.line);
  }

  show(points: Vec3[], closed: boolean, chosen: number | null): void {
    while (this.handles.length > points.length) this.handles.pop()!.removeFromParent();
    while (this.handles.length < points.length) {
      const handle = new Mesh(this.ball, this.usual);
      handle.castShadow = false;
      this.handles.push(handle);
      this.group.add(handle);
    }
    points.forEach((p, k) => {
      this.handles[k]!.position.set(p[0], p[1] + LIFT, p[2]);
      this.handles[k]!.material = k === chosen ? this.chosen : this.usual;
    });
    this.line.visible = points.length > 1;
    this.line.geometry.dispose();
    if (points.length > 1) {
      const curve = new CatmullRomCurve3(points.map((p) => new Vector3(p[0], p[1] + LIFT, p[2])), closed, "centripetal");
      this.line.geometry = new BufferGeometry().setFromPoints(curve.getPoints(Math.min(2000, Math.max(24 * points.length, Math.ceil(2 * curve.getLength())))));
    }
  }

  /** The handle under a pointer: the nearest on screen, within some pixels. */
  nearest(seen: (p: Vector3) => { x: number; y: number }, x: number, y: number): number | null {
    let best: number | null = null;
    let least = 18;
    this.handles.forEach((handle, k) => {
      const at = seen(handle.position);
      const away = Math.hypot(at.x - x, at.y - y);
      if (away < least) [best, least] = [k, away];
    });
    return best;
  }
}
