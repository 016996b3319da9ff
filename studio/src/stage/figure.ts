/** A figure on the stage: a GLB whose nodes are turned by a clip. */

import { Bone, Group, MeshBasicMaterial, Object3D, Quaternion, SkinnedMesh, Vector3, type Mesh } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { clone as cloned } from "three/addons/utils/SkeletonUtils.js";
import type { Clip } from "../core/protocol";

const q0 = new Quaternion();
const q1 = new Quaternion();

interface Bound {
  clip: Clip;
  turned: (Object3D | null)[];
  moved: (Object3D | null)[];
}

export class StageFigure {
  readonly root = new Group();
  /** Whether there is a surface to see; else the stage draws bones. */
  readonly skinned: boolean;
  private readonly byName = new Map<string, Object3D>();
  private readonly byNode: (Object3D | undefined)[] = [];
  private bound: Bound | null = null;

  /** A figure from the bytes of a GLB. */
  static async of(bytes: ArrayBuffer): Promise<StageFigure> {
    const loaded = await new GLTFLoader().parseAsync(bytes, "");
    const nodes: Object3D[] = [];
    for (const [object, at] of loaded.parser.associations) {
      const known = at as { nodes?: number };
      if (known.nodes !== undefined && object instanceof Object3D && !(nodes[known.nodes] instanceof Bone)) nodes[known.nodes] = object;
    }
    return new StageFigure(loaded.scene, nodes, (loaded.parser.json as { nodes?: { name?: string }[] }).nodes ?? []);
  }

  private constructor(scene: Object3D, nodes: Object3D[], said: { name?: string }[]) {
    this.root.add(scene);
    let skinned = false;
    nodes.forEach((node, k) => {
      this.byNode[k] = node;
      const name = said[k]?.name;
      if (name && !this.byName.has(name)) this.byName.set(name, node);
    });
    scene.traverse((node) => {
      const mesh = node as Mesh;
      if (!mesh.isMesh) return;
      skinned = true;
      mesh.castShadow = true;
      mesh.frustumCulled = false; // skins leave the box of their rest pose
    });
    this.skinned = skinned;
  }

  /** Show a clip at a time, frames blended the short way. */
  show(clip: Clip, time: number): void {
    const bound = this.bind(clip);
    const at = Math.min(Math.max(time * clip.fps, 0), clip.frames - 1);
    const a = Math.floor(at);
    const b = Math.min(a + 1, clip.frames - 1);
    const share = at - a;
    const count = bound.turned.length;
    bound.turned.forEach((node, j) => {
      if (!node) return;
      q0.fromArray(clip.rotations, 4 * (a * count + j));
      if (share > 0) q0.slerp(q1.fromArray(clip.rotations, 4 * (b * count + j)), share);
      node.quaternion.copy(q0);
    });
    const places = clip.moves ?? clip.root;
    const width = bound.moved.length;
    bound.moved.forEach((node, m) => {
      if (!node) return;
      for (let k = 0; k < 3; k++) {
        const value = places[3 * (a * width + m) + k]! * (1 - share) + places[3 * (b * width + m) + k]! * share;
        node.position.setComponent(k, value);
      }
    });
  }

  /** World places of the joints of a built-in figure, as they are shown now. */
  place(name: string, into = new Vector3()): Vector3 | null {
    const node = this.byName.get(name);
    return node ? node.getWorldPosition(into) : null;
  }

  /** See-through copies of the figure in the poses of a clip at some times. */
  ghosts(clip: Clip, times: readonly number[], colour: number): Group {
    const out = new Group();
    for (const time of times) {
      this.show(clip, time);
      this.root.updateMatrixWorld(true);
      const copy = cloned(this.root);
      copy.traverse((node) => {
        const mesh = node as Mesh;
        if (!mesh.isMesh) return;
        mesh.material = new MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.16, depthWrite: false });
        mesh.castShadow = false;
      });
      out.add(copy);
    }
    return out;
  }

  dispose(): void {
    this.root.removeFromParent();
    this.root.traverse((node) => {
      const mesh = node as Mesh;
      if (!mesh.isMesh) return;
      mesh.geometry.dispose();
      for (const material of Array.isArray(mesh.material) ? mesh.material : [mesh.material]) material.dispose();
      if (mesh instanceof SkinnedMesh) mesh.skeleton.dispose();
    });
  }

  private bind(clip: Clip): Bound {
    if (this.bound?.clip === clip) return this.bound;
    const turned = clip.nodes
      ? clip.nodes.map((n) => this.byNode[n] ?? null)
      : (clip.names ?? []).map((name) => this.byName.get(name) ?? null);
    const moved = clip.nodes ? clip.moved.map((n) => this.byNode[n] ?? null) : [turned[0] ?? null];
    this.bound = { clip, turned, moved };
    return this.bound;
  }
}
