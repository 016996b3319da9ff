"""BVH: how fast it is read and written and how much memory a long file takes; feet planted and cycles found.

usage: python bench/bench_bvh.py [--write]     prints markdown; --write puts it in docs/numbers_files.md

Recordings come from the folder that GAMBOL_DATA names; their rows are left out without it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from bench_time import MET, RUNS, figure, load, machine, markdown, turns

from gambol.errors import GambolError
from gambol.io import load_motion
from gambol.io.bvh_write import encode
from gambol.motion import Motion
from gambol.retouch import loop_of, planted
from gambol.skeleton import Skeleton

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("GAMBOL_DATA", ROOT.parent / "shared" / "data")) / "mocap"
FRAMES, MANY = 2752, 100_000
READ, WRITE, MEMORY = 80.0, 20.0, 400.0  # MB/s, MB/s, MB
SLIDE = 1.0  # mm
PLANT = "`gambol plant`: the worst slide in mm of any planted sole point, at frames and half-way between, before and " \
        "after, and the largest change of any joint."
LOOP = "`gambol loop`: seam (largest difference of any joint between both ends) in degrees and slide in mm, before " \
       "and after."
# The peak that getrusage gives counts the parent as well.
PEAK = """
import sys
from gambol.io import load_motion
m = load_motion(sys.argv[1])
peak = next(x.split()[1] for x in open("/proc/self/status") if x.startswith("VmHWM"))
print(len(m), len(m.skeleton), peak)
"""
PLANTED = ("cmu/16_15.amc", "cmu/16_36.amc", "cmu/14_21.amc", "cmu/02_01.amc", "cmu/03_01.amc", "cmu/03_02.amc",
           "cmu/03_03.amc", "cmu/05_08.amc", "cmu/05_14.amc", "cmu/16_11.amc", "cmu/16_17.amc",
           "bvh/cmu_12_01_walk.bvh", "bvh/cmu_131_01_start_walk_stop.bvh", "bvh_quirks/walk01_24fps.bvh",
           "bvh_quirks/mixed_orders_zup.bvh", "bvh_quirks/mixamo_names_fingers.bvh", "bvh_quirks/mocapbank_crlf.bvh",
           "bvh_quirks/root_offset_perf8walk.bvh")


def clip(frames: int) -> Motion:
    """A figure as large as a person, so that its unit needs no thought."""
    (root, rotations), plain = turns(frames), figure()
    size = np.ptp(plain.rest_positions(), axis=0).max()
    return Motion(Skeleton(plain.names, plain.parents, plain.offsets * (1.7 / size)), root, rotations, 120.0)


def four_places(data: bytes) -> bytes:
    """The same file with four decimals, as the CMU conversions have them."""
    head, rows = data.split(b"Frame Time", 1)
    first, *lines = rows.decode().splitlines()
    text = "\n".join(" ".join(f"{float(x):.4f}" for x in line.split()) for line in lines)
    return head + b"Frame Time" + f"{first}\n{text}\n".encode()


def speed(data: bytes, work: Callable[[Path], object]) -> tuple[float, float]:
    """MB/s of one core's time, median and fastest of five, of work on a file that is in the cache of the system."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "a.bvh"
        file.write_bytes(data)
        work(file)
        took = []
        for _ in range(RUNS):
            start = time.process_time()
            for _ in range(3):
                work(file)
            took.append((time.process_time() - start) / 3)
    return len(data) / 1e6 / statistics.median(took), len(data) / 1e6 / min(took)


def speed_rows() -> Iterable[list[str]]:
    motion = clip(FRAMES)
    own = encode(motion)
    files = {"six decimals, as gambol writes": own, "four decimals": four_places(own)}
    recording = DATA / "bvh" / "cmu_131_01_start_walk_stop.bvh"
    if recording.is_file():
        files["a recording, 994 frames, 31 joints"] = recording.read_bytes()
    for name, data in files.items():
        median, fastest = speed(data, load_motion)
        yield row(f"read, {len(data) / 1e6:.2f} MB: {name}", f"{READ:g} MB/s", median, fastest, median >= READ)
        if (other := peer(data)) is not None:
            yield [f"the same, pybvh {other[2]}", "", f"{other[0]:.1f} MB/s", f"{other[1]:.1f} MB/s", ""]
    median, fastest = speed(own, lambda file: encode(motion))
    yield row(f"write, {len(own) / 1e6:.2f} MB", f"{WRITE:g} MB/s", median, fastest, median >= WRITE)


def row(what: str, asked: str, median: float, fastest: float, met: bool) -> list[str]:
    return [what, asked, f"{median:.1f} MB/s", f"{fastest:.1f} MB/s", MET[met]]


def peer(data: bytes) -> tuple[float, float, str] | None:
    try:
        import pybvh
    except ImportError:
        return None
    from importlib.metadata import version

    return *speed(data, lambda file: pybvh.read_bvh_file(file, world_up="+y")), version("pybvh")


def memory_row() -> list[str]:
    """The peak of a process that does nothing but read a long file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "long.bvh"
        file.write_bytes(encode(clip(MANY)))
        size = file.stat().st_size / 1e6
        said = subprocess.run([sys.executable, "-c", PEAK, str(file)], check=True, capture_output=True, text=True)
    frames, joints, peak = map(int, said.stdout.split())
    used = peak / 1e3
    what = f"peak memory of a process that reads {frames} frames of {joints} joints, {size:.0f} MB of text"
    return [what, f"{MEMORY:g} MB", f"{used:.0f} MB", "", MET[used < MEMORY]]


def feet_rows() -> Iterable[list[str]]:
    for name in PLANTED:
        motion = load_motion(DATA / name)
        _, a = planted(motion)
        most = f"{a.turn_joint} {a.turn_deg:.0f} degrees, {a.move_joint} {a.move_mm:.0f} mm"
        after = f"{a.slide_after_mm:.2f}"
        yield [Path(name).name, str(a.stances), f"{a.slide_before_mm:.1f}", after, most, MET[a.slide_after_mm <= SLIDE]]


def cycle_rows() -> Iterable[list[str]]:
    for name in PLANTED:
        motion = load_motion(DATA / name)
        try:
            _, a = loop_of(motion)
        except GambolError as error:
            yield [Path(name).name, error.what, "", "", "", ""]
            continue
        c = a.cycle
        assert c is not None
        seam = f"{c['seam_before_deg']:.1f} / {c['seam_after_deg']:.1f}"
        slide = f"{a.slide_before_mm:.1f} / {a.slide_after_mm:.2f}"
        yield [Path(name).name, f"{c['period_s']:.3f} s", f"{c['travel_m']:.3f} m", seam, slide,
               MET[a.slide_after_mm <= SLIDE]]


def page() -> str:
    before = load()
    parts = ["## BVH: speed and memory", markdown(("what", "asked", "median of 5", "fastest", "met"),
                                                   [*speed_rows(), memory_row()]), machine(before)]
    if DATA.is_dir():
        parts += [
            "## Feet of recordings planted", PLANT,
            markdown(("clip", "contacts", "slide before", "after", "largest change", "at most 1 mm"), feet_rows()),
            "## Cycles of takes", LOOP,
            markdown(("take", "cycle", "travel", "seam", "slide", "at most 1 mm"), cycle_rows()),
        ]
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    text = page()
    print(text)
    if write:
        target = ROOT / "docs" / "numbers_files.md"
        head = "# Numbers of files\n\nWritten by `bench/bench_bvh.py --write`.\n\n"
        target.write_text(f"{head}{text}\n", encoding="utf-8")
        print(f"written: {target.relative_to(ROOT)}")


if __name__ == "__main__":
    np.seterr(all="ignore")
    main()
