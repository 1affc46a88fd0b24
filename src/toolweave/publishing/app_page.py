"""The app of a published workflow: one HTML page that hosts with MCP Apps show instead of text.

Built from `web/` into this package (`scripts/build_web.py`). Each tool has an address of its own,
and the page served there knows its tool.
"""

from importlib.resources import files
from urllib.parse import quote, unquote

from toolweave import json_text
from toolweave.errors import Unavailable
from toolweave.json_text import JsonObject

EXTENSION = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
PREFIX = "ui://toolweave/"
FILE = "run_app.html"
# What the build leaves in the page for the name of its tool.
_MARKER = "__TOOLWEAVE_APP__"


def app_uri(tool: str) -> str:
    """The address of a tool's app."""
    return f"{PREFIX}{quote(tool, safe='')}.html"


def tool_of(uri: str) -> str | None:
    """The tool whose app is at an address; `None` for another address."""
    name = uri.removeprefix(PREFIX)
    if not uri.startswith(PREFIX) or not name.endswith(".html"):
        return None
    return unquote(name.removesuffix(".html")) or None


def app_meta(tool: str) -> JsonObject:
    """The entries of a tool's `_meta` that name its app, also under the earlier key."""
    return {"ui": {"resourceUri": app_uri(tool)}, "ui/resourceUri": app_uri(tool)}


def app_page(tool: str) -> str:
    """The page of a tool's app.

    Raises:
        Unavailable: `APP_NOT_BUILT`.
    """
    try:
        page = (files("toolweave.publishing") / "static" / FILE).read_text(encoding="utf-8")
    except OSError:
        hint = "build it with `python scripts/build_web.py`, then install Toolweave again"
        raise Unavailable("APP_NOT_BUILT", "the app was not built", hint=hint) from None
    facts = json_text.write({"tool": tool}).replace("<", "\\u003c")
    return page.replace(_MARKER, facts, 1)
