// Opens glTF files in headless Chromium with three.js's own GLTFLoader and prints, as JSON, one line a file, where
// the nodes are: at rest, and at every frame of the first clip.
//
//     node read_back.mjs FPS FILE...
import { readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const [fps, ...files] = process.argv.slice(2);
const page_text = `<!doctype html><script type="importmap">
{"imports": {"three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/",
  "@pixiv/three-vrm-core": "/@pixiv/three-vrm-core/lib/three-vrm-core.module.js",
  "@pixiv/three-vrm-animation": "/@pixiv/three-vrm-animation/lib/three-vrm-animation.module.js"}}
</script><script type="module">
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { VRMAnimationLoaderPlugin } from "@pixiv/three-vrm-animation";

function places(scene) {
  scene.updateMatrixWorld(true);
  const out = {};
  scene.traverse((node) => {
    if (node.isBone) out[node.userData.name ?? node.name] = new THREE.Vector3().setFromMatrixPosition(node.matrixWorld).toArray();
  });
  return out;
}

window.readBack = async (url, fps) => {
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMAnimationLoaderPlugin(parser));
  const gltf = await loader.loadAsync(url);
  const rest = places(gltf.scene);
  const clip = gltf.animations[0];
  const frames = [];
  if (clip) {
    const mixer = new THREE.AnimationMixer(gltf.scene);
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    const count = Math.round(clip.duration * fps) + 1;
    for (let i = 0; i < count; i++) {
      mixer.setTime(Math.min(i / fps, clip.duration));
      frames.push(places(gltf.scene));
    }
  }
  const box = new THREE.Box3().setFromObject(gltf.scene, true);
  let skinned = 0;
  gltf.scene.traverse((node) => { if (node.isSkinnedMesh) skinned++; });
  const humanoid = gltf.userData.vrmAnimations?.[0];
  const vrm = humanoid && {
    duration: humanoid.duration, hips: humanoid.restHipsPosition.toArray(),
    travel: Array.from(humanoid.humanoidTracks.translation.get("hips").values),
    turns: Object.fromEntries([...humanoid.humanoidTracks.rotation].map(([name, t]) => [name, Array.from(t.values)])),
  };
  return { rest, frames, duration: clip?.duration, skinned, vrm, size: [box.min.toArray(), box.max.toArray()] };
};
window.ready = true;
</script>`;

const types = { ".js": "text/javascript", ".html": "text/html" };
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run"],
});
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => { throw error; });
  await page.route("**/*", (route) => {
    const path = new URL(route.request().url()).pathname;
    if (path === "/") return route.fulfill({ contentType: "text/html", body: page_text });
    if (path.startsWith("/three/") || path.startsWith("/@pixiv/"))
      return route.fulfill({ contentType: types[extname(path)] ?? "text/plain",
        body: readFileSync(join(here, "node_modules", path)) });
    if (path.startsWith("/file/"))
      return route.fulfill({ contentType: "model/gltf-binary", body: readFileSync(files[Number(path.slice(6))]) });
    return route.abort();
  });
  await page.goto("http://localhost/");
  await page.waitForFunction(() => window.ready);
  for (let i = 0; i < files.length; i++)
    console.log(JSON.stringify(await page.evaluate(([url, fps]) => window.readBack(url, fps), [`/file/${i}`, Number(fps)])));
} finally {
  await browser.close();
}
