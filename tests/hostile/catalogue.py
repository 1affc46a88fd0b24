"""Every misbehaving server program, how to start it, and what a client should make of it.

    @pytest.mark.parametrize("vice", STDIO, ids=str)
    def test_a_hostile_server_gives_a_typed_error(vice: Vice) -> None: ...

Except for its one vice each is a well-behaved server of 2025-06-18 with two tools: `echo`
(argument `text`), which always works, and `misbehave`, where vices of calls show. Of HTTP vices
`when` can be replaced, as the program is told by `argv`: `replace(vice, when="start")`.
Sizes can be lowered by the environment variable `HOSTILE_SIZE` (`sized` says whether).
"""

import os
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

HERE = Path(__file__).parent
TRIGGER = "misbehave"

Transport = Literal["stdio", "http"]
When = Literal["start", "list", "call", "stop"]

GONE = "MCP_SERVER_DISCONNECTED"
BROKEN = "SERVER_PROTOCOL"
TOO_LARGE = "SERVER_RESPONSE_TOO_LARGE"
CONNECT_TIMEOUT = "SERVER_CONNECT_TIMEOUT"
CALL_TIMEOUT = "CALL_TIMEOUT"
HTTP_TIMEOUT = "SERVER_TIMED_OUT"
BAD_SCHEMA = "MCP_TOOL_SCHEMA_INVALID"
BAD_OUTPUT = "MCP_OUTPUT_INVALID"
HTTP_ERROR = "SERVER_HTTP_ERROR"
REDIRECTED = "SERVER_REDIRECTED"
UNREACHABLE = "SERVER_UNREACHABLE"


@dataclass(frozen=True, slots=True)
class Vice:
    """One program: when it misbehaves, and which outcomes are right.

    `codes`: any of these is the right error (or, with `spoils`, the right problem of the tools
    named there, while the other tools keep working). `may_go_on`: carrying on as if nothing was
    wrong is right too, or, without codes, the only right thing.
    """

    name: str
    transport: Transport
    when: When
    codes: tuple[str, ...] = ()
    may_go_on: bool = False
    spoils: tuple[str, ...] = ()
    sized: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def script(self) -> Path:
        """The program's file."""
        return HERE / self.transport / f"{self.name}.py"

    def argv(self, *extra: str) -> tuple[str, ...]:
        """The command line; `extra` is for the few programs that take an argument."""
        # -S: without site packages, so that nothing installed can change what these programs do.
        start = (sys.executable, "-S", str(self.script))
        return (*start, self.when, *extra) if self.transport == "http" else (*start, *extra)


GOOD_STDIO = Vice("good", "stdio", "call", may_go_on=True)
GOOD_HTTP = Vice("good", "http", "call", may_go_on=True)


def _stdio(
    name: str,
    when: When,
    *codes: str,
    may_go_on: bool = False,
    spoils: tuple[str, ...] = (),
    sized: bool = False,
) -> Vice:
    return Vice(name, "stdio", when, codes, may_go_on, spoils, sized)


def _http(name: str, when: When, *codes: str, sized: bool = False) -> Vice:
    return Vice(name, "http", when, codes, sized=sized)


STDIO: tuple[Vice, ...] = (
    _stdio("exits_at_once", "start", GONE),
    _stdio("exits_in_call", "call", GONE),
    _stdio("hangs_at_start", "start", CONNECT_TIMEOUT),
    _stdio("hangs_in_list", "list", CONNECT_TIMEOUT, CALL_TIMEOUT),
    _stdio("hangs_in_call", "call", CALL_TIMEOUT),
    _stdio("writes_garbage", "start", BROKEN, may_go_on=True),
    _stdio("broken_json", "call", BROKEN),
    _stdio("bad_utf8", "call", BROKEN),
    _stdio("huge_line", "call", TOO_LARGE, sized=True),
    _stdio("deep_json", "call", BROKEN, TOO_LARGE, sized=True),
    _stdio("floods_notifications", "call", BROKEN, may_go_on=True, sized=True),
    _stdio("wrong_ids", "call", BROKEN, CALL_TIMEOUT),
    _stdio("string_ids", "call", BROKEN, CALL_TIMEOUT),
    _stdio("endless_cursor", "list", BROKEN),
    _stdio("exponential_ref", "list", "MCP_TOOL_SCHEMA_TOO_LARGE", spoils=(TRIGGER,)),
    _stdio("catastrophic_regex", "call", BAD_OUTPUT),
    # Argument: a port of 127.0.0.1 that nobody may connect to.
    _stdio("remote_ref", "list", "MCP_TOOL_SCHEMA_REMOTE_REF", spoils=("remote", "local_file")),
    _stdio("slow_drip", "call", CALL_TIMEOUT),
    # The result of `misbehave` is `{"server": pid, "child": pid}`; after closing both are gone.
    _stdio("ignores_sigterm_and_closes_stdin_late", "stop", may_go_on=True),
    _stdio("stderr_flood", "call", may_go_on=True, sized=True),
    _stdio("duplicate_tool_names", "list", BROKEN, BAD_SCHEMA, spoils=(TRIGGER,)),
    _stdio(
        "one_bad_tool",
        "list",
        BROKEN,
        BAD_SCHEMA,
        spoils=("no_schema", "string_schema", "wrong_schema", "unknown_type"),
    ),
    # Argument: after how many lists, or the file whose appearance triggers it.
    _stdio("changes_tools", "list", "TOOL_CHANGED"),
    _stdio("request_flood", "call", BROKEN, may_go_on=True, sized=True),
    # The call's argument `shape` picks another wrong shape.
    _stdio("nonconforming_result", "call", BROKEN, BAD_OUTPUT),
    _stdio("ignores_cancel", "call", CALL_TIMEOUT),
)

HTTP: tuple[Vice, ...] = (
    _http("status_500", "call", HTTP_ERROR),
    # Sized by refusals; they come with `Retry-After: 1`.
    _http("status_429_retry_after", "call", "SERVER_RATE_LIMITED", sized=True),
    _http("redirect_loop", "call", REDIRECTED),
    # Argument: the address it redirects to, which nobody may connect to.
    _http("redirect_elsewhere", "call", REDIRECTED),
    _http("slow_body", "call", CALL_TIMEOUT, HTTP_TIMEOUT),
    _http("slow_headers", "call", CALL_TIMEOUT, HTTP_TIMEOUT),
    _http("endless_headers", "call", BROKEN, TOO_LARGE),
    _http("gzip_bomb", "call", TOO_LARGE, sized=True),
    _http("wrong_content_type", "call", BROKEN),
    _http("truncated_body", "call", GONE, BROKEN, UNREACHABLE),
    _http("never_responds", "call", CALL_TIMEOUT, HTTP_TIMEOUT),
    _http("huge_body", "call", TOO_LARGE, sized=True),
    _http("unauthorized_401", "start", "SERVER_SIGN_IN_REQUIRED"),
    _http("html_error_page", "call", HTTP_ERROR),
    _http("sse_endless_comments", "call", CALL_TIMEOUT, HTTP_TIMEOUT),
    _http("sse_huge_event", "call", TOO_LARGE, sized=True),
    _http("connection_reset", "call", GONE, UNREACHABLE),
)

ALL = STDIO + HTTP


def named(name: str) -> Vice:
    """The vice of that name."""
    return next(vice for vice in ALL if vice.name == name)


@contextmanager
def http_server(vice: Vice, *extra: str, env: Mapping[str, str] | None = None) -> Generator[str]:
    """Run an HTTP program; yields its address and ends it on leaving."""
    with subprocess.Popen(
        vice.argv(*extra),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **(env or {})},
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip().removeprefix("listening on ")
        finally:
            process.stdin.close()
            process.wait(10)
