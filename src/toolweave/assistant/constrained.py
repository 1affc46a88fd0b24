"""Tool calls of a model that cannot make any: it answers with JSON of a requested schema.

With several tools it chooses one first and fills in the arguments then. Earlier calls and their
results are shown to it as text.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from toolweave import json_text
from toolweave.assistant.extraction.tool_choice import likely_tools
from toolweave.assistant.label_choice import NextTokens, chosen_label
from toolweave.assistant.narrowed_schema import MAX_TEXT_WORDS, narrowed_schema
from toolweave.assistant.prompt_files import filled_prompt, read_prompt
from toolweave.catalog.resources.model import (
    Called,
    Message,
    ModelChoiceRequest,
    ModelQuestion,
    ModelReply,
    ModelTool,
    Said,
    TextTask,
    TokenUsage,
    ToolAnswer,
)
from toolweave.json_text import Json, JsonObject

Ask = Callable[[ModelQuestion], Awaitable[ModelReply]]
ANSWER = "answer"
MAX_TOKENS = 2_000
# A small model may repeat itself until it is stopped.
SMALL_MAX_TOKENS = 300


@dataclass(slots=True)
class ConstrainedQuestion:
    """One question with tools, asked without them."""

    question: ModelQuestion
    ask: Ask
    is_small: bool = False
    next_tokens: NextTokens | None = None
    _usages: list[TokenUsage] = field(default_factory=list[TokenUsage])

    async def reply(self) -> ModelReply:
        """Return a call of one tool, or an answer."""
        question = self.question
        if not question.tools or question.choice == "none":
            task = question.text_task
            if self.is_small and task is not None and self._is_first_try():
                if task.labels and self.next_tokens is not None:
                    return await self._labelled(task, self.next_tokens)
                if not task.labels and len(task.text.split()) <= MAX_TEXT_WORDS:
                    return await self._ask(self._copying(task))
            return await self._ask(question.model_copy(update={"tools": ()}))
        tool = await self._tool()
        if tool is None:
            return self._summed(await self._ask(question.model_copy(update={"tools": ()})))
        return self._summed(await self._arguments(tool))

    async def _labelled(self, task: TextTask, next_tokens: NextTokens) -> ModelReply:
        value = await chosen_label(task.text, task.labels, next_tokens)
        message = ToolAnswer(text=json_text.write(value))
        name = self.question.model or ""
        return ModelReply(message=message, model=name, provider="", stopped="end", value=value)

    def _copying(self, task: TextTask) -> ModelQuestion:
        shape = narrowed_schema(self.question.shape or {}, task.text, "", is_quoted=True)
        given = ModelTool(name="fields", description="", parameters=self.question.shape or {})
        said = Said(text=f"{_described(given, shape)}\n\nRequest: {task.text}")
        system = filled_prompt("small_arguments")
        messages = (*_shown_examples(), said)
        return self.question.model_copy(
            update={"system": system, "messages": messages, "shape": shape, "tools": ()}
        )

    async def _tool(self) -> ModelTool | None:
        tools, question = self.question.tools, self.question
        last = question.messages[-1] if question.messages else None
        is_refused = isinstance(last, Called) and last.is_error
        if len(tools) == 1 and (question.choice == "any" or is_refused):
            return tools[0]
        may_answer = question.choice == "auto"
        if self.is_small:
            if isinstance(last, Called):
                # It would go on forever: one call that succeeds is its task.
                return self._called(last) if last.is_error or not may_answer else None
            tools = likely_tools(_request(question), tools)
            if len(tools) < 2:
                return tools[0] if tools else (None if may_answer else question.tools[0])
            may_answer = False
        names: list[Json] = [one.name for one in tools]
        choices: list[Json] = [*names, ANSWER] if may_answer else names
        shape: JsonObject = {
            "type": "object",
            "properties": {"next": {"type": "string", "enum": choices}},
            "required": ["next"],
            "additionalProperties": False,
        }
        system = filled_prompt(
            "constrained_choice",
            system=question.system,
            tools="\n".join(f"- {one.name}: {one.description}" for one in tools),
            answer=f"- {ANSWER}: the task is done, or no tool helps" if may_answer else "",
        )
        changes = {"system": system, "shape": shape, "tools": ()}
        reply = await self._ask(question.model_copy(update=changes))
        chosen = reply.value.get("next") if isinstance(reply.value, dict) else None
        found = next((one for one in tools if one.name == chosen), None)
        # Without a valid choice there is no way but the first tool where one must be called.
        return found or (None if may_answer else tools[0])

    def _called(self, last: Called) -> ModelTool | None:
        return next((one for one in self.question.tools if one.name == last.name), None)

    async def _arguments(self, tool: ModelTool) -> ModelReply:
        question = self._small(tool) if self._is_first_try() else self._filling(tool)
        reply = await self._ask(question)
        value, text = reply.value, reply.message.text
        number = sum(isinstance(one, Called) for one in self.question.messages)
        wanted = ModelChoiceRequest(
            id=f"call_{number}",
            name=tool.name,
            arguments=value if isinstance(value, dict) else {},
            unreadable=None if isinstance(value, dict) else text[:10_000],
        )
        message = ToolAnswer(wanted=(wanted,))
        return reply.model_copy(update={"message": message, "stopped": "tools", "value": None})

    def _is_first_try(self) -> bool:
        """Whether a small model gets its short form: it starts from one request."""
        messages = self.question.messages
        return self.is_small and len(messages) == 1 and isinstance(messages[0], Said)

    def _filling(self, tool: ModelTool) -> ModelQuestion:
        system = filled_prompt(
            "constrained_arguments",
            system=self.question.system,
            tool=tool.name,
            description=tool.description,
            schema=json_text.write(tool.parameters),
        )
        changes = {"system": system, "shape": tool.parameters, "tools": ()}
        return self.question.model_copy(update=changes)

    def _small(self, tool: ModelTool) -> ModelQuestion:
        request = self.question.messages[0].text
        shape = narrowed_schema(tool.parameters, request, f"{tool.name} {tool.description}")
        said = Said(text=f"{_described(tool, shape)}\n\nRequest: {request}")
        messages = (*_shown_examples(), said)
        system = filled_prompt("small_arguments")
        changes = {"system": system, "messages": messages, "shape": shape, "tools": ()}
        return self.question.model_copy(update=changes)

    async def _ask(self, question: ModelQuestion) -> ModelReply:
        limit = SMALL_MAX_TOKENS if self.is_small else MAX_TOKENS
        temperature = 0.0 if question.shape is not None else None
        changes = {
            "messages": _as_text(question.messages),
            "max_tokens": question.max_tokens or limit,
            "temperature": temperature if question.temperature is None else question.temperature,
        }
        reply = await self.ask(question.model_copy(update=changes))
        self._usages.append(reply.usage)
        return reply

    def _summed(self, reply: ModelReply) -> ModelReply:
        costs = [one.cost_usd for one in self._usages if one.cost_usd is not None]
        usage = TokenUsage(
            input_tokens=sum(one.input_tokens for one in self._usages),
            output_tokens=sum(one.output_tokens for one in self._usages),
            cached_tokens=sum(one.cached_tokens for one in self._usages),
            cost_usd=sum(costs) if costs else None,
        )
        return reply.model_copy(update={"usage": usage})


def with_schema_in_text(question: ModelQuestion) -> ModelQuestion:
    """Ask for JSON in words, for an endpoint that cannot constrain its answer."""
    if question.shape is None:
        return question
    shape = json_text.write(question.shape)
    system = filled_prompt("text_schema", system=question.system, schema=shape)
    return question.model_copy(update={"system": system.strip()})


def _request(question: ModelQuestion) -> str:
    return question.messages[-1].text if question.messages else ""


def _as_text(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    return tuple(_plain(one) for one in messages)


def _plain(message: Message) -> Message:
    match message:
        case ToolAnswer() if message.wanted:
            calls = [json_text.write({one.name: one.arguments}) for one in message.wanted]
            return ToolAnswer(text="\n".join([message.text, *calls]).strip())
        case Called():
            outcome = "failed" if message.is_error else "returned"
            return Said(text=f"The tool `{message.name}` {outcome}:\n{message.text}")
        case _:
            return message


def _described(tool: ModelTool, shape: JsonObject) -> str:
    """Return the tool and the fields that are left, one line each."""
    lines = [f"{tool.name}: {tool.description}"]
    left, given = shape.get("properties"), tool.parameters.get("properties")
    if not isinstance(left, dict) or not isinstance(given, dict):
        return lines[0]
    for name in left:
        field_schema = given.get(name)
        known: JsonObject = field_schema if isinstance(field_schema, dict) else {}
        words = str(known.get("description", ""))
        choices = known.get("enum")
        if isinstance(choices, list):
            words = f"{words} One of: {', '.join(map(str, choices))}.".strip()
        lines.append(f"- {name}: {words}")
    return "\n".join(lines)


def _shown_examples() -> tuple[Message, ...]:
    messages: list[Message] = []
    for example in _examples():
        messages += (
            Said(text=f"{example['tool']}\n\nRequest: {example['request']}"),
            ToolAnswer(text=str(example["arguments"])),
        )
    return tuple(messages)


def _examples() -> list[JsonObject]:
    found = json_text.read(read_prompt("small_examples.json"))
    assert isinstance(found, list)
    return [one for one in found if isinstance(one, dict)]
