"""Claude Desktop, Cursor and VS Code on each platform."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from toolweave.servers.definition import CommandServer, HttpServer
from toolweave.servers.discovery import claude_desktop, cursor, vs_code
from toolweave.servers.discovery.client import ConfigOrigin
from toolweave.servers.discovery.locations import ClientLocations, Platform
from toolweave.servers.discovery.search import discover_all

Put = Callable[[Path, object], Path]

SETTINGS: list[tuple[Platform, dict[str, str], str]] = [
    ("linux", {}, "home/ada/.config"),
    ("linux", {"XDG_CONFIG_HOME": "xdg"}, "xdg"),
    ("darwin", {}, "home/ada/Library/Application Support"),
    ("win32", {}, "home/ada/AppData/Roaming"),
    ("win32", {"APPDATA": "roaming"}, "roaming"),
]


def on(places: ClientLocations, platform: Platform, environ: dict[str, str]) -> ClientLocations:
    inside = {name: str(places.root / value) for name, value in environ.items()}
    return replace(places, platform=platform, environ=inside)


@pytest.mark.parametrize(("platform", "environ", "directory"), SETTINGS)
def test_claude_desktop_is_read_on_every_platform(
    platform: Platform, environ: dict[str, str], directory: str, places: ClientLocations, put: Put
) -> None:
    path = put(
        places.root / directory / "Claude" / "claude_desktop_config.json",
        {
            "globalShortcut": "",
            "mcpServers": {"files": {"command": "npx", "args": ["-y", "server-filesystem", "/"]}},
        },
    )
    (item,) = discover_all(on(places, platform, environ), [claude_desktop.client]).found

    assert (item.client, item.scope, item.path) == ("Claude Desktop", "user", path)
    assert item.definition == CommandServer(command="npx", args=("-y", "server-filesystem", "/"))


def test_claude_desktop_of_the_windows_store_has_its_own_directory(
    places: ClientLocations, put: Put
) -> None:
    store = "Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json"
    path = put(places.root / "local" / store, {"mcpServers": {"a": {"command": "x"}}})
    windows = on(places, "win32", {"LOCALAPPDATA": "local"})

    assert [item.path for item in discover_all(windows, [claude_desktop.client]).found] == [path]


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_cursor_is_read_in_project_and_home(
    platform: Platform, places: ClientLocations, put: Put
) -> None:
    project = put(
        places.project / ".cursor" / "mcp.json",
        """{
          // shared with the team
          "mcpServers": {
            "web": {
              "url": "https://web.test/mcp", /* behind a key */
              "headers": {"Authorization": "Bearer ${env:WEB_TOKEN}"},
            },
            "own": {"command": "${workspaceFolder}/bin/own", "args": ["${userHome}/x"], },
          },
        }""",
    )
    user = put(
        places.home / ".cursor" / "mcp.json",
        {"mcpServers": {"web": {"command": "web", "disabled": True}}},
    )
    web, own, old = discover_all(replace(places, platform=platform), [cursor.client]).found

    assert (web.path, web.scope, web.definition) == (
        project,
        "project",
        HttpServer(url="https://web.test/mcp", headers={"Authorization": "Bearer ${WEB_TOKEN}"}),
    )
    assert own.definition == CommandServer(
        command=f"{places.project}/bin/own", args=(f"{places.home}/x",), cwd=str(places.project)
    )
    assert (old.path, old.scope, old.disabled) == (user, "user", True)
    assert old.shadowed_by == ConfigOrigin("project", project, "/mcpServers/web")


def test_the_home_directory_is_not_a_project_of_itself(places: ClientLocations, put: Put) -> None:
    put(places.home / ".cursor" / "mcp.json", {"mcpServers": {"a": {"command": "x"}}})
    at_home = replace(places, project=places.home)

    assert [item.scope for item in discover_all(at_home, [cursor.client]).found] == ["user"]


def test_a_project_is_found_from_below_but_not_from_outside_its_checkout(
    places: ClientLocations, put: Put
) -> None:
    put(places.project / ".cursor" / "mcp.json", {"mcpServers": {"a": {"command": "x"}}})
    sub = places.project / "src"
    sub.mkdir()
    below = replace(places, project=sub)
    assert discover_all(below, [cursor.client]).found == ()

    (places.project / ".git").mkdir()
    assert [item.name for item in discover_all(below, [cursor.client]).found] == ["a"]


@pytest.mark.parametrize(("platform", "environ", "directory"), SETTINGS)
def test_vs_code_is_read_in_workspace_and_profile(
    platform: Platform, environ: dict[str, str], directory: str, places: ClientLocations, put: Put
) -> None:
    workspace = put(
        places.project / ".vscode" / "mcp.json",
        """{
          "inputs": [{"type": "promptString", "id": "key", "password": true}],
          "servers": {
            "search": {
              "type": "stdio",
              "command": "npx",
              "args": ["-y", "search // not a comment", "/* nor this */,]"],
              "env": {"KEY": "${input:key}", "HOME": "${env:HOME}", "UNSET": null},
            }
          }
        }""",
    )
    profile = put(
        places.root / directory / "Code" / "User" / "mcp.json",
        {"servers": {"github": {"type": "http", "url": "https://api.test/mcp/"}}},
    )
    search, github = discover_all(on(places, platform, environ), [vs_code.client]).found

    assert (search.path, search.scope, search.pointer) == (workspace, "project", "/servers/search")
    assert search.definition == CommandServer(
        command="npx",
        args=("-y", "search // not a comment", "/* nor this */,]"),
        env={"KEY": "${input:key}", "HOME": "${HOME}"},
        cwd=str(places.project),
    )
    assert (github.path, github.scope) == (profile, "user")
    assert github.definition == HttpServer(url="https://api.test/mcp/")


def test_what_vs_code_adds_and_we_do_not_obey_is_said(places: ClientLocations, put: Put) -> None:
    put(
        places.project / ".vscode" / "mcp.json",
        {
            "servers": {
                "a": {"command": "x", "envFile": "${workspaceFolder}/.env", "dev": {"watch": "*"}},
                "b": {"command": "x", "sandboxEnabled": True},
                "c": {"command": "x", "sandboxEnabled": False, "envFile": ""},
                "d": {"type": "http", "url": "unix:///tmp/server.sock"},
            }
        },
    )
    result = discover_all(places, [vs_code.client]).found

    assert [[(p.code, p.pointer) for p in item.problems] for item in result] == [
        [("SERVER_KEY_IGNORED", "/servers/a/envFile")],
        [("SERVER_KEY_IGNORED", "/servers/b/sandboxEnabled")],
        [],
        [("SERVER_URL_INVALID", "/servers/d/url")],
    ]
    assert [item.definition is None for item in result] == [False, False, False, True]
