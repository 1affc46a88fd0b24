"""One entry, in every wrong way, with the place of each fault."""

import pytest

from toolweave.servers.config_entry import read_entry
from toolweave.servers.definition import CommandServer, HttpServer, SignInClient, SseServer

AT = "/mcpServers/a~1b"

WRONG: list[tuple[object, str, str]] = [
    (None, "SERVER_ENTRY_INVALID", ""),
    ("npx x", "SERVER_ENTRY_INVALID", ""),
    ([], "SERVER_ENTRY_INVALID", ""),
    ({}, "SERVER_COMMAND_MISSING", ""),
    ({"args": ["x"]}, "SERVER_COMMAND_MISSING", ""),
    ({"command": "x", "url": "https://a.test"}, "SERVER_ENTRY_AMBIGUOUS", ""),
    ({"type": "ws", "url": "wss://a.test"}, "SERVER_TYPE_UNKNOWN", "/type"),
    ({"type": 1, "command": "x"}, "SERVER_TYPE_UNKNOWN", "/type"),
    ({"transport": "x", "command": "x"}, "SERVER_TYPE_UNKNOWN", "/transport"),
    ({"type": "stdio"}, "SERVER_COMMAND_MISSING", "/command"),
    ({"type": "stdio", "url": "https://a.test"}, "SERVER_COMMAND_MISSING", "/command"),
    ({"command": ""}, "SERVER_COMMAND_MISSING", "/command"),
    ({"command": "  "}, "SERVER_COMMAND_MISSING", "/command"),
    ({"command": ["npx"]}, "SERVER_ENTRY_INVALID", "/command"),
    ({"command": 5}, "SERVER_ENTRY_INVALID", "/command"),
    ({"command": "a\0b"}, "SERVER_ENTRY_INVALID", "/command"),
    ({"command": "a\ud800"}, "SERVER_ENTRY_INVALID", "/command"),
    ({"command": "x", "args": "y"}, "SERVER_ENTRY_INVALID", "/args"),
    ({"command": "x", "args": {"0": "y"}}, "SERVER_ENTRY_INVALID", "/args"),
    ({"command": "x", "args": ["y", {}]}, "SERVER_ENTRY_INVALID", "/args/1"),
    ({"command": "x", "args": [None]}, "SERVER_ENTRY_INVALID", "/args/0"),
    ({"command": "x", "env": ["A=b"]}, "SERVER_ENTRY_INVALID", "/env"),
    ({"command": "x", "env": {"A": []}}, "SERVER_ENTRY_INVALID", "/env/A"),
    ({"command": "x", "env": {"A/B": "\0"}}, "SERVER_ENTRY_INVALID", "/env/A~1B"),
    ({"command": "x", "env": {"A=B": "c"}}, "SERVER_ENVIRONMENT_INVALID", "/env/A=B"),
    ({"command": "x", "env": {"": "c"}}, "SERVER_ENVIRONMENT_INVALID", "/env/"),
    ({"command": "x", "cwd": 1}, "SERVER_ENTRY_INVALID", "/cwd"),
    ({"type": "http"}, "SERVER_URL_INVALID", "/url"),
    ({"url": 7}, "SERVER_ENTRY_INVALID", "/url"),
    ({"url": ""}, "SERVER_URL_INVALID", "/url"),
    ({"url": "a.test/mcp"}, "SERVER_URL_INVALID", "/url"),
    ({"url": "ftp://a.test"}, "SERVER_URL_INVALID", "/url"),
    ({"url": "file:///etc/passwd"}, "SERVER_URL_INVALID", "/url"),
    ({"url": "https:a.test"}, "SERVER_URL_INVALID", "/url"),
    ({"url": "https://"}, "SERVER_URL_INVALID", "/url"),
    ({"url": "https:///mcp"}, "SERVER_URL_INVALID", "/url"),
    ({"url": "https://[::1"}, "SERVER_URL_INVALID", "/url"),
    ({"url": "https://a.test:99999/"}, "SERVER_URL_INVALID", "/url"),
    ({"url": "https://a.test:x/"}, "SERVER_URL_INVALID", "/url"),
    ({"url": "https://a.test/ x"}, "SERVER_URL_INVALID", "/url"),
    ({"url": "https://a.test/\r\nX: y"}, "SERVER_URL_INVALID", "/url"),
    ({"url": "ht\ntps://a.test"}, "SERVER_URL_INVALID", "/url"),
    ({"url": "${URL}"}, "SERVER_URL_INVALID", "/url"),
    ({"httpUrl": "ftp://a.test"}, "SERVER_URL_INVALID", "/httpUrl"),
    ({"url": "https://ada:pw@a.test"}, "SERVER_URL_CREDENTIALS", "/url"),
    ({"url": "https://token@a.test"}, "SERVER_URL_CREDENTIALS", "/url"),
    ({"url": "https://${USER}:${PW}@a.test"}, "SERVER_URL_CREDENTIALS", "/url"),
    ({"url": "https://a.test", "headers": "X: y"}, "SERVER_ENTRY_INVALID", "/headers"),
    (
        {"url": "https://a.test", "headers": {"X": "a\r\nY: b"}},
        "SERVER_HEADER_INVALID",
        "/headers/X",
    ),
    (
        {"url": "https://a.test", "headers": {"X Y": "a"}},
        "SERVER_HEADER_INVALID",
        "/headers/X Y",
    ),
]


@pytest.mark.parametrize(
    ("entry", "definition"),
    [
        ({"command": "x"}, CommandServer(command="x")),
        ({"type": "stdio", "command": "x", "url": None}, CommandServer(command="x")),
        ({"url": "https://a.test"}, HttpServer(url="https://a.test")),
        ({"httpUrl": "https://a.test"}, HttpServer(url="https://a.test")),
        ({"type": "http", "url": "https://a.test"}, HttpServer(url="https://a.test")),
        ({"type": "streamable-http", "url": "https://a.test"}, HttpServer(url="https://a.test")),
        ({"type": "streamableHttp", "url": "https://a.test"}, HttpServer(url="https://a.test")),
        (
            {"transport": "streamable_http", "url": "https://a.test"},
            HttpServer(url="https://a.test"),
        ),
        ({"type": "sse", "url": "https://a.test"}, SseServer(url="https://a.test")),
        ({"url": "HTTPS://A.test/X"}, HttpServer(url="https://A.test/X")),
        ({"url": "https://${HOST}:${env:PORT}/mcp"}, HttpServer(url="https://${HOST}:${PORT}/mcp")),
        ({"url": "https://a.test", "oauth": True}, HttpServer(url="https://a.test", oauth=True)),
        ({"url": "https://a.test", "auth": "oauth"}, HttpServer(url="https://a.test", oauth=True)),
        ({"url": "https://a.test", "oauth": {"enabled": False}}, HttpServer(url="https://a.test")),
        (
            {"command": "docker", "args": ["run", "-i", "--rm", "mcp/time"]},
            CommandServer(command="docker", args=("run", "-i", "--rm", "mcp/time")),
        ),
        (
            {
                "command": "${env:BIN}/x",
                "args": ["${VAR:-d}", "$HOME", "${input:key}", "${env:vault:key}"],
                "env": {"A": "${env:B}"},
                "cwd": "${env:C}",
            },
            CommandServer(
                command="${BIN}/x",
                args=("${VAR:-d}", "$HOME", "${input:key}", "${env:vault:key}"),
                env={"A": "${B}"},
                cwd="${C}",
            ),
        ),
    ],
)
def test_every_shape_is_read_without_a_problem(
    entry: dict[str, object], definition: object
) -> None:
    assert read_entry(entry, AT) == (definition, [])


def test_a_client_with_a_secret_by_reference_is_read_and_a_literal_one_is_not() -> None:
    named = {"clientId": "abc", "clientSecret": "${vault:abc}", "scope": "read"}
    expected = SignInClient(client_id="abc", client_secret="${vault:abc}", scopes=("read",))
    assert read_entry({"url": "https://a.test", "oauth": named}, "") == (
        HttpServer(url="https://a.test", oauth=expected),
        [],
    )
    literal = {"client_id": "abc", "client_secret": "s3cret", "authServerMetadataUrl": "x"}
    definition, problems = read_entry({"url": "https://a.test", "oauth": literal}, "")
    assert definition == HttpServer(url="https://a.test", oauth=SignInClient(client_id="abc"))
    assert [(one.code, one.pointer) for one in problems] == [
        ("SERVER_KEY_IGNORED", "/oauth/client_secret"),
        ("SERVER_KEY_IGNORED", "/oauth/authServerMetadataUrl"),
    ]
    assert "s3cret" not in repr((definition, problems))


def test_a_client_that_cannot_be_used_leaves_the_default_one_with_a_warning() -> None:
    entry = {"url": "https://a.test", "oauth": {"clientId": "abc", "callbackPort": 99999}}
    definition, [problem] = read_entry(entry, "")
    assert definition == HttpServer(url="https://a.test", oauth=True)
    assert "callback_port" in problem.message


@pytest.mark.parametrize(("entry", "code", "at"), WRONG)
def test_what_is_wrong_is_one_error_with_its_place(entry: object, code: str, at: str) -> None:
    definition, problems = read_entry(entry, AT)

    assert definition is None
    assert [(p.code, p.pointer, p.severity) for p in problems] == [(code, AT + at, "error")]


def test_numbers_and_booleans_are_passed_as_text_with_a_warning() -> None:
    entry = {"command": "x", "args": [8080, "y"], "env": {"PORT": 3000, "ON": True, "R": 0.5}}
    definition, problems = read_entry(entry, "")

    assert definition == CommandServer(
        command="x", args=("8080", "y"), env={"PORT": "3000", "ON": "true", "R": "0.5"}
    )
    assert [(p.code, p.pointer, p.severity) for p in problems] == [
        ("SERVER_VALUE_CONVERTED", at, "warning")
        for at in ("/args/0", "/env/PORT", "/env/ON", "/env/R")
    ]


def test_every_fault_of_an_entry_is_reported_at_once() -> None:
    entry: dict[str, object] = {"command": 1, "args": "x", "env": [], "cwd": 2, "envFile": ".env"}
    _, problems = read_entry(entry, "")

    assert [p.pointer for p in problems] == ["/envFile", "/command", "/args", "/env", "/cwd"]


def test_keys_that_change_nothing_are_passed_over() -> None:
    entry: dict[str, object] = {
        "command": "x",
        "description": "mine",
        "timeout": 5,
        "trust": True,
        "alwaysAllow": ["a"],
        "includeTools": [],
        "authProviderType": "dynamic_discovery",
    }
    assert read_entry(entry, "") == (CommandServer(command="x"), [])


@pytest.mark.parametrize(
    "key",
    ["envFile", "headersHelper", "includeTools", "excludeTools", "sandboxEnabled", "bearer_token"],
)
def test_a_key_that_changes_meaning_is_a_warning_with_advice(key: str) -> None:
    definition, (problem,) = read_entry({"command": "x", key: "y"}, "")

    assert definition == CommandServer(command="x")
    assert (problem.code, problem.pointer, problem.severity) == (
        "SERVER_KEY_IGNORED",
        f"/{key}",
        "warning",
    )
    assert problem.hint


@pytest.mark.parametrize(
    "entry",
    [
        {"url": "https://ada:hunter2@a.test"},
        {"url": "ftp://a.test/?key=hunter2"},
        {"url": "https://a.test/ hunter2"},
        {"url": "https://a.test", "headers": {"X": "hunter2\n"}},
        {"command": "x", "env": {"A": "hunter2\0"}},
        {"command": "x", "args": ["hunter2\0"], "bearer_token": "hunter2"},
    ],
)
def test_no_message_repeats_a_value(entry: dict[str, object]) -> None:
    _, problems = read_entry(entry, "")

    assert problems
    assert "hunter2" not in str([problem.as_json() for problem in problems])
