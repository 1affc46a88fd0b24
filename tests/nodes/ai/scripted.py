"""A model whose answers a test writes down, and a gate whose tools do as told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from toolweave.catalog.resources.model import (
    ModelChoiceRequest,
    ModelQuestion,
    ModelReply,
    TextListener,
    TokenUsage,
    ToolAnswer,
)
from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.tools.tool import Content, ToolCall, ToolResult

USAGE = TokenUsage(input_tokens=10, output_tokens=5, cost_usd=0.001)


@dataclass
class ScriptedCaller:
    """Gives its answers one after another; an error is raised, the last one stays."""

    answers: Sequence[ModelReply | ToolweaveError]
    asked: list[ModelQuestion] = field(default_factory=list[ModelQuestion])

    async def ask(
        self, question: ModelQuestion, *, on_text: TextListener | None = None
    ) -> ModelReply:
        self.asked.append(question)
        answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if isinstance(answer, ToolweaveError):
            raise answer
        if on_text is not None:
            await on_text(answer.message.text)
        return answer

    async def configured(self, provider: str | None = None) -> bool:
        return True


@dataclass
class Tools:
    """A gate that notes its calls."""

    behaves: Callable[[ToolCall], str] = lambda call: f"{call.tool} did it"
    made: list[ToolCall] = field(default_factory=list[ToolCall])

    async def call(self, call: ToolCall, *, on_progress: object = None) -> ToolResult:
        self.made.append(call)
        return ToolResult((Content("text", text=self.behaves(call)),))


def says(text: str, value: JsonObject | None = None) -> ModelReply:
    message = ToolAnswer(text=text)
    return ModelReply(
        message=message, model="m-1", provider="test", stopped="end", usage=USAGE, value=value
    )


def wants(*calls: tuple[str, JsonObject], unreadable: str | None = None) -> ModelReply:
    wanted = tuple(
        ModelChoiceRequest(id=f"c{index}", name=name, arguments=arguments, unreadable=unreadable)
        for index, (name, arguments) in enumerate(calls)
    )
    message = ToolAnswer(wanted=wanted)
    return ModelReply(message=message, model="m-1", provider="test", stopped="tools", usage=USAGE)
