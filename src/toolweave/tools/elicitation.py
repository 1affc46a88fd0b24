"""Questions of a tool during a call (MCP elicitation), and their answers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from toolweave.json_text import JsonObject


@dataclass(frozen=True, slots=True)
class ElicitationQuestion:
    """A form to fill in or an address to open, with the server's message."""

    server: str
    message: str
    schema: JsonObject | None = None
    url: str | None = None
    # Whether the tool may be called again to be given the answer, as the newest protocol does.
    is_repeatable: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class ElicitationAnswer:
    """The person's answer."""

    action: Literal["accept", "decline", "cancel"]
    content: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question with its answer."""

    question: ElicitationQuestion
    answer: ElicitationAnswer


Asker = Callable[[ElicitationQuestion], Awaitable[ElicitationAnswer]]
