"""``gambol roles`` and ``gambol retarget``: rigs of one's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from gambol.errors import GambolError
from gambol.forms import DEFAULT_GROUND, GroundForm, read_ground
from gambol.rig_form import RIG_FILES, RigForm, read_roles, unsure
from gambol.words import Files, Json, Switch, check_targets, print_json

if TYPE_CHECKING:
    from gambol.character import Character, Surface
    from gambol.motion import Motion
    from gambol.roles import Roles
    from gambol.terrain import Terrain

__all__ = ["able_files", "onto_files", "put_on", "retarget", "roles", "skin_of", "write_onto"]

FACINGS = {0: "+z", 90: "+x", 180: "-z", -180: "-z", -90: "-x"}
PLAIN_FILES = (".bvh", ".npz", ".usd", ".usda", ".usdc")
Out = Annotated[Path | None, Parameter(name=["--output", "-o"])]


def roles(file: Path, *, known: Path | None = None, output: Out = None, as_json: Json = False) -> int:
    """Say which joint of a rig or a motion is what, and how sure that is.

    Args:
        file: a rig or a motion: .glb .gltf .vrm .bvh .amc .npz.
        known: .json of roles that are known already.
        output: .json to write, to be edited and given to --roles.
        as_json: print JSON.
    """
    from gambol.io.target import replace_all
    from gambol.roles import roles_report

    check_targets([output] if output else [], (".json",), (file, known))
    found = _rig_of(file, known)[1]
    if output is not None:
        replace_all([(output, (found.to_json() + "\n").encode())])
    if as_json:
        print_json({"file": str(file), **roles_report(found)})
        return 0
    degrees = round(math.degrees(found.facing))
    looks = FACINGS.get(degrees, f"{degrees} degrees from +z")
    human = found.kind == "human"
    print(f"{file}: human, looks along {looks}" if human else f"{file}: no human: {found.reason}")
    for line in [*found.lines(), *([f"wrote {output}"] if output else [])]:
        print(line)
    return 0


def retarget(  # noqa: PLR0913
    file: Path,
    *,
    onto: Path,
    output: Files = (),
    clip: str | None = None,
    ground: Annotated[GroundForm, Parameter(name="*")] = DEFAULT_GROUND,
    roles: Path | None = None,
    source_roles: Path | None = None,
    in_place: Switch = False,
    root_joint: str | None = None,
    keep_head: Switch = False,
    as_json: Json = False,
) -> int:
    """Put a motion on another skeleton, feet planted on it, and write it into a copy of the rig's file.

    Args:
        file: a motion: .bvh .amc .glb .vrm .npz ...
        onto: the rig: .glb .gltf .vrm, or a .bvh or .npz of its skeleton.
        output: a copy of the rig with the new clip (its own suffix, or .glb), or the motion alone (.bvh .npz .usd).
        clip: name of the clip, in a file of several.
        roles: .json that says which joint of the rig is what (gambol roles).
        source_roles: the same for the motion.
        in_place: without the travel over the ground.
        root_joint: name of a node above the rig's hips that carries the travel; else the hips do.
        keep_head: leave a head that hangs, or is thrown back, through a whole captured clip; else it is brought level.
        as_json: print JSON.
    """
    check_targets(output, onto_files(onto), (file, onto, ground.terrain))
    from gambol.convert import in_place as standing
    from gambol.feet import sole_columns
    from gambol.gaze import levelled_head
    from gambol.io import Source, load_character, read
    from gambol.mannequin import is_person
    from gambol.measure import measure
    from gambol.motion import Motion
    from gambol.retarget import Rigged
    from gambol.retarget import retarget as put
    from gambol.roles import humanoid, roles_of
    from gambol.soles import soled

    motion = read(file, Source(str(file), clip)).content
    if not isinstance(motion, Motion):
        raise GambolError("it holds markers and no skeleton", where=str(file), allowed="a motion of a skeleton")
    theirs = humanoid(roles_of(motion.skeleton, read_roles(source_roles)), str(file))
    character = load_character(onto, read_roles(roles)) if onto.suffix.lower() in RIG_FILES else None
    skeleton, ours = _rig_of(onto, roles, character)
    humanoid(ours, str(onto))
    named = ground.text()
    terrain = read_ground(named or "flat")
    keep_head = keep_head or is_person(motion.skeleton) or file.suffix.lower() in RIG_FILES
    raised = 0.0
    if not keep_head:
        motion, raised = levelled_head(motion, theirs)
    result = put(motion, theirs, Rigged(skeleton, ours), terrain, keep_head=True)
    before = measure(soled(motion, theirs)).feet
    after = measure(result, terrain).feet
    if in_place:
        result = standing(result)
    result = replace(result, info={**result.info, "ground": named or "flat"})
    said: dict[str, Any] = {
        "frames": len(result), "fps": result.fps, "slide_before_mm": before.slide_found_mm,
        "slide_mm": after.slide_mm, "sinking_mm": after.sinking_mm, "feet": list(sole_columns(result.skeleton)),
        "head_raised_deg": round(raised, 1),
    }
    wrote = write_onto([result], output, (character, onto), root_joint)
    if as_json:
        print_json({**said, "clip": result.name, "files": wrote})
        return 0
    print(f"{file}: {len(result)} frames at {result.fps:g} a second; {unsure(theirs)[0]}")
    for line in [f"{onto}: {unsure(ours)[0]}", *unsure(ours)[1:], *(character.notes if character else ())]:
        print(line)
    if raised:
        way = "raised" if raised > 0 else "lowered"
        print(f"the head, which looks {'down' if raised > 0 else 'up'} through the whole clip, is {way} by "
              f"{abs(raised):.0f} degrees (--keep-head leaves it)")
    slid = "no stance"
    if after.slide_mm is not None:
        slid = f"slide {after.slide_mm:.2f} mm, sinking {after.sinking_mm:.2f} mm"
    print(f"planted: {slid}" + ("; in place" if in_place else ""))
    for line in wrote or ["nothing written: add -o out.glb"]:
        print(line)
    return 0


def onto_files(rig: Path) -> tuple[str, ...]:
    """Suffixes that can be written for a rig."""
    suffix = rig.suffix.lower()
    if suffix not in RIG_FILES:
        return PLAIN_FILES
    own = (".gltf", ".glb") if suffix == ".gltf" else (".glb", ".vrm")
    return (*own, *PLAIN_FILES)


def able_files(rig: RigForm, plain: tuple[str, ...]) -> tuple[str, ...]:
    """Suffixes that a command can write: ``plain``, or those for the rig where there is one."""
    rig.check()
    return plain if rig.character is None else onto_files(rig.character)


def put_on(
    motion: Motion, output: Sequence[Path], rig: tuple[RigForm, Character], terrain: Terrain | None = None
) -> tuple[Motion, list[str]]:
    """A motion made for a rig's model, on the rig and in copies of its file; and what is to be said of it."""
    from gambol.dressing import worn

    form, character = rig
    assert form.character is not None
    motion = worn(motion, character, terrain)
    wrote = write_onto([motion], output, (character, form.character), form.root_joint)
    human = character.roles.kind == "human"
    known = unsure(character.roles) if human else [f"its own skeleton of {len(character.skeleton)} joints"]
    return motion, [f"{form.character}: {known[0]}", *known[1:], *character.notes, *wrote]


def write_onto(
    motions: Sequence[Motion], files: Sequence[Path], rig: tuple[Character | None, Path], root_joint: str | None
) -> list[str]:
    """Write clips into copies of a rig's file, or by themselves; say what was written."""
    from gambol.io import attach, save

    character, onto = rig
    out = []
    for file in files:
        if file.suffix.lower() in RIG_FILES:
            assert character is not None
            made = attach(character, motions, file, root_joint)
            grown = (len(made.data) - len(character.source)) / 1000
            names, size = ", ".join(made.names), f"{abs(grown):.0f} kB {'more' if grown >= 0 else 'less'}"
            out.append(
                f"wrote {file}: clip {names}; {made.moving} tracks move, {made.still} keep one key; {size}"
            )
            continue
        for motion in motions:
            save(motion, file)
        out.append(f"wrote {file}")
    return out


def skin_of(file: Path, motion: Motion) -> Surface | None:
    """The skin of the figure in a file, where it has one of its own."""
    from gambol.io import load_character
    from gambol.mannequin import is_person

    if file.suffix.lower() not in RIG_FILES or is_person(motion.skeleton):
        return None
    try:
        character = load_character(file)
    except GambolError:  # animation only
        return None
    return character.skin if character.skeleton.names == motion.skeleton.names else None


def _rig_of(file: Path, known: Path | None, character: Character | None = None) -> tuple[Any, Roles]:
    """Skeleton with sole points and roles of a rig's or a motion's file."""
    from gambol.io import load_character, load_motion
    from gambol.roles import roles_of
    from gambol.soles import soled

    given = read_roles(known)
    if file.suffix.lower() in RIG_FILES:
        character = character or load_character(file, given)
        return character.skeleton, character.roles
    motion = load_motion(file)
    found = roles_of(motion.skeleton, given)
    if found.kind != "human":
        return motion.skeleton, found
    with_soles = soled(motion, found).skeleton
    return with_soles, replace(found, names=with_soles.names)
