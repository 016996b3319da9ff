import { describe, expect, it } from "vitest";
import { clipOf, poseOf, unpack } from "../src/core/wire";
import { joined } from "../src/ui/drive";

/** The bytes that the server writes: length, header, arrays. */
export function packed(header: Record<string, unknown>, arrays: Record<string, [string, number[], ArrayBufferView]>): ArrayBuffer {
  const entries: Record<string, unknown> = {};
  let at = 0;
  for (const [name, [type, shape, values]] of Object.entries(arrays)) {
    entries[name] = { type, shape, offset: at };
    at += values.byteLength + ((4 - (values.byteLength % 4)) % 4);
  }
  let text = JSON.stringify({ ...header, arrays: entries });
  text += " ".repeat((8 - ((4 + text.length) % 8)) % 8);
  const out = new Uint8Array(4 + text.length + at);
  new DataView(out.buffer).setUint32(0, text.length, true);
  out.set(new TextEncoder().encode(text), 4);
  for (const [name, [, , values]] of Object.entries(arrays))
    out.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 4 + text.length + (entries[name] as { offset: number }).offset);
  return out.buffer;
}

const clip = (frames: number, start: number, first: number) =>
  clipOf(
    unpack(
      packed(
        { fps: 60, frames, seconds: (frames - 1) / 60, names: ["hips"], parents: [-1], start },
        {
          root: ["f4", [frames, 3], new Float32Array(3 * frames).map((_, k) => first + Math.floor(k / 3))],
          rotations: ["f4", [frames, 1, 4], new Float32Array(4 * frames).fill(0.5)],
          contacts: ["u1", [frames, 1], new Uint8Array(frames)],
        },
      ),
    ),
  );

describe("the wire", () => {
  it("gives back header and arrays", () => {
    const c = clip(5, 0, 10);
    expect([...c.root.filter((_, k) => k % 3 === 0)]).toEqual([10, 11, 12, 13, 14]);
    expect(c.names).toEqual(["hips"]);
    expect(c.contacts!.length).toBe(5);
    expect(c.nodes).toBeNull();
  });
  it("knows what the nodes of a rig's own file do", () => {
    const c = clipOf(
      unpack(
        packed(
          { fps: 30, frames: 1, seconds: 0, local: true, names: ["a", "b"], parents: [-1, 0], nodes: [7, 3], shifted: [0, 1] },
          { root: ["f4", [1, 3], new Float32Array(3)], rotations: ["f4", [1, 2, 4], new Float32Array(8)], shifts: ["f4", [1, 2, 3], new Float32Array(6).fill(2)] },
        ),
      ),
    );
    expect(c.nodes).toEqual([7, 3]);
    expect(c.moved).toEqual([7, 3]);
    expect(c.names).toBeNull();
    expect([...c.moves!]).toEqual([2, 2, 2, 2, 2, 2]);
  });
  it("shows a pulled pose on the figure that wears it", () => {
    const first = poseOf(
      unpack(
        packed(
          { names: ["x"], parents: [-1], local: true, nodes: [4], shifted: [0], joints: ["hips", "hand"], joint_parents: [-1, 0] },
          {
            points: ["f4", [2, 3], new Float32Array([0, 1, 0, 0, 2, 0])], figure_root: ["f4", [1, 3], new Float32Array(3)],
            figure_rotations: ["f4", [1, 1, 4], new Float32Array([0, 0, 0, 1])], figure_shifts: ["f4", [1, 1, 3], new Float32Array(3)],
          },
        ),
      ),
    );
    expect(first.joints).toEqual(["hips", "hand"]);
    const pulled = poseOf(
      unpack(
        packed(
          { at_limit: ["hand"] },
          {
            points: ["f4", [2, 3], new Float32Array([0, 1, 0, 1, 2, 0])], root: ["f4", [3], new Float32Array(3)], rotations: ["f4", [2, 4], new Float32Array(8)],
            figure_root: ["f4", [1, 3], new Float32Array(3)], figure_rotations: ["f4", [1, 1, 4], new Float32Array([1, 0, 0, 0])],
            figure_shifts: ["f4", [1, 1, 3], new Float32Array(3)],
          },
        ),
      ),
      first,
    );
    expect(pulled.places[1]).toEqual([1, 2, 0]);
    expect([...pulled.rotations]).toEqual([1, 0, 0, 0]);
    expect(pulled.nodes).toEqual([4]);
    expect(pulled.atLimit).toEqual(["hand"]);
  });
  it("refuses what is torn", () => {
    expect(() => unpack(new ArrayBuffer(2))).toThrow();
    const whole = packed({ fps: 1 }, {});
    expect(() => unpack(whole.slice(0, 10))).toThrow();
  });
});

describe("stretches of a drive", () => {
  it("follow each other without a gap", () => {
    const c = joined(joined(null, clip(4, 0, 0)), clip(3, 4 / 60, 4));
    expect([...c.root.filter((_, k) => k % 3 === 0)]).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(c.frames).toBe(7);
    expect(c.start).toBe(0);
  });
  it("forget the oldest frames, and know when what is left begins", () => {
    let c = joined(null, clip(1000, 0, 0));
    c = joined(c, clip(500, 1000 / 60, 1000));
    expect(c.frames).toBe(1200);
    expect(c.start).toBeCloseTo(300 / 60);
    expect(c.root[0]).toBe(300);
    expect(c.root.length).toBe(3 * 1200);
  });
});
