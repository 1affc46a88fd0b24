"""Claude Code's files, as version 2.1.197 reads them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from toolweave.servers.definition import CommandServer, HttpServer, SignInClient, SseServer
from toolweave.servers.discovery.claude_code import client
from toolweave.servers.discovery.client import ConfigOrigin, DiscoveredServer
from toolweave.servers.discovery.locations import ClientLocations, Platform
from toolweave.servers.discovery.search import discover_all

Put = Callable[[Path, object], Path]


def found(places: ClientLocations) -> tuple[DiscoveredServer, ...]:
    return discover_all(places, [client]).found


def names(places: ClientLocations) -> list[tuple[str, str]]:
    return [(item.scope, item.name) for item in found(places)]


def server(command: str) -> dict[str, object]:
    return {"mcpServers": {"time": {"command": command}}}


def test_servers_of_all_three_personal_scopes_are_found_nearest_first(
    places: ClientLocations, put: Put
) -> None:
    project = str(places.project)
    put(
        places.home / ".claude.json",
        {
            "numStartups": 12,
            "mcpServers": {"memory": {"type": "stdio", "command": "npx", "args": [], "env": {}}},
            "projects": {
                project: {
                    "allowedTools": [],
                    "mcpServers": {"notes": {"type": "http", "url": "https://notes.test/mcp"}},
                },
                "/elsewhere": {"mcpServers": {"other": {"command": "x"}}},
            },
        },
    )
    put(places.project / ".mcp.json", {"mcpServers": {"git": {"command": "uvx"}}})

    assert found(places) == (
        DiscoveredServer(
            name="notes",
            scope="local",
            client="Claude Code",
            path=places.home / ".claude.json",
            pointer=f"/projects/{project.replace('/', '~1')}/mcpServers/notes",
            definition=HttpServer(url="https://notes.test/mcp"),
        ),
        DiscoveredServer(
            name="git",
            scope="project",
            client="Claude Code",
            path=places.project / ".mcp.json",
            pointer="/mcpServers/git",
            definition=CommandServer(command="uvx", cwd=project),
        ),
        DiscoveredServer(
            name="memory",
            scope="user",
            client="Claude Code",
            path=places.home / ".claude.json",
            pointer="/mcpServers/memory",
            definition=CommandServer(command="npx"),
        ),
    )


OAUTH_ENTRY = {
    "clientId": "abc",
    "callbackPort": 8080,
    "authServerMetadataUrl": (
        "https://sign-in.d.test/.well-known/oauth-authorization-server/tenant"
    ),
    "scopes": "read write",
}


def test_every_transport_is_read(places: ClientLocations, put: Put) -> None:
    put(
        places.home / ".claude.json",
        {
            "mcpServers": {
                "a": {"command": "uvx", "args": ["mcp-server-time"], "env": {"TZ": "${TZ:-UTC}"}},
                "b": {"type": "http", "url": "https://b.test/mcp", "headers": {"X-Key": "${KEY}"}},
                "c": {"type": "sse", "url": "http://localhost:8080/sse"},
                "d": {"url": "https://d.test/mcp", "oauth": OAUTH_ENTRY},
            }
        },
    )
    assert [item.definition for item in found(places)] == [
        CommandServer(command="uvx", args=("mcp-server-time",), env={"TZ": "${TZ:-UTC}"}),
        HttpServer(url="https://b.test/mcp", headers={"X-Key": "${KEY}"}),
        SseServer(url="http://localhost:8080/sse"),
        HttpServer(
            url="https://d.test/mcp",
            oauth=SignInClient(
                client_id="abc",
                callback_port=8080,
                issuer="https://sign-in.d.test/tenant",
                scopes=("read", "write"),
            ),
        ),
    ]


@pytest.mark.parametrize(
    ("platform", "environ", "path"),
    [
        ("linux", {}, "etc/claude-code/managed-mcp.json"),
        ("darwin", {}, "Library/Application Support/ClaudeCode/managed-mcp.json"),
        ("win32", {"PROGRAMFILES": "Program Files"}, "Program Files/ClaudeCode/managed-mcp.json"),
    ],
)
def test_an_enterprise_file_shuts_out_every_other_server(
    platform: Platform, environ: dict[str, str], path: str, places: ClientLocations, put: Put
) -> None:
    environ = {name: str(places.root / value) for name, value in environ.items()}
    places = replace(places, platform=platform, environ=environ)
    managed = put(places.root / path, {"mcpServers": {"audit": {"command": "audit"}}})
    put(places.project / ".mcp.json", server("uvx"))
    put(places.home / ".claude.json", server("npx"))

    audit, *others = found(places)

    assert (audit.scope, audit.name, audit.shadowed_by) == ("enterprise", "audit", None)
    assert [item.scope for item in others] == ["project", "user"]
    assert {item.shadowed_by for item in others} == {
        ConfigOrigin("enterprise", managed, "/mcpServers")
    }


def test_an_empty_enterprise_file_shuts_out_the_rest_and_a_broken_one_does_not(
    places: ClientLocations, put: Put
) -> None:
    managed = places.root / "etc" / "claude-code" / "managed-mcp.json"
    put(places.home / ".claude.json", server("npx"))

    put(managed, {"mcpServers": {}})
    assert [item.shadowed_by is None for item in found(places)] == [False]

    put(managed, '{"mcpServers": {')
    assert [item.shadowed_by is None for item in found(places)] == [True]


def test_the_nearest_entry_of_a_name_hides_the_others(places: ClientLocations, put: Put) -> None:
    user = put(
        places.home / ".claude.json",
        server("user") | {"projects": {str(places.project): server("local")}},
    )
    put(places.project / ".mcp.json", server("project"))
    local, project, personal = found(places)

    assert local.shadowed_by is None
    assert project.shadowed_by == personal.shadowed_by == ConfigOrigin("local", user, local.pointer)


def test_project_files_are_read_in_every_directory_upwards_and_the_nearest_wins(
    places: ClientLocations, put: Put
) -> None:
    (places.project / ".git").mkdir()
    near = put(places.project / ".mcp.json", server("near"))
    put(places.home / ".mcp.json", server("far"))
    put(places.root / ".mcp.json", {"mcpServers": {"top": {"command": "top"}}})
    sub = places.project / "src" / "deep"
    sub.mkdir(parents=True)

    first, far, top = found(replace(places, project=sub))

    assert (first.path, first.shadowed_by) == (near, None)
    assert far.shadowed_by == ConfigOrigin("project", near, "/mcpServers/time")
    assert top.shadowed_by is None


def test_local_servers_belong_to_the_git_checkout_not_to_the_directory(
    places: ClientLocations, put: Put
) -> None:
    sub = places.project / "src"
    sub.mkdir()
    put(
        places.home / ".claude.json",
        {"projects": {str(places.project): server("root"), str(sub): server("sub")}},
    )
    inside = replace(places, project=sub)
    assert [item.definition for item in found(inside)] == [
        CommandServer(command="sub", cwd=str(sub))
    ]

    (places.project / ".git").mkdir()
    root = str(places.project)
    assert [item.definition for item in found(inside)] == [CommandServer(command="root", cwd=root)]


@pytest.mark.parametrize("gitdir", ["{main}/.git/worktrees/fix", "../app/.git/worktrees/fix"])
def test_a_linked_worktree_has_the_local_servers_of_its_main_checkout(
    gitdir: str, places: ClientLocations, put: Put
) -> None:
    worktree = places.home / "work" / "fix"
    put(worktree / ".git", f"gitdir: {gitdir.format(main=places.project)}\n")
    put(places.home / ".claude.json", {"projects": {str(places.project): server("main")}})

    assert names(replace(places, project=worktree)) == [("local", "time")]


def test_a_submodule_is_a_project_of_its_own(places: ClientLocations, put: Put) -> None:
    module = places.project / "vendor" / "lib"
    put(module / ".git", "gitdir: ../../.git/modules/lib\n")
    put(places.home / ".claude.json", {"projects": {str(module): server("module")}})

    assert names(replace(places, project=module)) == [("local", "time")]


def test_a_project_reached_through_a_link_is_the_same_project(
    places: ClientLocations, put: Put
) -> None:
    put(places.home / ".claude.json", {"projects": {str(places.project): server("x")}})
    link = places.home / "shortcut"
    link.symlink_to(places.project)

    assert names(replace(places, project=link)) == [("local", "time")]


@pytest.mark.parametrize("slash", ["/", "\\"])
def test_windows_writes_project_keys_with_either_slash_and_any_case(
    slash: str, places: ClientLocations, put: Put
) -> None:
    key = str(places.project).replace("/", slash).upper()
    put(places.home / ".claude.json", {"projects": {key: server("x")}})

    assert names(replace(places, platform="win32")) == [("local", "time")]
    assert names(places) == []


def test_the_configuration_directory_can_be_moved(places: ClientLocations, put: Put) -> None:
    put(places.home / ".claude.json", server("home"))
    moved = put(places.root / "cfg" / ".claude.json", server("moved"))
    places = replace(places, environ={"CLAUDE_CONFIG_DIR": str(moved.parent)})

    assert [(item.path, item.definition) for item in found(places)] == [
        (moved, CommandServer(command="moved"))
    ]


def test_servers_the_user_switched_off_or_rejected_are_marked(
    places: ClientLocations, put: Put
) -> None:
    shared = {name: {"command": name} for name in ("kept", "refused", "barred")}
    put(places.project / ".mcp.json", {"mcpServers": shared})
    put(places.project / ".claude" / "settings.local.json", {"disabledMcpjsonServers": ["barred"]})
    put(
        places.home / ".claude.json",
        {
            "mcpServers": {"slow": {"command": "slow"}, "refused": {"command": "mine"}},
            "projects": {
                str(places.project): {
                    "disabledMcpServers": ["slow"],
                    "disabledMcpjsonServers": ["refused", 7],
                }
            },
        },
    )
    assert [(item.scope, item.name, item.disabled) for item in found(places)] == [
        ("project", "kept", False),
        ("project", "refused", True),
        ("project", "barred", True),
        ("user", "slow", True),
        ("user", "refused", False),
    ]


def test_a_rejected_project_server_does_not_hide_the_users_own(
    places: ClientLocations, put: Put
) -> None:
    put(places.project / ".mcp.json", server("theirs"))
    put(
        places.home / ".claude.json",
        server("mine") | {"projects": {str(places.project): {"disabledMcpjsonServers": ["time"]}}},
    )
    assert [(item.scope, item.shadowed_by) for item in found(places)] == [
        ("project", None),
        ("user", None),
    ]


def test_a_disabled_key_is_not_obeyed_because_claude_code_does_not(
    places: ClientLocations, put: Put
) -> None:
    put(places.project / ".mcp.json", {"mcpServers": {"a": {"command": "x", "disabled": True}}})
    assert [item.disabled for item in found(places)] == [False]


def test_comments_are_an_error_because_claude_code_refuses_them(
    places: ClientLocations, put: Put
) -> None:
    path = put(places.project / ".mcp.json", '{/* mine */ "mcpServers": {}}')
    result = discover_all(places, [client])

    assert [(item.path, item.problem.code) for item in result.file_problems] == [
        (path, "CLIENT_FILE_INVALID")
    ]


@pytest.mark.parametrize(
    ("document", "at"),
    [
        ({"mcpServers": []}, "/mcpServers"),
        ({"projects": "none"}, "/projects"),
    ],
)
def test_a_section_of_the_wrong_type_is_a_problem_of_the_file(
    document: dict[str, object], at: str, places: ClientLocations, put: Put
) -> None:
    path = put(places.home / ".claude.json", document)
    result = discover_all(places, [client])

    assert result.found == ()
    assert [(item.path, item.problem.pointer) for item in result.file_problems] == [(path, at)]


@pytest.mark.parametrize(
    ("stated", "cwd"),
    [
        (None, "{project}"),
        ("srv", "{project}/srv"),
        ("/srv", "/srv"),
        ("~/srv", "~/srv"),
        ("${SRV}/x", "${{SRV}}/x"),
    ],
)
def test_a_projects_command_starts_in_its_project(
    stated: str | None, cwd: str, places: ClientLocations, put: Put
) -> None:
    put(places.project / ".mcp.json", {"mcpServers": {"a": {"command": "x", "cwd": stated}}})
    expected = CommandServer(command="x", cwd=cwd.format(project=places.project))
    assert [item.definition for item in found(places)] == [expected]
