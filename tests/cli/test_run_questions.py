"""`toolweave run` asks the person at the terminal what its tools ask."""

import json
import re
from pathlib import Path

import pytest

from cli.driving import Commands
from cli.studios import studio_here
from mcp_server.test_called_questions import call
from publishing.drawing import asking
from rest.drawn import drawn
from toolweave.testing.server import Era, ScriptedServer, a_tool, asks, tells

FORM = {"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]}


@pytest.fixture(params=["legacy", "modern"])
def booked(tw: Commands, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A workflow whose tool asks for an address to be opened, and then for a number."""
    era: Era = request.param
    tool = a_tool("book", outputSchema={"type": "object"})
    server = ScriptedServer(tmp_path / "s", tool, era=era)
    page = asks(
        "Please pay.",
        elicitationId="1",
        mode="url",
        url="https://pay.example/7",
        requestedSchema=None,
    )
    script = [page, asks("How long?", requestedSchema=FORM), tells()]
    server.on_call("book", *([script] if era == "legacy" else [script] * 3))
    tw.add("mine", server)
    call = {"serverId": "mine", "toolName": "book", "mode": "detailed"}
    file = tw.project / "book.json"
    document = drawn("book", {"id": "t", "type": "mcp", "name": "T", "data": call})
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


@pytest.mark.parametrize("has_studio", [False, True])
def test_every_question_of_a_tool_is_asked_at_the_terminal(
    tw: Commands, booked: Path, has_studio: bool
) -> None:
    def answer() -> str:
        with tw.terminal("run", booked.name) as screen:
            screen.wait_for("asks: Please pay.")
            screen.wait_for("Open https://pay.example/7 and confirm")
            screen.wait_for("(y/n):")
            screen.type("y\n")
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


@pytest.fixture
def outer(tw: Commands) -> str:
    for document in (
        asking("inner"),
        drawn("middle", call("inner")),
        drawn("outer", call("middle")),
    ):
        file = tw.project / f"{document['name']}.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        assert tw("workflows", "save", file.name).code == 0
        file.unlink()
    return "outer"


@pytest.mark.parametrize("has_studio", [False, True])
@pytest.mark.parametrize("workflow", ["inner", "outer"])
def test_a_question_without_a_time_limit_is_asked_at_the_terminal_at_every_depth(
    tw: Commands, outer: str, workflow: str, has_studio: bool
) -> None:
    def answer() -> None:
        with tw.terminal("run", workflow) as screen:
            screen.wait_for("asks: Which colour?")
            screen.type("Red\n")
            assert screen.end() == 0
            assert '"Red"' in screen.text

    if has_studio:
        with studio_here(tw):
            answer()
    else:
        answer()


def test_the_question_of_a_called_workflow_is_shown_and_answered_by_its_step(
    tw: Commands, outer: str
) -> None:
    shown = tw("run", outer)
    assert "call/call/ask waits for an answer: Which colour?" in shown.err
    runs = tw("runs", "list", "--json").json
    identity = next(one["id"] for one in runs if one["workflow"] == outer)
    assert "call/call/ask waits for an answer: Which colour?" in tw("runs", "show", identity).out
    reply = ("--reply", '{"answer": "Red"}', "--json")
    assert tw("runs", "answer", identity, "call/call/ask", *reply).json["status"] == "success"


@pytest.mark.parametrize("command", ["runs", "inbox"])
def test_an_answer_from_another_command_reaches_the_call_that_asks(
    tw: Commands, booked: Path, command: str
) -> None:
    process = tw.process("run", booked.name)
    assert process.stderr is not None

    def answer(options: str, reply: str, *given: str) -> None:
        """Answer as the next printed command says, or by the run and the step."""
        assert process.stderr is not None
        while b"answers it." not in (line := process.stderr.readline()):
            assert line, "it ended"
        found = re.search(r"`toolweave inbox answer (\w+) (.*) answers it", line.decode())
        assert found is not None, line
        assert found[2] == options
        if command == "runs":
            tw.ok("runs", "answer", "last", "t", "--reply", reply)
        else:
            tw.ok("inbox", "answer", found[1], *given)

    try:
        answer("--approve` or `--decline`", '{"answer": "confirmed"}', "--approve")
        answer("--set days=…`", '{"days": 3}', "--set", "days=3")
        said, told = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, told
    assert json.loads(said) == {"action": "accept", "content": {"days": 3}}
