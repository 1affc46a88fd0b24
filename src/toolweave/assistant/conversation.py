"""A conversation in which a model uses tools; each call is reported and can be stopped.

Tool results go back to the model as data. They cannot add a tool, widen a permission or act
for the user: the set of tools is fixed before, and the gate checks each call again.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from toolweave.access.mask import MaskedStream, Masker, secrets_in_use
from toolweave.assistant.prompt_files import filled_prompt
from toolweave.assistant.tool_context import ContextTool, ToolContext
from toolweave.catalog.resources.model import (
    Called,
    Message,
    ModelCaller,
    ModelChoiceRequest,
    ModelQuestion,
    ModelTool,
    Said,
    TokenUsage,
    ToolAnswer,
)
from toolweave.errors import Limited, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.agent import MAX_RESULT_CHARS, error_text, skill_rule
from toolweave.nodes.model_tools import told
from toolweave.tools.content_value import block_json

STOPPED = "(stopped by the user)"
ENDS_TURN = frozenset({"CALL_SESSION_LIMIT", "CALLS_STOPPED"})
MAX_ABOUT_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class ChatLimits:
    """Limits of one answer: model requests, tool calls, tokens."""

    steps: int = 25
    calls: int = 50
    tokens: int = 400_000


@dataclass(frozen=True, slots=True)
class ChatEvent:
    """An event during an answer."""

    type: str
    data: JsonObject = field(default_factory=dict[str, Json])

    def as_json(self) -> JsonObject:
        """Return the event as JSON, for `--json` and streams."""
        return {"type": self.type, **self.data}


Tell = Callable[[ChatEvent], Awaitable[None]]


@dataclass(slots=True)
class _Spent:
    asked: int = 0
    called: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None

    def add(self, usage: TokenUsage) -> None:
        self.asked += 1
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        if usage.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + usage.cost_usd

    def as_json(self) -> JsonObject:
        return {
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
            "costUsd": self.cost_usd,
        }


class Conversation:
    """A conversation of a user and a model; `messages` is its history."""

    def __init__(
        self,
        context: ToolContext,
        caller: ModelCaller,
        *,
        model: str | None = None,
        limits: ChatLimits | None = None,
        about: str | None = None,
        instructions: str | None = None,
    ) -> None:
        self.context = context
        self._about = about
        # Instead of those of a chat.
        self._instructions = instructions
        self.messages: tuple[Message, ...] = ()
        self._caller = caller
        self._model = model
        self._limits = limits or ChatLimits()

    async def answer(self, words: str, tell: Tell) -> str:
        """Return the model's answer to a message; cancelling keeps the history so far.

        Raises `Limited`: `AGENT_LIMIT_REACHED`, or `CALL_SESSION_LIMIT` of the gate;
        `ToolweaveError`: the model request failed.
        """
        self.messages += (Said(text=words),)
        with secrets_in_use() as secrets:
            return await self._answered(_masked(tell, secrets))

    async def _answered(self, tell: Tell) -> str:
        spent = _Spent()
        while True:
            self._refuse_endless(spent)
            reply = await self._caller.ask(self._question(), on_text=_texts(tell))
            spent.add(reply.usage)
            wanted = reply.message.wanted
            if not wanted:
                self.messages += (reply.message,)
                answer: JsonObject = {"text": reply.message.text, "stopped": reply.stopped}
                answer |= {"model": reply.model, "usage": spent.as_json()}
                await tell(ChatEvent("answer", answer))
                return reply.message.text
            await self._make_calls(reply.message, spent, tell)

    async def _make_calls(self, answered: ToolAnswer, spent: _Spent, tell: Tell) -> None:
        results: list[Called] = []
        try:
            for wanted in answered.wanted:
                spent.called += 1
                results.append(await self._call(wanted, tell))
        finally:
            # Every call needs a result, also after a stop: providers reject a gap.
            for wanted in answered.wanted[len(results) :]:
                results.append(Called(id=wanted.id, name=wanted.name, text=STOPPED, is_error=True))
            self.messages += (answered, *results)

    async def _call(self, wanted: ModelChoiceRequest, tell: Tell) -> Called:
        """Make one call; an error of the gate is reported to the model and the user.

        Raises `Limited` if no further call can succeed: asking the model again would be in vain.
        """
        ends_turn: ToolweaveError | None = None
        media: list[Json] = []
        try:
            found = await self._found(wanted, tell)
            if wanted.unreadable is not None:
                text, is_error = "the arguments are not a JSON object; call it again", True
            else:
                result = await self.context.execute(
                    found.server.name,
                    found.tool.name,
                    wanted.arguments,
                    method=found.tool.method,
                )
                done = told(result)
                text, is_error = done.text, done.is_error
                media = [block_json(one) for one in result.content if one.kind != "text"]
        except ToolweaveError as error:
            text, is_error = error_text(error), True
            ends_turn = error if error.code in ENDS_TURN else None
        text = text[:MAX_RESULT_CHARS]
        data: JsonObject = {"id": wanted.id, "name": wanted.name}
        data |= {"text": text, "isError": is_error}
        if media:
            data["content"] = media
        await tell(ChatEvent("result", data))
        if ends_turn is not None:
            raise ends_turn
        return Called(id=wanted.id, name=wanted.name, text=text, is_error=is_error)

    async def _found(self, wanted: ModelChoiceRequest, tell: Tell) -> ContextTool:
        """The tool of a call, after the call was reported; also of a tool that does not exist."""
        try:
            found = self.context.find(wanted.name)
        except ToolweaveError:
            await tell(ChatEvent("call", _shown(wanted, None)))
            raise
        await tell(ChatEvent("call", _shown(wanted, found)))
        return found

    def _question(self) -> ModelQuestion:
        offers = tuple(
            ModelTool(
                name=one.offered,
                description=one.tool.description,
                parameters=one.tool.input_schema,
            )
            for one in self.context.tools
        )
        return ModelQuestion(
            messages=self.messages,
            system=self._instructions
            or filled_prompt("chat", tools=self.context.described())
            + skill_rule(self.context.skill_tools)
            + self._document(),
            provider=self._model,
            tools=offers,
        )

    def _document(self) -> str:
        if self._about is None:
            return ""
        return f"\n\n{filled_prompt('document', text=self._about[:MAX_ABOUT_CHARS])}"

    def _refuse_endless(self, spent: _Spent) -> None:
        limits, tokens = self._limits, spent.input_tokens + spent.output_tokens
        reached = ""
        if spent.asked >= limits.steps:
            reached = f"{limits.steps} model requests"
        elif spent.called >= limits.calls:
            reached = f"{limits.calls} tool calls"
        elif tokens >= limits.tokens:
            reached = f"{limits.tokens} tokens"
        if reached:
            raise Limited(
                "AGENT_LIMIT_REACHED",
                f"the model did not finish within {reached}",
                hint="split the task into smaller steps; you can continue the conversation",
            )


def _masked(tell: Tell, secrets: Masker) -> Tell:
    """Tell everything without the secrets that models and servers were given meanwhile."""
    pieces = MaskedStream(secrets)

    async def tell_masked(event: ChatEvent) -> None:
        is_piece = event.type == "text"
        text = pieces.masked(str(event.data["text"])) if is_piece else pieces.rest()
        if text:
            await tell(ChatEvent("text", {"text": text}))
        if not is_piece:
            hidden = secrets.hide(event.data)
            assert isinstance(hidden, dict)
            await tell(ChatEvent(event.type, hidden))

    return tell_masked


def _texts(tell: Tell) -> Callable[[str], Awaitable[None]]:
    async def hear(piece: str) -> None:
        await tell(ChatEvent("text", {"text": piece}))

    return hear


def _shown(wanted: ModelChoiceRequest, found: ContextTool | None) -> JsonObject:
    return {
        "id": wanted.id,
        "server": found.server.name if found else None,
        "tool": found.tool.name if found else wanted.name,
        "arguments": wanted.arguments,
    }
