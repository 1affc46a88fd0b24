"""The limits of a server's calls, which hold across all processes of a database."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from toolweave.servers.registry import Registry
from toolweave.storage.shared_limits import Limit, LimitSlot, SharedLimits
from toolweave.tasks import paused_deadline
from toolweave.tools.tool import ProgressListener, ToolCall, ToolProgress


class ServerLimits:
    """Gives calls the slots of their server."""

    def __init__(self, registry: Registry, limits: SharedLimits) -> None:
        self._registry = registry
        self._limits = limits

    async def of(self, call: ToolCall, on_progress: ProgressListener | None) -> "ServerSlot":
        """Return the slot of a call; it is taken when it is entered."""
        server = await self._registry.get(call.server)
        limit: Limit | None = None
        has_limit = server.max_concurrent is not None or server.max_per_second is not None
        # Requests about a running task are not calls: they must not wait for it to end.
        if has_limit and call.method == "tools/call":
            name = f"server {server.name!r}"
            limit = Limit(name, server.max_concurrent, server.max_per_second)
        return ServerSlot(self._limits, limit, on_progress)


class ServerSlot:
    """The slot of one call; of a server without limits it is nothing."""

    __slots__ = ("_limit", "_limits", "_on_progress", "_slot")

    def __init__(
        self, limits: SharedLimits, limit: Limit | None, on_progress: ProgressListener | None
    ) -> None:
        self._limits = limits
        self._limit = limit
        self._on_progress = on_progress
        self._slot: LimitSlot | None = None

    @property
    def may_wait(self) -> bool:
        """Whether entering it may take time."""
        return self._limit is not None

    async def __aenter__(self) -> None:
        if self._limit is not None:
            with paused_deadline():  # of the step: it waits for others, it does not work
                self._slot = await self._limits.acquire(self._limit, self._report)

    async def __aexit__(self, *_: object) -> None:
        if self._slot is not None:
            await self._release()

    @asynccontextmanager
    async def paused(self) -> AsyncGenerator[None]:
        """Let other calls have it while a person answers a question of the call."""
        await self._release()
        yield  # after an error the call ends without a slot
        await self.__aenter__()

    async def _release(self) -> None:
        slot, self._slot = self._slot, None
        if slot is not None:
            await self._limits.release(slot)

    async def _report(self, message: str) -> None:
        if self._on_progress is not None:
            await self._on_progress(ToolProgress(0, message=message))
