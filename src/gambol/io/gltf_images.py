"""Pictures of a .gltf taken into the .glb that is made of it, so that it needs no file beside it."""

from __future__ import annotations

from typing import Any, NamedTuple

from gambol.errors import GambolError
from gambol.io.glb import buffer_of
from gambol.io.json_edit import Edit, elements, members
from gambol.io.source import Source, to_json

__all__ = ["Pictures", "pictures_of"]

KINDS = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg"}  # what glTF 2.0 knows


class Pictures(NamedTuple):
    """Edits of the text, views (JSON) for the end of ``bufferViews``, and bytes for the end of the buffer."""

    edits: list[Edit]
    views: list[str]
    data: bytes


def pictures_of(words: str, document: dict[str, Any], source: Source, place: tuple[int, int]) -> Pictures:
    """Every picture that has a URI, as a view of the first buffer; one that cannot be read keeps its URI.

    Args:
        words: the text of the document.
        document: the same, parsed.
        source: where files beside it are.
        place: number of the first new view, and of the first new byte (a multiple of 4).
    """
    view, start = place
    edits: list[Edit] = []
    views: list[str] = []
    data = b""
    images = document.get("images", [])
    spans = elements(words, members(words)["images"][1].start) if images else []
    for image, span in zip(images, spans):
        if "uri" not in image:
            continue
        try:
            content = buffer_of(image, None, source.name, source)
        except (GambolError, ValueError):
            continue
        kind = next((k for head, k in KINDS.items() if content.startswith(head)), None)
        if kind is None:
            continue
        begin, value = members(words, span.start)["uri"]
        said = "" if "mimeType" in image else f',"mimeType":"{kind}"'
        edits.append(Edit(begin, value.end, f'"bufferView":{view + len(views)}{said}'))
        views.append(to_json({"buffer": 0, "byteOffset": start + len(data), "byteLength": len(content)}))
        data += content + b"\0" * (-len(content) % 4)
    return Pictures(edits, views, data)
