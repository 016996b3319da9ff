"""A score danced: one clip of dances, walks and runs, with planted seams."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gambol import quat
from gambol.body import Body
from gambol.choreography import Part, Score
from gambol.errors import GambolError
from gambol.gait import Gait
from gambol.keys import UP, Key, heading_of
from gambol.methods.elastic_dance import ElasticDance
from gambol.methods.force_walk import ForceWalk
from gambol.methods.running import Running
from gambol.model import person_model
from gambol.motion import Motion, Pose, join
from gambol.path import parse_path
from gambol.postures import base_of, pose_with, posture
from gambol.synthesis import Handover, Stream, Task, generate

__all__ = ["perform"]

SETTLE = 0.9  # s in which a dance comes to the stand that a walk begins from, and as long it stays there


def perform(score: Score, task: Task | None = None, method: ElasticDance | None = None) -> Motion:
    """The motion of a score.

    Args:
        score: what is danced.
        task: rate of frames, ground, seed; the model and keys are the score's.
        method: dials beside those of the score.

    Raises:
        GambolError: for walks of what is no person, and as the methods do.
    """
    task, method = task or Task(), method or ElasticDance()
    values: dict[str, Any] = dict(score.dials)
    method = replace(method, mode=score.mode, **values)
    task = replace(task, fps=score.fps or task.fps, period=score.period, seed=score.seed or task.seed)
    if not any(part.walk for part in score.parts):
        keys = score.parts[0].keys
        for part in score.parts[1:]:
            late = keys[-1].time + keys[-1].hold + SETTLE
            keys += tuple(k._replace(time=k.time + late) for k in part.keys)
        motion = generate(method, replace(task, model=score.model, keys=keys))
        return _told(motion, score)
    if score.model.kind != "person":
        raise GambolError(f"a {score.model.kind} does not walk", where="score", allowed="walks of a person")
    return _told(_sequence(score, task, method), score)


def _sequence(score: Score, task: Task, method: ElasticDance) -> Motion:
    """Dances and walks of the plain body, each taking over where the one before stopped."""
    body = task.body if not score.model.name else Body(_height(score.model.name))
    task = replace(task, body=body, model=None, period=None)
    after: Handover | None = None
    out: list[Motion] = []
    for n, part in enumerate(score.parts):
        following = score.parts[n + 1] if n + 1 < len(score.parts) else None
        if part.walk:
            mover, here = _on_the_way(part, task)
            stream = Stream(mover, here, after)
        else:
            here = replace(task, keys=_plain(part, task, following, after))
            stream = Stream(method, here, after)
        while (piece := stream.stretch()) is not None:
            out.append(piece)
        after = stream.method.handover(stream.state)
    names = [replace(p, info={}, forces=None, pressure=None, com=None) for p in out]
    return replace(join(names), name="dance")


def _plain(part: Part, task: Task, following: Part | None, after: Handover | None) -> tuple[Key, ...]:
    """A part's keys for the body without fingers, where ``after`` stopped, ending in the stand of a walk to come."""
    model = person_model(task.body)
    count = len(model.skeleton)
    keys = tuple(k._replace(pose=_there(k.pose, after, count)) for k in part.keys)
    if following is None or not following.walk:
        return keys
    mover, way = _on_the_way(following, task)
    _, first = mover.advance(mover.start(way), way)
    assert first is not None
    pose = pose_with(model, posture("stand", base_of("person")))[0]
    pose = pose._replace(root=first.root[0], rotations=first.rotations[0])
    return (*keys, Key(keys[-1].time + keys[-1].hold + SETTLE, pose, SETTLE))


def _on_the_way(part: Part, task: Task) -> tuple[Any, Task]:
    """The method of a walk or a run, and its task."""
    mover = Running() if part.runs else ForceWalk()
    return mover, replace(task, path=parse_path(part.walk), gait=Gait(speed=part.speed))


def _there(pose: Pose, after: Handover | None, count: int) -> Pose:
    """A pose of the first ``count`` joints, moved from the origin to where a figure was left."""
    rotations = np.array(pose.rotations)[:count]
    if after is None:
        return Pose(pose.root, rotations)
    turn = quat.exp(heading_of(after.pose.rotations[0]) * UP)
    rotations[0] = quat.multiply(turn, rotations[0])
    return Pose(quat.rotate(turn, pose.root) + np.asarray(after.pose.root) * [1.0, 0.0, 1.0], rotations)


def _height(name: str) -> float:
    _, colon, number = name.partition(":")
    return float(number) if colon else 1.75


def _told(motion: Motion, score: Score) -> Motion:
    """With what the clip was made from."""
    more: dict[str, object] = {"seed": score.seed}
    if score.beats is not None:
        more["tempo"] = score.beats.tempo
    return replace(motion, info={**motion.info, **more})
