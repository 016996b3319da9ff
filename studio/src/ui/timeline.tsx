/** The timeline of a dance: postures as keys, beats, the waveform. */

import { useEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals";
import type { Beats, Key } from "../core/protocol";
import type { Store } from "../core/store";
import type { Director } from "../stage/director";
import { newId } from "./dance";

const TALL = 92;
const SNAP = 0.12; // s

export const picked = signal<string | null>(null);

/** The time nearest on a beat, where one is near. */
export function snapped(time: number, beats: Beats | null): number {
  const near = beats?.times.reduce((best, t) => (Math.abs(t - time) < Math.abs(best - time) ? t : best), Infinity) ?? Infinity;
  return Math.abs(near - time) < SNAP ? near : Math.round(time * 100) / 100;
}

export function Timeline({ store, director }: { store: Store; director: Director }) {
  const { dance } = store.project.value;
  const beats = store.beats.value;
  const box = useRef<HTMLDivElement>(null);
  const held = useRef<string | null>(null);
  const file = dance.music?.file ?? null;
  const offset = dance.music?.offset ?? 0;
  useEffect(() => void store.listen(file, offset), [file, offset, store.link.state.value]);
  const last = dance.keys.reduce((t, k) => Math.max(t, k.time + k.hold), 0);
  const seconds = Math.max(6, last + 2, dance.period ?? 0, Math.min(beats?.seconds ?? 0, 120));
  const percent = (t: number) => `${(100 * t) / seconds}%`;
  const at = (e: PointerEvent | MouseEvent) => {
    const b = box.current!.getBoundingClientRect();
    return Math.min(Math.max(((e.clientX - b.left) / b.width) * seconds, 0), seconds);
  };
  const edit = (doing: string, how: (keys: Key[]) => Key[], merge: string | null = null) =>
    store.change(doing, (p) => ({ ...p, dance: { ...p.dance, keys: how(p.dance.keys).sort((a, b) => a.time - b.time) } }), merge);
  const key = dance.keys.find((k) => k.id === picked.value) ?? null;
  const choose = (k: Key) => {
    picked.value = k.id;
    director.player.playing.value = false;
    director.player.time.value = k.time;
    void director.showPose(k.pose);
  };
  const move = (e: PointerEvent) => {
    const id = held.current;
    if (!id) return;
    const time = snapped(at(e), e.altKey ? null : beats);
    if (dance.keys.some((k) => k.id !== id && Math.abs(k.time - time) < 0.02)) return;
    edit("move a posture", (keys) => keys.map((k) => (k.id === id ? { ...k, time } : k)), `key ${id}`);
  };
  const copy = () => key && edit("copy a posture", (keys) => [...keys, { ...key, id: newId(), time: Math.round((last + 1) * 100) / 100 }]);
  const renew = () => {
    const pose = director.pose.peek();
    if (key && pose) edit("change a posture", (keys) => keys.map((k) => (k.id === key.id ? { ...k, pose } : k)));
  };
  return (
    <div class="timeline">
      <div class="timeline-tools">
        <button type="button" class="plain" disabled={!key} onClick={copy}>Copy</button>
        <button type="button" class="plain" disabled={!key} onClick={renew} title="Put the pose on the stage into this key">Update</button>
        <button
          type="button" class={key?.jump ? "toggle on" : "toggle"} disabled={!key} aria-pressed={key?.jump ?? false} title="In the air from here to the next posture"
          onClick={() => key && edit("jump", (keys) => keys.map((k) => (k.id === key.id ? { ...k, jump: !k.jump } : k)))}
        >
          Jump
        </button>
        <label class="field">Hold
          <input
            type="number" min={0} max={20} step={0.1} disabled={!key} value={key?.hold ?? 0} aria-label="Hold, seconds"
            onChange={(e) => key && edit("hold a posture", (keys) => keys.map((k) => (k.id === key.id ? { ...k, hold: Math.max(0, Number(e.currentTarget.value) || 0) } : k)))}
          /> s
        </label>
        <button type="button" class="plain" disabled={!key} onClick={() => key && edit("remove a posture", (keys) => keys.filter((k) => k.id !== key.id))}>Remove</button>
        <span class="divider" aria-hidden="true" />
        <button type="button" class="plain" onClick={() => document.getElementById("drop")?.click()}>{file ? "Another song …" : "Add a song …"}</button>
        {beats && <span class="quiet">{beats.tempo.toFixed(0)} beats a minute; keys snap to beats (Alt: freely)</span>}
      </div>
      <div
        ref={box} class="track" style={{ height: `${TALL}px` }} onPointerMove={move}
        onPointerUp={() => ((held.current = null), store.history.settle())}
        onPointerDown={(e) => {
          if (e.target === box.current) {
            director.player.playing.value = false;
            director.player.seek(at(e));
          }
        }}
      >
        {beats && beats.peaks.length > 0 && (
          <svg class="wave" viewBox={`0 -1 ${beats.peaks.length} 2`} preserveAspectRatio="none" style={{ width: percent(beats.seconds) }} aria-hidden="true">
            <path d={beats.peaks.map(([a, b], k) => `M${k} ${-b}V${-a}`).join("")} />
          </svg>
        )}
        {beats?.times.filter((t) => t <= seconds).map((t, n) => (
          <span key={n} class={beats.bars.includes(n) ? "beat bar" : "beat"} style={{ left: percent(t) }} aria-hidden="true" />
        ))}
        {Array.from({ length: Math.floor(seconds) + 1 }, (_, t) => (
          <span key={`s${t}`} class="second" style={{ left: percent(t) }} aria-hidden="true">{seconds < 40 || t % 5 === 0 ? t : ""}</span>
        ))}
        <span class="playhead" style={{ left: percent(Math.min(director.player.time.value, seconds)) }} aria-hidden="true" />
        {dance.keys.length === 0 && <p class="empty">Drag the figure into a posture and store it; two or more make a dance.</p>}
        {dance.keys.map((k) => (
          <button
            key={k.id} type="button" class={`key${k.id === picked.value ? " on" : ""}${k.jump ? " jump" : ""}`} style={{ left: percent(k.time) }}
            aria-label={`${k.label} at ${k.time.toFixed(2)} s`} title={`${k.label}, ${k.time.toFixed(2)} s`}
            onPointerDown={(e) => {
              held.current = k.id;
              choose(k);
              (e.currentTarget as HTMLElement).setPointerCapture(e.pointerId);
            }}
            onKeyDown={(e) => {
              const by = e.key === "ArrowLeft" ? -0.05 : e.key === "ArrowRight" ? 0.05 : 0;
              if (by) (e.preventDefault(), e.stopPropagation(), edit("move a posture", (keys) => keys.map((q) => (q.id === k.id ? { ...q, time: Math.max(0, Math.round((q.time + by) * 100) / 100) } : q))));
              if (e.key === "Delete" || e.key === "Backspace") edit("remove a posture", (keys) => keys.filter((q) => q.id !== k.id));
              if (e.key === "Enter") choose(k);
            }}
          >
            <span>{dance.keys.indexOf(k) + 1}</span>
            {k.hold > 0 && <i style={{ width: `${(k.hold / seconds) * (box.current?.clientWidth ?? 600)}px` }} />}
          </button>
        ))}
      </div>
    </div>
  );
}
