"""Which tools of servers were shown last, and to whom: only these can be accepted.

A server knows when it is asked for its tools, and could list others when they are accepted.
"""

import hashlib
from collections.abc import Mapping

from toolweave.json_text import JsonObject, canonical

MAX_SHOWN = 1_000


class ShownTools:
    """The last listing of each server that each API key was shown."""

    def __init__(self) -> None:
        self._digests: dict[tuple[str, str], str] = {}

    def note(self, who: str, server: str, definitions: Mapping[str, JsonObject]) -> None:
        """Remember what was shown."""
        if len(self._digests) >= MAX_SHOWN:
            self._digests.clear()
        self._digests[who, server] = _digest(definitions)

    def are(self, who: str, server: str, definitions: Mapping[str, JsonObject]) -> bool:
        """Whether exactly these definitions were shown."""
        return self._digests.get((who, server)) == _digest(definitions)


def _digest(definitions: Mapping[str, JsonObject]) -> str:
    return hashlib.sha256(canonical(dict(definitions))).hexdigest()
