"""Run by a Python that has bpy: a .glb made an .fbx by Blender's own importer and exporter.

    python write_fbx.py FILE.glb RATE FRAMES OUT.fbx
"""

import sys

import bpy

source, rate, frames, out = sys.argv[1:]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps, scene.render.fps_base = int(rate), 1.0
bpy.ops.import_scene.gltf(filepath=source)
scene.frame_start, scene.frame_end = 0, int(frames) - 1
bpy.ops.export_scene.fbx(filepath=out, add_leaf_bones=False, bake_anim_simplify_factor=0.0)
