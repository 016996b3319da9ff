/** What is drawn beside the figure: footprints, the way of the mass centre, arrows of force, ghosts, bones. */

import {
  ArrowHelper,
  BufferAttribute,
  BufferGeometry,
  CircleGeometry,
  Color,
  DoubleSide,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  Vector3,
} from "three";
import type { Clip } from "../core/protocol";

const LEFT = 0xe2763a;
const RIGHT = 0x3a78c8;
const WEIGHT = 0.9; // m of arrow for one body weight
const G = 9.81;

function cleared(group: Group): void {
  for (const child of [...group.children]) {
    child.removeFromParent();
    const mesh = child as Mesh;
    mesh.geometry?.dispose();
  }
}

/** A footprint at every contact; those that are down now are strong. */
export class Footprints {
  readonly group = new Group();
  private steps: Clip["steps"] = [];
  private readonly materials: MeshBasicMaterial[] = [];

  take(clip: Clip | null): void {
    cleared(this.group);
    this.materials.length = 0;
    this.steps = clip?.steps ?? [];
    const shape = new CircleGeometry(0.12, 20);
    shape.rotateX(-Math.PI / 2);
    for (const step of this.steps) {
      const material = new MeshBasicMaterial({
        color: step.side === "left" ? LEFT : RIGHT, transparent: true, opacity: 0.35, depthWrite: false, side: DoubleSide,
      });
      const print = new Mesh(shape, material);
      print.scale.set(0.42, 1, 1.05);
      print.position.set(step.place[0], step.place[1] + 0.006, step.place[2]);
      print.rotation.y = step.heading;
      this.materials.push(material);
      this.group.add(print);
    }
  }

  /** The step whose print is under a pointer. */
  nearest(seen: (p: Vector3) => { x: number; y: number }, x: number, y: number): Clip["steps"][number] | null {
    let best: Clip["steps"][number] | null = null;
    let least = 14;
    for (const step of this.steps) {
      const at = seen(new Vector3(...step.place));
      const away = Math.hypot(at.x - x, at.y - y);
      if (away < least) [best, least] = [step, away];
    }
    return best;
  }

  tick(time: number): void {
    this.steps.forEach((step, k) => {
      this.materials[k]!.opacity = time >= step.strike && time <= step.off ? 0.85 : time > step.off ? 0.3 : 0.14;
    });
  }
}

/** The way of the mass centre, or of the root where there is none. */
export class Trail {
  readonly line = new Line(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.7 }));

  constructor() {
    this.line.frustumCulled = false;
  }

  take(clip: Clip | null, colour: number): void {
    this.line.geometry.dispose();
    this.line.geometry = new BufferGeometry();
    const points = clip?.com ?? clip?.root ?? new Float32Array(0);
    this.line.geometry.setAttribute("position", new BufferAttribute(points.slice(), 3));
    (this.line.material as LineBasicMaterial).color = new Color(colour);
    this.line.visible = points.length > 3;
  }
}

/** The ground's force on both feet, as arrows. */
export class Forces {
  readonly group = new Group();
  private readonly arrows = [LEFT, RIGHT].map((c) => new ArrowHelper(new Vector3(0, 1, 0), new Vector3(), 0.5, c, 0.1, 0.06));
  private clip: Clip | null = null;

  constructor() {
    this.group.add(...this.arrows);
  }

  take(clip: Clip | null): void {
    this.clip = clip?.forces && clip.pressure && clip.mass ? clip : null;
    this.group.visible = this.clip !== null;
  }

  tick(time: number): void {
    const clip = this.clip;
    if (!clip) return;
    const frame = Math.min(Math.round(time * clip.fps), clip.frames - 1);
    this.arrows.forEach((arrow, foot) => {
      const at = 3 * (2 * frame + foot);
      const force = new Vector3().fromArray(clip.forces!, at);
      const size = (WEIGHT * force.length()) / (clip.mass! * G);
      arrow.visible = size > 0.03;
      if (!arrow.visible) return;
      arrow.position.fromArray(clip.pressure!, at);
      arrow.setDirection(force.normalize());
      arrow.setLength(size, 0.1, 0.06);
    });
  }
}

/** Bones of a figure without a surface, and of a pose that is dragged. */
export class Bones {
  readonly lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: 0x5a6570 }));

  constructor() {
    this.lines.frustumCulled = false;
    this.lines.visible = false;
  }

  show(places: ArrayLike<number>[], parents: ArrayLike<number>): void {
    const ends: number[] = [];
    places.forEach((p, j) => {
      const q = places[parents[j]!];
      if (parents[j]! >= 0 && q) ends.push(p[0]!, p[1]!, p[2]!, q[0]!, q[1]!, q[2]!);
    });
    this.lines.geometry.dispose();
    this.lines.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(ends), 3));
    this.lines.visible = true;
  }

  hide(): void {
    this.lines.visible = false;
  }
}
