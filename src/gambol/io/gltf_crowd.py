"""Many figures in one .glb: each with its own joints, skin and mesh, all moved by one clip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gambol import __version__
from gambol.errors import GambolError
from gambol.io.glb import Buffer, pack
from gambol.io.gltf import _animation, _attach, _figure, _ground, _joint_nodes, _skin
from gambol.io.source import PLAIN, Extra
from gambol.motion import Motion
from gambol.wardrobe import skin_of

__all__ = ["encode_crowd"]


def encode_crowd(motions: Sequence[Motion], extra: Extra = PLAIN) -> bytes:
    """The bytes of a .glb with a figure for each motion and one clip that moves them all.

    Nodes, skins and meshes are named by the figure, ``walker_01_hips``. A clip that is over holds its last pose.

    Raises:
        GambolError: no motion, one without frames, or two of one name.
    """
    names = [m.name for m in motions]
    if not motions or not all(map(len, motions)):
        raise GambolError("a figure without frames", where="glb", do="leave it out")
    if len(set(names)) < len(names) or "" in names:
        raise GambolError("two figures have the same name", where="glb", do="give each its own")
    buffer = Buffer()
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": f"gambol {__version__}"},
        "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "skins": [], "materials": [], "meshes": [],
    }  # fmt: skip
    whole: dict[str, Any] = {"name": "crowd", "channels": [], "samplers": [], "extras": {"figures": {}}}
    for motion in motions:
        first = len(document["nodes"])
        document["nodes"] += _joint_nodes(motion.skeleton, first, f"{motion.name}_")
        document["scenes"][0]["nodes"].append(first)
        skin = skin_of(motion) if extra.mesh else None
        if skin is not None:
            document["skins"].append(_skin(motion.skeleton, buffer, first, motion.name))
            node = {"name": f"{motion.name}_figure", "skin": len(document["skins"]) - 1}
            _attach(document, node, _figure(skin, document, buffer))
        clip, before = _animation(motion, buffer, first), len(whole["samplers"])
        whole["samplers"] += clip["samplers"]
        whole["channels"] += [{**c, "sampler": c["sampler"] + before} for c in clip["channels"]]
        whole["extras"]["figures"][motion.name] = clip["extras"]
    if extra.terrain is not None:
        way = np.concatenate([m.root for m in motions])
        _attach(document, {"name": "ground"}, _ground(extra.terrain, way, document, buffer))
    document["animations"] = [whole]
    return pack({key: value for key, value in document.items() if value != []}, buffer)
