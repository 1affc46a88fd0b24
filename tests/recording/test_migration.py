"""Changed tools: typed differences, proposals, proofs by replay, and measured seeded drifts."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands
from tests.cli.test_run import mcp, save
from tests.engine.building import workflow
from tests.recording.conftest import tw as tw
from tests.recording.drifts.generate import drifts
from tests.recording.drifts.measure import measure, report
from tests.servers.rooms import a_studio, approved

from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.recording.migration.proposal import propose
from toolweave.recording.migration.tool_difference import changed_tools
from toolweave.recording.migration.value_migration import migrate_arguments
from toolweave.testing.server import ScriptedServer, answers
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import ToolCall
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.json_patch import apply_patch, value_at

CITY = {"type": "string", "description": "City that the orders are sent to."}
LIMIT = {"type": "integer", "description": "How many orders to return.", "default": 10}
STATE = {"type": "string", "enum": ["in_progress", "done"], "description": "State of the orders."}
COUNT = {"type": "integer", "description": "How many orders were found."}


def find(properties: dict[str, Any], field: str, *required: str, **more: Any) -> dict[str, Any]:
    """The tool of these tests with other parameters and another field in its result."""
    definition: dict[str, Any] = {
        "name": "find_orders",
        "description": "Find orders by city and state.",
        "inputSchema": {"type": "object", "properties": properties, "required": [*required]},
        "outputSchema": {"type": "object", "properties": {field: COUNT}},
    }
    return definition | more


OLD = find({"city_name": CITY, "state": STATE, "limit": LIMIT}, "order_count", "city_name")
NEW = find(
    {"cityName": CITY, "state": {**STATE, "enum": ["inProgress", "done"]}, "limit": LIMIT},
    "orderCount",
    "cityName",
)
NODES = {
    "s": "start",
    "find": mcp("find_orders", "orders", city_name="{{ data.city }}", state="in_progress"),
    "say": ("prompt", {"prompt": "{{ find.order_count }} orders, {{ data.order_count }}."}),
    "e": "end",
}
EDGES = ["s > find", "find > say", "say > e"]


@pytest.mark.anyio
async def test_seeded_drifts_are_migrated_and_none_is_wrongly_certain(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # Takes some seconds: each drift is generated, migrated, recorded and replayed.
    figures = await measure(per_kind=2)
    with capsys.disabled():
        print(f"\n{figures}")  # noqa: T201
    assert figures.total >= 100
    assert figures.wrong_certain == [], report(figures)
    assert figures.wrong_verdicts == [], report(figures)
    assert figures.certain >= 30
    assert figures.green >= 0.7 * figures.total, report(figures)
    assert figures.green >= 0.9 * figures.answerable, report(figures)


@pytest.mark.anyio
async def test_every_seeded_drift_is_stopped_before_the_first_call(tmp_path: Path) -> None:
    seeded = list(drifts(per_kind=1, seed=3))
    # One server has all of them, under names of their own; a renamed tool gets a new name.
    before: list[JsonObject] = [
        {**drift.old, "name": f"tool{at}"} for at, drift in enumerate(seeded)
    ]
    after: list[JsonObject] = [
        {**drift.new, "name": f"new{at}" if drift.kinds == ("tool_renamed",) else f"tool{at}"}
        for at, drift in enumerate(seeded)
    ]
    untouched: JsonObject = {"name": "control", "inputSchema": {"type": "object"}}
    server = ScriptedServer(tmp_path / "server", *after, untouched)
    refused: list[str] = []
    async with a_studio(tmp_path / "home") as studio:
        await approved(studio, "drifted", server.definition)
        tools = [read_tool("drifted", one) for one in (*before, untouched)]
        studio.home.lockfile.pin("drifted", tools)
        await studio.gate.call(ToolCall("drifted", "control"))
        for at, drift in enumerate(seeded):
            with pytest.raises(ToolweaveError) as error:
                await studio.gate.call(ToolCall("drifted", f"tool{at}", drift.call))
            refused.append(error.value.code)
    assert set(refused) == {"TOOL_CHANGED", "MCP_TOOL_NOT_FOUND"}
    assert len(refused) == len(seeded) >= 40
    assert [call["name"] for call in server.heard("tools/call")] == ["control"]


TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def schema(required: str = "", **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


# Old and new parameters, a call, and what is offered: the values and how certain, else nothing.
CASES: dict[str, tuple[Any, Any, Any, Any]] = {
    "renamed and its type changed": (
        schema(max_size=NUMBER),
        schema(maxSize=TEXT),
        {"max_size": 5},
        ({"maxSize": "5"}, "likely"),
    ),
    "template given as text": (
        schema(size=NUMBER),
        schema(size=TEXT),
        {"size": "{{ data.size }}"},
        ({"size": "{{ string(data.size) }}"}, "certain"),
    ),
    "template put into a list": (
        schema(size=NUMBER),
        schema(size={"type": "array", "items": NUMBER}),
        {"size": "{{ data.size }}"},
        ({"size": ["{{ data.size }}"]}, "certain"),
    ),
    "template with other options": (
        schema(mode={"enum": ["a", "b"]}),
        schema(mode={"enum": ["a", "c"]}),
        {"mode": "{{ data.mode }}"},
        None,
    ),
    "renamed in the items of a list": (
        schema(rows={"type": "array", "items": schema(row_id=TEXT)}),
        schema(rows={"type": "array", "items": schema(rowId=TEXT)}),
        {"rows": [{"row_id": "a"}, {"row_id": "b"}]},
        ({"rows": [{"rowId": "a"}, {"rowId": "b"}]}, "certain"),
    ),
    "two new names fit": (
        schema(name=TEXT),
        schema(name_a=TEXT, name_b=TEXT),
        {"name": "x"},
        None,
    ),
    "another meaning": (
        schema(wait={**NUMBER, "description": "How long, in seconds."}),
        schema(wait={**NUMBER, "description": "How long, in milliseconds."}),
        {"wait": 5},
        None,
    ),
    "a new required one next to a removed one": (
        schema(place=TEXT),
        schema("zone", zone={**TEXT, "description": "Time zone.", "default": "UTC"}),
        {"place": "Rome"},
        ({"zone": "UTC"}, "likely"),
    ),
    "template converted before": (
        schema(size=NUMBER),
        schema(size=TEXT),
        {"size": "{{ string(data.size) }}"},
        ({"size": "{{ string(data.size) }}"}, "certain"),
    ),
    "adapted before": (
        schema(max_size=NUMBER),
        schema(maxSize=TEXT),
        {"maxSize": "{{ string(data.size) }}"},
        ({"maxSize": "{{ string(data.size) }}"}, "certain"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_arguments_are_migrated(name: str) -> None:
    old, new, call, offered = CASES[name]
    found = migrate_arguments(old, new, call)
    if offered is None:
        assert found.questions
    else:
        assert found.questions == []
        assert (found.values, found.certainty) == offered


def test_hostile_schemas_are_compared_in_time_and_never_with_certainty() -> None:
    branches: dict[str, Any] = {f"b{at}": {"$ref": "#/$defs/tree"} for at in range(40)}
    tree: dict[str, Any] = {
        "$defs": {"tree": {"type": "object", "properties": branches}},
        "$ref": "#/$defs/tree",
    }
    grown: dict[str, Any] = {**tree, "$defs": {"tree": {"properties": {**branches, "new": TEXT}}}}
    found = migrate_arguments(tree, grown, {"b1": {}})
    assert [one.reason for one in found.questions] == [
        "the schema is too large to compare all of it"
    ]
    odd: list[Any] = [None, True, 7, {"properties": []}, {"properties": {"a": True}}, {"$ref": "#"}]
    odd += [{"properties": {"a": {"enum": 3, "type": ["x"], "items": 1, "required": 5}}}]
    for old in odd:
        for new in odd:
            assert migrate_arguments(old, new, {"a": 1}).certainty in ("certain", "likely")


DIALECTS: tuple[tuple[FormatName, str, str], ...] = (
    ("toolweave", "/nodes", "/subAgentFlows/0/nodes"),
    ("ccwf", "/nodes", "/subAgentFlows/0/nodes"),
    ("flow", "/nodes", "/flows/1/nodes"),
)


@pytest.mark.parametrize(("dialect", "nodes", "inner"), DIALECTS)
def test_a_workflow_of_each_dialect_and_its_subflows_are_patched_in_place(
    dialect: FormatName, nodes: str, inner: str
) -> None:
    catalog = ("TOOL", {"subtype": "MCP:orders/find_orders", "inputParams": {"city_name": "Rome"}})
    flow = workflow({**NODES, "second": catalog}, [*EDGES, "s > second"])
    outer = replace(workflow({"s": "start", "e": "end"}, ["s > e"]), subflows=(flow,))
    tools = changed_tools("orders", {"find_orders": OLD}, {"find_orders": NEW})
    for whole, prefix in ((flow, nodes), (outer, inner)):
        document = convert(whole, dialect)
        proposal = propose(read(document), tools, lambda _: None)
        assert (proposal.verdict, proposal.certainty) == ("breaks", "certain")
        patched = apply_patch(document, proposal.patch)
        prompt = "{{ find.orderCount }} orders, {{ data.orderCount }}."
        assert value_at(patched, f"{prefix}/2/data/prompt") == prompt
        values = {"cityName": "{{ data.city }}", "state": "inProgress"}
        assert value_at(patched, f"{prefix}/1/data/parameterValues") == values
        at = next(one.pointer for one in proposal.changes if one.node == "second")
        assert value_at(document, at) == "Rome"
        assert value_at(patched, at.replace("city_name", "cityName")) == "Rome"


@pytest.fixture
def orders(tw: Commands, tmp_path: Path) -> tuple[Commands, ScriptedServer]:
    """A recorded workflow over a tool that changed after that."""
    server = ScriptedServer(tmp_path / "orders", OLD)
    server.on_call("find_orders", [answers(_result("order_count"))])
    tw.add("orders", server)
    tw.ok("workflows", "save", save(tw, NODES, EDGES), "--name", "orders")
    tw.ok("run", "orders", "--input", "city=Rome")
    tw.ok("record", "last", "--as", "rome")
    server.change(tools=[NEW])
    server.on_call("find_orders", [answers(_result("orderCount"))])
    return tw, server


def _result(field: str) -> dict[str, Any]:
    text = json.dumps({field: 3})
    return {"content": [{"type": "text", "text": text}], "structuredContent": {field: 3}}


def test_a_difference_is_typed_and_says_what_it_affects(
    orders: tuple[Commands, ScriptedServer],
) -> None:
    tw, server = orders
    (tw.state / "files").mkdir(exist_ok=True)
    note = "# Orders\n\n~~~orders\ntool: find_orders\ncity_name: Rome\n~~~\n"
    (tw.state / "files" / "note.md").write_text(note, encoding="utf-8")
    ran = tw("servers", "diff", "orders", "--json")
    assert ran.code == 1
    (tool,) = ran.json["tools"]
    kinds = [(one["side"], one["kind"], one["parameter"], one["now"]) for one in tool["changes"]]
    assert kinds == [
        ("input", "renamed", "city_name", "cityName"),
        ("input", "enum_renamed", "state", None),
        ("output", "renamed", "order_count", "orderCount"),
    ]
    affected = {(one["kind"], one["name"]): one for one in ran.json["affected"]}
    assert affected["workflow", "orders"]["verdict"] == "breaks"
    places = {(one["node"], one["pointer"]) for one in affected["workflow", "orders"]["places"]}
    assert ("say", "/nodes/2/data/prompt") in places
    assert affected["recording", "rome"]["verdict"] == "breaks"
    assert [one for kind, one in affected if kind == "document"] == [
        str(tw.state / "files" / "note.md")
    ]
    server.change(tools=[OLD])
    assert tw.ok("servers", "diff", "orders").out.startswith("No difference")


def test_a_migration_is_proved_by_replay_applied_and_then_runs(
    orders: tuple[Commands, ScriptedServer],
) -> None:
    tw, server = orders
    asked = tw("migrate", "orders")
    assert asked.code == 2
    assert "pass --yes" in asked.err
    assert tw("migrate", "orders", "--check").code == 1
    ran = tw.ok("migrate", "orders", "--yes", "--recordings", "--json")
    (done,) = ran.json
    assert (done["state"], done["proof"], done["certainty"]) == (
        "applied",
        "proved by 1 recording",
        "certain",
    )
    assert {"op": "add", "path": "/nodes/1/data/parameterValues/cityName"}.items() <= next(
        one for one in done["patch"] if one["path"].endswith("cityName")
    ).items()
    assert tw.ok("migrate", "--all").out == "orders: fits the tools as they are.\n"
    tw.ok("servers", "approve", "orders", "--changes", "--yes")
    assert "3 orders, 3." in tw.ok("run", "orders", "--input", "city=Rome").out
    assert server.heard("tools/call")[-1]["arguments"] == {
        "cityName": "Rome",
        "state": "inProgress",
    }
    assert "0 failed" in tw.ok("test").out


def test_a_past_run_proves_a_migration_where_nothing_was_recorded_as_a_file(
    orders: tuple[Commands, ScriptedServer],
) -> None:
    tw, server = orders
    (tw.project / "recordings" / "rome.jsonl").unlink()
    server.change(tools=[OLD])
    server.on_call("find_orders", [answers(_result("order_count"))])
    tw.ok("run", "orders", "--input", "city=Oslo")
    # Of another version of the workflow: it proves nothing, and it disproves nothing.
    other = save(tw, {**NODES, "say": ("prompt", {"prompt": "{{ find.order_count }}!"})}, EDGES)
    document = json.loads((tw.project / other).read_text(encoding="utf-8"))
    (tw.project / other).write_text(json.dumps({**document, "name": "orders"}), encoding="utf-8")
    tw.ok("run", other, "--input", "city=Bern")
    # What was exchanged is not kept: only the outputs of its steps are known.
    tw.ok("run", "orders", "--input", "city=Linz", TOOLWEAVE_RECORD_BYTES="0")
    server.change(tools=[NEW])
    (found,) = tw("migrate", "orders", "--check", "--json").json
    assert (found["proof"], found["certainty"]) == ("proved by 2 runs", "certain")
    runs = {one["id"]: one for one in tw.ok("runs", "list", "--json").json}
    assert len(runs) == 4
    assert len({*found["provedByRuns"]} & runs.keys()) == 2
    assert found["provedBy"] == []
    tw.ok("migrate", "orders", "--yes")
    assert "fits the tools" in tw.ok("migrate", "orders").out


def test_a_person_is_asked_on_a_terminal(orders: tuple[Commands, ScriptedServer]) -> None:
    tw, _ = orders
    with tw.terminal("migrate", "orders") as terminal:
        terminal.wait_for("Change 'orders'? [y/N]")
        terminal.type("y\n")
        assert terminal.end() == 0
    assert "fits the tools" in tw.ok("migrate", "orders").out


def test_a_tool_that_was_approved_first_is_migrated_from_the_recording(
    orders: tuple[Commands, ScriptedServer],
) -> None:
    tw, _ = orders
    tw.ok("servers", "approve", "orders", "--changes", "--yes")
    assert tw("run", "orders", "--input", "city=Rome").code == 1
    tw.ok("migrate", "orders", "--yes")
    assert "3 orders, 3." in tw.ok("run", "orders", "--input", "city=Rome").out


def test_what_is_only_likely_or_unknown_is_not_applied_by_a_yes(
    orders: tuple[Commands, ScriptedServer],
) -> None:
    tw, server = orders
    gone = find({"city_name": CITY, "limit": LIMIT}, "order_count", "city_name")
    server.change(tools=[gone])
    before = tw.ok("workflows", "show", "orders", "--json").out
    likely = tw("migrate", "orders", "--yes")
    assert likely.code == 1
    assert "likely" in likely.out
    assert tw.ok("workflows", "show", "orders", "--json").out == before
    needed = find({**OLD["inputSchema"]["properties"], "key": TEXT}, "order_count", "key")
    server.change(tools=[needed])
    unknown = tw("migrate", "orders", "--yes", "--likely", "--json")
    assert unknown.code == 1
    assert unknown.json[0]["state"] == "open"
    assert unknown.json[0]["patch"] == []
    assert tw.ok("workflows", "show", "orders", "--json").out == before
    server.change(tools=[gone])
    assert tw("migrate", "orders", "--yes", "--likely").code == 0
    assert tw.ok("workflows", "show", "orders", "--json").out != before


def test_bad_input_is_reported(orders: tuple[Commands, ScriptedServer], tmp_path: Path) -> None:
    tw, server = orders
    tw.add("quiet", ScriptedServer(tmp_path / "quiet"), approved=False)
    expected = {
        ("servers", "diff", "nope"): "MCP_SERVER_NOT_FOUND",
        ("servers", "diff", "quiet"): "SERVER_NOT_APPROVED",
        ("servers", "diff", "orders", "find_order"): "MCP_TOOL_NOT_FOUND",
        ("migrate", "nope"): "WORKFLOW_NOT_FOUND",
        ("migrate", "orders", "--server", "nope"): "MCP_SERVER_NOT_FOUND",
        ("migrate", "broken.json"): "WORKFLOW_NOT_JSON",
    }
    (tw.project / "broken.json").write_text("{", encoding="utf-8")
    for command, code in expected.items():
        ran = tw(*command, "--json")
        assert ran.code == 1, command
        assert ran.json["error"]["code"] == code, command
    assert tw("migrate").code == 2
    (tw.project / "recordings" / "bad.jsonl").write_text("{}\n", encoding="utf-8")
    assert "'bad' is left out" in tw("servers", "diff", "orders").err
    server.change(refuses=["initialize", "tools/list"])
    down = tw("servers", "diff", "orders", "--json")
    assert down.code == 1
    assert down.json["error"]["code"] == "SERVER_REFUSED"
    assert "compared with its approved tools" in tw("migrate", "orders").err
