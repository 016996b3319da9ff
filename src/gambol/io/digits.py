"""Numbers in text, many at a time."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

__all__ = ["NOT_A_NUMBER", "quick_numbers"]

NOT_A_NUMBER = re.compile(
    r"[-+]?(?:\d\.#(?:QNAN|SNAN|IND|INF)\w*|nan(?:\(\w*\))?|inf(?:inity)?|null)", re.IGNORECASE
)
BLANKS, NEWLINES = np.full(16, 32, np.uint8), np.full(16, 10, np.uint8)
BYTE, WORD, ASCII_0 = 8, np.uint64(64), np.uint64(0x3030303030303030)
TENS = 10.0 ** np.arange(9)


def quick_numbers(text: NDArray[np.uint8], width: int) -> NDArray[np.float64] | None:
    """Rows of numbers read by arithmetic on the bytes, or None where a line has not ``width`` numbers.

    Eight digits are eight bytes of one integer; three multiplications add them up (D. Lemire, "Quickly parsing
    eight digits", 2018), here for all numbers at once. Up to fifteen digits are exact, so that the result is the
    correctly rounded number, as the C library gives it. The few with an exponent or more digits go through it.

    Args:
        text: bytes of whole lines.
        width: numbers a line; lines without any are passed over.
    """
    text = np.concatenate([BLANKS, text, NEWLINES])
    white = text <= 32
    edges = np.flatnonzero(white[1:] != white[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    counts = np.diff(np.searchsorted(starts, np.flatnonzero(text == 10)), prepend=0)
    if not width or np.any((counts != 0) & (counts != width)):
        return None
    dots = np.flatnonzero(text == 46)
    if len(dots) != len(starts) or np.any(dots < starts) or np.any(dots >= ends):
        points = ends.copy()  # a number without a point ends where one would be
        points[np.searchsorted(starts, dots, "right") - 1] = dots
        dots = points
    first = text.take(starts)
    negative = first == 45
    whole = dots - starts - (negative | (first == 43))  # digits before the point
    part = np.maximum(ends - dots - 1, 0)  # and behind it
    odd = (whole > 8) | (part > 8) | (whole + part > 15) | (whole + part < 1)
    words: NDArray[np.uint64] = np.ndarray(len(text) - 7, "<u8", text.data, strides=(1,))
    behind, before = words[dots + 1], words[dots - 8]  # take() would copy all words first
    scale = TENS.take(part, mode="clip")
    if not np.any(whole + part > 8):  # all digits of a number in one word
        room = (BYTE * (8 - part)).astype(np.uint64)
        joined, fine = _digits(before >> (WORD - room) | behind << room, whole + part)
        values = _eight(joined) / scale
    else:
        before, fine = _digits(before, whole)
        behind, fine_too = _digits(behind << (BYTE * (8 - part)).astype(np.uint64), part)
        values = (_eight(before) * scale + _eight(behind)) / scale
        fine &= fine_too
    odd |= ~fine
    np.negative(values, out=values, where=negative)
    for k in np.flatnonzero(odd):
        word = text[starts[k] : ends[k]].tobytes().decode("latin-1")
        try:
            values[k] = float(word)
        except ValueError:
            if not NOT_A_NUMBER.fullmatch(word):
                return None
            values[k] = np.nan
    return values.reshape(-1, width)


def _digits(words: NDArray[np.uint64], count: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """Words with zeros before their last ``count`` bytes, and whether all eight are digits then."""
    blank = (BYTE * (8 - count)).astype(np.uint64)  # bits that are no digits of the number
    words = (words >> blank) << blank | (ASCII_0 >> (WORD - blank))
    high = np.uint64(0xF0F0F0F0F0F0F0F0)
    fine: NDArray[np.bool_] = (words & high | ((words + np.uint64(0x0606060606060606)) & high) >> np.uint64(4)) == (
        np.uint64(0x3333333333333333)
    )
    return words, fine


def _eight(words: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The numbers that eight digits each make, the first digit in the lowest byte."""
    words = (words & np.uint64(0x0F0F0F0F0F0F0F0F)) * np.uint64(2561) >> np.uint64(8)
    words = (words & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601) >> np.uint64(16)
    words = (words & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001) >> np.uint64(32)
    return words.astype(np.float64)
