"""Notifications about runs, in this process and in others.

Every write to a run is reported here; other processes are notified within about a tenth of a
second, as their database supports it (`storage`). A notification may be lost with its process, so
waiting callers also poll occasionally. A process listens only while a caller waits.
"""

import logging
import secrets
from collections.abc import AsyncGenerator, Callable, Collection, Generator
from contextlib import asynccontextmanager, contextmanager, suppress

import anyio

from toolweave.errors import ToolweaveError
from toolweave.storage.database import Database
from toolweave.tasks import background, keep_going

logger = logging.getLogger(__name__)

# Runs in one notification; for more it only says that there are some.
MAX_NAMED = 150
# The shortest interval of notifications, and the delay before listening again after a failure.
TELL_EVERY_S = 0.02
AGAIN_S = 1.0
LEAVE_S = 2.0
# Prefix of a run that a process other than its holder wrote to.
CALL = "!"

# Called with the runs that other processes wrote to; None means any run.
OnCall = Callable[[Collection[str] | None], None]


class RunNotifications:
    """Notifications about the runs of one database."""

    def __init__(self, database: Database) -> None:
        self.on_call: OnCall | None = None
        self._database = database
        self._needs_notify = database.needs_notify
        self._own = secrets.token_hex(4)
        self._events: dict[str, anyio.Event] = {}
        self._any: anyio.Event | None = None
        self._listeners = 0
        self._wanted = anyio.Event()
        self._unsaid: dict[str, None] = {}
        self._to_say = anyio.Event()

    def of(self, run: str) -> anyio.Event:
        """Return an event that is set at the next write to a run; call it before reading it."""
        return self._events.setdefault(run, anyio.Event())

    def any(self) -> anyio.Event:
        """Return an event that is set at the next write to any run."""
        if self._any is None:
            self._any = anyio.Event()
        return self._any

    def happened(self, run: str, *, is_call: bool) -> None:
        """Report a write to a run; a call is addressed to the process that executes it."""
        self._wake_any()
        event = self._events.pop(run, None)
        if event is not None:
            event.set()
        if self._needs_notify:
            self._unsaid[f"{CALL}{run}" if is_call else run] = None
            self._to_say.set()

    @contextmanager
    def listening(self) -> Generator[None]:
        """Listen for writes of other processes while this is entered."""
        self._listeners += 1
        self._wanted.set()
        try:
            yield
        finally:
            self._listeners -= 1

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Notify other processes and listen to them; pending notifications are sent at the end."""
        async with background() as tasks:
            tasks.start_soon(keep_going, self._listen_forever)
            if self._needs_notify:
                tasks.start_soon(keep_going, self._tell_forever)
            try:
                yield
            finally:
                if self._unsaid:
                    with anyio.move_on_after(LEAVE_S, shield=True):
                        await self._tell()

    async def _tell_forever(self) -> None:
        while True:
            await self._to_say.wait()
            self._to_say = anyio.Event()
            await self._tell()
            await anyio.sleep(TELL_EVERY_S)

    async def _tell(self) -> None:
        unsaid, self._unsaid = self._unsaid, {}
        named = ",".join(unsaid) if len(unsaid) <= MAX_NAMED else ""
        with suppress(ToolweaveError):  # waiting callers poll in the end
            await self._database.notify(f"{self._own}:{named}")

    async def _listen_forever(self) -> None:
        while True:
            if not self._listeners:
                self._wanted = anyio.Event()
                await self._wanted.wait()
            try:
                await self._listen()
            except ToolweaveError as error:
                logger.info("cannot listen to other processes", extra={"code": error.code})
                await anyio.sleep(AGAIN_S)

    async def _listen(self) -> None:
        async with self._database.listen() as listener:
            self._received([""])  # earlier notifications were not received
            while self._listeners:
                self._received(
                    [one for one in await listener.received() if not one.startswith(self._own)]
                )

    def _received(self, notices: Collection[str]) -> None:
        runs: set[str] = set()
        for notice in notices:
            named = notice.partition(":")[2]
            if not named:
                self._wake(None)
                return
            runs.update(named.split(","))
        if runs:
            self._wake(runs)

    def _wake_any(self) -> None:
        if self._any is not None:
            self._any.set()
            self._any = None

    def _wake(self, runs: Collection[str] | None) -> None:
        self._wake_any()
        if runs is None:
            events, self._events = self._events, {}
            waiting = list(events.values())
        else:
            names = (run.removeprefix(CALL) for run in runs)
            waiting = [self._events.pop(name) for name in names if name in self._events]
        for event in waiting:
            event.set()
        called = None if runs is None else {one[1:] for one in runs if one.startswith(CALL)}
        if self.on_call is not None and (called is None or called):
            self.on_call(called)
