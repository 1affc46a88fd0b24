"""`toolweave catalog types|show|search`."""

from pathlib import Path

import pytest
from tests.cli.driving import Commands

from toolweave.testing.server import ScriptedServer, a_tool


def test_types_are_listed_with_their_subtypes(tw: Commands) -> None:
    ran = tw.ok("catalog", "types")
    assert ran.lines[0].split() == ["type", "subtypes"]
    assert any(line.startswith("FLOW ") and "IF, LOOP" in line for line in ran.lines)
    assert tw.ok("catalog", "types", "--type", "flow", "--json").json.keys() == {"FLOW"}


def test_an_unknown_type_fails_with_the_known_ones(tw: Commands) -> None:
    ran = tw("catalog", "types", "--type", "nonsense")
    assert (ran.code, "[NODE_TYPE_UNKNOWN]" in ran.err) == (1, True)
    assert "FLOW" in ran.err


def test_a_node_is_shown_with_all_it_takes_and_gives(tw: Commands) -> None:
    ran = tw.ok("catalog", "show", "FLOW.IF")
    assert ran.lines[0].startswith("FLOW.IF  ")
    assert "  configurations" in ran.lines
    assert any(line.startswith("    * condition_expression  string") for line in ran.lines)
    assert "  ports out  true, false" in ran.lines
    assert any(line.startswith("  example  ") for line in ran.lines)
    [entry] = tw.ok("catalog", "show", "FLOW.IF", "--json").json
    assert (entry["node_type"], entry["subtype"]) == ("FLOW", "IF")


def test_a_misspelt_node_is_shown_with_a_warning_and_an_unknown_one_fails(tw: Commands) -> None:
    ran = tw("catalog", "show", "FLOW.IF_NODE", "NO.SUCH")
    assert ran.code == 1
    assert ran.lines[0].startswith("FLOW.IF  ")
    assert "Auto-corrected" in ran.lines[1]
    assert "NO.SUCH" in ran.err
    told = tw("catalog", "show", "NO.SUCH", "--json")
    assert (told.code, "error" in told.json[0]) == (1, True)


def test_a_search_finds_nodes_in_spite_of_spelling(tw: Commands) -> None:
    ran = tw.ok("catalog", "search", "wait", "sume", "time", "--limit", "3")
    assert "FLOW.DELAY" in ran.out
    assert len(ran.lines) <= 4
    found = tw.ok("catalog", "search", "--after", "TRIGGER.CRON", "--type", "FLOW", "--json").json
    assert found
    assert {one["node_type"] for one in found} == {"FLOW"}


@pytest.mark.parametrize("argv", [(), ("x", "--limit", "0")])
def test_a_search_for_nothing_is_wrong_use(tw: Commands, argv: tuple[str, ...]) -> None:
    assert tw("catalog", "search", *argv).code == 2


def test_a_search_without_a_hit_says_so(tw: Commands) -> None:
    ran = tw.ok("catalog", "search", "--type", "FLOW", "--tag", "no-such-tag")
    assert ran.out == "No matching nodes. `toolweave catalog types` lists all nodes.\n"


def test_approved_tools_are_nodes_too(tw: Commands, tmp_path: Path) -> None:
    tool = a_tool("fold_paper", description="Folds a crane.\x1b[2J")
    server = ScriptedServer(tmp_path / "s", tool)
    tw.add("mine", server)
    started = len(server.processes)
    ran = tw.ok("catalog", "search", "fold", "a", "crane")
    assert "TOOL.MCP:mine/fold_paper" in ran.lines[1]
    assert "\x1b" not in ran.out
    assert "fold_paper" in tw.ok("catalog", "show", "TOOL.MCP:mine/fold_paper").out
    assert len(server.processes) == started


def test_a_broken_home_leaves_the_built_in_nodes(tw: Commands) -> None:
    tw.state.mkdir()
    (tw.state / "toolweave.db").write_bytes(b"nonsense" * 1000)
    ran = tw.ok("catalog", "types")
    assert "FLOW" in ran.out
    assert ran.err.startswith("! only built-in nodes are available: ")
