"""Where a secret of the vault may go: the hosts and MCP servers that were allowed for it.

`SecretDestinations.require` is the one gate: HTTP requests and mail of nodes, services, databases
and the environment and headers of servers pass it before they get a secret. A server's approval
shows which secrets it is given, so it allows them; a person allows every other destination.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from toolweave.clock import Clock, timestamp
from toolweave.errors import Denied, Invalid, NotFound
from toolweave.patterns import pattern
from toolweave.storage.damaged_rows import readable
from toolweave.storage.database import Database, Statement

if TYPE_CHECKING:
    from toolweave.access.secret_binding import SecretBinding

# A name, an IPv4 or an IPv6 address.
_HOST = pattern(r"[^\s/:@?#$]{1,253}|[0-9a-f:.]{2,45}")
logger = logging.getLogger(__name__)

_ALLOW = (
    "INSERT INTO secret_destinations (secret, kind, name, allowed_at, allowed_by) "
    "VALUES (?, ?, ?, ?, ?) ON CONFLICT (secret, kind, name) DO NOTHING"
)
_BIND = (
    "INSERT INTO secret_destinations (secret, kind, name, allowed_at, allowed_by) "
    "SELECT name, ?, ?, ?, ? FROM secrets WHERE name = ? "
    "ON CONFLICT (secret, kind, name) DO NOTHING"
)
# A secret of an earlier release, which was stored without hosts; one of two first uses wins.
_BIND_FIRST = (
    "UPDATE secrets SET bound = 1 WHERE name = ? AND bound = 0 AND NOT EXISTS "
    "(SELECT 1 FROM secret_destinations WHERE secret = secrets.name AND kind = 'host') "
    "RETURNING name"
)
_FIND = (
    "SELECT secrets.bound, allowed.name FROM secrets LEFT JOIN secret_destinations AS allowed "
    "ON allowed.secret = secrets.name AND allowed.kind = ? AND allowed.name = ? "
    "WHERE secrets.name = ?"
)
_LIST = (
    "SELECT secrets.name, secrets.bound, allowed.kind, allowed.name FROM secrets "
    "LEFT JOIN secret_destinations AS allowed ON allowed.secret = secrets.name "
    "WHERE secrets.name <> ? ORDER BY secrets.name, allowed.kind, allowed.name"
)


@dataclass(frozen=True, slots=True)
class Destination:
    """A host by its name or address, an MCP server by its name, or nowhere else (`HERE`)."""

    kind: Literal["host", "server", "here"]
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r}"


# The secret is compared here and sent nowhere, or is itself the address.
HERE = Destination("here")


def _binding_record() -> "type[SecretBinding]":
    return import_module("toolweave.access.secret_binding").SecretBinding


def to_host(name: str) -> Destination:
    """Return a host as a destination, in the one spelling that is compared."""
    return Destination("host", name.strip("[]").rstrip(".").lower())


def to_server(name: str) -> Destination:
    """Return an MCP server as a destination."""
    return Destination("server", name)


def check_hosts(destinations: Iterable[Destination]) -> None:
    """Raise unless the hosts are names or addresses. Raises `Invalid`: `SECRET_HOST_INVALID`."""
    for one in destinations:
        if one.kind == "host" and not _HOST.fullmatch(one.name):
            raise Invalid(
                "SECRET_HOST_INVALID",
                f"{one.name!r} is not the name or address of a host",
                hint="give it without scheme, port and path: api.example.com",
            )


class SecretDestinations:
    """The allowed destinations of all secrets."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def require(self, secret: str, to: Destination) -> None:
        """Raise unless a secret may go there. Raises `Denied`: `SECRET_NOT_ALLOWED`."""
        if to.kind == "here":
            return
        found = await self._database.row(_FIND, to.kind, to.name, secret)
        if found is None or found[1] is not None:
            return  # there is no such secret, or it is allowed
        if to.kind == "server":
            await self._allow(secret, to, "the approval of the server")
        elif not found[0] and await self._bind_first(secret):
            logger.warning(
                "a secret of an earlier release was bound to the first host that it is sent to",
                extra={"secret": secret, "host": to.name},
            )
            await self._allow(secret, to, "its first use")
        else:
            raise Denied(
                "SECRET_NOT_ALLOWED",
                f"secret {secret!r} may not be sent to {to}",
                hint=f"if it belongs there: `toolweave secrets allow {secret} {to.name}`",
                facts={"secret": secret, "host": to.name},
            )

    async def _bind_first(self, secret: str) -> bool:
        """Bind a secret that nobody bound; return whether it was used with no host before."""
        bound, *_ = await self._database.at_once([Statement(_BIND_FIRST, (secret,))])
        return bool(bound)

    async def allow(self, secret: str, to: Destination, *, by: str) -> None:
        """Let a secret go to one more destination, and bind it. Raises `SECRET_NOT_FOUND`."""
        await self.bind(secret, [to], by=by)

    async def bind(self, secret: str, destinations: Iterable[Destination], *, by: str) -> None:
        """Let a secret go to these destinations and those known before, and to no other."""
        bound, *_ = await self._database.at_once(self.binding(secret, destinations, by=by))
        if not bound:
            raise NotFound("SECRET_NOT_FOUND", f"the vault has no secret {secret!r}")

    def binding(
        self, secret: str, destinations: Iterable[Destination], *, by: str
    ) -> Sequence[Statement]:
        """Return the statements of `bind`; none of them writes anything without the secret."""
        given = list(destinations)
        check_hosts(given)
        now = timestamp(self._clock.now())
        return [
            Statement("UPDATE secrets SET bound = 1 WHERE name = ? RETURNING name", (secret,)),
            *(Statement(_BIND, (one.kind, one.name, now, by, secret)) for one in given),
        ]

    async def forget(self, secret: str) -> None:
        """Forget the destinations of a deleted secret."""
        await self._database.execute("DELETE FROM secret_destinations WHERE secret = ?", secret)

    async def list(self, hidden: str) -> "list[SecretBinding]":
        """Return all secrets but `hidden`, by name."""
        found: dict[str, tuple[bool, dict[str, list[str]]]] = {}
        for name, bound, kind, destination in await self._database.rows(_LIST, hidden):
            _, places = found.setdefault(name, (bool(bound), {"host": [], "server": []}))
            if kind in places:  # another kind is that of a later version, and allows nothing here
                places[kind].append(destination)
        binding = _binding_record()
        rows = [(name, *bound_to) for name, bound_to in found.items()]
        return readable(
            "secrets",
            rows,
            lambda row: binding(
                name=row[0], is_bound=row[1], hosts=row[2]["host"], servers=row[2]["server"]
            ),
        )

    async def _allow(self, secret: str, to: Destination, by: str) -> None:
        now = timestamp(self._clock.now())
        await self._database.execute(_ALLOW, secret, to.kind, to.name, now, by)
