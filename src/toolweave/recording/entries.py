"""The lines of a recording, `toolweave.recording/1`; unknown fields survive reading and writing.

`schema.json` beside this file is the JSON Schema of one line; a test keeps both equal.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

FORMAT = "toolweave.recording/1"

_Object = dict[str, JsonValue]


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    # Any: JSON to be written.
    def as_json(self) -> dict[str, Any]:
        """Return the line as JSON, without fields that were not set."""
        return self.model_dump(mode="json", exclude_unset=True)


class RecordingSource(_Line):
    """Where a recording comes from; `partial` if some calls were not kept."""

    kind: Literal["run", "proxy", "transcript"]
    run: str | None = None
    client: str | None = None
    fidelity: Literal["wire", "partial"] = "wire"


class IgnoredArguments(_Line):
    """Arguments of a tool that do not matter for matching, by JSON pointer."""

    tool: str
    arguments: tuple[str, ...]


class VolatileResult(_Line):
    """Parts of a tool's or a step's output that differ each time, by JSON pointer."""

    tool: str | None = None
    step: str | None = None
    result: tuple[str, ...]


class MatchRules(_Line):
    """How calls are matched and what is compared."""

    order: Literal["any", "strict"] = "any"
    repeat_last: bool = False
    ignore: tuple[IgnoredArguments, ...] = ()
    volatile: tuple[VolatileResult, ...] = ()


class MaskedValue(_Line):
    """A value that was taken out, and the places where it stood."""

    id: str
    at: tuple[str, ...] = ()


class RecordedServer(_Line):
    """A server whose tools were called; never how to start it."""

    definition_hash: str | None = None
    transport: str | None = None
    tools_hash: str | None = None


class RecordedRun(_Line):
    """The run: what it was given, by what it was started, and when."""

    id: str
    started_at: str
    inputs: JsonValue = None
    trigger: str | None = None


class Header(_Line):
    """The first line."""

    type: Literal["recording"] = "recording"
    format: str
    name: str
    recorded_at: str
    source: RecordingSource
    match: MatchRules = MatchRules()
    masks: tuple[MaskedValue, ...] = ()
    servers: dict[str, RecordedServer] = Field(default_factory=dict[str, RecordedServer])
    workflow: str | None = None
    run: RecordedRun | None = None


class WorkflowLine(_Line):
    """The workflow as it was run."""

    type: Literal["workflow"] = "workflow"
    document: _Object


class ToolLine(_Line):
    """The definition of a tool."""

    type: Literal["tool"] = "tool"
    server: str
    hash: str
    definition: _Object


class SkillLine(_Line):
    """The definition of the tool with which a model reads the approved skills of a server."""

    type: Literal["skill"] = "skill"
    server: str
    definition: _Object


class ProgressReport(_Line):
    """One progress report of a call."""

    after_ms: float
    progress: float
    total: float | None = None
    message: str | None = None


class CallLine(_Line):
    """A call of a tool, and what came of it: a result, an error, or an end without either."""

    type: Literal["call"] = "call"
    seq: int
    group: int = 1
    step: str | None = None
    server: str
    method: Literal["tools/call"] = "tools/call"
    tool: str
    tool_hash: str | None = None
    arguments: _Object
    key: str
    occurrence: int = 1
    at_ms: float = 0
    took_ms: float = 0
    progress: tuple[ProgressReport, ...] = ()
    asked: tuple[_Object, ...] = ()
    result: _Object | None = None
    error: _Object | None = None
    ended: Literal["cancelled", "timeout", "disconnected"] | None = None


class ModelLine(_Line):
    """A request to a model, and its reply or error."""

    type: Literal["model"] = "model"
    seq: int
    step: str
    request: _Object
    key: str
    occurrence: int = 1
    at_ms: float = 0
    took_ms: float = 0
    reply: _Object | None = None
    error: _Object | None = None


class PersonLine(_Line):
    """A question of a step to a person, and the answer."""

    type: Literal["person"] = "person"
    seq: int
    step: str
    question: JsonValue = None
    reply: JsonValue = None
    by: str | None = None
    via: str | None = None
    at: str | None = None


class StepLine(_Line):
    """A step and its outcome.

    `replay` says how a replay gets it: `computed` and `boundary` run the node, and `boundary`
    answers its calls from other lines; `outcome` takes the output or error of this line if the
    node's `request` is the same.
    """

    type: Literal["step"] = "step"
    key: str
    node: str
    kind: str
    replay: Literal["computed", "boundary", "outcome"]
    status: str
    output: JsonValue = None
    ports: tuple[str, ...] | None = None
    error: _Object | None = None
    request: JsonValue = None
    at_ms: float = 0


class ResultLine(_Line):
    """How the run ended."""

    type: Literal["result"] = "result"
    status: str
    result: JsonValue = None
    error: JsonValue = None


class EndLine(_Line):
    """The last line: the number of calls, and the hash of everything before it."""

    type: Literal["end"] = "end"
    calls: int
    hash: str


Line = Annotated[
    Header
    | WorkflowLine
    | ToolLine
    | SkillLine
    | CallLine
    | ModelLine
    | PersonLine
    | StepLine
    | ResultLine
    | EndLine,
    Field(discriminator="type"),
]
LINES: TypeAdapter[Any] = TypeAdapter(Line, config=ConfigDict(defer_build=True))
