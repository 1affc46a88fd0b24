"""`toolweave call`: arguments in, the result out by its content type."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands

from toolweave.testing.server import ScriptedServer, a_tool, answers, reports, says, waits

ADD = {
    "type": "object",
    "properties": {
        "a": {"type": "number"},
        "b": {"type": "number"},
        "to": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
    "required": ["a", "b"],
    "additionalProperties": False,
}
PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


@pytest.fixture
def server(tw: Commands, tmp_path: Path) -> ScriptedServer:
    names = ("echo", "draw", "report", "fail", "slow", "huge")
    tools = [a_tool("add", inputSchema=ADD), *(a_tool(name) for name in names)]
    server = ScriptedServer(tmp_path / "s", *tools)
    tw.add("mine", server)
    return server


def _heard(server: ScriptedServer) -> Any:
    return server.heard("tools/call")[-1]["arguments"]


def test_arguments_are_converted_by_the_schema(tw: Commands, server: ScriptedServer) -> None:
    tw.ok("call", "mine", "add", "--arg", "a=2", "--arg", "b=0.5", "--arg", "to.city=Oslo")
    assert _heard(server) == {"a": 2, "b": 0.5, "to": {"city": "Oslo"}}


def test_arguments_come_as_json_from_a_file_and_from_standard_input(
    tw: Commands, server: ScriptedServer
) -> None:
    tw.ok("call", "mine", "add", "--args", '{"a": 1, "b": 2}')
    assert _heard(server) == {"a": 1, "b": 2}
    (tw.project / "x.json").write_text('{"a": 3, "b": 4}', encoding="utf-8")
    tw.ok("call", "mine", "add", "--args", "@x.json", "--arg", "b=5")
    assert _heard(server) == {"a": 3, "b": 5}
    assert tw("call", "mine", "add", "--args", "-", input='{"a": 6, "b": 7}').code == 0
    assert _heard(server) == {"a": 6, "b": 7}


def test_every_problem_is_named_and_nothing_is_sent(tw: Commands, server: ScriptedServer) -> None:
    ran = tw("call", "mine", "add", "--arg", "a=x", "--arg", "bb=1")
    assert (ran.code, ran.out) == (1, "")
    lines = ran.err.splitlines()
    assert lines[0] == "Error: the arguments of 'add' have 3 problems  [MCP_ARGUMENTS_INVALID]"
    assert "  /a: 'a' is 'x'; expected a number  [MCP_PARAMETER_INVALID_TYPE]" in lines
    assert "  /bb: 'bb' is unknown  [MCP_PARAMETER_UNKNOWN]" in lines
    assert any("/b: 'b' is required" in line for line in lines)
    told = tw("call", "mine", "add", "--args", "{}", "--json").json["error"]
    assert [problem["pointer"] for problem in told["problems"]] == ["/a", "/b"]
    assert server.heard("tools/call") == []


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (("--args", "{"), "not JSON: "),
        (("--args", "[1]"), "expected a JSON object"),
        (("--args", "@nowhere.json"), "'nowhere.json' cannot be read"),
        (("--arg", "a"), "'a' is not in the form NAME=VALUE"),
        (("--arg", "=1"), "'=1' is not in the form NAME=VALUE"),
        (("--timeout", "0"), "--timeout"),
        (("--save-to", "file.txt"), "--save-to"),
    ],
)
def test_arguments_that_are_not_written_right_are_wrong_use(
    tw: Commands, argv: tuple[str, ...], told: str
) -> None:
    (tw.project / "file.txt").touch()
    ran = tw("call", "mine", "add", *argv)
    assert (ran.code, ran.out) == (2, "")
    assert told in " ".join(ran.err.split())


def test_a_server_and_a_tool_must_be_named(tw: Commands) -> None:
    assert tw("call").code == 2
    assert tw("call", "mine").code == 2


@pytest.mark.usefixtures("server")
def test_unknown_tools_fail_with_a_close_name(tw: Commands) -> None:
    ran = tw("call", "mine", "ad", "--arg", "a=1")
    assert ran.code == 1
    assert "[MCP_TOOL_NOT_FOUND]" in ran.err
    assert "Hint: did you mean 'add'?" in ran.err


def test_an_unapproved_server_is_never_started(tw: Commands, tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path / "s")
    tw.add("mine", server, approved=False)
    ran = tw("call", "mine", "echo")
    assert (ran.code, "[SERVER_NOT_APPROVED]" in ran.err) == (1, True)
    assert server.processes == []


@pytest.mark.usefixtures("server")
def test_text_in_json_is_exact_and_yet_harmless(tw: Commands) -> None:
    for text in ("one line", "ends with a line\n", "\x1b[31mred\x1b[0m \u202e"):
        ran = tw.ok("call", "mine", "echo", "--arg", f"text={text}", "--json")
        assert ran.json["content"][0]["text"] == text
        assert "\x1b" not in ran.out


@pytest.mark.parametrize(("text", "printed"), [("a\x1b[31mb", "a\x1b[31mb\n"), ("a\n", "a\n")])
def test_a_pipe_gets_text_exactly_as_the_tool_said_it(
    tw: Commands, server: ScriptedServer, text: str, printed: str
) -> None:
    server.on_call("echo", [says(text)])
    assert tw.ok("call", "mine", "echo").out == printed


def test_structured_content_and_json_text_are_printed_as_json(
    tw: Commands, server: ScriptedServer
) -> None:
    server.on_call("echo", [says("seven", structuredContent={"n": 7, "t": "\u202e"})])
    assert tw.ok("call", "mine", "echo").out == '{\n  "n": 7,\n  "t": "\\u202e"\n}\n'
    server.on_call("add", [says('{"n": [7]}')])
    assert tw.ok("call", "mine", "add", "--args", '{"a": 1, "b": 2}').json == {"n": [7]}


def test_text_and_media_beside_structured_content_are_shown_too(
    tw: Commands, server: ScriptedServer
) -> None:
    note = {"type": "resource", "resource": {"uri": "memo://n", "text": "Take a coat."}}
    image = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
    server.on_call("echo", [says("It rains.", structuredContent={"c": 3})])
    ran = tw.ok("call", "mine", "echo")
    assert (ran.json, ran.err) == ({"c": 3}, "It rains.\n")  # a program still reads one value
    server.on_call("draw", [answers({"content": [note, image], "structuredContent": {"c": 3}})])
    ran = tw.ok("call", "mine", "draw")
    assert (ran.out, ran.err) == ('{\n  "c": 3\n}\nsaved draw-1.png\n', "Take a coat.\n")


def test_markdown_in_a_pipe_stays_markdown(tw: Commands, server: ScriptedServer) -> None:
    server.on_call("report", [says("# Title\n\n- a\n- b\n")])
    assert tw.ok("call", "mine", "report").out == "# Title\n\n- a\n- b\n"


def test_images_and_other_bytes_are_saved_and_never_over_a_file(
    tw: Commands, server: ScriptedServer
) -> None:
    data = base64.b64encode(PNG).decode()
    sound = {"type": "audio", "data": data, "mimeType": "audio/x-none"}
    image = {"type": "image", "data": data, "mimeType": "image/png"}
    server.on_call("draw", [answers({"content": [image, sound]})])
    assert tw.ok("call", "mine", "draw").out == "saved draw-1.png\nsaved draw-1.bin\n"
    assert tw.ok("call", "mine", "draw").lines[0] == "saved draw-2.png"
    assert tw.ok("call", "mine", "draw", "--save-to", "a/b").lines[0] == "saved a/b/draw-1.png"
    assert (tw.project / "a" / "b" / "draw-1.png").read_bytes() == PNG
    told = tw.ok("call", "mine", "draw", "--json").json
    assert (told["contentType"], told["content"][0]["data"]) == ("image", data)
    assert not (tw.project / "draw-3.png").exists()


def test_a_result_that_cannot_be_saved_says_so(tw: Commands, server: ScriptedServer) -> None:
    image = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
    server.on_call("draw", [answers({"content": [image]})])
    (tw.project / "taken").touch()
    ran = tw("call", "mine", "draw", "--save-to", "taken/below")
    assert ran.code == 1
    assert "cannot be saved in 'taken/below'" in ran.err


def test_links_and_resources_are_printed_harmlessly(tw: Commands, server: ScriptedServer) -> None:
    link = {"type": "resource_link", "uri": "file:///x\u202e", "name": "x"}
    text = {"type": "resource", "resource": {"uri": "file:///y", "text": "inside"}}
    server.on_call("echo", [answers({"content": [link, text]})])
    assert tw.ok("call", "mine", "echo").out == "file:///x<U+202E>\ninside\n"


def test_a_tool_that_fails_is_told_on_stderr(tw: Commands, server: ScriptedServer) -> None:
    server.on_call("fail", [says("no such city", isError=True)])
    ran = tw("call", "mine", "fail")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "Error: tool 'fail' failed:\nno such city\n"
    told = tw("call", "mine", "fail", "--json")
    assert (told.code, told.json["isError"]) == (1, True)


def test_an_answer_against_the_tools_own_schema_is_told(tw: Commands, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
    server = ScriptedServer(tmp_path / "s", a_tool("count", outputSchema=schema))
    server.on_call("count", [says("x", structuredContent={"n": "seven"})])
    tw.add("mine", server)
    ran = tw("call", "mine", "count")
    assert "! the result does not match the tool's output schema: /n: " in ran.err
    assert "[MCP_OUTPUT_INVALID]" in ran.err


def test_progress_is_told_line_by_line_and_harmlessly(tw: Commands, server: ScriptedServer) -> None:
    steps = [reports(1, 2, "half\x1b[2J\nway"), reports(2), says("done")]
    server.on_call("slow", steps, steps)
    ran = tw.ok("call", "mine", "slow")
    assert ran.out == "done\n"
    assert ran.err == "1/2 half<U+001B>[2J way\n2 working\n"
    assert tw.ok("call", "mine", "slow", "--json").err == ""


def test_a_deadline_ends_the_call(tw: Commands, server: ScriptedServer) -> None:
    server.on_call("slow", [waits(60)])
    # The server has the same time to start.
    ran = tw("call", "mine", "slow", "--timeout", "5")
    assert (ran.code, "[CALL_TIMEOUT]" in ran.err) == (1, True)


def test_a_server_that_is_not_ready_by_the_deadline_is_reported_as_that(
    tw: Commands, tmp_path: Path
) -> None:
    tw.ok("servers", "add", "mute", "--", "sleep", "60")
    tw("servers", "approve", "mute", "--yes", TOOLWEAVE_CONNECT_DEADLINE_S="0.1")
    for arguments in ((), ("--arg", "n=1")):
        ran = tw("call", "mute", "any", "--timeout", "0.2", *arguments)
        assert (ran.code, "[SERVER_CONNECT_TIMEOUT]" in ran.err) == (1, True)
        assert "the call's deadline of 0.2 s" in ran.err


def test_a_huge_answer_is_printed_whole(tw: Commands, server: ScriptedServer) -> None:
    text = "# Big\n" + "word 日本 \n" * 200_000
    server.on_call("huge", [says(text)])
    assert tw.ok("call", "mine", "huge").out == text


def test_what_the_tool_is_called_reaches_no_path(tw: Commands, tmp_path: Path) -> None:
    name = "../../evil name"
    image = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
    server = ScriptedServer(tmp_path / "s", a_tool(name))
    server.on_call(name, [answers({"content": [image]})])
    tw.add("mine", server)
    assert tw.ok("call", "mine", name).out == "saved ______evil_name-1.png\n"


def test_a_lone_surrogate_in_an_answer_breaks_nothing(tw: Commands, server: ScriptedServer) -> None:
    server.on_call("echo", [says("a\ud800b")])
    ran = tw("call", "mine", "echo")
    assert "INTERNAL" not in ran.err
    told = tw("call", "mine", "echo", "--json")
    assert json.loads(told.out)
    assert "INTERNAL" not in told.out
