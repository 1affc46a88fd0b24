"""What a provider of models is: how a question becomes a request, and an answer a reply.

A streamed answer is put together to what a plain one would have been and then read the same way.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from toolweave.json_text import JsonObject
from toolweave.nodes.model import ModelQuestion, ModelReply

# Why an answer ended, as `Reply` has it.
Stopped = Literal["end", "tools", "length", "refused", "other"]


@dataclass(frozen=True, slots=True)
class Target:
    """Which model is asked, and where."""

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent; always a POST of JSON."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: JsonObject


class Stream(Protocol):
    """Takes the events of a streamed answer one by one."""

    def take(self, event: JsonObject) -> str:
        """The text that this event adds, often none.

        Raises:
            Unreadable: it is not what this provider sends.
            Broken: the provider says in the stream that it failed.
        """
        ...

    @property
    def is_complete(self) -> bool:
        """Whether the provider said that this was all."""
        ...

    def answer(self) -> JsonObject:
        """What a plain answer would have been."""
        ...


class Provider(Protocol):
    """One wire format."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str:
        """What people call it."""
        ...

    @property
    def base_url(self) -> str | None:
        """Where it is unless somebody says otherwise."""
        ...

    @property
    def model(self) -> str | None:
        """The model that is asked unless somebody names one."""
        ...

    @property
    def key_variable(self) -> str | None:
        """The environment variable that usually holds its key."""
        ...

    def request(self, question: ModelQuestion, target: Target, *, streams: bool) -> Request:
        """The question as this provider wants it."""
        ...

    def stream(self) -> Stream:
        """Puts one streamed answer together."""
        ...

    def read(self, answer: JsonObject, question: ModelQuestion) -> ModelReply:
        """The reply in a plain answer.

        Raises:
            Unreadable: it is not what this provider answers.
        """
        ...


class Broken(Exception):
    """The provider said in the middle of a stream that it failed."""

    def __init__(self, message: str, *, is_limited: bool = False) -> None:
        super().__init__(message)
        self.is_limited = is_limited
