/** Play, pause, scrub, loop, slow motion, and what is shown. */

import type { Director } from "../stage/director";
import { RATES } from "../stage/player";

const SHOWN = [["prints", "Footprints"], ["trail", "Mass path"], ["forces", "Forces"], ["ghosts", "Ghosts"], ["follow", "Follow"]] as const;

export function Transport({ director }: { director: Director }) {
  const { player } = director;
  const seconds = player.seconds.value;
  const time = Math.min(player.time.value, seconds);
  return (
    <div class="transport" role="group" aria-label="Playback">
      <button
        type="button" class="round" aria-label={player.playing.value ? "Pause" : "Play"} title="Play or pause (Space)"
        disabled={!seconds} onClick={() => player.toggle()}
      >
        <span class={player.playing.value ? "icon-pause" : "icon-play"} aria-hidden="true" />
      </button>
      <span class="time">{time.toFixed(2)} / {seconds.toFixed(2)} s</span>
      <input
        type="range" class="scrub" aria-label="Time" min={0} max={seconds || 1} step={0.001} value={time} disabled={!seconds}
        onInput={(e) => ((player.playing.value = false), player.seek(Number(e.currentTarget.value)))}
      />
      <button
        type="button" class={player.looping.value ? "toggle on" : "toggle"} aria-pressed={player.looping.value}
        title="Repeat" onClick={() => (player.looping.value = !player.looping.value)}
      >
        Loop
      </button>
      <select
        aria-label="Playback speed" title="Slow motion" value={String(player.rate.value)}
        onChange={(e) => (player.rate.value = Number(e.currentTarget.value))}
      >
        {RATES.map((r) => <option key={r} value={String(r)}>{r}×</option>)}
      </select>
    </div>
  );
}

/** What is drawn on the stage. */
export function Shown({ director }: { director: Director }) {
  const { show } = director;
  return (
    <div class="shown" role="group" aria-label="Shown on the stage">
      {SHOWN.map(([name, title]) => (
        <button
          key={name} type="button" class={show[name].value ? "toggle on" : "toggle"} aria-pressed={show[name].value}
          onClick={() => (show[name].value = !show[name].value)}
        >
          {title}
        </button>
      ))}
      <button type="button" class="toggle" title="Everything in view (F)" onClick={() => director.frame()}>Frame</button>
    </div>
  );
}
