"""One recording as the outside world of a run: its tools, models, people and other outcomes.

What is not recorded is refused and noted, so that a workflow that handles errors cannot hide it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from toolweave.catalog.node import Outcome
from toolweave.catalog.resources.model import ModelQuestion, ModelReply, TextListener
from toolweave.engine.context import current_step
from toolweave.errors import Cancelled, NotFound, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.recording.entries import CallLine, ModelLine, PersonLine, StepLine
from toolweave.recording.matching import Matcher, canonical, canonical_arguments
from toolweave.recording.recording import Recording
from toolweave.recording.wire import read_error, write_question
from toolweave.servers.content import read_result
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import ProgressListener, Tool, ToolCall, ToolResult

_MODEL = "the model"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that a step asked for and that is not recorded."""

    step: str
    error: ToolweaveError


@dataclass(frozen=True, slots=True)
class _StepOutcome:
    seq: int
    step: str
    line: StepLine


class Playback:
    """The unused entries of one recording, and what was refused."""

    def __init__(self, recording: Recording, *, stops_at_questions: bool = False) -> None:
        self.recording = recording
        # Whether a question to a person is never answered from the recording.
        self.stops_at_questions = stops_at_questions
        self.refusals: list[Refusal] = []
        rules = recording.header.match
        self._ignored = {one.tool: one.arguments for one in rules.ignore}
        self._schemas = {
            (line.server, str(line.definition.get("name"))): _schema(line.definition)
            for line in recording.tools
        }
        self.steps = {line.key: line for line in recording.steps}
        self._calls: Matcher[CallLine] = Matcher("call", rules.repeat_last)
        for call in recording.calls:
            self._calls.add(f"{call.server}/{call.tool}", self._arguments(call), call)
        self._models: Matcher[ModelLine] = Matcher("request", rules.repeat_last)
        for model in recording.models:
            self._models.add(_MODEL, canonical(model.request), model)
        self._outcomes: Matcher[_StepOutcome] = Matcher("request", rules.repeat_last)
        for number, line in enumerate(recording.steps):
            if line.replay == "outcome":
                outcome = _StepOutcome(number, line.key, line)
                self._outcomes.add(line.kind, canonical(line.request), outcome)
        self._people: dict[str, list[PersonLine]] = defaultdict(list)
        for person in recording.people:
            self._people[person.step].append(person)

    @property
    def unused(self) -> list[str]:
        """The entries that nothing asked for, by number and topic."""
        calls = [f"call {one.seq} of {one.server}/{one.tool}" for one in self._calls.unused]
        models = [f"request {one.seq} of step {one.step!r}" for one in self._models.unused]
        return calls + models

    @property
    def has_models(self) -> bool:
        """Whether a model was asked."""
        return bool(self.recording.models)

    def tools(self, server: str) -> list[Tool]:
        """Return the recorded tools of a server."""
        lines = self.recording.tools
        return [read_tool(server, line.definition) for line in lines if line.server == server]

    def skill_tools(self, server: str) -> list[Tool]:
        """Return the recorded tool that reads the skills of a server, if there is one."""
        return [
            replace(read_tool(server, line.definition), method="skills/read")
            for line in self.recording.skills
            if line.server == server
        ]

    def take_call(self, server: str, tool: str, arguments: JsonObject) -> CallLine:
        """Return the next recorded entry of a call. Raises `NotFound`."""
        step = _step()
        request = self._canonical(server, tool, arguments)
        try:
            found = self._calls.take(f"{server}/{tool}", request, step)
            if self.recording.header.match.order == "strict":
                self._require_in_order(found)
        except NotFound as error:
            raise self._refused(step, error) from None
        return found

    def _require_in_order(self, call: CallLine) -> None:
        """Raise `NotFound` if a call of an earlier turn was not made yet."""
        earlier = next((one for one in self._calls.unused if one.group < call.group), None)
        if earlier is not None:
            raise NotFound(
                "RECORDING_NO_MATCH",
                f"entry {call.seq}, a call of '{call.server}/{call.tool}', is recorded after entry "
                f"{earlier.seq} of '{earlier.server}/{earlier.tool}', which was not made yet",
                hint="the recording's `match` has the order `strict`",
            )

    def answer_call(self, call: ToolCall) -> ToolResult:
        """Return the recorded result of a call, or raise its error."""
        entry = self.take_call(call.server, call.tool, call.arguments)
        if entry.error is not None:
            raise read_error(entry.error)
        if entry.result is None:
            raise Cancelled("CALL_CANCELLED", f"the recorded call was {entry.ended}")
        return read_result(entry.result, call.server)

    def answer_question(self, question: ModelQuestion) -> ModelReply:
        """Return the recorded reply to a request, or raise its error."""
        step = _step()
        try:
            entry = self._models.take(_MODEL, canonical(write_question(question)), step)
        except NotFound as error:
            raise self._refused(step, error) from None
        if entry.reply is None:
            raise read_error(entry.error or {})
        return ModelReply.model_validate(entry.reply)

    def has_outcome(self, kind: str, request: Json) -> bool:
        """Whether the outcome of a node of this kind with this request is recorded."""
        return self._outcomes.has(kind, canonical(request))

    def outcome(self, kind: str, request: Json) -> Outcome:
        """Return the recorded outcome of a node, or raise its error."""
        step = _step()
        try:
            line = self._outcomes.take(kind, canonical(request), step).line
        except NotFound as error:
            raise self._refused(step, error) from None
        self._calls.use_all_of(line.key)
        self._models.use_all_of(line.key)
        if line.error is not None:
            raise read_error(line.error)
        return Outcome(line.output, line.ports or ("output",))

    def answer_of_person(self, step: str) -> PersonLine | None:
        """Return the next recorded answer to a question of a step."""
        waiting = [] if self.stops_at_questions else self._people[step]
        return waiting.pop(0) if waiting else None

    def refuse_person(self, step: str) -> None:
        """Note that a step asks a person and no answer is recorded."""
        error = NotFound(
            "RECORDING_NO_MATCH", f"no answer of a person to step {step!r} is recorded"
        )
        self._refused(step, error)

    def _refused(self, step: str, error: NotFound) -> NotFound:
        self.refusals.append(Refusal(step, error))
        return error

    def _arguments(self, call: CallLine) -> JsonObject:
        return self._canonical(call.server, call.tool, call.arguments)

    def _canonical(self, server: str, tool: str, arguments: JsonObject) -> JsonObject:
        ignored = self._ignored.get(tool, ())
        return canonical_arguments(arguments, self._schemas.get((server, tool)), ignored)


def _step() -> str:
    return current_step.get().partition("/")[2]


def _schema(definition: JsonObject) -> JsonObject:
    found = definition.get("inputSchema")
    return found if isinstance(found, dict) else {}


class PlayedResources:
    """The current playback as tools, models and tool lists of an engine."""

    def __init__(self) -> None:
        self.playback: Playback | None = None

    @property
    def _now(self) -> Playback:
        assert self.playback is not None
        return self.playback

    async def call(
        self, call: ToolCall, *, on_progress: ProgressListener | None = None
    ) -> ToolResult:
        """Answer a tool call."""
        return self._now.answer_call(call)

    async def ask(
        self, question: ModelQuestion, *, on_text: TextListener | None = None
    ) -> ModelReply:
        """Answer a request to a model."""
        return self._now.answer_question(question)

    async def configured(self, provider: str | None = None) -> bool:
        """Return whether a model was asked in the recorded run."""
        return self._now.has_models

    async def tools(self, server: str) -> Sequence[Tool]:
        """Return the recorded tools of a server."""
        return self._now.tools(server)

    async def skill_tools(self, server: str) -> Sequence[Tool]:
        """Return the recorded tool that reads the skills of a server, if there is one."""
        return self._now.skill_tools(server)

    async def server_for(self, kind: str, named: str | None = None) -> str:
        """Return the recorded server that a node uses."""
        servers = list(self._now.recording.header.servers)
        wanted = named or kind
        found = next((one for one in servers if one == named or kind in one.casefold()), None)
        if found is None:
            raise NotFound("MCP_SERVER_NOT_FOUND", f"no recorded server matches {wanted!r}")
        return found
