import { describe, expect, it } from "vitest";
import { Player } from "../src/stage/player";
import type { Beats, Clip } from "../src/core/protocol";
import { snapped } from "../src/ui/timeline";

const beats = { times: [0, 0.5, 1, 1.5] } as Beats;

describe("keys on the timeline", () => {
  it("go to a beat that is near, and nowhere else", () => {
    expect(snapped(0.55, beats)).toBe(0.5);
    expect(snapped(0.75, beats)).toBe(0.75);
    expect(snapped(0.553, null)).toBe(0.55);
  });
});

describe("the clock", () => {
  const clip = { seconds: 2, fps: 30, frames: 61 } as Clip;
  it("goes by time, not by frames", () => {
    const fast = new Player();
    const slow = new Player();
    fast.take(clip);
    slow.take(clip);
    for (let k = 0; k < 100; k++) fast.tick(0.01);
    for (let k = 0; k < 4; k++) slow.tick(0.25);
    expect(fast.time.value).toBeCloseTo(slow.time.value, 9);
  });
  it("begins anew at the end, or stops there", () => {
    const p = new Player();
    p.take(clip);
    p.tick(2.5);
    expect(p.time.value).toBeCloseTo(0.5);
    p.looping.value = false;
    p.tick(5);
    expect(p.time.value).toBe(2);
    expect(p.playing.value).toBe(false);
  });
  it("keeps its time when the clip is made anew", () => {
    const p = new Player();
    p.take(clip);
    p.seek(1.2);
    p.take({ ...clip, seconds: 1.9 });
    expect(p.time.value).toBe(1.2);
    p.take({ ...clip, seconds: 1 });
    expect(p.time.value).toBe(0);
  });
});
