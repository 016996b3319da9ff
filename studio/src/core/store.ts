/** What the page holds: the project and its past, the clip made of it, and what is going on. */

import { batch, computed, effect, signal } from "@preact/signals";
import { Refused, Superseded, type Connection } from "./connection";
import { History } from "./history";
import { motionKey, newProject } from "./project";
import type { About, Beats, Clip, Dropped, Project, Report } from "./protocol";
import type { Server } from "./server";
import { clipOf, type Packet } from "./wire";

export interface Busy {
  doing: string;
  share: number | null;
  channel: string;
}

const SETTLE = 250; // ms without a change after which the full clip and its report are made
const KEEP = 400; // ms after which a change is kept

export class Store {
  readonly history = new History<Project>(newProject());
  readonly project = this.history.now;
  readonly clip = signal<Clip | null>(null);
  readonly report = signal<Report | null>(null);
  readonly trouble = signal<string | null>(null);
  readonly note = signal<string | null>(null);
  readonly busy = signal<Busy | null>(null);
  readonly dragging = signal(false);
  readonly kept = signal(true);
  readonly driving = signal(false);
  readonly name = signal("");
  readonly dropped = signal<Dropped[]>([]);
  readonly beats = signal<Beats | null>(null);
  readonly motionKey = computed(() => motionKey(this.project.value));
  /** The motion key whose full clip was measured last, or could not be made: what is shown is up to date when it is `motionKey`. */
  readonly answered = signal("");
  /** A level was dropped and the path is not on it yet: nothing is made until it is. */
  readonly laying = signal(false);
  /** Milliseconds from the last change to its clip. */
  readonly latency = signal(0);

  constructor(
    readonly server: Server,
    readonly link: Connection,
    readonly about: About,
  ) {}

  /** A change of the project; `merge` as in History. */
  change(doing: string, how: (p: Project) => Project, merge: string | null = null): void {
    this.history.set(how(this.project.value), doing, merge);
  }

  /** Show a sentence about what went wrong; nothing else changes. */
  fail(error: unknown): void {
    if (error instanceof Superseded) return;
    this.trouble.value = error instanceof Error ? error.message : String(error);
    if (!(error instanceof Refused)) console.error(error);
  }

  /** The project of this tab: as the address says, as it was before a reload, or a new one. */
  async resume(): Promise<void> {
    const asked = new URLSearchParams(location.search).get("project");
    const name = asked ?? sessionStorage.getItem("gambol.project");
    if (!name) return this.begun();
    try {
      this.history.restart(await this.server.project(name));
      this.named(name);
    } catch (error) {
      const kept = localStorage.getItem(`gambol.project.${name}`); // the server lost it: this browser has not
      if (kept) this.history.restart(JSON.parse(kept) as Project);
      this.named(name);
      if (!kept) this.fail(error);
    }
  }

  /** A new project, with a name that no other tab has. */
  begun(): void {
    this.history.restart(newProject());
    this.clip.value = null;
    this.report.value = null;
    this.named(`untitled ${new Date().toISOString().slice(0, 16).replace("T", " ").replace(":", ".")} ${crypto.randomUUID().slice(0, 4)}`);
  }

  async open(name: string): Promise<void> {
    try {
      const project = await this.server.project(name);
      this.clip.value = null;
      this.report.value = null;
      this.named(name);
      this.history.restart(project);
    } catch (error) {
      this.fail(error);
    }
  }

  private named(name: string): void {
    this.name.value = name;
    sessionStorage.setItem("gambol.project", name);
  }

  /** A file from outside: kept, and put to use as what it is. */
  async drop(file: File): Promise<void> {
    if (file.size > this.about.limits.upload_bytes) return this.fail(new Error(`${file.name} is larger than ${this.about.limits.upload_bytes >> 20} MB`));
    this.busy.value = { doing: `Reading ${file.name} …`, share: null, channel: "drop" };
    try {
      const found = await this.server.drop(file);
      this.dropped.value = [...this.dropped.value.filter((d) => d.file !== found.file), found];
      this.note.value = found.notes.length ? `${found.title}: ${found.notes.slice(0, 2).join("; ")}` : null;
      this.use(found);
    } catch (error) {
      this.fail(error);
    } finally {
      if (this.busy.value?.channel === "drop") this.busy.value = null;
    }
  }

  private use(found: Dropped): void {
    const { file, kind } = found;
    if (kind === "project" && found.project) return this.history.restart(found.project);
    if (kind === "character" && !found.walks && this.project.peek().mode !== "dance")
      this.note.value = `${found.title} is no human figure: it does not walk, but it can be posed and dance.`;
    this.change(`add ${found.title}`, (p) => {
      if (kind === "character") return { ...p, mode: found.walks || p.mode === "dance" ? p.mode : "dance", figure: { kind, file, mass: null }, dance: { ...p.dance, keys: [] } };
      if (kind === "ground") {
        this.laying.value = true;
        return { ...p, ground: { file, scale: 1, up: "y" } };
      }
      if (kind === "music") return { ...p, mode: "dance", dance: { ...p.dance, music: { file, offset: 0 } } };
      if (p.mode === "go" && p.go.method === "measured") return { ...p, go: { ...p.go, clip: file } };
      return { ...p, mode: "view", view: { file, clip: null } };
    });
  }

  /** Hear the beats of a song. */
  async listen(file: string | null, offset: number): Promise<void> {
    if (!file || this.link.state.peek() !== "open") {
      if (!file) this.beats.value = null;
      return;
    }
    try {
      const progress = (share: number | null) => (this.busy.value = { doing: "Listening for beats …", share, channel: "beats" });
      this.beats.value = (await this.link.ask("beats", { file, offset }, "beats", progress)) as unknown as Beats;
    } catch (error) {
      this.fail(error);
    } finally {
      if (this.busy.value?.channel === "beats") this.busy.value = null;
    }
  }

  /** Export, and hand the file to the browser. */
  async take(suffix: string): Promise<void> {
    try {
      const progress = (share: number | null) => (this.busy.value = { doing: `Writing ${suffix} …`, share, channel: "export" });
      const made = (await this.link.ask("export", { project: this.project.peek(), suffix }, "export", progress)) as { url: string; name: string };
      const link = document.createElement("a");
      link.href = this.server.download(made.url);
      link.download = made.name;
      link.click();
      this.note.value = `Wrote ${made.name}`;
    } catch (error) {
      this.fail(error);
    } finally {
      if (this.busy.value?.channel === "export") this.busy.value = null;
    }
  }

  /** Make what the project says whenever it changes, and keep it. */
  begin(): void {
    let settle: ReturnType<typeof setTimeout> | undefined;
    let keep: ReturnType<typeof setTimeout> | undefined;
    let made = "";
    effect(() => {
      const key = this.motionKey.value;
      const open = this.link.state.value === "open";
      if (!open) {
        made = "";
        return;
      }
      if (key === made || this.laying.value) return;
      if (!this.makes()) {
        made = key;
        this.clip.value = null;
        this.report.value = null;
        return;
      }
      made = key;
      clearTimeout(settle);
      void this.make(true);
      settle = setTimeout(() => void this.make(false), SETTLE);
    });
    effect(() => {
      const project = this.project.value;
      try {
        localStorage.setItem(`gambol.project.${this.name.peek()}`, JSON.stringify(project));
      } catch {
        // the browser keeps nothing: the server still does
      }
      this.kept.value = false;
      clearTimeout(keep);
      keep = setTimeout(() => void this.keep(project), KEEP);
    });
  }

  /** Drive makes its motion live, and a project without a view has nothing to make. */
  private makes(): boolean {
    const p = this.project.value;
    if (p.mode === "view") return p.view !== null;
    if (p.mode === "drive") return p.drive.commands.length > 0 && !this.driving.peek();
    if (p.mode === "dance") return p.dance.keys.length > 0 || p.dance.wind !== null;
    return p.go.points.length > 1;
  }

  private async make(draft: boolean): Promise<void> {
    const project = this.project.peek();
    const key = this.motionKey.peek();
    const asked = performance.now();
    try {
      const progress = (share: number | null, doing: string) => (this.busy.value = { doing, share, channel: "make" });
      const packet = (await this.link.ask("make", { project, draft }, "make", progress)) as Packet;
      if (project.mode !== this.project.peek().mode) return; // it came too late
      batch(() => {
        this.clip.value = clipOf(packet);
        this.trouble.value = null;
        this.latency.value = performance.now() - asked;
      });
      if (!draft) await this.look(project, key);
    } catch (error) {
      if (key !== this.motionKey.peek()) return; // of what is asked no more
      this.fail(error);
      if (!draft && !(error instanceof Superseded)) this.answered.value = key;
    } finally {
      if (this.busy.value?.channel === "make") this.busy.value = null;
    }
  }

  private async look(project: Project, key: string): Promise<void> {
    const report = (await this.link.ask("report", { project }, "report")) as unknown as Report;
    batch(() => {
      this.report.value = report;
      this.answered.value = key;
    });
  }

  private async keep(project: Project): Promise<void> {
    try {
      await this.server.keep(this.name.peek(), project);
      if (project === this.project.peek()) this.kept.value = true;
    } catch (error) {
      if (this.link.state.peek() === "open") this.fail(error);
    }
  }
}
