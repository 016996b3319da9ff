"""The studio's folder: projects and dropped files. Nothing outside it is read or written."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from pathlib import Path
from typing import Any

from gambol.errors import GambolError
from gambol.io.target import replace_all
from gambol.studio.checks import Refused, name_of
from gambol.studio.project import parsed, read_project

__all__ = ["Folder"]

UPLOAD, PROJECT = 256 << 20, 8 << 20  # bytes
NAME = re.compile(r"[\w][\w .()-]{0,79}")  # of a project: letters of any script, digits, _ - . ( ) and blanks
END = ".gambol.json"
MOST_LISTED = 2000
EXPORTS = 16  # made files that wait to be fetched


class Folder:
    """A folder of projects and files, by names that are checked, never by paths.

    Args:
        root: the folder.
        make: whether it is made, with its place for files, where it is not there.
    """

    def __init__(self, root: Path, make: bool = True) -> None:
        if root.exists() and not root.is_dir():
            raise GambolError("it is no folder", where=str(root), allowed="a folder", do="name another: --folder DIR")
        try:
            if make:
                (root / "files").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            do = "name another: --folder DIR"
            raise GambolError(f"it cannot be made ({error.strerror})", where=str(root), do=do) from None
        self.root = root.resolve()

    def token(self) -> str:
        """The word that opens the studio of this folder; made once, readable by the owner alone."""
        file = self.root / ".token"
        if file.is_file() and not file.is_symlink():
            if re.fullmatch(r"[\w-]{32,64}", word := file.read_text(encoding="ascii", errors="replace").strip()):
                os.chmod(file, 0o600)
                return word
            file.unlink()
        word = secrets.token_urlsafe(32)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as out:
            out.write(word + "\n")
        return word

    def port(self, used: int | None = None) -> int | None:
        """The port that was used last, so that a page finds a restarted server; kept where one is given."""
        file = self.root / ".port"
        if used is not None:
            replace_all([(file, f"{used}\n".encode())])
            return used
        try:
            kept = int(file.read_text(encoding="ascii")) if file.is_file() and not file.is_symlink() else 0
        except (OSError, ValueError):
            return None
        return kept if 1024 <= kept < 65536 else None

    def projects(self) -> list[dict[str, Any]]:
        """Names, titles and times (s since 1970) of the projects, the newest first."""
        rows = []
        for file in self.root.glob(f"*{END}"):
            if file.is_symlink() or not file.is_file() or not NAME.fullmatch(file.name.removesuffix(END)):
                continue
            rows.append((file.stat().st_mtime, file))
        rows.sort(key=lambda row: (-row[0], row[1].name))
        return [
            {"name": f.name.removesuffix(END), "title": _title(f), "changed": time} for time, f in rows[:MOST_LISTED]
        ]

    def project(self, name: str) -> bytes:
        """The bytes of a project."""
        file = self._inside(self.root, self._project(name))
        if file.stat().st_size > PROJECT:
            raise Refused(413, "it is too large", where=name, allowed=f"{PROJECT >> 20} MB")
        return file.read_bytes()

    def keep(self, name: str, data: bytes) -> None:
        """Keep a project, whole or not at all; what is no project is refused."""
        if len(data) > PROJECT:
            raise Refused(413, "the project is too large", where=name, allowed=f"{PROJECT >> 20} MB")
        read_project(parsed(data))
        file = self.root / self._project(name)
        if file.is_symlink():
            raise GambolError("it is a link to elsewhere", where=name, do="keep it under another name")
        replace_all([(file, data)])

    def add(self, name: str, data: bytes) -> str:
        """Keep a dropped file; its name in the studio, which says what is in it."""
        if len(data) > UPLOAD:
            raise Refused(413, "the file is too large", where=name[:80], allowed=f"{UPLOAD >> 20} MB")
        plain = re.sub(r"[^\w.() -]", "_", os.path.basename(name.replace("\\", "/")))[-80:].lstrip(". ") or "file"
        kept = name_of(f"{hashlib.sha256(data).hexdigest()[:16]}-{plain}", "file")
        target = self.root / "files" / kept
        if target.is_symlink():
            raise GambolError("it is a link to elsewhere", where=kept, do="remove it from the folder")
        if not target.is_file():
            replace_all([(target, data)])
        return kept

    def file(self, name: str) -> Path:
        """Where a dropped file is."""
        return self._inside(self.root / "files", name_of(name, "file"))

    def export(self, name: str) -> tuple[str, Path]:
        """A place for a made file: its ID, and where to write it. The oldest ones that nobody fetched are removed."""
        place = self.root / "exports"
        place.mkdir(exist_ok=True)
        made = [p for p in place.iterdir() if p.is_dir() and not p.is_symlink()]
        waiting = sorted(made, key=lambda p: p.stat().st_mtime)
        for old in waiting[: max(len(waiting) - EXPORTS + 1, 0)]:
            self.discard(old)
        number = secrets.token_hex(8)
        (place / number).mkdir()
        return number, place / number / name

    def exported(self, number: str, name: str) -> Path:
        """A made file."""
        if not re.fullmatch(r"[0-9a-f]{16}", number) or not NAME.fullmatch(name):
            raise Refused(404, "there is no such file", where=name[:80], do="export it again")
        return self._inside(self.root / "exports" / number, name)

    def discard(self, place: Path) -> None:
        """Remove the folder of an export with its files."""
        for file in place.iterdir():
            file.unlink()
        place.rmdir()

    def _project(self, name: str) -> str:
        if not NAME.fullmatch(name) or name.endswith((" ", ".")):
            allowed = "1 to 80 letters, digits, blanks and _ - . ( )"
            raise GambolError(f"{name[:80]!r} cannot be a name", where="project", allowed=allowed)
        return name + END

    def _inside(self, place: Path, name: str) -> Path:
        """A plain file of the folder: no link, nothing elsewhere."""
        file = place / name
        if file.is_symlink() or place.is_symlink() or not file.is_file() or file.resolve().parent != place.resolve():
            raise Refused(404, "there is no such file", where=name[:80], do="drop it again, or reload the page")
        return file


def _title(file: Path) -> str:
    """The title of a project, or its name where it has none that can be read."""
    plain = file.name.removesuffix(END)
    try:
        if file.stat().st_size > PROJECT:
            return plain
        title = json.loads(file.read_bytes()).get("title", "")
    except (OSError, ValueError, AttributeError, RecursionError):
        return plain
    return title[:200] if isinstance(title, str) and title else plain
