"""Codex and Gemini CLI, as Codex 0.166 and Gemini CLI 0.61 read their files."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from toolweave.servers.definition import CommandServer, HttpServer, SseServer
from toolweave.servers.discovery import codex, gemini_cli
from toolweave.servers.discovery.client import ConfigOrigin, DiscoveredServer
from toolweave.servers.discovery.locations import ClientLocations, Platform
from toolweave.servers.discovery.search import discover_all

Put = Callable[[Path, object], Path]

CODEX = """
model = "gpt-5"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-mcp"]
cwd = "/srv/docs"
env_vars = ["DOCS_TOKEN", { name = "REGION", source = "local" }]

[mcp_servers.docs.env]
LEVEL = "debug"
MODE = "ro"

[mcp_servers.figma]
url = "https://figma.test/mcp"
bearer_token_env_var = "FIGMA_TOKEN"
http_headers = { "X-Region" = "eu" }
env_http_headers = { "X-User" = "FIGMA_USER" }

[mcp_servers.old]
command = "old"
enabled = false
"""


def of_codex(places: ClientLocations) -> tuple[DiscoveredServer, ...]:
    return discover_all(places, [codex.client]).found


def of_gemini(places: ClientLocations) -> tuple[DiscoveredServer, ...]:
    return discover_all(places, [gemini_cli.client]).found


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("environ", [{}, {"CODEX_HOME": "moved"}])
def test_codex_names_variables_that_become_references(
    platform: Platform, environ: dict[str, str], places: ClientLocations, put: Put
) -> None:
    directory = places.root / "moved" if environ else places.home / ".codex"
    environ = {name: str(places.root / value) for name, value in environ.items()}
    path = put(directory / "config.toml", CODEX)

    docs, figma, old = of_codex(replace(places, platform=platform, environ=environ))

    assert (docs.path, docs.scope, docs.pointer) == (path, "user", "/mcp_servers/docs")
    assert docs.definition == CommandServer(
        command="npx",
        args=("-y", "docs-mcp"),
        env={"DOCS_TOKEN": "${DOCS_TOKEN}", "REGION": "${REGION}", "LEVEL": "debug", "MODE": "ro"},
        cwd="/srv/docs",
    )
    assert figma.definition == HttpServer(
        url="https://figma.test/mcp",
        headers={
            "X-User": "${FIGMA_USER}",
            "Authorization": "Bearer ${FIGMA_TOKEN}",
            "X-Region": "eu",
        },
    )
    assert [docs.disabled, figma.disabled, old.disabled] == [False, False, True]


def test_a_nearer_codex_file_only_says_what_differs(places: ClientLocations, put: Put) -> None:
    put(places.home / ".codex" / "config.toml", CODEX)
    (places.project / ".git").mkdir()
    root = put(
        places.project / ".codex" / "config.toml",
        '[mcp_servers.docs.env]\nLEVEL = "info"\n[mcp_servers.old]\nenabled = true\n',
    )
    put(places.home / "work" / ".codex" / "config.toml", '[mcp_servers.outside]\ncommand = "x"\n')
    sub = places.project / "src"
    put(sub / ".codex" / "config.toml", '[mcp_servers.sub]\ncommand = "sub"\n')

    sub_server, docs, old, docs_of_user, _, old_of_user = of_codex(replace(places, project=sub))

    assert sub_server.definition == CommandServer(command="sub", cwd=str(sub))
    assert isinstance(docs.definition, CommandServer)
    assert docs.definition.command == "npx"
    assert (docs.definition.env["LEVEL"], docs.definition.env["MODE"]) == ("info", "ro")
    assert (old.definition, old.disabled) == (
        CommandServer(command="old", cwd=str(places.project)),
        False,
    )
    assert docs_of_user.shadowed_by == ConfigOrigin("project", root, "/mcp_servers/docs")
    assert old_of_user.shadowed_by == ConfigOrigin("project", root, "/mcp_servers/old")


@pytest.mark.parametrize(
    ("entry", "at"),
    [
        ('url = "https://a.test"\nhttp_headers = "X: y"', "/http_headers"),
        ('url = "https://a.test"\nbearer_token_env_var = 7', "/bearer_token_env_var"),
        ('url = "https://a.test"\nbearer_token_env_var = "vault:x"', "/bearer_token_env_var"),
        ('url = "https://a.test"\nenv_http_headers = {A = ""}', "/env_http_headers/A"),
        ('command = "x"\nenv_vars = ["A", {source = "local"}]', "/env_vars/1"),
        ('command = "x"\nargs = "y"', "/args"),
        ('command = "x"\nargs = [1979-05-27]', "/args/0"),
        ("command = 1979-05-27", "/command"),
        ('command = "x"\nenv = []\nenv_vars = ["A"]', "/env"),
    ],
)
def test_a_wrong_codex_entry_is_listed_with_its_place(
    entry: str, at: str, places: ClientLocations, put: Put
) -> None:
    path = places.home / ".codex" / "config.toml"
    put(path, f'[mcp_servers.good]\ncommand = "x"\n[mcp_servers.bad]\n{entry}\n')
    good, bad = of_codex(places)

    assert (good.definition, bad.definition) == (CommandServer(command="x"), None)
    assert [problem.pointer for problem in bad.problems] == [f"/mcp_servers/bad{at}"]


def test_a_section_that_is_no_table_is_a_problem_of_the_file(
    places: ClientLocations, put: Put
) -> None:
    path = put(places.home / ".codex" / "config.toml", "mcp_servers = 1\n")
    put(places.project / ".codex" / "config.toml", '[mcp_servers.a]\ncommand = "x"\n')
    result = discover_all(places, [codex.client])

    assert [item.name for item in result.found] == ["a"]
    assert [(item.path, item.problem.pointer) for item in result.file_problems] == [
        (path, "/mcp_servers")
    ]


@pytest.mark.parametrize(
    ("platform", "environ", "system", "home"),
    [
        ("linux", {}, "etc/gemini-cli", "home/ada"),
        ("darwin", {}, "Library/Application Support/GeminiCli", "home/ada"),
        ("win32", {"PROGRAMDATA": "data"}, "data/gemini-cli", "home/ada"),
        ("linux", {"GEMINI_CLI_HOME": "moved"}, "etc/gemini-cli", "moved"),
        (
            "linux",
            {"GEMINI_CLI_SYSTEM_SETTINGS_PATH": "set/settings.json"},
            "set",
            "home/ada",
        ),
    ],
)
def test_gemini_is_read_in_system_project_and_home(
    platform: Platform,
    environ: dict[str, str],
    system: str,
    home: str,
    places: ClientLocations,
    put: Put,
) -> None:
    environ = {name: str(places.root / value) for name, value in environ.items()}
    places = replace(places, platform=platform, environ=environ)
    managed = put(places.root / system / "settings.json", {"mcpServers": {"a": {"command": "a"}}})
    put(places.project / ".gemini" / "settings.json", {"mcpServers": {"b": {"command": "b"}}})
    put(
        places.root / home / ".gemini" / "settings.json",
        {"theme": "GitHub", "mcpServers": {"a": {"command": "mine"}, "c": {"command": "c"}}},
    )
    result = of_gemini(places)

    assert [(item.scope, item.name) for item in result] == [
        ("enterprise", "a"),
        ("project", "b"),
        ("user", "a"),
        ("user", "c"),
    ]
    assert result[2].shadowed_by == ConfigOrigin("enterprise", managed, "/mcpServers/a")


def test_gemini_entries_keep_their_meaning(places: ClientLocations, put: Put) -> None:
    put(
        places.project / ".gemini" / "settings.json",
        """{
          // a comment, as Gemini CLI allows
          "mcpServers": {
            "py": {"command": "python", "args": ["-m", "srv"], "cwd": "./srv", "trust": true,
                   "env": {"URL": "$DB_URL", "KEY": "${KEY}", "PRICE": "$5"}, "timeout": 15000},
            "new": {"httpUrl": "https://a.test/mcp", "headers": {"Authorization": "Bearer $TOK"}},
            "both": {"httpUrl": "https://a.test/mcp", "url": "https://a.test/sse"},
            "typed": {"url": "https://a.test/x", "type": "sse"},
            "old": {"url": "https://a.test/sse"},
            "bare": {"url": "https://a.test/mcp"}
          }
        }""",
    )
    result = {item.name: item for item in of_gemini(places)}

    assert {name: item.definition for name, item in result.items()} == {
        "py": CommandServer(
            command="python",
            args=("-m", "srv"),
            env={"URL": "${DB_URL}", "KEY": "${KEY}", "PRICE": "$5"},
            cwd=str(places.project / "srv"),
        ),
        "new": HttpServer(url="https://a.test/mcp", headers={"Authorization": "Bearer ${TOK}"}),
        "both": HttpServer(url="https://a.test/mcp"),
        "typed": SseServer(url="https://a.test/x"),
        "old": SseServer(url="https://a.test/sse"),
        "bare": HttpServer(url="https://a.test/mcp"),
    }
    assert {name for name, item in result.items() if item.problems} == {"old", "bare"}
    assert result["bare"].problems[0].code == "SERVER_TRANSPORT_ASSUMED"
    assert result["bare"].problems[0].severity == "warning"


@pytest.mark.parametrize(
    ("rules", "off"),
    [
        ({}, set[str]()),
        ({"excluded": ["One "]}, {"one"}),
        ({"allowed": ["ONE"]}, {"two"}),
        ({"allowed": []}, {"one", "two"}),
        ({"allowed": "one", "excluded": {"two": 1}}, set[str]()),
    ],
)
def test_servers_gemini_leaves_out_are_marked(
    rules: dict[str, object], off: set[str], places: ClientLocations, put: Put
) -> None:
    servers = {name: {"command": name} for name in ("one", "two")}
    put(places.home / ".gemini" / "settings.json", {"mcp": rules, "mcpServers": servers})

    assert {item.name for item in of_gemini(places) if item.disabled} == off


def test_servers_switched_off_by_the_gemini_command_are_marked(
    places: ClientLocations, put: Put
) -> None:
    servers = {name: {"command": name} for name in ("One", "two")}
    put(places.home / ".gemini" / "settings.json", {"mcpServers": servers})
    put(
        places.home / ".gemini" / "mcp-server-enablement.json",
        {"one": {"enabled": False}, "two": {"enabled": True}},
    )
    assert [(item.name, item.disabled) for item in of_gemini(places)] == [
        ("One", True),
        ("two", False),
    ]
