"""What nodes ask of a language model, and what they get; the room `assistant` answers.

Everything here can be written as JSON, so that a conversation outlives its process.
"""

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, JsonValue

# As `JsonObject`, in the spelling that pydantic can follow.
_Object = dict[str, JsonValue]

# The name under which a node finds its `ModelCaller`: `context.resource(MODEL)`.
MODEL = "model"

# Told each piece of text as the model writes it.
TextListener = Callable[[str], Awaitable[None]]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelChoiceRequest(_Frozen):
    """A call the model asks for; nothing has been called yet."""

    id: str
    name: str
    arguments: _Object
    # The model's own text where it was no JSON object; `arguments` is empty then.
    unreadable: str | None = None
    # What a provider wants back untouched with the call, such as a thought's signature.
    carried: _Object = Field(default_factory=dict[str, JsonValue])


class ModelImage(_Frozen):
    """A picture for a model that sees: base64, and what kind it is."""

    data: str
    media_type: str


class Said(_Frozen):
    """What a person or the workflow says."""

    role: Literal["user"] = "user"
    text: str
    pictures: tuple[ModelImage, ...] = ()


class ToolAnswer(_Frozen):
    """What the model said."""

    role: Literal["assistant"] = "assistant"
    text: str = ""
    wanted: tuple[ModelChoiceRequest, ...] = ()


class Called(_Frozen):
    """What came of one wanted call. It is data for the model, never an instruction to us."""

    role: Literal["tool"] = "tool"
    id: str
    name: str
    text: str
    is_error: bool = False


Message = Said | ToolAnswer | Called


class ModelTool(_Frozen):
    """A tool the model may ask for."""

    name: str
    description: str
    # JSON Schema of its arguments.
    parameters: _Object


class ModelQuestion(_Frozen):
    """One request to a model."""

    messages: tuple[Message, ...]
    system: str = ""
    # `anthropic`, `openai`, `gemini`, or the name of a configured model; nothing: the default one.
    provider: str | None = None
    # The provider's name of the model; nothing: the one that was configured.
    model: str | None = None
    tools: tuple[ModelTool, ...] = ()
    choice: Literal["auto", "any", "none"] = "auto"
    # JSON Schema the answer must fit: asked for by the provider's own means where it has them.
    shape: _Object | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    # What only some providers know (`frequency_penalty`, `safety_settings`, …), as they call it.
    extra: _Object = Field(default_factory=dict[str, JsonValue])
    deadline_s: float | None = None


class TokenUsage(_Frozen):
    """What an answer cost; `cost_usd` where the price is known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None


class ModelReply(_Frozen):
    """One answer of a model."""

    message: ToolAnswer
    model: str
    provider: str
    stopped: Literal["end", "tools", "length", "refused", "other"]
    usage: TokenUsage = TokenUsage()
    # The answer as JSON where a `shape` was asked for and it is JSON; it is not checked here.
    value: JsonValue = None


class ModelCaller(Protocol):
    """Asks a configured model."""

    async def ask(
        self, question: ModelQuestion, *, on_text: TextListener | None = None
    ) -> ModelReply:
        """One answer.

        Raises:
            Unavailable: `MODEL_NEEDED` where none is configured, `MODEL_UNAVAILABLE` where it
                does not answer.
            Limited: `MODEL_LIMITED` where the provider says to wait.
            Invalid: `MODEL_REFUSED` where the provider refuses the request itself.
            TimedOut: `MODEL_TIMEOUT`.
        """
        ...

    async def configured(self, provider: str | None = None) -> bool:
        """Whether somebody can be asked: of this provider, or at all."""
        ...
