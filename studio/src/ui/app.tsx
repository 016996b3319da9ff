/** The page: bar, panel, stage, panel. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Store } from "../core/store";
import { Director } from "../stage/director";
import { Dance } from "./dance";
import { Drive } from "./drive";
import { Go } from "./go";
import { Header } from "./header";
import { Look } from "./look";
import { Timeline } from "./timeline";
import { Shown, Transport } from "./transport";

function wantsDark(): boolean {
  return (localStorage.getItem("gambol.look") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}

export function App({ store }: { store: Store }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [director, setDirector] = useState<Director | null>(null);
  const [dark, setDark] = useState(wantsDark());
  const [dropping, setDropping] = useState(false);
  const { mode } = store.project.value;
  useEffect(() => {
    const made = new Director(store, canvas.current!, dark);
    const watch = new ResizeObserver(() => made.stage.resize());
    watch.observe(canvas.current!);
    made.stage.resize();
    made.frame();
    setDirector(made);
    (window as unknown as { gambol: unknown }).gambol = { store, director: made };
    store.begin();
    return () => (watch.disconnect(), made.stage.dispose());
  }, []);
  useEffect(() => {
    document.documentElement.dataset["look"] = dark ? "dark" : "light";
    localStorage.setItem("gambol.look", dark ? "dark" : "light");
    director?.stage.setLook(dark ? "dark" : "light");
  }, [dark, director]);
  useEffect(() => keys(store, director), [director]);
  const took = async (files: FileList | null) => {
    setDropping(false);
    for (const file of files ?? []) await store.drop(file);
    director?.frame();
  };
  return (
    <div
      class={dropping ? "app dropping" : "app"} data-mode={mode}
      onDragOver={(e) => (e.preventDefault(), setDropping(true))} onDragLeave={(e) => e.currentTarget === e.target && setDropping(false)}
      onDrop={(e) => (e.preventDefault(), void took(e.dataTransfer?.files ?? null))}
    >
      <Header store={store} dark={dark} onDark={() => setDark(!dark)} />
      <aside class="panel left" aria-label="Settings">
        {director && mode === "go" && <Go store={store} director={director} />}
        {director && mode === "drive" && <Drive store={store} director={director} />}
        {director && mode === "dance" && <Dance store={store} director={director} />}
        {director && mode === "view" && <p class="hint padded">The clip as it is in its file. Play it, look at its steps, export it as something else.</p>}
      </aside>
      <main>
        <canvas ref={canvas} tabIndex={0} aria-label="Stage: drag to look around, scroll to come nearer" />
        <Messages store={store} />
        {director && <Shown director={director} />}
        {director?.told.value && (
          <span class="told" style={{ left: `${director.told.value.x + 14}px`, top: `${director.told.value.y - 8}px` }}>{director.told.value.text}</span>
        )}
        {mode === "go" && store.project.value.go.points.length < 2 && <p class="invite">Click on the ground: first where to begin, then where to go.</p>}
        {mode === "drive" && !store.clip.value && <p class="invite">Press an arrow key to walk.</p>}
        {director && mode === "dance" && <Timeline store={store} director={director} />}
        {director && <Transport director={director} />}
      </main>
      <aside class="panel right" aria-label="Measured">{director && <Look store={store} director={director} />}</aside>
      <input id="drop" type="file" multiple hidden onChange={(e) => void took(e.currentTarget.files)} />
      {dropping && <div class="drop-here">Drop it here</div>}
    </div>
  );
}

function Messages({ store }: { store: Store }) {
  const busy = store.busy.value;
  return (
    <div class="messages">
      {store.trouble.value && (
        <div class="message bad" role="alert">
          <span>{store.trouble.value}</span>
          <button type="button" class="plain" aria-label="Close" onClick={() => (store.trouble.value = null)}>✕</button>
        </div>
      )}
      {store.note.value && (
        <div class="message" role="status">
          <span>{store.note.value}</span>
          <button type="button" class="plain" aria-label="Close" onClick={() => (store.note.value = null)}>✕</button>
        </div>
      )}
      {busy && (
        <div class="message" role="status">
          <span class="spinner" aria-hidden="true" /> {busy.doing}
          <button type="button" class="plain" onClick={() => store.link.cancel(busy.channel)}>Cancel</button>
        </div>
      )}
    </div>
  );
}

function keys(store: Store, director: Director | null) {
  const press = (e: KeyboardEvent) => {
    const typing = e.target instanceof HTMLElement && e.target.closest("input:not([type=range]):not([type=checkbox]), select, textarea");
    if (typing) return;
    const z = e.key.toLowerCase() === "z" && (e.ctrlKey || e.metaKey);
    if (z) (e.preventDefault(), e.shiftKey ? store.history.redo() : store.history.undo());
    else if (e.key.toLowerCase() === "y" && (e.ctrlKey || e.metaKey)) (e.preventDefault(), store.history.redo());
    else if (e.ctrlKey || e.metaKey || e.altKey) return;
    else if (e.key === " " && !(e.target instanceof HTMLButtonElement)) (e.preventDefault(), director?.player.toggle());
    else if (e.key.toLowerCase() === "f") director?.frame();
    else if (e.key === "," || e.key === ".") director?.player.step(e.key === "," ? -1 : 1);
  };
  addEventListener("keydown", press);
  return () => removeEventListener("keydown", press);
}
