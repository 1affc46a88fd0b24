"""The workflow builder: a model is asked for a change, and proposes a checked workflow.

It is a conversation whose only tools are those of `builder_tools`, so its limits, its masking and
its events are those of a chat.
"""

from dataclasses import dataclass
from importlib.resources import files

from toolweave.assistant.conversation import ChatEvent, ChatLimits, Conversation, Tell
from toolweave.assistant.tool_context import ContextTool, EnabledServer, ToolContext
from toolweave.authoring.authoring import Authoring
from toolweave.authoring.builder_tools import (
    SERVER,
    BuilderTools,
    WorkflowProposal,
    without_editor_data,
)
from toolweave.catalog.resources.model import Message, ModelCaller, Said, ToolAnswer
from toolweave.catalog.tool_service import ToolService
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json, JsonObject, write
from toolweave.workflow.formats.load import convert
from toolweave.workflow.json_patch import difference
from toolweave.workflow.model import Workflow

LIMITS = ChatLimits(steps=20, calls=40, tokens=300_000)


@dataclass(frozen=True, slots=True)
class EarlierExchange:
    """A request of the same person before, and what the model answered."""

    request: str
    answer: str


class WorkflowBuilder:
    """Asks a model to change one workflow; it applies nothing."""

    def __init__(
        self,
        authoring: Authoring,
        catalog: ToolService,
        caller: ModelCaller,
        current: Workflow,
        *,
        model: str | None = None,
        earlier: tuple[EarlierExchange, ...] = (),
    ) -> None:
        self._current = current
        self._tools = BuilderTools(authoring, catalog, current)
        server = EnabledServer(SERVER, SERVER)
        offered = tuple(ContextTool(server, tool, tool.name) for tool in self._tools.tools)
        context = ToolContext(offered, (SERVER,), self._tools, "builder")
        self._talk = Conversation(
            context, caller, model=model, limits=LIMITS, instructions=_instructions()
        )
        self._talk.messages = tuple(_history(earlier))

    async def build(self, request: str, tell: Tell) -> WorkflowProposal | None:
        """Ask for a change; every event is reported, the last ones are `proposal` and `end`.

        A failed request is the event `error`; what was proposed before it is still reported.
        """
        shown = write(convert(without_editor_data(self._current), "toolweave"))
        try:
            await self._talk.answer(f"{request}\n\n<workflow>\n{shown}\n</workflow>", tell)
        except ToolweaveError as error:
            await tell(ChatEvent("error", error.as_json()))
        proposal = self._tools.proposal
        if proposal is not None:
            await tell(ChatEvent("proposal", self._proposed(proposal)))
        await tell(ChatEvent("end", {"proposed": proposal is not None}))
        return proposal

    def _proposed(self, proposal: WorkflowProposal) -> JsonObject:
        before, after = (
            convert(workflow, "toolweave") for workflow in (self._current, proposal.workflow)
        )
        patch: list[Json] = [*difference(before, after)]
        return {
            "document": after,
            "summary": proposal.summary,
            "valid": proposal.is_valid,
            "problems": [problem.as_json() for problem in proposal.problems],
            "patch": patch,
        }


def _history(earlier: tuple[EarlierExchange, ...]) -> list[Message]:
    found: list[Message] = []
    for exchange in earlier:
        found += [Said(text=exchange.request), ToolAnswer(text=exchange.answer or "(no answer)")]
    return found


def _instructions() -> str:
    return files("toolweave.authoring").joinpath("prompts", "builder.md").read_text("utf-8").strip()
