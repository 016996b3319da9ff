"""Music: beats, bars and feeling of a song, from MIDI or audio; no network, no model download.

MIDI beats follow the tempo map of *all* tracks. Audio beats are librosa's: the tempo from an onset curve below 200 Hz,
where it is plainest, the beats from the whole spectrum at that tempo (below 200 Hz alone they can sit half a beat off).
The first call compiles for up to a minute.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError, MissingExtra

__all__ = ["AUDIO", "Beats", "beats_of", "every_other", "metronome", "shifted"]

Array = NDArray[np.float64]
MIDI, AUDIO = (".mid", ".midi"), (".wav", ".ogg", ".flac", ".mp3", ".aiff", ".aif")
FAST = 150.0  # beats a minute; quicker songs are danced at half time
TEMPI = (10.0, 400.0)  # beats a minute that a dance can have
LONGEST = 3600.0  # s
LOW = 200.0  # Hz, see above
HOP = 512  # samples
TIGHT = 400  # how evenly beats are spaced; librosa's usual 100 wanders off where drums play between beats
SILENT = 1e-4  # of full scale
# Krumhansl and Kessler (1982): how well each tone fits a major and a minor key.
MAJOR = np.array([6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88])
MINOR = np.array([6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17])


@dataclass(frozen=True)
class Beats:
    """A song as a dance needs it.

    Attributes:
        times: ``(N,)`` s, of the beats.
        bars: ``(M,)`` indices of the beats that begin a bar.
        energy: ``(N,)`` 0 to 1, how loud and dense each beat is.
        mode: "major", "minor" or "" where it cannot be told.
        end: s, of the music.
    """

    times: Array
    bars: NDArray[np.int64]
    energy: Array
    mode: str
    end: float

    @property
    def tempo(self) -> float:
        """Beats a minute, by the middle interval."""
        return 60.0 / float(np.median(np.diff(self.times))) if len(self.times) > 1 else 0.0

    def to_json(self) -> dict[str, object]:
        """Plain values: beats and downbeats in s, tempo in beats a minute, mode, energy."""
        return {
            "beats": self.times.tolist(), "downbeats": self.times[self.bars].tolist(), "tempo": self.tempo,
            "mode": self.mode, "energy": self.energy.tolist(), "end_s": self.end,
        }


def beats_of(path: str | Path) -> Beats:
    """The beats of a song.

    Raises:
        GambolError: an unknown suffix, a damaged file, no notes or silence.
        MissingExtra: without the extra ``music``.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in MIDI + AUDIO:
        raise GambolError(f"no reader for the suffix {path.suffix!r}", where=str(path), allowed=", ".join(MIDI + AUDIO))
    try:
        data = path.read_bytes()
    except OSError as error:
        raise GambolError(f"it cannot be read: {error.strerror}", where=str(path), do="check its name") from error
    return _midi(data, str(path)) if suffix in MIDI else _audio(data, str(path))


def metronome(tempo: float, seconds: float, offset: float = 0.0, metre: int = 4) -> Beats:
    """Even beats instead of a song: ``tempo`` beats a minute for ``seconds``, the first at ``offset`` s."""
    if not TEMPI[0] <= tempo <= TEMPI[1]:
        raise GambolError(f"{tempo:g} beats a minute", where="tempo", allowed=f"{TEMPI[0]:g} to {TEMPI[1]:g}")
    if not (0 < seconds <= LONGEST and 0 <= offset < seconds):
        raise GambolError(f"{seconds:g} s from {offset:g} s on", where="tempo", allowed=f"up to {LONGEST:g} s")
    times = np.arange(offset, seconds, 60.0 / tempo)
    return Beats(times, np.arange(0, len(times), metre), np.full(len(times), 0.5), "", seconds)


def shifted(beats: Beats, seconds: float) -> Beats:
    """All beats later (or earlier) by ``seconds``; those before 0 are left out."""
    times = beats.times + seconds
    kept = np.flatnonzero(times >= -1e-9)
    bars = np.searchsorted(kept, beats.bars[np.isin(beats.bars, kept)])
    end = beats.end + seconds
    return replace(beats, times=np.maximum(times[kept], 0.0), bars=bars, energy=beats.energy[kept], end=end)


def every_other(beats: Beats) -> Beats:
    """Half time for songs quicker than 150 beats a minute: every second beat, counted from the first bar."""
    if beats.tempo <= FAST or len(beats.times) < 4:
        return beats
    first = int(beats.bars[0]) % 2 if len(beats.bars) else 0
    kept = np.arange(first, len(beats.times), 2)
    bars = np.searchsorted(kept, beats.bars[np.isin(beats.bars, kept)])
    return replace(beats, times=beats.times[kept], bars=bars, energy=beats.energy[kept])


def _midi(data: bytes, where: str) -> Beats:
    try:
        import mido
    except ImportError:
        raise MissingExtra("mido", "music", "MIDI") from None
    try:
        song = mido.MidiFile(file=io.BytesIO(data), clip=True)
        tracks = [list(track) for track in song.tracks]
    except Exception as error:  # the reader raises many kinds on damaged bytes; all mean the same
        raise GambolError(f"no MIDI file: {type(error).__name__} {error}"[:160], where=where) from error
    ticks = int(song.ticks_per_beat)
    if ticks <= 0 or ticks >= 0x8000:
        raise GambolError("its time is counted in film frames, not beats", where=where, do="export it with a tempo")
    tempi, metres, notes, end = {0: 500000}, {0: (4, 4)}, [], 0
    for track in tracks:
        now, sounding = 0, {}
        for message in track:
            now += int(message.time)
            if message.type == "set_tempo" and message.tempo > 0:
                tempi[now] = message.tempo
            elif message.type == "time_signature" and message.numerator > 0:
                metres[now] = (message.numerator, message.denominator)
            elif message.type == "note_on" and message.velocity > 0:
                sounding[message.channel, message.note] = (now, message.velocity)
                end = max(end, now)
            elif message.type in ("note_on", "note_off") and (message.channel, message.note) in sounding:
                start, loud = sounding.pop((message.channel, message.note))
                notes.append((start, now - start, loud, message.note, message.channel))
                end = max(end, now)
        notes += [(s, ticks, v, n, c) for (c, n), (s, v) in sounding.items()]
    if not notes:
        raise GambolError("it has no notes", where=where, allowed="a song")
    marks = np.array(sorted(tempi))
    seconds = np.array([tempi[m] for m in marks]) / 1e6 / ticks  # a tick
    starts = np.concatenate([[0.0], np.cumsum(np.diff(marks) * seconds[:-1])])

    def when(tick: Array) -> Array:
        k = np.searchsorted(marks, tick, side="right") - 1
        out: Array = starts[k] + (tick - marks[k]) * seconds[k]
        return out

    if float(when(np.array([float(end)]))[0]) > LONGEST:
        raise GambolError("it is longer than an hour", where=where, allowed=f"{LONGEST:g} s")
    beat_ticks, bars = _grid(metres, ticks, end)
    table = np.array(notes, float)
    loud = np.histogram(table[:, 0], np.append(beat_ticks, beat_ticks[-1] + ticks), weights=table[:, 2])[0]
    pitched = table[table[:, 4] != 9]  # channel 10 is the drums
    tones = np.bincount(pitched[:, 3].astype(int) % 12, pitched[:, 1] * pitched[:, 2], 12).astype(float)
    return Beats(when(beat_ticks), bars, _share(loud), _mode(tones), float(when(np.array([float(end)]))[0]))


def _grid(metres: dict[int, tuple[int, int]], ticks: int, end: int) -> tuple[Array, NDArray[np.int64]]:
    """Ticks of the beats before ``end``, and which begin a bar. 6/8 and its kin beat in dotted quarters."""
    out: list[float] = []
    bars: list[int] = []
    marks = [*sorted(metres), max(end, 1)]
    for start, stop in pairwise(marks):
        above, below = metres[start]
        compound = below >= 8 and above % 3 == 0
        step = ticks * 4.0 / below * (3 if compound else 1)
        count = max(above // 3 if compound else above, 1)
        n = int(np.ceil((stop - start) / step - 1e-9))
        bars += [len(out) + k for k in range(0, n, count)]
        out += [start + k * step for k in range(n)]
    return np.array(out), np.array(bars, int)


def _audio(data: bytes, where: str) -> Beats:
    try:
        import soundfile
    except ImportError:
        raise MissingExtra("soundfile", "music", "audio") from None
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as song:
            rate = int(song.samplerate)
            if song.frames > LONGEST * rate:
                raise GambolError("it is longer than an hour", where=where, allowed=f"{LONGEST:g} s")
            sound = song.read(dtype="float32", always_2d=True).mean(1)
    except GambolError:
        raise
    except Exception as error:  # of the codec, on damaged bytes
        raise GambolError(f"no sound: {type(error).__name__} {error}"[:160], where=where) from error
    if not len(sound) or not np.isfinite(sound).all() or np.abs(sound).max() < SILENT:
        raise GambolError("it is silent", where=where, allowed="music", do="give the beat: --bpm 120")
    try:
        import librosa
    except ImportError:
        raise MissingExtra("librosa", "music", "beats of audio") from None
    bass = librosa.onset.onset_strength(y=sound, sr=rate, hop_length=HOP, fmax=LOW, n_mels=16)
    onsets = librosa.onset.onset_strength(y=sound, sr=rate, hop_length=HOP)
    tempo = float(np.ravel(librosa.beat.beat_track(onset_envelope=bass, sr=rate, hop_length=HOP)[0])[0])
    frames = librosa.beat.beat_track(
        onset_envelope=onsets, sr=rate, hop_length=HOP, units="frames", trim=False, bpm=tempo or None, tightness=TIGHT,
    )[1]
    if len(frames) < 2:
        raise GambolError("no beat is found in it", where=where, do="give the beat: --bpm 120")
    loud = librosa.feature.rms(y=sound, hop_length=HOP)[0]
    tones = librosa.feature.chroma_stft(y=sound, sr=rate, hop_length=4 * HOP).mean(1)
    energy = np.array([loud[a:b].mean() if b > a else 0.0 for a, b in pairwise([*frames, len(loud)])])
    first = int(np.argmax([bass[np.minimum(frames[k::4], len(bass) - 1)].mean() for k in range(min(4, len(frames)))]))
    times = np.asarray(frames, float) * HOP / rate
    return Beats(times, np.arange(first, len(times), 4), _share(energy), _mode(tones), len(sound) / rate)


def _share(values: Array) -> Array:
    """0 to 1 by rank: half the beats of any song are louder than the others."""
    order = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return np.asarray(order / max(len(values) - 1, 1), float)


def _mode(tones: Array) -> str:
    """Major or minor: the key whose profile goes best with the tones (Krumhansl and Schmuckler)."""
    if not np.ptp(tones) > 0:
        return ""
    fits = [max(float(np.corrcoef(tones, np.roll(profile, k))[0, 1]) for k in range(12)) for profile in (MAJOR, MINOR)]
    return "major" if fits[0] >= fits[1] else "minor"
