"""The interface of a model provider: encode a request, decode the response.

A streamed response is assembled into the plain form and then decoded the same way.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from toolweave.catalog.resources.model import ModelQuestion, ModelReply
from toolweave.json_text import JsonObject

# Stop reasons of a `Reply`.
Stopped = Literal["end", "tools", "length", "refused", "other"]
# How a model gives structured answers: by tool calls, by JSON of a requested schema
# (`response_format`, or Ollama's `format`), or only in a text that asks for JSON.
StructuredOutput = Literal["tools", "json_schema", "format", "text"]


@dataclass(frozen=True, slots=True)
class Target:
    """The model and its address."""

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Request:
    """The HTTP request; always a POST of JSON."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: JsonObject


class Stream(Protocol):
    """Assembles the events of a streamed response."""

    def take(self, event: JsonObject) -> str:
        """Add an event and return its text, often empty.

        Raises `Unreadable`: the event does not match the provider's format; `Broken`: the provider
        reported a failure in the stream.
        """
        ...

    @property
    def is_complete(self) -> bool:
        """Whether the response is complete."""
        ...

    def answer(self) -> JsonObject:
        """Return the response in plain form."""
        ...


class Provider(Protocol):
    """One wire format."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str:
        """The display name."""
        ...

    @property
    def base_url(self) -> str | None:
        """The default base URL."""
        ...

    @property
    def model(self) -> str | None:
        """The default model."""
        ...

    @property
    def key_variable(self) -> str | None:
        """The environment variable for its key."""
        ...

    @property
    def structured_output(self) -> StructuredOutput | None:
        """How its models give structured answers; `None` where it differs and is probed."""
        ...

    def request(self, question: ModelQuestion, target: Target, *, streams: bool) -> Request:
        """Encode a request for this provider."""
        ...

    def stream(self) -> Stream:
        """Return an assembler for one streamed response."""
        ...

    def read(self, answer: JsonObject, question: ModelQuestion) -> ModelReply:
        """Decode a plain response. Raises `Unreadable` for another format."""
        ...


class Broken(Exception):
    """The provider reported a failure during a stream."""

    def __init__(self, message: str, *, is_limited: bool = False) -> None:
        super().__init__(message)
        self.is_limited = is_limited
