"""What the page of the method says about its dials and presets is what the method has."""

import re
from pathlib import Path

from gambol.methods.force_walk import PRESETS, ForceWalk
from gambol.synthesis import dials

DOCS = Path(__file__).resolve().parents[1] / "docs"


def described() -> dict[str, tuple[float, float, float, str]]:
    """Dial -> default, least, most and unit, as the table of the page has them."""
    out = {}
    for line in (DOCS / "force_walk.md").read_text(encoding="utf-8").splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if len(cells) == 4 and (found := re.fullmatch(r"(\S+) to (\S+)(?: (\S+))?", cells[2])):
            low, high, unit = found.groups()
            for name in cells[0].split(", "):
                out[name] = (float(cells[1]), float(low), float(high), unit or "1")
    return out


def test_the_page_describes_every_dial():
    assert described() == {d.name: (d.default, d.low, d.high, d.unit) for d in dials(ForceWalk)}


def test_the_page_describes_every_preset():
    text = (DOCS / "force_walk.md").read_text(encoding="utf-8")
    assert all(f"`{preset}`" in text for preset in PRESETS)


def test_links_between_pages_lead_somewhere():
    for page in [*DOCS.glob("*.md"), DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
