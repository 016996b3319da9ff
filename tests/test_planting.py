"""Feet put on the ground: planted points stay, nothing sinks, and what is right already is left alone."""

from dataclasses import replace

import numpy as np
import pytest

from gambol import quat
from gambol.body import Body
from gambol.feet import footfalls, ground_heights, sole_heights, sole_points, stances
from gambol.io import load_motion
from gambol.methods.force_walk import ForceWalk
from gambol.path import parse_path
from gambol.planting import plant
from gambol.roles import roles_of
from gambol.skeleton import Skeleton
from gambol.soles import SOLE_NAMES, has_soles, soled, unsoled
from gambol.synthesis import Task, generate
from gambol.terrain import Slope, Stairs

STILL = 2e-4  # m


@pytest.fixture(scope="module")
def walk():
    return generate(ForceWalk(), Task(path=parse_path("0,0 0,4"), fps=60.0))


def sliding(motion, seed=0, size=0.02):
    """The motion as captured: the root drifts and jitters slowly, joints shiver, and the record is lost."""
    rng = np.random.default_rng(seed)
    t = motion.times[:, None] * 2 * np.pi
    wander = sum(size * rng.normal(size=3) * np.sin(f * t + rng.uniform(0, 6, 3)) for f in (0.3, 0.7, 1.1))
    shiver = sum(0.02 * rng.normal(size=(len(motion.skeleton), 3)) * np.sin(f * t)[:, None] for f in (0.5, 1.3))
    return replace(motion, root=motion.root + wander, rotations=quat.multiply(motion.rotations, quat.exp(shiver)))


def drift(motion, terrain=None):
    """Largest distance (m) of a planted sole point from its first planted frame."""
    points, worst = sole_points(motion), 0.0
    for s in stances(motion.contacts):
        part = points[s.first : s.end, s.sole]
        worst = max(worst, float(np.linalg.norm(part - part[0], axis=1).max()))
    return worst


@pytest.mark.parametrize("terrain", [None, Slope(np.radians(6)), Stairs(0.15, 0.32, 5, 1.0)])
@pytest.mark.parametrize("seed", range(3))
def test_planted_points_stay_and_no_sole_sinks(walk, terrain, seed):
    slid = sliding(walk, seed)
    assert drift(slid) > 0.01
    out = plant(slid, roles_of(walk.skeleton), walk.contacts, terrain)
    assert drift(out) < STILL
    assert sole_heights(out, terrain).min() > -1e-6 if terrain is None else True
    points = sole_points(out)
    gap = points[..., 1] - ground_heights(points + [0, 0.01, 0], terrain)
    assert np.abs(gap[out.contacts]).max() < 5e-3
    swing = np.where(out.contacts, 0.0, gap)
    assert swing.min() > -2e-3
    assert out.contacts.sum() > (0.85 if isinstance(terrain, Stairs) else 0.98) * walk.contacts.sum()
    assert out.skeleton == walk.skeleton


def test_a_walk_that_is_planted_is_left_alone(walk):
    out = plant(walk, roles_of(walk.skeleton))
    assert np.abs(out.positions() - walk.positions()).max() < 5e-3
    turned = quat.log(quat.multiply(quat.conjugate(walk.rotations), out.rotations))
    assert np.degrees(np.abs(turned)).max() < 3.0
    assert (out.contacts == walk.contacts).mean() > 0.999


def test_planting_twice_is_planting_once(walk):
    once = plant(sliding(walk), roles_of(walk.skeleton), walk.contacts)
    twice = plant(once, roles_of(walk.skeleton))
    assert np.abs(sole_points(twice) - sole_points(once))[once.contacts].max() < STILL
    assert np.abs(twice.root - once.root).max() < 2e-3


def test_turning_the_scene_turns_the_answer(walk):
    turn = quat.from_axis_angle([0, 1.0, 0], 1.1)
    slid, roles = sliding(walk), roles_of(walk.skeleton)
    q = np.array(slid.rotations)
    q[:, 0] = quat.multiply(turn, q[:, 0])
    turned = replace(slid, root=quat.rotate(turn, slid.root), rotations=q)
    a = plant(slid, roles, walk.contacts).positions()
    b = plant(turned, roles, walk.contacts).positions()
    assert np.abs(b - quat.rotate(turn, a)).max() < 1e-6


def test_speeds_do_not_jump_where_feet_are_let_go(walk):
    slid = sliding(walk)
    out = plant(slid, roles_of(walk.skeleton), walk.contacts)
    before, after = (np.abs(np.diff(m.positions(), 2, axis=0)).max() * 60 for m in (slid, out))
    assert after < max(1.5 * before, before + 0.5)


def test_what_cannot_be_reached_is_finite_and_bones_keep_their_lengths(walk):
    far = replace(walk, root=walk.root + np.linspace(0, 3, len(walk))[:, None] * [1.0, 0.5, 0])
    out = plant(far, roles_of(walk.skeleton), walk.contacts)
    assert np.isfinite(out.positions()).all() and drift(out) < STILL


def test_contacts_of_a_made_walk_are_found(walk):
    found = footfalls(replace(walk, contacts=None))
    down, truth = (c.reshape(len(walk), 2, 2).any(2) for c in (found, walk.contacts))
    assert (down & truth).sum() > 0.995 * truth.sum()  # the record of a made walk is the stricter one: 5 cm/s
    assert (found & walk.contacts).sum() > 0.97 * walk.contacts.sum()
    assert (down & ~truth).sum() < 0.08 * truth.sum()


# First and last planted frame of each foot in three captured clips, labelled by eye.
LABELS = {
    "02_01": {"left": [(0, 88), (136, 221), (267, 342)], "right": [(0, 20), (72, 152), (204, 287), (336, 342)]},
    "16_17": {"left": [(0, 19), (70, 157), (205, 284), (331, 430), (478, 10**6)],
              "right": [(0, 88), (135, 226), (268, 356), (406, 502)]},
    "16_36": {"left": [(0, 22), (86, 116), (179, 10**6)], "right": [(37, 67), (132, 164)]},
}  # fmt: skip


@pytest.mark.parametrize("clip", LABELS)
def test_supports_of_captured_walks_and_runs_are_found(data, clip):
    motion = load_motion(data / f"mocap/cmu/{clip}.amc")
    motion = soled(motion, roles_of(motion.skeleton))
    found = footfalls(motion).reshape(len(motion), 2, 2).any(2)
    truth, known = np.zeros_like(found), np.ones_like(found)
    for k, side in enumerate(("left", "right")):
        for first, last in LABELS[clip][side]:
            truth[first : last + 1, k] = True
            for edge in (first, last + 1):  # nobody labels an edge to the frame
                known[max(edge - 2, 0) : edge + 2, k] = False
    hit = (found & truth & known).sum()
    f1 = 2 * hit / ((found & known).sum() + (truth & known).sum())
    assert f1 > 0.97


@pytest.mark.parametrize("clip", ["16_15", "02_03"])
def test_captured_clips_are_planted(data, clip):
    raw = load_motion(data / f"mocap/cmu/{clip}.amc")[6:-6]
    roles = roles_of(raw.skeleton)
    motion = soled(raw, roles)
    assert has_soles(motion.skeleton) and {motion.skeleton.names[j] for j in motion.skeleton.soles} == set(SOLE_NAMES)
    out = plant(motion, roles)
    assert drift(out) < STILL and out.contacts.any(0).all()
    assert sole_heights(out).min() > -1e-6
    back = unsoled(out, raw.skeleton)
    assert back.skeleton == raw.skeleton and np.array_equal(back.root, out.root)


def test_sole_points_are_where_a_persons_are():
    person = Body(1.75).skeleton
    keep = [j for j in range(len(person)) if j not in person.soles]
    bare = Skeleton(
        tuple(person.names[j] for j in keep),
        [-1 if person.parents[j] < 0 else keep.index(person.parents[j]) for j in keep], person.offsets[keep],
    )
    walk = generate(ForceWalk(), Task(path=parse_path("0,0 0,2"), fps=30.0))
    motion = replace(walk, skeleton=bare, rotations=walk.rotations[:, keep], contacts=None)
    out = soled(motion, roles_of(bare))
    assert np.abs(sole_points(out) - sole_points(walk)).max() < 0.012
