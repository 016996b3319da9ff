"""Run inside Blender: the selected character walks along the selected curve, over the selected ground.

Open this file in the Text Editor, select a rigged character (its armature), a curve, and if you like a mesh to walk
on, and press Run Script; afterwards F3 finds "Walk along Curve (gambol)". One new action is made and one undo takes it
back; other actions and the rate of the scene stay as they are. Needs Blender 4.4 or later and gambol in Blender's
Python (python -m pip install gambol), which brings nothing that Blender does not have: numpy is Blender's own.
Lengths are metres. A rig with IK constraints follows them: mute those first.
"""

import os
import sys
import tempfile

import bpy
import numpy as np

HERE = globals().get("__file__", "")  # missing where a text was never saved
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(HERE))), "src"))  # a checkout of gambol
Y_UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # gambol's world from Blender's


def triangles(objects):
    """Vertices (V, 3) in gambol's world and triangles (T, 3) of meshes."""
    vertices, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), int)], 0
    for thing in objects:
        seen = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = seen.to_mesh()
        mesh.calc_loop_triangles()
        corners, triples = np.zeros(3 * len(mesh.vertices)), np.zeros(3 * len(mesh.loop_triangles), np.int32)
        mesh.vertices.foreach_get("co", corners)
        mesh.loop_triangles.foreach_get("vertices", triples)
        world = np.array(seen.matrix_world)
        vertices.append((corners.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]) @ Y_UP.T)
        faces.append(triples.reshape(-1, 3) + count)
        count += len(mesh.vertices)
        seen.to_mesh_clear()
    return np.concatenate(vertices), np.concatenate(faces)


def drawn(curve):
    """The first spline of a curve as a path."""
    from gambol import GambolError
    from gambol.path import walkable

    seen = curve.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = seen.to_mesh()
    if mesh is None or len(mesh.polygons) or not len(mesh.vertices):
        raise GambolError("a path is a bare line", where=curve.name, do="take bevel and extrusion off the curve")
    if len(curve.data.splines) > 1:
        raise GambolError("a path is one spline", where=curve.name, do="separate the splines")
    points = np.array([seen.matrix_world @ v.co for v in mesh.vertices]) @ Y_UP.T
    seen.to_mesh_clear()
    return walkable(points, bool(curve.data.splines[0].use_cyclic_u))


def character_of(context, armature):
    """The rig with its skin, by way of Blender's own glTF exporter; the selection is left as it was."""
    from gambol.io import load_character
    from gambol.roles import humanoid

    chosen, active = list(context.selected_objects), context.view_layer.objects.active
    worn = [o for o in armature.children_recursive if o.type == "MESH"]
    worn += [o for o in context.scene.objects if any(getattr(m, "object", None) is armature for m in o.modifiers)]
    try:
        for thing in context.scene.objects:
            thing.select_set(thing is armature or thing in worn)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "rig.glb")
            bpy.ops.export_scene.gltf(
                filepath=file, use_selection=True, export_animations=False, export_materials="NONE", export_morph=False
            )
            character = load_character(file)
    finally:
        for thing in context.scene.objects:
            thing.select_set(thing in chosen)
        context.view_layer.objects.active = active
    humanoid(character.roles, armature.name)
    return character


def walk(context, speed):
    """The motion of the selected character along the selected curve."""
    from gambol import ForceWalk, Gait, GambolError, Mesh, Task, generate
    from gambol.dressing import dressed
    from gambol.rig_body import body_of

    chosen = context.selected_objects
    armatures, curves = ([o for o in chosen if o.type == kind] for kind in ("ARMATURE", "CURVE"))
    if len(armatures) != 1 or len(curves) != 1:
        what = f"{len(armatures)} armatures and {len(curves)} curves are selected"
        raise GambolError(what, allowed="one of each", do="select the armature, the curve, and the ground if any")
    rig = armatures[0]
    grounds = [o for o in chosen if o.type == "MESH" and not o.find_armature() and o.parent is not rig]
    character = character_of(context, rig)
    fps = context.scene.render.fps / context.scene.render.fps_base
    task = Task(
        body_of(character.skeleton, character.roles, where=rig.name), drawn(curves[0]),
        gait=Gait(speed=speed) if speed > 0 else Gait(), fps=fps,
        **({"terrain": Mesh(*triangles(grounds))} if grounds else {}),
    )
    return rig, dressed(generate(ForceWalk(), task), character, task.terrain)


def basis(rig, motion):
    """Of every bone that moves: its transforms (F, 4, 4) against its rest pose in its parent, as Blender keys them."""
    from gambol import forward_kinematics, quat

    places, turns = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    world = np.array(rig.matrix_world)
    axes = world[:3, :3] / np.linalg.norm(world[:3, :3], axis=0)
    turn = Y_UP @ axes  # gambol's world from the armature's axes
    at = {name: j for j, name in enumerate(motion.skeleton.names)}
    above_hips = {b.name for b in rig.data.bones[motion.skeleton.names[0]].parent_recursive}
    posed, out = {}, {}
    for bone in rig.data.bones:  # parents first
        rest = np.array(bone.matrix_local)
        parent = bone.parent
        up = posed[parent.name] @ np.linalg.inv(np.array(parent.matrix_local)) @ rest if parent else rest
        if bone.name not in at:  # it goes with its parent
            posed[bone.name] = up
            if bone.name in above_hips:
                out[bone.name] = np.broadcast_to(np.eye(4), (len(motion), 4, 4))
            continue
        j = at[bone.name]
        there = np.tile(np.eye(4), (len(motion), 1, 1))
        there[:, :3, :3] = turn.T @ quat.to_matrix(turns[:, j]) @ turn @ rest[:3, :3]
        there[:, :3, 3] = (places[:, j] @ Y_UP - world[:3, 3]) @ np.linalg.inv(world[:3, :3]).T
        posed[bone.name] = there
        out[bone.name] = np.linalg.inv(up) @ there
    return out


def key(rig, motion, start):
    """A new action with a key a frame, in each bone's own rotation mode, put on the rig; others are kept."""
    from gambol import quat

    action = bpy.data.actions.new("gambol walk")
    slot = action.slots.new(id_type="OBJECT", name=rig.name)
    curves = action.layers.new("walk").strips.new(type="KEYFRAME").channelbag(slot, ensure=True).fcurves
    frames = start + np.arange(len(motion))

    def track(bone, what, values):
        still = np.abs(values - values[0]).max() < 1e-7
        for axis, row in enumerate(values[: 1 if still else None].T):
            path = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].{what}'
            curve = curves.new(path, index=axis, group_name=bone.name)
            curve.keyframe_points.add(len(row))
            curve.keyframe_points.foreach_set("co", np.stack([frames[: len(row)], row], 1).ravel())
            curve.update()

    for name, matrices in basis(rig, motion).items():
        bone = rig.pose.bones[name]
        q = quat.continuous(quat.normalize(quat.from_matrix(matrices[:, :3, :3])))
        if bone.rotation_mode == "QUATERNION":
            track(bone, "rotation_quaternion", q)
        elif bone.rotation_mode == "AXIS_ANGLE":
            half = np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
            axis = np.where(half > 1e-9, q[:, 1:] / np.maximum(half, 1e-9), [0.0, 1.0, 0.0])
            track(bone, "rotation_axis_angle", np.concatenate([2 * np.arctan2(half, q[:, :1]), axis], 1))
        else:
            track(bone, "rotation_euler", eulers(q, bone.rotation_mode))
        if not bone.bone.use_connect:
            track(bone, "location", matrices[:, :3, 3])
    data = rig.animation_data_create()
    if data.action:
        data.action.use_fake_user = True  # else the old action could be lost when the file is saved
    data.action, data.action_slot = action, slot
    return action


def eulers(q, mode):
    """(F, 3) rad, each the nearest to the one before."""
    from mathutils import Quaternion

    out, last = [], None
    for row in q.tolist():
        last = Quaternion(row).to_euler(mode, last) if last else Quaternion(row).to_euler(mode)
        out.append(last[:])
    return np.array(out)


class GAMBOL_OT_walk(bpy.types.Operator):  # noqa: N801 - Blender's way to name them
    """Let the selected character walk along the selected curve, over the selected ground."""

    bl_idname, bl_label, bl_options = "object.gambol_walk", "Walk along Curve (gambol)", {"REGISTER", "UNDO"}
    speed: bpy.props.FloatProperty(name="Speed", description="m/s; 0: an easy walk", default=0.0, min=0.0)

    def execute(self, context):
        try:
            from gambol import GambolError
        except ImportError as error:
            self.report({"ERROR"}, f"gambol is not installed in Blender's Python: {error}")
            return {"CANCELLED"}
        try:
            rig, motion = walk(context, self.speed)
        except GambolError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        action = key(rig, motion, context.scene.frame_start)
        self.report({"INFO"}, f"{action.name}: {len(motion)} frames at {motion.fps:.5g} a second")
        return {"FINISHED"}


if __name__ == "__main__":
    if hasattr(bpy.types, "OBJECT_OT_gambol_walk"):
        bpy.utils.unregister_class(bpy.types.OBJECT_OT_gambol_walk)
    bpy.utils.register_class(GAMBOL_OT_walk)
    if bpy.context.selected_objects:
        bpy.ops.object.gambol_walk()
