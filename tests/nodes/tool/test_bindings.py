"""Every setting of a TOOL node is an argument of its tools, a limit, a guard, or its server's."""

import pytest

from toolweave.catalog.node import NodeInput
from toolweave.json_text import Json
from toolweave.nodes import discover
from toolweave.nodes.tool._mcp_tool import BoundTool
from toolweave.tools.read_tool import read_tool

SPECS = {node.spec.ref: node.spec for node in discover()}
NODES = {node.spec.ref: node for node in discover() if isinstance(node, BoundTool)}
# Which server it is and what it may be asked; how that one signs in is said where it is registered.
OF_THE_SERVER = {"mcp_server_url", "available_tools", "use_oauth"}
SIGNING_IN = ("token", "api_key")


def _arguments(ref: str, setting: str, value: Json, name: str, called: Json = None) -> Json:
    schema: Json = {"type": "object", "properties": {name: {}}}
    tool = read_tool("server", {"name": "t", "inputSchema": schema})
    given = NodeInput({setting: value})
    binding = NODES[ref].binding
    return binding.arguments(given, tool, {} if called is None else {name: called})


@pytest.mark.parametrize("ref", NODES)
def test_no_setting_of_a_tool_node_is_without_a_use(ref: str) -> None:
    binding = NODES[ref].binding
    used = {*binding.defaults, *binding.caps, *binding.guards, *OF_THE_SERVER}
    settings = [one.name for one in SPECS[ref].configurations]
    assert [name for name in settings if name not in used and not name.endswith(SIGNING_IN)] == []


@pytest.mark.parametrize("ref", NODES)
def test_a_setting_stands_in_for_what_a_call_leaves_out_and_never_wins_over_it(ref: str) -> None:
    for setting, names in NODES[ref].binding.defaults.items():
        for name in names:
            for value in (True, "x"):
                assert _arguments(ref, setting, value, name) == {name: value}
                assert _arguments(ref, setting, value, name, "own") == {name: "own"}


@pytest.mark.parametrize("ref", NODES)
def test_a_limit_is_the_most_a_call_can_ask_for(ref: str) -> None:
    for setting, names in NODES[ref].binding.caps.items():
        for name in names:
            assert _arguments(ref, setting, 20, name) == {name: 20}
            assert _arguments(ref, setting, 20, name, 500) == {name: 20}
            assert _arguments(ref, setting, 20, name, 5) == {name: 5}


@pytest.mark.parametrize("ref", NODES)
def test_a_guard_keeps_tools_closed_until_it_is_opened(ref: str) -> None:
    binding = NODES[ref].binding
    for setting, words in binding.guards.items():
        for word in words:
            assert not binding.may_call(NodeInput({setting: False}), f"do_{word}_now")
            assert binding.may_call(NodeInput({setting: True}), f"do_{word}_now")
