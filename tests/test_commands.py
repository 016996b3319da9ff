"""Commands and their table: what is not one is refused with its line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol.commands import Command, Commands, parse_commands
from gambol.errors import GambolError


def test_each_row_holds_until_the_next():
    c = parse_commands("t,speed,turn\n0,0,0\n1.5,1.2,30\n4,0.5,-90\n")
    assert c.at(0.0).speed == 0 == c.at(1.49).speed
    assert c.at(1.5).speed == 1.2 == c.at(3.9).speed
    assert c.at(99.0).turn == pytest.approx(-np.pi / 2)
    assert c.end == 4.0


def test_columns_in_any_order_with_a_mark_and_comments():
    c = parse_commands("\ufeff# made by hand\nt,speed,gait,style,heading\r\n0,1,Walk,sad,90\r\n\r\n2,3,run,,\r\n")
    assert c.rows[0] == Command(1.0, 0.0, np.pi / 2, "walk", "sad")
    assert c.rows[1].gait == "run" and np.isnan(c.rows[1].heading)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "nothing"), ("t,speed\n", "no row"), ("speed,t\n0,1\n", "header"), ("t,speed,speed\n", "header"),
        ("t,speed,turn\n0,1\n", "2 values"), ("t,speed\n0,fast\n", "'fast'"), ("t,speed\n0,nan\n", "speed is nan"),
        ("t,speed\nnan,1\n", "t is nan"), ("t,speed\n0,-1\n", "speed is -1"), ("t,speed\n0,99\n", "speed is 99"),
        ("t,speed,turn\n0,1,nan\n", "turn is nan"), ("t,speed,turn\n0,1,9999\n", "turn is 9999"),
        ("t,speed\n1,1\n1,2\n", "rising"),
        ("t,speed\n0,\n", "missing"), ("t,speed,gait\n0,1,hop\n", "stand, walk, run"),
        ("t,speed,heading\n0,1,inf\n", "heading"),
    ],
)
def test_what_is_no_table_is_refused(text, word):
    with pytest.raises(GambolError, match=word):
        parse_commands(text)


@given(st.text(alphabet="0123456789.,-+enantspdur\n\r #\x00", max_size=80))
def test_any_text_is_commands_or_one_error(text):
    try:
        c = parse_commands("t,speed,turn\n" + text)
    except GambolError:
        return
    assert np.isfinite(c.times).all() and (np.diff(c.times) > 0).all()
    assert all(np.isfinite(r.speed) and np.isfinite(r.turn) for r in c.rows)


def test_rows_from_a_program_are_checked_too():
    with pytest.raises(GambolError, match="row 2"):
        Commands.of([(0, 1.0), (1, float("nan"))])
