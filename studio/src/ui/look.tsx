/** Look: the contact record in words, force curves of both feet, joint angles against the norm. */

import { useMemo } from "preact/hooks";
import type { Band, Clip } from "../core/protocol";
import type { Store } from "../core/store";
import type { Director } from "../stage/director";
import { Section } from "./controls";

const WIDE = 252;
const TALL = 84;
const G = 9.81;

function polyline(values: ArrayLike<number>, low: number, high: number): string {
  const n = Math.max(values.length - 1, 1);
  return Array.from(values, (v, k) => `${((k / n) * WIDE).toFixed(1)},${(TALL - ((v - low) / (high - low)) * TALL).toFixed(1)}`).join(" ");
}

function ForceCurves({ clip, director }: { clip: Clip; director: Director }) {
  const lines = useMemo(() => {
    const weight = (clip.mass ?? 70) * G;
    const step = Math.max(1, Math.floor(clip.frames / 500));
    return [0, 1].map((foot) => {
      const out: number[] = [];
      for (let f = 0; f < clip.frames; f += step) out.push(clip.forces![3 * (2 * f + foot) + 1]! / weight);
      return out;
    });
  }, [clip]);
  const high = Math.max(1.3, ...lines.flat()) * 1.05;
  const head = (director.player.time.value / Math.max(clip.seconds, 1e-6)) * WIDE;
  return (
    <figure class="plot">
      <figcaption>Vertical force, body weights <span class="left">left</span> <span class="right">right</span></figcaption>
      <svg viewBox={`0 0 ${WIDE} ${TALL}`} role="img" aria-label="Vertical force of both feet over time">
        <line class="grid" x1={0} x2={WIDE} y1={TALL - TALL / high} y2={TALL - TALL / high} />
        <polyline class="left" points={polyline(lines[0]!, 0, high)} />
        <polyline class="right" points={polyline(lines[1]!, 0, high)} />
        <line class="head" x1={head} x2={head} y1={0} y2={TALL} />
      </svg>
    </figure>
  );
}

function Angle({ name, band }: { name: string; band: Band }) {
  const sd = band.sd ?? [];
  const own = [...(band.left ?? []), ...(band.right ?? [])];
  const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / Math.max(values.length, 1);
  const shift = name === "Knee" || !band.mean ? 0 : mean(own) - mean(band.mean); // zeros of hip and ankle are the markers'
  const lowest = (band.mean ?? []).map((m, k) => m + shift - sd[k]!);
  const highest = (band.mean ?? []).map((m, k) => m + shift + sd[k]!);
  const all = [...own, ...lowest, ...highest];
  const low = Math.min(...all) - 4;
  const high = Math.max(...all) + 4;
  const area = band.mean ? `${polyline(highest, low, high)} ${polyline(lowest, low, high).split(" ").reverse().join(" ")}` : "";
  return (
    <figure class="plot">
      <figcaption>{name}, degrees over a stride</figcaption>
      <svg viewBox={`0 0 ${WIDE} ${TALL}`} role="img" aria-label={`${name} angle over a stride, against the published norm`}>
        {area && <polygon class="band" points={area} />}
        {band.left && <polyline class="left" points={polyline(band.left, low, high)} />}
        {band.right && <polyline class="right" points={polyline(band.right, low, high)} />}
      </svg>
    </figure>
  );
}

export function Look({ store, director }: { store: Store; director: Director }) {
  const clip = store.clip.value;
  const report = store.report.value;
  if (store.project.value.mode === "dance" && !store.project.value.dance.keys.length && !store.project.value.dance.wind)
    return <p class="hint padded">Store postures on the timeline; the dance between them is measured here.</p>;
  if (!clip) return <p class="hint padded">Once something moves, its steps, forces and joint angles are shown here.</p>;
  const angles = Object.entries(report?.angles ?? {}).filter(([, band]) => band.left ?? band.right);
  return (
    <>
      <Section title="In words">
        {report ? (
          <>
            <p class={report.passed ? "verdict good" : "verdict bad"}>{report.passed ? "Feet hold" : "Look closer"}</p>
            <ul class="sentences">
              {[...report.sentences, ...(report.passed ? [] : report.failures)].map((s) => <li key={s}>{s}</li>)}
              {clip.notes.map((s) => <li key={s} class="quiet">{s}</li>)}
            </ul>
          </>
        ) : (
          <p class="hint">{store.driving.value ? "Measured when you stop." : "Measuring …"}</p>
        )}
      </Section>
      {clip.forces && (
        <Section title="Forces">
          <ForceCurves clip={clip} director={director} />
        </Section>
      )}
      {report && angles.length > 0 && (
        <Section title="Joint angles">
          <p class="hint">The band is one standard deviation of published walking at this speed.</p>
          {angles.map(([name, band]) => <Angle key={name} name={name[0]!.toUpperCase() + name.slice(1)} band={band} />)}
        </Section>
      )}
    </>
  );
}
