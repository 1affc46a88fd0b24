"""A whole session of Claude Code, without an account: a scripted model, our server, a sign-in.

It signs in with OAuth, lists our tools, calls one, answers a question and sees an image.
"""

import json
import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

import httpx2
import pytest

from conformance.fixtures import PNG
from conformance.programs import PACKAGES, needs, run_program
from rest.process import Served
from toolweave.testing.model import ScriptedModel, calls, says

CLAUDE_CODE = "@anthropic-ai/claude-code"
PROGRAM = str(PACKAGES / CLAUDE_CODE / "bin" / "claude.exe")
pytestmark = [pytest.mark.xdist_group("node"), needs(CLAUDE_CODE)]

TOOLS = ("test_simple_text", "test_elicitation", "test_image_content")
# Its own tool for servers that are still connecting.
WAIT = "WaitForMcpServers"
# A hook of Claude Code stands in for the person at the form.
ANSWERED = {
    "hookSpecificOutput": {
        "hookEventName": "Elicitation",
        "action": "accept",
        "content": {"username": "ada", "email": "ada@example.org"},
    }
}


def typed_to(program: list[str], home: Path, visit: Callable[[str], None]) -> str:
    """Run a program on a terminal; `visit` is called with the page that it wants opened."""
    ours, theirs = pty.openpty()
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "TERM": "xterm"}
    said, has_visited = "", False
    with subprocess.Popen(
        program, cwd=home, env=environ, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        try:
            ends_at = monotonic() + 90
            while monotonic() < ends_at:
                if not select.select([ours], [], [], 1)[0]:
                    continue
                try:
                    said += os.read(ours, 65536).decode(errors="replace")
                except OSError:  # the other end is closed
                    break
                page = re.search(r"(http\S+/oauth/authorize\S+)\s", said)
                if page is not None and not has_visited:
                    has_visited = True
                    visit(page[1])
        finally:
            process.kill()
            os.close(ours)
    return said


def signed_in(home: Path, server: Served) -> None:
    """Let Claude Code sign in to our server; the person allows it."""
    entry = {"type": "http", "url": f"{server.url}/mcp"}
    answer = home / "answer.py"
    answer.write_text(f"print({json.dumps(ANSWERED)!r})", encoding="utf-8")
    hook = {"type": "command", "command": f"{sys.executable} -I -S {answer}"}
    settings = {"hooks": {"Elicitation": [{"hooks": [hook]}]}}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"studio": entry}}), "utf-8")
    (home / ".claude").mkdir(exist_ok=True)
    (home / ".claude" / "settings.json").write_text(json.dumps(settings), "utf-8")

    def visit(url: str) -> None:
        with httpx2.Client(trust_env=False, headers=server.headers, timeout=60) as browser:
            query = browser.get(url).headers["location"].partition("?")[2]
            asked = browser.post(f"{server.url}/api/v1/oauth/requests", json={"query": query})
            assert asked.json()["clientName"] == "Claude Code"
            scopes = ["tools:read", "tools:execute", "workflows:run"]
            body = {"query": query, "allowed": True, "scopes": scopes}
            granted = browser.post(f"{server.url}/api/v1/oauth/grants", json=body)
            browser.get(granted.json()["location"])

    said = typed_to([PROGRAM, "mcp", "login", "studio", "--no-browser"], home, visit)
    assert "Authenticated" in said, said


def test_a_session_signs_in_lists_calls_answers_and_sees_an_image(
    tmp_path: Path, server: Served
) -> None:
    signed_in(tmp_path, server)
    names = [f"mcp__studio__{tool}" for tool in TOOLS]
    with ScriptedModel().running() as model:
        model.on(f'"{WAIT}"', calls(WAIT, {}))
        model.on(
            f'"{names[0]}"',  # requests with our tools; not those for a title and the like
            calls(names[0], {}),
            calls(names[1], {"message": "Who are you?"}),
            calls(names[2], {}),
            says("All done."),
        )
        done = run_program(
            [
                *(PROGRAM, "-p", "Try our tools.", "--output-format", "stream-json", "--verbose"),
                *("--allowedTools", ",".join(names)),
            ],
            home=tmp_path,
            environ={
                "ANTHROPIC_API_KEY": "none",
                "ANTHROPIC_BASE_URL": model.base_url("anthropic"),
                "DISABLE_AUTOUPDATER": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                # Our tools as tools of the model, not behind a search.
                "ENABLE_TOOL_SEARCH": "false",
            },
        )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stdout + done.stderr
    # It begins before our server is connected, waits for it, and then offers the model our tools.
    assert set(names) <= {tool["name"] for tool in model.heard[-1].body["tools"]}
    *_, first, answered, image = results(lines)
    assert "simple text" in json.dumps(first)
    assert "ada@example.org" in json.dumps(answered)
    assert PNG in json.dumps(image)
    assert '"image"' in json.dumps(image)
    # The model itself is shown the picture and what the person said.
    shown = json.dumps(model.heard[-1].body["messages"])
    assert '"media_type": "image/png"' in shown
    assert PNG in shown
    assert "ada@example.org" in shown
    assert lines[-1]["result"] == "All done."


# Any: what the program prints.
def results(lines: list[Any]) -> list[Any]:
    """What came of the calls, as the model is told."""
    return [
        block
        for line in lines
        if line["type"] == "user"
        for block in line["message"]["content"]
        if block["type"] == "tool_result"
    ]
