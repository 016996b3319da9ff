"""The table of a level walk: through its rows, no overshoot between them, held outside."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.walk_table import PAPER, SPEEDS, TABLE, row_at

CLASSES = (0.166, 0.282, 0.398, 0.513, 0.696)  # v / sqrt(g leg) of the five classes of the data
FINE = np.linspace(SPEEDS[0], SPEEDS[-1], 401)


def curves() -> np.ndarray:
    """(P, N) every value over :data:`FINE`."""
    return np.array([[row_at(v)[k] for v in FINE] for k in TABLE])


def test_the_speeds_are_the_classes_of_the_data():
    assert set(CLASSES) <= set(SPEEDS) and list(SPEEDS) == sorted(SPEEDS)
    assert all(len(row) == len(SPEEDS) for row in TABLE.values())
    assert np.isfinite(list(TABLE.values())).all()


@pytest.mark.parametrize("k", range(len(SPEEDS)))
def test_it_passes_through_its_rows(k):
    assert row_at(SPEEDS[k]) == pytest.approx({key: row[k] for key, row in TABLE.items()}, abs=1e-12)


@pytest.mark.parametrize("k", range(len(SPEEDS) - 1))
def test_between_two_rows_every_value_goes_one_way(k):
    between = np.linspace(SPEEDS[k], SPEEDS[k + 1], 101)
    for key, row in TABLE.items():
        seen = np.array([row_at(v)[key] for v in between])
        rise = np.sign(row[k + 1] - row[k])
        assert (rise * np.diff(seen) >= -1e-12).all(), key
        assert seen.min() >= min(row[k : k + 2]) - 1e-12 and seen.max() <= max(row[k : k + 2]) + 1e-12, key


def test_it_is_smooth():
    """Slopes are continuous: their largest change halves with the spacing."""
    whole = curves()
    size = np.ptp(np.array(list(TABLE.values())), axis=1)
    changes = [np.abs(np.diff(whole[:, ::n], 2, axis=1)).max(1) / n for n in (2, 1)]
    assert (changes[1] < 0.62 * changes[0] + 1e-9 * size).all()


def test_outside_it_is_held():
    assert row_at(0.05) == row_at(SPEEDS[0])
    assert row_at(2.0) == row_at(SPEEDS[-1])


def test_it_keeps_the_order_of_the_phases_and_the_forces_positive():
    """At any speed: flat, heel-off, toes off, toe-off in this order, and the foot pushes up all the time."""
    u = np.linspace(0, 1, 201)[1:-1]
    for v in FINE[::10]:
        row = row_at(v)
        toe_off = (1 + row["double"]) / 2
        assert 0 < row["flat"] < row["heel_off"] < row["toes_off"] < toe_off < 1
        arch = np.sin(np.pi * u) + row["ay2"] * np.sin(2 * np.pi * u) + row["ay3"] * np.sin(3 * np.pi * u)
        assert arch.min() > 0
        assert row["push"] > row["toes"] > 0 and row["strike"] > 0


def test_double_support_shrinks_and_the_bounce_grows_with_speed():
    double, valley = ([row_at(v)[k] for v in FINE] for k in ("double", "ay3"))
    assert (np.diff(double) < 0).all() and (np.diff(valley) > 0).all()


def test_force_ratios_follow_the_published_laws():
    """Fitted to the force curves: double support within 0.02 of T, a3/a1 within 0.04, s_x within 0.01."""
    v = np.array(CLASSES)
    table = {key: np.array([row_at(c)[key] for c in CLASSES]) for key in ("double", "ay3", "sx")}
    np.testing.assert_allclose(table["double"], 0.434 * v**2 - 0.643 * v + 0.399, atol=0.02)
    np.testing.assert_allclose(table["ay3"], -0.681 * v**2 + 1.368 * v - 0.072, atol=0.04)
    np.testing.assert_allclose(table["sx"], -0.353 * v**2 + 0.475 * v - 0.004, atol=0.01)


def test_the_paper_s_row_says_as_much_as_the_table():
    missing = set(TABLE) - set(PAPER)
    assert missing <= {"list3", "list3_phase", "yaw_phase"}, missing
    assert set(PAPER) <= set(TABLE)
    assert (PAPER["double"], PAPER["ax2"], PAPER["ax3"], PAPER["sx"]) == (0.25, 0.5, 0.25, 0.144)
    assert (1.3 * PAPER["ay2"], 1.3 * PAPER["ay3"]) == pytest.approx((0.1, 0.4))


def test_rows_are_not_shared_by_mistake():
    """Whoever changes a row it was given must not change the table."""
    assert row_at(0.3)["double"] == row_at(0.3)["double"]
    assert dict(row_at(0.3)) == row_at(0.3)
