"""The first answers of the studio: its page and its probe, before REST is loaded.

REST needs FastAPI and most of the package, which take longer to load than all that the page and the
runs need. It is loaded in a thread after the first page, with the first request that needs it, or
after a moment.
"""

from collections.abc import Callable

import anyio
import anyio.to_thread
from starlette.routing import Match
from starlette.types import ASGIApp, Receive, Scope, Send

from toolweave.rest.pages import page_routes
from toolweave.rest.probe import PROBE_PATH, alive

LOAD_AFTER_S = 0.5


class StudioApp:
    """Answers the page and the probe, and passes every other request on to `api`."""

    def __init__(
        self, create: Callable[[], ASGIApp], on_loaded: Callable[[], None] = lambda: None
    ) -> None:
        """`create` loads and creates the API; it is called once, in a thread."""
        self._create = create
        self._on_loaded = on_loaded
        self._pages = page_routes()
        self._wanted = anyio.Event()
        self._api: ASGIApp | None = None
        self.loaded = anyio.Event()

    async def load(self) -> None:
        """Load the API once it is wanted."""
        with anyio.move_on_after(LOAD_AFTER_S):
            await self._wanted.wait()
        self._api = await anyio.to_thread.run_sync(self._create)
        self._on_loaded()
        self.loaded.set()

    async def api(self) -> ASGIApp:
        """The API, after it is loaded."""
        self._wanted.set()
        await self.loaded.wait()
        assert self._api is not None
        return self._api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if self._api is not None:
            await self._api(scope, receive, send)
            return
        if scope["type"] == "http":
            if (scope["method"], scope["path"]) == ("GET", PROBE_PATH):
                await (await alive())(scope, receive, send)
                return
            for page in self._pages:
                match, found = page.matches(scope)
                if match is Match.FULL:
                    await page.handle({**scope, **found}, receive, send)
                    self._wanted.set()  # the page asks for data next
                    return
        await (await self.api())(scope, receive, send)
