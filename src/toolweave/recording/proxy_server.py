"""An MCP server between a client and an approved server: forwards calls, and records them.

Calls go through the gate, so only approved tools can be called and every limit applies. Questions
of the server are put to the client, and recorded with the answers.
"""

import uuid
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp import MCPError, types
from mcp.server import Server

from toolweave import __version__
from toolweave.catalog.resources.record import StepCalls
from toolweave.errors import Conflict, ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.recording.client_questions import (
    Context,
    answer_in,
    ask,
    can_be_asked,
    is_modern,
    required,
)
from toolweave.recording.exchange_log import MAX_PROGRESS
from toolweave.recording.traffic import OpenCall, TrafficRecorder
from toolweave.recording.wire import write_asked, write_error, write_progress, write_result
from toolweave.servers.lockfile import Pin
from toolweave.tools.elicitation import AnsweredQuestion, ElicitationAnswer, ElicitationQuestion
from toolweave.tools.tool import ToolCall, ToolCaller, ToolProgress, ToolResult

Answer = types.CallToolResult | types.InputRequiredResult


@dataclass(slots=True)
class ForwardedCall:
    """A call on its way: what is recorded of it, and the questions answered so far."""

    call: ToolCall
    began: OpenCall
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    progress: list[JsonObject] = field(default_factory=list[JsonObject])
    answered: list[AnsweredQuestion] = field(default_factory=list[AnsweredQuestion])
    # The question that the client was asked last, if it has to call again with the answer.
    question: ElicitationQuestion | None = None

    def body(self) -> JsonObject:
        """Return what is recorded, but for the outcome."""
        call = self.call
        body: JsonObject = {"server": call.server, "tool": call.tool, "arguments": call.arguments}
        if self.progress:
            body["progress"] = [*self.progress]
        if self.answered:
            body["asked"] = [write_asked(one.question, one.answer) for one in self.answered]
        return body


@dataclass(slots=True)
class RecordingProxy:
    """Answers `tools/list` from the approved tools, and `tools/call` from the server."""

    server: str
    pins: dict[str, Pin]
    tools: ToolCaller
    # Keeps a call open while its question is answered.
    open_calls: StepCalls
    recorder: TrafficRecorder
    _waiting: dict[str, ForwardedCall] = field(default_factory=dict[str, ForwardedCall])

    async def list_tools(self, _context: Context, _params: object) -> types.ListToolsResult:
        """Return the approved tools on one page."""
        definitions = [pin.definition for _, pin in sorted(self.pins.items())]
        return types.ListToolsResult(
            tools=[types.Tool.model_validate(definition) for definition in definitions]
        )

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> Answer:
        """Forward a call, and record it with what came of it."""
        try:
            one = self._forwarded(params)
        except Conflict as error:
            raise MCPError(types.INVALID_PARAMS, f"{error.code}: {error.message}") from None
        try:
            outcome = await self._outcome(context, one)
        except ToolweaveError as error:
            self.recorder.end(one.began, {**one.body(), "error": write_error(error)})
            message = f"{error.code}: {error.message}"
            raise MCPError(types.INTERNAL_ERROR, message) from None
        except anyio.get_cancelled_exc_class():
            self.recorder.end(one.began, {**one.body(), "ended": "cancelled"})
            raise
        if isinstance(outcome, ElicitationQuestion):
            one.question = outcome
            self._waiting[one.key] = one
            return required(outcome, one.key)
        result = write_result(outcome)
        self.recorder.end(one.began, {**one.body(), "result": result})
        return types.CallToolResult.model_validate(result)

    def _forwarded(self, params: types.CallToolRequestParams) -> ForwardedCall:
        """Return a new call, or the one whose question the client answers."""
        if params.request_state is None:
            began = self.recorder.begin()
            arguments: JsonObject = dict(params.arguments or {})
            # Each call is a session of its own: how many calls a client makes is its own affair.
            scope = f"record/{began.seq}"
            return ForwardedCall(ToolCall(self.server, params.name, arguments, scope=scope), began)
        one = self._waiting.pop(params.request_state, None)
        if one is None or one.question is None:
            message = "no call with this state waits for an answer"
            raise Conflict("CALL_ENDED_UNANSWERED", message)
        one.answered.append(AnsweredQuestion(one.question, answer_in(params)))
        return one

    async def _outcome(
        self, context: Context, one: ForwardedCall
    ) -> ToolResult | ElicitationQuestion:
        """Return the result, or a question that the client answers by calling again."""

        async def hear(reported: ToolProgress) -> None:
            if len(one.progress) < MAX_PROGRESS:
                one.progress.append(write_progress(reported, self.recorder.after_ms(one.began)))
            await context.session.report_progress(reported.done, reported.total, reported.message)

        if not can_be_asked(context):
            return await self.tools.call(one.call, on_progress=hear)
        while True:
            outcome = await self.open_calls.call(
                one.key, one.call, on_progress=hear, answered=one.answered
            )
            if isinstance(outcome, ToolResult) or is_modern(context):
                return outcome
            one.answered.append(AnsweredQuestion(outcome, await _asked(context, outcome)))


async def _asked(context: Context, question: ElicitationQuestion) -> ElicitationAnswer:
    try:
        return await ask(context, question)
    except MCPError:
        return ElicitationAnswer("cancel")  # the client declares forms but does not show them


def build_proxy(proxy: RecordingProxy, instructions: str | None) -> Server[Any]:
    """Return an MCP server that forwards to one server and records."""
    return Server(
        proxy.server,
        version=__version__,
        instructions=instructions,
        on_list_tools=proxy.list_tools,
        on_call_tool=proxy.call_tool,
    )
