/** Dance: pose by dragging, store postures, place them in time, let the joints spring between them. */

import { useEffect, useState } from "preact/hooks";
import type { Dance as DanceProject, Pose } from "../core/protocol";
import type { Store } from "../core/store";
import type { Director } from "../stage/director";
import { Check, Choice, Section, Slider } from "./controls";
import { FigureAndGround } from "./figure";

const WORDS: Record<string, string> = { inertia: "Clumsy", damping: "Calm", stiffness: "Rigid", lag: "Late", balance: "Balance" };

type SetDance = (doing: string, how: Partial<DanceProject>, merge?: string | null) => void;

export function newId(): string {
  return crypto.randomUUID().slice(0, 8);
}

export function Dance({ store, director }: { store: Store; director: Director }) {
  const { figure, dance } = store.project.value;
  const set: SetDance = (doing, how, merge = null) => store.change(doing, (p) => ({ ...p, dance: { ...p.dance, ...how } }), merge);
  const name = figure.kind === "model" ? figure.model : "person";
  const kind = figure.kind === "character" ? "person" : (store.about.models.find((m) => m.name === name)?.kind ?? "person");
  const open = store.link.state.value === "open";
  useEffect(() => {
    if (open && !director.pose.peek()) void director.showPose(null);
  }, [open]);
  const keep = () => {
    const pose = director.pose.peek();
    if (!pose) return;
    const last = dance.keys.reduce((t, k) => Math.max(t, k.time + k.hold), -1);
    const head = director.player.time.peek();
    const free = dance.keys.length > 0 && head > 0 && dance.keys.every((k) => Math.abs(k.time - head) > 0.1);
    const at = Math.round(100 * (free ? head : last + 1)) / 100;
    const key = { id: newId(), time: at, hold: 0, pose, planted: null, jump: false, label: `Posture ${dance.keys.length + 1}` };
    set("store a posture", { keys: [...dance.keys, key].sort((a, b) => a.time - b.time) });
  };
  return (
    <>
      <Section title="Pose">
        <p class="hint">Drag a joint; Shift-click holds one where it is (red). Then store the posture on the timeline below.</p>
        <div class="row">
          <button type="button" class="primary" disabled={!director.pose.value} onClick={keep}>Store posture</button>
          <button type="button" class="plain" onClick={() => void director.showPose(null)}>Reset</button>
          <button type="button" class="plain" disabled={!director.pose.value} onClick={() => void mirror(store, director)}>Mirror</button>
        </div>
        <div class="row">
          <button type="button" class="plain" disabled={kind !== "person"} onClick={() => (director.fixed.value = ["left_foot", "right_foot"])}>Hold feet</button>
          <button type="button" class="plain" disabled={!director.fixed.value.length} onClick={() => (director.fixed.value = [])}>Let go</button>
          <Choice
            label="Stiffness" value={String(director.reach.value)} onChange={(v) => (director.reach.value = Number(v))}
            options={[{ value: "1", title: "Floppy" }, { value: "2", title: "Usual" }, { value: "3", title: "Stiff" }]}
          />
        </div>
        <Check label="Both sides at once" title="The other side is dragged as in a mirror" checked={director.symmetric.value} onChange={(on) => (director.symmetric.value = on)} />
        {director.fixed.value.length > 0 && <p class="hint">Held: {director.fixed.value.join(", ").replaceAll("_", " ")}</p>}
      </Section>
      <Postures store={store} director={director} kind={kind} />
      <FigureAndGround store={store} dances />
      <Section title="Joints">
        <Choice
          label="Keys are" value={dance.mode} onChange={(v) => set("change the mode", { mode: v as DanceProject["mode"] })}
          options={[{ value: "hit", title: "hit exactly" }, { value: "pull", title: "pulled towards" }]}
        />
        {(store.about.methods.find((m) => m.name === (dance.keys.length || !dance.wind ? "dance" : "sway"))?.dials ?? []).map((d) => (
          <Slider
            key={d.name} label={WORDS[d.name] ?? d.title} value={dance.dials[d.name] ?? d.default} low={d.low} high={d.high} usual={d.default} unit={d.unit}
            meaning={d.meaning} onInput={(v) => set(`set ${d.title.toLowerCase()}`, { dials: { ...dance.dials, [d.name]: v } }, `dance ${d.name}`)}
            onDone={() => store.history.settle()}
          />
        ))}
        <Check
          label="Begins anew at its end" checked={dance.period !== null}
          onChange={(on) => set(on ? "make a loop" : "no loop", { period: on ? period(dance) : null })}
        />
      </Section>
      <WindControls dance={dance} set={set} store={store} />
    </>
  );
}

/** When a loop begins anew: a second after its last posture. */
function period(dance: DanceProject): number {
  return dance.keys.length ? Math.max(...dance.keys.map((k) => k.time + k.hold)) + 1 : 4;
}

function WindControls({ dance, set, store }: { dance: DanceProject; set: SetDance; store: Store }) {
  const wind = dance.wind;
  const change = (how: Partial<NonNullable<DanceProject["wind"]>>) => wind && set("change the wind", { wind: { ...wind, ...how } }, "wind");
  const angle = wind ? (Math.atan2(wind.toward[0], wind.toward[2]) * 180) / Math.PI : 90;
  const done = () => store.history.settle();
  return (
    <Section title="Wind" open={wind !== null}>
      <p class="hint">For figures without postures: plants, hair, tails.</p>
      <Check
        label="Wind" checked={wind !== null}
        onChange={(on) => set(on ? "let the wind blow" : "no wind", { wind: on ? { toward: [1, 0, 0], speed: 6, gust: 0.35, turbulence: 0.25 } : null })}
      />
      {wind && (
        <>
          <Slider label="Speed" unit="m/s" value={wind.speed} low={0} high={25} usual={6} onInput={(speed) => change({ speed })} onDone={done} />
          <Slider
            label="Direction" unit="°" value={angle} low={-180} high={180} usual={90} onDone={done}
            onInput={(a) => change({ toward: [Math.sin((a * Math.PI) / 180), 0, Math.cos((a * Math.PI) / 180)] })}
          />
          <Slider label="Gusts" value={wind.gust} low={0} high={1} usual={0.35} onInput={(gust) => change({ gust })} onDone={done} />
          <Slider label="Restlessness" value={wind.turbulence} low={0} high={1} usual={0.25} onInput={(turbulence) => change({ turbulence })} onDone={done} />
        </>
      )}
    </Section>
  );
}

async function mirror(store: Store, director: Director): Promise<void> {
  try {
    const { figure } = store.project.peek();
    const { pose } = (await store.link.ask("mirror", { figure, pose: director.pose.peek() })) as { pose: Pose };
    await director.showPose(pose);
  } catch (error) {
    store.fail(error);
  }
}

function Postures({ store, director, kind }: { store: Store; director: Director; kind: string }) {
  const [extent, setExtent] = useState(1);
  const base = store.about.bases[kind] ?? [];
  const { figure, dance } = store.project.value;
  const strike = async (name: string) => {
    try {
      const part = extent === 1 ? name : `${name}*${extent.toFixed(2)}`;
      const text = name === "stand" || !base.some((p) => p.name === "stand") ? part : `stand + ${part}`;
      const { pose } = (await store.link.ask("posture", { figure, text }, "posture")) as { pose: Pose };
      await director.showPose(pose);
    } catch (error) {
      store.fail(error);
    }
  };
  const [open, setOpen] = useState(false);
  const [sheet, setSheet] = useState<{ names: string[]; columns: number; sheet: string } | null>(null);
  const who = JSON.stringify(figure);
  useEffect(() => {
    setSheet(null);
    if (!open) return;
    store.server.thumbs(figure).then(setSheet, (e) => store.fail(e));
  }, [who, open]);
  const keep = () => {
    const pose = director.pose.peek();
    if (pose) store.change("keep a posture", (p) => ({ ...p, dance: { ...p.dance, postures: [...p.dance.postures, { name: `Mine ${p.dance.postures.length + 1}`, pose }] } }));
  };
  return (
    <Section title="Postures" open={false} onToggle={setOpen}>
      <Slider label="Extent" value={extent} low={0.1} high={1.5} usual={1} onInput={setExtent} />
      {dance.postures.length > 0 && (
        <div class="chips">
          {dance.postures.map((kept) => (
            <button key={kept.name} type="button" class="chip mine" onClick={() => void director.showPose(kept.pose)}>{kept.name}</button>
          ))}
        </div>
      )}
      <div class="thumbs">
        {base.map((p) => {
          const k = sheet?.names.indexOf(p.name) ?? -1;
          const at = sheet && k >= 0 ? `${-72 * (k % sheet.columns)}px ${-96 * Math.floor(k / sheet.columns)}px` : "";
          return (
            <button key={p.name} type="button" class="thumb" onClick={() => void strike(p.name)}>
              {at && <i style={{ backgroundImage: `url(${sheet!.sheet})`, backgroundPosition: at }} aria-hidden="true" />}
              {p.title}
            </button>
          );
        })}
      </div>
      <button type="button" class="plain" disabled={!director.pose.value} onClick={keep}>Keep this pose as a posture</button>
    </Section>
  );
}
