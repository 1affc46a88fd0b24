"""A web address in the settings of a node."""

import re

from toolweave.catalog.node_input import refused_at

_WHOLE = re.compile(r"https?://[^/?#\s]", re.IGNORECASE)


def check_url(url: str, *at: str | int) -> None:
    """Whether an address can be called; a template may still give its beginning.

    Raises `Invalid`: `HTTP_URL_INVALID`.
    """
    begins = url.partition("{{")[0].lower()
    is_open = begins != url.lower() and any(
        scheme.startswith(begins) for scheme in ("http://", "https://")
    )
    if not url or is_open or _WHOLE.match(url):
        return
    raise refused_at(
        at,
        "HTTP_URL_INVALID",
        f"{url[:80]!r} is no web address; expected one that begins with https:// or http://",
        hint=f"write https://{url}" if _is_host(url) else "write it as https://example.com/path",
        is_certain=True,
    )


def _is_host(url: str) -> bool:
    return re.match(r"[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?(/|$)", url, re.IGNORECASE) is not None
