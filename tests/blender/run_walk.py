"""Run by a Python that has bpy: examples/blender_walk.py on a character, a curve and a ground of a new scene.

    python run_walk.py EXAMPLE RIG.glb OUT.npz

Blender without a window has no undo; that one step takes all back is seen from what the operator is and what it adds.
"""

import json
import runpy
import sys

import bpy
import numpy as np

example, rig_file, out = sys.argv[1:]
KINDS = ("actions", "armatures", "collections", "curves", "materials", "meshes", "objects", "scenes", "texts")


def keys(action):
    """Every key of an action."""
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    curves = [curve for bag in bags for curve in bag.fcurves]
    return {f"{c.data_path}[{c.array_index}]": [tuple(k.co) for k in c.keyframe_points] for c in curves}


def y_up(point):
    return [point[0], point[2], -point[1]]


def curve_of(points):
    data = bpy.data.curves.new("way", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for point, place in zip(spline.points, points):
        point.co = (*place, 1.0)
    return bpy.data.objects.new("way", data)


bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps, scene.render.fps_base = 24, 1.001
scene.frame_start = 5
bpy.ops.import_scene.gltf(filepath=rig_file)
armature = next(o for o in scene.objects if o.type == "ARMATURE")
armature.location, armature.rotation_mode, armature.rotation_euler = (3.0, 1.0, 0.0), "XYZ", (0.0, 0.0, 0.7)
modes = ["QUATERNION", "XYZ", "AXIS_ANGLE", "ZXY"]
for k, bone in enumerate(armature.pose.bones):
    bone.rotation_mode = modes[k % len(modes)]
slope = bpy.data.meshes.new("ground")
rise = 0.1
slope.from_pydata([(-9, -9, -9 * rise), (9, -9, 9 * rise), (9, 9, 9 * rise), (-9, 9, -9 * rise)], [], [(0, 1, 2, 3)])
ground = bpy.data.objects.new("ground", slope)
way = curve_of([(0, 0, 0), (2.5, 0.0, 0.25), (4.0, 1.5, 0.4)])
for thing in (ground, way):
    scene.collection.objects.link(thing)
before = {action.name: keys(action) for action in bpy.data.actions}
was = armature.animation_data.action.name if armature.animation_data and armature.animation_data.action else None
rate = (scene.render.fps, scene.render.fps_base, scene.frame_start, scene.frame_end)
for thing in scene.objects:
    thing.select_set(thing in (armature, ground, way))
bpy.context.view_layer.objects.active = armature
bpy.context.view_layer.update()
counts = {kind: len(getattr(bpy.data, kind)) for kind in KINDS}
program = runpy.run_path(example, run_name="__main__")
grown = {kind: len(getattr(bpy.data, kind)) - n for kind, n in counts.items()}
_, motion = program["walk"](bpy.context, 0.0)
new = [action for action in bpy.data.actions if action.name not in before]
action = armature.animation_data.action
names = [bone.name for bone in armature.pose.bones]
first, last = (round(x) for x in action.frame_range)
frames = []
for frame in range(first, last + 1):
    scene.frame_set(frame)
    posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    frames.append([y_up(posed.matrix_world @ posed.pose.bones[n].head) for n in names])
facts = {
    "names": names, "first": first, "new": [a.name for a in new], "active": action.name, "was": was,
    "others_same": all(keys(bpy.data.actions[name]) == table for name, table in before.items()),
    "others": sorted(before), "kept": all(bpy.data.actions[n].users > 0 for n in before),
    "rate_same": rate == (scene.render.fps, scene.render.fps_base, scene.frame_start, scene.frame_end),
    "selected": sorted(o.name for o in bpy.context.selected_objects),
    "grown": {kind: n for kind, n in grown.items() if n}, "undo": sorted(program["GAMBOL_OT_walk"].bl_options),
    "joints": list(motion.skeleton.names), "soles": [motion.skeleton.names[s] for s in motion.skeleton.soles],
    "modes": sorted({bone.rotation_mode for bone in armature.pose.bones}), "rise": rise,
}
for thing in (ground, way):  # a character alone cannot walk: one line, and nothing is made
    thing.select_set(False)
try:
    bpy.ops.object.gambol_walk()
    facts["refused"] = ""
except RuntimeError as error:
    facts["refused"] = str(error)
facts["actions_after"] = len(bpy.data.actions)
np.savez(out, positions=np.array(frames), motion=motion.positions(), contacts=motion.contacts, facts=json.dumps(facts))
