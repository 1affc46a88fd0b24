"""A call of a published tool: its run is started or gone on with, watched, asked about, answered.

The run belongs to the engine, not to the call: whatever becomes of the connection, the journal
tells how the run goes on, and its id is enough to come back to it.
"""

import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from math import inf

import anyio
import mcp_types as types
import orjson
from anyio import get_cancelled_exc_class
from anyio.abc import TaskGroup
from mcp.shared.exceptions import MCPError

from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL, Finished, Key
from toolweave.engine.journal import JournalEntry
from toolweave.engine.runs import RunRequest
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json
from toolweave.mcp_server import elicitation as asking
from toolweave.mcp_server.context import McpContext, WaitLimits
from toolweave.mcp_server.progress import RunProgress
from toolweave.mcp_server.results import finished_result
from toolweave.mcp_server.tasks import created, has_tasks, require_tasks
from toolweave.mcp_server.tool_call import Answer, McpCaller, ToolRequest, told
from toolweave.publishing.service import PublishedTool
from toolweave.tasks import background
from toolweave.workflow.question import Question

logger = logging.getLogger(__name__)

TRIGGER = "mcp"
CANCEL_S = 5.0
MAX_TRIES = 3


class PublishedCalls:
    """Runs workflows for those who call them as tools."""

    def __init__(self, desk: McpContext) -> None:
        self._desk = desk

    async def call(self, asked: ToolRequest, one: PublishedTool) -> Answer:
        """The result of one call, or what the client has to do first."""
        caller, tasks = asked.caller, one.publication.tasks
        if tasks == "only":
            require_tasks(caller)
        engine = (await self._desk.rooms()).engine
        run = _resumed(asked.params)
        if run is None:
            request = RunRequest(one.workflow, asked.arguments, trigger=TRIGGER, source=one.loaded)
            run = await engine.runs.start(request)
            if tasks != "auto" and has_tasks(caller):
                return await created(engine, run)
        async with _while_there(engine, run, caller, one.publication.if_left):
            return await _Watching(engine, run, one, asked, self._desk.patience).answer()


@dataclass
class _Watching:
    """One call and its run; questions stay open until they are answered here or elsewhere."""

    engine: Engine
    run: str
    one: PublishedTool
    asked: ToolRequest
    patience: WaitLimits
    questions: asking.Questions = field(default_factory=dict[Key, Question])
    # The forms that are before a person now, and how long the call goes on.
    shown: dict[Key, anyio.CancelScope] = field(default_factory=dict[Key, anyio.CancelScope])
    waiting: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    is_dismissed: bool = False

    async def answer(self) -> Answer:
        """Wait for the end, for a question, or as long as the client can."""
        async with background() as tasks:
            self._wait_on()
            with self.waiting:
                if (answer := await self._watch(tasks)) is not None:
                    return answer
        return await self._left()

    async def _watch(self, tasks: TaskGroup) -> Answer | None:
        progress = RunProgress(self.one.workflow, self.asked.caller)
        replies = asking.replies_in(self.asked.params.input_responses)
        async with aclosing(self.engine.journal.batches(self.run)) as batches:
            async for entries in batches:
                await progress.note(entries)
                if isinstance(finished := entries[-1].event, Finished):
                    return await finished_result(self.engine, self.run, self.one, finished)
                self._note(entries)
                await self._hand_in(replies)
                if self.questions and (answer := self._ask(tasks)) is not None:
                    return answer
        return None

    async def _left(self) -> Answer:
        """What a client gets that cannot wait any longer."""
        run = await self.engine.get(self.run)
        if run.status in FINAL:
            last = (await self.engine.journal.read(self.run))[-1].event
            assert isinstance(last, Finished)
            return await finished_result(self.engine, self.run, self.one, last)
        if has_tasks(self.asked.caller):
            return await created(self.engine, self.run)
        return told(asking.parked(self.run, run.status, self.questions))

    def _wait_on(self) -> None:
        """Begin to count the time; none passes while a person has a form to fill in."""
        soon = self.patience.soon_s if has_tasks(self.asked.caller) else self.patience.wait_s
        self.waiting.deadline = inf if self.shown else anyio.current_time() + soon

    def _note(self, entries: list[JournalEntry]) -> None:
        for entry in entries:
            asking.note(self.questions, entry.event)
        for key in [key for key in self.shown if key not in self.questions]:
            self.shown.pop(key).cancel()  # it is answered: somebody else may have been first
            self._wait_on()

    async def _hand_in(self, replies: dict[Key, types.ElicitResult]) -> None:
        """Answer what the client has sent answers for; what does not fit is asked again."""
        for key in [key for key in replies if key in self.questions]:
            reply = asking.reply_of(replies.pop(key))
            if reply is None:
                self.is_dismissed = True
            elif not self.questions[key].faults(reply):
                await asking.answer(self.engine, self.run, key, reply, self.asked.caller)
                self.questions.pop(key)

    def _ask(self, tasks: TaskGroup) -> Answer | None:
        """Put the open questions to the client's person in the client's way."""
        caller = self.asked.caller
        if self.is_dismissed or not asking.can_be_asked(caller):
            return told(asking.parked(self.run, "waiting", self.questions))
        if caller.is_modern:
            state = orjson.dumps({"run": self.run, "asked": list(self.questions)}).decode()
            requests: types.InputRequests = {**asking.forms(self.questions)}
            return types.InputRequiredResult(input_requests=requests, request_state=state)
        for key, question in self.questions.items():
            if key not in self.shown:
                self.shown[key] = anyio.CancelScope()
                tasks.start_soon(self._show, key, question)
        self._wait_on()
        return None

    async def _show(self, key: Key, question: Question) -> None:
        """The older era: a form is pushed, and its answer handed in."""
        caller = self.asked.caller
        with self.shown[key]:
            for _ in range(MAX_TRIES):
                reply = await _elicited(caller, question)
                if reply is None:
                    break
                if not question.faults(reply):
                    await asking.answer(self.engine, self.run, key, reply, caller)
                    return
            # Nothing comes of it any more: whoever called is told how to answer.
            self.waiting.cancel()


async def _elicited(caller: McpCaller, question: Question) -> Json:
    session, request = caller.context.session, caller.context.request_id
    try:
        shown = await session.elicit_form(
            asking.text_of(question), dict(question.schema), related_request_id=request
        )
    except MCPError:
        return None  # the client says that it can ask, and cannot
    return asking.reply_of(shown)


def _resumed(params: types.CallToolRequestParams) -> str | None:
    """The run that a sealed state is of; the seal is checked before we see it."""
    if params.request_state is None:
        return None
    state: Mapping[str, str] = orjson.loads(params.request_state)
    return state["run"]


@asynccontextmanager
async def _while_there(
    engine: Engine, run: str, caller: McpCaller, if_left: str
) -> AsyncGenerator[None]:
    """Whoever cancels stops the run; for whoever is gone the tool's policy says what happens."""
    try:
        yield
    except get_cancelled_exc_class():
        if caller.has_cancelled or (caller.has_left and if_left == "cancel"):
            with anyio.CancelScope(shield=True), anyio.move_on_after(CANCEL_S):
                await _cancel(engine, run, caller)
        raise


async def _cancel(engine: Engine, run: str, caller: McpCaller) -> None:
    try:
        await engine.cancel(run, by=caller.who)
    except ToolweaveError:
        logger.exception("run not cancelled", extra={"run": run})
