"""A small client of Redis: one connection, one command after the other, replies bounded (RESP2)."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import anyio
from anyio.abc import ByteStream

from toolweave.catalog.resources.stores import RedisReply
from toolweave.errors import Denied, Invalid, TimedOut, ToolweaveError, Unavailable
from toolweave.settings import MIB

DEADLINE_S = 10.0
MAX_LINE_BYTES = 64 * 1024
MAX_BULK_BYTES = 32 * MIB
MAX_ITEMS = 100_000
MAX_NESTING = 4
_DENIED = {"NOAUTH", "WRONGPASS", "NOPERM"}
_BUSY = {
    *("LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "OOM"),
    *("NOREPLICAS", "MISCONF"),
}


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """The parts of a `redis://` or `rediss://` URL."""

    host: str
    port: int
    user: str
    password: str
    database: int
    has_tls: bool


def read_address(url: str) -> RedisAddress:
    """`redis[s]://[user[:password]@]host[:port][/number]`."""
    try:
        parts = urlsplit(url)
        number = parts.path.strip("/") or "0"
        if parts.scheme not in {"redis", "rediss"} or not parts.hostname or not number.isdecimal():
            raise ValueError
        return RedisAddress(
            parts.hostname,
            parts.port or 6379,
            unquote(parts.username or ""),
            unquote(parts.password or ""),
            int(number),
            parts.scheme == "rediss",
        )
    except ValueError:
        raise Invalid(
            "STORE_ADDRESS_INVALID",
            "the url is no address of a Redis",
            hint="expected redis://user:password@host:6379/0, or rediss:// for TLS",
        ) from None


class Redis:
    """An open connection; it cannot be used after a protocol error."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self.is_usable = True

    async def sign_in(self, address: RedisAddress) -> None:
        """Authenticate and select the database."""
        if address.password:
            names = [address.user] if address.user else []
            await self.ask("AUTH", *names, address.password)
        if address.database:
            await self.ask("SELECT", address.database)

    async def ask(self, *words: str | bytes | int) -> RedisReply:
        """Send a command and read its reply.

        Raises:
            ToolweaveError: `REDIS_REFUSED` where Redis says no to this very command.
            Denied: `REDIS_DENIED` where it wants another password or user.
            Unavailable: `REDIS_BUSY`, `REDIS_UNREACHABLE`, `REDIS_PROTOCOL`.
            TimedOut: `REDIS_TIMED_OUT`.
        """
        # Until its reply is read completely, the next bytes belong to this command.
        self.is_usable = False
        try:
            with anyio.fail_after(DEADLINE_S):
                await self._stream.send(_packed(words))
                reply = await self._reply(MAX_NESTING)
        except TimeoutError:
            message = f"Redis did not answer in {DEADLINE_S:g} s"
            raise TimedOut("REDIS_TIMED_OUT", message) from None
        except (anyio.BrokenResourceError, anyio.EndOfStream, OSError):
            raise Unavailable("REDIS_UNREACHABLE", "Redis closed the connection") from None
        self.is_usable = True
        if isinstance(reply, _Refusal):
            raise _error(reply.text)
        return reply

    async def scan(self, pattern: str) -> AsyncGenerator[list[bytes]]:
        """Yield matching keys in batches; a key may be repeated."""
        cursor: bytes = b"0"
        while True:
            reply = await self.ask("SCAN", cursor, "MATCH", pattern, "COUNT", 1000)
            match reply:
                case [bytes(cursor), [*found]]:
                    yield [one for one in found if isinstance(one, bytes)]
                case _:
                    raise _broken("SCAN was answered with something else")
            if cursor == b"0":
                return

    async def aclose(self) -> None:
        """Close the connection."""
        self.is_usable = False
        with anyio.CancelScope(shield=True), anyio.move_on_after(1):
            await self._stream.aclose()

    async def _reply(self, nesting: int) -> "RedisReply | _Refusal":
        line = await self._line()
        kind, rest = line[:1], line[1:]
        match kind:
            case b"+":
                return rest.decode("utf-8", "replace")
            case b"-":
                return _Refusal(rest.decode("utf-8", "replace"))
            case b":":
                return _number(rest)
            case b"$":
                return await self._bulk(_number(rest))
            case b"*":
                return await self._items(_number(rest), nesting)
            case _:
                raise _broken("a reply begins with an unknown sign")

    async def _bulk(self, size: int) -> bytes | None:
        if size == -1:
            return None
        if not 0 <= size <= MAX_BULK_BYTES:
            raise _broken(f"a value has {size} bytes; at most {MAX_BULK_BYTES} are read")
        while len(self._buffer) < size + 2:
            self._buffer += await self._stream.receive(MAX_LINE_BYTES)
        data = bytes(self._buffer[:size])
        del self._buffer[: size + 2]
        return data

    async def _items(self, count: int, nesting: int) -> "list[RedisReply] | None":
        if count == -1:
            return None
        if not 0 <= count <= MAX_ITEMS or nesting == 0:
            raise _broken("a list is too long or too deep")
        found: list[RedisReply] = []
        for _ in range(count):
            one = await self._reply(nesting - 1)
            found.append(one.text if isinstance(one, _Refusal) else one)
        return found

    async def _line(self) -> bytes:
        start = 0
        while (end := self._buffer.find(b"\r\n", start)) < 0:
            if len(self._buffer) > MAX_LINE_BYTES:
                raise _broken("a line does not end")
            start = max(0, len(self._buffer) - 1)
            self._buffer += await self._stream.receive(MAX_LINE_BYTES)
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line


@dataclass(frozen=True, slots=True)
class _Refusal:
    text: str


def _packed(words: tuple[str | bytes | int, ...]) -> bytes:
    parts = [one if isinstance(one, bytes) else str(one).encode() for one in words]
    return b"".join(
        (b"*%d\r\n" % len(parts), *(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
    )


def _number(text: bytes) -> int:
    try:
        return int(text)
    except ValueError:
        raise _broken("a number is none") from None


def _broken(what: str) -> Unavailable:
    return Unavailable(
        "REDIS_PROTOCOL",
        f"what answers is no Redis as we know it: {what}",
        hint="check the address; RESP2 is spoken, by Redis 2 and later, Valkey and KeyDB",
    )


def _error(text: str) -> ToolweaveError:
    kind = text.partition(" ")[0]
    message = f"Redis says: {text[:200]}"
    if kind in _DENIED:
        return Denied("REDIS_DENIED", message, hint="check user and password in the url")
    if kind in _BUSY:
        return Unavailable("REDIS_BUSY", message)
    return ToolweaveError("REDIS_REFUSED", message)
