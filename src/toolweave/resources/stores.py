"""The resource `stores`: the storage of MEMORY nodes.

Files are below one folder of the home. An address a workflow names must be public; a private one
is allowed only if the whole address is stored in the vault, or if private addresses are
allowed in general.
"""

from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

import anyio
from anyio.abc import ByteStream

from toolweave.access.secret_destinations import HERE, to_host
from toolweave.access.secret_text import SecretTexts
from toolweave.catalog.resources.stores import EMBEDDED, KeptValue, VectorIndex
from toolweave.errors import Conflict, Denied, Invalid, NotFound, TimedOut, Unavailable
from toolweave.network.addresses import (
    Address,
    AllowedHosts,
    canonical_host,
    may_connect,
)
from toolweave.network.addresses import read_address as read_ip
from toolweave.network.client import Resolve, default_tls, resolve_name
from toolweave.nodes.memory._storable_text import MAX_VALUE_BYTES
from toolweave.patterns import pattern
from toolweave.resources.files import AllowedFolders
from toolweave.resources.redis import Redis, RedisAddress, read_address
from toolweave.storage.database import Database, open_database
from toolweave.storage.files import make_private_folder
from toolweave.storage.lock import hold
from toolweave.storage.migrations import migrate, shipped

FOLDER = "memory"
CONNECT_S = 10.0
MAX_DATABASES = 16
MAX_IDLE = 4
LOCK_DEADLINE_S = 10.0
LOCK_EVERY_S = 0.02
Origin = tuple[str, str, int]

_WHOLE_REFERENCE = pattern(r"\$\{vault:[^}]+\}")
_POSTGRES_OPTIONS = frozenset({"sslmode", "application_name", "connect_timeout"})


class _Url(NamedTuple):
    """An address with its secrets, and whether it is stored in the vault."""

    text: str
    is_approved: bool


class OpenStores:
    """The `Stores` of this process."""

    def __init__(
        self,
        database: Database,
        folder: Path,
        secrets: SecretTexts,
        stack: AsyncExitStack,
        *,
        allow_private: bool,
        resolve: Resolve,
    ) -> None:
        self.database = database
        self.values: dict[str, KeptValue] = {}
        self.indexes: OrderedDict[str, VectorIndex] = OrderedDict()
        self._folder = folder
        self._files = AllowedFolders([folder], max_file_bytes=MAX_VALUE_BYTES)
        self._secrets = secrets
        self._stack = stack
        self._allow_private = allow_private
        self._resolve = resolve
        self._opened: dict[str, Database] = {}
        self._opening = anyio.Lock()
        self._changing = anyio.Lock()
        self._idle: dict[_Url, list[Redis]] = {}

    async def sqlite(self, path: str) -> Database:
        """Open a SQLite file in the folder; see `Stores`."""
        async with self._opening:
            await anyio.to_thread.run_sync(_make_folder_of, self._folder, path)
            file = await self._files.checked(path)
            return await self._open(str(file), file, has_tables=True)

    async def read(self, path: str) -> bytes | None:
        """Read a file in the folder; see `Stores`."""
        try:
            data, _ = await self._files.read(path, max_bytes=2 * MAX_VALUE_BYTES)
        except NotFound:
            return None
        return data

    async def write(self, path: str, data: bytes) -> None:
        """Replace a file in the folder; see `Stores`."""
        await self._files.write(path, data, mode="overwrite", makes_folders=True)

    @asynccontextmanager
    async def locked(self) -> AsyncGenerator[None]:
        """Lock the files against other writers; see `Stores`."""
        async with self._changing, AsyncExitStack() as stack:
            with anyio.move_on_after(LOCK_DEADLINE_S) as deadline:
                while True:
                    try:
                        stack.enter_context(hold(self._folder / ".lock"))
                        break
                    except Conflict:
                        await anyio.sleep(LOCK_EVERY_S)
            if deadline.cancelled_caught:
                raise Unavailable(
                    "STORAGE_IN_USE", f"another process keeps {str(self._folder)!r} locked"
                )
            yield

    @asynccontextmanager
    async def redis(self, url: str) -> AsyncGenerator[Redis]:
        """Connect to a Redis; see `Stores`."""
        filled = await self._filled(url)
        address = read_address(filled.text)
        idle = self._idle.setdefault(filled, [])
        client = await _awake(idle) or await self._connected(address, filled.is_approved)
        try:
            yield client
        finally:
            if client.is_usable and len(idle) < MAX_IDLE:
                idle.append(client)
            else:
                await client.aclose()

    async def postgres(self, url: str) -> Database:
        """Open a Postgres; see `Stores`."""
        filled = await self._filled(url)
        if filled.text == EMBEDDED:
            return self.database
        parts = _postgres(filled.text)
        addresses = await self._addresses(parts.host, parts.port, filled.is_approved)
        # The driver would resolve the name again and might find another address.
        checked = parts.at(addresses[0])
        async with self._opening:
            return await self._open(checked, checked, has_tables=False)

    async def aclose(self) -> None:
        """Close every Redis connection."""
        for clients in self._idle.values():
            for client in clients:
                await client.aclose()

    async def _open(self, key: str, address: str | Path, *, has_tables: bool) -> Database:
        if key not in self._opened:
            if len(self._opened) >= MAX_DATABASES:
                message = f"{MAX_DATABASES} databases of nodes are open already"
                raise Invalid("STORES_TOO_MANY", message, hint="use one with several key_prefix")
            database = await self._stack.enter_async_context(open_database(address))
            if has_tables:
                await migrate(database, tuple(one for one in shipped() if one.name == FOLDER))
            self._opened[key] = database
        return self._opened[key]

    async def _filled(self, url: str) -> _Url:
        is_whole = _WHOLE_REFERENCE.fullmatch(url) is not None
        to = HERE if is_whole else to_host(urlsplit(url).hostname or "")
        filled = await self._secrets.fill({"url": url}, to)
        # A secret cannot change the host that was checked.
        if not is_whole and urlsplit(filled.texts["url"]).hostname != urlsplit(url).hostname:
            raise Denied("STORE_ADDRESS_DENIED", "a secret cannot be part of the host")
        return _Url(filled.texts["url"], is_whole)

    async def _addresses(self, name: str, port: int, is_approved: bool) -> list[Address]:
        """Return the allowed addresses of a name."""
        try:
            host = canonical_host(name)
        except Denied as error:
            raise Denied("STORE_ADDRESS_DENIED", error.message) from None
        origins = {("tcp", host, port)} if is_approved or self._allow_private else set[Origin]()
        allow = AllowedHosts(frozenset(origins))
        literal = read_ip(host)
        found = [literal] if literal is not None else await self._looked_up(host, port)
        allowed = [one for one in found if may_connect(allow, host, port, one)]
        if not allowed:
            raise Denied(
                "STORE_ADDRESS_DENIED",
                f"no connection is made: {host!r} is at no public address",
                hint="put the whole address into the vault and refer to it: ${vault:NAME}",
            )
        return allowed

    async def _looked_up(self, host: str, port: int) -> list[Address]:
        try:
            with anyio.fail_after(CONNECT_S):
                texts = await self._resolve(host, port)
        except (OSError, UnicodeError):
            message = f"there is no address for {host!r}"
            raise Unavailable("STORE_UNREACHABLE", message, hint="check the address") from None
        return [address for text in texts if (address := read_ip(text)) is not None]

    async def _connected(self, address: RedisAddress, is_approved: bool) -> Redis:
        where = f"{address.host}:{address.port}"
        for one in await self._addresses(address.host, address.port, is_approved):
            try:
                with anyio.fail_after(CONNECT_S):
                    client = Redis(await _dialled(one, address))
            except (OSError, anyio.BrokenResourceError):  # TimeoutError and SSLError are OSErrors
                continue
            try:
                await client.sign_in(address)
            except BaseException:
                await client.aclose()
                raise
            return client
        raise Unavailable(
            "REDIS_UNREACHABLE",
            f"no Redis answers at {where}",
            hint="check that it runs, that its address is right, and its certificate with rediss://",
        )


@asynccontextmanager
async def open_stores(
    database: Database,
    home: Path,
    secrets: SecretTexts,
    *,
    allow_private: bool = False,
    resolve: Resolve = resolve_name,
) -> AsyncGenerator[OpenStores]:
    """Open the stores of a process; everything nodes opened is closed at the end."""
    async with AsyncExitStack() as stack:
        stores = OpenStores(
            database,
            home / FOLDER,
            secrets,
            stack,
            allow_private=allow_private,
            resolve=resolve,
        )
        stack.push_async_callback(stores.aclose)
        yield stores


class _Postgres(NamedTuple):
    host: str
    port: int
    user: str
    password: str
    name: str
    options: Sequence[tuple[str, str]]

    def at(self, address: Address) -> str:
        """Return the URL with the address of its host."""
        who = f"{quote(self.user, safe='')}:{quote(self.password, safe='')}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        options = urlencode([*self.options, ("hostaddr", str(address))])
        return f"postgresql://{who}{host}:{self.port}/{quote(self.name, safe='')}?{options}"


def _postgres(url: str) -> _Postgres:
    try:
        parts = urlsplit(url)
        options = parse_qsl(parts.query, strict_parsing=True) if parts.query else []
        is_known = parts.scheme in {"postgres", "postgresql"} and parts.path.count("/") == 1
        if not is_known or not parts.hostname or "," in parts.netloc:
            raise ValueError
        if {name for name, _ in options} - _POSTGRES_OPTIONS:
            raise ValueError
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        name = unquote(parts.path[1:])
        return _Postgres(parts.hostname, parts.port or 5432, user, password, name, options)
    except ValueError:
        raise Invalid(
            "STORE_ADDRESS_INVALID",
            "the database_url is neither 'embedded' nor an address of a Postgres",
            hint="expected postgresql://user:password@host:5432/name, with at most "
            + ", ".join(sorted(_POSTGRES_OPTIONS)),
        ) from None


async def _awake(idle: list[Redis]) -> Redis | None:
    """Return a reused connection that still responds."""
    while idle:
        client = idle.pop()
        try:
            await client.ask("PING")
        except (Unavailable, TimedOut):
            await client.aclose()
        else:
            return client
    return None


async def _dialled(at: Address, address: RedisAddress) -> ByteStream:
    if not address.has_tls:
        return await anyio.connect_tcp(str(at), address.port)
    return await anyio.connect_tcp(
        str(at),
        address.port,
        tls=True,
        ssl_context=default_tls(),
        tls_hostname=address.host,
        tls_standard_compatible=False,
    )


def _make_folder_of(root: Path, path: str) -> None:
    make_private_folder(root)
    parent = (root / path).parent
    if "\0" not in path and parent.resolve().is_relative_to(root.resolve()):
        make_private_folder(parent)
