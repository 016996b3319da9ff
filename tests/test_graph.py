"""Motion graph: detector, cuts, strings, groups, blends and their file."""

from __future__ import annotations

import csv
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import straight

from gambol import quat
from gambol.blending import Aim, blend, nnls, weights
from gambol.body import Body
from gambol.cleaning import cleaned, smoothed
from gambol.errors import GambolError
from gambol.gather import gather
from gambol.graph import build_graph, mirrored
from gambol.graph_file import built_in, decode_graph, encode_graph
from gambol.methods import METHODS
from gambol.motion import Motion
from gambol.person import as_person
from gambol.segments import RATE, cut, take_of
from gambol.synthesis import Task, generate

LEG = Body(1.7).leg_length
WALKS = ["02_01", "02_02", "05_01", "16_11", "16_13", "16_17", "16_21", "16_31", "16_34", "16_47"]
IDENTITY = {n: k for k, n in enumerate(Body(1.7).skeleton.names)}


@cache
def made_walk(speed: float = 1.2) -> Motion:
    from gambol.gait import Gait

    return generate(METHODS["force"](), Task(body=Body(1.7), path=straight(5.0), gait=Gait(speed=speed), fps=120.0))


@pytest.fixture(scope="module")
def captured(data):
    folder = data / "mocap" / "cmu"
    names = [*WALKS, "16_36", "02_03", "16_45", "16_55", "16_08"]
    return {n: gather([folder / f"{n}.amc"]).clips[0] for n in names}


# Cleaning


def test_spikes_go_and_motion_stays():
    clean = made_walk()
    q = np.array(clean.rotations)
    q[200, 5] = quat.multiply(q[200, 5], quat.from_axis_angle([1.0, 0, 0], 1.5))
    mended = cleaned(Motion(clean.skeleton, clean.root, q, clean.fps))
    apart = quat.log(quat.multiply(quat.conjugate(clean.rotations), mended.rotations))
    assert np.degrees(np.linalg.norm(apart, axis=-1).max()) < 3.0


def test_smoothing_keeps_a_trend():
    x = np.linspace(0, 3, 100)[:, None] * [1.0, -2.0]
    assert np.abs(smoothed(x, 7.0) - x).max() < 1e-9


# Supports


def test_made_contacts_are_found():
    """The detector, which sees speeds alone, finds the contacts that the force walk planned, but for the edges."""
    motion = made_walk()
    found = take_of(as_person(motion, IDENTITY, 1.7)).carries
    planned = np.stack([motion.contacts[:, :2].any(1), motion.contacts[:, 2:].any(1)], 1)
    wrong = found[: len(planned)] != planned
    assert wrong.mean() < 0.06


def test_detector_against_hand_labels(captured):
    """F1 of at least 0.98 pooled, two frames around each labelled edge left out; median edge error at most 12 ms."""
    rows = list(csv.reader((Path(__file__).parent / "contact_labels.csv").open()))
    rows = [r for r in rows if r and not r[0].startswith("#")][1:]
    hit = wrong = 0
    edges = []
    clips = {n: captured[n] for n in {r[0] for r in rows}}
    for name, motion in clips.items():
        carries = take_of(motion).carries
        for k, side in enumerate(("left", "right")):
            label, marks = np.zeros(len(motion), bool), []
            for _, _, a, b in (r for r in rows if r[0] == name and r[1] == side):
                first, last = int(a or 0), int(b) if b else len(motion) - 1
                label[first : last + 1] = True
                marks += ([first] if first else []) + ([last + 1] if b else [])
            found = np.flatnonzero(np.diff(carries[:, k].astype(int))) + 1
            edges += [np.abs(found - m).min() for m in marks]
            sure = np.ones(len(motion), bool)
            for m in marks:
                sure[max(m - 2, 0) : m + 2] = False
            hit += int((carries[:, k] & label & sure).sum())
            wrong += int(((carries[:, k] != label) & sure).sum())
    assert 2 * hit / (2 * hit + wrong) >= 0.98
    assert np.median(edges) / RATE <= 0.012


# Cuts and strings


def test_walks_are_half_cycles(captured):
    """Every interior segment of a walk is RDL or LDR, alternately; a peak of the centre of mass confirms them."""
    total = peak = 0
    for name in WALKS:
        segments = cut(take_of(captured[name]), 0, LEG)
        strings = [s.string for s in segments]
        inner = [s for s in strings if "S" not in s]
        assert set(inner) <= {"RDL", "LDR"}, name
        assert all(a != b for a, b in pairwise(inner)), name
        assert all(a.keys[-1] == b.keys[0] for a, b in pairwise(segments))
        total, peak = total + len(inner), peak + sum(s.peak for s in segments if s.string in inner)
    assert peak / total > 0.95


@pytest.mark.parametrize(("name", "strings"), [
    ("16_36", {"FRF", "FLF"}), ("16_31", {"SDR", "RDL", "LDR"}), ("16_34", {"RDL", "LDR", "LDS"}),
    ("16_55", {"RDLF", "FRF", "FLF"}),
])
def test_runs_starts_and_stops(captured, name, strings):
    assert {s.string for s in cut(take_of(captured[name]), 0, LEG)} == strings


def test_mirroring_exchanges_the_letters(captured):
    motion = captured["16_17"]
    one, other = (cut(take_of(m), 0, LEG) for m in (motion, mirrored(motion)))
    swap = str.maketrans("LR", "RL")
    assert [s.string.translate(swap) for s in one] == [s.string for s in other]
    assert [s.keys for s in one] == [s.keys for s in other]


# The graph


@pytest.fixture(scope="module")
def graph():
    return build_graph([made_walk(v) for v in (0.9, 1.2, 1.5)])


def test_what_follows_begins_in_the_support_that_ended(graph):
    for a, after in graph.edges.items():
        assert after
        assert all(a[-1] == b[0] for b in after)
    assert set(graph.groups) == {"RDL", "LDR", "SDL", "SDR", "LDS", "RDS"}


def test_mirrored_groups_mirror(graph):
    """With every clip mirrored the groups of left and right hold the same speeds and opposite turns."""
    for a, b in (("RDL", "LDR"), ("SDL", "SDR"), ("LDS", "RDS")):
        x, y = graph.groups[a], graph.groups[b]
        assert np.sort(x.travel) == pytest.approx(np.sort(y.travel), abs=1e-9)
        assert np.sort(x.turn) == pytest.approx(np.sort(-y.turn), abs=1e-9)


def test_an_example_blended_alone_is_itself(graph):
    group = graph.groups["RDL"]
    one = type(group)(*(x[:1] for x in group[:7]), group.style[:1], group.source[:1])
    b = blend(one, Aim(float(one.travel[0] / one.duration[0]), float(one.turn[0] / one.duration[0])))
    assert b.duration == pytest.approx(float(one.duration[0]))
    assert np.abs(b.moves - one.moves[0]).max() < 1e-9
    assert np.abs(b.rotations - one.rotations[0]).max() < 1e-9


@given(st.floats(0.7, 1.8), st.floats(-40, 40))
def test_a_blend_does_exactly_what_is_asked(speed, turn):
    """Inside the hull and, by stretching, some way beyond it."""
    b = blend(built_in().groups["RDL"], Aim(speed, np.radians(turn)))
    if max(np.abs(b.missed)) < 1e-9:
        assert b.moves[:, 1].sum() / b.duration == pytest.approx(speed, rel=1e-6)
        assert np.degrees(b.turns[-1]) / b.duration == pytest.approx(turn, abs=1e-4)
    assert np.abs(np.linalg.norm(b.rotations, axis=-1) - 1).max() < 1e-9
    assert 0.7 - 1e-9 <= b.stretch <= 1.12 + 1e-9


def test_weights_are_shares(graph):
    for v in (0.3, 0.9, 1.1, 1.5, 2.5):
        near, w, _ = weights(graph.groups["RDL"], Aim(v), 8)
        assert (w > 0).all() and w.sum() == pytest.approx(1)
        assert len(set(near.tolist())) == len(near)


@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(1, 10))
def test_nnls_meets_its_conditions(seed, rows, columns):
    """Karush, Kuhn and Tucker: no gradient where x > 0, none that would help where x = 0."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(rows, columns)), rng.normal(size=rows)
    x = nnls(a, b)
    gradient = a.T @ (a @ x - b)
    assert (x >= 0).all()
    assert np.abs(gradient[x > 0]).max(initial=0) < 1e-7
    assert gradient[x == 0].min(initial=0) > -1e-7


# Bad input


def test_no_locomotion_is_refused(cases):
    clips = gather([cases / "U012_graph_c_lying.bvh"]).clips
    with pytest.raises(GambolError, match="squatting or lying"):
        build_graph(clips)


def test_nothing_and_different_people_are_refused():
    with pytest.raises(GambolError, match="no clips"):
        build_graph([])
    short = as_person(made_walk(), IDENTITY, 1.2)
    with pytest.raises(GambolError, match="different skeletons"):
        build_graph([made_walk(), short])


def test_u012_dead_ends_are_left_out_and_said(cases):
    """The squat and the lying clip are named; what is left always leads on."""
    found = gather(sorted(cases.glob("U012*.bvh")))
    graph = build_graph(found.clips)
    said = " ".join(f"{clip} {why}" for clip, _, _, _, why in graph.left_out)
    assert "graph_c_lying" in said and "graph_b_walk_then_squat" in said and "squatting or lying" in said
    for start in graph.groups:
        reached, todo = set(), [start]
        while todo:
            todo += [b for b in graph.edges[todo[0]] if b not in reached]
            reached |= set(graph.edges[todo.pop(0)])
        assert reached == set(graph.groups)


# The file


def test_file_round_trip(graph):
    data = encode_graph(graph)
    back = decode_graph(data, "x.graph")
    assert encode_graph(graph) == data
    assert back.edges == graph.edges and back.left_out == graph.left_out and back.height == graph.height
    for s, g in graph.groups.items():
        h = back.groups[s]
        assert h.source == g.source and np.abs(h.times - g.times).max() < 1e-6
        angle = 2 * np.arccos(np.clip(np.abs((h.rotations * g.rotations).sum(-1)), 0, 1))
        assert np.degrees(angle.max()) < 0.02


@given(st.integers(0, 5000), st.integers(0, 255), st.integers(-400, 0))
def test_damaged_files_are_refused_in_one_line(at, byte, cut_off):
    data = bytearray(_small_file())
    data[at % len(data)] = byte
    try:
        decode_graph(bytes(data[: len(data) + cut_off]), "x.graph")
    except GambolError as error:
        assert "x.graph" in str(error)


@cache
def _small_file() -> bytes:
    return encode_graph(build_graph([made_walk()]))


def test_another_version_is_named(graph):
    import io
    import zipfile

    old, new = io.BytesIO(encode_graph(graph)), io.BytesIO()
    with zipfile.ZipFile(old) as a, zipfile.ZipFile(new, "w") as b:
        for i in a.infolist():
            text = a.read(i)
            b.writestr(i, text.replace(b'"version": 1', b'"version": 99') if i.filename == "graph.json" else text)
    with pytest.raises(GambolError, match="version 99; version 1"):
        decode_graph(new.getvalue(), "x.graph")
