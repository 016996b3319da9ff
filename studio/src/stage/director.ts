/** What happens on the stage: the store's clip is shown, and pointers draw, drag and look. */

import { effect, signal, untracked } from "@preact/signals";
import { Vector3, type Group } from "three";
import type { Clip, Figure, Ground, Pose, Vec3 } from "../core/protocol";
import type { Store } from "../core/store";
import { poseOf, type Packet } from "../core/wire";
import { StageFigure } from "./figure";
import { JointMarks } from "./joints";
import { Bones, Footprints, Forces, Trail } from "./marks";
import { PathMarks } from "./path";
import { Player } from "./player";
import { Sound } from "./sound";
import { Stage } from "./stage";

const GHOSTS = 7;
const GOES_ON = 0.02; // m
const CLICK = 5; // px that a click may wander

export class Director {
  readonly stage: Stage;
  readonly player = new Player();
  readonly chosen = signal<number | null>(null);
  readonly overJoint = signal<string | null>(null);
  readonly fixed = signal<string[]>([]);
  /** The pose under work in the dance, and its picture. */
  readonly pose = signal<Pose | null>(null);
  readonly posing = signal<Clip | null>(null);
  readonly show = { prints: signal(true), trail: signal(true), forces: signal(true), ghosts: signal(false), follow: signal(true) };
  readonly symmetric = signal(false);
  readonly reach = signal(2);
  private readonly prints = new Footprints();
  private readonly trail = new Trail();
  private readonly forces = new Forces();
  private readonly bones = new Bones();
  private readonly sound: Sound;
  private ghosts: Group | null = null;
  /** What the pointer is over, in words: a footprint and its times. */
  readonly told = signal<{ text: string; x: number; y: number } | null>(null);
  private readonly path: PathMarks;
  private readonly joints: JointMarks;
  private drag: { kind: "point"; point: number } | { kind: "joint"; joint: string; grip: number | null; goal: Vec3 } | null = null;
  private down: { x: number; y: number } | null = null;
  private figureKey = "";
  private groundKey = "";

  constructor(
    readonly store: Store,
    canvas: HTMLCanvasElement,
    dark: boolean,
  ) {
    this.stage = new Stage(canvas);
    this.stage.setLook(dark ? "dark" : "light");
    const accent = this.stage.look.accent;
    this.path = new PathMarks(accent);
    this.joints = new JointMarks(accent);
    this.stage.marks.add(this.prints.group, this.trail.line, this.forces.group, this.bones.lines, this.path.group, this.joints.group);
    this.sound = new Sound(store, this.player);
    this.stage.onFrame.add((dt) => this.tick(dt));
    this.pointers(canvas);
    effect(() => this.takeClip());
    effect(() => void this.takeGround(this.store.project.value.ground));
    effect(() => {
      const p = this.store.project.value;
      if (this.store.link.state.value !== "open") return;
      const shown = this.store.clip.value?.figure;
      if (p.mode === "view" && !shown) return;
      void this.takeFigure(p.mode === "view" ? shown! : p.figure);
    });
    effect(() => {
      const { mode, go } = this.store.project.value;
      this.path.group.visible = mode === "go";
      if (mode === "go") this.path.show(go.points, go.closed, this.chosen.value);
    });
    let mode = this.store.project.peek().mode;
    effect(() => {
      const now = this.store.project.value.mode;
      if (now !== mode)
        untracked(() => {
          this.player.time.value = 0;
          this.player.playing.value = now !== "dance" || this.store.project.peek().dance.keys.length > 0;
          this.frame();
        });
      mode = now;
    });
    effect(() => {
      const inDance = this.store.project.value.mode === "dance" && !this.player.playing.value;
      this.joints.group.visible = inDance && this.posing.value !== null;
      this.joints.show(this.posing.value);
    });
  }

  /** Show the pose that is worked on, as the server draws it. */
  async showPose(pose: Pose | null): Promise<void> {
    const { figure } = this.store.project.peek();
    try {
      const asked = pose ?? (await this.stand(figure));
      const packet = (await this.store.link.ask("show", { figure, pose: asked }, "pose")) as Packet;
      this.player.playing.value = false;
      this.pose.value = asked;
      this.posing.value = poseOf(packet);
    } catch (error) {
      this.store.fail(error);
    }
  }

  /** How a figure stands when nothing is said, or its rest pose. */
  private async stand(figure: Figure): Promise<Pose> {
    try {
      return ((await this.store.link.ask("posture", { figure, text: "stand" })) as { pose: Pose }).pose;
    } catch {
      const packet = (await this.store.link.ask("show", { figure, pose: {} })) as Packet;
      return { root: poseOf(packet).places[0]!, rotations: {} };
    }
  }

  /** Move the camera so that figure and path are in view. */
  frame(): void {
    const { mode, go } = this.store.project.peek();
    const points = mode === "go" ? go.points.map((p) => new Vector3(...p)) : [];
    const places = mode === "dance" ? this.posing.peek()?.places : undefined;
    for (const p of places ?? []) points.push(new Vector3(...p));
    const root = places ? undefined : this.store.clip.peek()?.root;
    if (root) for (let k = 0; k < root.length; k += 3 * Math.max(1, Math.floor(root.length / 90))) points.push(new Vector3(root[k]!, 0.9, root[k + 2]!));
    if (!points.length) points.push(new Vector3(0, 0.9, 0));
    const centre = points.reduce((a, p) => a.add(p), new Vector3()).multiplyScalar(1 / points.length);
    if (!places) centre.y = Math.max(centre.y, 0.8);
    const high = root ? root.reduce((most, y, k) => (k % 3 === 1 ? Math.max(most, y) : most), 0) : 0;
    const radius = Math.max(places ? 0.2 : 1.4, 1.7 * high, ...points.map((p) => p.distanceTo(centre)));
    this.stage.frameOn(centre, radius);
  }

  private takeClip(): void {
    const clip = this.store.clip.value;
    this.prints.take(clip);
    this.trail.take(clip, this.stage.look.accent);
    this.forces.take(clip);
    untracked(() => this.player.take(clip));
    void this.show.ghosts.value;
    this.staleGhosts = true;
  }

  private staleGhosts = false;

  /** Ghosts are made anew when nothing is dragged. */
  private renewGhosts(): void {
    this.staleGhosts = false;
    this.ghosts?.removeFromParent();
    this.ghosts = null;
    const clip = this.player.clip.peek();
    const { figure } = this.stage;
    if (!clip || !figure || !this.show.ghosts.peek()) return;
    const times = Array.from({ length: GHOSTS }, (_, k) => (clip.seconds * (k + 0.5)) / GHOSTS);
    this.ghosts = figure.ghosts(clip, times, this.stage.look.accent);
    this.stage.marks.add(this.ghosts);
  }

  private async takeFigure(figure: Figure): Promise<void> {
    const key = JSON.stringify(figure);
    if (key === this.figureKey) return;
    this.figureKey = key;
    try {
      const made = await StageFigure.of(await this.store.server.figure(figure));
      if (this.figureKey !== key) return made.dispose();
      this.stage.setFigure(made);
      this.staleGhosts = true;
      this.pose.value = null;
      this.posing.value = null;
      this.fixed.value = [];
      if (this.store.project.peek().mode !== "dance") return;
      await this.showPose(null);
      this.frame();
    } catch (error) {
      this.store.fail(error);
    }
  }

  private async takeGround(ground: Ground): Promise<void> {
    const key = JSON.stringify(ground);
    if (key === this.groundKey) {
      this.store.laying.value = false;
      return;
    }
    this.groundKey = key;
    if ("text" in ground && ground.text === "flat") {
      this.store.laying.value = false;
      return this.stage.flat();
    }
    try {
      const packet = await this.store.server.ground(ground);
      if (this.groundKey !== key) return;
      this.stage.triangles(packet);
      if ("file" in ground) this.ontoGround(packet.header["bounds"] as [Vec3, Vec3]);
    } catch (error) {
      this.store.fail(error);
    } finally {
      if (this.groundKey === key) this.store.laying.value = false;
    }
  }

  /** A path beside a level that was dropped is put onto it, across its middle. */
  private ontoGround([low, high]: [Vec3, Vec3]): void {
    const { points } = this.store.project.peek().go;
    if (points.length && points.every((p) => this.stage.groundUnder(p[0], p[2]))) return;
    const along = high[2] - low[2] >= high[0] - low[0] ? 2 : 0;
    const across = 2 - along;
    const middle = (low[across]! + high[across]!) / 2;
    const placed: Vec3[] = [];
    for (const share of [0.25, 0.75]) {
      const at = low[along]! + share * (high[along]! - low[along]!);
      const hit = along === 2 ? this.stage.groundUnder(middle, at) : this.stage.groundUnder(at, middle);
      if (hit) placed.push(round(hit));
    }
    if (placed.length < 2) return;
    this.store.change("put the path on the ground", (p) => ({ ...p, go: { ...p.go, points: placed } }));
    this.frame();
  }

  private tick(dt: number): void {
    const { figure } = this.stage;
    const p = this.store.project.peek();
    this.player.tick(dt);
    if (p.mode === "dance" && this.player.playing.peek()) this.sound.follow();
    const clip = this.player.clip.peek();
    const posed = p.mode === "dance" && !this.player.playing.peek() ? this.posing.peek() : null;
    this.prints.group.visible = this.show.prints.peek() && !posed;
    if (this.ghosts) this.ghosts.visible = this.show.ghosts.peek() && !posed;
    this.trail.line.visible = this.show.trail.peek() && !posed;
    this.forces.group.visible = this.show.forces.peek() && !posed && clip?.forces != null;
    if (posed) {
      figure?.show(posed, 0);
      this.stage.follow = false; // a camera that moves makes dragging hard
      this.joints.paint(this.overJoint.peek(), this.fixed.peek(), this.stage.camera.position);
      this.bones.hide();
      if (figure && !figure.skinned) this.bones.show(posed.places, posed.over);
      return;
    }
    if (!clip) return this.bones.hide();
    if (this.staleGhosts && !this.store.dragging.peek() && !this.store.driving.peek()) this.renewGhosts();
    const time = this.player.time.peek();
    figure?.show(clip, time);
    this.prints.tick(time);
    this.forces.tick(time);
    const frame = Math.min(Math.round(time * clip.fps), clip.frames - 1);
    this.stage.follow = this.show.follow.peek();
    if (this.stage.follow && (this.player.playing.peek() || p.mode === "drive"))
      this.stage.attend(new Vector3(clip.root[3 * frame]!, Math.max(clip.root[3 * frame + 1]!, 0.4), clip.root[3 * frame + 2]!));
    if (figure && !figure.skinned && clip.names && clip.parents) {
      figure.root.updateMatrixWorld(true);
      this.bones.show(clip.names.map((n) => figure.place(n)?.toArray() ?? [0, 0, 0]), clip.parents);
    } else this.bones.hide();
  }

  private pointers(canvas: HTMLCanvasElement): void {
    const at = (e: PointerEvent) => {
      const box = canvas.getBoundingClientRect();
      return { x: e.clientX - box.left, y: e.clientY - box.top };
    };
    const seen = (p: Vector3) => this.stage.seen(p);
    canvas.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      canvas.focus();
      this.down = { x: e.clientX, y: e.clientY };
      const { mode } = this.store.project.peek();
      const { x, y } = at(e);
      if (mode === "go") {
        const point = this.path.nearest(seen, x, y);
        if (point === null) return;
        this.drag = { kind: "point", point };
        this.chosen.value = point;
      } else if (mode === "dance" && this.joints.group.visible) {
        const joint = this.joints.nearest(seen, x, y);
        if (!joint) return;
        if (e.shiftKey) {
          this.fix(joint);
          return;
        }
        const place = this.joints.at(joint)!;
        this.drag = { kind: "joint", joint, grip: null, goal: place.toArray() as Vec3 };
        void this.grab(joint);
      } else return;
      this.stage.controls.enabled = false;
      this.store.dragging.value = true;
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", (e) => {
      const { x, y } = at(e);
      if (!this.drag) {
        if (this.joints.group.visible) this.overJoint.value = this.joints.nearest(seen, x, y);
        const print = this.show.prints.peek() && !this.joints.group.visible ? this.prints.nearest(seen, x, y) : null;
        this.told.value = print && { text: `${print.side} foot, ${print.strike.toFixed(2)} to ${print.off.toFixed(2)} s`, x, y };
        canvas.style.cursor = this.overJoint.peek() && this.joints.group.visible ? "grab" : "";
        return;
      }
      if (this.drag.kind === "point") this.movePoint(this.drag.point, e.clientX, e.clientY);
      else {
        const through = this.joints.at(this.drag.joint)!.clone();
        const goal = this.stage.viewPlaneAt(e.clientX, e.clientY, through);
        if (goal) this.drag.goal = goal.toArray() as Vec3;
        void this.pull();
      }
    });
    const end = (e: PointerEvent) => {
      const down = this.down;
      this.down = null;
      const drag = this.drag;
      this.drag = null;
      this.stage.controls.enabled = true;
      this.store.dragging.value = false;
      this.store.history.settle();
      if (drag?.kind === "joint") {
        if (drag.grip !== null) void this.release(drag.grip);
        return;
      }
      const still = down && Math.hypot(e.clientX - down.x, e.clientY - down.y) < CLICK;
      if (!drag && still && e.button === 0 && this.store.project.peek().mode === "go") this.addPoint(e.clientX, e.clientY);
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("keydown", (e) => {
      if (this.store.project.peek().mode !== "go") return;
      const point = this.chosen.peek();
      if ((e.key === "Delete" || e.key === "Backspace") && point !== null) {
        e.preventDefault();
        this.removePoint(point);
      }
    });
  }

  private movePoint(k: number, x: number, y: number): void {
    const hit = this.stage.groundAt(x, y);
    if (!hit) return;
    this.store.change("move a point", (p) => ({ ...p, go: { ...p.go, points: p.go.points.map((q, j) => (j === k ? round(hit) : q)) } }), `point ${k}`);
  }

  private addPoint(x: number, y: number): void {
    const hit = this.stage.groundAt(x, y);
    if (!hit) return;
    this.store.change("add a point", (p) => ({ ...p, go: { ...p.go, points: [...p.go.points, round(hit)] } }));
    this.chosen.value = this.store.project.peek().go.points.length - 1;
  }

  removePoint(k: number): void {
    this.chosen.value = null;
    this.store.change("remove a point", (p) => ({ ...p, go: { ...p.go, points: p.go.points.filter((_, j) => j !== k) } }));
  }

  fix(joint: string): void {
    const fixed = this.fixed.peek();
    this.fixed.value = fixed.includes(joint) ? fixed.filter((f) => f !== joint) : [...fixed, joint];
  }

  private async grab(joint: string): Promise<void> {
    const { figure } = this.store.project.peek();
    try {
      const answer = (await this.store.link.ask("grab", {
        figure, pose: this.pose.peek(), joints: [joint], fixed: this.fixed.peek().filter((f) => f !== joint),
        reach: this.reach.peek(), symmetric: this.symmetric.peek(),
      })) as { grip: number };
      if (this.drag?.kind === "joint") {
        this.drag.grip = answer.grip;
        void this.pull();
      } else void this.release(answer.grip);
    } catch (error) {
      this.store.fail(error);
    }
  }

  private async pull(): Promise<void> {
    const drag = this.drag;
    if (drag?.kind !== "joint" || drag.grip === null) return;
    const asked = performance.now();
    try {
      const packet = (await this.store.link.ask("pull", { grip: drag.grip, goals: [drag.goal] }, "pull")) as Packet;
      const before = this.joints.at(drag.joint)?.clone();
      this.posing.value = poseOf(packet, this.posing.peek());
      this.store.latency.value = performance.now() - asked;
      const went = before && this.joints.at(drag.joint)?.distanceTo(before);
      if (this.drag === drag && went && went > GOES_ON) void this.pull(); // a pointer that jumped is followed in pieces
    } catch (error) {
      this.store.fail(error);
    }
  }

  private async release(grip: number): Promise<void> {
    try {
      const { pose } = (await this.store.link.ask("release", { grip })) as { pose: Pose };
      await this.showPose(pose);
    } catch (error) {
      this.store.fail(error);
    }
  }
}

function round(p: Vector3): Vec3 {
  return p.toArray().map((x) => Math.round(1e3 * x) / 1e3) as Vec3;
}
