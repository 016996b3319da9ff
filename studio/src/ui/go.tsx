/** Go: a path, a method, its dials. */

import type { Dial, MethodAbout, Project } from "../core/protocol";
import type { Store } from "../core/store";
import type { Director } from "../stage/director";
import { Check, Choice, Section, Slider } from "./controls";
import { FigureAndGround } from "./figure";
import { SpeedCurve } from "./speed";

type SetGo = (doing: string, how: Partial<Project["go"]>, merge?: string | null) => void;

export function Go({ store, director }: { store: Store; director: Director }) {
  const { go } = store.project.value;
  const methods = store.about.methods.filter((m) => m.name !== "dance" && m.name !== "sway");
  const method = methods.find((m) => m.name === go.method) ?? methods[0]!;
  const runs = method.name === "running";
  const set: SetGo = (doing, how, merge = null) => store.change(doing, (p) => ({ ...p, go: { ...p.go, ...how } }), merge);
  const chosen = director.chosen.value;
  return (
    <>
      <Section title="Movement">
        <div class="tabs small" role="radiogroup" aria-label="Method">
          {methods.map((m) => (
            <button
              key={m.name} type="button" role="radio" aria-checked={m.name === method.name} title={m.meaning}
              onClick={() => set(m.title.toLowerCase(), { method: m.name, preset: null, speed: null, clip: null })}
            >
              {m.title}
            </button>
          ))}
        </div>
        <Presets method={method} store={store} set={set} />
        <SpeedCurve store={store} usual={runs ? 3 : 1.3} high={runs ? 9 : 2.1} />
      </Section>
      <Section title="Path">
        <p class="hint">Click on the ground to add a point, drag a point to move it, press Delete to remove it.</p>
        <div class="row">
          <Check label="Closed" checked={go.closed} onChange={(closed) => set(closed ? "close the path" : "open the path", { closed })} />
          <button type="button" class="plain" disabled={chosen === null} onClick={() => chosen !== null && director.removePoint(chosen)}>
            Remove point
          </button>
          <button type="button" class="plain" disabled={!go.points.length} onClick={() => set("clear the path", { points: [] })}>Clear</button>
        </div>
        {go.closed && <Slider label="Laps" value={go.laps} low={1} high={10} usual={1} onInput={(v) => set("set laps", { laps: Math.round(v) }, "laps")} />}
      </Section>
      <FigureAndGround store={store} />
      <Dials method={method} store={store} set={set} />
    </>
  );
}

function Dials({ method, store, set }: { method: MethodAbout; store: Store; set: SetGo }) {
  const { go } = store.project.value;
  const values = go.dials[method.name] ?? {};
  const preset = method.presets.find((p) => p.name === go.preset)?.dials ?? {};
  const usual = (d: Dial) => preset[d.name] ?? d.default;
  return (
    <Section title="Dials" open={false}>
      {method.dials.map((d) => (
        <Slider
          key={d.name} label={d.title} value={values[d.name] ?? usual(d)} low={d.low} high={d.high} unit={d.unit} usual={usual(d)}
          meaning={[d.meaning, d.source && `(${d.source})`].filter(Boolean).join(" ")}
          onInput={(v) => set(`set ${d.title.toLowerCase()}`, { dials: { ...go.dials, [method.name]: { ...values, [d.name]: v } } }, `dial ${d.name}`)}
          onDone={() => store.history.settle()}
        />
      ))}
      <button
        type="button" class="plain" disabled={!Object.keys(values).length}
        onClick={() => set("reset all dials", { dials: { ...go.dials, [method.name]: {} } })}
      >
        Reset all
      </button>
    </Section>
  );
}

function Presets({ method, store, set }: { method: MethodAbout; store: Store; set: SetGo }) {
  const { go } = store.project.value;
  const clips = store.dropped.value.filter((d) => d.kind === "clip");
  return (
    <>
      {method.presets.length > 0 && (
        <Choice
          label="Preset" value={go.preset ?? ""} onChange={(v) => set(`preset ${v || "usual"}`, { preset: v || null })}
          options={[{ value: "", title: "Usual" }, ...method.presets.map((p) => ({ value: p.name, title: p.title }))]}
        />
      )}
      {method.name === "force" && (
        <Choice
          label="Style" value={go.style ?? ""} onChange={(v) => set(`style ${v || "plain"}`, { style: v || null })}
          options={[{ value: "", title: "Plain" }, ...store.about.styles.map((s) => ({ value: s.name, title: s.title, meaning: s.meaning }))]}
        />
      )}
      {method.name === "measured" && (
        <Choice
          label="Walk like" value={go.clip ?? ""} onChange={(v) => set("walk like a clip", { clip: v || null })}
          options={[
            { value: "", title: "The norm" }, ...clips.map((c) => ({ value: c.file, title: c.title })),
            ...(go.clip && !clips.some((c) => c.file === go.clip) ? [{ value: go.clip, title: go.clip.slice(17) }] : []),
          ]}
        />
      )}
    </>
  );
}
