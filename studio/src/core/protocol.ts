/** The words that page and server share: docs/studio_protocol.md, as types. */

export type Vec3 = [number, number, number];
/** w, x, y, z */
export type Quat = [number, number, number, number];

export interface Pose {
  root: Vec3;
  rotations: Record<string, Quat>;
}

export type Figure =
  | { kind: "person"; height: number; mass: number | null }
  | { kind: "character"; file: string; mass: number | null }
  | { kind: "model"; model: string }
  | { kind: "clip"; file: string; clip: string | null };

export type Ground = { text: string } | { file: string; scale: number; up: "y" | "z" };

export type Speed = number | [number, number][] | null;

export interface Go {
  method: string;
  points: Vec3[];
  closed: boolean;
  laps: number;
  speed: Speed;
  step_length: number | null;
  cadence: number | null;
  style: string | null;
  preset: string | null;
  dials: Record<string, Record<string, number>>;
  clip: string | null;
}

export type GaitName = "stand" | "walk" | "run";

export interface Drive {
  commands: [number, number, number, GaitName][];
  dials: Record<string, Record<string, number>>;
}

export interface Key {
  id: string;
  time: number;
  hold: number;
  pose: Pose;
  planted: string[] | null;
  jump: boolean;
  label: string;
}

export interface Wind {
  toward: Vec3;
  speed: number;
  gust: number;
  turbulence: number;
}

export interface Dance {
  keys: Key[];
  mode: "hit" | "pull";
  dials: Record<string, number>;
  period: number | null;
  music: { file: string; offset: number } | null;
  wind: Wind | null;
  postures: { name: string; pose: Pose }[];
}

export type Mode = "go" | "drive" | "dance" | "view";

export interface Project {
  gambol: "project";
  version: 1;
  title: string;
  mode: Mode;
  figure: Figure;
  ground: Ground;
  fps: number;
  seed: number;
  go: Go;
  drive: Drive;
  dance: Dance;
  view: { file: string; clip: string | null } | null;
  camera: unknown;
}

export interface Dial {
  name: string;
  title: string;
  default: number;
  low: number;
  high: number;
  unit: string;
  meaning: string;
  source: string;
}

export interface Preset {
  name: string;
  title: string;
  dials: Record<string, number>;
}

export interface MethodAbout {
  name: string;
  title: string;
  meaning: string;
  takes: string[];
  presets: Preset[];
  dials: Dial[];
}

export interface About {
  version: string;
  engine: "numpy" | "compiled";
  folder: string;
  methods: MethodAbout[];
  styles: { name: string; title: string; meaning: string }[];
  models: { name: string; title: string; kind: string }[];
  bases: Record<string, { name: string; title: string }[]>;
  grounds: { text: string; title: string }[];
  formats: { suffix: string; title: string }[];
  limits: { upload_bytes: number; project_bytes: number; seconds: number };
}

export interface Trouble {
  what: string;
  where: string;
  allowed: string;
  do: string;
}

export interface Step {
  side: "left" | "right";
  strike: number;
  off: number;
  place: Vec3;
  heading: number;
}

/** A motion as it came over the wire. Quaternions of arrays are x, y, z, w. */
export interface Clip {
  fps: number;
  frames: number;
  seconds: number;
  cyclic: boolean;
  notes: string[];
  steps: Step[];
  mass: number | null;
  start: number;
  /** Of a built-in figure: its joints. */
  names: string[] | null;
  parents: number[] | null;
  /** Of a rig: the nodes of its file that turn, and those that move. */
  nodes: number[] | null;
  moved: number[];
  root: Float32Array;
  rotations: Float32Array;
  moves: Float32Array | null;
  contacts: Uint8Array | null;
  com: Float32Array | null;
  forces: Float32Array | null;
  pressure: Float32Array | null;
  /** The figure that shows it. */
  figure: Figure | null;
  /** Of a pose that is dragged: its joints, what they hang on, and where they are. */
  joints: string[] | null;
  over: number[];
  places: Vec3[];
  /** Joints that turn as far as they can. */
  atLimit: string[];
}

export interface Band {
  left: number[] | null;
  right: number[] | null;
  mean: number[] | null;
  sd: number[] | null;
}

export interface Report {
  sentences: string[];
  passed: boolean;
  failures: string[];
  angles: Record<string, Band>;
  force: Band | null;
}

export interface Beats {
  times: number[];
  bars: number[];
  tempo: number;
  mode: string | null;
  energy: number[];
  seconds: number;
  peaks: [number, number][];
}

export interface Dropped {
  walks?: boolean;
  clips?: string[];
  project?: Project;
  tempo?: number;
  file: string;
  kind: "character" | "clip" | "ground" | "music" | "project";
  title: string;
  notes: string[];
}
