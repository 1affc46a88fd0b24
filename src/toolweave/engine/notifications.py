"""Who waits for news of a run, in this process and in others.

Every write to a run is reported here; other processes are notified within about a tenth of a
second, as their database supports it (`storage`). A notification may be lost with the process that
owed it, so waiting callers also poll occasionally. Nobody listens while nobody waits.
"""

import logging
import secrets
from collections.abc import AsyncGenerator, Callable, Collection, Generator
from contextlib import asynccontextmanager, contextmanager, suppress

import anyio

from toolweave.errors import ToolweaveError
from toolweave.storage.database import Database
from toolweave.tasks import background

logger = logging.getLogger(__name__)

# Runs in one notice at most; of more it is only said that there is something.
MAX_NAMED = 150
# Notices go out at most so often, and listening begins again so long after it failed.
TELL_EVERY_S = 0.02
AGAIN_S = 1.0
LEAVE_S = 2.0
# Before a run that somebody else wrote to than the one who holds it.
CALL = "!"

# Called with the runs that others wrote to; nothing means any run.
OnCall = Callable[[Collection[str] | None], None]


class RunNotifications:
    """What is new in runs of one database."""

    def __init__(self, database: Database) -> None:
        self.on_call: OnCall | None = None
        self._database = database
        self._tells = database.tells
        self._own = secrets.token_hex(4)
        self._events: dict[str, anyio.Event] = {}
        self._any: anyio.Event | None = None
        self._listeners = 0
        self._wanted = anyio.Event()
        self._unsaid: dict[str, None] = {}
        self._to_say = anyio.Event()

    def of(self, run: str) -> anyio.Event:
        """Set when something is written to a run; ask before looking at what there is."""
        return self._events.setdefault(run, anyio.Event())

    def any(self) -> anyio.Event:
        """Set when something is written to whichever run."""
        if self._any is None:
            self._any = anyio.Event()
        return self._any

    def happened(self, run: str, *, is_call: bool) -> None:
        """Report a write to a run; a call is addressed to the process that executes it."""
        self._wake_any()
        event = self._events.pop(run, None)
        if event is not None:
            event.set()
        if self._tells:
            self._unsaid[f"{CALL}{run}" if is_call else run] = None
            self._to_say.set()

    @contextmanager
    def listening(self) -> Generator[None]:
        """Somebody waits for what others write."""
        self._listeners += 1
        self._wanted.set()
        try:
            yield
        finally:
            self._listeners -= 1

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Tell others and listen to them; what is unsaid at the end is said."""
        async with background() as tasks:
            tasks.start_soon(self._listen_forever)
            if self._tells:
                tasks.start_soon(self._tell_forever)
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
        with suppress(ToolweaveError):  # who waits looks by itself in the end
            await self._database.tell(f"{self._own}:{named}")

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
        async with self._database.ears() as ears:
            self._heard([""])  # of what was said before, nothing was heard
            while self._listeners:
                self._heard([one for one in await ears.heard() if not one.startswith(self._own)])

    def _heard(self, notices: Collection[str]) -> None:
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
