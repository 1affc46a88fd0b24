"""`Resources`: everything a node may use, as `context.resources`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias

from toolweave.catalog.resources.commands import CommandCaller
from toolweave.catalog.resources.databases import Databases
from toolweave.catalog.resources.files import Files
from toolweave.catalog.resources.http import HttpClient
from toolweave.catalog.resources.mail import Mailboxes, Mailer, MailTokens
from toolweave.catalog.resources.services import ServiceAccess
from toolweave.catalog.resources.stores import Stores
from toolweave.errors import Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.tools.elicitation import AnsweredQuestion, ElicitationQuestion
from toolweave.tools.tool import ProgressListener, Tool, ToolCall, ToolResult

if TYPE_CHECKING:  # its records are slow to load
    from toolweave.catalog.resources.model import ModelCaller


class ApprovedServerTools(Protocol):
    """Lists the tools of approved servers without starting them."""

    async def tools(self, server: str) -> Sequence[Tool]:
        """Return the approved tools of a server. Raises `NotFound` or `Denied`."""
        ...

    async def skill_tools(self, server: str) -> Sequence[Tool]:
        """Return the tool that reads the approved skills of a server, if it has some."""
        ...

    async def server_for(self, kind: str, named: str | None = None) -> str:
        """Return the approved server a node uses: by its name or address, else by its kind."""
        ...


# The result of a run, and what a tool said beside it.
CalledResult: TypeAlias = tuple[Json, list[Json] | None]


class Workflows(Protocol):
    """Runs stored workflows."""

    async def run(self, name: str, inputs: Json, key: str) -> CalledResult | None:
        """Return the result of a workflow, or None until it ends; the caller is resumed then.

        A second call with the same key resumes the same run.

        Raises `NotFound`: `WORKFLOW_NOT_FOUND`.
        """
        ...


class StepCalls(Protocol):
    """Calls tools for steps that can wait for the answer to a tool's question."""

    @property
    def holder(self) -> str | None:
        """The name of the process that keeps the calls open."""
        ...

    async def call(
        self,
        key: str,
        call: ToolCall,
        *,
        on_progress: ProgressListener,
        answered: Sequence[AnsweredQuestion] = (),
    ) -> ToolResult | ElicitationQuestion:
        """Return the result of the tool, or its first question that is not answered."""
        ...

    def end(self, run: str) -> None:
        """End the open calls of a run that goes no further."""
        ...


class MediaStore(Protocol):
    """Keeps the media of runs that are too large for a value."""

    async def keep(self, run: str, data: bytes, mime_type: str | None) -> JsonObject:
        """Store bytes until the run is deleted; return `stored` and `href`, their addresses.

        Raises `Limited`: `MEDIA_LIMIT`.
        """
        ...


class _Missing:
    """Stands in for a resource that this process does not provide."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> NoReturn:
        message = f"this process provides no resource {self._name!r} to nodes"
        raise Unavailable("RESOURCE_MISSING", message)


# Any: the stand-in replaces any of the protocols.
def _missing(name: str) -> Callable[[], Any]:
    return lambda: _Missing(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What nodes use of the outside world; a resource left out raises `RESOURCE_MISSING`."""

    http: HttpClient = field(default_factory=_missing("http"))
    files: Files = field(default_factory=_missing("files"))
    databases: Databases = field(default_factory=_missing("databases"))
    stores: Stores = field(default_factory=_missing("stores"))
    services: ServiceAccess = field(default_factory=_missing("services"))
    mailer: Mailer = field(default_factory=_missing("mailer"))
    mailboxes: Mailboxes = field(default_factory=_missing("mailboxes"))
    mail_tokens: MailTokens = field(default_factory=_missing("mail_tokens"))
    model: "ModelCaller" = field(default_factory=_missing("model"))
    approved_tools: ApprovedServerTools = field(default_factory=_missing("approved_tools"))
    commands: CommandCaller = field(default_factory=_missing("commands"))
    workflows: Workflows = field(default_factory=_missing("workflows"))
    # Without it a tool that asks a question fails its step.
    step_calls: StepCalls | None = None
    # Without it media of any size stay in the value.
    media: MediaStore | None = None
