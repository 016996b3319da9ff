"""The plain file: numpy arrays in a zip, readable by any tool that has numpy; :mod:`gambol.io.plain` says which."""

from __future__ import annotations

import io
import math
import zipfile

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.io.plain import entries_of, motion_of
from gambol.io.source import PLAIN, Extra, Source
from gambol.motion import Motion

__all__ = ["decode", "encode"]

LARGEST = 4e9  # bytes of all arrays
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same motion gives the same bytes whenever it is written


def encode(motion: Motion, extra: Extra = PLAIN) -> bytes:
    """The bytes of a plain file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for key, value in entries_of(motion).items():
            member = zipfile.ZipInfo(f"{key}.npy", EPOCH)
            with archive.open(member, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asanyarray(value), allow_pickle=False)
    return out.getvalue()


def decode(data: bytes, source: Source) -> Motion:
    """A motion from the bytes of a plain file.

    Raises:
        GambolError: not a zip of arrays, an entry missing, or shapes that disagree.
    """
    return motion_of(_entries(data, source.name), source.name)


def _entries(data: bytes, where: str) -> dict[str, NDArray]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [m for m in archive.infolist() if m.filename.endswith(".npy")]
            if (size := sum(m.file_size for m in members)) > LARGEST:
                raise ValueError(f"{size / 1e9:.1f} GB unpacked, at most {LARGEST / 1e9:g} are read")
            return {m.filename.removesuffix(".npy"): _array(archive, m) for m in members}
    except Exception as error:  # zip and npy readers raise many kinds; all mean the same to the user
        what = f"not a plain motion file: {error}"
        raise GambolError(what, where=where, allowed="a zip of .npy") from error


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray:
    """One array, read only if its head claims no more than there is: memory is taken by the head."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        read_head = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read_head(file)
        if math.prod(shape) * dtype.itemsize > member.file_size:
            raise ValueError(f"{member.filename} claims {shape}, which is more than it holds")
    with archive.open(member) as file:
        out: NDArray = np.lib.format.read_array(file, allow_pickle=False)
        return out
