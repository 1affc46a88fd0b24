"""Resources and prompts of a server, by commands."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands
from tests.cli.test_run import lines_of, save
from tests.servers.offering import PIXEL, an_offering_server

from toolweave.testing.server import Era, ScriptedServer


@pytest.fixture(params=["legacy", "modern"])
def notes(request: pytest.FixtureRequest, tw: Commands, tmp_path: Path) -> ScriptedServer:
    era: Era = request.param
    server = an_offering_server(tmp_path / "server", era)
    definition = server.definition
    tw.ok("servers", "add", "notes", "--", definition.command, *definition.args)
    tw.ok("servers", "approve", "notes", "--yes")
    return server


def test_resources_and_templates_are_listed_and_read(tw: Commands, notes: ScriptedServer) -> None:
    listed = tw.ok("servers", "resources", "notes").out
    assert "notes://today" in listed
    assert "notes://day/{date}" in listed
    assert tw.ok("servers", "resources", "notes", "--read", "notes://today").out == "Buy bread.\n"
    read = tw.ok("servers", "resources", "notes", "--read", "notes://logo", "--json").json
    assert [block["mimeType"] for block in read["content"]] == ["image/png"]
    day = tw.ok(
        *("servers", "resources", "notes", "--read", "notes://day/{date}", "--set", "date=a b")
    )
    assert day.out == "read notes://day/a%20b\n"


@pytest.mark.parametrize("code", [-32002, -32602])
def test_a_missing_resource_is_not_found(tw: Commands, notes: ScriptedServer, code: int) -> None:
    notes.change(missing=code)
    ran = tw("servers", "resources", "notes", "--read", "notes://nowhere")
    assert ran.code == 1
    assert "MCP_RESOURCE_NOT_FOUND" in ran.err


def test_prompts_are_listed_and_filled(tw: Commands, notes: ScriptedServer) -> None:
    listed = tw.ok("servers", "prompts", "notes").out
    assert "summarize" in listed
    assert "* text" in listed
    filled = tw.ok("servers", "prompts", "notes", "--get", "summarize", "--set", "text=Moby Dick")
    assert "Summarize: Moby Dick" in filled.out
    refused = tw("servers", "prompts", "notes", "--get", "summarize")
    assert refused.code == 1
    assert "MCP_PROMPT_REFUSED" in refused.err


def test_arguments_are_completed_only_by_servers_that_can(
    tw: Commands, notes: ScriptedServer
) -> None:
    complete = ("servers", "prompts", "notes", "--get", "summarize", "--complete", "language=G")
    assert tw.ok(*complete).lines == ["German", "Greek"]
    template = ("servers", "resources", "notes", "--read", "notes://day/{date}")
    assert tw.ok(*template, "--complete", "date=").lines == ["2026-11-17"]
    notes.change(capabilities={"tools": {}, "prompts": {}})
    before = len(notes.heard("completion/complete"))
    assert tw.ok(*complete).lines == []
    assert len(notes.heard("completion/complete")) == before


def test_a_completion_has_at_most_a_hundred_values(tw: Commands, notes: ScriptedServer) -> None:
    notes.change(completions={"language": [f"l{number}" for number in range(150)]})
    found = tw.ok("servers", "prompts", "notes", "--get", "summarize", "--complete", "language=l")
    assert len(found.lines) == 100


def test_a_resource_over_the_size_limit_is_refused(tw: Commands, notes: ScriptedServer) -> None:
    read = ("servers", "resources", "notes", "--read", "notes://today")
    assert tw.ok(*read, TOOLWEAVE_OUTPUT_BYTES="100000").out == "Buy bread.\n"
    large = {"uri": "notes://today", "text": "x" * 300_000}
    notes.change(resources=[{"uri": "notes://today", "name": "today", "contents": [large]}])
    refused = tw(*read, TOOLWEAVE_OUTPUT_BYTES="100000")
    assert refused.code == 1
    assert "SERVER_RESPONSE_TOO_LARGE" in refused.err


def test_reading_is_a_call_in_the_history_and_stops_with_the_approval(
    tw: Commands, notes: ScriptedServer
) -> None:
    tw.ok("servers", "resources", "notes", "--read", "notes://today")
    calls = tw.ok("calls", "list", "--json").json
    assert "resources/read notes://today" in [call["tool"] for call in calls]
    tw.ok("servers", "disable", "notes")
    refused = tw("servers", "resources", "notes", "--read", "notes://today")
    assert "SERVER_DISABLED" in refused.err


def test_a_server_without_resources_has_none(tw: Commands, notes: ScriptedServer) -> None:
    notes.change(refuses=["resources/list", "resources/templates/list", "resources/read"])
    assert "no resources" in tw.ok("servers", "resources", "notes").out
    refused = tw("servers", "resources", "notes", "--read", "notes://today")
    assert "MCP_METHOD_NOT_FOUND" in refused.err


def flow(tw: Commands, uri: str, **configurations: object) -> str:
    nodes: dict[str, Any] = {
        "start": "start",
        "note": node("RESOURCE", server="notes", uri=uri, **configurations),
        "ask": node(
            "PROMPT", server="notes", prompt="summarize", arguments={"text": "{{ note.text }}"}
        ),
        "end": "end",
    }
    return save(tw, nodes, ["start > note", "note > ask", "ask > end"])


def node(subtype: str, **configurations: object) -> tuple[str, dict[str, object]]:
    return ("MCP", {"subtype": subtype, "configurations": configurations})


def test_a_workflow_reads_a_resource_and_fills_in_a_prompt(
    tw: Commands, notes: ScriptedServer
) -> None:
    result = lines_of(tw.ok("run", flow(tw, "notes://today"), "--json"))[-1]["finalResult"]
    assert result["text"] == "Summarize: Buy bread.\nYes."
    (run,) = tw.ok("runs", "list", "--json").json
    calls = tw.ok("calls", "list", "--json").json
    assert [call["tool"] for call in calls if call["source"] == "workflow"] == [
        "prompts/get summarize",
        "resources/read notes://today",
    ]
    assert run["status"] == "success"


def test_what_a_resource_or_a_prompt_holds_is_the_result_of_a_workflow(
    tw: Commands, notes: ScriptedServer
) -> None:
    def result_of(step: tuple[str, dict[str, object]]) -> dict[str, Any]:
        file = save(tw, {"start": "start", "one": step, "end": "end"}, ["start > one", "one > end"])
        return lines_of(tw.ok("run", file, "--json"))[-1]["finalResult"]

    today = result_of(node("RESOURCE", server="notes", uri="notes://today"))
    assert (today["text"], "content" in today) == ("Buy bread.", False)
    logo = result_of(node("RESOURCE", server="notes", uri="notes://logo"))
    assert logo["data"] == PIXEL
    assert [(one["type"], one["data"]) for one in logo["content"]] == [("resource", PIXEL)]
    prompt = result_of(node("PROMPT", server="notes", prompt="compare"))
    assert [(one["role"], one["text"]) for one in prompt["messages"]] == [
        ("assistant", "Compare this."),
        ("user", None),
    ]
    assert [one["type"] for one in prompt["content"]] == ["text", "image"]


def test_a_step_refuses_a_missing_resource_and_a_large_one(
    tw: Commands, notes: ScriptedServer
) -> None:
    def code_of(uri: str, **configurations: object) -> str:
        ran = tw("run", flow(tw, uri, **configurations), "--json")
        assert ran.code == 1, ran
        return lines_of(ran)[-1]["error"]["code"]

    assert code_of("notes://nowhere") == "MCP_RESOURCE_NOT_FOUND"
    assert code_of("notes://today", max_bytes=3) == "FILE_TOO_LARGE"


def test_the_check_refuses_an_address_without_a_scheme_or_a_value(
    tw: Commands, notes: ScriptedServer
) -> None:
    day = {"date": "today"}
    for right in (flow(tw, "notes://today"), flow(tw, "notes://day/{date}", variables=day)):
        assert tw("validate", right).code == 0
    for wrong in ("today", "notes://day/{date}"):
        refused = tw("validate", flow(tw, wrong), "--json")
        codes = [problem["code"] for problem in refused.json["problems"]]
        assert (refused.code, "NODE_INPUT_INVALID" in codes) == (1, True)


def test_a_document_reads_resources_and_prompts(tw: Commands, notes: ScriptedServer) -> None:
    page = tw.project / "page.md"
    page.write_text(
        "```notes\nresource: notes://day/{date}\ndate: 2026-11-17\n```\n\n"
        "```notes\nprompt: summarize\ntext: Moby Dick\n```\n\n"
        "```notes\nprompt: compare\n```\n",
        encoding="utf-8",
    )
    tw.ok("doc", "run", "page.md")
    written = page.read_text(encoding="utf-8")
    assert "read notes://day/2026-11-17" in written
    assert written.count("Summarize: Moby Dick") == 1
    assert "> ![image/png](<page.assets/" in written
