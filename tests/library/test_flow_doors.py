"""Flows through the doors people use: which flow is meant, its names, its rules, its result."""

from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from tests.cli.driving import Commands, Ran
from tests.library.repo import FILES, MARKETING, Repo, flow, template_node
from tests.publishing.desk import Desk, desk_in

from toolweave.library.home_libraries import library_store

pytestmark = pytest.mark.anyio

RESULT = {"id": "end", "type": "result", "data": {"label": "End"}}


def text_node(node: str, text: str) -> dict[str, Any]:
    """A template node with its own text."""
    made = template_node(node, "", [])
    made["data"] |= {"template": text}
    return made


def joined(name: str, nodes: list[dict[str, Any]], kind: str, *ways: str) -> dict[str, Any]:
    made = flow(name, nodes, *ways)
    for edge in made["edges"]:
        edge["type"] = kind
    return made


FLOWS: Mapping[str, Any] = {
    **FILES,
    "flows/Unicode.json": flow(
        "Unicode", [text_node("a", "{{都市}}/{город}/{{ a.b }}/{दिन}/{{x}}")]
    ),
    "flows/Ids.json": flow(
        "Ids",
        [
            text_node("node-1", "hyphen"),
            text_node("node1", "plain"),
            text_node("b", "{node1_result}"),
        ],
        "node-1 > node1",
        "node1 > b",
    ),
    "flows/Data.json": joined(
        "Data", [text_node("b", "<{a_result}>"), text_node("a", "first")], "data", "a > b"
    ),
    "flows/Rules.json": {
        "metadata": {"name": "Rules", "version": "1.0", "created": "yesterday"},
        "nodes": [{"id": "a", "type": "template", "data": {"template": "x", "variables": []}}],
        "edges": [],
    },
    "flows/NoEdges.json": {
        "metadata": {"name": "NoEdges", "version": "1.0.0"},
        "nodes": [text_node("a", "alone")],
    },
    "flows/ADup.json": flow("Marketing_Strategy", [text_node("a", "not me")]),
    "flows/Only.json": flow("Only", [RESULT]),
    "flows/Broken.json": b"{nope",
    "flows/Large.json": b'{"x": "' + b"x" * 1_100_000 + b'"}',
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo", FLOWS)


@pytest.fixture
def tw(tmp_path: Path) -> Commands:
    commands = Commands(tmp_path / "user", tmp_path / "project")
    commands.home.mkdir()
    commands.project.mkdir()
    return commands


@pytest.fixture
async def desk(tmp_path: Path, repo: Repo) -> AsyncGenerator[Desk]:
    async with desk_in(tmp_path / "home") as desk:
        await library_store(desk.home).add("team", str(repo.folder), ref=None, folder=tmp_path)
        yield desk


async def asked(desk: Desk, tool: str, **arguments: Any) -> Any:
    async with desk.client("auto") as client:
        return (await client.call_tool(tool, arguments)).structured_content


async def ran(tw: Commands, *args: str) -> Ran:
    """Run a command beside the loop of the test."""
    return await anyio.to_thread.run_sync(lambda: tw.ok(*args))


async def result(desk: Desk, flow: str, **variables: Any) -> Any:
    told = await asked(desk, "flows_execute", flow=flow, initialVariables=variables)
    assert told["status"] == "success", told
    return told["finalResult"]


@pytest.mark.requirement("003:FLOW_NOT_FOUND", "003:tool.execution-shape")
async def test_a_missing_flow_ref_or_library_is_named(desk: Desk, tmp_path: Path) -> None:
    for arguments, code in (
        ({"flow": "nosuch"}, "FLOW_NOT_FOUND"),
        ({"flow": "Marketing_Strategy", "ref": "nosuch"}, "LIBRARY_REF_NOT_FOUND"),
        ({"flow": "Broken"}, "PARSE_ERROR"),
        ({"flow": "Large"}, "PARSE_ERROR"),
        ({"flow": "Only", "library": "nosuch"}, "LIBRARY_NOT_FOUND"),
    ):
        told = await asked(desk, "flows_execute", **arguments)
        assert (told["status"], told["error"]["code"]) == ("failed", code), told
        assert (told["flowId"], told["finalResult"]) == (arguments["flow"], None)
        assert told["intermediateResults"] == []
    other = Repo(tmp_path / "other", {"flows/Only.json": flow("Only", [RESULT])})
    await library_store(desk.home).add("other", str(other.folder), ref=None, folder=tmp_path)
    told = await asked(desk, "flows_execute", flow="Only")
    assert told["error"]["code"] == "FLOW_AMBIGUOUS"
    assert "other, team" in told["error"]["message"]
    assert (await asked(desk, "flows_execute", flow="Only", library="team"))["status"] == "success"


@pytest.mark.requirement("003:variables.result", "003:variables.replaced-once")
async def test_names_of_every_script_are_filled_in_either_braces(desk: Desk) -> None:
    values = {"都市": "東京", "город": "Москва", "a": {"b": "deep"}, "दिन": "day", "x": "{x}"}
    assert await result(desk, "Unicode", **values) == "東京/Москва/deep/day/{x}"
    missing = await asked(desk, "flows_execute", flow="Unicode", initialVariables={"x": "1"})
    assert missing["error"]["code"] == "MISSING_VARIABLES"
    assert "都市, город" in missing["error"]["message"]


@pytest.mark.requirement("003:variables.result")
async def test_the_exact_id_wins_and_the_other_is_warned_of(
    desk: Desk, repo: Repo, tw: Commands
) -> None:
    assert await result(desk, "Ids") == "plain"
    path = repo.folder / "flows" / "Ids.json"
    checked = (await ran(tw, "validate", str(path), "--json")).json
    assert "REFERENCE_AMBIGUOUS" in [one["code"] for one in checked["problems"]]


@pytest.mark.requirement("003:FlowEdge.data.run", "003:variables.priority.results")
async def test_a_result_that_came_over_a_data_edge_is_visible(desk: Desk) -> None:
    assert await result(desk, "Data") == "<first>"


@pytest.mark.requirement(
    "003:Flow.metadata.version",
    "003:Flow.metadata.created",
    "003:FlowNode.data.label",
    "003:FlowNode.template.selectedTemplateId",
)
async def test_broken_rules_are_warnings_in_every_command(
    desk: Desk, repo: Repo, tw: Commands
) -> None:
    places = ["/metadata/version", "/metadata/created", "/nodes/0/data/label"]
    places += ["/nodes/0/data"] * 2  # a template, and its variables

    def places_of(warnings: list[str]) -> list[str]:
        return [one.partition(":")[0] for one in warnings]

    path = repo.folder / "flows" / "Rules.json"
    checked = (await ran(tw, "validate", str(path), "--json")).json
    broken = [one for one in checked["problems"] if one["code"] == "FLOW_RULE_BROKEN"]
    assert sorted(one["pointer"] for one in broken) == sorted(places)
    assert {one["severity"] for one in broken} == {"warning"}
    listed = {one["name"]: one for one in (await asked(desk, "flows_list"))["flows"]}
    assert places_of(listed["Rules"]["warnings"]) == places
    assert "warnings" not in listed["Marketing_Strategy"]
    shown = await asked(desk, "flows_show", flow="Rules")
    assert places_of(shown["warnings"]) == places
    told = await asked(desk, "flows_execute", flow="Rules")
    assert (told["status"], places_of(told["warnings"])) == ("success", places)
    await ran(tw, "library", "add", "team", str(repo.folder))
    for command in (("show", "team"), ("show", "team", "Rules"), ("run", "team", "Rules")):
        assert "! Rules: /metadata/version" in (await ran(tw, "library", *command)).err


@pytest.mark.requirement("003:Flow.edges", "003:Flow.storage")
async def test_a_flow_without_edges_is_a_flow_and_a_file_keeps_its_name(
    desk: Desk, repo: Repo, tw: Commands
) -> None:
    assert await result(desk, "NoEdges") == "alone"
    path = repo.folder / "flows" / "NoEdges.json"
    checked = (await ran(tw, "validate", str(path), "--json")).json
    assert checked["valid"], checked
    shown = await asked(desk, "flows_show", flow="Marketing_Strategy")
    assert shown["path"] == "flows/Marketing_Strategy.json"
    assert shown["flow"] == MARKETING
    problems = (await asked(desk, "flows_list"))["problems"]
    assert "flows/ADup.json" in [one.get("path") for one in problems]


@pytest.mark.requirement(
    "003:tool.flows/execute", "003:tool.flows/show", "003:tool.flows/list", "003:tool.prompts/get"
)
async def test_argument_names_of_other_flow_servers_are_accepted(desk: Desk) -> None:
    told = await asked(desk, "flows/execute", flowName="NoEdges")
    assert told["finalResult"] == "alone"
    assert (await asked(desk, "flows/show", flowName="Only"))["name"] == "Only"
    full = (await asked(desk, "flows/list", includeMetadata=True))["flows"][0]
    brief = (await asked(desk, "flows/list", includeMetadata=False))["flows"][0]
    assert ("version" in full, "version" in brief, "name" in brief) == (True, False, True)
    values = {"company_name": "A", "market": "B"}
    got = await asked(desk, "prompts/get", name="Brand_Positioning", arguments=values)
    assert got["text"] == "Position A in B."
    assert (await asked(desk, "flows/show", nosuch="Only"))["code"] == "REQUEST_INVALID"


@pytest.mark.requirement("003:FlowExecution.finalResult", "003:FlowNode.result.run")
async def test_the_result_is_text_also_of_a_flow_with_only_its_end(desk: Desk) -> None:
    assert isinstance(await result(desk, "Only", x="1"), str)
