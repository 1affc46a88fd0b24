"""What an expression may read in, before and after loops: validation and runs say the same."""

from functools import cache

import pytest
from tests.engine.building import workflow
from tests.nodes.flow.conftest import Opened
from tests.nodes.flow.running import NODES, flow

from toolweave.catalog.index import Catalog
from toolweave.clock import SystemClock
from toolweave.engine.engine import Engine
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.checks import check_workflow
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.model import Workflow

pytestmark = pytest.mark.anyio

INPUTS: JsonObject = {"rows": [{"id": 1, "cells": ["a", "b"]}], "name": "x"}
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "rows": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "integer"},
                    "cells": {"type": "array", "items": {"type": "string"}},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}


@cache
def known() -> KnownEnvironment:
    return KnownEnvironment(Catalog([node.spec for node in NODES.values()]), SystemClock().now())


def fields(text: str) -> tuple[str, JsonObject]:
    """A node that reads an expression."""
    return "ACTION", {
        "subtype": "SET_FIELDS",
        "configurations": {"set": {"read": f"{{{{ {text} }}}}"}, "keep_others": False},
        "inputParams": {"data": {}},
    }


def nested(place: str, text: str, **outer: Json) -> Workflow:
    """Loops `rows` and `cells`, one in the other; one node reads the text, the others a number."""
    settings: JsonObject = {"array_path": "trigger.rows", "iteration_variable": "row", **outer}
    nodes = {one: fields(text if one == place else "1") for one in ("a", "b", "c", "deep", "after")}
    loops = {
        "rows": flow("FOR_EACH", **settings),
        "cells": flow("FOR_EACH", array_path="loop.item.cells"),
    }
    found = workflow(
        {"s": "start", **nodes, **loops},
        [
            *("s > a", "a > rows", "rows.loop > b", "rows.done > after"),
            *("b > cells", "cells.loop > deep", "cells.done > c"),
        ],
    )
    found.extras["inputSchema"] = SCHEMA
    return found


def problems(graph: Workflow) -> list[str]:
    found = check_workflow(graph, known())
    return [f"{one.code} {one.pointer}" for one in found if one.severity == "error"]


async def fails(runs: Engine, graph: Workflow) -> bool:
    run = await runs.runs.start(RunRequest(graph, INPUTS))
    return await runs.advance(run) != "success"


SEEN = [
    ("b", "row.id"),
    ("b", "loop.item.id"),
    ("b", "loop.index"),
    ("b", "a.data.read"),
    ("deep", "row.id"),
    ("deep", "item"),
    ("deep", "loop.item"),
    ("deep", "b.data.read"),
    ("c", "cells.results"),
    ("c", "b.data.read"),
    ("after", "rows.results"),
    ("after", "a.data.read"),
    ("after", "trigger.rows[0].id"),
]
UNSEEN = [
    ("b", "item.id"),
    ("b", "index"),
    ("b", "rows.results"),
    ("b", "c.data.read"),
    ("b", "row.nowhere"),
    ("b", "loop.value"),
    ("c", "deep.data.read"),
    ("c", "item"),
    ("deep", "cells.results"),
    ("after", "row.id"),
    ("after", "loop.index"),
    ("after", "b.data.read"),
    ("after", "deep.data.read"),
    ("after", "cells.results"),
    ("after", "a.read"),
    ("a", "rows.results"),
]


async def test_what_a_run_reads_is_valid(engine: Opened) -> None:
    runs = await engine()
    for place, text in SEEN:
        graph = nested(place, text)
        assert not await fails(runs, graph), (place, text)
        assert problems(graph) == []


async def test_what_a_run_cannot_read_is_an_error(engine: Opened) -> None:
    runs = await engine()
    for place, text in UNSEEN:
        graph = nested(place, text)
        assert await fails(runs, graph), (place, text)
        assert [one.split()[1] for one in problems(graph)] == [
            f"{at(graph, place)}/data/configurations/set/read"
        ], (place, text)


async def test_a_loop_over_no_list_is_an_error(engine: Opened) -> None:
    runs = await engine()
    for path in ("trigger.name", "trigger.rows[0]", "name", "{{ trigger.rows }}"):
        graph = nested("a", "1", array_path=path)
        assert await fails(runs, graph), path
        assert [one.split()[1] for one in problems(graph)] == [
            f"{at(graph, 'rows')}/data/configurations/array_path"
        ], path


async def test_the_condition_of_a_loop_sees_its_own_variable(engine: Opened) -> None:
    again = flow("LOOP", loop_type="while", loop_condition="turn < 2 && loop.index < 5",
                 iteration_variable="turn")  # fmt: skip
    graph = workflow(
        {"s": "start", "l": again, "b": fields("turn"), "e": fields("l.successful_iterations")},
        ["s > l", "l.loop > b", "l.done > e"],
    )
    assert not await fails(await engine(), graph)
    assert problems(graph) == []


async def test_types_that_do_not_match_are_an_error_where_the_schema_tells(engine: Opened) -> None:
    runs = await engine()
    for text in ("size(trigger.rows) + 1", "trigger.name + 'x'", "trigger.rows[0].id + 1"):
        graph = nested("a", text)
        assert not await fails(runs, graph), text
        assert problems(graph) == []
    for text in ("size(trigger.rows[0].id)", "trigger.name + 1", "trigger.name > 3"):
        graph = nested("a", text)
        assert await fails(runs, graph), text
        assert problems(graph) == [
            f"EXPRESSION_TYPE {at(graph, 'a')}/data/configurations/set/read"
        ], text


def at(graph: Workflow, node: str) -> str:
    return f"/nodes/{[str(one.id) for one in graph.nodes].index(node)}"
