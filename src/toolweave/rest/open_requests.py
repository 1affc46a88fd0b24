"""The requests that are being answered: those of a key that is revoked end.

One loop serves all of them: a task or cancel scope for each would cost more than most requests.
"""

import asyncio
from contextlib import suppress
from typing import Any, cast

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from toolweave.access.keys import ApiKeys
from toolweave.errors import Unavailable
from toolweave.rest.auth import sent_keys

CHECK_KEYS_EVERY_S = 1.0


class OpenRequests:
    """Knows the task of each request, and interrupts it when its key is not valid any more."""

    def __init__(self, keys: ApiKeys) -> None:
        self._keys = keys
        self._scopes: dict[asyncio.Task[Any], Scope] = {}

    async def answer(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Have `app` answer a request, which ends early when its key is revoked."""
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._scopes[task] = scope
        try:
            await app(scope, receive, send)
        finally:
            del self._scopes[task]

    async def run(self) -> None:
        """Interrupt requests of revoked keys until cancelled."""
        while True:
            await self._keys.clock.sleep(CHECK_KEYS_EVERY_S)
            for task, scope in list(self._scopes.items()):
                state: dict[str, Any] = scope["state"]
                if "key" in state and not await self._is_valid(scope) and task in self._scopes:
                    # Its run is treated as if the caller had disconnected.
                    state.update(is_revoked=True, has_left=True)
                    task.cancel()

    async def _is_valid(self, scope: Scope) -> bool:
        with suppress(Unavailable):  # a database that restarts ends no request
            valid = [await self._keys.check(text) for text in sent_keys(Headers(scope=scope))]
            return scope["state"]["key"].id in {key.id for key in valid if key is not None}
        return True
