/** Who moves, and on what ground. */

import type { Figure, Ground } from "../core/protocol";
import type { Store } from "../core/store";
import { Choice, Section, Slider } from "./controls";

const ID = 17; // letters before a dropped file's own name

function figureOf(value: string): Figure {
  if (value.startsWith("file:")) return { kind: "character", file: value.slice(5), mass: null };
  if (value.startsWith("model:")) return { kind: "model", model: value.slice(6) };
  return { kind: "person", height: 1.75, mass: null };
}

function groundOf(value: string): Ground {
  return value.startsWith("file:") ? { file: value.slice(5), scale: 1, up: "y" } : { text: value };
}

/** Files that were dropped, and the one in use where it was dropped at another time. */
function fileOptions(store: Store, kind: string, used: string) {
  const rows = store.dropped.value.filter((d) => d.kind === kind).map((d) => ({ value: `file:${d.file}`, title: d.title }));
  if (used.startsWith("file:") && !rows.some((r) => r.value === used)) rows.push({ value: used, title: used.slice(5 + ID) });
  return rows;
}

export function FigureAndGround({ store, dances = false }: { store: Store; dances?: boolean }) {
  const { figure, ground } = store.project.value;
  const who = figure.kind === "person" ? "person" : figure.kind === "model" ? `model:${figure.model}` : `file:${figure.file}`;
  const on = "text" in ground ? ground.text : `file:${ground.file}`;
  const models = dances ? store.about.models.filter((m) => m.name !== "person").map((m) => ({ value: `model:${m.name}`, title: m.title })) : [];
  return (
    <Section title={dances ? "Figure" : "Figure and ground"}>
      <Choice
        label="Figure" value={who} options={[{ value: "person", title: "Person" }, ...models, ...fileOptions(store, "character", who)]}
        onChange={(v) =>
          store.change("another figure", (p) => ({ ...p, figure: figureOf(v), dance: { ...p.dance, keys: [], postures: [] } }))
        }
      />
      {figure.kind === "person" && (
        <Slider
          label="Height" unit="m" value={figure.height} low={0.9} high={2.2} usual={1.75} onDone={() => store.history.settle()}
          onInput={(v) => store.change("set the height", (p) => ({ ...p, figure: { ...figure, height: Math.round(100 * v) / 100 } }), "height")}
        />
      )}
      {figure.kind === "person" && !dances && (
        <Slider
          label="Mass" unit="kg" value={figure.mass ?? 22.9 * figure.height ** 2} low={15} high={150} usual={22.9 * figure.height ** 2}
          onInput={(v) => store.change("set the mass", (p) => ({ ...p, figure: { ...figure, mass: Math.round(10 * v) / 10 } }), "mass")}
          onDone={() => store.history.settle()}
        />
      )}
      {!dances && (
        <Choice
          label="Ground" value={on} onChange={(v) => store.change("another ground", (p) => ({ ...p, ground: groundOf(v) }))}
          options={[...store.about.grounds.map((g) => ({ value: g.text, title: g.title })), ...fileOptions(store, "ground", on)]}
        />
      )}
      <button type="button" class="plain wide" onClick={() => document.getElementById("drop")?.click()}>Add your own file …</button>
      <p class="hint">Or drop it anywhere: a character (.glb .vrm), a level (.obj .glb), a clip (.bvh .amc .c3d), a song.</p>
    </Section>
  );
}
