"""Music: the tempo map of all tracks, beats of audio, half time, offset, and files that cannot be used."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from gambol.choreography import dance_to
from gambol.errors import GambolError
from gambol.models import model
from gambol.music import beats_of, every_other, metronome, shifted

mido = pytest.importorskip("mido")
CASES = Path(__file__).parent / "cases"
DATA = Path(os.environ.get("GAMBOL_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")) / "music"


def song(tmp_path, notes=8, tempo=None, metre=None) -> Path:
    file = mido.MidiFile()
    track = mido.MidiTrack()
    file.tracks.append(track)
    if tempo:
        track.append(mido.MetaMessage("set_tempo", tempo=mido.bpm2tempo(tempo)))
    if metre:
        track.append(mido.MetaMessage("time_signature", numerator=metre[0], denominator=metre[1]))
    for _ in range(notes):
        track.append(mido.Message("note_on", note=60, velocity=80, time=0))
        track.append(mido.Message("note_off", note=60, time=file.ticks_per_beat))
    file.save(tmp_path / "song.mid")
    return tmp_path / "song.mid"


def test_the_tempo_map_is_that_of_all_tracks():
    """U081: tempo changes in another track; beats within 1 ms."""
    wanted = json.loads((CASES / "U081_tempo_in_other_track.expect.json").read_text())["beat_seconds"]
    found = beats_of(CASES / "U081_tempo_in_other_track.mid")
    assert len(found.times) == len(wanted)
    assert np.abs(found.times - wanted).max() < 1e-3


def test_dance_keys_land_on_the_beats():
    """U052, U081: every posture is at a beat, within a frame at 60 a second."""
    found = beats_of(CASES / "U081_tempo_in_other_track.mid")
    keys = [k.time for k in dance_to(found, model("person")).parts[0].keys]
    assert max(np.abs(found.times - k).min() for k in keys[:-1]) < 1 / 60


def test_a_file_without_a_tempo_has_the_standard_one(tmp_path):
    assert beats_of(song(tmp_path)).times == pytest.approx(np.arange(8) * 0.5)
    assert beats_of(song(tmp_path, tempo=90)).tempo == pytest.approx(90, rel=1e-4)


def test_six_eight_beats_in_dotted_quarters(tmp_path):
    found = beats_of(song(tmp_path, notes=12, metre=(6, 8)))
    assert found.times[1] == pytest.approx(0.75)
    assert found.bars.tolist() == [0, 2, 4, 6]
    assert beats_of(song(tmp_path, notes=12, metre=(3, 4))).bars.tolist() == [0, 3, 6, 9]


@pytest.mark.skipif(not DATA.is_dir(), reason="the published songs are not here")
def test_published_songs():
    reference = np.loadtxt(DATA / "groove_funk_138bpm.beats.csv", delimiter=",", skiprows=1)[:, 0]
    found = beats_of(DATA / "groove_funk_138bpm.mid").times
    count = min(len(found), len(reference))
    assert abs(len(found) - len(reference)) <= 1
    assert np.abs(found[:count] - reference[:count]).max() < 1e-3
    waltz = beats_of(DATA / "freedoom_bunny_3-4_120bpm.mid")
    assert waltz.tempo == pytest.approx(120) and (np.diff(waltz.bars) == 3).all()


def test_quick_songs_go_half_time():
    quick = metronome(176, 10)
    half = every_other(quick)
    assert half.tempo == pytest.approx(88)
    assert np.isin(half.times, quick.times).all() and half.times[0] == quick.times[0]
    slow = metronome(120, 10)
    assert every_other(slow) is slow


def test_an_offset_moves_the_beats():
    """U150: the clap that falls on 1 can be put on 2."""
    found = metronome(120, 10)
    late = shifted(found, 0.5)
    assert late.times == pytest.approx(found.times + 0.5)
    early = shifted(found, -0.6)
    assert early.times[0] == pytest.approx(0.4) and early.times[early.bars[0]] == pytest.approx(1.4)


def test_the_same_seed_makes_the_same_dance():
    a, b, c = (dance_to(metronome(120, 20), model("person"), seed) for seed in (1, 1, 2))
    assert all(np.array_equal(x.pose.rotations, y.pose.rotations) for x, y in zip(a.parts[0].keys, b.parts[0].keys))
    assert any(not np.array_equal(x.pose.rotations, y.pose.rotations) for x, y in zip(a.parts[0].keys, c.parts[0].keys))


def test_feeling_makes_the_springs():
    found = metronome(110, 10)
    springs = {m: dance_to(found.__class__(found.times, found.bars, found.energy, m, 10.0), model("dog")).dials
               for m in ("major", "minor", "")}
    assert springs["major"]["stiffness"] > springs[""]["stiffness"] > springs["minor"]["stiffness"]
    assert dance_to(metronome(160, 10), model("dog")).dials["inertia"] != springs[""]["inertia"]


@pytest.mark.parametrize("data", [b"", b"MThd", b"RIFFxxxxWAVE", b"MThd\0\0\0\6\0\1\0\1\1\xe0MTrk\0\0\0\4\0\xff"])
@pytest.mark.parametrize("suffix", [".mid", ".wav"])
def test_damaged_files_are_one_clear_error(tmp_path, data, suffix):
    pytest.importorskip("soundfile")
    (tmp_path / f"song{suffix}").write_bytes(data)
    with pytest.raises(GambolError):
        beats_of(tmp_path / f"song{suffix}")


def test_silence_and_no_notes_are_said(tmp_path):
    soundfile = pytest.importorskip("soundfile")
    soundfile.write(tmp_path / "still.wav", np.zeros(22050), 22050)
    with pytest.raises(GambolError, match="silent"):
        beats_of(tmp_path / "still.wav")
    with pytest.raises(GambolError, match="no notes"):
        beats_of(song(tmp_path, notes=0))
    with pytest.raises(GambolError, match="suffix"):
        beats_of("song.doc")
    with pytest.raises(GambolError, match="beats a minute"):
        metronome(0, 10)
