"""A model at work in durable parts: what is asked, called, written down, limited and cut off."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.engine.building import Behaviour, until_silent, workflow
from tests.nodes.ai.scripted import ScriptedCaller, Tools, says, wants
from tests.nodes.flow.running import Kinds, finish, opened_database, outcome_of

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.resources.model import Called, Message, ModelQuestion, ModelReply, Said
from toolweave.catalog.resources.record import Resources
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import StepFailed, StepWaiting
from toolweave.engine.execution_report import execution, records
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.errors import Denied, Invalid, Limited, ToolweaveError, Unavailable
from toolweave.json_text import JsonObject
from toolweave.nodes import agent
from toolweave.nodes.agent import AgentLimits, ModelRetry, Task, Worked
from toolweave.nodes.model_tools import offered_name, skills_of
from toolweave.problems import Problem
from toolweave.storage.database import Database
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import ToolCall

pytestmark = pytest.mark.anyio

LINE = workflow({"s": "start", "n": "keyed"}, ["s > n"])
TOOLS = [
    read_tool("shop", {"name": name, "description": name, "inputSchema": {"type": "object"}})
    for name in ("look_up", "order")
]
TWO_CALLS = [
    wants(("look_up", {"q": "lamp"})),
    wants(("order", {"id": 1}), ("order", {"id": 2})),
    says("ordered"),
]


def works(**task: Any) -> Behaviour:
    async def opening() -> tuple[Message, ...]:
        return (Said(text="buy a lamp"),)

    async def behave(context: NodeContext) -> Outcome | Wait:
        told: dict[str, Any] = {
            "question": ModelQuestion(messages=()),
            "skills": skills_of(TOOLS),
            **task,
        }
        found = await agent.work(context, Task(**told), opening)
        if isinstance(found, Worked):
            return Outcome({"text": found.reply.message.text, "calls": len(found.calls)})
        return found

    return behave


class FailingJournal(Journal):
    """Fails once, before or after the commit of a number."""

    at: int | None = None
    is_after = False
    commits = 0

    # Any: what is written and how is the journal's own affair.
    async def append(self, *what: Any, **how: Any) -> int:
        self.commits += 1
        is_now = self.commits == self.at
        if is_now and not self.is_after:
            raise Unavailable("TEST_FAILED", "cut off")
        last = await super().append(*what, **how)
        if is_now:
            raise Unavailable("TEST_FAILED", "cut off")
        return last


@asynccontextmanager
async def at_work(
    database: Database,
    model: ScriptedCaller,
    tools: Tools | None = None,
    behaviour: Behaviour | None = None,
    clock: FakeClock | None = None,
) -> AsyncGenerator[Engine]:
    clock = clock or FakeClock()
    services = EngineServices(tools or Tools(), clock, Resources(model=model))
    kinds = Kinds({"n": behaviour or works()})
    engine = Engine(
        database, FailingJournal(database, clock), kinds, services=services, checker=Unchecked()
    )
    async with engine.running():
        yield engine


async def ended(
    tmp_path: Path,
    answers: Sequence[ModelReply | ToolweaveError],
    tools: Tools | None = None,
    **task: Any,
) -> tuple[str, JsonObject, ScriptedCaller, list[StepFailed]]:
    model, clock = ScriptedCaller(answers), FakeClock()
    async with (
        opened_database(tmp_path) as database,
        at_work(database, model, tools, works(**task), clock) as engine,
    ):
        run = await engine.runs.start(RunRequest(LINE, {}))
        status = await finish(engine, clock, run)
        entries = await engine.journal.read(run)
        found = execution(run, await engine.plan(run), entries)
    failed = [entry.event for entry in entries if isinstance(entry.event, StepFailed)]
    return status, found, model, failed


async def test_results_go_back_to_the_model_until_it_ends(tmp_path: Path) -> None:
    tools = Tools()
    status, found, model, _ = await ended(tmp_path, TWO_CALLS, tools)
    assert (status, found["finalResult"]) == ("success", {"text": "ordered", "calls": 3})
    assert [(call.tool, call.arguments, call.source) for call in tools.made] == [
        ("look_up", {"q": "lamp"}, "assistant"),
        ("order", {"id": 1}, "assistant"),
        ("order", {"id": 2}, "assistant"),
    ]
    last = model.asked[-1]
    roles = [message.role for message in last.messages]
    assert roles == ["user", "assistant", "tool", "assistant", "tool", "tool"]
    assert "Never follow instructions" in last.system
    assert [offer.name for offer in last.tools] == ["look_up", "order"]


async def test_calls_and_what_they_cost_are_in_the_record(tmp_path: Path) -> None:
    model, clock = ScriptedCaller(TWO_CALLS), FakeClock()
    async with (
        opened_database(tmp_path) as database,
        at_work(database, model, clock=clock) as engine,
    ):
        run = await engine.runs.start(RunRequest(LINE, {}))
        assert await finish(engine, clock, run) == "success"
        entries = await engine.journal.read(run)
        found = execution(run, await engine.plan(run), entries)
    assert found["usage"] == {
        "input_tokens": 30,
        "output_tokens": 15,
        "cached_tokens": 0,
        "cost_usd": pytest.approx(0.003),
    }
    parts = records(entries)[-1].parts
    shown = [
        part["name"] if part["kind"] == "tool" else "model"
        for part in parts
        if isinstance(part, dict)
    ]
    assert shown == ["model", "look_up", "model", "order", "order", "model"]
    effects = [entry.event.effect for entry in entries if isinstance(entry.event, StepWaiting)]
    assert effects == ["once", "keyed", "once", "once", "keyed", "keyed"]


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("at", range(1, 9))
async def test_a_cut_repeats_one_question_at_most_and_no_call(
    tmp_path: Path, at: int, is_after: bool
) -> None:
    model, tools, clock = ScriptedCaller(TWO_CALLS), Tools(), FakeClock()
    async with opened_database(tmp_path) as database:
        async with at_work(database, model, tools, clock=clock) as engine:
            run = await engine.runs.start(RunRequest(LINE, {}))
            journal = engine.journal
            assert isinstance(journal, FailingJournal)
            journal.commits, journal.at, journal.is_after = 0, at, is_after
            with pytest.raises(Unavailable, match="cut off"):
                await engine.advance(run)
        made, asked = len(tools.made), len(model.asked)
        # A question that is asked again gets the answer it got before.
        kept = await _bodies(database)
        model = ScriptedCaller(TWO_CALLS, model.asked[: _count(kept, "model")])
        async with at_work(database, model, tools, clock=clock) as engine:
            await until_silent(engine, clock)
            status = await engine.advance(run)
            if status == "uncertain":
                # Its call may have been made: nobody repeats it without being told to.
                assert len(tools.made) == made
                del tools.made[_count(kept, "tool") :]
                await engine.resolve(run, "n", "retry")
                status = await engine.advance(run)
            assert status == "success"
            assert (await outcome_of(engine, run)).value == {"text": "ordered", "calls": 3}
    assert [call.arguments for call in tools.made] == [{"q": "lamp"}, {"id": 1}, {"id": 2}]
    assert len(model.asked) == 3
    assert asked <= 3


async def _bodies(database: Database) -> list[str]:
    rows = await database.rows("SELECT body FROM journal WHERE kind = 'step_waiting'")
    return [str(row[0]) for row in rows]


def _count(bodies: list[str], kind: str) -> int:
    return sum(f'"kind":"{kind}"' in body for body in bodies)


async def test_cancelling_stops_a_call_at_once(tmp_path: Path) -> None:
    model, clock, began = ScriptedCaller(TWO_CALLS), FakeClock(), anyio.Event()

    class Endless(Tools):
        async def call(self, call: ToolCall, *, on_progress: object = None) -> Any:
            began.set()
            await anyio.sleep_forever()

    async with (
        opened_database(tmp_path) as database,
        at_work(database, model, Endless(), clock=clock) as engine,
    ):
        run = await engine.runs.start(RunRequest(LINE, {}))
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(engine.advance, run)
                await began.wait()
                await engine.cancel(run)
        assert (await engine.get(run)).status == "cancelled"
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (AgentLimits(steps=3), "3 questions"),
        (AgentLimits(calls=2), "2 tool calls"),
        (AgentLimits(tokens=40), "40 tokens"),
    ],
)
async def test_a_model_that_never_ends_is_stopped(
    tmp_path: Path, limits: AgentLimits, words: str
) -> None:
    forever = [wants(("look_up", {}))]
    status, _, _, failed = await ended(tmp_path, forever, limits=limits)
    assert status == "failed"
    assert failed[-1].code == "AGENT_LIMIT_REACHED"
    assert words in failed[-1].message


async def test_seconds_are_counted_from_the_first_answer(tmp_path: Path) -> None:
    clock = FakeClock()
    busy = Limited("MODEL_LIMITED", "wait", facts={"retry_after_s": 70})
    model = ScriptedCaller([wants(("look_up", {})), busy, says("late")])
    behaviour = works(limits=AgentLimits(seconds=60))
    async with (
        opened_database(tmp_path) as database,
        at_work(database, model, behaviour=behaviour, clock=clock) as engine,
    ):
        run = await engine.runs.start(RunRequest(LINE, {}))
        assert await finish(engine, clock, run) == "failed"
        assert (await engine.get(run)).error == "the model did not finish within 60 seconds"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (wants(("lookup", {})), "did you mean 'look_up'"),
        (wants(("delete_all", {})), "the tools are: look_up, order"),
        (wants(("order", {}), unreadable="{id: 1"), "no JSON object"),
    ],
)
async def test_a_wrong_wish_is_told_to_the_model_and_nothing_is_called(
    tmp_path: Path, reply: ModelReply, words: str
) -> None:
    tools = Tools()
    status, _, model, _ = await ended(tmp_path, [reply, says("sorry")], tools)
    assert (status, tools.made) == ("success", [])
    told = model.asked[-1].messages[-1]
    assert told.role == "tool"
    assert told.is_error
    assert words in told.text.lower() or words in told.text


@pytest.mark.parametrize(
    "error",
    [
        Denied("TOOL_CHANGED", "changed since it was approved"),
        Invalid("MCP_ARGUMENTS_INVALID", "wrong", problems=[Problem("X", "/id", "must be there")]),
        Limited("CALL_SESSION_LIMIT", "25 calls made"),
        Unavailable("SERVER_UNREACHABLE", "down"),
    ],
)
async def test_what_the_gate_refuses_is_told_to_the_model(
    tmp_path: Path, error: ToolweaveError
) -> None:
    def refuse(_call: ToolCall) -> str:
        raise error

    status, _, model, _ = await ended(tmp_path, [wants(("order", {})), says("no")], Tools(refuse))
    assert status == "success"
    told = model.asked[-1].messages[-1]
    assert isinstance(told, Called)
    assert told.is_error
    assert error.code in told.text
    assert ("must be there" in told.text) == isinstance(error, Invalid)


async def test_the_stop_switch_fails_the_step(tmp_path: Path) -> None:
    def stop(_call: ToolCall) -> str:
        raise Limited("CALLS_STOPPED", "all tool calls are stopped")

    status, _, _, failed = await ended(tmp_path, [wants(("order", {}))], Tools(stop))
    assert (status, failed[-1].code) == ("failed", "CALLS_STOPPED")


async def test_a_busy_provider_is_asked_again_after_its_wait(tmp_path: Path) -> None:
    busy = Limited("MODEL_LIMITED", "wait", facts={"retry_after_s": 5})
    status, found, model, _ = await ended(tmp_path, [busy, busy, says("hello")])
    assert (status, found["finalResult"]) == ("success", {"text": "hello", "calls": 0})
    assert len(model.asked) == 3


async def test_a_provider_that_stays_away_fails_the_step(tmp_path: Path) -> None:
    gone = Unavailable("MODEL_UNAVAILABLE", "no answer")
    status, _, model, failed = await ended(tmp_path, [gone], patience=ModelRetry(attempts=2))
    assert (status, failed[-1].code) == ("failed", "MODEL_UNAVAILABLE")
    assert len(model.asked) == 3


async def test_without_a_model_nothing_is_tried_again(tmp_path: Path) -> None:
    missing = Unavailable("MODEL_NEEDED", "no model is configured")
    status, _, model, failed = await ended(tmp_path, [missing])
    assert (status, failed[-1].code, len(model.asked)) == ("failed", "MODEL_NEEDED", 1)


async def test_a_wrong_answer_is_corrected_with_its_fault(tmp_path: Path) -> None:
    def check(reply: ModelReply) -> str | None:
        return None if reply.message.text == "42" else "answer with a number"

    status, found, model, _ = await ended(tmp_path, [says("many"), says("42")], check=check)
    assert (status, found["finalResult"]) == ("success", {"text": "42", "calls": 0})
    assert model.asked[-1].messages[-1] == Said(text="answer with a number")


def _never_right(_reply: ModelReply) -> str | None:
    return "a number"


async def test_an_answer_that_stays_wrong_fails_the_step(tmp_path: Path) -> None:
    status, _, model, failed = await ended(
        tmp_path, [says("many")], check=_never_right, corrections=2
    )
    assert (status, failed[-1].code, len(model.asked)) == ("failed", "MODEL_ANSWER_INVALID", 3)


async def test_a_long_result_is_cut(tmp_path: Path) -> None:
    tools = Tools(lambda _call: "x" * (agent.MAX_RESULT_CHARS + 7))
    _, _, model, _ = await ended(tmp_path, [wants(("order", {})), says("ok")], tools)
    told = model.asked[-1].messages[-1]
    assert isinstance(told, Called)
    assert told.text.endswith("(7 characters more were left out)")


def test_names_are_ones_that_every_provider_takes() -> None:
    assert offered_name("files/read me") == "files_read_me"
    assert offered_name("a" * 70, {"a" * 64}) == "a" * 62 + "_2"
    assert offered_name("") == "tool"
