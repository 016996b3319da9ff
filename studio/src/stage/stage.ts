/** The stage: light, ground, figure and camera; what is drawn on it is added by others. */

import {
  ACESFilmicToneMapping,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  DoubleSide,
  Fog,
  Group,
  HemisphereLight,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  Plane,
  PlaneGeometry,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Packet } from "../core/wire";
import type { StageFigure } from "./figure";
import { edgeLines, gridLines } from "./lines";

export interface Look {
  sky: number;
  ground: number;
  grid: number;
  gridStrong: number;
  accent: number;
}

export const LOOKS: Record<"light" | "dark", Look> = {
  light: { sky: 0xe6eaee, ground: 0xd3d8de, grid: 0xc4cad1, gridStrong: 0xa3adb8, accent: 0x1d6fd6 },
  dark: { sky: 0x1b1e23, ground: 0x272b31, grid: 0x363b43, gridStrong: 0x4a515b, accent: 0x5aa2ff },
};

function drawnBySoftware(renderer: WebGLRenderer): boolean {
  const gl = renderer.getContext();
  const known = gl.getExtension("WEBGL_debug_renderer_info");
  const name = known ? String(gl.getParameter(known.UNMASKED_RENDERER_WEBGL)) : "";
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

const MOST_EDGES = 20_000; // triangles of a ground whose edges are drawn
const SHADOW = 8; // m around the figure that throw shadows
const FOLLOW = 0.12; // share of the way that the camera's aim makes in a frame of 1/60 s

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(38, 1, 0.08, 300);
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  readonly ground = new Group();
  /** Marks, handles, trails: what modes draw. */
  readonly marks = new Group();
  figure: StageFigure | null = null;
  /** Called before each frame with seconds since the last. */
  readonly onFrame = new Set<(dt: number) => void>();
  follow = true;
  look: Look = LOOKS.light;
  private readonly sun = new DirectionalLight(0xffffff, 2.4);
  private readonly sky = new HemisphereLight(0xffffff, 0x8a8f98, 1.5);
  private readonly caster = new Raycaster();
  private readonly focus = new Vector3();
  private most = 2; // pixels of the picture for one of the page
  private before = 0;
  private stopped = false;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    if (drawnBySoftware(this.renderer)) {
      this.renderer.shadowMap.enabled = false; // a machine without a graphics card stays quick
      this.most = 0.75;
    }
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.0;
    this.camera.position.set(3.4, 2.1, 4.6);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.target.set(0, 0.9, 0);
    this.controls.maxPolarAngle = 0.495 * Math.PI;
    this.controls.minDistance = 0.4;
    this.controls.maxDistance = 120;
    this.controls.enableDamping = true;
    this.controls.listenToKeyEvents(canvas);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.02;
    Object.assign(this.sun.shadow.camera, { left: -SHADOW, right: SHADOW, top: SHADOW, bottom: -SHADOW, near: 1, far: 60 });
    this.scene.add(this.sun, this.sun.target, this.sky, this.ground, this.marks);
    this.flat();
    requestAnimationFrame(this.frame);
  }

  setLook(name: "light" | "dark"): void {
    this.look = LOOKS[name];
    this.scene.background = new Color(this.look.sky);
    this.scene.fog = new Fog(this.look.sky, 18, 75);
    this.ground.traverse((node) => {
      if (node instanceof Mesh && node.userData["ground"]) (node.material as MeshStandardMaterial).color.setHex(this.look.ground);
    });
    for (const node of [...this.ground.children]) {
      if (!(node instanceof LineSegments)) continue;
      (node.material as LineBasicMaterial).color.setHex(node.userData["strong"] ? this.look.gridStrong : this.look.grid);
    }
  }

  /** An endless floor at height 0. */
  flat(y = 0): void {
    this.ground.clear();
    const floor = new Mesh(new PlaneGeometry(400, 400), this.floorMaterial());
    floor.rotation.x = -Math.PI / 2;
    floor.position.y = y - 0.004;
    floor.receiveShadow = true;
    floor.userData["ground"] = true;
    this.ground.add(floor);
    for (const strong of [false, true]) {
      const grid = new LineSegments(gridLines(40, strong), new LineBasicMaterial({ color: strong ? this.look.gridStrong : this.look.grid }));
      grid.position.y = y;
      grid.userData["strong"] = strong;
      this.ground.add(grid);
    }
  }

  /** A ground of triangles from the server. */
  triangles({ header, arrays }: Packet): void {
    this.ground.clear();
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(arrays["positions"] as Float32Array, 3));
    geometry.setIndex(new BufferAttribute(arrays["faces"] as Uint32Array, 1));
    const flat = geometry.toNonIndexed();
    geometry.dispose();
    flat.computeVertexNormals();
    const mesh = new Mesh(flat, this.floorMaterial());
    mesh.receiveShadow = true;
    mesh.userData["ground"] = true;
    mesh.name = String(header["name"] ?? "ground");
    this.ground.add(mesh);
    if ((arrays["faces"] as Uint32Array).length < 3 * MOST_EDGES) {
      const edges = new LineSegments(edgeLines(flat, MOST_EDGES), new LineBasicMaterial({ color: this.look.gridStrong }));
      edges.userData["strong"] = true;
      this.ground.add(edges);
    }
  }

  setFigure(figure: StageFigure | null): void {
    this.figure?.dispose();
    this.figure = figure;
    if (figure) this.scene.add(figure.root);
  }

  /** Where the ray through a pointer meets the ground, or null. */
  groundAt(x: number, y: number): Vector3 | null {
    this.aim(x, y);
    const hits = this.caster.intersectObjects(this.ground.children.filter((c) => c instanceof Mesh), false);
    return hits[0]?.point ?? null;
  }

  /** The highest ground at a place, or null. */
  groundUnder(x: number, z: number): Vector3 | null {
    this.ground.updateMatrixWorld(true);
    this.caster.set(new Vector3(x, 1e4, z), new Vector3(0, -1, 0));
    return this.caster.intersectObjects(this.ground.children.filter((c) => c instanceof Mesh), false)[0]?.point ?? null;
  }

  /** Where the ray meets the plane through a point that faces the camera: for dragging in the view plane. */
  viewPlaneAt(x: number, y: number, through: Vector3): Vector3 | null {
    this.aim(x, y);
    const normal = this.camera.getWorldDirection(new Vector3()).negate();
    return this.caster.ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, through), new Vector3());
  }

  /** Pixels of the canvas at which a point is seen. */
  seen(point: Vector3): { x: number; y: number } {
    const p = point.clone().project(this.camera);
    const { width, height } = this.canvas.getBoundingClientRect();
    return { x: ((p.x + 1) / 2) * width, y: ((1 - p.y) / 2) * height };
  }

  /** Look at a box of the world from the side we have. */
  frameOn(centre: Vector3, radius: number): void {
    const away = this.camera.position.clone().sub(this.controls.target).normalize();
    const distance = Math.max(1.5, (1.15 * radius) / Math.sin((this.camera.fov * Math.PI) / 360));
    const wide = Math.max(1, distance / 25); // rigs of a hundred metres are seen too
    this.controls.maxDistance = 120 * wide;
    this.camera.far = 300 * wide;
    this.camera.updateProjectionMatrix();
    if (this.scene.fog instanceof Fog) [this.scene.fog.near, this.scene.fog.far] = [18 * wide, 75 * wide];
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(away, distance);
    this.focus.copy(centre);
  }

  /** The point that the camera follows. */
  attend(point: Vector3): void {
    this.focus.copy(point);
  }

  resize(): void {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!w || !h) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, this.most));
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
  }

  dispose(): void {
    this.stopped = true;
    this.setFigure(null);
    this.controls.dispose();
    this.renderer.dispose();
  }

  private readonly frame = (now: number): void => {
    if (this.stopped) return;
    const dt = Math.min((now - this.before) / 1000, 0.25);
    this.before = now;
    for (const each of this.onFrame) each(dt);
    if (this.follow) {
      const way = this.focus.clone().sub(this.controls.target).multiplyScalar(1 - Math.pow(1 - FOLLOW, 60 * dt));
      this.controls.target.add(way);
      this.camera.position.add(way);
    }
    this.controls.update(dt);
    this.sun.target.position.copy(this.controls.target).setY(0);
    this.sun.position.copy(this.sun.target.position).add(new Vector3(4, 10, 5));
    this.renderer.render(this.scene, this.camera);
    requestAnimationFrame(this.frame);
  };

  private aim(x: number, y: number): void {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    this.caster.setFromCamera(new Vector2((2 * (x - left)) / width - 1, 1 - (2 * (y - top)) / height), this.camera);
  }

  private floorMaterial(): MeshStandardMaterial {
    return new MeshStandardMaterial({ color: this.look.ground, roughness: 0.95, metalness: 0, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 });
  }
}
