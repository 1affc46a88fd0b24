"""What a tool asks in the middle of a call (MCP elicitation), and who answers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from toolweave.json_text import JsonObject


@dataclass(frozen=True, slots=True)
class ElicitationQuestion:
    """A form to fill, or an address to visit, with the server's words around it."""

    server: str
    message: str
    schema: JsonObject | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class ElicitationAnswer:
    """What the person did with it."""

    action: Literal["accept", "decline", "cancel"]
    content: JsonObject | None = None


Asker = Callable[[ElicitationQuestion], Awaitable[ElicitationAnswer]]
