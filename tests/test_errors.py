import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol.errors import GambolError, MissingExtra

words = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=12)


@given(words, words, words, words)
def test_a_message_says_what_where_allowed_and_what_to_do(what, where, allowed, do):
    error = GambolError(what, where=where, allowed=allowed, do=do)
    assert str(error) == f"{where}: {what}; {allowed}; {do}"
    assert (error.what, error.where, error.allowed, error.do) == (what, where, allowed, do)


@given(words, st.sets(st.sampled_from(["where", "allowed", "do"])))
def test_parts_that_are_not_known_leave_no_trace(what, given_parts):
    message = str(GambolError(what, **dict.fromkeys(given_parts, "part")))
    assert what in message and message.count("part") >= len(given_parts)
    assert not message.startswith((":", ";")) and not message.endswith((":", ";", " "))
    assert "; ;" not in message


def test_it_is_a_value_error_with_one_line():
    assert issubclass(GambolError, ValueError)
    with pytest.raises(ValueError, match="height is 9 m"):
        raise GambolError("height is 9 m", where="body")


def test_a_missing_library_names_the_extra_to_install():
    error = MissingExtra("numba", "fast", "the compiled engine")
    assert isinstance(error, GambolError)
    assert "numba" in str(error) and "pip install 'gambol[fast]'" in str(error)
