"""How many calls may run, in total and for each session (seed 002's ExecutionTracker).

A call over the concurrent limit waits its turn; one over its session's limit, or after the
stop switch, is refused.
"""

import anyio

from toolweave.errors import Limited
from toolweave.settings import Limits
from toolweave.tools.tool import CallId, ToolCall


class ExecutionLimits:
    """Counts of this process; a restart is a new session."""

    def __init__(self, limits: Limits) -> None:
        self.is_stopped = False
        self._limits = limits
        # No CapacityLimiter: a task that answers a tool's question may call another tool.
        self._slots = anyio.Semaphore(limits.concurrent_calls, fast_acquire=True)
        self._active: dict[CallId, ToolCall] = {}
        self._executed: dict[str, int] = {}

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
        """Refuse every new call until `resume`."""
        self.is_stopped = True

    def resume(self) -> None:
        """Allow calls again."""
        self.is_stopped = False

    def start_session(self, scope: str) -> None:
        """Count `scope` from zero again: the person said go on."""
        self._executed.pop(scope, None)

    def check(self, call: ToolCall) -> None:
        """Refuse a call that may not run.

        Raises:
            Limited: `CALLS_STOPPED` or `CALL_SESSION_LIMIT`.
        """
        if self.is_stopped:
            raise Limited(
                "CALLS_STOPPED",
                "all tool calls are stopped",
                hint="somebody used the stop switch; resume to go on",
            )
        limit = self._limits.calls_per_session
        if limit != -1 and _counts(call) and self.executed(call.scope) >= limit:
            raise Limited(
                "CALL_SESSION_LIMIT",
                f"{call.scope!r} has made {limit} tool calls, which is the limit of a session",
                hint="start a new session, or raise TOOLWEAVE_CALLS_PER_SESSION (-1 = unlimited)",
                facts={"limit": limit, "scope": call.scope},
            )

    def running(self, call: ToolCall) -> "Slot":
        """Hold one of the concurrent slots, waiting for it if need be, and count the call."""
        return Slot(self, call)

    async def take(self, call: ToolCall) -> None:
        """Wait for a slot and count `call`.

        Raises:
            Limited: see `check`.
        """
        self.check(call)
        try:
            self._slots.acquire_nowait()
        except anyio.WouldBlock:
            await self._slots.acquire()
            try:
                self.check(call)  # others of this session ran, or a stop came, meanwhile
            except Limited:
                self._slots.release()
                raise
        if _counts(call):
            self._executed[call.scope] = self.executed(call.scope) + 1
        self._active[call.id] = call

    def give_back(self, call: ToolCall) -> None:
        """Let the next call have the slot of `call`."""
        del self._active[call.id]
        self._slots.release()


def _counts(call: ToolCall) -> bool:
    """Whether a call is one of a session; a run makes as many as its workflow says."""
    return call.source != "workflow"


class Slot:
    """Held while it is entered; a class, because a generator would cost every call more."""

    __slots__ = ("_call", "_limits")

    def __init__(self, limits: ExecutionLimits, call: ToolCall) -> None:
        self._limits = limits
        self._call = call

    async def __aenter__(self) -> None:
        await self._limits.take(self._call)

    async def __aexit__(self, *_: object) -> None:
        self._limits.give_back(self._call)
