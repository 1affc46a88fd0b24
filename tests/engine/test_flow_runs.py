"""Flow files, read as they are written and run with the real nodes."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.engine.building import EchoTools

from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.execution_report import execution
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.formats.load import load, read

pytestmark = pytest.mark.anyio


@pytest.fixture
async def database(tmp_path: Path) -> AsyncGenerator[Database]:
    async with open_database(tmp_path / "runs.db") as opened:
        await migrate(opened)
        yield opened


@pytest.fixture
async def runs(database: Database) -> AsyncGenerator[Engine]:
    clock = SystemClock()
    services = EngineServices(EchoTools(), clock)
    engine = Engine(
        database, Journal(database, clock), NodeRegistry(), services=services, checker=Unchecked()
    )
    async with engine.running():
        yield engine


def text(identity: str, template: str, title: str | None = None) -> JsonObject:
    """A node of a flow with a template."""
    data: JsonObject = {"label": identity, "template": template}
    if title:
        data["selectedTemplateId"] = title
    return {"id": identity, "type": "template", "position": {"x": 0, "y": 0}, "data": data}


def given(identity: str, **values: Json) -> JsonObject:
    variables: list[Json] = [{"key": name, "value": value} for name, value in values.items()]
    data: JsonObject = {"label": identity, "variables": variables}
    return {"id": identity, "type": "multi_input", "position": {"x": 0, "y": 0}, "data": data}


def flow(*nodes: JsonObject, edges: tuple[str, ...]) -> JsonObject:
    """`a > b` is a chain edge, `a ~ b` a data edge."""
    listed: list[Json] = []
    for number, edge in enumerate(edges):
        source, sign, target = edge.split()
        kind = "chain" if sign == ">" else "data"
        listed.append(
            {
                "id": f"e{number}",
                "source": source,
                "target": target,
                "type": kind,
            }
        )
    end: JsonObject = {
        "id": "end",
        "type": "result",
        "position": {"x": 0, "y": 0},
        "data": {"label": "end"},
    }
    about: JsonObject = {"name": "Marketing_Strategy", "version": "1.0.0", "description": "d"}
    return {"metadata": about, "nodes": [*nodes, end], "edges": listed}


async def told(runs: Engine, document: JsonObject, inputs: Json) -> JsonObject:
    run = await runs.runs.start(RunRequest(read(document).workflow, inputs))
    await runs.advance(run)
    return execution(run, await runs.plan(run), await runs.journal.read(run))


def by_node(shown: JsonObject) -> dict[str, JsonObject]:
    listed = shown["intermediateResults"]
    assert isinstance(listed, list)
    return {str(one["nodeId"]): one for one in listed if isinstance(one, dict)}


STRATEGY = flow(
    given("node-1", company_name="TechCorp", market="Retail"),
    text("node-2", "{company_name} in {market}.", "Brand_Positioning_Strategy"),
    text("node-3", "{node2_template}: {node2_result} {node-2_result} for {budget}"),
    edges=("node-1 ~ node-2", "node-2 > node-3", "node-3 > end"),
)


async def test_every_result_tells_the_variables_it_used_as_text(runs: Engine) -> None:
    shown = await told(runs, STRATEGY, {"market": "AI", "budget": 100})
    assert shown["status"] == "success"
    found = by_node(shown)
    assert found["node-1"]["output"] == {"company_name": "TechCorp", "market": "AI", "budget": 100}
    assert found["node-1"]["inputVariables"] == {}
    assert found["node-2"]["inputVariables"] == {"company_name": "TechCorp", "market": "AI"}
    assert found["node-2"]["output"] == "TechCorp in AI."
    assert found["node-3"]["inputVariables"] == {
        "node2_template": "Brand_Positioning_Strategy",
        "node2_result": "TechCorp in AI.",
        "node-2_result": "TechCorp in AI.",
        "budget": "100",
    }
    last = "Brand_Positioning_Strategy: TechCorp in AI. TechCorp in AI. for 100"
    assert shown["finalResult"] == last
    assert found["node-2"]["templateName"] == "Brand_Positioning_Strategy"


async def test_the_result_of_a_node_wins_over_a_variable_of_the_same_name(runs: Engine) -> None:
    inputs: JsonObject = {"budget": 1, "node2_result": "of the caller"}
    shown = await told(runs, STRATEGY, inputs)
    assert by_node(shown)["node-3"]["inputVariables"] == {
        "node2_template": "Brand_Positioning_Strategy",
        "node2_result": "TechCorp in Retail.",
        "node-2_result": "TechCorp in Retail.",
        "budget": "1",
    }


async def test_a_data_edge_gives_variables_and_orders_nothing(runs: Engine) -> None:
    document = flow(
        given("in", who="Ada"),
        text("one", "one of {who}"),
        text("two", "{one_result}, two of {who}"),
        # What comes later is no input of what comes before, and makes nothing wait.
        edges=("in ~ one", "in ~ two", "one > two", "two ~ one", "two > end"),
    )
    shown = await told(runs, document, {})
    assert (shown["status"], shown["finalResult"]) == ("success", "one of Ada, two of Ada")


async def test_a_flow_is_read_and_checked_before_any_run_of_it_is_written(runs: Engine) -> None:
    broken = flow(text("a", "x"), text("b", "y"), edges=("a > b", "b > a"))
    assert any(problem.severity == "error" for problem in load(json.dumps({"flow": 1})).problems)
    with pytest.raises(Invalid) as refused:
        await told(runs, broken, {})
    assert refused.value.code == "CIRCULAR_DEPENDENCY"
    assert await runs.newest() == []


async def test_an_execution_keeps_each_result_and_a_large_one_by_reference(
    runs: Engine, database: Database
) -> None:
    names = ["a", "b", "c", "d", "e"]
    chain = tuple(f"{a} > {b}" for a, b in zip(names, [*names[1:], "end"], strict=True))
    texts = [text(name, f"{name * 10_000}{{own}}") for name in names]
    await told(runs, flow(*texts, edges=chain), {"own": ""})
    row = await database.row("SELECT sum(length(body)) FROM journal")
    assert row is not None
    # The last one is the run's result as well.
    assert 60_000 <= row[0] < 62_000
    await told(runs, flow(text("a", "{big}"), edges=("a > end",)), {"big": "x" * 120_000})
    row = await database.row("SELECT count(*), max(length(text)) FROM blobs")
    assert row is not None
    assert row[0] == 3  # what it began with, what was computed, and its result
    assert row[1] < 125_000
