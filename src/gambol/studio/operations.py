"""What a page may ask over its socket: one function for each ``op`` of docs/studio_protocol.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gambol.errors import GambolError
from gambol.forms import nearest
from gambol.studio import posing
from gambol.studio.checks import entries, flag, listed, name_of, number, rows, text, whole
from gambol.studio.clip import clip_arrays
from gambol.studio.driving import Driving, read_steering
from gambol.studio.export import SUFFIXES, export, file_name
from gambol.studio.make import make
from gambol.studio.payload import packed
from gambol.studio.project import Figure, Project, figure_json, read_figure, read_pose, read_project
from gambol.studio.report import heard, reported
from gambol.studio.session import Request, Session
from gambol.studio.workshop import Wearer

__all__ = ["OPERATIONS", "operate"]

MOST_JOINTS = 64  # dragged or fixed at once


def operate(session: Session, request: Request) -> Any:
    """The answer to a request: text entries, or a binary message.

    Raises:
        GambolError: what cannot be done, and why.
        Cancelled: nobody waits any more.
    """
    if request.op not in OPERATIONS:
        raise GambolError(f"nothing is called {request.op!r}", where="op", do=nearest(request.op, OPERATIONS))
    known, work = OPERATIONS[request.op]
    return work(session, request, entries(request.message, known, request.op))


def _make(session: Session, request: Request, given: dict[str, Any]) -> bytes:
    draft = flag(given.get("draft", False), "make: draft")
    project = read_project(given.get("project"))
    shop = session.shop
    motion = make(shop, project, draft, session.watch(request))
    figure = project.figure if project.mode != "view" else _shown(session, project)
    header, arrays = clip_arrays(motion, shop.figure(figure))
    engine = shop.engine(project.go.method) if draft and project.mode == "go" else "numpy"
    return packed({"id": request.number, "engine": engine, "figure": figure_json(figure), **header}, arrays)


def _shown(session: Session, project: Project) -> Figure:
    """Who shows a clip that is looked at: the character it is of, else its own skeleton."""
    view, shop = project.view, session.shop
    own = project.figure.kind == "character" and project.figure.file == view.file
    if own and shop.figure(project.figure).skeleton == shop.clip(view).skeleton:
        return project.figure
    return Figure("clip", file=view.file, clip=view.clip)


def _report(session: Session, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    return reported(session.shop, read_project(given.get("project")), session.watch(request))


def _beats(session: Session, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    offset = number(given.get("offset", 0.0), "beats: offset", -3600, 3600)
    return heard(session.shop.folder.file(name_of(given.get("file"), "beats: file")), offset)


def _posture(session: Session, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    before = given.get("pose")
    return posing.postured(
        _wearer(session, given), text(given.get("text"), "posture: text", 2000),
        None if before is None else read_pose(before),
    )


def _mirror(session: Session, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    return posing.mirror(_wearer(session, given), read_pose(given.get("pose", {})))


def _show(session: Session, request: Request, given: dict[str, Any]) -> bytes:
    header, arrays = posing.shown(_wearer(session, given), read_pose(given.get("pose", {})))
    return packed({"id": request.number, **header}, arrays)


def _grab(session: Session, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    joints, fixed = (
        [text(n, f"grab: {k}", 80) for n in listed(given.get(k, []), f"grab: {k}", MOST_JOINTS)]
        for k in ("joints", "fixed")
    )
    symmetric = flag(given.get("symmetric", False), "grab: symmetric")
    how = symmetric, whole(given.get("reach", 2), "grab: reach", 1, 3), session.shop.engine("posing")
    wearer = _wearer(session, given)
    held = posing.take(wearer, read_pose(given.get("pose", {})), joints, fixed, how)
    session.hold(request.number, held)
    return {"grip": request.number, "limits": posing.limits_table(held.puppet.skeleton, held.puppet.ranges)}


def _pull(session: Session, request: Request, given: dict[str, Any]) -> bytes:
    grip = whole(given.get("grip"), "pull: grip")
    goals = rows(given.get("goals"), "pull: goals", 3, MOST_JOINTS)
    held, header, arrays = posing.pulled(_held(session, grip), goals)
    session.hold(grip, held)
    return packed({"id": request.number, "grip": grip, **header}, arrays)


def _release(session: Session, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    grip = whole(given.get("grip"), "release: grip")
    done = posing.let_go(_held(session, grip))
    session.holds.pop(grip, None)
    return done


def _held(session: Session, grip: int) -> posing.Hold:
    if grip not in session.holds:
        raise GambolError(f"there is no grip {grip}", where="grip", do="grab again")
    return session.holds[grip]


def _drive(session: Session, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    project = read_project(given.get("project"))
    first = read_steering({k: given[k] for k in ("speed", "turn", "gait") if k in given})
    session.drive = Driving(session.shop, project, request.number, first)
    return {"drive": request.number}


def _halt(session: Session, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    drive = session.drive
    if drive is None or drive.number != whole(given.get("drive"), "halt: drive"):
        raise GambolError("there is no such drive", where="halt", do="begin one: drive")
    session.drive = None
    return {"commands": drive.commands()}


def _export(session: Session, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    suffix, shop = text(given.get("suffix"), "export: suffix", 20), session.shop
    if suffix not in SUFFIXES:
        raise GambolError(f"no writer for {suffix!r}", where="export", do=nearest(suffix, SUFFIXES))
    project, options = read_project(given.get("project")), given.get("options") or {}
    if not isinstance(options, dict):
        raise GambolError("they are no table", where="options", allowed="{}")
    place, target = shop.folder.export(file_name(project, suffix))
    try:
        notes = export(shop, project, target, options, session.watch(request))
    except BaseException:
        shop.folder.discard(target.parent)
        raise
    size = target.stat().st_size
    return {"url": f"/api/exports/{place}/{target.name}", "name": target.name, "bytes": size, "notes": notes}


def _wearer(session: Session, given: dict[str, Any]) -> Wearer:
    return session.shop.figure(read_figure(given.get("figure", {})))


Work = Callable[[Session, Request, dict[str, Any]], Any]
OPERATIONS: dict[str, tuple[tuple[str, ...], Work]] = {
    "make": (("project", "draft"), _make),
    "report": (("project",), _report),
    "beats": (("file", "offset"), _beats),
    "posture": (("figure", "text", "pose"), _posture),
    "mirror": (("figure", "pose"), _mirror),
    "show": (("figure", "pose"), _show),
    "grab": (("figure", "pose", "joints", "fixed", "symmetric", "reach"), _grab),
    "pull": (("grip", "goals"), _pull),
    "release": (("grip",), _release),
    "drive": (("project", "speed", "turn", "gait"), _drive),
    "halt": (("drive",), _halt),
    "export": (("project", "suffix", "options"), _export),
}
