/** The song of a dance, heard in step with the clock. */

import { effect, untracked } from "@preact/signals";
import type { Store } from "../core/store";
import type { Player } from "./player";

const APART = 0.12; // s that sound and picture may differ

export class Sound {
  private readonly audio = new Audio();
  private file = "";

  constructor(
    readonly store: Store,
    readonly player: Player,
  ) {
    effect(() => void this.take(this.store.project.value.dance.music?.file ?? ""));
    effect(() => {
      const { mode, dance } = this.store.project.value;
      const on = mode === "dance" && this.player.playing.value && this.file !== "" && dance.music !== null;
      this.audio.playbackRate = Math.min(Math.max(this.player.rate.value, 0.1), 4);
      if (!on) return this.audio.pause();
      untracked(() => this.follow(true));
      void this.audio.play().catch(() => undefined); // until the page has been touched, browsers keep silent
    });
  }

  /** Called each frame: sound that has drifted is set right. */
  follow(now = false): void {
    if (!this.file) return;
    const at = this.player.time.peek() - (this.store.project.peek().dance.music?.offset ?? 0);
    if (at >= 0 && (now || Math.abs(this.audio.currentTime - at) > APART)) this.audio.currentTime = at;
  }

  private async take(file: string): Promise<void> {
    if (file === this.file) return;
    this.file = file;
    if (this.audio.src) URL.revokeObjectURL(this.audio.src);
    this.audio.removeAttribute("src");
    if (!file || /\.midi?$/i.test(file)) {
      this.file = "";
      return;
    }
    try {
      const bytes = await this.store.server.file(file);
      if (this.file === file) this.audio.src = URL.createObjectURL(new Blob([bytes]));
    } catch (error) {
      this.store.fail(error);
    }
  }
}
