"""The posed figure: its centre of mass is C, its feet are where the plan has them, and it turns as told."""

from __future__ import annotations

import itertools
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import step_plans, straight

from gambol import quat
from gambol.arm import arm_angle
from gambol.body import Body, G
from gambol.figure import LEAD, REACH, ROWS, STANDING, TRAIL, YAW, StepPlan, pose_step, sole_points
from gambol.figure_parts import COM, ROTATIONS, figure_of
from gambol.gait import Gait
from gambol.methods import ForceWalk
from gambol.path import Path, walkable
from gambol.reaction import Border, StepTime
from gambol.skeleton import forward_kinematics
from gambol.stepping import Next, turn_pulses
from gambol.synthesis import Task, generate
from gambol.terrain import Slope, Stairs

BEND = np.array([[0.0, 0, 0], [0, 0, 2.0], [1.8, 0, 3.4], [1.8, 0, 5.0]])
WALKS = {
    "level": {},
    "slow": {"gait": Gait(0.6)},
    "fast": {"gait": Gait(1.9)},
    "bend": {"path": walkable(BEND)},
    "up": {"terrain": Stairs(0.16, 0.3, 4, start=1.5)},
    "down": {"terrain": Stairs(-0.16, 0.3, 4, start=1.5)},
    "across": {"terrain": Slope(np.radians(8), np.radians(90))},
    "child": {"body": Body(0.95)},
    "giant": {"body": Body(2.2)},
}


@cache
def plans(name: str) -> tuple[Body, tuple[StepPlan, ...]]:
    """Every step of a short walk."""
    asked = {"path": straight(4.5), **WALKS[name]}
    task = Task(**asked)
    return task.body, tuple(step_plans(task))


def posed(body: Body, plan: StepPlan, t: np.ndarray) -> np.ndarray:
    out = np.zeros((ROWS, len(t)))
    pose_step(t, plan, figure_of(body), True, out)
    return out


def world(body: Body, out: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N, J, 3) joints and (N, J, 4) rotations."""
    rotations = out[ROTATIONS:COM].reshape(26, 4, -1).transpose(2, 0, 1)
    return forward_kinematics(body.skeleton, out[:3].T, rotations)


def over(plan: StepPlan, n: int = 41) -> np.ndarray:
    return np.linspace(0, plan.step, n)


walks = pytest.mark.parametrize("name", WALKS)


@walks
def test_the_posed_centre_of_mass_is_c(name):
    """Of the whole skeleton with the published masses, within 0.2 mm, in every step of every walk."""
    body, steps = plans(name)
    model = body.masses
    for plan in steps:
        out = posed(body, plan, over(plan))
        p, q = world(body, out)
        com = np.sum(model.shares[:, None] * (p + quat.rotate(q, model.centres)), axis=1)
        assert np.abs(com - out[COM : COM + 3].T).max() < 2e-4 * body.height


@walks
def test_rotations_are_unit(name):
    body, steps = plans(name)
    for plan in steps:
        q = posed(body, plan, over(plan))[ROTATIONS:COM].reshape(26, 4, -1)
        np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, atol=1e-12)


@walks
def test_the_soles_are_where_the_plan_has_them(name):
    """Heel and tip by forward kinematics are those of the rolling and swinging foot: legs reach."""
    body, steps = plans(name)
    soles = np.array(body.skeleton.soles)
    for plan in steps:
        t = over(plan)
        told = np.zeros((12, len(t)))
        sole_points(t, plan, figure_of(body).foot, told)
        told = told.reshape(4, 3, -1).transpose(2, 0, 1)
        p, _ = world(body, posed(body, plan, t))
        stance = soles[:2] if plan.side > 0 else soles[2:]
        swing = soles[2:] if plan.side > 0 else soles[:2]
        np.testing.assert_allclose(p[:, [*stance, *swing]], told, atol=1e-6)


@walks
def test_hips_reach_their_ankles(name):
    """The legs' reach that is told is the distance in the posed skeleton, and short of a straight leg."""
    body, steps = plans(name)
    s = body.skeleton
    longest = 0.99 + 0.01 * np.cos(np.radians(2.0))
    for plan in steps:
        out = posed(body, plan, over(plan))
        p, _ = world(body, out)
        sides = ("left", "right") if plan.side > 0 else ("right", "left")
        for row, side in enumerate(sides):
            hip, ankle = p[:, s.index(f"{side}_upper_leg")], p[:, s.index(f"{side}_foot")]
            distance = np.linalg.norm(hip - ankle, axis=1)
            np.testing.assert_allclose(distance, out[REACH + row], atol=1e-6)
            assert distance.max() < longest * 0.491 * body.height
        only = np.zeros((ROWS, len(over(plan))))
        pose_step(over(plan), plan, figure_of(body), False, only)
        np.testing.assert_allclose(only[REACH : REACH + 2], out[REACH : REACH + 2], atol=5e-4 * body.height)


@walks
def test_knees_bend_forward(name):
    """A knee is a hinge: it turns about the left axis alone, between straight and 130 degrees."""
    body, steps = plans(name)
    for plan in steps:
        q = posed(body, plan, over(plan))[ROTATIONS:COM].reshape(26, 4, -1)
        for side in ("left", "right"):
            w, x, y, z = q[body.skeleton.index(f"{side}_lower_leg")]
            assert np.abs([y, z]).max() < 1e-12
            flexion = np.degrees(2 * np.arctan2(x, w))
            assert flexion.min() > 1.0 and flexion.max() < 130


@walks
def test_forces_move_c(name):
    """Equation 5 on the pose's rows: second differences of C are the forces of both feet less gravity."""
    body, steps = plans(name)
    for plan in steps:
        h = 1e-3
        t = np.linspace(0.01, 0.99, 60) * plan.step
        bends = np.array([plan.double, plan.rise, plan.step - plan.settle])
        t = t[np.abs(t[:, None] - bends).min(1) > 2 * h]
        rows = [posed(body, plan, t + k * h) for k in (-1, 0, 1)]
        c = [r[COM : COM + 3] for r in rows]
        told = rows[1][LEAD : LEAD + 3] + rows[1][TRAIL : TRAIL + 3]
        told[1] += rows[1][STANDING] - G
        assert np.abs((c[0] - 2 * c[1] + c[2]) / h**2 - told).max() < 0.02


@walks
def test_the_steps_join(name):
    """End of one step and start of the next: the same pose to 0.1 mm and 0.05 degrees, forces to 0.1 % BW."""
    body, steps = plans(name)
    for before, after in itertools.pairwise(steps):
        a, b = posed(body, before, np.array([before.step]))[:, 0], posed(body, after, np.zeros(1))[:, 0]
        assert np.abs(a[:3] - b[:3]).max() < 1e-4
        qa, qb = a[ROTATIONS:COM].reshape(26, 4), b[ROTATIONS:COM].reshape(26, 4)
        assert np.degrees(np.abs(quat.log(quat.multiply(quat.conjugate(qa), qb)))).max() < 0.05
        assert np.abs(a[COM : COM + 3] - b[COM : COM + 3]).max() < 1e-9
        total = [r[LEAD : LEAD + 3] + r[TRAIL : TRAIL + 3] + np.array([0, r[STANDING], 0]) for r in (a, b)]
        assert np.abs(total[0] - total[1]).max() < 1e-3 * G
        assert (a[YAW] - b[YAW] + np.pi) % (2 * np.pi) - np.pi == pytest.approx(0.0, abs=1e-9)


@given(
    st.floats(0.3, 1.2), st.floats(0.1, 0.4), st.floats(0.1, 0.4),
    st.floats(-2, 2), st.floats(-2, 2), st.floats(-1, 1), st.floats(-1, 1),
)  # fmt: skip
def test_two_pulses_reach_angle_and_rate(step, before, after, yaw0, yaw1, rate0, rate1):
    """Section 1.6: pushes in [double, T0] and [T0, T] alone, integrated by hand, end at both."""
    times = StepTime(step, step * (1 + after), step * before)
    end = Next(Border(np.zeros(3), np.zeros(3)), yaw1, rate1, 1.0)
    a1, a2, zero = turn_pulses(SimpleNamespace(yaw=yaw0, yaw_rate=rate0), end, times)
    assert times.double < zero < step
    t1, t2 = zero - times.double, step - zero
    middle = rate0 + a1 * t1
    assert middle + a2 * t2 == pytest.approx(rate1, abs=1e-9)
    turned = rate0 * times.double + (rate0 * t1 + a1 * t1**2 / 2) + (middle * t2 + a2 * t2**2 / 2)
    assert yaw0 + turned == pytest.approx(yaw1, abs=1e-9)


def test_the_body_turns_by_two_pulses():
    """On a bend: no push in double support, a constant one before T0 and one after, continuous rate."""
    body, steps = plans("bend")
    for plan in steps:
        t = np.linspace(0, plan.step, 601)
        yaw = posed(body, plan, t)[YAW]
        push = np.diff(yaw, 2) / (t[1] - t[0]) ** 2
        inner, margin = t[1:-1], 2 * (t[1] - t[0])
        told = np.where(inner < plan.double, 0.0, np.where(inner < plan.zero, plan.pulse1, plan.pulse2))
        calm = np.abs(inner[:, None] - [plan.double, plan.zero]).min(1) > margin
        np.testing.assert_allclose(push[calm], told[calm], atol=1e-6)
        assert np.abs(push).max() <= max(abs(plan.pulse1), abs(plan.pulse2)) + 1e-6


def test_the_heading_follows_the_path_s():
    """Over the bend the body turns as much as the path, there and back."""
    _, steps = plans("bend")
    yaw = np.array([p.yaw0 for p in steps])
    assert yaw[0] == pytest.approx(0.0, abs=1e-9) and yaw[-1] == pytest.approx(0.0, abs=0.02)
    assert yaw.max() == pytest.approx(np.arctan2(1.8, 1.4), abs=0.1)


@walks
def test_arms_swing_as_the_pendulum_says(name):
    """The upper arm's angle in the chest, seen from the side, is phi_1 of the driven pendulum."""
    body, steps = plans(name)
    for plan in steps:
        t = over(plan)
        q = posed(body, plan, t)[ROTATIONS:COM].reshape(26, 4, -1)
        for k, (side, out) in enumerate((("left", 1.0), ("right", -1.0))):
            local = q[body.skeleton.index(f"{side}_upper_arm")].T
            down = quat.rotate(local, np.broadcast_to([out, 0.0, 0.0], (len(t), 3)))
            np.testing.assert_allclose(np.arctan2(down[:, 2], -down[:, 1]), arm_angle(t, plan.arms[k]), atol=1e-9)
            assert (down[:, 0] * out > 0).all()  # held from the body


def test_arms_go_against_the_legs():
    """At the left heel strike the right arm is in front."""
    motion = generate(ForceWalk(), Task(path=straight(8)))
    s, p = motion.skeleton, motion.positions()
    for side, other in (("left", "right"), ("right", "left")):
        for strike in motion.info["events"][f"{side}_strike"][2:5]:
            frame = p[round(strike * motion.fps)]
            assert frame[s.index(f"{other}_hand"), 2] > frame[s.index(f"{side}_hand"), 2] + 0.1


def test_the_head_looks_ahead():
    """While the pelvis turns to and fro, the head stays within 3 degrees of the way and 3 of level."""
    body, steps = plans("level")
    for plan in steps[2:-3]:
        _, q = world(body, posed(body, plan, over(plan)))
        ahead = quat.rotate(q[:, body.skeleton.index("head")], [0.0, 0.0, 1.0])
        assert np.degrees(np.abs(np.arctan2(ahead[:, 0], ahead[:, 2])).max()) < 3
        assert np.degrees(np.abs(np.arcsin(ahead[:, 1])).max()) < 3


def test_the_mirrored_path_is_walked_mirrored():
    """Left and right have no other difference: the whole motion is mirrored, feet and arms exchanged."""
    angles = np.linspace(0, 2, 81)
    arc = 2.0 * np.stack([1 - np.cos(angles), 0 * angles, np.sin(angles)], -1)
    a, b = (generate(ForceWalk(), Task(path=Path(arc * [side, 1, 1]))) for side in (1, -1))
    s = a.skeleton
    swap = {"left": "right", "right": "left"}
    partner = [s.index("_".join([swap.get(n.split("_")[0], n.split("_")[0]), *n.split("_")[1:]])) for n in s.names]
    np.testing.assert_allclose(b.root, a.root * [-1, 1, 1], atol=1e-9)
    np.testing.assert_allclose(b.positions()[:, partner], a.positions() * [-1, 1, 1], atol=1e-9)
    np.testing.assert_allclose(b.forces[:, ::-1], a.forces * [-1, 1, 1], atol=1e-6)
    np.testing.assert_array_equal(b.contacts[:, [2, 3, 0, 1]], a.contacts)


@given(st.floats(0.9, 2.2))
def test_the_figure_is_the_body(height):
    body, figure = Body(height), figure_of(Body(height))
    s = body.skeleton
    assert figure.thigh + figure.shank == pytest.approx((0.245 + 0.246) * height)
    assert figure.foot.heel + figure.foot.tip == pytest.approx(body.foot_length)
    assert (figure.foot.ankle, figure.hip[0]) == pytest.approx((0.039 * height, 0.050 * height))
    np.testing.assert_array_equal(figure.offsets, s.offsets)
    assert figure.shares.sum() == pytest.approx(1.0)
