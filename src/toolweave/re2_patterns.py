"""Patterns written by users, for RE2: its time is linear in the text, whatever the pattern is."""

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol, cast

import re2  # pyright: ignore[reportMissingTypeStubs] # it has none


class Re2Pattern(Protocol):
    """A compiled pattern."""

    programsize: int

    def search(self, text: str) -> object | None: ...

    def fullmatch(self, text: str) -> object | None: ...


# It has no types.
_compile = cast("Callable[[str, object], Re2Pattern]", re2.compile)  # pyright: ignore[reportUnknownMemberType]
_Error = cast("type[Exception]", re2.error)  # pyright: ignore[reportUnknownMemberType]
escape = cast("Callable[[str], str]", re2.escape)  # pyright: ignore[reportUnknownMemberType]


@lru_cache(maxsize=256)
def compile_re2(pattern: str) -> Re2Pattern | str:
    """Return the compiled pattern, or the reason why it cannot be used."""
    options = re2.Options()
    options.log_errors = False
    try:
        return _compile(pattern, options)
    except _Error as error:
        reason: object = error.args[0]
        return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
