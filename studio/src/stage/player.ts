/** The clock that plays a clip: play, pause, scrub, loop, slow motion. Time decides, not the count of frames. */

import { computed, signal } from "@preact/signals";
import type { Clip } from "../core/protocol";

export const RATES = [0.1, 0.25, 0.5, 1, 2] as const;

export class Player {
  readonly clip = signal<Clip | null>(null);
  readonly time = signal(0);
  readonly playing = signal(true);
  readonly looping = signal(true);
  readonly rate = signal<number>(1);
  readonly seconds = computed(() => this.clip.value?.seconds ?? 0);

  /** A new clip: the time stays where it was if there is still such a time. */
  take(clip: Clip | null): void {
    this.clip.value = clip;
    if (clip && this.time.value > clip.seconds) this.time.value = 0;
  }

  tick(dt: number): void {
    const { seconds } = this.clip.value ?? { seconds: 0 };
    if (!this.playing.value || seconds <= 0) return;
    const next = this.time.value + dt * this.rate.value;
    if (next <= seconds) this.time.value = next;
    else if (this.looping.value) this.time.value = next % seconds;
    else {
      this.time.value = seconds;
      this.playing.value = false;
    }
  }

  toggle(): void {
    if (!this.playing.value && this.time.value >= this.seconds.value) this.time.value = 0;
    this.playing.value = !this.playing.value;
  }

  seek(time: number): void {
    this.time.value = Math.min(Math.max(time, 0), this.seconds.value);
  }

  step(frames: number): void {
    const fps = this.clip.value?.fps ?? 60;
    this.playing.value = false;
    this.seek((Math.round(this.time.value * fps) + frames) / fps);
  }
}
