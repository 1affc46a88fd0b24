"""The registered servers: names, definitions, approval and state, in the database.

Nothing here starts anything. An approval is bound to the hash of the definition that was shown.
"""

import logging
import uuid
from collections.abc import Sequence
from datetime import datetime

from pydantic import ConfigDict, TypeAdapter, ValidationError

from toolweave.clock import Clock, timestamp
from toolweave.errors import Conflict, Invalid, NotFound
from toolweave.json_record import JsonRecord
from toolweave.json_text import write
from toolweave.problems import did_you_mean
from toolweave.servers.config_entry import registered_name_problems
from toolweave.servers.definition import (
    Definition,
    Scope,
    Server,
    ServerId,
    definition_hash,
    with_sign_in,
)
from toolweave.servers.disconnect_reason import printable
from toolweave.storage.database import Database, Row, Transaction, Value
from toolweave.tools.text import look_alike

MAX_FAILURES = 3  # a server is disabled after this many failures in a row
FRESH_S = 1.0
AUTO_DISABLED = "server_auto_disabled"

logger = logging.getLogger(__name__)

_definitions: TypeAdapter[Definition] = TypeAdapter(Definition, config=ConfigDict(defer_build=True))

_COLUMNS = (
    "id, name, definition, scope, found_in, enabled, approved_hash, failure_count, "
    "auto_disabled, last_connected_at, last_failure, created_at, approved_at, approved_by, "
    "max_concurrent, max_per_second, queue"
)


class Notice(JsonRecord):
    """Something that happened in this home and that people should know."""

    at: str
    kind: str
    subject: str
    message: str


class Registry:
    """Reads use a copy that is at most a second old; writes are durable at once."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._known: dict[str, Server] = {}
        self._unreadable: tuple[str, ...] = ()
        self._read_at: float | None = None
        self._writes = 0

    async def list(self) -> tuple[Server, ...]:
        """Return all registered servers, sorted by name."""
        writes, now = self._writes, self._clock.monotonic()
        rows = await self._database.rows(f"SELECT {_COLUMNS} FROM servers ORDER BY name")
        servers, self._unreadable = self._readable(rows)
        if writes == self._writes:  # otherwise it may be older than a concurrent write
            self._known = {server.name: server for server in servers}
            self._read_at = now
        return servers

    @property
    def unreadable(self) -> tuple[str, ...]:
        """The servers that the last list left out: another version of Toolweave wrote them."""
        return self._unreadable

    def _readable(self, rows: Sequence[Row]) -> tuple[tuple[Server, ...], tuple[str, ...]]:
        servers: list[Server] = []
        unreadable: list[str] = []
        for row in rows:
            try:
                servers.append(_server(row))
            except (Invalid, ValueError, TypeError):
                unreadable.append(name := str(row[1]))
                if name not in self._unreadable:
                    logger.warning("a server cannot be read", extra={"server": name})
        return tuple(servers), tuple(unreadable)

    async def get(self, name: str) -> Server:
        """Return the server called `name`."""
        is_fresh = self._read_at is not None and self._clock.monotonic() - self._read_at < FRESH_S
        known = self._known
        if not is_fresh or name not in known:
            known = {server.name: server for server in await self.list()}
        if name not in known:
            if name in self._unreadable:
                raise unreadable_server(name)
            raise NotFound(
                "MCP_SERVER_NOT_FOUND",
                f"there is no server {name!r}",
                hint=did_you_mean(name, known)
                or "`toolweave servers list` shows the registered ones, "
                "`toolweave servers discover` those of other clients",
            )
        return known[name]

    async def add(
        self,
        name: str,
        definition: Definition,
        *,
        scope: Scope = "user",
        found_in: str | None = None,
    ) -> Server:
        """Register a server: disabled and unapproved."""
        for problem in registered_name_problems(name):
            raise Invalid(problem.code, problem.message, hint=problem.hint)
        server = Server(
            id=ServerId(str(uuid.uuid4())),
            name=name,
            definition=definition,
            scope=scope,
            found_in=found_in,
            created_at=self._clock.now(),
        )
        async with self._database.transaction() as change:
            if await change.row("SELECT 1 FROM servers WHERE name = ?", name) is not None:
                raise Conflict(
                    "SERVER_NAME_TAKEN",
                    f"server {name!r} already exists",
                    hint="choose another name, or run `toolweave servers remove` first",
                )
            others = [str(other) for (other,) in await change.rows("SELECT name FROM servers")]
            if (other := look_alike(name, others)) is not None:
                raise Conflict(
                    "SERVER_NAME_TAKEN",
                    f"server {name!a} looks like the server {other!a}",
                    hint="choose a name that cannot be mistaken for it",
                )
            await change.execute(
                f"INSERT INTO servers ({_COLUMNS}) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                *_values(server),
            )
        self._written()
        return server

    async def remove(self, name: str) -> None:
        """Remove a server and its pings; its call history stays."""
        async with self._database.transaction() as change:
            row = await change.row("SELECT id FROM servers WHERE name = ?", name)
            if row is not None:  # also one that cannot be read
                await change.execute("DELETE FROM servers WHERE id = ?", row[0])
                await change.execute("DELETE FROM health WHERE server_id = ?", row[0])
        if row is None:
            await self.get(name)
        self._written()

    async def approve(self, name: str, shown_hash: str, *, by: str | None = None) -> Server:
        """Approve the definition that was shown, and enable the server; record `by` whom."""
        server = await self.get(name)
        if definition_hash(server.definition) != shown_hash:
            raise Conflict(
                "SERVER_CHANGED",
                f"server {name!r} changed after it was shown",
                hint="review it again with `toolweave servers approve`",
            )
        return await self._set(
            server,
            approved_hash=shown_hash,
            approved_at=timestamp(self._clock.now()),
            approved_by=by,
            enabled=1,
            auto_disabled=0,
            failure_count=0,
        )

    async def use_sign_in(self, name: str) -> Server:
        """Have a server sign in with OAuth from now on; its definition is unapproved then."""
        server = with_sign_in(await self.get(name))
        return await self._set(server, definition=write(server.definition.model_dump(mode="json")))

    async def enable(self, name: str) -> Server:
        """Enable a server and reset its failure count."""
        server = await self.get(name)
        return await self._set(server, enabled=1, auto_disabled=0, failure_count=0)

    async def disable(self, name: str) -> Server:
        """Disable a server until it is enabled again."""
        return await self._set(await self.get(name), enabled=0)

    async def limit(self, name: str, *, concurrent: int | None, per_second: float | None) -> Server:
        """Limit the calls of a server in all processes together; None is unlimited."""
        server = await self.get(name)
        return await self._set(server, max_concurrent=concurrent, max_per_second=per_second)

    async def bind(self, name: str, queue: str | None) -> Server:
        """Bind a server to the workers of a queue, or to none."""
        return await self._set(await self.get(name), queue=queue)

    async def queues(self) -> dict[str, str]:
        """Return the queues of servers that are bound to one, by the server's name."""
        return {server.name: server.queue for server in await self.list() if server.queue}

    async def note_connected(self, server: Server) -> Server:
        """Record a success and reset the failure count."""
        now = timestamp(self._clock.now())
        return await self._set(server, last_connected_at=now, failure_count=0, last_failure=None)

    async def note_failure(
        self,
        server: Server,
        reason: str,
        *,
        will_retry: bool = False,
        threshold: int = MAX_FAILURES,
    ) -> Server:
        """Record one more failure in a row; the third one that nobody retries disables the server.

        The one rule for every process that connects: commands, documents, chats and the studio.
        """
        async with self._database.transaction() as change:
            touched = await change.execute(
                "UPDATE servers SET last_failure = ?, failure_count = CASE WHEN failure_count < ? "
                "THEN failure_count + 1 ELSE failure_count END WHERE id = ?",
                printable(reason, 500),
                MAX_FAILURES,
                server.id,
            )
            row = await change.row(
                "SELECT failure_count, enabled FROM servers WHERE id = ?", server.id
            )
            is_over = row is not None and int(str(row[0])) >= threshold and bool(row[1])
            if is_over and not will_retry:
                await self._auto_disable(change, server, printable(reason, 500))
        return await self._after(server, touched)

    async def _auto_disable(self, change: Transaction, server: Server, reason: str) -> None:
        """Disable a server that failed too often, store a notice and log it."""
        await change.execute(
            "UPDATE servers SET enabled = 0, auto_disabled = 1 WHERE id = ?", server.id
        )
        message = (
            f"server {server.name!r} failed {MAX_FAILURES} times in a row and is disabled: {reason}"
        )
        await change.execute(
            "INSERT INTO notices (at, kind, subject, message) VALUES (?, ?, ?, ?)",
            timestamp(self._clock.now()),
            AUTO_DISABLED,
            server.name,
            message,
        )
        logger.warning(
            "server disabled after repeated failures",
            extra={"server": server.name, "reason": reason},
        )

    async def stamp(self) -> str:
        """Return a text that changes whenever a server or its health changes."""
        rows = await self._database.rows(
            "SELECT id, name, enabled, approved_hash, auto_disabled, failure_count, last_failure, "
            "(SELECT max(at) FROM health WHERE server_id = servers.id) FROM servers ORDER BY id"
        )
        return repr(rows)

    async def tools_stamp(self) -> str:
        """Return a text that changes whenever the set of usable servers changes."""
        rows = await self._database.rows(
            "SELECT id, enabled, approved_hash FROM servers ORDER BY id"
        )
        return repr(rows)

    async def notices(self, limit: int = 50) -> Sequence[Notice]:
        """Return the newest notices."""
        rows = await self._database.rows(
            "SELECT at, kind, subject, message FROM notices WHERE kind = ? "
            "ORDER BY id DESC LIMIT ?",
            AUTO_DISABLED,
            limit,
        )
        return [
            Notice(at=str(at), kind=str(kind), subject=str(subject), message=str(text))
            for at, kind, subject, text in rows
        ]

    async def _set(self, server: Server, **columns: Value) -> Server:
        names = ", ".join(f"{column} = ?" for column in columns)
        touched = await self._database.execute(
            f"UPDATE servers SET {names} WHERE id = ?", *columns.values(), server.id
        )
        return await self._after(server, touched)

    async def _after(self, server: Server, touched: int) -> Server:
        """Return the current server; a removed one is gone even if its name was reused."""
        self._written()
        if not touched:
            raise NotFound("MCP_SERVER_NOT_FOUND", f"server {server.name!r} was removed")
        return await self.get(server.name)

    def _written(self) -> None:
        self._writes += 1
        self._read_at = None


def _values(server: Server) -> tuple[Value, ...]:
    return (
        server.id,
        server.name,
        write(server.definition.model_dump(mode="json")),
        server.scope,
        server.found_in,
        int(server.enabled),
        server.approved_hash,
        server.failure_count,
        int(server.auto_disabled),
        timestamp(server.last_connected_at) if server.last_connected_at else None,
        server.last_failure,
        timestamp(server.created_at),
        timestamp(server.approved_at) if server.approved_at else None,
        server.approved_by,
        server.max_concurrent,
        server.max_per_second,
        server.queue,
    )


def read_definition(stored: str, name: str = "") -> Definition:
    """Parse a stored definition. Raises `Invalid`: another version of Toolweave wrote it."""
    try:
        return _definitions.validate_json(stored)
    except ValidationError as error:
        raise unreadable_server(name) from error


def unreadable_server(name: str) -> Invalid:
    """The error for a record that this version cannot read."""
    return Invalid(
        "SERVER_UNREADABLE",
        f"the definition of server {name!r} cannot be read; a later version may have written it",
        hint=f"update Toolweave, or run `toolweave servers remove {name}` and add it again",
    )


def _server(row: Row) -> Server:
    (
        id_,
        name,
        definition,
        scope,
        found_in,
        enabled,
        approved_hash,
        failure_count,
        auto_disabled,
        last_connected_at,
        last_failure,
        created_at,
        approved_at,
        approved_by,
        max_concurrent,
        max_per_second,
        queue,
    ) = row
    return Server.model_validate(
        {
            "id": id_,
            "name": name,
            "definition": read_definition(str(definition), str(name)),
            "scope": scope,
            "found_in": found_in,
            "enabled": bool(enabled),
            "approved_hash": approved_hash,
            "failure_count": failure_count,
            "auto_disabled": bool(auto_disabled),
            "last_connected_at": _moment(last_connected_at),
            "last_failure": last_failure,
            "created_at": _moment(created_at),
            "approved_at": _moment(approved_at),
            "approved_by": approved_by,
            "max_concurrent": max_concurrent,
            "max_per_second": max_per_second,
            "queue": queue,
        }
    )


async def auto_disabled_at(database: Database, name: str) -> datetime | None:
    """Return when the server was last disabled for its failures."""
    row = await database.row(
        "SELECT MAX(at) FROM notices WHERE kind = ? AND subject = ?", AUTO_DISABLED, name
    )
    return _moment(row[0]) if row else None


def _moment(value: object) -> datetime | None:
    return datetime.fromisoformat(str(value)) if value else None
