"""Limits on tool calls: concurrent calls, and calls per session.

A call over the concurrency limit waits; one over its session limit, or after the
stop switch, is rejected.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from toolweave.errors import Limited
from toolweave.settings import Limits
from toolweave.tools.tool import CallId, ToolCall


class ExecutionLimits:
    """Counters of this process; a restart begins a new session."""

    def __init__(self, limits: Limits) -> None:
        self.is_stopped = False
        self.total_executed = 0  # since this process started
        self._stopped_scopes: set[str] = set()
        self._limits = limits
        # No CapacityLimiter: a task that answers a tool's question may call another tool.
        self._slots = anyio.Semaphore(limits.concurrent_calls, fast_acquire=True)
        self._active: dict[CallId, ToolCall] = {}
        self._executed: dict[str, int] = {}
        self._paused: set[CallId] = set()  # calls that hold no slot, as a person is asked

    @property
    def is_full(self) -> bool:
        """Whether the next call has to wait."""
        return self._slots.value == 0

    @property
    def active(self) -> tuple[ToolCall, ...]:
        """The calls running now."""
        return tuple(self._active.values())

    def executed(self, scope: str) -> int:
        """How many calls `scope` has made in this session."""
        return self._executed.get(scope, 0)

    def stop(self) -> None:
        """Reject all new calls until `resume`."""
        self.is_stopped = True

    def resume(self) -> None:
        """Allow calls again."""
        self.is_stopped = False

    def stop_session(self, scope: str) -> None:
        """Reject the further calls of `scope`."""
        self._stopped_scopes.add(scope)

    def start_session(self, scope: str) -> None:
        """Reset the count of `scope`, after a person confirmed."""
        self._executed.pop(scope, None)
        self._stopped_scopes.discard(scope)

    def check(self, call: ToolCall) -> None:
        """Reject a call that exceeds a limit. Raises `CALLS_STOPPED` or `CALL_SESSION_LIMIT`."""
        if call.scope in self._stopped_scopes:
            raise Limited("CALLS_STOPPED", "its tool calls were stopped", hint="run it again")
        if self.is_stopped:
            raise Limited(
                "CALLS_STOPPED",
                "all tool calls are stopped",
                hint="resume tool calls to continue",
            )
        limit = self._limits.calls_per_session
        if limit != -1 and _counts(call) and self.executed(call.scope) >= limit:
            raise Limited(
                "CALL_SESSION_LIMIT",
                f"{call.scope!r} reached the limit of {limit} tool calls per session",
                hint="start a new session, or raise TOOLWEAVE_CALLS_PER_SESSION (-1 = unlimited)",
                facts={"limit": limit, "scope": call.scope},
            )

    def running(self, call: ToolCall) -> "Slot":
        """Wait for one of the concurrent slots, hold it, and count the call."""
        return Slot(self, call)

    async def take(self, call: ToolCall) -> None:
        """Wait for a slot and count `call`. Raises `Limited`: see `check`."""
        self.check(call)
        try:
            self._slots.acquire_nowait()
        except anyio.WouldBlock:
            await self._slots.acquire()
            try:
                self.check(
                    call
                )  # the session's count or the stop switch may have changed while waiting
            except Limited:
                self._slots.release()
                raise
        if _counts(call):
            self._executed[call.scope] = self.executed(call.scope) + 1
        self.total_executed += 1
        self._active[call.id] = call

    @asynccontextmanager
    async def paused(self, call: ToolCall) -> AsyncGenerator[None]:
        """Let other calls have the slot of `call` while a person answers its question."""
        if call.id in self._paused:
            yield
            return
        self._paused.add(call.id)
        self._slots.release()
        yield  # after an error the call ends without a slot
        await self._slots.acquire()
        self._paused.discard(call.id)

    def give_back(self, call: ToolCall) -> None:
        """Release the slot of `call` to the next call."""
        del self._active[call.id]
        if call.id in self._paused:
            self._paused.discard(call.id)
        else:
            self._slots.release()


def _counts(call: ToolCall) -> bool:
    """Whether a call counts for a session; calls of workflow runs do not."""
    return call.source != "workflow"


class Slot:
    """A held slot; a class, because a generator would be slower for every call."""

    __slots__ = ("_call", "_limits")

    def __init__(self, limits: ExecutionLimits, call: ToolCall) -> None:
        self._limits = limits
        self._call = call

    async def __aenter__(self) -> None:
        await self._limits.take(self._call)

    async def __aexit__(self, *_: object) -> None:
        self._limits.give_back(self._call)
