"""The tutorials can be followed: their Python runs, and the command line knows every word of theirs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from gambol.cli import app

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = sorted(DOCS.glob("tutorial_*.md"))


def blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def commands(page: Path) -> list[str]:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [line.partition("  #")[0].strip() for line in text.splitlines() if line.startswith("    gambol ")]


def test_there_is_a_tutorial_for_each_reader():
    assert [p.stem for p in PAGES] == ["tutorial_blender", "tutorial_gait", "tutorial_game", "tutorial_ml"]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_python_of_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    names: dict = {}
    for block in blocks(page):
        exec(compile(block.replace("range(1000)", "range(2)"), str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_command_line_knows_every_word(page):
    for line in commands(page):
        words = shlex.split(line)[1:]
        command, bound, _ = app.parse_args(words, exit_on_error=False, print_error=False)
        assert command.__name__ == words[0] and bound is not None


def test_the_list_of_clips_is_complete():
    from gambol.clips import CLIPS

    text = (DOCS / "tutorial_game.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in CLIPS)
