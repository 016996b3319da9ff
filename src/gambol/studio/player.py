"""One page that plays one clip, with all it needs inside."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path

from gambol.errors import GambolError
from gambol.forms import read_ground
from gambol.io import gltf, load_motion
from gambol.io.glb import parsed
from gambol.io.source import Extra
from gambol.motion import Motion
from gambol.studio.bones import bones
from gambol.studio.clip import steps_of
from gambol.wardrobe import skin_of

__all__ = ["PLAYER", "player_page"]

PLAYER = Path(__file__).parent / "page" / "player.js"
KINDS = ("slope", "stairs", "demo")  # grounds that a clip names and that need no file
SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="gambol">
<title>{title}</title>
<style>html, body {{ margin: 0; height: 100%; overflow: hidden }}</style>
</head>
<body>
<div id="app"></div>
<noscript>The clip needs JavaScript to play; nothing is loaded from elsewhere.</noscript>
<script type="application/json" id="gambol-facts">{facts}</script>
<script type="text/plain" id="gambol-clip">{clip}</script>
<script>{player}</script>
</body>
</html>
"""


def player_page(file: Path, clip: str | None = None, player: Path = PLAYER) -> bytes:
    """The page.

    Args:
        file: a motion; a .glb or .vrm with a figure of its own is shown as it is.
        clip: name of the clip, in a file of several.
        player: the built script that plays it.

    Raises:
        GambolError: what the file's reader says, or that the player is not built.
    """
    motion = load_motion(file, clip)
    if not player.is_file():
        do = "in a clone, run: make studio (it needs Node.js); an installed gambol has it"
        raise GambolError("the player is not built", where=str(player), do=do)
    facts = {
        "title": file.stem, "clip": motion.name, "fps": motion.fps, "seconds": motion.duration, "cyclic": motion.cyclic,
        "steps": steps_of(motion),
    }
    page = SHELL.format(
        title=html.escape(file.stem), facts=json.dumps(facts).replace("<", "\\u003c"),
        clip=base64.b64encode(_glb(file, motion)).decode(),
        player=player.read_text(encoding="utf-8").replace("</script", "<\\/script"),
    )
    return page.encode()


def _glb(file: Path, motion: Motion) -> bytes:
    """The file itself where it is a whole .glb with a surface, else the clip with a skin, on the ground it names."""
    data = file.read_bytes()
    if data[:4] == b"glTF" and _whole(data):
        return data
    named = motion.info.get("ground")
    along = read_ground(named) if isinstance(named, str) and named.partition(":")[0] in KINDS else None
    return gltf.encode(motion, Extra(terrain=along, skin=skin_of(motion) or bones(motion.skeleton)))


def _whole(data: bytes) -> bool:
    """Whether a .glb has a surface of its own and needs no other file."""
    document, _ = parsed(data, "clip")
    outside = [r for k in ("buffers", "images") for r in document.get(k, []) if "uri" in r and r["uri"][:5] != "data:"]
    return bool(document.get("meshes")) and not outside
