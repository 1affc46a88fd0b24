"""Opens the studio in the user's browser, where there is a screen to open it on."""

import sys
import webbrowser
from collections.abc import Mapping
from contextlib import suppress


def studio_url(base: str, key: str | None) -> str:
    """Where the studio is; the key stands in the fragment, which is sent to nobody."""
    return f"{base}/#token={key}" if key else f"{base}/"


def may_open(environ: Mapping[str, str]) -> bool:
    """Whether a browser can be seen: not on a server, and not where a text browser would start."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return any(environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def open_browser(url: str) -> None:
    """Open `url`; that it cannot be is no failure, as it was printed as well."""
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(url)
