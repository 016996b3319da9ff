/** Small parts of panels. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

export function Section(props: { title: string; children: ComponentChildren; open?: boolean; onToggle?: (open: boolean) => void }) {
  const [open, setOpen] = useState(props.open ?? true);
  return (
    <section class="section">
      <h2>
        <button type="button" aria-expanded={open} onClick={() => (setOpen(!open), props.onToggle?.(!open))}>
          <span class={open ? "caret open" : "caret"} aria-hidden="true" />
          {props.title}
        </button>
      </h2>
      {open && <div class="section-body">{props.children}</div>}
    </section>
  );
}

export function shown(value: number, unit: string): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${unit && unit !== "1" ? ` ${unit}` : ""}`;
}

interface SliderProps {
  label: string;
  value: number;
  low: number;
  high: number;
  usual?: number;
  unit?: string;
  meaning?: string;
  onInput: (value: number) => void;
  onDone?: () => void;
}

/** A slider with its number; a double click or the arrow puts the usual value back. */
export function Slider({ label, value, low, high, usual, unit = "", meaning, onInput, onDone }: SliderProps) {
  const changed = usual !== undefined && Math.abs(value - usual) > 1e-9;
  const back = () => {
    if (usual !== undefined) onInput(usual);
    onDone?.();
  };
  return (
    <div class="slider" title={meaning}>
      <div class="slider-head">
        <span class="slider-name">{label}</span>
        <span class="slider-value">{shown(value, unit)}</span>
        {changed && (
          <button type="button" class="reset" title="Back to the usual value" aria-label={`${label}: back to the usual value`} onClick={back}>
            ↺
          </button>
        )}
      </div>
      <input
        type="range" min={low} max={high} step={(high - low) / 400} value={value} aria-label={label} aria-valuetext={shown(value, unit)}
        onInput={(e) => onInput(Number(e.currentTarget.value))} onChange={() => onDone?.()} onDblClick={back}
      />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: { value: string; title: string; meaning?: string }[];
  onChange: (value: string) => void;
}

export function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={(e) => onChange(e.currentTarget.value)}>
        {options.map((o) => (
          <option key={o.value} value={o.value} title={o.meaning}>{o.title}</option>
        ))}
      </select>
    </label>
  );
}

export function Check(props: { label: string; checked: boolean; title?: string; onChange: (on: boolean) => void }) {
  return (
    <label class="check" title={props.title}>
      <input type="checkbox" checked={props.checked} onChange={(e) => props.onChange(e.currentTarget.checked)} />
      {props.label}
    </label>
  );
}
