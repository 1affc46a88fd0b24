"""The documentation site at `/docs`: the built files of `docs/`. They need no key."""

import json
from functools import cached_property
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from toolweave.rest.pages import INDEX, POLICY, SAFE, Pages

SITE = Path(__file__).parent / "docs_site"
# Hashes of the inline scripts of the site, written by `scripts/build_docs.py`.
SCRIPTS = "scripts.json"
DOCS_PATH = "/docs/"

NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Toolweave documentation</title></head>
<body><h1>The documentation is not built</h1>
<p>In the clone, run <code>./scripts/docs</code> and load this page again, or read the files in
<code>docs/</code>.</p>
</body></html>
"""


class DocsPages:
    """The pages of the site; its folder is looked at with the first request."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def page(self, request: Request) -> Response:
        """Return a page, or a file that belongs to one."""
        if not (self._folder / INDEX).is_file():
            return Response(NOT_BUILT, 503, headers=SAFE, media_type="text/html")
        name: str = request.path_params["path"]
        if name and name[-1] != "/" and self._pages.has(f"{name}/{INDEX}"):
            return RedirectResponse(f"{DOCS_PATH}{name}/", 307)
        return self._pages.named(request, f"{name}{INDEX}" if not name or name[-1] == "/" else name)

    @cached_property
    def _pages(self) -> Pages:
        hashes = json.loads((self._folder / SCRIPTS).read_text(encoding="ascii"))
        allowed = " ".join(["script-src 'self'", *(f"'{one}'" for one in hashes)])
        policy = POLICY.replace("script-src 'self'", allowed)
        # The search of the site adds a style sheet to its dialog; the pages show no foreign text.
        policy = policy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
        return Pages(self._folder, {**SAFE, "Content-Security-Policy": policy})


async def _to_index(_: Request) -> Response:
    return RedirectResponse(DOCS_PATH, 307)


def docs_routes(folder: Path = SITE) -> list[BaseRoute]:
    """Return the routes of the site; they are not part of the OpenAPI document."""
    pages = DocsPages(folder)
    return [
        Route(DOCS_PATH.rstrip("/"), endpoint=_to_index, methods=["GET"]),
        Route(DOCS_PATH + "{path:path}", endpoint=pages.page, methods=["GET"]),
    ]
