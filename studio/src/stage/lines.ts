/** Long lines in short pieces: software renderers drop lines that reach behind the camera. */

import { BufferAttribute, BufferGeometry, EdgesGeometry } from "three";

const PIECE = 1; // m

function geometryOf(ends: number[]): BufferGeometry {
  return new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(ends), 3));
}

/** Lines every metre, as far as `half` on all sides; `strong`: only every fifth, else all others. */
export function gridLines(half: number, strong: boolean): BufferGeometry {
  const ends: number[] = [];
  for (let a = -half; a <= half; a++) {
    if ((a % 5 === 0) !== strong) continue;
    for (let b = -half; b < half; b += PIECE) ends.push(a, 0, b, a, 0, b + PIECE, b, 0, a, b + PIECE, 0, a);
  }
  return geometryOf(ends);
}

/** The edges of a mesh where it bends, in pieces; at most `most` of them. */
export function edgeLines(mesh: BufferGeometry, most: number): BufferGeometry {
  const edges = new EdgesGeometry(mesh, 20);
  const p = edges.getAttribute("position");
  const ends: number[] = [];
  for (let k = 0; k < p.count && ends.length < 6 * most; k += 2) {
    const a = [p.getX(k), p.getY(k), p.getZ(k)];
    const b = [p.getX(k + 1), p.getY(k + 1), p.getZ(k + 1)];
    const parts = Math.min(Math.ceil(Math.hypot(b[0]! - a[0]!, b[1]! - a[1]!, b[2]! - a[2]!) / PIECE), 400);
    for (let n = 0; n < parts; n++)
      for (const t of [n / parts, (n + 1) / parts]) ends.push(...a.map((x, i) => x + t * (b[i]! - x)));
  }
  edges.dispose();
  return geometryOf(ends);
}
