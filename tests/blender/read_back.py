"""Run by a Python that has bpy: open a file in Blender and write down where its bones are, at rest and in time.

    python read_back.py FILE FPS OUT.npz

World positions are turned back to +y up. Blender's own importers are used as a person would, in a scene that has the
rate of the clip. The glTF importer places keys by the scene's whole rate times its base, where the base divides
everywhere else: there the scene has a whole rate, and frames lie between Blender's.
"""

import json
import sys
from pathlib import Path

import bpy
import numpy as np


def set_rate(scene, fps, base):
    scene.render.fps = max(round(fps), 1)
    scene.render.fps_base = scene.render.fps / fps if base else 1.0


def import_file(path):
    suffix = Path(path).suffix
    if suffix == ".bvh":
        bpy.ops.import_anim.bvh(filepath=path, global_scale=0.01, rotate_mode="QUATERNION", update_scene_fps=False)
    elif suffix in (".glb", ".gltf", ".vrm"):
        bpy.ops.import_scene.gltf(filepath=path)
    else:
        bpy.ops.wm.usd_import(filepath=path)


def y_up(point):
    return [point[0], point[2], -point[1]]


def main(path, fps, out):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    glb, fps = Path(path).suffix == ".glb", float(fps)
    set_rate(scene, fps, base=not glb)
    import_file(path)
    armature = next(o for o in scene.objects if o.type == "ARMATURE")
    names = [bone.name for bone in armature.data.bones]
    rest = [y_up(armature.matrix_world @ armature.data.bones[n].head_local) for n in names]
    first, last = armature.animation_data.action.frame_range
    step = scene.render.fps / fps if glb else 1.0
    frames = []
    for k in range(round((last - first) / step) + 1):
        at = first + k * step
        scene.frame_set(int(at), subframe=at - int(at))
        posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        frames.append([y_up(posed.matrix_world @ posed.pose.bones[n].head) for n in names])
    meshes = [o for o in scene.objects if o.type == "MESH" and any(m.type == "ARMATURE" for m in o.modifiers)]
    size = []
    if meshes:
        scene.frame_set(round(first))
        body = meshes[0].evaluated_get(bpy.context.evaluated_depsgraph_get())
        corners = np.array([y_up(body.matrix_world @ v.co) for v in body.to_mesh().vertices])
        size = [corners.min(0).tolist(), corners.max(0).tolist()]
    facts = {"names": names, "duration": (last - first) / step / fps, "skin": size,
             "scene_rate": scene.render.fps / scene.render.fps_base}
    np.savez(out, rest=np.array(rest), positions=np.array(frames), facts=json.dumps(facts))


main(*sys.argv[1:])
