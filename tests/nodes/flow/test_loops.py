"""FLOW.LOOP and FLOW.FOR_EACH in real runs."""

import anyio
import pytest
from tests.engine.building import Barrier, Behaviour, fails, meets, until_silent, workflow
from tests.nodes.flow.conftest import Opened
from tests.nodes.flow.running import NODES, computed, fields, finish, flow, outcome_of

from toolweave.catalog.node import Iteration, Looping, NodeContext, NodeInput, Outcome
from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.events import LoopOpened, PureStepsDone, StepStarted
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.testing.clock import FakeClock
from toolweave.workflow.model import Workflow

pytestmark = pytest.mark.anyio


def says(value: Json) -> tuple[str, JsonObject]:
    """A step with an effect that gives what its template gives."""
    return ("once", {"value": value})


async def gives_its_value(context: NodeContext) -> Outcome:
    return Outcome(context.given.config["value"])


def looping(loop: tuple[str, JsonObject], body: tuple[str, JsonObject]) -> Workflow:
    """A loop `l` with one step `b` in its body, and `e` after it."""
    return workflow(
        {"s": "start", "l": loop, "b": body, "e": "end"}, ["s > l", "l.loop > b", "l.done > e"]
    )


async def ran(runs: Engine, graph: Workflow, data: Json, status: str = "success") -> JsonObject:
    """What the loop gave."""
    run = await runs.runs.start(RunRequest(graph, data))
    assert await runs.advance(run) == status
    return fields(await outcome_of(runs, run, "l"))


async def failure(runs: Engine, graph: Workflow, data: Json) -> JsonObject:
    run = await runs.runs.start(RunRequest(graph, data))
    await runs.advance(run)
    finished = (await runs.state(run)).finished
    assert finished is not None
    assert finished.error is not None
    return finished.error


async def test_a_range_runs_its_body_for_each_number_and_names_it(engine: Opened) -> None:
    loop = flow("LOOP", loop_type="for_range", start_value=2, end_value=4,
                iteration_variable="page")  # fmt: skip
    body = says("{{ page }} {{ data }} {{ loop.index }} {{ loop.item }} {{ trigger.site }}")
    runs = await engine(b=gives_its_value)
    value = await ran(runs, looping(loop, body), {"site": "docs"})
    assert value == {
        "final_result": "4 4 2 4 docs",
        "iteration_results": ["2 2 0 2 docs", "3 3 1 3 docs", "4 4 2 4 docs"],
        "successful_iterations": 3,
        "failed_iterations": 0,
    }


@pytest.mark.parametrize(
    ("config", "inputs"),
    [
        ({"array_path": "data.users"}, {}),
        ({"array_path": "users"}, {}),
        ({"array_path": "trigger.users"}, {}),
        ({}, {"loop_data": "{{ data.users }}"}),
        ({}, {"data": "{{ data.users }}"}),
    ],
)
async def test_a_list_is_found_by_its_path_or_given(
    engine: Opened, config: JsonObject, inputs: JsonObject
) -> None:
    loop = flow("LOOP", inputs, loop_type="for_each", iteration_variable="user", **config)
    runs = await engine(b=gives_its_value)
    users: list[Json] = [{"name": "Ada"}, None, {"name": "Grace"}]
    value = await ran(runs, looping(loop, says("{{ [loop.index, user, data] }}")), {"users": users})
    assert value["iteration_results"] == [[at, user, user] for at, user in enumerate(users)]


def test_every_type_of_loop_is_known() -> None:
    (kind,) = [one for one in NODES["FLOW.LOOP"].spec.configurations if one.name == "loop_type"]
    assert kind.options == ("for_range", "for_each", "while")


async def counts(context: NodeContext) -> Outcome:
    came = context.given.incoming
    assert isinstance(came, dict)
    return Outcome({"n": int(str(came["n"])) + 1})


async def test_while_goes_on_with_what_the_last_turn_gave(engine: Opened) -> None:
    loop = flow("LOOP", loop_type="while", loop_condition="data.n < trigger.most")
    runs = await engine(b=counts)
    value = await ran(runs, looping(loop, says(None)), {"n": 0, "most": 3})
    assert value["final_result"] == {"n": 3}
    assert value["iteration_results"] == [{"n": 1}, {"n": 2}, {"n": 3}]


async def test_while_counts_its_turns_by_name(engine: Opened) -> None:
    loop = flow("LOOP", loop_type="while", loop_condition="turn < 2 && loop.index < 9",
                iteration_variable="turn")  # fmt: skip
    runs = await engine(b=gives_its_value)
    value = await ran(runs, looping(loop, says("{{ [turn, loop.item] }}")), {"n": 0})
    assert value["iteration_results"] == [[0, 0], [1, 1]]


async def test_while_polls_with_a_delay_at_the_end_of_its_body(
    engine: Opened, clock: FakeClock
) -> None:
    graph = workflow(
        {
            "s": "start",
            "l": flow("LOOP", loop_type="while", loop_condition="data.n < 3"),
            "b": "keyed",
            "d": flow("DELAY", duration_seconds=60),
        },
        ["s > l", "l.loop > b", "b > d"],
    )
    runs = await engine(b=counts)
    run = await runs.runs.start(RunRequest(graph, {"n": 0}))
    assert await finish(runs, clock, run) == "success"
    assert fields(await outcome_of(runs, run, "l"))["final_result"] == {"n": 3}


@pytest.mark.parametrize(
    "config",
    [
        {"loop_type": "for_range", "end_value": 10**9},
        {"loop_type": "for_each", "array_path": "many"},
        {"loop_type": "while", "loop_condition": "true"},
    ],
)
async def test_no_loop_has_more_turns_than_it_may(engine: Opened, config: JsonObject) -> None:
    graph = workflow({"s": "start", "l": flow("LOOP", max_iterations=7, **config)}, ["s > l"])
    runs = await engine()
    value = await ran(runs, graph, {"many": list(range(50))})
    assert value["successful_iterations"] == 7


async def test_results_are_collected_only_if_wanted(engine: Opened) -> None:
    loop = flow("LOOP", loop_type="for_range", end_value=2, collect_results=False)
    runs = await engine(b=gives_its_value)
    value = await ran(runs, looping(loop, says("{{ index }}")), {})
    assert value["iteration_results"] == []
    assert (value["final_result"], value["successful_iterations"]) == (2, 3)


def fails_at(*values: Json) -> Behaviour:
    async def behave(context: NodeContext) -> Outcome:
        value = context.given.config["value"]
        if value in values:
            raise Invalid("TEST_FAILED", f"the test wants {value} to fail")
        return Outcome(value)

    return behave


async def test_a_failed_turn_ends_the_loop(engine: Opened) -> None:
    loop = flow("LOOP", loop_type="for_range", end_value=4, break_on_error=True)
    runs = await engine(b=fails_at(2))
    error = await failure(runs, looping(loop, says("{{ index }}")), {})
    assert (error["code"], error["message"]) == ("TEST_FAILED", "the test wants 2 to fail")
    run = (await runs.newest())[0].id
    started = [one.event for one in await runs.journal.read(run)]
    keys = [event.key for event in started if isinstance(event, StepStarted)]
    assert keys == ["l#0/b", "l#1/b", "l#2/b"]


async def test_a_failed_turn_is_counted_where_the_loop_goes_on(engine: Opened) -> None:
    loop = flow("LOOP", loop_type="for_range", end_value=3, break_on_error=False)
    runs = await engine(b=fails_at(1, 3))
    value = await ran(runs, looping(loop, says("{{ index }}")), {})
    failed = [{"error": {"code": "TEST_FAILED", "message": f"the test wants {n} to fail",
                         "node": "b"}} for n in (1, 3)]  # fmt: skip
    assert value == {
        "final_result": 2,
        "iteration_results": [0, failed[0], 2, failed[1]],
        "successful_iterations": 2,
        "failed_iterations": 2,
    }


async def test_while_goes_on_after_a_failed_turn_with_what_worked_last(engine: Opened) -> None:
    async def stumbles(context: NodeContext) -> Outcome:
        if "#1/" in context.key:
            raise Invalid("TEST_FAILED", "the second turn fails")
        return await counts(context)

    loop = flow("LOOP", loop_type="while", loop_condition="data.n < 3", break_on_error=False)
    runs = await engine(b=stumbles)
    value = await ran(runs, looping(loop, says(None)), {"n": 0})
    assert value["final_result"] == {"n": 3}
    assert (value["successful_iterations"], value["failed_iterations"]) == (3, 1)


async def test_the_error_port_of_a_loop_takes_its_failure_on(engine: Opened) -> None:
    graph = workflow(
        {
            "s": "start",
            "l": flow("LOOP", loop_type="for_range"),
            "b": says("{{ index }}"),
            "rescue": "once",
            "e": "end",
        },
        ["s > l", "l.loop > b", "l.done > e", "l.error > rescue"],
    )
    runs = await engine(b=fails_at(1))
    run = await runs.runs.start(RunRequest(graph, {}))
    assert await runs.advance(run) == "success"
    result = result_of(await runs.state(run))
    assert isinstance(result, dict)
    assert isinstance(result["error"], dict)
    assert (result["error"]["code"], result["error"]["node"]) == ("TEST_FAILED", "l")


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({"loop_type": "while"}, "NODE_INPUT_INVALID"),
        ({"loop_type": "while", "loop_condition": "data.n"}, "CONDITION_FAILED"),
        ({"loop_type": "while", "loop_condition": "data.gone > 1"}, "EXPRESSION_FAILED"),
        ({"loop_type": "for_each"}, "NODE_INPUT_INVALID"),
        ({"loop_type": "for_each", "array_path": "data.n"}, "NODE_INPUT_INVALID"),
        ({"loop_type": "for_each", "array_path": "gone"}, "EXPRESSION_FAILED"),
    ],
)
async def test_a_loop_that_cannot_begin_says_why(
    engine: Opened, config: JsonObject, code: str
) -> None:
    graph = workflow({"s": "start", "l": flow("LOOP", **config)}, ["s > l"])
    assert (await failure(await engine(), graph, {"n": 1}))["code"] == code


async def test_loops_in_loops_see_the_names_of_both(engine: Opened) -> None:
    graph = workflow(
        {
            "s": "start",
            "l": flow("LOOP", loop_type="for_range", start_value=1, end_value=2,
                      iteration_variable="row"),
            "inner": flow("FOR_EACH", array_path="trigger.columns", iteration_variable="column",
                          max_parallel=2),
            "b": says("{{ column }}{{ row }}"),
            "sum": says("{{ inner.results }}"),
        },
        ["s > l", "l.loop > inner", "inner.loop > b", "inner.done > sum"],
    )  # fmt: skip
    runs = await engine(b=gives_its_value, sum=gives_its_value)
    value = await ran(runs, graph, {"columns": ["a", "b"]})
    assert value["iteration_results"] == [["a1", "b1"], ["a2", "b2"]]


async def test_an_edge_back_into_the_loop_says_what_a_turn_gave(engine: Opened) -> None:
    graph = workflow(
        {"s": "start", "l": flow("LOOP", loop_type="for_range", end_value=1),
         "a": says("{{ index + 10 }}"), "b": says("aside")},
        ["s > l", "l.loop > a", "l.loop > b", "a > l"],
    )  # fmt: skip
    runs = await engine(a=gives_its_value, b=gives_its_value)
    assert (await ran(runs, graph, {}))["iteration_results"] == [10, 11]


async def test_for_each_keeps_the_order_of_the_list_whoever_is_first(engine: Opened) -> None:
    last_first = [anyio.Event() for _ in range(4)]

    async def backwards(context: NodeContext) -> Outcome:
        place = int(str(context.given.config["value"]))
        if place < 3:
            await last_first[place + 1].wait()
        last_first[place].set()
        return Outcome(place)

    loop = flow("FOR_EACH", max_parallel=4)
    runs = await engine(b=backwards)
    with anyio.fail_after(60):
        value = await ran(runs, looping(loop, says("{{ item }}")), [0, 1, 2, 3])
    assert value == {"results": [0, 1, 2, 3], "succeeded": 4, "failed": 0, "errors": []}


@pytest.mark.exercises("FLOW.FOR_EACH.max_parallel")
async def test_for_each_works_on_as_many_as_it_may_and_no_more(engine: Opened) -> None:
    at_once, most = 0, 0
    barrier = Barrier(3)

    async def counted(context: NodeContext) -> Outcome:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await meets(barrier)(context)
        at_once -= 1
        return Outcome(None)

    runs = await engine(b=counted)
    with anyio.fail_after(60):
        await ran(runs, looping(flow("FOR_EACH", max_parallel=3), says(None)), list(range(10)))
    assert most == 3


async def test_for_each_goes_on_after_a_failure_or_ends(engine: Opened) -> None:
    runs = await engine(b=fails_at("b"))
    data: Json = ["a", "b", "c"]
    graph = looping(flow("FOR_EACH", continue_on_error=True), says("{{ item }}"))
    assert await ran(runs, graph, data) == {
        "results": ["a", None, "c"],
        "succeeded": 2,
        "failed": 1,
        "errors": [{"index": 1, "code": "TEST_FAILED", "message": "the test wants b to fail"}],
    }
    graph = looping(flow("FOR_EACH", continue_on_error=False), says("{{ item }}"))
    assert (await failure(runs, graph, data))["code"] == "TEST_FAILED"


async def test_for_each_needs_a_list(engine: Opened) -> None:
    graph = workflow({"s": "start", "l": flow("FOR_EACH")}, ["s > l"])
    assert (await failure(await engine(), graph, {"n": 1}))["code"] == "NODE_INPUT_INVALID"


async def test_a_loop_of_ten_thousand_turns_is_bounded_in_memory(engine: Opened) -> None:
    graph = workflow(
        {
            "s": "start",
            "l": flow("LOOP", loop_type="for_range", end_value=9_999, max_iterations=10_000,
                      collect_results=False),
            "a": flow("IF", condition_expression="index >= 0"),
            "b": "end",
        },
        ["s > l", "l.loop > a", "a.true > b"],
    )  # fmt: skip
    runs = await engine()
    with anyio.fail_after(60):
        value = await ran(runs, graph, {})
    assert (value["final_result"], value["successful_iterations"]) == (9_999, 10_000)
    run = (await runs.newest())[0].id
    state = await runs.state(run)
    assert state.places.keys() == {"s", "l"}
    assert not (state.loops)
    assert not (state.attempts)
    assert not (state.failures)
    rows = [
        one.event for one in await runs.journal.read(run) if isinstance(one.event, PureStepsDone)
    ]
    assert len(rows) < 100


async def test_what_is_known_of_a_turn_is_forgotten_after_it(engine: Opened) -> None:
    loop = flow("LOOP", loop_type="for_range", end_value=49, break_on_error=False)
    runs = await engine(b=fails_at(*range(0, 50, 2)))
    run = await runs.runs.start(RunRequest(looping(loop, says("{{ index }}")), {}))
    assert await runs.advance(run) == "success"
    state = await runs.state(run)
    known = (state.places, state.attempts, state.failures, state.answers, state.running)
    assert [len(one) for one in known] == [3, 0, 0, 0, 0]


@pytest.mark.parametrize("loop_type", ["for_range", "for_each", "while"])
async def test_a_loop_that_was_cut_goes_on_in_another_process(
    engine: Opened, clock: FakeClock, loop_type: str
) -> None:
    config: JsonObject = {
        "loop_type": loop_type,
        "end_value": 5,
        "array_path": "items",
        "loop_condition": "data.n < 6",
    }
    done: list[str] = []
    reached = anyio.Event()

    async def cut(context: NodeContext) -> Outcome:
        if "#3/" in context.key:
            reached.set()
            await anyio.sleep_forever()
        return await goes(context)

    async def goes(context: NodeContext) -> Outcome:
        done.append(context.key.partition("/")[2])
        return Outcome({"n": len(done)})

    graph = workflow(
        {"s": "start", "l": flow("LOOP", **config), "b": "keyed", "e": "end"},
        ["s > l", "l.loop > b", "l.done > e"],
    )
    first = await engine(b=cut)
    run = await first.runs.start(RunRequest(graph, {"items": [0, 1, 2, 3, 4, 5], "n": 0}))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(first.advance, run)
            await reached.wait()
            tasks.cancel_scope.cancel()
    second = await engine(b=goes)
    await until_silent(second, clock)
    assert await second.advance(run) == "success"
    assert done == [f"l#{turn}/b" for turn in range(6)]
    value = fields(await outcome_of(second, run, "l"))
    assert value["iteration_results"] == [{"n": n} for n in range(1, 7)]
    events = [one.event for one in await second.journal.read(run)]
    assert sum(isinstance(event, LoopOpened) for event in events) == 1


async def test_a_turn_that_must_happen_once_is_uncertain_after_a_cut(
    engine: Opened, clock: FakeClock
) -> None:
    reached = anyio.Event()

    async def cut(context: NodeContext) -> Outcome:
        if "#1/" in context.key:
            reached.set()
            await anyio.sleep_forever()
        return Outcome("first")

    graph = looping(flow("LOOP", loop_type="for_range", end_value=2), says("again"))
    first = await engine(b=cut)
    run = await first.runs.start(RunRequest(graph, {}))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(first.advance, run)
            await reached.wait()
            tasks.cancel_scope.cancel()
    second = await engine(b=gives_its_value)
    await until_silent(second, clock)
    assert await second.advance(run) == "uncertain"
    await second.resolve(run, "l#1/b", "retry")
    await second.advance(run)
    value = fields(await outcome_of(second, run, "l"))
    assert value["iteration_results"] == ["first", "again", "again"]


async def test_a_failed_try_in_a_body_is_made_again(engine: Opened, clock: FakeClock) -> None:
    graph = workflow(
        {
            "s": "start",
            "l": flow("LOOP", loop_type="for_range", end_value=2),
            "b": ("keyed", {"configurations": {"retry_attempts": 2}}),
        },
        ["s > l", "l.loop > b"],
    )
    runs = await engine(b=fails(2))
    run = await runs.runs.start(RunRequest(graph, {}))
    assert await finish(runs, clock, run) == "success"
    assert fields(await outcome_of(runs, run, "l"))["iteration_results"] == [0, 1, 2]


def test_a_loop_alone_tells_what_it_goes_through() -> None:
    loop = NODES["FLOW.LOOP"]
    assert isinstance(loop, Looping)
    given = NodeInput({"loop_type": "for_range", "start_value": 5, "end_value": 1,
                   "max_iterations": 9, "collect_results": True})  # fmt: skip
    assert loop.items(given) == []
    assert loop.width(given) == 1
    failed = Iteration(None, {"code": "X", "message": "x"})
    assert loop.stops(given, failed) is False
    assert fields(loop.finish(given, [failed]))["failed_iterations"] == 1
    with pytest.raises(ToolweaveError):
        computed("FLOW.IF", {"condition_expression": "1"}, {"data": 1})
