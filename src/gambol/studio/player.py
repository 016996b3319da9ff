"""One page that plays one clip, with all it needs inside."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path

from gambol.errors import GambolError
from gambol.io import gltf, load_motion
from gambol.io.source import Extra
from gambol.studio.bones import bones
from gambol.wardrobe import skin_of

__all__ = ["PLAYER", "player_page"]

PLAYER = Path(__file__).parent / "page" / "player.html"
MARK = "<!--gambol:clip-->"  # where the built player takes its clip from


def player_page(file: Path, clip: str | None = None, player: Path = PLAYER) -> bytes:
    """The page.

    Args:
        file: a motion; a .glb or .vrm with its own figure is shown as it is.
        clip: name of the clip, in a file of several.
        player: the built page.

    Raises:
        GambolError: what the file's reader says, or that the page is not built.
    """
    motion = load_motion(file, clip)
    if not player.is_file():
        do = "in a clone, run: make studio (it needs Node.js); an installed gambol has it"
        raise GambolError("the player page is not built", where=str(player), do=do)
    data = file.read_bytes()
    if data[:4] != b"glTF" or not _whole(data):
        skin = skin_of(motion) or bones(motion.skeleton)
        data = gltf.encode(motion, Extra(skin=skin))
    facts = {"title": file.stem, "clip": clip or motion.name, "fps": motion.fps, "seconds": motion.duration}
    words = json.dumps(facts).replace("<", "\\u003c")
    inside = (
        f'<script type="application/json" id="gambol-facts">{words}</script>'
        f'<script type="text/plain" id="gambol-clip">{base64.b64encode(data).decode()}</script>'
    )
    page = player.read_text(encoding="utf-8")
    if MARK not in page:
        raise GambolError(f"the player page has no {MARK}", where=str(player), do="run make studio again")
    title = f"<title>{html.escape(file.stem)}</title>"
    return page.replace(MARK, inside, 1).replace("<title>gambol</title>", title, 1).encode()


def _whole(data: bytes) -> bool:
    """Whether a .glb has a surface of its own and needs no other file."""
    from gambol.io.glb import parsed

    document, _ = parsed(data, "clip")
    outside = [r for k in ("buffers", "images") for r in document.get(k, []) if "uri" in r and r["uri"][:5] != "data:"]
    return bool(document.get("meshes")) and not outside
