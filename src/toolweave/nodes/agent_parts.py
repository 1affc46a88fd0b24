"""The parts of a model's work, as the journal keeps them: answers, calls, questions, pauses."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from toolweave.catalog.node import NodeContext
from toolweave.catalog.resources.model import (
    Called,
    Message,
    ModelChoiceRequest,
    ModelReply,
    TokenUsage,
)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)
    at: datetime


class ModelPart(_Part, ModelReply):
    """An answer of the model, and what was said to it just before."""

    kind: Literal["model"] = "model"
    said: tuple[Message, ...] = ()


class ToolPart(_Part, ModelChoiceRequest):
    """A call that was made, or refused, with what came of it."""

    kind: Literal["tool"] = "tool"
    text: str
    is_error: bool = False
    took_ms: int = 0
    # How long people were waited for, which no limit counts.
    waited_ms: int = 0
    value: JsonValue = None


class QuestionPart(_Part):
    """The tool of the next call asks a person; `kept` is what that call goes on with."""

    kind: Literal["question"] = "question"
    message: str
    kept: JsonValue
    waited_ms: int = 0


class PausePart(_Part):
    """The provider failed; the same is asked again."""

    kind: Literal["pause"] = "pause"
    code: str
    message: str


Part = ModelPart | ToolPart | QuestionPart | PausePart
_PARTS = TypeAdapter(tuple[Part, ...], config=ConfigDict(defer_build=True))


def past(context: NodeContext) -> tuple[Part, ...]:
    """What earlier parts of this step left."""
    kept = context.resumed.memory if context.resumed else None
    return _PARTS.validate_python(kept) if isinstance(kept, list) else ()


def messages_of(parts: tuple[Part, ...]) -> list[Message]:
    """The messages that the parts stand for."""
    found: list[Message] = []
    for part in parts:
        match part:
            case ModelPart():
                found += (*part.said, part.message)
            case ToolPart():
                found.append(
                    Called(id=part.id, name=part.name, text=part.text, is_error=part.is_error)
                )
            case _:
                pass
    return found


def missing_calls(parts: tuple[Part, ...]) -> tuple[ModelChoiceRequest, ...]:
    """What the last answer asks for and nobody did yet; ids of providers may come again."""
    made = 0
    for part in reversed(parts):
        if isinstance(part, ModelPart):
            return part.message.wanted[made:]
        made += isinstance(part, ToolPart)
    return ()


def tokens_spent(parts: tuple[Part, ...]) -> TokenUsage:
    """The tokens of all answers together."""
    used = [part.usage for part in parts if isinstance(part, ModelPart)]
    costs = [usage.cost_usd for usage in used if usage.cost_usd is not None]
    return TokenUsage(
        input_tokens=sum(usage.input_tokens for usage in used),
        output_tokens=sum(usage.output_tokens for usage in used),
        cached_tokens=sum(usage.cached_tokens for usage in used),
        cost_usd=sum(costs) if costs else None,
    )


def seconds_spent(parts: tuple[Part, ...], now: datetime) -> float:
    """How long the work took, without the time that people were waited for."""
    waited_ms = sum(part.waited_ms for part in parts if isinstance(part, ToolPart))
    return (now - parts[0].at).total_seconds() - waited_ms / 1000 if parts else 0.0


def waited_ms(parts: tuple[Part, ...], now: datetime) -> int:
    """How long the call that comes next was interrupted by questions."""
    asked = parts[-1]
    if not isinstance(asked, QuestionPart):
        return 0
    return asked.waited_ms + int((now - asked.at).total_seconds() * 1000)
