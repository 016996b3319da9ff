import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connection, Refused, Superseded } from "../src/core/connection";

class FakeSocket {
  static OPEN = 1;
  static last: FakeSocket;
  readyState = 0;
  binaryType = "";
  sent: Record<string, unknown>[] = [];
  onopen?: () => void;
  onclose?: () => void;
  onmessage?: (e: { data: string }) => void;
  constructor() {
    FakeSocket.last = this;
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(): void {
    this.onclose?.();
  }
  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }
  say(table: Record<string, unknown>): void {
    this.onmessage?.({ data: JSON.stringify(table) });
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the socket", () => {
  it("answers the request that was asked", async () => {
    const link = new Connection("ws://x");
    FakeSocket.last.open();
    const a = link.ask("a");
    const b = link.ask("b");
    FakeSocket.last.say({ id: 2, ok: { it: "b" } });
    FakeSocket.last.say({ id: 1, error: { what: "no", where: "", allowed: "1 to 2", do: "try" } });
    await expect(b).resolves.toEqual({ it: "b" });
    await expect(a).rejects.toThrow(Refused);
    await expect(a).rejects.toThrow("no; allowed: 1 to 2; try");
  });
  it("has one request of a channel under way, and then the newest", async () => {
    const link = new Connection("ws://x");
    FakeSocket.last.open();
    const first = link.ask("make", { n: 1 }, "make");
    const between = link.ask("make", { n: 2 }, "make");
    const last = link.ask("make", { n: 3 }, "make");
    await expect(between).rejects.toThrow(Superseded);
    expect(FakeSocket.last.sent.map((m) => m["n"])).toEqual([1]);
    FakeSocket.last.say({ id: 1, ok: {} });
    await first;
    expect(FakeSocket.last.sent.map((m) => m["n"])).toEqual([1, 3]);
    FakeSocket.last.say({ id: 2, ok: { n: 3 } });
    await expect(last).resolves.toEqual({ n: 3 });
  });
  it("tells how far work is, before its answer", async () => {
    const link = new Connection("ws://x");
    FakeSocket.last.open();
    const seen: unknown[] = [];
    const work = link.ask("export", {}, "export", (share, doing) => seen.push([share, doing]));
    FakeSocket.last.say({ id: 1, progress: 0.5, doing: "writing" });
    FakeSocket.last.say({ id: 1, ok: {} });
    await work;
    expect(seen).toEqual([[0.5, "writing"]]);
  });
  it("comes back after the server was away, and leaves nobody waiting", async () => {
    const link = new Connection("ws://x");
    FakeSocket.last.open();
    const asked = link.ask("make", {}, "make");
    const old = FakeSocket.last;
    old.readyState = 3;
    old.close();
    await expect(asked).rejects.toThrow(Superseded);
    expect(link.state.value).toBe("lost");
    await vi.advanceTimersByTimeAsync(300);
    expect(FakeSocket.last).not.toBe(old);
    FakeSocket.last.open();
    expect(link.state.value).toBe("open");
    void link.ask("make", {}, "make").catch(() => undefined);
    expect(FakeSocket.last.sent.length).toBe(1);
  });
});
