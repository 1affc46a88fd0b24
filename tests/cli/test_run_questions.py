"""`toolweave run` asks the person at the terminal what its tools ask."""

import json
from pathlib import Path

import pytest

from cli.driving import Commands
from cli.studios import studio_here
from rest.drawn import drawn
from toolweave.testing.server import ScriptedServer, a_tool, asks, tells

FORM = {"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]}


@pytest.fixture
def booked(tw: Commands, tmp_path: Path) -> Path:
    server = ScriptedServer(tmp_path / "s", a_tool("book", outputSchema={"type": "object"}))
    server.on_call("book", [asks("How long?", requestedSchema=FORM), tells()])
    tw.add("mine", server)
    call = {"serverId": "mine", "toolName": "book", "mode": "detailed"}
    file = tw.project / "book.json"
    document = drawn("book", {"id": "t", "type": "mcp", "name": "T", "data": call})
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


@pytest.mark.parametrize("has_studio", [False, True])
def test_a_question_of_a_tool_is_asked_at_the_terminal(
    tw: Commands, booked: Path, has_studio: bool
) -> None:
    def answer() -> str:
        with tw.terminal("run", booked.name) as screen:
            screen.wait_for("Tool 'book' of server 'mine' asks: How long?")
            screen.wait_for("days:")
            screen.type("3\n")
            assert screen.end() == 0
            return screen.text

    if has_studio:
        with studio_here(tw):
            shown = answer()
    else:
        shown = answer()
    assert '"days": 3' in shown
