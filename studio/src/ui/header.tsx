/** The bar above: modes, title, undo, what is kept, and files to take away. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Mode } from "../core/protocol";
import type { Store } from "../core/store";

const MODES: [Mode, string, string][] = [
  ["go", "Go", "Walk or run along a path"], ["drive", "Drive", "Steer live"], ["dance", "Dance", "Pose, and dance between postures"],
];

export function Header({ store, dark, onDark }: { store: Store; dark: boolean; onDark: () => void }) {
  const p = store.project.value;
  const { history } = store;
  const modes = p.view ? [...MODES, ["view", "View", "The clip as it is"] as [Mode, string, string]] : MODES;
  return (
    <header>
      <span class="brand">gambol</span>
      <nav class="tabs" aria-label="Mode">
        {modes.map(([mode, title, meaning]) => (
          <button
            key={mode} type="button" aria-current={p.mode === mode ? "page" : undefined} title={meaning}
            onClick={() => store.change(`mode ${title}`, (q) => ({ ...q, mode }))}
          >
            {title}
          </button>
        ))}
      </nav>
      <Title store={store} />
      <span class="kept quiet" role="status">
        {store.link.state.value === "lost" ? "Connection lost, trying again …" : store.kept.value ? "Saved" : "Saving …"}
      </span>
      <span class="grow" />
      <button type="button" class="plain" disabled={!history.canUndo.value} title={`Undo ${history.undoing} (Ctrl+Z)`} onClick={() => history.undo()}>Undo</button>
      <button type="button" class="plain" disabled={!history.canRedo.value} title={`Redo ${history.redoing} (Ctrl+Shift+Z)`} onClick={() => history.redo()}>Redo</button>
      <Projects store={store} />
      <button type="button" class="plain" aria-label={dark ? "Light look" : "Dark look"} title={dark ? "Light" : "Dark"} onClick={onDark}>{dark ? "☀" : "☾"}</button>
      <TakeAway store={store} />
    </header>
  );
}

/** A menu that closes when one goes elsewhere. */
function useMenu() {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const away = (e: Event) => {
      if (e instanceof KeyboardEvent ? e.key === "Escape" : !box.current?.contains(e.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", away);
    addEventListener("keydown", away);
    return () => (removeEventListener("pointerdown", away), removeEventListener("keydown", away));
  }, [open]);
  return { open, setOpen, box };
}

function Projects({ store }: { store: Store }) {
  const { open, setOpen, box } = useMenu();
  const [rows, setRows] = useState<{ name: string; title: string; changed: number }[]>([]);
  useEffect(() => {
    if (open) store.server.projects().then(setRows, (e) => store.fail(e));
  }, [open]);
  return (
    <div class="menu" ref={box}>
      <button type="button" class="plain" aria-haspopup="menu" aria-expanded={open} onClick={() => setOpen(!open)}>Projects</button>
      {open && (
        <div class="menu-list" role="menu">
          <button type="button" role="menuitem" onClick={() => (setOpen(false), store.begun())}>New project</button>
          {rows.map((r) => (
            <button key={r.name} type="button" role="menuitem" onClick={() => (setOpen(false), void store.open(r.name))}>
              {r.title}<span class="quiet">{new Date(1000 * r.changed).toLocaleString()}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function TakeAway({ store }: { store: Store }) {
  const { open, setOpen, box } = useMenu();
  const isRig = store.project.value.figure.kind === "character";
  const formats = store.about.formats.filter((f) => f.suffix !== ".vrm" || isRig);
  return (
    <div class="menu" ref={box}>
      <button type="button" class="primary" aria-haspopup="menu" aria-expanded={open} onClick={() => setOpen(!open)}>Export</button>
      {open && (
        <div class="menu-list right" role="menu">
          {formats.map((f) => (
            <button key={f.suffix} type="button" role="menuitem" onClick={() => (setOpen(false), void store.take(f.suffix))}>
              {f.suffix}<span class="quiet">{f.title}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** What is typed stays while the bar is drawn anew: the field is only written to when the title itself changes. */
function Title({ store }: { store: Store }) {
  const field = useRef<HTMLInputElement>(null);
  const { title } = store.project.value;
  useEffect(() => {
    if (field.current) field.current.value = title;
  }, [title]);
  const rename = (input: HTMLInputElement) => {
    input.value = input.value.trim() || "Untitled";
    store.change("rename", (p) => ({ ...p, title: input.value }));
  };
  return <input ref={field} class="title" aria-label="Title of the project" defaultValue={title} maxLength={80} onChange={(e) => rename(e.currentTarget)} />;
}
