"""A model whose answers a test writes down, and a gate whose tools do as told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.nodes.model import Answered, Question, Reply, TextListener, Usage, Wanted
from toolweave.tools.tool import Content, ToolCall, ToolResult

USAGE = Usage(input_tokens=10, output_tokens=5, cost_usd=0.001)


@dataclass
class ScriptedCaller:
    """Gives its answers one after another; an error is raised, the last one stays."""

    answers: Sequence[Reply | ToolweaveError]
    asked: list[Question] = field(default_factory=list[Question])

    async def ask(self, question: Question, *, on_text: TextListener | None = None) -> Reply:
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


def says(text: str, value: JsonObject | None = None) -> Reply:
    message = Answered(text=text)
    return Reply(
        message=message, model="m-1", provider="test", stopped="end", usage=USAGE, value=value
    )


def wants(*calls: tuple[str, JsonObject], unreadable: str | None = None) -> Reply:
    wanted = tuple(
        Wanted(id=f"c{index}", name=name, arguments=arguments, unreadable=unreadable)
        for index, (name, arguments) in enumerate(calls)
    )
    message = Answered(wanted=wanted)
    return Reply(message=message, model="m-1", provider="test", stopped="tools", usage=USAGE)
