"""A folder of clips brought onto one person, for :func:`gambol.graph.build_graph`; what cannot be used is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.body import SHANK, THIGH
from gambol.errors import GambolError
from gambol.io import FORMATS, load_motion
from gambol.motion import Motion
from gambol.person import as_person, leg_of
from gambol.roles import humanoid, roles_of

__all__ = ["Gathered", "clip_files", "gather"]


class Gathered(NamedTuple):
    """Clips on one person.

    Attributes:
        clips: N motions on one skeleton.
        styles: N words: the sub-folder each came from, "" at the top.
        skipped: (file, why) of every file that holds no motion of a person.
    """

    clips: tuple[Motion, ...]
    styles: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]


def clip_files(folder: str | Path) -> list[Path]:
    """The files below a folder that may hold motion, in order of their names.

    Raises:
        GambolError: where it is no folder, or holds none.
    """
    root = Path(folder)
    if not root.is_dir():
        raise GambolError("there is no such folder", where=str(folder), allowed="a folder of clips")
    able = {s for s, row in FORMATS.items() if row.decode is not None} - {".json", ".csv", ".asf"}
    files = sorted(p for p in root.rglob("*") if p.suffix.lower() in able and p.is_file())
    if not files:
        raise GambolError("there are no clips in it", where=str(folder), allowed=", ".join(sorted(able)))
    return files


def gather(
    files: Sequence[Path], root: str | Path | None = None, told: Callable[[Path], None] | None = None
) -> Gathered:
    """Read clips and bring them onto one person, whose legs are as long as theirs in the mean.

    Args:
        files: to read; one that cannot be used is skipped and named.
        root: the folder whose sub-folders name styles.
        told: called with each file before it is read.
    """
    read, styles, skipped = [], [], []
    for file in files:
        if told is not None:
            told(file)
        try:
            motion = load_motion(file)
            roles = humanoid(roles_of(motion.skeleton), str(file)).joints
            if len(motion) < 2:
                raise GambolError("a single pose", where=str(file), allowed="a clip in which somebody moves")
            read.append((motion, roles, leg_of(motion.skeleton, roles)))
        except GambolError as error:
            skipped.append((str(file), error.what))
            continue
        below = file.relative_to(root).parts[:-1] if root is not None and file.is_relative_to(root) else ()
        styles.append(below[0] if below else "")
    if not read:
        return Gathered((), (), tuple(skipped))
    height = round(float(np.mean([leg for *_, leg in read])) / (THIGH + SHANK), 3)
    height = height if 0.9 <= height <= 3.1 else 1.7  # in other units: the scale falls out on the way
    return Gathered(tuple(as_person(m, r, height) for m, r, _ in read), tuple(styles), tuple(skipped))
