"""gambol makes skeletons walk: a body, a path and the ground in, motion whose planted feet stay planted out.

The names below are loaded when first used, so that ``import gambol`` and ``gambol --help`` are quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:  # the same table as below, for type checkers and editors
    from gambol.body import Body
    from gambol.character import Character
    from gambol.choreography import Score, load_score
    from gambol.commands import Commands
    from gambol.errors import GambolError, MissingExtra
    from gambol.footsteps import Footstep
    from gambol.gait import Gait, Pace, pace
    from gambol.io import attach, load, load_character, load_motion, save
    from gambol.keys import Key
    from gambol.many import generate_many
    from gambol.measure import Report
    from gambol.methods import METHODS
    from gambol.methods.elastic_dance import ElasticDance
    from gambol.methods.force_walk import ForceWalk
    from gambol.methods.measured_walk import MeasuredWalk
    from gambol.methods.motion_graph import MotionGraphWalk
    from gambol.methods.running import Running
    from gambol.methods.sway import Sway
    from gambol.motion import Motion, Plate, Pose, Trial, join
    from gambol.music import beats_of
    from gambol.path import Path, load_path, parse_path
    from gambol.performance import perform
    from gambol.recorded_walk import build_walk
    from gambol.skeleton import Skeleton, forward_kinematics
    from gambol.synthesis import Method, Stream, Task, dials, generate
    from gambol.task_json import task_from_json, task_to_json
    from gambol.terrain import Flat, HeightField, Mesh, Slope, Stairs, Terrain, parse_terrain
    from gambol.walk_data import WalkData
    from gambol.wind import Wind

_HOME = {
    "METHODS": "methods", "Body": "body", "Flat": "terrain", "Footstep": "footsteps", "ForceWalk":
    "methods.force_walk", "Gait": "gait", "GambolError": "errors", "HeightField": "terrain", "Mesh":
    "terrain", "Method": "synthesis", "MissingExtra": "errors", "Motion": "motion", "Pace": "gait",
    "Path": "path", "Pose": "motion", "Report": "measure",
    "Running": "methods.running", "Skeleton": "skeleton", "Slope": "terrain",
    "Stairs": "terrain", "Stream": "synthesis", "Task": "synthesis", "Terrain": "terrain", "dials":
    "synthesis", "forward_kinematics": "skeleton", "generate": "synthesis",
    "generate_many": "many", "join": "motion", "load":
    "io", "load_path": "path", "pace": "gait", "parse_path": "path", "parse_terrain": "terrain", "save":
    "io", "task_from_json": "task_json", "task_to_json": "task_json",
    "ElasticDance": "methods.elastic_dance", "MeasuredWalk": "methods.measured_walk", "MotionGraphWalk":
    "methods.motion_graph", "Sway": "methods.sway", "Wind": "wind", "Key": "keys", "Commands": "commands", "Score":
    "choreography", "load_score": "choreography", "perform": "performance", "beats_of": "music", "build_walk":
    "recorded_walk", "WalkData": "walk_data", "Character": "character", "load_character": "io", "attach": "io",
    "Plate": "motion", "Trial": "motion", "load_motion": "io",
}

__all__ = [
    "METHODS", "Body", "Character", "Commands", "ElasticDance", "Flat", "Footstep", "ForceWalk", "Gait",
    "GambolError", "HeightField", "Key", "MeasuredWalk", "Mesh", "Method", "MissingExtra", "Motion",
    "MotionGraphWalk", "Pace", "Path", "Plate", "Pose", "Report", "Running", "Score", "Skeleton", "Slope", "Stairs",
    "Stream", "Sway", "Task", "Terrain", "Trial", "WalkData", "Wind", "__version__", "attach", "beats_of",
    "build_walk", "dials", "forward_kinematics", "generate", "generate_many", "join", "load", "load_character",
    "load_motion", "load_path", "load_score", "pace", "parse_path", "parse_terrain", "perform", "save",
    "task_from_json", "task_to_json",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its module at first use."""
    if name not in _HOME:
        raise AttributeError(f"module 'gambol' has no attribute {name!r}")
    value = getattr(import_module(f"gambol.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
