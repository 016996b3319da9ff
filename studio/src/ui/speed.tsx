/** Speed along the path: one number, or a curve over time whose points are dragged. */

import { useRef } from "preact/hooks";
import type { Speed } from "../core/protocol";
import type { Store } from "../core/store";
import { Check, Slider } from "./controls";

type Rows = [number, number][];

const WIDE = 252;
const TALL = 96;

export function SpeedCurve({ store, usual, high }: { store: Store; usual: number; high: number }) {
  const { speed } = store.project.value.go;
  const set = (value: Speed, merge: string | null = null) =>
    store.change("set the speed", (p) => ({ ...p, go: { ...p.go, speed: value } }), merge);
  const varies = Array.isArray(speed);
  const now = typeof speed === "number" ? speed : usual;
  const seconds = Math.max(store.clip.value?.seconds ?? 8, varies ? speed.at(-1)![0] : 0, 2);
  return (
    <>
      {varies ? (
        <Curve rows={speed} seconds={seconds} high={high} onChange={(rows) => set(rows, "speed curve")} onDone={() => store.history.settle()} />
      ) : (
        <Slider
          label="Speed" value={now} low={0.3} high={high} usual={usual} unit="m/s" meaning="Along the path; what is not set follows from published laws"
          onInput={(v) => set(v === usual ? null : Math.round(100 * v) / 100, "speed")} onDone={() => store.history.settle()}
        />
      )}
      <Check
        label="Changes over time" checked={varies}
        onChange={(on) => set(on ? [[0, now], [Math.round(seconds * 5) / 10, Math.min(1.3 * now, high)]] : null)}
      />
    </>
  );
}

interface CurveProps {
  rows: Rows;
  seconds: number;
  high: number;
  onChange: (rows: Rows) => void;
  onDone: () => void;
}

function Curve({ rows, seconds, high, onChange, onDone }: CurveProps) {
  const svg = useRef<SVGSVGElement>(null);
  const held = useRef<number | null>(null);
  const x = (t: number) => (t / seconds) * WIDE;
  const y = (v: number) => TALL - (v / high) * TALL;
  const at = (e: MouseEvent): [number, number] => {
    const box = svg.current!.getBoundingClientRect();
    const t = Math.min(Math.max(((e.clientX - box.left) / box.width) * seconds, 0), seconds);
    const v = Math.min(Math.max((1 - (e.clientY - box.top) / box.height) * high, 0), high);
    return [Math.round(t * 20) / 20, Math.round(v * 20) / 20];
  };
  const line = [[0, rows[0]![1]], ...rows, [seconds, rows.at(-1)![1]]].map(([t, v]) => `${x(t!)},${y(v!)}`).join(" ");
  const move = (e: PointerEvent) => {
    const k = held.current;
    if (k === null) return;
    const [t, v] = at(e);
    const low = k ? rows[k - 1]![0] + 0.1 : 0;
    const most = k + 1 < rows.length ? rows[k + 1]![0] - 0.1 : seconds;
    onChange(rows.map((r, j) => (j === k ? [k ? Math.min(Math.max(t, low), most) : 0, v] : r)));
  };
  const addOrRemove = (e: MouseEvent) => {
    const [t, v] = at(e);
    const near = rows.findIndex(([s]) => Math.abs(x(s) - x(t)) < 8);
    if (near > 0) onChange(rows.filter((_, j) => j !== near));
    else if (near < 0) onChange([...rows, [t, v] as [number, number]].sort((a, b) => a[0] - b[0]));
    onDone();
  };
  return (
    <svg
      ref={svg} class="curve" viewBox={`0 0 ${WIDE} ${TALL}`} role="img" aria-label="Speed over time; drag its points, double-click adds or removes one"
      onPointerMove={move} onPointerUp={() => ((held.current = null), onDone())} onDblClick={addOrRemove}
    >
      {[0.25, 0.5, 0.75].map((s) => <line key={s} class="grid" x1={0} x2={WIDE} y1={TALL * s} y2={TALL * s} />)}
      <polyline points={line} />
      {rows.map(([t, v], k) => (
        <circle
          key={k} cx={x(t)} cy={y(v)} r={6}
          onPointerDown={(e) => {
            held.current = k;
            svg.current!.setPointerCapture(e.pointerId);
          }}
        >
          <title>{`${t.toFixed(2)} s: ${v.toFixed(2)} m/s`}</title>
        </circle>
      ))}
      <text x={WIDE - 2} y={10} text-anchor="end">{`${high} m/s`}</text>
      <text x={WIDE - 2} y={TALL - 3} text-anchor="end">{`${seconds.toFixed(1)} s`}</text>
    </svg>
  );
}
