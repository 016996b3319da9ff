"""Which clip is made of a walk: the whole way, one closed stride, a stand, or the set that a game asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from gambol.errors import GambolError

if TYPE_CHECKING:
    from gambol.motion import Motion
    from gambol.synthesis import Task

__all__ = ["DEFAULT_CLIP", "ClipForm"]

Flag = Parameter(negative=())


@dataclass(frozen=True)
class ClipForm:
    """What is cut out of the walk.

    Attributes:
        loop: one closed stride, no frame twice; the walk goes straight ahead on flat ground, a slope or stairs.
        in_place: the loop without its travel, as on a belt; the speed is stated.
        game_set: named clips in one .glb: idle, start, walk_slow, walk_normal, walk_fast, turn_left, turn_right,
            stop, stairs_up, stairs_down.
        style: of the walk: weary, proud, heavy, light, sneaking, marching, child, old, plain, or a .toml file; or
            several over time: 0:proud,5:weary, blended in between. `gambol styles` says more.
        balance: arms and chest turn such that the body as a whole turns least about the vertical.
    """

    loop: Annotated[bool, Flag] = False
    in_place: Annotated[bool, Flag] = False
    game_set: Annotated[bool, Parameter(name="--set", negative=())] = False
    balance: Annotated[bool, Flag] = False
    style: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None

    def check(self, path: str | None, duration: float | None) -> None:
        """Refuse what does not go together.

        Raises:
            GambolError: with what to leave out.
        """
        cut = "--set" if self.game_set else "--loop"
        if self.style is not None:
            from gambol.style import parse_styles

            if len(parse_styles(self.style)) > 1 and (self.loop or self.game_set):
                raise GambolError("its clips have one style", where=cut, do="name one: --style proud")
        if self.in_place and not (self.loop or self.game_set):
            raise GambolError("only a loop can stay in place", where="--in-place", do="add --loop or --set")
        if self.loop and self.game_set:
            raise GambolError("the set has its loops already", where="--set", do="leave --loop out")
        if not (self.loop or self.game_set):
            return
        if path is not None:
            raise GambolError("it walks straight ahead", where=cut, do="leave --path out")
        if duration is not None:
            raise GambolError("its clips last as long as they take", where=cut, do="leave --duration out")

    def motions(self, method: Any, task: Task) -> list[Motion]:
        """The clips; at a speed of 0 a living stand."""
        if self.style is not None:
            from gambol.style import parse_styles, styled

            method, task = styled(method, task, parse_styles(self.style))
        if self.balance and task.gait.speed != 0:
            from gambol.balance import balanced

            method, _ = balanced(method, task)
        if self.game_set:
            from gambol.clips import clip_set

            return clip_set(method, task, self.in_place)
        if task.gait.speed == 0:
            from gambol.clips import idle

            return [idle(method, task)]
        if self.loop:
            from gambol.loop import loop

            return [loop(method, task, self.in_place)]
        from gambol.synthesis import generate

        return [generate(method, task)]


DEFAULT_CLIP = ClipForm()
