"""A web address in the settings of a node."""

import re

from toolweave.catalog.address_texts import is_url, meant_url
from toolweave.catalog.node_input import refused_at
from toolweave.patterns import pattern

_TEMPLATE = pattern(r"\{\{.*?\}\}|\{[\w.-]+\}", re.DOTALL)


def check_url(url: str, *at: str | int, method: str = "") -> None:
    """Whether an address can be called; a template may still give a part of it.

    The `method` of the request may stand before it, which is a mistake with one answer.

    Raises `Invalid`: `HTTP_URL_INVALID`.
    """
    begins = url.partition("{{")[0].lower()
    is_open = begins != url.lower() and any(
        scheme.startswith(begins) for scheme in ("http://", "https://")
    )
    # A number is possible in every part of an address, also where a port is expected.
    if is_open or is_url(_TEMPLATE.sub("1", url)):
        return
    meant = meant_url(url) if "{" not in url else None
    bare = url.strip().removeprefix(f"{method} ").strip()
    meant = bare if method and is_url(_TEMPLATE.sub("1", bare)) else meant
    raise refused_at(
        at,
        "HTTP_URL_INVALID",
        f"{url[:80]!r} is no web address; expected one that begins with https:// or http://",
        hint=f"write {meant}" if meant else "write it as https://example.com/path",
        is_certain=True,
        fix=meant,
    )
