"""Opens the studio in the user's browser, where there is a screen to open it on.

A browser is started with an address among its arguments, which every user of the machine can list.
So it gets the name of a file that only this user can read; the file leads on with the key.
"""

import html
import logging
import sys
import webbrowser
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

from toolweave.storage.files import write_private

logger = logging.getLogger(__name__)

FILE = "open-studio.html"

# A link as well, for a browser that is told not to follow such pages.
_LEADING_ON = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Toolweave</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={url}"></head>
<body><p>Opening the studio. <a href="{url}">Go there</a> if nothing happens.</p></body></html>
"""


def studio_url(base: str, key: str | None) -> str:
    """Where the studio is; the key stands in the fragment, which is sent to nobody."""
    return f"{base}/#token={key}" if key else f"{base}/"


def may_open(environ: Mapping[str, str]) -> bool:
    """Whether a browser can be seen: not on a server, and not where a text browser would start."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return any(environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


@contextmanager
def leading_file(home: Path, url: str) -> Generator[str | None]:
    """A file of the user alone that leads to `url`, as an address to open; gone at the end.

    None where no such file can be kept.
    """
    path = home / FILE
    try:
        path.unlink(missing_ok=True)
        write_private(path, _LEADING_ON.format(url=html.escape(url)))
    except OSError:
        logger.warning("no private file can be kept in the home; open the printed address yourself")
        yield None
        return
    try:
        yield path.resolve().as_uri()
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def open_browser(url: str) -> None:
    """Open `url`; that it cannot be is no failure, as it was printed as well."""
    # Not waited for: some programs in `BROWSER` end only when their window is closed.
    Thread(target=_open, args=(url,), name="browser", daemon=True).start()


def _open(url: str) -> None:
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(url)
