"""Limits that hold across all processes of a database: how many at once, how many per second.

A slot is a row that its process renews; a process that is silent loses it. Times are those of the
database's clock. In each process one task per limit competes for a slot, and waits for a
notification that one is free; it polls only in case that is lost.
"""

import hashlib
import logging
import random
import uuid
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

from toolweave.errors import ToolweaveError
from toolweave.storage.database import Database, Statement
from toolweave.tasks import background, keep_going

logger = logging.getLogger(__name__)

# How long a process may be silent before its slots are free.
HOLD_S = 15.0
# How often a waiting process looks, in case a notification is lost or a holder died.
LOOK_EVERY_S = 2.0
# The shortest wait, and the pause after the database failed.
LEAST_S, AGAIN_S = 0.01, 1.0
_UNLIMITED = 1_000_000_000
_CHANNEL = "limits"

# Of two that compete for a slot, the second waits for this row.
_LOCK = (
    "INSERT INTO limit_states (name, next_at) VALUES (?, 0) "
    "ON CONFLICT (name) DO UPDATE SET name = excluded.name"
)
_EXPIRE = "DELETE FROM limit_holds WHERE name = ? AND held_until < {now}"
# A start that is further ahead than any: the database's clock was set back.
_TAKE = (
    "INSERT INTO limit_holds (id, name, holder, held_until) SELECT ?, ?, ?, {now} + ? "
    "WHERE (SELECT count(*) FROM limit_holds WHERE name = ?) < ? AND EXISTS "
    "(SELECT 1 FROM limit_states WHERE name = ? AND (next_at <= {now} OR next_at > {now} + ?)) "
    "RETURNING id"
)
_COUNT = (
    "UPDATE limit_states SET next_at = {now} + ? WHERE name = ? "
    "AND EXISTS (SELECT 1 FROM limit_holds WHERE id = ?)"
)
_STATE = (
    "SELECT next_at - {now}, (SELECT count(*) FROM limit_holds WHERE name = ?) "
    "FROM limit_states WHERE name = ?"
)
_HOLDERS = "SELECT id, holder FROM limit_holds WHERE name = ?"
_RENEW = "UPDATE limit_holds SET held_until = {now} + ? WHERE id = ?"
_FREE = "DELETE FROM limit_holds WHERE id = ?"


@dataclass(frozen=True, slots=True)
class Limit:
    """What is limited (`server 'demo'`), and by how much."""

    name: str
    concurrent: int | None = None
    per_second: float | None = None

    @property
    def is_set(self) -> bool:
        """Whether it limits anything."""
        return self.concurrent is not None or self.per_second is not None

    @property
    def waiting_text(self) -> str:
        """What is shown while something waits."""
        return f"waits for a free slot of {self.name}"

    @property
    def interval_s(self) -> float:
        """The time between two starts."""
        return 1 / self.per_second if self.per_second else 0.0


@dataclass(frozen=True, slots=True)
class LimitSlot:
    """A slot that is held."""

    id: str
    limit: Limit


@dataclass(frozen=True, slots=True)
class LimitReached:
    """No slot is free; when it is worth to try again, if it is known."""

    wait_s: float | None


class SharedLimits:
    """The limits of one database, as used by one process."""

    def __init__(
        self,
        database: Database,
        holder: str,
        *,
        is_gone: Callable[[str], bool],
        hold_s: float = HOLD_S,
    ) -> None:
        self.hold_s = hold_s
        self._database = database
        self._holder = holder
        self._is_gone = is_gone
        self._held: set[str] = set()
        self._queues: defaultdict[str, anyio.Lock] = defaultdict(anyio.Lock)
        self._freed: defaultdict[str, anyio.Event] = defaultdict(anyio.Event)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Renew the slots of this process while this is entered."""
        async with background() as tasks:
            tasks.start_soon(keep_going, self._renew_forever)
            yield

    async def acquire(
        self, limit: Limit, on_wait: Callable[[str], Awaitable[None]] | None = None
    ) -> LimitSlot:
        """Wait for a slot; `on_wait` is told once that this has to wait."""
        queue = self._queues[limit.name]
        if not queue.locked():  # else others of this process wait already
            found = await self._try(limit)
            if isinstance(found, LimitSlot):
                return found
        if on_wait is not None:
            await on_wait(limit.waiting_text)
        async with queue, background() as tasks:
            tasks.start_soon(self._listen, limit.name)
            while True:
                freed = self._freed[limit.name]
                found = await self._try(limit)
                if isinstance(found, LimitSlot):
                    return found
                wait_s = LOOK_EVERY_S * random.uniform(0.5, 1)
                with anyio.move_on_after(wait_s if found.wait_s is None else found.wait_s):
                    await freed.wait()

    async def take(self, limit: Limit) -> LimitSlot | LimitReached:
        """Take a slot if one is free."""
        slot = uuid.uuid4().hex
        taken, state = await self._take(limit, slot)
        is_full = not taken and state[1] >= (limit.concurrent or _UNLIMITED)
        if is_full and await self._free_of_dead(limit.name):
            taken, state = await self._take(limit, slot)
            is_full = state[1] >= (limit.concurrent or _UNLIMITED)
        if taken:
            self._held.add(slot)
            return LimitSlot(slot, limit)
        return LimitReached(None if is_full else max(state[0], LEAST_S))

    async def release(self, slot: LimitSlot) -> None:
        """Give a slot back and notify those who wait, also if the task is cancelled."""
        self._held.discard(slot.id)
        with anyio.CancelScope(shield=True):
            try:
                await self._database.at_once([Statement(_FREE, (slot.id,))], shared=True)
                await self._notify(slot.limit.name)
            except ToolweaveError as error:  # it expires, as it is not renewed
                logger.warning("a slot is not given back", extra={"code": error.code})

    async def _try(self, limit: Limit) -> LimitSlot | LimitReached:
        """The same as `take`; while the database is away, nothing is free."""
        try:
            return await self.take(limit)
        except ToolweaveError as error:
            logger.warning("cannot take a slot of %s", limit.name, extra={"code": error.code})
            return LimitReached(AGAIN_S)

    async def _take(self, limit: Limit, slot: str) -> tuple[bool, tuple[float, int]]:
        name, interval_s = limit.name, limit.interval_s
        at_most = limit.concurrent or _UNLIMITED
        values = (slot, name, self._holder, self.hold_s, name, at_most, name, 2 * interval_s)
        _, _, taken, _, state = await self._database.at_once(
            [
                Statement(_LOCK, (name,)),
                Statement(self._sql(_EXPIRE), (name,)),
                Statement(self._sql(_TAKE), values),
                Statement(self._sql(_COUNT), (interval_s, name, slot)),
                Statement(self._sql(_STATE), (name, name)),
            ],
            shared=True,
        )
        ((ahead_s, held),) = state
        return bool(taken), (float(ahead_s), int(held))

    async def _free_of_dead(self, name: str) -> bool:
        """Free the slots of processes that have certainly ended; whether there were any."""
        rows = await self._database.rows(_HOLDERS, name)
        gone = {holder: self._is_gone(holder) for holder in {holder for _, holder in rows}}
        dead = tuple((id_,) for id_, holder in rows if gone[holder])
        if dead:
            await self._database.at_once([Statement(_FREE, many=dead)], shared=True)
        return bool(dead)

    async def _notify(self, name: str) -> None:
        self._freed.pop(name, anyio.Event()).set()
        if self._database.needs_notify:
            await self._database.notify(f"{_CHANNEL}:{_token(name)}")

    async def _listen(self, name: str) -> None:
        """Hear that other processes gave slots back."""
        token = _token(name)
        while True:
            try:
                async with self._database.listen() as listener:
                    while True:
                        notices = await listener.received()
                        if any(not one or one.endswith(token) for one in notices):
                            self._freed.pop(name, anyio.Event()).set()
            except ToolweaveError:
                await anyio.sleep(AGAIN_S)

    async def _renew_forever(self) -> None:
        while True:
            await anyio.sleep(self.hold_s / 3)
            held = tuple((self.hold_s, slot) for slot in sorted(self._held))
            if not held:
                continue
            try:
                renewals = [Statement(self._sql(_RENEW), many=held)]
                await self._database.at_once(renewals, shared=True)
            except ToolweaveError as error:
                logger.warning("cannot renew slots", extra={"code": error.code})

    def _sql(self, sql: str) -> str:
        return sql.replace("{now}", self._database.dialect.clock)


def _token(name: str) -> str:
    """The name in a notification; any character may be in a name."""
    return hashlib.sha256(name.encode()).hexdigest()[:16]
