"""A recorded server as an MCP server: the recorded tools, and the recorded answers to calls.

Handshake and tool list are made from the recording in either protocol era. A call that is not
recorded is refused with the nearest one; nothing is ever called live.
"""

import uuid
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
from mcp import MCPError, types
from mcp.server import Server

from toolweave import __version__
from toolweave.errors import NotFound
from toolweave.json_text import JsonObject
from toolweave.recording.client_questions import (
    Context,
    answer_in,
    ask,
    can_be_asked,
    is_modern,
    required,
)
from toolweave.recording.entries import CallLine
from toolweave.recording.matching import difference_text, find_masks, fits
from toolweave.recording.playback import Playback
from toolweave.recording.recording import Recording
from toolweave.recording.value_difference import value_differences
from toolweave.recording.wire import read_asked, write_asked
from toolweave.tools.elicitation import AnsweredQuestion, ElicitationAnswer

Answer = types.CallToolResult | types.InputRequiredResult
MASKED = "toolweave/masked"


def recorded_server(recording: Recording, wanted: str | None) -> str:
    """Return the server to serve: the named one, or the only one. Raises `RECORDING_NO_SERVER`."""
    names = sorted({line.server for line in recording.tools})
    if wanted in names or (wanted is None and len(names) == 1):
        return wanted or names[0]
    listed = ", ".join(repr(name) for name in names) or "none"
    what = "has no server" if wanted else "does not have exactly one server to serve"
    raise NotFound(
        "RECORDING_NO_SERVER",
        f"recording {recording.name!r} {what}{f' {wanted!r}' if wanted else ''}",
        hint=f"choose one with --server; it has {listed}",
    )


@dataclass(slots=True)
class MockServer:
    """Answers `tools/list` and `tools/call` from a recording."""

    server: str
    playback: Playback
    # Whether latency, progress and failures of the connection are replayed too.
    has_faults: bool = False
    # Calls whose question a client answers by calling again, and the number of the question.
    _waiting: dict[str, tuple[CallLine, int]] = field(
        default_factory=dict[str, tuple[CallLine, int]]
    )

    async def list_tools(self, _context: Context, _params: object) -> types.ListToolsResult:
        """Return the recorded tools on one page."""
        lines = self.playback.recording.tools
        return types.ListToolsResult(
            tools=[
                types.Tool.model_validate(line.definition)
                for line in lines
                if line.server == self.server
            ]
        )

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> Answer:
        """Ask what was asked, and return the recorded result or fail as recorded."""
        try:
            entry, answered = self._entry(params)
            open_question = await self._asked(context, entry, answered)
        except NotFound as error:
            raise MCPError(
                types.INVALID_PARAMS, f"{error.code}: {error.message}", error.facts or None
            ) from None
        if open_question is not None:
            return open_question
        if self.has_faults:
            await self._delay(entry, context)
        if entry.result is None:
            raise _failure(entry)
        result: JsonObject = dict(entry.result)
        if masked := list(find_masks(result)):
            # A mask is a place holder, and says so.
            result["_meta"] = {MASKED: [*masked]}
        return types.CallToolResult.model_validate(result)

    def _entry(self, params: types.CallToolRequestParams) -> tuple[CallLine, int]:
        """Return the entry of a call, and how many of its questions are answered."""
        if params.request_state is None:
            entry = self.playback.take_call(self.server, params.name, params.arguments or {})
            return entry, 0
        found = self._waiting.pop(params.request_state, None)
        if found is None:
            raise NotFound("RECORDING_NO_MATCH", "no recorded call with this state waits")
        entry, answered = found
        _require_same(self._question(entry, answered), answer_in(params))
        return entry, answered + 1

    async def _asked(
        self, context: Context, entry: CallLine, answered: int
    ) -> types.InputRequiredResult | None:
        """Ask the recorded questions; only the recorded answers lead to the recorded result."""
        for number in range(answered, len(entry.asked)):
            one = self._question(entry, number)
            if not can_be_asked(context, one.question):
                raise NotFound(
                    "RECORDING_NO_MATCH",
                    f"the recorded call asked {one.question.message[:200]!r}, which this client "
                    "cannot show",
                )
            if is_modern(context):
                state = f"{entry.seq}.{number}.{uuid.uuid4().hex}"
                self._waiting[state] = (entry, number)
                return required(one.question, state)
            _require_same(one, await ask(context, one.question))
        return None

    def _question(self, entry: CallLine, number: int) -> AnsweredQuestion:
        return read_asked(self.server, entry.asked[number])

    async def _delay(self, entry: CallLine, context: Context) -> None:
        passed_ms = 0.0
        for one in entry.progress:
            await anyio.sleep(max(one.after_ms - passed_ms, 0) / 1000)
            passed_ms = max(one.after_ms, passed_ms)
            await context.session.report_progress(one.progress, one.total, one.message)
        await anyio.sleep(max(entry.took_ms - passed_ms, 0) / 1000)


def _require_same(one: AnsweredQuestion, got: ElicitationAnswer) -> None:
    """Raise `NotFound` if an answer is not the recorded one."""
    expected = one.answer
    if expected.action == got.action and fits(expected.content, got.content):
        return
    wanted = write_asked(one.question, expected)["answer"]
    given = write_asked(one.question, got)["answer"]
    places = "; ".join(difference_text(one) for one in value_differences(wanted, given))
    message = f"the answer to {one.question.message[:200]!r} is not the recorded one: {places}"
    raise NotFound("RECORDING_NO_MATCH", message)


def _failure(entry: CallLine) -> MCPError:
    error = entry.error or {"code": "CALL_CANCELLED", "message": f"the call was {entry.ended}"}
    return MCPError(types.INTERNAL_ERROR, f"{error.get('code')}: {error.get('message')}")


def outdated_calls(recording: Recording, server: str) -> list[str]:
    """Return the calls that were recorded with another definition of their tool than is served."""
    hashes = {
        str(line.definition.get("name")): line.hash
        for line in recording.tools
        if line.server == server
    }
    return [
        f"entry {call.seq} was recorded with another definition of {call.tool!r}"
        for call in recording.calls
        if call.server == server and call.tool_hash not in (None, hashes.get(call.tool))
    ]


def build_mock(recording: Recording, server: str, *, has_faults: bool = False) -> Server[Any]:
    """Return an MCP server that serves one server of a recording."""
    if not has_faults:
        recording = _without_failures(recording)
    mock = MockServer(server, Playback(recording), has_faults)
    return Server(
        server,
        version=__version__,
        instructions=f"Recorded answers of {server!r}, from {recording.name!r}.",
        on_list_tools=mock.list_tools,
        on_call_tool=mock.call_tool,
    )


def _without_failures(recording: Recording) -> Recording:
    """Leave out failures of the connection where the same call has a result as well."""
    answered = {line.key for line in recording.calls if line.result is not None}
    calls = tuple(
        line for line in recording.calls if line.result is not None or line.key not in answered
    )
    return replace(recording, calls=calls)
