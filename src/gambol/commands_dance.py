"""``gambol pose``, ``dance``, ``sway`` and ``beats``."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from gambol.commands_rigs import able_files, put_on
from gambol.errors import GambolError
from gambol.facts import sentences
from gambol.forms import dial_values, nearest
from gambol.rig_form import DEFAULT_RIG, RigForm
from gambol.words import Dials, Files, Json, Switch, Text, check_targets, print_json

if TYPE_CHECKING:
    from gambol.body import Body
    from gambol.character import Character
    from gambol.model import Model
    from gambol.motion import Motion
    from gambol.music import Beats

__all__ = ["beats", "dance", "pose", "sway"]

Drags = Annotated[tuple[str, ...], Parameter(name="--drag", negative=(), show_default=False)]
Offset = Annotated[float, Parameter(allow_leading_hyphen=True)]
MOTION_FILES = (".npz", ".bvh", ".glb")
MOST_OFFSET = 3600.0  # s
ALONE = 32.0  # s of a dance to --bpm without a song


@dataclass(frozen=True)
class SongForm:
    """The music.

    Attributes:
        music: a song (.mid, .wav, .ogg, .flac, .mp3).
        bpm: beats a minute, instead of a song.
        offset: s by which all beats come later (or earlier, negative).
    """

    music: Path | None = None
    bpm: float | None = None
    offset: Offset = 0.0

    def beats(self, seconds: float) -> Beats | None:
        """What is asked for; None where nothing is."""
        from gambol.music import beats_of, metronome, shifted

        if self.music is not None and self.bpm is not None:
            raise GambolError("a song and a tempo", where="--bpm", allowed="one of --music and --bpm")
        if self.music is not None:
            if not abs(self.offset) < MOST_OFFSET:
                allowed = f"less than {MOST_OFFSET:g} s, either way"
                raise GambolError(f"beats that come {self.offset:g} s later", where="--offset", allowed=allowed)
            return shifted(beats_of(self.music), self.offset)
        return None if self.bpm is None else metronome(self.bpm, seconds, max(self.offset, 0.0))


@dataclass(frozen=True)
class WindForm:
    """The wind.

    Attributes:
        wind: m/s, the mean.
        toward: where it blows to, "x,z" or "x,y,z".
        gust: 0 to 1, how much it swells, of the mean.
        turbulence: 0 to 1, its restlessness.
    """

    wind: float = 6.0
    toward: Annotated[str, Parameter(allow_leading_hyphen=True)] = "1,0"
    gust: float = 0.35
    turbulence: float = 0.25


DEFAULT_SONG, DEFAULT_WIND = SongForm(), WindForm()
Song = Annotated[SongForm, Parameter(name="*")]
Rig = Annotated[RigForm, Parameter(name="*")]


def beats(song: Path, *, offset: Offset = 0.0, as_json: Json = False) -> int:
    """Find the beats and bars of a song.

    Args:
        song: .mid, .wav, .ogg, .flac or .mp3; audio needs the extra music, and its first run compiles for a while.
        offset: s by which all beats come later (or earlier, negative).
        as_json: print beats, downbeats (s), tempo (beats a minute), mode and energy as JSON.
    """
    found = SongForm(song, None, offset).beats(0.0)
    assert found is not None
    if as_json:
        print_json({"file": str(song), **found.to_json()})
        return 0
    print(f"{len(found.times)} beats in {len(found.bars)} bars, {found.tempo:.1f} a minute, {found.mode or 'no key'}")
    for n, time in enumerate(found.times.tolist()):
        print(f"{time:9.3f} s{'  bar' if n in found.bars else ''}")
    return 0


def pose(  # noqa: PLR0913
    *, model: str = "person", drag: Drags = (), fix: Text = None, posture: Text = None, symmetric: Switch = False,
    stiff: int = 2, rig: Rig = DEFAULT_RIG, output: Files = (),
) -> int:
    """Pose a model by dragging its joints, and write the pose as a clip of one frame.

    Args:
        model: person, dog, spider, centipede, rose, lily, willow, grass or tree; person:1.2, tree:7; or a file.
        drag: JOINT:X,Y,Z in metres, as often as wanted; more points lead through them: JOINT:X,Y,Z;X,Y,Z.
        fix: joints that stay, separated by commas; feet keep their soles.
        posture: to begin from, such as "lean_left*0.5 + raise_right_arm"; else the rest pose.
        symmetric: the other side is dragged as in a mirror.
        stiff: how far the springs reach: 1 floppy, 2, 3 stiff.
        output: a file to write, as often as wanted: .npz, .bvh or .glb; with --character also of its own suffix.
    """
    check_targets(output, able_files(rig, MOTION_FILES), (rig.character, rig.roles))
    import numpy as np

    from gambol import quat
    from gambol.fitting import points_of
    from gambol.motion import Motion, Pose
    from gambol.posing import Puppet
    from gambol.posing import drag as dragged
    from gambol.postures import base_of, pose_with
    from gambol.postures import posture as read_posture

    body, _, character = _who(model, rig)
    skeleton = body.skeleton
    start = Pose(skeleton.offsets[0], np.tile(quat.IDENTITY, (len(skeleton), 1)))
    if posture is not None:
        start = pose_with(body, read_posture(posture, base_of(body.kind)))[0]
    tracks = dict(_track(text) for text in drag)
    fixed = [name.strip() for name in fix.split(",")] if fix else []
    done = dragged(Puppet(skeleton, body.limits, stiff), start, tracks, fixed, symmetric)
    motion = Motion(skeleton, done.root[None], done.rotations[None], 30.0, name="pose", info={"model": body.name})
    said = _saved(motion, output, (rig, character))
    points = points_of(skeleton, done)
    for name in tracks:
        x, y, z = points[skeleton.index(name)]
        print(f"{name} is at {x:.3f}, {y:.3f}, {z:.3f} m")
    return wrote(said, "pose.npz")


def sway(  # noqa: PLR0913
    *, model: str = "willow", air: Annotated[WindForm, Parameter(name="*")] = DEFAULT_WIND, seconds: float = 4.0,
    loop: Switch = False, fps: float = 60.0, mode: str = "drag", only: str = "*", dial: Dials = (), seed: int = 0,
    rig: Rig = DEFAULT_RIG, output: Files = (),
) -> int:
    """Let a plant, hair or a tail move in the wind.

    Args:
        model: rose, lily, willow, grass, tree or another model; tree:7 grows from seed 7; or a file.
        seconds: how long.
        loop: end exactly where it began.
        fps: frames a second.
        mode: drag (forces of the air), displacement (the paper's), modes (lowest mode shapes) or static.
        only: joints that sway, by name, separated by commas, with * for anything: "hair*,tail*"; others rest.
        dial: NAME=VALUE of a dial of the method; `gambol dials sway` lists them.
        seed: of the turbulence.
        output: a file to write, as often as wanted: .npz, .bvh or .glb; with --character also of its own suffix.
    """
    check_targets(output, able_files(rig, MOTION_FILES), (rig.character, rig.roles))
    from gambol.methods.sway import MODES, Sway
    from gambol.synthesis import Task, generate
    from gambol.wind import Wind

    if mode not in MODES:
        raise GambolError(f"no mode is called {mode!r}", where="--mode", do=nearest(mode, MODES))
    if not 0 < seconds <= 3600:
        raise GambolError(f"{seconds:g} s", where="--seconds", allowed="above 0, at most 3600")
    way = _numbers(air.toward, "--toward")
    direction = (way[0], 0.0, way[1]) if len(way) == 2 else (way[0], way[1], way[-1])
    wind = Wind(air.wind, direction, air.gust, air.turbulence)
    body, character = _own_skeleton(model, rig)
    patterns = tuple(p.strip() for p in only.split(",") if p.strip())
    if not any(fnmatchcase(n, p) for n in body.skeleton.names[1:] for p in patterns):
        known = ", ".join(body.skeleton.names[:40])
        raise GambolError(f"no joint is called {only!r}", where="--only", allowed=known)
    task = Task(
        model=body, wind=wind, fps=fps, seed=seed, duration=None if loop else seconds,
        period=seconds if loop else None,
    )
    values: dict[str, Any] = dict(dial_values(Sway, dial))
    motion = generate(Sway(mode=mode, only=patterns, **values), task)
    said = _saved(motion, output, (rig, character))
    print(f"{len(motion)} frames at {motion.fps:g} a second{', a loop' if loop else ''}")
    return wrote(said, "sway.glb")


def dance(  # noqa: PLR0913
    score: Path | None = None, *, song: Song = DEFAULT_SONG, model: Text = None, seconds: float | None = None,
    fps: float | None = None, dial: Dials = (), seed: int = 0, rig: Rig = DEFAULT_RIG, output: Files = (),
    as_json: Json = False,
) -> int:
    """Dance a choreography, or make up a dance to music.

    Args:
        score: a choreography (.toml or .json, docs/dance.md); without one the dance is made up by rules.
        model: who dances, of a dance that is made up: person by default.
        seconds: of a dance that is made up; by default all of the song.
        fps: frames a second; by default what the score says, else 60.
        dial: NAME=VALUE of a dial of the method; `gambol dials dance` lists them.
        seed: of the figures that are made up.
        output: a file to write, as often as wanted: .npz, .bvh or .glb; with --character also of its own suffix.
        as_json: print the key times, tempo and files as JSON.
    """
    check_targets(output, able_files(rig, MOTION_FILES), (score, song.music, rig.character, rig.roles))
    from dataclasses import replace

    from gambol.choreography import dance_to, load_score
    from gambol.methods.elastic_dance import ElasticDance
    from gambol.performance import perform
    from gambol.synthesis import Task

    who, body, character = _who(model or "person", rig)
    if score is not None:
        if song.bpm is not None or model is not None or seconds is not None:
            raise GambolError("a score names its model, time and tempo", where="command line", do="leave them out")
        plan = load_score(score, song.music, None if character is None else who)
    else:
        heard = song.beats(ALONE if seconds is None else seconds)
        if heard is None:
            raise GambolError("no score and no music", where="dance", do="name a score, --music SONG or --bpm 120")
        if seconds is not None:
            count = max(int((heard.times <= seconds).sum()), 2)
            heard = replace(heard, times=heard.times[:count], bars=heard.bars[heard.bars < count],
                            energy=heard.energy[:count])
        plan = dance_to(heard, who, seed)
    values = dial_values(ElasticDance, dial)
    plan = replace(plan, dials={**plan.dials, **values}, fps=plan.fps if fps is None else fps)
    task = Task(fps=60.0 if fps is None else fps, seed=seed)
    motion = perform(plan, task if body is None else replace(task, body=body))
    said = _saved(motion, output, (rig, character))
    keys = [float(k.time) for part in plan.parts for k in part.keys]
    if as_json:
        tempo = None if plan.beats is None else plan.beats.tempo
        made = {"frames": len(motion), "fps": motion.fps, "files": [str(f) for f in output]}
        print_json({"keys_s": keys, "tempo": tempo, **made})
        return 0
    print(f"{len(keys)} postures; {sentences(motion)[0]}")
    return wrote(said, "dance.glb")


def wrote(said: list[str], example: str) -> int:
    """Say what was written."""
    for line in said or [f"nothing written: add -o {example}"]:
        print(line)
    return 0


def _who(model: str, rig: RigForm) -> tuple[Model, Body | None, Character | None]:
    """Who is posed and dances: of a rig its model, its body where it is human, and the rig itself."""
    from gambol.dressing import model_of

    if rig.character is None:
        return read_model(model), None, None
    character = rig.read(human=False)
    return *model_of(character), character


def _own_skeleton(model: str, rig: RigForm) -> tuple[Model, Character | None]:
    """What sways: a model, or the very joints of a rig."""
    from gambol.model import Model

    if rig.character is None:
        return read_model(model), None
    character = rig.read(human=False)
    return Model("", character.skeleton, "plant"), character


def _saved(motion: Motion, output: tuple[Path, ...], rig: tuple[RigForm, Character | None]) -> list[str]:
    """Write a motion, or put it on the rig that it was made for; what to say of it."""
    from gambol.io import save_all

    form, character = rig
    if character is not None:
        return put_on(motion, output, (form, character))[1]
    save_all(motion, output)
    return [f"wrote {file}" for file in output]


def read_model(name: str) -> Model:
    """A built-in model, or the skeleton of a file."""
    from gambol.models import MODELS, model

    if name.partition(":")[0] in MODELS:
        return model(name)
    if Path(name).suffix:
        return _of_file(Path(name))
    raise GambolError(f"no model is called {name!r}", where="--model", do=nearest(name, MODELS))


def _of_file(file: Path) -> Model:
    """The skeleton in a file; a person where its joints are named so."""
    from gambol.io import load_motion
    from gambol.mannequin import is_person
    from gambol.model import Model

    motion = load_motion(file)
    return Model("", motion.skeleton, "person" if is_person(motion.skeleton) else "plant")


def _track(text: str) -> tuple[str, list[list[float]]]:
    name, colon, points = text.partition(":")
    if not colon:
        raise GambolError(f"{text!r} names no point", where="--drag", allowed="JOINT:X,Y,Z in metres")
    rows = [_numbers(p, f"--drag {name}") for p in points.split(";")]
    if any(len(r) != 3 for r in rows):
        raise GambolError(f"{points!r}", where=f"--drag {name}", allowed="three numbers in metres: X,Y,Z")
    return name.strip(), rows


def _numbers(text: str, where: str) -> list[float]:
    try:
        out = [float(t) for t in text.split(",")]
    except ValueError:
        raise GambolError(f"{text!r} are no numbers", where=where, allowed="numbers with commas between") from None
    if len(out) not in (2, 3):
        raise GambolError(f"{text!r} has {len(out)} numbers", where=where, allowed="two or three")
    return out
