/** The player of a page that is a file: a .glb with its clip is in it, as base64, and a few facts of it. */

import { AnimationMixer, Mesh, Object3D, Vector3, type Bone } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import type { Clip, Step } from "./core/protocol";
import { Footprints } from "./stage/marks";
import { Player, RATES } from "./stage/player";
import { Stage } from "./stage/stage";

interface Facts {
  title: string;
  clip: string;
  fps: number;
  seconds: number;
  cyclic: boolean;
  steps: Step[];
}

const STYLE = `html,body{margin:0;height:100%;font:14px system-ui,sans-serif;overflow:hidden}canvas{width:100%;height:100%;display:block}
.bar{position:fixed;left:12px;right:12px;bottom:12px;display:flex;gap:10px;align-items:center;padding:8px 12px;border-radius:10px;background:#ffffffe6;color:#1d2329;box-shadow:0 2px 12px #0003}
.bar input{flex:1}.bar button,.bar select{font:inherit;padding:4px 12px;border-radius:6px;border:1px solid #b8c0c8;background:#fff;color:inherit;cursor:pointer}
h1{position:fixed;left:16px;top:10px;margin:0;font-size:16px;font-weight:600;color:#39424c}
@media(prefers-color-scheme:dark){.bar{background:#22262ce6;color:#e8ebee}.bar button,.bar select{background:#2e343b;border-color:#4a515b}h1{color:#d6dbe0}}`;

/** What the camera follows: the first bone, else the first node that has children. */
function rootOf(scene: Object3D): Object3D {
  let found: Object3D | null = null;
  scene.traverse((node) => {
    if (!found && (node as Bone).isBone) found = node;
  });
  return found ?? scene;
}

async function main(): Promise<void> {
  const facts = JSON.parse(document.getElementById("gambol-facts")!.textContent!) as Facts;
  const bytes = Uint8Array.from(atob(document.getElementById("gambol-clip")!.textContent!.trim()), (c) => c.charCodeAt(0));
  const style = document.createElement("style");
  style.textContent = STYLE;
  document.head.append(style);
  const title = document.createElement("h1");
  title.textContent = facts.title;
  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("aria-label", "Stage: drag to look around");
  document.getElementById("app")!.append(title, canvas);
  canvas.style.height = "100vh";
  const stage = new Stage(canvas);
  stage.setLook(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  addEventListener("resize", () => stage.resize());
  stage.resize();
  const loaded = await new GLTFLoader().parseAsync(bytes.buffer, "");
  loaded.scene.traverse((node) => {
    const mesh = node as Mesh;
    if (!mesh.isMesh) return;
    mesh.frustumCulled = false;
    mesh.receiveShadow = node.name === "ground";
    mesh.castShadow = !mesh.receiveShadow;
    if (mesh.receiveShadow) stage.ground.clear();
  });
  stage.scene.add(loaded.scene);
  const mixer = new AnimationMixer(loaded.scene);
  const motion = loaded.animations.find((a) => a.name === facts.clip) ?? loaded.animations[0];
  if (motion) mixer.clipAction(motion).play();
  const root = rootOf(loaded.scene);
  const player = new Player();
  player.take({ seconds: facts.seconds, fps: facts.fps, frames: Math.round(facts.seconds * facts.fps) + 1 } as Clip);
  const prints = new Footprints();
  prints.take({ steps: facts.steps } as Clip);
  stage.marks.add(prints.group);
  const bar = document.createElement("div");
  bar.className = "bar";
  const button = document.createElement("button");
  button.type = "button";
  const scrub = Object.assign(document.createElement("input"), { type: "range", min: "0", max: String(facts.seconds), step: "0.001" });
  scrub.setAttribute("aria-label", "Time");
  const time = document.createElement("span");
  const rate = document.createElement("select");
  rate.setAttribute("aria-label", "Playback speed");
  for (const r of RATES) rate.append(new Option(`${r}×`, String(r), r === 1, r === 1));
  bar.append(button, scrub, time, rate);
  document.body.append(bar);
  button.onclick = () => player.toggle();
  scrub.oninput = () => ((player.playing.value = false), player.seek(Number(scrub.value)));
  rate.onchange = () => (player.rate.value = Number(rate.value));
  addEventListener("keydown", (e) => e.key === " " && e.target !== button && (e.preventDefault(), player.toggle()));
  const at = new Vector3();
  stage.onFrame.add((dt) => {
    player.tick(dt);
    const now = player.time.value;
    mixer.setTime(Math.min(now, facts.seconds - 1e-6));
    prints.tick(now);
    root.getWorldPosition(at);
    stage.attend(at.setY(Math.max(at.y, 0.4)));
    scrub.value = String(now);
    time.textContent = `${now.toFixed(2)} s`;
    button.textContent = player.playing.value ? "Pause" : "Play";
  });
  (window as unknown as { gambol: unknown }).gambol = { player, stage };
}

void main();
