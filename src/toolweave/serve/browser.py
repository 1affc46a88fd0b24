"""Opens the studio in the user's browser, if there is a display.

Every user of the machine can list a process's arguments, so the browser gets the path of a file
that only this user can read; the file redirects to the URL with the key.
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

# Also a link, for browsers that do not follow redirects in pages.
_REDIRECT_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Toolweave</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={url}"></head>
<body><p>Opening the studio. <a href="{url}">Open it</a> if nothing happens.</p></body></html>
"""


def studio_url(base: str, key: str | None) -> str:
    """The studio's URL; the key is in the fragment, which browsers do not send."""
    return f"{base}/#token={key}" if key else f"{base}/"


def may_open(environ: Mapping[str, str]) -> bool:
    """Whether there is a display; not on a server, where a text browser would start."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return any(environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


@contextmanager
def leading_file(home: Path, url: str) -> Generator[str | None]:
    """Write a private file that redirects to `url`; yield its URL, or `None` if impossible."""
    path = home / FILE
    try:
        path.unlink(missing_ok=True)
        write_private(path, _REDIRECT_PAGE.format(url=html.escape(url)))
    except OSError:
        logger.warning("cannot write a private file in the home; open the printed URL yourself")
        yield None
        return
    try:
        yield path.resolve().as_uri()
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def open_browser(url: str) -> None:
    """Open `url`; a failure is ignored, as the URL was printed."""
    # In a thread: some programs in `BROWSER` return only when their window is closed.
    Thread(target=_open, args=(url,), name="browser", daemon=True).start()


def _open(url: str) -> None:
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(url)
