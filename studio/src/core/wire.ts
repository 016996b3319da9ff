/** Binary answers: a length, a JSON header, arrays. */

import type { Clip } from "./protocol";

interface ArrayEntry {
  type: "f4" | "u4" | "u1";
  shape: number[];
  offset: number;
}

export interface Packet {
  header: Record<string, unknown>;
  arrays: Record<string, Float32Array | Uint32Array | Uint8Array>;
}

export function unpack(buffer: ArrayBuffer): Packet {
  if (buffer.byteLength < 4) throw new Error("the answer is too short");
  const length = new DataView(buffer).getUint32(0, true);
  if (4 + length > buffer.byteLength) throw new Error("the answer is torn");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Record<string, unknown>;
  const entries = (header["arrays"] ?? {}) as Record<string, ArrayEntry>;
  const arrays: Packet["arrays"] = {};
  for (const [name, { type, shape, offset }] of Object.entries(entries)) {
    const count = shape.reduce((a, b) => a * b, 1);
    const start = 4 + length + offset;
    if (type === "f4") arrays[name] = new Float32Array(buffer, start, count);
    else if (type === "u4") arrays[name] = new Uint32Array(buffer, start, count);
    else arrays[name] = new Uint8Array(buffer, start, count);
  }
  return { header, arrays };
}

export function clipOf({ header, arrays }: Packet): Clip {
  const floats = (name: string) => (arrays[name] as Float32Array | undefined) ?? null;
  const list = <T>(name: string) => (header[name] as T[] | undefined) ?? null;
  const local = Boolean(header["local"]);
  const nodes = local ? list<number>("nodes") : null;
  return {
    fps: header["fps"] as number,
    frames: header["frames"] as number,
    seconds: header["seconds"] as number,
    cyclic: Boolean(header["cyclic"]),
    notes: list<string>("notes") ?? [],
    steps: list<Clip["steps"][number]>("steps") ?? [],
    mass: (header["mass"] as number | null | undefined) ?? null,
    start: (header["start"] as number | undefined) ?? 0,
    names: local ? null : list<string>("names"),
    parents: local ? null : list<number>("parents"),
    nodes,
    moved: nodes ? (list<number>("shifted") ?? []).map((j) => nodes[j]!) : [],
    root: arrays["root"] as Float32Array,
    rotations: arrays["rotations"] as Float32Array,
    moves: floats("shifts"),
    contacts: (arrays["contacts"] as Uint8Array | undefined) ?? null,
    com: floats("com"),
    forces: floats("forces"),
    pressure: floats("pressure"),
    figure: (header["figure"] as Clip["figure"] | undefined) ?? null,
    joints: null,
    over: [],
    places: [],
    atLimit: [],
  };
}

/** A pose to be taken hold of (`show`), or what a pull made of it, as a clip of one frame. */
export function poseOf({ header, arrays }: Packet, before: Clip | null = null): Clip {
  const points = arrays["points"] as Float32Array;
  const places = Array.from({ length: points.length / 3 }, (_, j) => [points[3 * j]!, points[3 * j + 1]!, points[3 * j + 2]!] as Clip["places"][number]);
  const own = arrays["figure_rotations"] !== undefined;
  const put = (name: string) => (arrays[own ? `figure_${name}` : name] as Float32Array | undefined) ?? null;
  const shown = before ?? clipOf({ header: { ...header, fps: 30, frames: 1, seconds: 0 }, arrays: {} });
  return {
    ...shown,
    root: put("root")!,
    rotations: put("rotations")!,
    moves: put("shifts"),
    joints: before?.joints ?? (header["joints"] as string[]),
    over: before?.over ?? (header["joint_parents"] as number[]),
    places,
    atLimit: (header["at_limit"] as string[] | undefined) ?? [],
  };
}
