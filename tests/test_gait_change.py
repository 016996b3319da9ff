"""The gait changes with the speed that is asked for: stand, walk, run, sprint, run, walk, stand along one path."""

import numpy as np
import pytest
import runs
from gaits import LISTS, WHOLE, changing
from number_rules import border_ratios

from gambol.measure import halving, measure
from gambol.run_form import parse_speed


@pytest.mark.parametrize("height", [1.2, 1.75, 1.95])
@pytest.mark.parametrize("text", LISTS)
def test_gaits_change_with_the_speed(text, height):
    """Planted feet, C where the forces bring it, smooth; every stride as fast as asked within 5 % or 0.05 m/s."""
    motion = changing(text, height)
    report = measure(motion)
    assert report.passed, report.failures
    assert report.forces.com_error_mm < 0.5 and report.forces.consistency_max_bw < 0.08
    assert all(r <= 1.0 for r in border_ratios(motion))
    size = float(np.sqrt(height / 1.75))
    for v, asked in runs.stride_speeds(motion, [(t * size, v * size) for t, v in parse_speed(text)]):
        assert abs(v - asked) <= max(0.05 * asked, 0.05), (v, asked)


def test_a_walk_becomes_a_run_and_a_run_a_walk():
    """Flight between 3.2 and 11 s and nowhere else; both feet stand at the end."""
    motion = changing(WHOLE)
    flying = ~motion.contacts.any(1)
    t = motion.times
    assert flying[(t > 3.6) & (t < 10.8)].mean() > 0.2
    assert not flying[(t < 3.2) | (t > 11.0)].any()
    assert motion.contacts[-1].all() and float(np.linalg.norm(motion.com[-1] - motion.com[-13])) < 2e-3


@pytest.mark.parametrize("text", [WHOLE, "0:2.5 2:2.5 4:1.2 6:1.2"])
def test_changes_of_gait_are_smooth(text):
    """As the walk is above 1.7 m/s, where the change is: halves with the frame time within 35 %."""
    assert halving([changing(text, fps=f) for f in (120.0, 240.0, 480.0)]).smooth(0.35)


def test_a_gait_is_kept_where_the_speed_is_between_the_two():
    """Between the Froude numbers 0.42 and 0.50 (1.95 and 2.13 m/s) whoever walks walks on, and whoever runs runs on."""
    walked, ran = changing("0:1.8 2:1.8 4:2.05 9:2.05"), changing("0:2.6 2:2.6 4:2.05 9:2.05")
    middle = (walked.times > 5.0) & (walked.times < 8.0)
    assert walked.contacts[middle].any(1).all()
    middle = (ran.times > 5.0) & (ran.times < 8.0)
    assert not ran.contacts[middle].any(1).all()
