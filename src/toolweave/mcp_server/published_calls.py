"""A call of a published tool: starts or resumes its run, follows it and asks its questions.

The run belongs to the engine, not to the call: if the connection is lost the run continues, and
its id is enough to return to it.
"""

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import inf

import anyio
import mcp_types as types
import orjson
from anyio import get_cancelled_exc_class
from anyio.abc import TaskGroup
from mcp.shared.exceptions import MCPError

from toolweave.engine.called_questions import RunEvents, with_called_runs
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL, Finished, Key, PureStepsDone, StepFinished
from toolweave.engine.journal import JournalEntry
from toolweave.engine.plan import NEVER_RUN
from toolweave.engine.run_media import RunMedia
from toolweave.engine.runs import RunRequest
from toolweave.engine.state import TURN
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json
from toolweave.mcp_server import elicitation as asking
from toolweave.mcp_server.context import McpContext, WaitLimits
from toolweave.mcp_server.event_size import fitted, limits_events
from toolweave.mcp_server.results import finished_result
from toolweave.mcp_server.tasks import created, has_tasks, require_tasks
from toolweave.mcp_server.tool_call import Answer, McpCaller, ToolRequest, structured_result
from toolweave.publishing.service import PublishedTool
from toolweave.tasks import background
from toolweave.workflow.model import Workflow
from toolweave.workflow.question import Question

logger = logging.getLogger(__name__)

TRIGGER = "mcp"
CANCEL_S = 5.0
MAX_TRIES = 3


class RunProgress:
    """Counts completed steps; a run with loops has no known total."""

    def __init__(self, workflow: Workflow, caller: McpCaller) -> None:
        self._titles = {
            str(node.id): node.title for node in workflow.nodes if node.type not in NEVER_RUN
        }
        self._session = caller.context.session
        self._done = 0

    async def note(self, entries: Sequence[JournalEntry]) -> None:
        """Report the steps among these entries."""
        for entry in entries:
            for key in _done(entry):
                self._done += 1
                total = len(self._titles)
                title = self._titles.get(key.rpartition("/")[2], key)
                known = total if self._done <= total else None
                await self._session.report_progress(self._done, known, title)


def _done(entry: JournalEntry) -> list[str]:
    match entry.event:
        case PureStepsDone(steps):
            return [str(key) for key, number, *_ in steps if number != TURN]
        case StepFinished(key):
            return [key]
        case _:
            return []


class PublishedCalls:
    """Runs workflows that are called as tools."""

    def __init__(self, context: McpContext) -> None:
        self._context = context

    async def call(self, asked: ToolRequest, one: PublishedTool) -> Answer:
        """The result of one call, or what the client must do first."""
        caller, tasks = asked.caller, one.publication.tasks
        if tasks == "only":
            require_tasks(caller)
        engine = (await self._context.studio()).engine
        run = _resumed(asked.params)
        if run is None:
            request = RunRequest(one.workflow, asked.arguments, trigger=TRIGGER, source=one.loaded)
            run = await engine.runs.start(request)
            if tasks != "auto" and has_tasks(caller):
                return await created(engine, run)
        async with _while_there(engine, run, caller, one.publication.if_left):
            return await _Watching(engine, run, one, asked, self._context.wait_limits).answer()


@dataclass
class _Watching:
    """One call and its run; questions stay open until answered, here or elsewhere."""

    engine: Engine
    run: str
    one: PublishedTool
    asked: ToolRequest
    wait_limits: WaitLimits
    questions: asking.Questions = field(default_factory=dict[Key, Question])
    # The forms shown to the person now, and the call's deadline.
    shown: dict[Key, anyio.CancelScope] = field(default_factory=dict[Key, anyio.CancelScope])
    waiting: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    is_dismissed: bool = False
    has_asked: bool = False

    async def answer(self) -> Answer:
        """Wait for the end, for a question, or until the client's limit."""
        async with background() as tasks:
            self._wait_on()
            with self.waiting:
                if (answer := await self._watch(tasks)) is not None:
                    return answer
        return await self._left()

    async def _watch(self, tasks: TaskGroup) -> Answer | None:
        progress = RunProgress(self.one.workflow, self.asked.caller)
        replies = asking.replies_in(self.asked.params.input_responses)
        async with with_called_runs(self.engine, self.run) as batches:
            async for events in batches:
                if not events.prefix:
                    await progress.note(events.entries)
                    if isinstance(finished := events.entries[-1].event, Finished):
                        return await self._finished(finished)
                self._note(events)
                await self._hand_in(replies)
                if self.questions and (answer := self._ask(tasks)) is not None:
                    return answer
        return None

    async def _left(self) -> Answer:
        """The answer when the time limit is reached."""
        run = await self.engine.get(self.run)
        if run.status in FINAL:
            last = (await self.engine.journal.last(self.run)).event
            assert isinstance(last, Finished)
            return await self._finished(last)
        if has_tasks(self.asked.caller):
            return await created(self.engine, self.run)
        return structured_result(asking.parked(self.run, run.status, self.questions))

    async def _finished(self, finished: Finished) -> Answer:
        result = await finished_result(self.engine, self.run, self.one, finished)
        if not limits_events(self.asked, has_asked=self.has_asked):
            return result
        return await fitted(result, self.run, RunMedia(self.engine.journal.database))

    def _wait_on(self) -> None:
        """Start the deadline; it is suspended while a person fills in a form."""
        soon = self.wait_limits.soon_s if has_tasks(self.asked.caller) else self.wait_limits.wait_s
        self.waiting.deadline = inf if self.shown else anyio.current_time() + soon

    def _note(self, events: RunEvents) -> None:
        for entry in events.entries:
            asking.note(self.questions, entry.event, events.prefix)
        for key in [key for key in self.shown if key not in self.questions]:
            self.shown.pop(key).cancel()  # answered, possibly by someone else
            self._wait_on()

    async def _hand_in(self, replies: dict[Key, types.ElicitResult]) -> None:
        """Submit the client's answers; an invalid answer is asked for again."""
        for key in [key for key in replies if key in self.questions]:
            question = self.questions[key]
            reply = asking.reply_of(replies.pop(key), question, self.asked.caller)
            if reply is None:
                self.is_dismissed = True
            elif not question.faults(reply):
                await asking.answer(self.engine, self.run, key, reply, self.asked.caller)
                self.questions.pop(key)

    def _ask(self, tasks: TaskGroup) -> Answer | None:
        """Ask the open questions in the way that the client supports."""
        caller = self.asked.caller
        mine = {
            key: one
            for key, one in self.questions.items()
            if one.asks(caller.person) and asking.can_be_asked(caller, one)
        }
        if self.is_dismissed or not mine:
            return structured_result(asking.parked(self.run, "waiting", self.questions))
        if caller.is_modern:
            state = orjson.dumps({"run": self.run, "asked": list(mine)}).decode()
            requests: types.InputRequests = {**asking.requests(mine, caller)}
            return types.InputRequiredResult(input_requests=requests, request_state=state)
        self.has_asked = True
        for key, question in mine.items():
            if key not in self.shown:
                self.shown[key] = anyio.CancelScope()
                tasks.start_soon(self._show, key, question)
        self._wait_on()
        return None

    async def _show(self, key: Key, question: Question) -> None:
        """With the session protocol: send a form and submit its answer."""
        caller = self.asked.caller
        with self.shown[key]:
            for _ in range(MAX_TRIES):
                reply = await _elicited(caller, question)
                if reply is None:
                    break
                if not question.faults(reply):
                    await asking.answer(self.engine, self.run, key, reply, caller)
                    return
            # No form can be shown any more; the answer explains how to reply.
            self.waiting.cancel()


async def _elicited(caller: McpCaller, question: Question) -> Json:
    session, request = caller.context.session, caller.context.request_id
    text = asking.text_of(question)
    try:
        if question.url is not None and asking.opens_page(caller, question):
            shown = await session.elicit_url(text, question.url, question.id, request)
        else:
            shown = await session.elicit_form(
                text, dict(question.schema), related_request_id=request
            )
    except MCPError:
        return None  # the client declares forms but does not support them
    return asking.reply_of(shown, question, caller)


def _resumed(params: types.CallToolRequestParams) -> str | None:
    """The run of a signed state; the signature has been verified before."""
    if params.request_state is None:
        return None
    state: Mapping[str, str] = orjson.loads(params.request_state)
    return state["run"]


@asynccontextmanager
async def _while_there(
    engine: Engine, run: str, caller: McpCaller, if_left: str
) -> AsyncGenerator[None]:
    """Cancel the run if the caller cancels; if the caller disconnects, follow the tool's policy."""
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
