"""The central records: a tool, a call of it, its result, and who can make the call."""

import hashlib
import re
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, NewType, Protocol

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem
from toolweave.tools.elicitation import Asker
from toolweave.tools.parameter import Parameter

CallId = NewType("CallId", str)

Source = Literal["user", "document", "workflow", "assistant"]
Effect = Literal["pure", "keyed", "once"]
# The request a call sends; all but the first concern what a server offers beside its tools.
CallMethod = Literal[
    "tools/call",
    "resources/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "skills/list",
    "skills/get",
    "skills/read",
    "tasks/get",
    "tasks/cancel",
]
ContentType = Literal["text", "json", "markdown", "image"]
Display = Literal["inline", "block", "collapsed"]

# The fields that identify a tool: a change makes it another tool (see `tool_hash`).
PINNED = ("name", "description", "inputSchema", "outputSchema", "annotations")
# How much of a result fits in a line, and how much is shown unfolded.
INLINE_CHARS = 120
BLOCK_CHARS = 2_000
BLOCK_LINES = 40
MAX_PARSED_CHARS = 1024 * 1024
_MARKDOWN = pattern(
    r"^(#{1,6} \S|```|[-*] \S.*\n[-*] \S|\d+\. \S.*\n\d+\. \S|\|.*\|\n\|[ :|-]+\||> \S)"
    r"|\*\*[^*\n]+\*\*|\[[^\]\n]+\]\([^)\s]+\)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of one server: its raw definition and the parameter tree for display."""

    server: str
    name: str
    description: str
    input_schema: JsonObject
    parameters: tuple[Parameter, ...]
    raw: JsonObject
    output_schema: JsonObject | None = None
    problems: tuple[Problem, ...] = ()
    method: CallMethod = "tools/call"

    @property
    def is_usable(self) -> bool:
        """Whether its schema could be read, so that calls can be checked."""
        return not any(problem.severity == "error" for problem in self.problems)


def tool_hash(tool: Tool) -> str:
    """Return the hash an approval is bound to: the definition as the server sent it."""
    pinned = {key: tool.raw[key] for key in PINNED if key in tool.raw}
    return hashlib.sha256(json_text.canonical(pinned)).hexdigest()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One request to call a tool, wherever it came from."""

    server: str
    tool: str
    arguments: JsonObject = field(default_factory=dict[str, Json])
    source: Source = "user"
    scope: str = "default"  # whose session limit it counts against: a document, a chat, …
    location: str | None = None
    line: int | None = None
    effect: Effect = "once"
    deadline_s: float | None = None
    id: CallId = field(default_factory=lambda: CallId(str(uuid.uuid4())))
    # Another request than a tool call: `tool` is then the method, and `arguments` its parameters.
    method: CallMethod = "tools/call"
    # Whether the caller polls a task itself; otherwise the call waits until the task ends.
    returns_task: bool = False

    @property
    def label(self) -> str:
        """What is called, as the history shows it: a tool's name, or a request and its subject."""
        if self.method == "tools/call":
            return self.tool
        given = self.arguments
        subject = given.get("uri") or given.get("name") or given.get("skill") or given.get("taskId")
        return f"{self.method} {subject}" if isinstance(subject, str) else self.method


def content_call(server: str, method: CallMethod, parameters: JsonObject | None = None) -> ToolCall:
    """Return the call that lists or reads what a server offers beside its tools."""
    return ToolCall(server, method, parameters or {}, effect="keyed", method=method)


@dataclass(frozen=True, slots=True)
class Content:
    """One block of a result, by kind; `data` is decoded bytes for images and audio."""

    kind: Literal["text", "image", "audio", "resource", "link"]
    text: str | None = None
    data: bytes | None = None
    mime_type: str | None = None
    uri: str | None = None
    # What a link says of itself.
    name: str | None = None
    title: str | None = None
    description: str | None = None
    # What else it says of itself: `annotations` and `_meta`, of a link also `size` and `icons`,
    # of a resource also `resourceMeta`, the `_meta` inside it.
    about: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class TaskHandle:
    """A call that goes on at the server: its id, how often to poll, how long it is kept."""

    id: str
    poll_s: float
    ttl_s: float | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool; `is_error` is set by the tool itself."""

    content: tuple[Content, ...]
    structured: Json = None
    is_error: bool = False
    took_ms: float = 0.0
    tokens_used: int | None = None
    problems: tuple[Problem, ...] = ()
    # The call is not done: only for callers that poll.
    task: TaskHandle | None = None

    def measured(self, took_ms: float, problems: tuple[Problem, ...]) -> "ToolResult":
        """Return it with its time and problems; `replace` would take longer, for every call."""
        return ToolResult(
            self.content,
            self.structured,
            self.is_error,
            took_ms,
            self.tokens_used,
            problems,
            self.task,
        )

    @property
    def text(self) -> str:
        """All text blocks, one after another."""
        return "\n".join(block.text for block in self.content if block.text is not None)

    @property
    def content_type(self) -> ContentType:
        """Return the content type to display: the richest one in the result."""
        if any(block.kind == "image" for block in self.content):
            return "image"
        text = self.text
        if self.structured is not None or _is_json(text):
            return "json"
        if any(block.mime_type == "text/markdown" for block in self.content):
            return "markdown"
        return "markdown" if _MARKDOWN.search(text[:BLOCK_CHARS]) else "text"

    @property
    def display(self) -> Display:
        """Return the display format by the size of the result."""
        content_type = self.content_type
        if content_type == "image":
            return "block"
        text = self.text or ("" if self.structured is None else json_text.write(self.structured))
        if len(text) > BLOCK_CHARS or text.count("\n") >= BLOCK_LINES:
            return "collapsed"
        is_line = content_type == "text" and len(text) <= INLINE_CHARS and "\n" not in text
        return "inline" if is_line else "block"


def _is_json(text: str) -> bool:
    """Whether it is a JSON object or array; a bare number or word is better shown as text."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json_text.read(text, max_bytes=MAX_PARSED_CHARS)
    except Invalid:
        return False
    return True


@dataclass(frozen=True, slots=True)
class ToolProgress:
    """The progress of a running call, in the server's own units."""

    done: float
    total: float | None = None
    message: str | None = None
    # Whether `message` is a piece of a text that is being written, to be read behind the others.
    is_piece: bool = False


ProgressListener = Callable[[ToolProgress], Awaitable[None]]


class ToolCaller(Protocol):
    """The one gate every call goes through; `servers` has the real one."""

    async def call(
        self, call: ToolCall, *, on_progress: ProgressListener | None = None
    ) -> ToolResult: ...


class AskingToolCaller(ToolCaller, Protocol):
    """A caller that hands a tool's questions to `asker`."""

    async def call(
        self,
        call: ToolCall,
        *,
        on_progress: ProgressListener | None = None,
        asker: Asker | None = None,
    ) -> ToolResult: ...
