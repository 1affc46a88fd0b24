"""What a store of keys can do, whatever it keeps them in; how one is searched by a pattern."""

from dataclasses import dataclass
from typing import Protocol

from toolweave.re2_patterns import compile_re2, escape


@dataclass(frozen=True, slots=True)
class Now:
    """The moment of an operation, and the step it belongs to."""

    at_s: float
    step: str


@dataclass(frozen=True, slots=True)
class Room:
    """How many keys may begin with a prefix."""

    prefix: str
    max_keys: int


class KeyStore(Protocol):
    """Texts under keys. What has expired is not there."""

    async def get(self, key: str) -> str | None: ...

    async def has(self, key: str) -> bool: ...

    async def set(self, key: str, text: str, *, ttl_s: float, room: Room) -> bool:
        """Keep `text`, for good where `ttl_s` is 0; false where there is no room."""
        ...

    async def delete(self, key: str) -> None: ...

    async def names(self, prefix: str) -> list[str]:
        """Every key that begins with `prefix`, in any order."""
        ...

    async def clear(self, prefix: str) -> None: ...


def matches(name: str, pattern: str) -> bool:
    """Whether `name` is as `pattern` says: `*` is any text, `?` any character."""
    parts = {"*": ".*", "?": "."}
    compiled = compile_re2("(?s)" + "".join(parts.get(one) or escape(one) for one in pattern))
    assert not isinstance(compiled, str)  # every character is escaped
    return compiled.fullmatch(name) is not None
