"""Reports to open pages which topics of this home changed, without the data itself.

Each topic has a version that differs after a change, so a page that was away can compare. Events of
a run come from its journal; here only the fact that something changed is reported. Nothing is
polled while nobody listens.
"""

import hashlib
import logging
import secrets
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager

import anyio

from toolweave.app.running_studio import RunningStudio
from toolweave.engine.open_questions import Questions
from toolweave.errors import ToolweaveError
from toolweave.publishing.store import PublishedStore
from toolweave.tasks import background, keep_going
from toolweave.triggers.activation_store import Activations

logger = logging.getLogger(__name__)

TOPICS = ("servers", "tools", "workflows", "runs", "inbox", "published", "triggers")
LOOK_EVERY_S = 1.0
# A busy run writes hundreds of times a second; pages refetch at most this often.
PAUSE_S = 0.3


def _never() -> bool:
    return False


class ChangeFeed:
    """The versions of all topics; one poll serves all listeners."""

    def __init__(self, studio: RunningStudio, *, is_ending: Callable[[], bool] = _never) -> None:
        home = studio.home
        self._home = home
        self._store = studio.home.workflows
        self._news = studio.engine.journal.notifications
        self._questions = Questions(home.database)
        self._publications = PublishedStore(home.database)
        self._activations = Activations(home.database, home.clock)
        self._is_ending = is_ending
        self._is_over = False
        # Runs have a counter that is local to this process.
        self._boot = secrets.token_hex(4)
        self._runs = 0
        self._versions: dict[str, str] = {}
        self._changed = anyio.Event()
        self._listeners = 0
        self._wanted = anyio.Event()

    @property
    def listeners(self) -> int:
        """The number of listeners."""
        return self._listeners

    @contextmanager
    def listening(self) -> Generator[None]:
        """Count a listener while the context is open."""
        self._listeners += 1
        self._wanted.set()
        try:
            with self._news.listening():  # also for runs of other processes
                yield
        finally:
            self._listeners -= 1

    async def now(self) -> Mapping[str, str]:
        """The version of every topic."""
        return await self._look()

    async def since(self, known: Mapping[str, str]) -> Mapping[str, str] | None:
        """Wait for versions that differ from `known`; empty at shutdown."""
        while not self._is_over:
            changed = self._changed
            now = self._versions
            fresh = {topic: now[topic] for topic in now if known.get(topic) != now[topic]}
            if fresh:
                return fresh
            await changed.wait()
        return None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Poll for changes while there are listeners."""
        async with background() as tasks:
            tasks.start_soon(keep_going, self._count_runs)
            tasks.start_soon(keep_going, self._keep_looking)
            try:
                yield
            finally:
                self._end()

    async def _keep_looking(self) -> None:
        while True:
            if not self._listeners:
                self._wanted = anyio.Event()
                await self._wanted.wait()
            if self._is_ending():
                self._end()
                return
            await self._look()
            await self._home.clock.sleep(LOOK_EVERY_S)

    async def _count_runs(self) -> None:
        news = self._news.any()
        while True:
            await news.wait()
            # Before the pause, so that changes during it are reported after it.
            news = self._news.any()
            self._runs += 1
            if self._listeners:
                await self._look()
            await self._home.clock.sleep(PAUSE_S)

    async def _look(self) -> dict[str, str]:
        try:
            self._versions = await self._read()
        except ToolweaveError as error:
            logger.info("cannot poll for changes", extra={"code": error.code})
            return self._versions
        changed, self._changed = self._changed, anyio.Event()
        changed.set()
        return self._versions

    async def _read(self) -> dict[str, str]:
        registry = self._home.registry
        return {
            "servers": _version(await registry.stamp()),
            "tools": _version(await registry.tools_stamp(), self._home.lockfile.stamp()),
            "workflows": _version(await self._store.stamp()),
            "runs": f"{self._boot}.{self._runs}",
            "inbox": _version(await self._questions.stamp(), await registry.notices(1)),
            "published": _version(await self._publications.versions()),
            "triggers": _version(await self._activations.stamp()),
        }

    def _end(self) -> None:
        self._is_over = True
        self._changed.set()


def _version(*told: object) -> str:
    return hashlib.sha256(repr(told).encode(errors="replace")).hexdigest()[:16]
