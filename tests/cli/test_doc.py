"""`toolweave doc`: a document from check to clear, with a real server behind it."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands

from toolweave.testing.server import ScriptedServer, a_tool, answers, says

NOTES = """# Weather

```mine
tool: echo
text: hello
```

## Rest

```tool
tool: shout
```
"""


@pytest.fixture
def notes(tw: Commands, tmp_path: Path) -> Path:
    server = ScriptedServer(tmp_path / "s", a_tool("echo"), a_tool("shout"))
    server.on_call("shout", [says("HELLO")])
    tw.add("mine", server)
    path = tw.project / "notes.md"
    path.write_text(NOTES, encoding="utf-8")
    return path


def test_a_document_is_checked_run_again_and_cleared(tw: Commands, notes: Path) -> None:
    (looked,) = json.loads(tw.ok("doc", "check", "notes.md", "--json").out)
    assert [(one["line"], one["name"], one["server"]) for one in looked["blocks"]] == [
        (3, "echo", "mine"),
        (10, "shout", "mine"),
    ]
    assert "first enabled" in tw.ok("doc", "check", "notes.md").out
    assert tw.ok("doc", "run", "notes.md").out == "notes.md: 2 run\n"
    written = notes.read_text(encoding="utf-8")
    assert "> HELLO\n" in written
    assert tw.ok("doc", "run", "notes.md").out == "notes.md: 0 run, 2 skipped\n"
    assert json.loads(tw.ok("doc", "run", "notes.md", "--refresh", "--json").out)["ran"] == 2
    assert tw.ok("doc", "clear", "notes.md").out == "notes.md: 2 results removed.\n"
    assert notes.read_text(encoding="utf-8") == NOTES


def test_everything_that_a_tool_gives_is_in_the_document(tw: Commands, tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path / "s", a_tool("weather"), a_tool("plain"))
    logo = base64.b64encode(b"\x89PNG").decode()
    content: list[Any] = [
        {"type": "text", "text": "It rains."},
        {"type": "resource", "resource": {"uri": "memo://n", "text": "Take a coat."}},
        {"type": "image", "data": logo, "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "a:b", "blob": logo, "mimeType": "image/png"}},
    ]
    server.on_call("weather", [answers({"content": content, "structuredContent": {"c": 3}})])
    server.on_call("plain", [says('{"c": 3}', structuredContent={"c": 3})])
    tw.add("mine", server)
    page = tw.project / "weather.md"
    page.write_text("```mine\ntool: weather\n```\n\n```mine\ntool: plain\n```\n", encoding="utf-8")
    tw.ok("doc", "run", "weather.md")
    weather, plain = page.read_text(encoding="utf-8").split("tool: plain")
    for part in ('> {\n>   "c": 3\n> }', "> It rains.", "> Take a coat.", "-1.png>)", "-2.png>)"):
        assert part in weather, part
    assert weather.count("> ![image/png](<weather.assets/") == 2
    assert plain.count('"c": 3') == 1  # text that repeats the data is not shown


def test_sections_are_bound_and_unbound(tw: Commands, notes: Path) -> None:
    bound = json.loads(
        tw.ok("doc", "bind", "notes.md", "--heading", "## Rest", "--server", "mine", "--json").out
    )
    assert "heading '## Rest' is bound to it" in tw.ok("doc", "check", "notes.md").out
    assert tw("doc", "bind", "notes.md", "--server", "mine").code == 1
    assert tw("doc", "bind", "notes.md", "--server", "nobody", "--lines", "1-3").code == 1
    assert tw.ok("doc", "unbind", "notes.md", bound["id"]).out == "Removed 1 binding of notes.md.\n"


def test_what_is_wrong_is_told_without_running_and_fails_the_run(tw: Commands, notes: Path) -> None:
    notes.write_text(
        "```mine\ntool: nothing\n```\n```mine\ntool: echo\ntext: 3\n```\n", encoding="utf-8"
    )
    checked = tw("doc", "check", "notes.md")
    assert checked.code == 1
    assert "MCP_TOOL_NOT_FOUND" in checked.out
    assert "MCP_PARAMETER_INVALID_TYPE" in checked.out
    ran = tw("doc", "run", "notes.md")
    assert (ran.code, ran.out) == (1, "notes.md: 2 run, 2 failed\n")
    assert "[!failure]" in notes.read_text(encoding="utf-8")


def test_a_watched_document_is_run_when_it_is_saved(tw: Commands, notes: Path) -> None:
    with tw.process("doc", "run", "notes.md", "--watch") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"notes.md: 2 run\n"
        assert process.stderr.readline().startswith(b"Watching.")
        text = notes.read_text(encoding="utf-8")
        notes.write_text(text.replace("text: hello", "text: again"), encoding="utf-8")
        assert process.stdout.readline() == b"notes.md: 1 run, 1 skipped\n"
        process.send_signal(2)
        process.communicate(timeout=30)
    assert process.returncode == 0
    assert "again" in notes.read_text(encoding="utf-8")
