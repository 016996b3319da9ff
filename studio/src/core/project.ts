/** A new project, and small changes to one. Projects are values: a change is a copy. */

import type { Project } from "./protocol";

export function newProject(): Project {
  return {
    gambol: "project",
    version: 1,
    title: "Untitled",
    mode: "go",
    figure: { kind: "person", height: 1.75, mass: null },
    ground: { text: "flat" },
    fps: 60,
    seed: 0,
    go: {
      method: "force",
      points: [
        [-2, 0, -1.5],
        [0.5, 0, 1.2],
        [3, 0, 1.5],
      ],
      closed: false,
      laps: 1,
      speed: null,
      step_length: null,
      cadence: null,
      style: null,
      preset: null,
      dials: {},
      clip: null,
    },
    drive: { commands: [], dials: {} },
    dance: { keys: [], mode: "hit", dials: {}, period: null, music: null, wind: null, postures: [] },
    view: null,
    camera: null,
  };
}

/** What the motion depends on: two projects alike in this need not be made twice. */
export function motionKey(p: Project): string {
  const { mode, figure, ground, fps, seed } = p;
  const part = mode === "go" ? p.go : mode === "drive" ? p.drive : mode === "dance" ? p.dance : p.view;
  return JSON.stringify([mode, figure, ground, fps, seed, part]);
}
