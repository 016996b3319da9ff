"""``gambol studio``, ``gambol view`` and ``gambol export-html``: the page, and a page to send."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from gambol.errors import GambolError
from gambol.words import check_targets

__all__ = ["export_html", "studio", "view"]

Folder = Annotated[Path, Parameter(name="--folder")]
Quiet = Annotated[bool, Parameter(name="--no-browser", negative=())]
USUAL = Path("gambol-studio")


def studio(
    *, port: int | None = None, no_browser: Quiet = False, folder: Folder = USUAL, host: str = "127.0.0.1"
) -> int:  # fmt: skip
    """Open the studio: draw paths, drag joints, steer, dance, and take the files away.

    Args:
        port: of the page; by default the one used last in this folder.
        no_browser: only print the address.
        folder: where projects and dropped files are kept; made if it is not there.
        host: address to listen on; others than 127.0.0.1 let the network in.
    """
    return _served(folder, port, host, no_browser)


def view(
    file: Path, *, clip: str | None = None, port: int | None = None, no_browser: Quiet = False, folder: Folder = USUAL,
) -> int:  # fmt: skip
    """Look at a motion on the studio's stage.

    Args:
        file: any motion or character that gambol reads.
        clip: name of the clip, in a file of several.
        port: of the page; by default the one used last in this folder.
        no_browser: only print the address.
        folder: the studio's folder, into which the file is copied.
    """
    from gambol.studio.viewing import viewed

    return _served(folder, port, "127.0.0.1", no_browser, viewed(folder, file, clip))


def export_html(
    file: Path, *, output: Annotated[Path, Parameter(name=["--output", "-o"])], clip: str | None = None,
    mesh: bool = True,
) -> int:  # fmt: skip
    """Write one page that plays a clip anywhere, by itself, for sharing.

    Args:
        file: any motion that gambol reads.
        output: the page to write: .html.
        clip: name of the clip, in a file of several.
        mesh: with a skin where the figure has one.
    """
    check_targets([output], (".html", ".htm"), (file,))
    from gambol.io.target import replace_all
    from gambol.studio.player import player_page

    page = player_page(file, clip)
    replace_all([(output, page)])
    print(f"wrote {output}: {len(page) / 1e6:.1f} MB, opens in any browser")
    return 0


def _served(folder: Path, port: int | None, host: str, quiet: bool, opens: str = "") -> int:
    from gambol.studio.run import Settings, serve

    if not host:
        raise GambolError("no address", where="--host", allowed="127.0.0.1, or another address of this machine")
    serve(Settings(folder, host, port, not quiet, opens), lambda line: print(line, flush=True))
    return 0
