"""A workflow and the same one with some nodes in a sub-workflow run to the same result."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.engine.building import workflow

from toolweave.catalog.index import Catalog
from toolweave.catalog.resources.record import Resources
from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.engine.subworkflows import SubWorkflows
from toolweave.errors import Invalid
from toolweave.home import WORKFLOWS
from toolweave.json_text import Json
from toolweave.nodes import discover
from toolweave.nodes.registry import NodeRegistry
from toolweave.problems import Problem
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.storage.workflow_files import WorkflowFiles
from toolweave.testing.unchecked import Unchecked
from toolweave.tools.tool import ToolCall, ToolResult
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.extraction.extract import extract
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.model import Node, NodeId, Position, Workflow
from toolweave.workflow.report import examine_loaded
from toolweave.workflow.store import WorkflowStore

KNOWN = KnownEnvironment(Catalog(node.spec for node in discover()), SystemClock().now())
INPUTS: dict[str, Json] = {"n": 3, "who": "Ada", "items": [1, 2, 3]}


class NoTools:
    async def call(self, call: ToolCall, *, on_progress: object = None) -> ToolResult:
        raise AssertionError(call)


class Runner:
    """An engine over the real nodes; extracted workflows are stored where it finds them."""

    def __init__(self, engine: Engine, store: WorkflowStore) -> None:
        self._engine = engine
        self._store = store
        self._count = 0

    async def result(self, made: Workflow) -> tuple[str, Json]:
        with anyio.fail_after(60):
            run = await self._engine.runs.start(RunRequest(made, INPUTS))
            await self._engine.runs.run_to_end(run)
            finished = (await self._engine.state(run)).finished
        assert finished is not None
        return finished.status, finished.result if finished.status == "success" else None

    async def extracted(self, made: Workflow, ids: list[str]) -> Workflow:
        """Both workflows as files have them, the called one stored."""
        self._count += 1
        done = extract(made, ids, f"part {self._count}", KNOWN)
        called = read(convert(done.extracted, "toolweave")).workflow
        await self._store.save(replace(called, name=f"part {self._count}"), over=None)
        return read(convert(done.workflow, "toolweave")).workflow


@asynccontextmanager
async def open_runner(home: Path) -> AsyncGenerator[Runner]:
    clock = SystemClock()
    store = WorkflowStore(WorkflowFiles(home / WORKFLOWS))
    async with open_database(home / "runs.db") as database:
        await migrate(database)
        services = EngineServices(NoTools(), clock)
        journal = Journal(database, clock)
        engine = Engine(database, journal, NodeRegistry(), services=services, checker=Unchecked())
        services.resources = Resources(workflows=SubWorkflows(engine, store))
        async with engine.running():
            yield Runner(engine, store)


@pytest.fixture(scope="module")
def portal() -> Generator[BlockingPortal]:
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(scope="module")
def runner(portal: BlockingPortal, tmp_path_factory: pytest.TempPathFactory) -> Generator[Runner]:
    home = tmp_path_factory.mktemp("extraction")
    with portal.wrap_async_context_manager(open_runner(home)) as found:
        yield found


def shown(value: object) -> str:
    return "-".join(map(str, cast("list[str]", value))) if isinstance(value, list) else ""


def fields(**expressions: str) -> tuple[str, dict[str, Any]]:
    """A node that gives an object of computed fields."""
    config = {"keep_others": False, "expressions": expressions}
    data: dict[str, Any] = {"subtype": "SET_FIELDS", "configurations": config}
    data["inputParams"] = {"data": {}}
    return "ACTION", data


def values(**templates: str) -> tuple[str, dict[str, Any]]:
    """A node that gives an object of templates."""
    data = {"subtype": "SET_FIELDS", "configurations": {"set": templates}}
    return "ACTION", data | {"inputParams": {"data": {}}}


def condition(text: str) -> tuple[str, dict[str, Any]]:
    return "FLOW", {"subtype": "IF", "configurations": {"condition_expression": text}}


def each(items: str) -> tuple[str, dict[str, Any]]:
    return "FLOW", {"subtype": "FOR_EACH", "inputParams": {"data": items}}


def prompt(text: str) -> tuple[str, dict[str, Any]]:
    return "prompt", {"prompt": text}


BRANCHED = workflow(
    {
        "s": "start",
        "first": fields(a="trigger.n", b="trigger.who"),
        "big": condition("data.a > 2"),
        "yes": fields(a="first.data.a * 2"),
        "no": fields(a="0"),
        "joined": fields(
            a="has(nodes.yes) ? yes.data.a : no.data.a", w="first.data.b", r="run.workflow"
        ),
        "text": prompt("{{joined.data.a}} for {{who}} and {{first.data.b}}: {{joined_result}}"),
        "e": "end",
    },
    [
        *("s > first", "first > big", "big.true > yes", "big.false > no", "yes > joined"),
        *("no > joined", "joined > text", "text > e"),
    ],
)
LOOPED = workflow(
    {
        "s": "start",
        "first": fields(a="trigger.n"),
        "each": each("{{ trigger.items }}"),
        "one": values(a="{{ item * 2 + first.data.a }}", i="{{ loop.index }}"),
        "two": values(a="{{ one.data.a + item }}"),
        "all": values(a="{{ data }}", b="{{ first.data.a }}"),
        "e": "end",
    },
    ["s > first", "first > each", "each.loop > one", "one > two", "each.done > all", "all > e"],
)
JOINED = workflow(
    {
        "s": "start",
        "left": fields(a="trigger.n"),
        "right": fields(a="trigger.who"),
        "next": fields(a="right.data.a + '!'"),
        "e": "end",
    },
    ["s > left", "s > right", "right > next", "left > e", "next > e"],
)


@pytest.mark.parametrize(
    ("made", "ids"),
    [
        (BRANCHED, ["first"]),
        (BRANCHED, ["big", "yes", "no", "joined"]),
        (BRANCHED, ["first", "big", "yes", "no", "joined", "text"]),
        (BRANCHED, ["joined"]),
        (BRANCHED, ["joined", "text"]),
        (BRANCHED, ["yes"]),
        (BRANCHED, ["text"]),
        (LOOPED, ["each", "one", "two"]),
        (LOOPED, ["one"]),
        (LOOPED, ["one", "two"]),
        (LOOPED, ["two"]),
        (LOOPED, ["first", "each", "one", "two", "all"]),
        (JOINED, ["right", "next"]),
        (JOINED, ["right"]),
        (JOINED, ["next"]),
    ],
    ids=shown,
)
def test_the_extracted_form_gives_the_same_result_and_has_no_new_problems(
    portal: BlockingPortal, runner: Runner, made: Workflow, ids: list[str]
) -> None:
    before = portal.call(runner.result, made)
    assert before[0] == "success"
    changed = portal.call(runner.extracted, made, ids)
    assert len(changed.nodes) == len(made.nodes) - len(ids) + 1
    assert portal.call(runner.result, changed) == before
    codes = {one.code for one in errors_in(changed)} - {one.code for one in errors_in(made)}
    assert codes == set()


def errors_in(made: Workflow) -> list[Problem]:
    found = examine_loaded(read(convert(made, "toolweave")), KNOWN).problems
    return [problem for problem in found if problem.severity == "error"]


CUT = workflow(
    {
        "s": "start",
        "big": condition("trigger.n > 2"),
        "yes": fields(a="1"),
        "no": fields(a="2"),
        "merged": ("FLOW", {"subtype": "MERGE"}),
        "stop": ("FLOW", {"subtype": "STOP", "configurations": {"when": "false"}}),
        "all": fields(a="size(nodes)"),
        "e": "end",
    },
    [
        *("s > big", "big.true > yes", "big.false > no", "yes > merged", "no > merged"),
        *("merged > stop", "stop > all", "all > e"),
    ],
)


@pytest.mark.parametrize(
    ("made", "ids", "reason"),
    [
        (CUT, ["s", "big"], "'s' starts this workflow"),
        (CUT, ["all", "e"], "'e' ends this workflow"),
        (CUT, ["yes", "no"], "connections lead into 'no' and 'yes'"),
        (CUT, ["big"], "connections lead out at several places: 'big' (false), 'big' (true)"),
        (CUT, ["big", "no"], "connections lead out at several places"),
        (CUT, ["merged"], "'merged' joins branches from outside"),
        (CUT, ["stop"], "'stop' ends the whole run"),
        (CUT, ["yes", "all"], "connections lead into 'all' and 'yes'"),
        (CUT, ["all"], "'all' reads `nodes` without the id of a node"),
        (LOOPED, ["first", "each"], "'one' is in the body of the loop 'each'"),
        (LOOPED, ["two", "all"], "connections lead into 'all' and 'two'"),
        (BRANCHED, ["big", "yes"], "connections lead out at several places"),
    ],
    ids=shown,
)
def test_a_selection_that_would_change_the_run_is_refused_with_the_reason(
    made: Workflow, ids: list[str], reason: str
) -> None:
    with pytest.raises(Invalid) as refused:
        extract(made, ids, "part", KNOWN)
    assert refused.value.code == "EXTRACTION_IMPOSSIBLE"
    assert reason in refused.value.message
    assert refused.value.hint


def test_ids_positions_and_pins_are_kept() -> None:
    pins: dict[str, Json] = {"yes": {"output": 1}, "first": {"output": 2}}
    made = replace(BRANCHED, metadata={"studio": {"pins": pins}})
    done = extract(made, ["big", "yes", "no", "joined"], "Decide the size", KNOWN)
    moved = [node.id for node in done.extracted.nodes]
    assert moved == ["start", "big", "yes", "no", "joined", "end"]
    for node in done.extracted.nodes[1:-1]:
        original = made.node(node.id)
        assert original is not None
        assert node.position == original.position
    assert [node.id for node in done.workflow.nodes] == ["s", "first", done.node, "text", "e"]
    assert done.node == "decide_the_size"
    assert done.extracted.metadata == {"studio": {"pins": {"yes": {"output": 1}}}}
    assert done.workflow.metadata == {"studio": {"pins": {"first": {"output": 2}}}}


def test_a_node_leaves_its_group_where_it_was_drawn_even_if_the_group_is_in_itself() -> None:
    outer = Node(NodeId("g"), "group", "g", Position(10, 20), parent=NodeId("g"))
    nodes = [
        replace(one, parent=NodeId("g"), position=Position(1, 2)) if one.id == "first" else one
        for one in BRANCHED.nodes
    ]
    made = replace(BRANCHED, nodes=(outer, *nodes))
    done = extract(made, ["first"], "part", KNOWN)
    moved = done.extracted.node("first")
    assert moved is not None
    assert (moved.position, moved.parent) == (Position(11, 22), None)
    called = done.workflow.node(done.node)
    assert called is not None
    assert (called.position, called.parent) == (Position(1, 2), "g")


@st.composite
def drawn_workflows(draw: st.DrawFn) -> tuple[Workflow, list[str]]:
    """A workflow of branches and joins whose nodes read earlier ones, and some of its nodes."""
    nodes: dict[str, Any] = {"s": "start"}
    edges: list[str] = []
    ports: dict[str, tuple[str, ...]] = {"s": ("output",)}
    above: dict[str, set[str]] = {"s": set()}
    names = [f"n{index}" for index in range(draw(st.integers(3, 8)))]
    for name in names:
        before = list(ports)
        parents = draw(st.lists(st.sampled_from(before), min_size=1, max_size=2, unique=True))
        above[name] = {*parents, *(one for parent in parents for one in above[parent])}
        read = draw(st.sampled_from(sorted(above[name])))
        value = draw(
            st.sampled_from(
                [
                    "trigger.n",
                    f"has(nodes.{read}) ? [{read}.?data.hasValue()] : []",
                    f"nodes.?{read}.?output.orValue('none')",
                    "[1, 2].map(x, x + trigger.n)",
                    "run.workflow",
                    "string(size(trigger.who))",
                ]
            )
        )
        is_choice = draw(st.integers(0, 3)) == 0
        nodes[name] = (
            condition("trigger.n > 2")
            if is_choice
            else values(a=f"{{{{ {value} }}}}", d="{{ data }}")
        )
        ports[name] = ("true", "false") if is_choice else ("output",)
        for parent in parents:
            edges.append(f"{parent}.{draw(st.sampled_from(ports[parent]))} > {name}")
    nodes["e"] = "end"
    open_ends = [name for name in names if not any(edge.startswith(f"{name}.") for edge in edges)]
    edges += [f"{name}.{port} > e" for name in open_ends for port in ports[name]]
    size = draw(st.integers(1, 4))
    at = draw(st.integers(0, len(names) - 1))
    return workflow(nodes, edges), names[at : at + size]


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(drawn=drawn_workflows())
def test_random_workflows_and_their_extracted_forms_agree(
    portal: BlockingPortal, runner: Runner, drawn: tuple[Workflow, list[str]]
) -> None:
    made, ids = drawn
    assume(is_possible(made, ids))
    changed = portal.call(runner.extracted, made, ids)
    assert portal.call(runner.result, changed) == portal.call(runner.result, made)


def is_possible(made: Workflow, ids: list[str]) -> bool:
    try:
        extract(made, ids, "part", KNOWN)
    except Invalid:
        return False
    return True
