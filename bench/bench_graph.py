"""Numbers of the motion graph, measured on clips it was not built from: python bench/bench_graph.py [--write]

Needs the reference captures (GAMBOL_DATA/mocap/cmu). With --write the tables go into docs/numbers_graph.md.
"""

from __future__ import annotations

import csv
import os
import resource
import statistics
import sys
import time
from pathlib import Path

import numpy as np

from gambol import quat
from gambol.blending import Aim, blend
from gambol.body import Body
from gambol.cleaning import smoothed
from gambol.commands import Commands
from gambol.feet import SIDES
from gambol.gather import gather
from gambol.graph import KINDS, build_graph
from gambol.measure import measure
from gambol.methods.motion_graph import MotionGraphWalk
from gambol.segments import RATE, cut, take_of
from gambol.synthesis import Stream, Task, generate

ROOT = Path(__file__).resolve().parents[1]
CMU = Path(os.environ.get("GAMBOL_DATA", ROOT.parent / "shared" / "data")) / "mocap" / "cmu"
WALKS = ["02_01", "02_02", "05_01", "16_11", "16_12", "16_13", "16_14", "16_15", "16_16", "16_17", "16_18", "16_19", "16_20", "16_21", "16_31", "16_34", "16_47"]
RUNS = ["02_03", "16_08", "16_36", "16_42", "16_44", "16_45", "16_55"]
LEGS = [f"{s}_{j}" for s in SIDES for j in ("upper_leg", "lower_leg", "foot")]
MOVING = [*LEGS, "spine", "chest", "upper_chest", "neck", "head", *(f"{s}_{j}" for s in SIDES for j in ("upper_arm", "lower_arm"))]
STEADY = ((0.8, 0), (1.0, 0), (1.2, 0), (1.4, 0), (1.6, 0), (0.8, 40), (1.0, 30), (1.2, -20), (2.5, 0), (3.0, 0), (3.5, 0), (2.6, 15))


def clips(names):
    return gather([CMU / f"{n}.amc" for n in names])


def flexions(motion):
    """(F, 6) degrees: hip, knee, ankle of both legs, in the sagittal plane of each parent."""
    q = motion.rotations[:, motion.skeleton.indices(LEGS)]
    w, x, y, z = np.moveaxis(q, -1, 0)
    return np.degrees(np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)))


def contacts():
    """F1 and edge errors of the contact detector against the labels, the clips pooled."""
    rows = [r for r in csv.reader((ROOT / "tests" / "contact_labels.csv").open()) if r and not r[0].startswith("#")][1:]
    hit = false = missed = 0
    edges = []
    for name in sorted({r[0] for r in rows}):
        motion = clips([name]).clips[0]
        carries = take_of(motion).carries
        for k, side in enumerate(SIDES):
            label = np.zeros(len(motion), bool)
            marks = []
            for _, _, a, b in (r for r in rows if r[0] == name and r[1] == side):
                first, last = int(a or 0), int(b) if b else len(motion) - 1
                label[first : last + 1] = True
                marks += ([first] if first else []) + ([last + 1] if b else [])
            found = np.flatnonzero(np.diff(carries[:, k].astype(int))) + 1
            edges += [float(np.abs(found - m).min()) for m in marks]
            sure = np.ones(len(motion), bool)
            for m in marks:
                sure[max(m - 2, 0) : m + 2] = False
            on = carries[:, k]
            hit += int((on & label & sure).sum())
            false += int((on & ~label & sure).sum())
            missed += int((~on & label & sure).sum())
    return 2 * hit / (2 * hit + false + missed), statistics.median(edges) / RATE * 1e3


def groups(built):
    """Segments of the walks and runs in the group they belong to; starts, stops and changes of gait one by one."""
    right, wrong, single = 0, [], []
    for names, kind in ((WALKS, "walk"), (RUNS, "run")):
        for motion in clips(names).clips:
            for s in cut(take_of(motion), 0, Body(built.height).leg_length):
                if s.string[0] == "S" or s.string[-1] == "S" or (s.string not in KINDS and s.string in built.groups):
                    single.append(f"{motion.name} {s.string}")
                elif KINDS.get(s.string) == kind and not s.verdict:
                    right += 1
                else:
                    wrong.append(f"{motion.name} {s.string}")
    return right, wrong, single


def follow(graph, speed, turn, seconds=14.0, fps=120.0):
    rows = [(0.0, min(speed, 1.2), 0.0), (1.5, speed, np.radians(turn)), (seconds, speed, np.radians(turn))]
    return generate(MotionGraphWalk(graph), Task(body=Body(graph.height), commands=Commands.of(rows), fps=fps))


def steadiness(graph):
    """(speed, turn, speed error %, turn error degrees/s, motion) over whole strides of the steady part."""
    out = []
    for speed, turn in STEADY:
        motion = follow(graph, speed, turn)
        cuts = np.array([s["t"] for s in motion.info["segments"]])
        cuts = cuts[(cuts > 7.0) & (cuts < 13.5)]
        cuts = cuts[: len(cuts) - (len(cuts) + 1) % 2]
        a, b = cuts[0], cuts[-1]
        yaw = headings(motion)
        omega = (np.interp(b, motion.times, yaw) - np.interp(a, motion.times, yaw)) / (b - a)
        # whole strides: chords of an arc, each divided by sin(x) / x
        marks = cuts[::2]
        at = np.stack([np.interp(marks, motion.times, motion.root[:, i]) for i in (0, 2)], 1)
        chord = np.linalg.norm(np.diff(at, axis=0), axis=1)
        half = 0.5 * omega * np.diff(marks)
        v = float((chord / np.sinc(half / np.pi)).sum() / (b - a))
        out.append((speed, turn, 100 * (v / speed - 1), float(np.degrees(omega)) - turn, motion))
    return out


def headings(motion):
    w, x, y, z = np.moveaxis(motion.rotations[:, 0], -1, 0)
    return np.unwrap(np.arctan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y)))


def speed_jumps(motion):
    """(F - 2,) degrees/s a frame at 120 Hz: the largest change of any joint's speed."""
    q = motion.rotations[:, motion.skeleton.indices(MOVING)]
    speed = quat.log(quat.multiply(quat.conjugate(q[:-1]), q[1:])) * motion.fps
    return np.degrees(np.linalg.norm(np.diff(speed, axis=0), axis=-1))


def seams(graph, walked):
    """Largest joint speed jump at seams, and the sources' 99th percentile, walking and running."""
    out = {}
    for kind, names in (("walk", WALKS), ("run", RUNS)):
        source = np.concatenate([speed_jumps(take_of(m).motion)[5:-5].ravel() for m in clips(names).clips])
        mine = []
        for speed, _, _, _, motion in walked:
            if (speed > 2.0) == (kind == "run"):
                jumps = speed_jumps(motion)
                at = [round(s["t"] * motion.fps) for s in motion.info["segments"] if s["t"] > 4.0]
                mine += [jumps[max(i - 2, 0) : i + 2].max() for i in at if i + 2 < len(jumps)]
        out[kind] = (max(mine), float(np.percentile(source, 99)))
    return out


def held_out(names, graph_of):
    """Each clip's own speed and turn as commands to a graph without it: RMS of hip, knee and ankle, aligned at keytimes."""
    rows = []
    for name in names:
        graph = graph_of([n for n in (*WALKS, *RUNS) if n != name])
        body = Body(graph.height)
        take = take_of(clips([name]).clips[0])
        real = [s for s in cut(take, 0, body.leg_length) if s.string in KINDS and not s.verdict]
        errors = []
        for s in real:
            a, b = s.keys[0], s.keys[-1]
            span = (b - a) / RATE
            h = take.heading
            step = np.diff(take.motion.root[a : b + 1][:, [0, 2]], axis=0)
            mid = 0.5 * (h[a : b] + h[a + 1 : b + 1])
            v = float((step[:, 0] * np.sin(mid) + step[:, 1] * np.cos(mid)).sum() / span)
            going = smoothed(np.gradient(take.com[:, [0, 2]], axis=0) * RATE, 0.2 * RATE)
            gain = float(np.linalg.norm(going[min(b, len(going) - 1)]) - np.linalg.norm(going[a])) / span
            made = blend(graph.groups[s.string], Aim(v, float(h[b] - h[a]) / span, gain), 8)
            phases = np.interp(np.arange(a, b + 1), s.keys, np.arange(len(s.keys)) * 20.0)
            q = take.motion.rotations[a : b + 1]
            low = np.minimum(phases.astype(int), len(made.turns) - 2)
            part = (phases - low)[:, None, None]
            mine = quat.normalize(made.rotations[low] * (1 - part) + made.rotations[low + 1] * part)
            errors.append(_flexion(mine, take.motion.skeleton) - _flexion(q, take.motion.skeleton))
        e = np.concatenate(errors)
        rms = np.sqrt((e**2).mean(0)).reshape(2, 3).mean(0)
        rows.append((name, *rms))
    return rows


def _flexion(q, skeleton):
    w, x, y, z = np.moveaxis(q[:, skeleton.indices(LEGS)], -1, 0)
    return np.degrees(np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)))


def an_hour(graph, seconds=3600.0):
    """Random commands: stretches, seconds made, largest hip height and any number that is not finite; memory in MB before and after."""
    rng = np.random.default_rng(7)
    task = Task(body=Body(graph.height), fps=30.0, commands=Commands.of([(0.0, 1.0, 0.0)]))
    stream = Stream(MotionGraphWalk(graph), task)
    next_change, heights, stretches = 0.0, [], 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    while stream.state.time < seconds:
        if stream.state.time >= next_change:
            from dataclasses import replace

            v = float(rng.choice([0.0, rng.uniform(0.7, 1.7), rng.uniform(2.2, 3.6)], p=[0.1, 0.6, 0.3]))
            turn = rng.uniform(-1, 1) * np.radians(60 if v < 1.0 else 20)
            t = stream.state.time
            stream.task = replace(stream.task, commands=Commands.of([(t, v, turn), (t + 1e5, v, turn)]))
            next_change = t + rng.uniform(1, 6)
        part = stream.stretch()
        assert part is not None and np.isfinite(part.root).all()
        stretches += 1
        heights += [part.root[:, 1].min(initial=9.0), part.root[:, 1].max(initial=0.0)] if len(part) else []
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    high = [h for h in heights if 0 < h < 9]
    return stretches, (min(high), max(high)), (before, after)


def timed(call, times=5):
    out = []
    for _ in range(times):
        t = time.perf_counter()
        call()
        out.append(time.perf_counter() - t)
    return statistics.median(out)


def many(minutes=10.0):
    """10 minutes of clips: the shared ones repeated, each a little slower or faster."""
    base = clips([*WALKS, *RUNS]).clips
    out, total, k = [], 0.0, 0
    while total < 60 * minutes:
        m = base[k % len(base)]
        factor = 1 + 0.05 * np.sin(k)
        from dataclasses import replace

        out.append(replace(m, fps=m.fps * factor, name=f"{m.name}_{k}"))
        total += m.duration / factor
        k += 1
    return out


def main() -> None:
    graphs = {}

    def graph_of(names):
        key = tuple(names)
        if key not in graphs:
            graphs[key] = build_graph(clips(names).clips)
        return graphs[key]

    lines = []

    def say(text=""):
        print(text, flush=True)
        lines.append(text)

    full = graph_of([*WALKS, *RUNS])
    f1, edge = contacts()
    right, wrong, single = groups(full)
    walked = steadiness(full)
    jumps = seams(full, walked)
    reports = [measure(m) for *_, m in walked]
    say("| what | asked | measured |")
    say("|---|---|---|")
    say(f"| contacts against hand labels, three clips pooled: F1; median edge | 0.98; 12 ms | {f1:.3f}; {edge:.0f} ms |")
    say(f"| segments in the right group | 97 % | {right} of {right + len(wrong)}, {100 * right / (right + len(wrong)):.1f} % |")
    say(f"| speed and turn inside the hull, worst of {len(walked)} | 3 %; 3 deg/s | {max(abs(r[2]) for r in walked):.2f} %; {max(abs(r[3]) for r in walked):.2f} deg/s |")
    for kind in ("walk", "run"):
        say(f"| joint speed jump at seams, {kind}: largest; the sources' 99th percentile | no larger | {jumps[kind][0]:.0f}; {jumps[kind][1]:.0f} deg/s a frame |")
    say(f"| slide of a planted sole point | 1 mm | {max(r.feet.slide_mm for r in reports):.2f} mm |")
    say(f"| planted below or above ground; in swing | beside | {max(max(r.feet.sinking_mm, r.feet.floating_mm) for r in reports):.2f}; {max(r.feet.swing_sinking_mm for r in reports):.2f} mm |")
    longest = {k: max(s2["t"] - s1["t"] for v, *_, m in walked if lo <= v < hi for s1, s2 in zip(m.info["segments"], m.info["segments"][1:]) if s1["t"] > 4)
               for k, lo, hi in (("walk", 1.2, 2.0), ("run", 2.0, 9.0))}
    say(f"| response: longest segment at 1.2 m/s and above; running | 0.60; 0.40 s | {longest['walk']:.2f}; {longest['run']:.2f} s |")
    walks = held_out(WALKS, graph_of)
    jogs = held_out(["02_03", "16_36"], graph_of)
    say(f"| a held clip: mean of hips and knees, walks, worst; any joint | 8; 11 deg | {max((h + k) / 2 for _, h, k, _ in walks):.1f}; {max(max(r[1:]) for r in walks):.1f} deg |")
    say(f"| the same, jogs | 15 deg | {max((h + k) / 2 for _, h, k, _ in jogs):.1f}; {max(max(r[1:]) for r in jogs):.1f} deg |")
    stretches, (low, high), (before, after) = an_hour(full)
    say(f"| an hour of random commands: dead ends; hips; memory grown | 0; beside; flat | 0 in {stretches} segments; {low:.2f} to {high:.2f} m; {after - before:.0f} MB |")
    ten = many()
    frames = sum(map(len, ten))
    t = time.perf_counter()
    build_graph(ten)
    built = time.perf_counter() - t
    say(f"| build from 10 minutes ({frames} frames), mirrored; memory | 60 s; 1 GB | {built:.1f} s; {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB |")
    method, task = MotionGraphWalk(full), Task(body=Body(full.height), commands=Commands.of([(0, 1.2, 0), (60, 1.2, 0.1)]), fps=120.0)
    stream = Stream(method, task)
    for _ in range(6):
        stream.stretch()
    state = stream.state
    one = timed(lambda: method.advance(state, task), 50)
    per = one / (0.55 * 120)
    say(f"| one segment; a pose served, amortised | 5 ms; 50 us | {1e3 * one:.2f} ms; {1e6 * per:.0f} us |")
    say()
    say(f"Not in the right group: {', '.join(wrong) or 'none'}. One by one: {', '.join(single)}.")
    say()
    say("| command m/s, deg/s | speed | turn |")
    say("|---|---|---|")
    for speed, turn, dv, dw, _ in walked:
        say(f"| {speed}, {turn} | {dv:+.2f} % | {dw:+.2f} deg/s |")
    say()
    say("| held clip | hip | knee | ankle |")
    say("|---|---|---|---|")
    for name, h, k, a in [*walks, *jogs]:
        say(f"| {name} | {h:.1f} | {k:.1f} | {a:.1f} |")
    if "--write" in sys.argv:
        head = "# Numbers of the motion graph\n\nWritten by `bench/bench_graph.py`, built from CMU 16_*, 02_* and 05_01 (mocap.cs.cmu.edu).\nRows of a held clip are built without it.\n\n"
        (ROOT / "docs" / "numbers_graph.md").write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
