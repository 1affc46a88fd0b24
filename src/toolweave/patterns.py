"""Regular expressions that are compiled when they are first used.

Compiling one takes a tenth of a millisecond or more; modules hold hundreds, a command uses few.
"""

import re
from typing import Any, AnyStr, cast


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, later; a wrong one raises `re.error` with its first use."""
    return cast("re.Pattern[AnyStr]", _Later(text, flags))


class _Later:
    """Becomes the methods of its pattern with the first of them that is asked for."""

    __slots__ = (
        "_flags",
        "findall",
        "finditer",
        "fullmatch",
        "match",
        "pattern",
        "search",
        "split",
        "sub",
        "subn",
    )

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.pattern = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # Any: whatever a pattern has
        compiled = re.compile(self.pattern, self._flags)
        if name in self.__slots__:
            setattr(self, name, getattr(compiled, name))
        return getattr(compiled, name)

    def __repr__(self) -> str:
        return f"pattern({self.pattern!r})"
