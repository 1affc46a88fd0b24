"""Requests to a language model and its replies.

Everything here serialises to JSON, so that a conversation survives a restart.
"""

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from toolweave.errors import Unavailable

# As `JsonObject`, in a form that pydantic can resolve.
_Object = dict[str, JsonValue]

# Called with each piece of text as the model writes it.
TextListener = Callable[[str], Awaitable[None]]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class ModelChoiceRequest(_Frozen):
    """A tool call that the model requests; it has not been made yet."""

    id: str
    name: str
    arguments: _Object
    # The model's raw text where it was no JSON object; `arguments` is empty then.
    unreadable: str | None = None
    # Data a provider expects back unchanged with the call, such as a thought signature.
    carried: _Object = Field(default_factory=dict[str, JsonValue])


class ModelImage(_Frozen):
    """An image for a vision model: base64 data and its media type."""

    data: str
    media_type: str


class Said(_Frozen):
    """A message from a user or the workflow."""

    role: Literal["user"] = "user"
    text: str
    pictures: tuple[ModelImage, ...] = ()


class ToolAnswer(_Frozen):
    """A message from the model."""

    role: Literal["assistant"] = "assistant"
    text: str = ""
    wanted: tuple[ModelChoiceRequest, ...] = ()


class Called(_Frozen):
    """The result of one requested call. It is data for the model, never an instruction to us."""

    role: Literal["tool"] = "tool"
    id: str
    name: str
    text: str
    is_error: bool = False


Message = Said | ToolAnswer | Called


class ModelTool(_Frozen):
    """A tool that the model may call."""

    name: str
    description: str
    # JSON Schema of its arguments.
    parameters: _Object


class TextTask(_Frozen):
    """What is done with a text: copy values out of it, or choose one of the labels of it."""

    text: str
    labels: tuple[str, ...] = ()


class ModelQuestion(_Frozen):
    """One request to a model."""

    messages: tuple[Message, ...]
    system: str = ""
    # `anthropic`, `openai`, `gemini`, or the name of a configured model; None for the default.
    provider: str | None = None
    # The provider's name of the model; None for the configured one.
    model: str | None = None
    tools: tuple[ModelTool, ...] = ()
    choice: Literal["auto", "any", "none"] = "auto"
    # JSON Schema of the reply, enforced by the provider where it supports that.
    shape: _Object | None = None
    # The text that the shape is about, for models too small for the whole request.
    text_task: TextTask | None = Field(default=None, exclude=True)
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    # Provider-specific options (`frequency_penalty`, `safety_settings`, …).
    extra: _Object = Field(default_factory=dict[str, JsonValue])
    deadline_s: float | None = None


class TokenUsage(_Frozen):
    """The tokens of a reply; `cost_usd` where the price is known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None


class ModelReply(_Frozen):
    """One reply of a model."""

    message: ToolAnswer
    model: str
    provider: str
    stopped: Literal["end", "tools", "length", "refused", "other"]
    usage: TokenUsage = TokenUsage()
    # The parsed reply where a `shape` was requested and it is JSON; it is not validated here.
    value: JsonValue = None


class ModelCaller(Protocol):
    """Calls a configured model."""

    async def ask(
        self, question: ModelQuestion, *, on_text: TextListener | None = None
    ) -> ModelReply:
        """Send one request and return the reply.

        Raises:
            Unavailable: `MODEL_NEEDED` where none is configured, `MODEL_UNAVAILABLE` where it
                does not respond.
            Limited: `MODEL_LIMITED` where the provider asks to wait.
            Invalid: `MODEL_REFUSED` where the provider rejects the request.
            TimedOut: `MODEL_TIMEOUT`.
        """
        ...

    async def configured(self, provider: str | None = None) -> bool:
        """Return whether a model is configured: of this provider, or any."""
        ...


async def configured_model(model: ModelCaller) -> ModelCaller | None:
    """Return `model` if one is configured and this process can call it."""
    try:
        return model if await model.configured() else None
    except Unavailable:
        return None
