/** The socket to the server: every request is a promise, and on a channel the newest request wins. */

import { signal } from "@preact/signals";
import type { Trouble } from "./protocol";
import { unpack, type Packet } from "./wire";

export class Refused extends Error {
  constructor(readonly trouble: Trouble) {
    super([trouble.what, trouble.allowed && `allowed: ${trouble.allowed}`, trouble.do].filter(Boolean).join("; "));
  }
}

/** A request gave way to a newer one, or was cancelled. */
export class Superseded extends Error {}

export type Answer = Packet | Record<string, unknown>;
export type Progress = (share: number | null, doing: string) => void;

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
  progress: Progress | undefined;
}

interface Asked {
  message: Record<string, unknown>;
  waiting: Waiting;
}

export type LinkState = "connecting" | "open" | "lost";

const RETRY = [250, 500, 1000, 2000, 4000];

export class Connection {
  readonly state = signal<LinkState>("connecting");
  private socket: WebSocket | null = null;
  private next = 1;
  private tries = 0;
  private readonly waiting = new Map<number, Waiting>();
  private readonly flying = new Map<string, number>(); // channel -> request under way
  private readonly queued = new Map<string, Asked>(); // channel -> the newest that waits
  private readonly pushed = new Map<number, (packet: Packet) => void>();
  private closed = false;

  constructor(private readonly address: string) {
    this.open();
  }

  /** Ask; with a channel, a request that waits is replaced and only one is under way. */
  ask(op: string, content: Record<string, unknown> = {}, channel?: string, progress?: Progress): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asked: Asked = { message: { op, ...content }, waiting: { resolve, reject, progress } };
      if (channel === undefined) {
        this.send(asked);
        return;
      }
      asked.message["channel"] = channel;
      if (!this.flying.has(channel)) {
        this.send(asked, channel);
        return;
      }
      this.queued.get(channel)?.waiting.reject(new Superseded());
      this.queued.set(channel, asked);
    });
  }

  /** Tell, with no answer wanted. */
  tell(op: string, content: Record<string, unknown> = {}): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ id: this.next++, op, ...content }));
  }

  /** Packets that the server pushes under the id of a request that began them. */
  onPush(id: number, take: (packet: Packet) => void): () => void {
    this.pushed.set(id, take);
    return () => this.pushed.delete(id);
  }

  /** End what runs on a channel. */
  cancel(channel: string): void {
    this.queued.get(channel)?.waiting.reject(new Superseded());
    this.queued.delete(channel);
    const id = this.flying.get(channel);
    if (id !== undefined) this.tell("cancel", { cancels: id });
  }

  close(): void {
    this.closed = true;
    this.socket?.close();
  }

  private send(asked: Asked, channel?: string): void {
    if (this.socket?.readyState !== WebSocket.OPEN) {
      asked.waiting.reject(new Refused({ what: "the studio is not connected", where: "", allowed: "", do: "wait a moment" }));
      return;
    }
    const id = this.next++;
    const { resolve, reject, progress } = asked.waiting;
    const after = () => channel !== undefined && this.landed(channel);
    this.waiting.set(id, {
      progress,
      resolve: (a) => (after(), resolve(a)),
      reject: (e) => (after(), reject(e)),
    });
    if (channel !== undefined) this.flying.set(channel, id);
    this.socket.send(JSON.stringify({ id, ...asked.message }));
  }

  private landed(channel: string): void {
    this.flying.delete(channel);
    const asked = this.queued.get(channel);
    this.queued.delete(channel);
    if (asked) this.send(asked, channel);
  }

  private open(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.tries = 0;
      this.state.value = "open";
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.receive(event.data);
    socket.onclose = () => this.lost();
  }

  private lost(): void {
    const all = [...this.waiting.values(), ...[...this.queued.values()].map((a) => a.waiting)];
    this.waiting.clear();
    this.queued.clear();
    this.flying.clear();
    this.pushed.clear();
    for (const one of all) one.reject(new Superseded());
    if (this.closed) return;
    this.state.value = "lost";
    const wait = RETRY[Math.min(this.tries++, RETRY.length - 1)];
    setTimeout(() => this.open(), wait);
  }

  private receive(data: string | ArrayBuffer): void {
    const answer: Answer = typeof data === "string" ? (JSON.parse(data) as Record<string, unknown>) : unpack(data);
    const packet = typeof data === "string" ? null : (answer as Packet);
    const head = packet?.header ?? (answer as Record<string, unknown>);
    const id = head["id"] as number;
    const waiting = this.waiting.get(id);
    if (!waiting) {
      if (packet) this.pushed.get(id)?.(packet);
      return;
    }
    if ("progress" in head) {
      waiting.progress?.(head["progress"] as number | null, String(head["doing"] ?? ""));
      return;
    }
    this.waiting.delete(id);
    if (packet) waiting.resolve(packet);
    else if ("ok" in head) waiting.resolve(head["ok"] as Record<string, unknown>);
    else if ("dropped" in head) waiting.reject(new Superseded());
    else waiting.reject(new Refused(head["error"] as Trouble));
  }
}
