"""Figures show what the clip says: each is drawn, the same every time, and labelled; what is missing is said."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from walks import level_walk

from gambol.cli import main
from gambol.errors import GambolError
from gambol.io import save
from gambol.plot import FIGURES, plot, read_norms
from gambol.plot_curves import _arm, _ground, _stances, heading
from gambol.plot_sketch import _angles, _footholds, _profile, _stance_frames

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("name", list(FIGURES))
def test_every_figure_is_drawn_with_labelled_axes(name):
    from matplotlib.figure import Figure

    figure = Figure()
    FIGURES[name].draw(figure, level_walk(), None)
    shown = [a for a in figure.axes if a.axison]
    assert shown and all(a.lines or a.patches for a in shown)
    if name != "legs":  # a drawing of the figure, whose parts are labelled instead
        assert any("(" in a.get_xlabel() or "share" in a.get_xlabel() for a in shown)
        assert all(a.get_ylabel() or a.get_title() or a.get_yticklabels() for a in shown)
    else:
        said = " ".join(t.get_text() for a in shown for t in a.texts)
        assert all(f"ST{k}" in said for k in "1234") and "C" in said


def test_figures_are_pictures_and_the_same_every_time():
    a, b = plot(level_walk(), "phases"), plot(level_walk(), "phases")
    assert a == b
    assert Image.open(io.BytesIO(a)).size[0] > 600


def test_stances_are_told_apart_by_their_ground():
    step = {"M": "left", "w": 0.3, "h": -0.16, "mode": "down, straight"}
    assert _ground(step, "left") == "down" and _ground(step, "right") == ""
    assert _ground({**step, "w": 0.6, "h": -0.06}, "left") == ""  # a slope
    curves = _stances(level_walk())
    assert list(curves) == ["level"] and len(curves["level"]) > 5
    assert 0.7 < float(np.mean(curves["level"])) < 1.0


def test_heading_and_arms_are_those_of_the_walk():
    clip = level_walk()
    assert np.abs(heading(clip)).max() < 0.02
    angle, moment = _arm(clip, "left")
    assert 0.4 < np.ptp(angle) < 0.8  # 0.10 + 0.5 v to either side
    assert 1.0 < np.abs(moment[200:400]).max() < 8.0  # a 3.7 kg arm needs some N m


def test_leg_angles_of_a_stance():
    clip = level_walk()
    side, (a, b, c, d) = _stance_frames(clip)
    assert a < b < c < d
    strike, off = (_angles(_profile(clip, k)[0], side) for k in (a, d))
    assert 15 < strike["1"] < 35 and 0 < strike["2"] < 20 and strike["4"] == pytest.approx(0, abs=1)
    assert off["1"] < 0 < 20 < off["4"]
    assert len(_footholds(clip)) >= len(clip.info["plan"])


def test_norms_are_read_and_their_absence_is_said(data, tmp_path):
    norms = read_norms(data / "gait" / "schwartz2008", 0.4)
    assert {"hip", "knee", "ankle", "vertical"} <= set(norms) and all(len(m) == 51 for m, _ in norms.values())
    with pytest.raises(GambolError, match=r"joint_angles\.csv"):
        read_norms(tmp_path, 0.4)


def test_plot_on_the_command_line(tmp_path, capsys):
    file = tmp_path / "walk.npz"
    save(level_walk(), file)
    assert main(["plot", str(file), "--figure", "phases", "--figure", "com", "-o", str(tmp_path / "figs")]) == 0
    assert sorted(p.name for p in (tmp_path / "figs").iterdir()) == ["com.png", "phases.png"]
    assert main(["plot", str(file), "--figure", "phases", "-o", str(tmp_path / "one.png")]) == 0
    assert (tmp_path / "one.png").is_file()
    capsys.readouterr()
    for words, said in (
        (["--figure", "hair"], "no figure is called 'hair'"), (["-o", str(tmp_path / "all.png")], "one figure"),
    ):  # fmt: skip
        assert main(["plot", str(file), *words]) == 2
        assert said in capsys.readouterr().err
    save(replace(level_walk(), forces=None, contacts=None, com=None, info={}), file)
    assert main(["plot", str(file), "--figure", "forces"]) == 2
    assert "no whole stance" in capsys.readouterr().err
