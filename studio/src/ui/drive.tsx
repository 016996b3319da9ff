/** Drive: steer live with keys or a gamepad; what was driven is kept as commands. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Clip, GaitName, Project } from "../core/protocol";
import type { Store } from "../core/store";
import { clipOf } from "../core/wire";
import type { Director } from "../stage/director";
import { Section, Slider } from "./controls";
import { FigureAndGround } from "./figure";

const EVERY = 90; // ms between two looks at what is asked
const KEPT = 1200; // frames that stay behind the figure

interface Asked {
  speed: number;
  turn: number;
  gait: GaitName;
}

/** Two stretches of a drive as one; the oldest frames go. */
export function joined(a: Clip | null, b: Clip): Clip {
  if (!a) return { ...b, start: b.start };
  const drop = Math.max(0, a.frames + b.frames - KEPT);
  const both = (x: Float32Array | null, y: Float32Array | null) => {
    if (!x || !y) return null;
    const width = x.length / a.frames;
    const out = new Float32Array(x.length - drop * width + y.length);
    out.set(x.subarray(drop * width));
    out.set(y, x.length - drop * width);
    return out;
  };
  return {
    ...b,
    start: a.start + drop / a.fps,
    frames: a.frames + b.frames - drop,
    seconds: (a.frames + b.frames - drop - 1) / a.fps,
    root: both(a.root, b.root)!,
    rotations: both(a.rotations, b.rotations)!,
    moves: both(a.moves, b.moves),
    contacts: null, com: null, forces: null, pressure: null, steps: [],
  };
}

class Wheel {
  private drive: number | null = null;
  private clip: Clip | null = null;
  private timer: ReturnType<typeof setInterval> | undefined;
  private unheard: () => void = () => undefined;
  readonly keys = new Set<string>();

  constructor(
    readonly store: Store,
    readonly director: Director,
    readonly pace: () => { walk: number; run: number },
  ) {}

  get on(): boolean {
    return this.drive !== null;
  }

  asked(): Asked {
    const { walk, run } = this.pace();
    const pad = navigator.getGamepads?.().find((g) => g?.connected) ?? null;
    const stick = (k: number) => (Math.abs(pad?.axes[k] ?? 0) > 0.15 ? pad!.axes[k]! : 0);
    const fast = this.keys.has("Shift") || (pad?.buttons[0]?.pressed ?? false);
    const ahead = this.keys.has("ArrowUp") || this.keys.has("w") ? 1 : Math.max(-stick(1), 0);
    const turn = (this.keys.has("ArrowLeft") || this.keys.has("a") ? 1 : 0) - (this.keys.has("ArrowRight") || this.keys.has("d") ? 1 : 0) - stick(0);
    const top = fast ? run : walk;
    return { speed: ahead ? ahead * top : turn ? 0.5 * walk : 0, turn: Math.min(Math.max(turn, -1), 1) * (fast ? 0.7 : 1.0), gait: fast ? "run" : "walk" };
  }

  async begin(): Promise<void> {
    try {
      const answer = (await this.store.link.ask("drive", { project: this.store.project.peek(), ...this.asked() })) as { drive: number };
      this.drive = answer.drive;
      this.store.driving.value = true;
      this.clip = null;
      this.unheard = this.store.link.onPush(answer.drive, (packet) => this.take(clipOf(packet)));
      this.timer = setInterval(() => this.steer(), EVERY);
      this.steer();
    } catch (error) {
      this.store.fail(error);
    }
  }

  async halt(): Promise<void> {
    clearInterval(this.timer);
    if (this.drive === null) return;
    const { drive } = this;
    this.drive = null;
    this.unheard();
    this.store.driving.value = false;
    try {
      const { commands } = (await this.store.link.ask("halt", { drive })) as { commands: Project["drive"]["commands"] };
      if (commands.length > 1) this.store.change("drive", (p) => ({ ...p, drive: { ...p.drive, commands } }));
    } catch (error) {
      this.store.fail(error);
    }
  }

  /** Seconds of the drive that have been shown. */
  private get played(): number {
    return this.clip ? this.clip.start + this.director.player.time.peek() : 0;
  }

  private steer(): void {
    if (this.drive !== null) this.store.link.tell("steer", { drive: this.drive, played: this.played, ...this.asked() });
  }

  /** The next frames, pushed ahead of the clock. */
  private take(more: Clip): void {
    if (this.drive === null) return;
    const now = this.played;
    this.clip = joined(this.clip, more);
    this.store.clip.value = this.clip;
    const { player } = this.director;
    player.looping.value = false;
    player.playing.value = true;
    player.time.value = Math.max(now - this.clip.start, 0);
  }
}

export function Drive({ store, director }: { store: Store; director: Director }) {
  const [walk, setWalk] = useState(1.3);
  const [run, setRun] = useState(3.0);
  const [on, setOn] = useState(false);
  const pace = useRef({ walk, run });
  pace.current = { walk, run };
  const wheel = useRef<Wheel | null>(null);
  wheel.current ??= new Wheel(store, director, () => pace.current);
  useEffect(() => {
    const w = wheel.current!;
    const known = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "w", "a", "s", "d", "Shift"];
    const key = (e: KeyboardEvent, down: boolean) => {
      const name = e.key.length === 1 ? e.key.toLowerCase() : e.key;
      const typing = e.target instanceof HTMLElement && e.target.closest("input, select, textarea");
      if (!known.includes(name) || typing || e.ctrlKey || e.metaKey) return;
      if (name !== "Shift") e.preventDefault();
      if (down) w.keys.add(name);
      else w.keys.delete(name);
      if (down && !w.on && name !== "Shift") {
        setOn(true);
        void w.begin();
      }
    };
    const press = (e: KeyboardEvent) => key(e, true);
    const lift = (e: KeyboardEvent) => key(e, false);
    const blur = () => w.keys.clear();
    addEventListener("keydown", press);
    addEventListener("keyup", lift);
    addEventListener("blur", blur);
    return () => {
      removeEventListener("keydown", press);
      removeEventListener("keyup", lift);
      removeEventListener("blur", blur);
      void w.halt();
    };
  }, []);
  const { commands } = store.project.value.drive;
  const press = (name: string, down: boolean) => {
    if (down) wheel.current!.keys.add(name);
    else wheel.current!.keys.delete(name);
  };
  const start = () => (setOn(true), void wheel.current!.begin());
  const stop = () => (setOn(false), void wheel.current!.halt());
  return (
    <>
      <Section title="Drive">
        <p class="hint">Arrow keys or W A D steer, Shift runs. A gamepad works too: left stick, and A to run.</p>
        <div class="pad" role="group" aria-label="Steering">
          {[["ArrowLeft", "◀", "Turn left"], ["ArrowUp", "▲", "Ahead"], ["ArrowRight", "▶", "Turn right"], ["Shift", "Run", "Run"]].map(([name, sign, title]) => (
            <button
              key={name} type="button" aria-label={title} onPointerDown={() => (press(name!, true), !on && start())} onPointerUp={() => press(name!, false)}
              onPointerLeave={() => press(name!, false)}
            >
              {sign}
            </button>
          ))}
        </div>
        <button type="button" class={on ? "danger wide" : "primary wide"} onClick={on ? stop : start}>{on ? "Stop and keep" : "Start"}</button>
        <Slider label="Walk" unit="m/s" value={walk} low={0.5} high={2} usual={1.3} onInput={setWalk} />
        <Slider label="Run" unit="m/s" value={run} low={2.2} high={4.5} usual={3} onInput={setRun} />
      </Section>
      <Section title="Recorded">
        <p class="hint">{commands.length ? `${commands.at(-1)![0].toFixed(1)} s in ${commands.length} commands; export it like any other clip.` : "Nothing yet: what you drive is kept here."}</p>
        <button
          type="button" class="plain" disabled={!commands.length || on}
          onClick={() => store.change("forget the drive", (p) => ({ ...p, drive: { ...p.drive, commands: [] } }))}
        >
          Forget
        </button>
      </Section>
      <FigureAndGround store={store} />
    </>
  );
}
