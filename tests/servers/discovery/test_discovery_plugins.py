"""The servers that plugins of Claude Code bring, as Claude Code 2.1.197 reads them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from toolweave.servers.definition import CommandServer
from toolweave.servers.discovery.claude_plugins import client
from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.discovery.search import Discovery, discover_all

Put = Callable[[Path, object], Path]


def found_in(places: ClientLocations) -> Discovery:
    return discover_all(places, [client])


def plugin_in(places: ClientLocations, put: Put, **install: object) -> Path:
    root = places.home / ".claude/plugins/cache/market/docs/1.0"
    entry = {"scope": "user", "installPath": str(root), "version": "1.0", **install}
    put(
        places.home / ".claude/plugins/installed_plugins.json",
        {"version": 2, "plugins": {"docs@market": [entry]}},
    )
    return root


@pytest.mark.parametrize("is_wrapped", [True, False])
def test_servers_of_a_plugin_of_claude_code_are_found(
    is_wrapped: bool, places: ClientLocations, put: Put
) -> None:
    root = plugin_in(places, put)
    servers = {"a": {"command": "${CLAUDE_PLUGIN_ROOT}/run", "args": ["--x"]}}
    path = put(root / ".mcp.json", {"mcpServers": servers} if is_wrapped else servers)
    (item,) = found_in(places).found

    assert (item.name, item.scope, item.path, item.disabled) == ("a", "user", path, False)
    assert item.definition == CommandServer(command=f"{root}/run", args=("--x",))

    put(places.home / ".claude/settings.json", {"enabledPlugins": {"docs@market": False}})
    (off,) = found_in(places).found
    assert off.disabled


@pytest.mark.parametrize("stated", [{"a": {"command": "x"}}, "./servers.json"])
def test_the_manifest_of_a_plugin_names_its_servers(
    stated: object, places: ClientLocations, put: Put
) -> None:
    root = plugin_in(places, put)
    put(root / ".claude-plugin/plugin.json", {"name": "docs", "mcpServers": stated})
    put(root / "servers.json", {"mcpServers": {"a": {"command": "x"}}})
    (item,) = found_in(places).found
    assert item.definition == CommandServer(command="x")


def test_a_plugin_reads_no_file_outside_itself(places: ClientLocations, put: Put) -> None:
    root = plugin_in(places, put)
    put(root.parent / "other.json", {"mcpServers": {"a": {"command": "x"}}})
    put(root / ".claude-plugin/plugin.json", {"mcpServers": "../other.json"})
    assert found_in(places) == Discovery((), ())

    put(root / "own.json", {"mcpServers": {"a": {"command": "x"}}})
    put(root / ".claude-plugin/plugin.json", {"mcpServers": "./own.json"})
    assert [one.name for one in found_in(places).found] == ["a"]


def test_a_plugin_of_another_project_is_not_listed(places: ClientLocations, put: Put) -> None:
    root = plugin_in(places, put, scope="project", projectPath=str(places.home / "other"))
    put(root / ".mcp.json", {"a": {"command": "x"}})
    assert found_in(places).found == ()

    plugin_in(places, put, scope="project", projectPath=str(places.project))
    assert [one.name for one in found_in(places).found] == ["a"]


def test_a_plugin_names_several_files_and_servers(places: ClientLocations, put: Put) -> None:
    root = places.home / ".claude/plugins/cache/shop/tools/1.0"
    installed = {"tools@shop": [{"scope": "user", "installPath": str(root)}]}
    listed = places.home / ".claude/plugins/installed_plugins.json"
    put(listed, {"version": 2, "plugins": installed})
    put(
        root / ".claude-plugin/plugin.json",
        {"mcpServers": ["./one.json", {"two": {"command": "two"}}, "../../outside.json"]},
    )
    put(root / "one.json", {"mcpServers": {"one": {"command": "${CLAUDE_PLUGIN_ROOT}/one"}}})
    put(root.parent.parent / "outside.json", {"mcpServers": {"three": {"command": "three"}}})
    found = found_in(places).found
    assert {item.name: item.definition for item in found} == {
        "one": CommandServer(command=f"{root}/one"),
        "two": CommandServer(command="two"),
    }


def test_the_manifest_of_a_plugin_adds_to_its_own_file_and_the_last_one_wins(
    places: ClientLocations, put: Put
) -> None:
    root = plugin_in(places, put)
    own = put(root / ".mcp.json", {"a": {"command": "own"}, "b": {"command": "own"}})
    put(
        root / ".claude-plugin/plugin.json",
        {"mcpServers": ["./one.json", "./two.json", {"d": {"command": "inline"}}]},
    )
    put(root / "one.json", {"b": {"command": "one"}, "c": {"command": "one"}})
    put(root / "two.json", {"c": {"command": "two"}, "d": {"command": "two"}})
    used = {
        item.name: item.definition for item in found_in(places).found if item.shadowed_by is None
    }
    assert used == {
        name: CommandServer(command=command)
        for name, command in {"a": "own", "b": "one", "c": "two", "d": "inline"}.items()
    }
    put(root / ".claude-plugin/plugin.json", {"mcpServers": "./two.json"})
    assert own in {item.path for item in found_in(places).found}
    put(root / ".claude-plugin/plugin.json", {"mcpServers": "./.mcp.json"})
    assert [item.name for item in found_in(places).found] == ["a", "b"]


def test_folders_that_claude_code_fills_in_are_paths_here(
    places: ClientLocations, put: Put
) -> None:
    root = plugin_in(places, put)
    parts = ["${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_DATA}", "${CLAUDE_PROJECT_DIR}", "${OTHER}"]
    put(root / ".mcp.json", {"a": {"command": "x", "args": parts}})
    (item,) = found_in(places).found
    assert isinstance(item.definition, CommandServer)
    data = places.home / ".claude/plugins/data/docs-market"
    assert item.definition.args == (str(root), str(data), str(places.project), "${OTHER}")
    assert item.problems == ()
