"""The files of further clients, in the forms their documentation shows."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from toolweave.servers.definition import (
    CommandServer,
    Definition,
    HttpServer,
    Scope,
    SignInClient,
    SseServer,
)
from toolweave.servers.discovery import discover
from toolweave.servers.discovery.locations import ClientLocations, Platform
from toolweave.servers.discovery.search import Discovery, discover_all

Put = Callable[[Path, object], Path]

EXTENSIONS = "home/ada/.config/Code/User/globalStorage"
COMMON = {"mcpServers": {"a": {"command": "npx", "args": ["-y", "a"], "env": {"K": "${env:K}"}}}}
READ = CommandServer(command="npx", args=("-y", "a"), env={"K": "${K}"})


@dataclass(frozen=True)
class Case:
    """A file below the root of the machine, and the one server it holds."""

    client: str
    path: str
    content: object
    definition: Definition | None
    scope: Scope = "user"
    platform: Platform = "linux"
    environ: dict[str, str] = field(default_factory=dict[str, str])

    def __str__(self) -> str:
        return f"{self.client} {self.path}"


def remote(**entry: object) -> dict[str, object]:
    return {"mcpServers": {"a": entry}}


HOME, PROJECT = "home/ada", "home/ada/work/app"
CWD = "<project>"
IN_PROJECT = READ.model_copy(update={"cwd": CWD})
WEB = HttpServer(url="https://a.test/mcp", headers={"Authorization": "Bearer ${K}"})
WEB_HEADERS = {"Authorization": "Bearer ${env:K}"}
ENV = {"K": "{env:K}"}
ENV_K = {"K": "${env:K}"}
CASES = [
    Case("Windsurf", f"{HOME}/.codeium/windsurf/mcp_config.json", COMMON, READ),
    Case(
        "Windsurf",
        f"{HOME}/.codeium/windsurf/mcp_config.json",
        remote(serverUrl="https://a.test/mcp", headers=WEB_HEADERS),
        WEB,
    ),
    Case(
        "Windsurf",
        f"{HOME}/.codeium/windsurf/mcp_config.json",
        remote(serverUrl="https://a.test/key/sse"),
        SseServer(url="https://a.test/key/sse"),
    ),
    Case(
        "Cline",
        f"{EXTENSIONS}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        remote(type="streamableHttp", url="https://a.test/mcp", headers=WEB_HEADERS),
        WEB,
    ),
    Case(
        "Cline",
        f"{HOME}/.cline/data/settings/cline_mcp_settings.json",
        remote(url="https://a.test/events"),
        SseServer(url="https://a.test/events"),
    ),
    Case(
        "Cline",
        "cline/data/settings/cline_mcp_settings.json",
        COMMON,
        READ,
        environ={"CLINE_DIR": "cline"},
    ),
    Case(
        "Cline",
        f"{HOME}/.cline/data/settings/cline_mcp_settings.json",
        remote(transport={"type": "stdio", "command": "npx", "args": ["-y", "a"], "env": ENV_K}),
        READ,
    ),
    Case(
        "Cline",
        f"{HOME}/.cline/data/settings/cline_mcp_settings.json",
        remote(
            transport={"type": "streamableHttp", "url": "https://a.test/mcp"},
            oauth={"clientId": "c", "tokens": {}},
        ),
        HttpServer(url="https://a.test/mcp", oauth=SignInClient(client_id="c")),
    ),
    Case(
        "Copilot for JetBrains",
        f"{HOME}/.config/github-copilot/intellij/mcp.json",
        {"servers": {"a": {"url": "https://a.test/mcp", "requestInit": {"headers": WEB_HEADERS}}}},
        WEB,
    ),
    Case("JetBrains AI Assistant", f"{HOME}/.ai/mcp/mcp.json", COMMON, READ),
    Case("JetBrains AI Assistant", f"{PROJECT}/.ai/mcp/mcp.json", COMMON, IN_PROJECT, "project"),
    Case("Roo Code", f"{PROJECT}/.roo/mcp.json", COMMON, IN_PROJECT, "project"),
    Case(
        "Roo Code",
        f"{EXTENSIONS}/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        remote(type="streamable-http", url="https://a.test/mcp", headers=WEB_HEADERS),
        WEB,
    ),
    Case("LM Studio", f"{HOME}/.lmstudio/mcp.json", COMMON, READ),
    Case("LM Studio", f"{HOME}/.cache/lm-studio/mcp.json", COMMON, READ),
    Case("Windsurf", f"{HOME}/.codeium/windsurf-next/mcp_config.json", COMMON, READ),
    Case("Windsurf", f"{HOME}/.codeium/mcp_config.json", COMMON, READ, platform="win32"),
    Case(
        "Cline",
        f"{HOME}/Library/Application Support/Cursor/User/globalStorage/"
        "saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        remote(transportType="http", url="https://a.test/mcp", headers=WEB_HEADERS),
        WEB,
        platform="darwin",
    ),
    Case(
        "Roo Code",
        "roaming/Code - Insiders/User/globalStorage/rooveterinaryinc.roo-cline/settings/"
        "mcp_settings.json",
        COMMON,
        READ,
        platform="win32",
        environ={"APPDATA": "roaming"},
    ),
    Case("Amazon Q", f"{HOME}/.aws/amazonq/cli-agents/dev.json", {"tools": ["*"], **COMMON}, READ),
    Case("Amazon Q", f"{HOME}/.aws/amazonq/agents/default.json", COMMON, READ),
    Case("Amazon Q", f"{PROJECT}/.amazonq/cli-agents/dev.json", COMMON, IN_PROJECT, "project"),
    Case("Kiro", f"{HOME}/.kiro/agents/dev.json", COMMON, READ),
    Case("Kiro", f"{PROJECT}/.kiro/agents/dev.json", COMMON, IN_PROJECT, "project"),
    Case(
        "Copilot for JetBrains",
        f"{HOME}/.config/github-copilot/intellij/mcp.json",
        {"servers": COMMON["mcpServers"]},
        READ,
        platform="darwin",
    ),
    Case(
        "Copilot for JetBrains",
        f"{HOME}/AppData/Local/github-copilot/intellij/mcp.json",
        {"servers": {"a": {"url": "https://a.test/mcp", "headers": WEB_HEADERS}}},
        WEB,
        platform="win32",
    ),
    Case(
        "VS Code",
        f"{HOME}/.config/Code/User/profiles/-1f0c/mcp.json",
        {"servers": COMMON["mcpServers"]},
        READ,
    ),
    Case(
        "VS Code Insiders",
        f"{HOME}/AppData/Roaming/Code - Insiders/User/profiles/work/mcp.json",
        {"servers": COMMON["mcpServers"]},
        READ,
        platform="win32",
    ),
    Case(
        "Goose",
        "goose/config/config.yaml",
        "extensions: {a: {type: stdio, cmd: npx, args: [-y, a], env_keys: [K]}}",
        READ,
        environ={"GOOSE_PATH_ROOT": "goose"},
    ),
    Case(
        "Goose",
        "xdg/goose/config.yaml",
        "extensions: {a: {type: stdio, cmd: npx, args: [-y, a], env_keys: [K]}}",
        READ,
        platform="darwin",
        environ={"XDG_CONFIG_HOME": "xdg"},
    ),
    Case(
        "OpenCode",
        "elsewhere/mine.json",
        {"mcp": {"a": {"type": "local", "command": ["npx", "-y", "a"], "environment": ENV}}},
        READ,
        environ={"OPENCODE_CONFIG": "elsewhere/mine.json"},
    ),
    Case(
        "OpenCode",
        "elsewhere/opencode.jsonc",
        {
            "mcp": {
                "servers": {
                    "a": {
                        "type": "remote",
                        "url": "https://a.test/mcp",
                        "oauth": {"clientId": "c", "scope": "read write"},
                    }
                }
            }
        },
        HttpServer(
            url="https://a.test/mcp",
            oauth=SignInClient(client_id="c", scopes=("read", "write")),
        ),
        environ={"OPENCODE_CONFIG_DIR": "elsewhere"},
    ),
    Case("Continue", f"{HOME}/.continue/mcpServers/a.json", COMMON["mcpServers"]["a"], READ),
    Case(
        "Continue",
        "continue/config.yaml",
        "mcpServers:\n  - {name: a, url: 'https://a.test/sse'}\n",
        SseServer(url="https://a.test/sse"),
        environ={"CONTINUE_GLOBAL_DIR": "continue"},
    ),
    Case("Amazon Q", f"{HOME}/.aws/amazonq/mcp.json", COMMON, READ),
    Case("Amazon Q", f"{HOME}/.aws/amazonq/default.json", {"name": "q", **COMMON}, READ),
    Case("Amazon Q", f"{PROJECT}/.amazonq/mcp.json", COMMON, IN_PROJECT, "project"),
    Case("Kiro", f"{HOME}/.kiro/settings/mcp.json", COMMON, READ),
    Case("Kiro", f"{PROJECT}/.kiro/settings/mcp.json", COMMON, IN_PROJECT, "project"),
    Case("Junie", f"{HOME}/.junie/mcp/mcp.json", COMMON, READ),
    Case("Junie", "own/mcp/mcp.json", COMMON, READ, environ={"JUNIE_HOME": "own"}),
    Case("Junie", f"{PROJECT}/.junie/mcp/mcp.json", COMMON, IN_PROJECT, "project"),
    Case(
        "Copilot CLI",
        f"{HOME}/.copilot/mcp-config.json",
        remote(type="local", command="npx", args=["-y", "a"], env={"K": "${K}"}, tools=["*"]),
        READ,
    ),
    Case("Copilot CLI", "gh/mcp-config.json", COMMON, READ, environ={"COPILOT_HOME": "gh"}),
    Case("Copilot CLI", f"{PROJECT}/.github/mcp.json", COMMON, IN_PROJECT, "project"),
    Case(
        "VS Code Insiders",
        f"{HOME}/Library/Application Support/Code - Insiders/User/mcp.json",
        {"servers": COMMON["mcpServers"]},
        READ,
        platform="darwin",
    ),
    Case(
        "Zed",
        f"{HOME}/.config/zed/settings.json",
        '{"theme": "One", /* mine */ "context_servers": {"a": {"source": "custom", '
        '"command": "npx", "args": ["-y", "a"], "env": {"K": "${env:K}"}, },},}',
        READ,
        platform="darwin",
    ),
    Case(
        "Zed",
        "xdg/zed/settings.json",
        {"context_servers": {"a": {"url": "https://a.test/mcp", "headers": WEB_HEADERS}}},
        WEB,
        environ={"XDG_CONFIG_HOME": "xdg"},
    ),
    Case(
        "Zed",
        f"{PROJECT}/.zed/settings.json",
        {"context_servers": {"a": {"command": {"path": "npx", "args": ["-y", "a"]}}}},
        CommandServer(command="npx", args=("-y", "a"), cwd=CWD),
        "project",
    ),
    Case(
        "OpenCode",
        f"{PROJECT}/opencode.jsonc",
        {
            "mcp": {
                "a": {
                    "type": "local",
                    "command": ["npx", "-y", "a"],
                    "environment": {"K": "{env:K}"},
                }
            }
        },
        IN_PROJECT,
        "project",
    ),
    Case(
        "OpenCode",
        f"{HOME}/.config/opencode/opencode.json",
        {
            "mcp": {
                "a": {
                    "type": "remote",
                    "url": "https://a.test/mcp",
                    "headers": {"Authorization": "Bearer {env:K}"},
                }
            }
        },
        WEB,
    ),
    Case(
        "OpenCode",
        f"{PROJECT}/.opencode/opencode.json",
        {"mcp": {"servers": {"a": {"type": "local", "command": ["x"]}}}},
        CommandServer(command="x", cwd=CWD),
        "project",
    ),
    Case(
        "Goose",
        f"{HOME}/.config/goose/config.yaml",
        "GOOSE_MODEL: m\nextensions:\n  developer: {type: builtin, enabled: true}\n"
        "  a: {type: stdio, cmd: npx, args: [-y, a], env_keys: [K], enabled: true, timeout: 300}\n",
        READ,
    ),
    Case(
        "Goose",
        f"{HOME}/.config/goose/config.yaml",
        "extensions:\n  a:\n    type: streamable_http\n    uri: https://a.test/mcp\n"
        "    headers: {Authorization: 'Bearer ${K}'}\n",
        WEB,
    ),
    Case(
        "Goose",
        f"{HOME}/AppData/Roaming/Block/goose/config/config.yaml",
        "extensions:\n  a:\n    enabled: true\n    config: {type: sse, uri: 'https://a.test/sse'}\n",
        SseServer(url="https://a.test/sse"),
        platform="win32",
    ),
    Case(
        "Continue",
        f"{HOME}/.continue/config.yaml",
        "name: mine\nmcpServers:\n  - name: a\n    command: npx\n    args: ['-y', a]\n"
        "    env:\n      K: ${{ secrets.K }}\n",
        READ,
    ),
    Case("Continue", f"{PROJECT}/.continue/mcpServers/a.json", COMMON, IN_PROJECT, "project"),
    Case(
        "Continue",
        f"{HOME}/.continue/mcpServers/a.yaml",
        "mcpServers:\n  - name: a\n    type: streamable-http\n    url: https://a.test/mcp\n"
        "    requestOptions:\n      headers:\n        Authorization: Bearer ${{ secrets.K }}\n",
        WEB,
    ),
]


def found_by(client: str, places: ClientLocations) -> Discovery:
    return discover_all(places, [one for one in discover() if one.name == client])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_server_of_another_client_is_found(case: Case, places: ClientLocations, put: Put) -> None:
    environ = {name: str(places.root / value) for name, value in case.environ.items()}
    machine = replace(places, platform=case.platform, environ=environ)
    assert found_by(case.client, machine) == Discovery((), ())

    path = put(places.root / case.path, case.content)
    (item,) = found_by(case.client, machine).found

    expected = case.definition
    if isinstance(expected, CommandServer) and expected.cwd == CWD:
        expected = expected.model_copy(update={"cwd": str(places.project)})
    assert (item.name, item.client, item.scope, item.path) == ("a", case.client, case.scope, path)
    assert item.definition == expected
    assert not item.disabled


@pytest.mark.parametrize(
    ("client", "path", "content"),
    [
        (
            "Windsurf",
            ".codeium/windsurf/mcp_config.json",
            remote(command="x", disabled=True),
        ),
        ("Zed", ".config/zed/settings.json", {"context_servers": {"a": {"enabled": False}}}),
        ("Goose", ".config/goose/config.yaml", "extensions: {a: {cmd: x, enabled: false}}"),
        (
            "OpenCode",
            ".config/opencode/opencode.json",
            {"mcp": {"a": {"type": "local", "command": ["x"], "enabled": False}}},
        ),
    ],
)
def test_a_server_that_is_off_there_is_marked(
    client: str, path: str, content: object, places: ClientLocations, put: Put
) -> None:
    put(places.home / path, content)
    (item,) = found_by(client, places).found
    assert item.disabled


def test_what_an_extension_of_zed_starts_is_listed_with_the_reason(
    places: ClientLocations, put: Put
) -> None:
    entry = {"source": "extension", "settings": {"key": "secret"}}
    put(places.home / ".config/zed/settings.json", {"context_servers": {"a": entry}})
    (item,) = found_by("Zed", places).found

    assert item.definition is None
    assert [problem.code for problem in item.problems] == [
        "SERVER_KEY_IGNORED",
        "SERVER_COMMAND_MISSING",
    ]
    assert "secret" not in str(item.problems)


def test_an_entry_of_a_list_is_pointed_at_by_its_index(places: ClientLocations, put: Put) -> None:
    text = "mcpServers:\n  - {name: a, command: x}\n  - {command: x}\n"
    put(places.home / ".continue/config.yaml", text)
    good, nameless = found_by("Continue", places).found

    assert (good.name, good.pointer, good.problems) == ("a", "/mcpServers/0", ())
    assert nameless.pointer == "/mcpServers/1"
    assert [problem.code for problem in nameless.problems] == ["SERVER_NAME_INVALID"]


@pytest.mark.parametrize(
    "text",
    ["extensions: [", "extensions: !!python/object/apply:os.getcwd []", "\tx: 1", "- 1\n- 2", "1"],
)
def test_yaml_that_is_wrong_or_hostile_is_one_problem(
    text: str, places: ClientLocations, put: Put
) -> None:
    path = put(places.home / ".config/goose/config.yaml", text)
    result = found_by("Goose", places)

    assert result.found == ()
    assert [(one.path, one.problem.code) for one in result.file_problems] == [
        (path, "CLIENT_FILE_INVALID")
    ]


def test_yaml_that_repeats_itself_without_end_is_read(places: ClientLocations, put: Put) -> None:
    put(
        places.home / ".config/goose/config.yaml",
        "extensions: &all\n  a: {type: stdio, cmd: x, envs: {K: v}}\n  b: *all\n",
    )
    first, second = found_by("Goose", places).found
    assert first.definition == CommandServer(command="x", env={"K": "v"})
    assert second.definition is None


@pytest.mark.parametrize(
    ("client", "path", "entry", "at"),
    [
        (
            "Windsurf",
            ".codeium/windsurf/mcp_config.json",
            {"disabledTools": ["x"]},
            "disabledTools",
        ),
        ("Kiro", ".kiro/settings/mcp.json", {"disabledTools": ["x"]}, "disabledTools"),
        ("Copilot CLI", ".copilot/mcp-config.json", {"tools": ["x"]}, "enabled_tools"),
    ],
)
def test_a_list_of_tools_that_is_not_used_here_is_noted(
    client: str, path: str, entry: dict[str, object], at: str, places: ClientLocations, put: Put
) -> None:
    put(places.home / path, remote(command="x", **entry))
    (item,) = found_by(client, places).found
    assert item.definition == CommandServer(command="x")
    assert [(one.code, one.pointer) for one in item.problems] == [
        ("SERVER_KEY_IGNORED", f"/mcpServers/a/{at}")
    ]


@pytest.mark.parametrize(
    ("client", "path", "content", "at"),
    [
        (
            "Windsurf",
            ".codeium/windsurf/mcp_config.json",
            remote(serverUrl="https://a.test/mcp", headers={"K": "Bearer ${file:/run/token}"}),
            "/mcpServers/a/headers/K",
        ),
        (
            "OpenCode",
            ".config/opencode/opencode.json",
            {
                "mcp": {
                    "a": {"type": "remote", "url": "https://a.test", "headers": {"K": "{file:x}"}}
                }
            },
            "/mcp/a/headers/K",
        ),
        (
            "VS Code",
            ".config/Code/User/mcp.json",
            {"servers": {"a": {"command": "${config:python.path}"}}},
            "/servers/a/command",
        ),
    ],
)
def test_a_variable_that_only_its_client_fills_in_is_noted(
    client: str, path: str, content: object, at: str, places: ClientLocations, put: Put
) -> None:
    put(places.home / path, content)
    (item,) = found_by(client, places).found
    assert item.definition is not None
    noted = [one for one in item.problems if one.code == "SERVER_VARIABLE_UNKNOWN"]
    assert [one.pointer for one in noted] == [at]
    assert "token" not in noted[0].message
    plain = remote(command="x", env={"A": "${B:-c}", "D": "${env:E}", "F": '{"a": 1}'})
    put(places.home / ".lmstudio/mcp.json", plain)
    assert found_by("LM Studio", places).found[0].problems == ()


def test_lm_studio_is_read_where_its_pointer_says(places: ClientLocations, put: Put) -> None:
    moved = places.home.parent / "models"
    put(moved / "mcp.json", remote(command="moved"))
    put(places.home / ".lmstudio/mcp.json", remote(command="old"))
    pointer = places.home / ".lmstudio-home-pointer"

    def commands() -> list[str]:
        found = [item.definition for item in found_by("LM Studio", places).found]
        return [one.command for one in found if isinstance(one, CommandServer)]

    assert commands() == ["old"]
    pointer.write_text(f"{moved}\n", encoding="utf-8")
    assert commands() == ["moved"]
    for useless in ("models", "", "/*", "\0"):
        pointer.write_text(useless, encoding="utf-8")
        assert commands() == ["old"], useless
    pointer.write_bytes(b"\xff")
    assert commands() == ["old"]
