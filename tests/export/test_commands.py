"""`toolweave export` and `toolweave import` from the command line."""

import json
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.conftest import tw
from tests.cli.driving import Commands
from tests.export.speaking import a_node, a_workflow
from tests.workflow.sample_files import FOLDER

from rest.drawn import drawn
from toolweave.cli.mcp_config import merged_config
from toolweave.export.inputs import input_lines
from toolweave.export.mcp_section import tool_names
from toolweave.export.target_terms import CLAUDE
from toolweave.json_text import JsonObject
from toolweave.servers.definition import CommandServer, Server, ServerId
from toolweave.workflow.formats.load import dump, load, read

__all__ = ["tw"]

SAMPLE = str(FOLDER / "ccwf" / "all-node-types.json")
AT = datetime(2026, 1, 1, tzinfo=UTC)
ENTRY = ".claude/skills/release-notes/SKILL.md"


def test_a_workflow_is_exported_and_imported_again(tw: Commands) -> None:
    ran = tw.ok("export", SAMPLE, "--to", "claude-skill")
    assert ran.lines[0] == f"wrote {ENTRY}"
    assert (tw.project / ENTRY).is_file()
    again = tw.ok("export", SAMPLE, "--to", "claude-skill")
    assert again.lines[0] == f"unchanged {ENTRY}"
    text = tw.ok("import", ".").out
    assert load(text).workflow == load(Path(SAMPLE).read_text(encoding="utf-8")).workflow
    assert tw.ok("import", ENTRY).out == text


def test_inputs_and_tools_of_a_workflow_are_named_for_claude_code(tw: Commands) -> None:
    schema = {
        "type": "object",
        "properties": {
            "days": {"type": "integer"},
            "city": {"type": "string", "description": "A."},
        },
        "required": ["city"],
    }
    call: JsonObject = {"serverId": "my demo", "toolName": "weather", "mode": "detailed"}
    document = a_workflow(a_node("start", {}), a_node("mcp", call), name="trip")
    text = dump(replace(document, extras={"inputSchema": schema}), "toolweave")
    (tw.project / "trip.json").write_text(text, encoding="utf-8")
    tw.ok("workflows", "save", "trip.json")
    (tw.project / "trip.json").unlink()

    for target, path in (
        ("claude-skill", ".claude/skills/trip/SKILL.md"),
        ("claude-command", ".claude/commands/trip.md"),
    ):
        tw.ok("export", "trip", "--to", target)
        written = (tw.project / path).read_text(encoding="utf-8")
        assert "allowed-tools: mcp__my_demo__weather\n" in written
        assert 'argument-hint: "<city> [days]"\n' in written
        assert "- `city` (string, required): A.\n- `days` (integer, optional)\n" in written
    other = tw.ok("export", "trip", "--to", "codex", "--dry-run").out
    assert "- `city` (string, required): A." in other
    assert "mcp__" not in other
    assert "'nothing'" in tw("export", "nothing", "--to", "codex").err


def test_a_dry_run_shows_the_difference_and_writes_nothing(tw: Commands) -> None:
    ran = tw.ok("export", SAMPLE, "--to", "roo", "--dry-run")
    assert ran.lines[:2] == ["--- /dev/null", "+++ b/.roo/skills/release-notes/SKILL.md"]
    assert list(tw.project.iterdir()) == []
    found = tw.ok("export", SAMPLE, "--to", "roo", "--dry-run", "--json").json
    assert (found["written"], found["files"][0]["state"]) == (False, "new")
    assert list(tw.project.iterdir()) == []


def test_a_check_says_what_is_lacking_and_writes_nothing(tw: Commands) -> None:
    ran = tw.ok("export", SAMPLE, "--to", "codex", "--check")
    assert "/slashCommandOptions/hooks: Codex CLI has no option 'hooks'" in ran.err
    assert tw.ok("export", SAMPLE, "--to", "claude-skill", "--check").lines == [
        "Nothing is lost for 'claude-skill'."
    ]
    found = tw.ok("export", SAMPLE, "--to", "codex", "--check", "--json").json
    assert {problem["code"] for problem in found["problems"]} == {"EXPORT_FEATURE_LACKING"}
    assert list(tw.project.iterdir()) == []


def test_problems_point_into_the_file_that_was_given(tw: Commands) -> None:
    sample = json.loads(Path(SAMPLE).read_text(encoding="utf-8"))
    wrapped = json.dumps({"meta": {}, "workflow": sample})
    (tw.project / "w.json").write_text(wrapped, encoding="utf-8")
    found = tw.ok("export", "w.json", "--to", "codex", "--check", "--json").json
    assert "/workflow/nodes/3" in [problem["pointer"] for problem in found["problems"]]


def test_a_file_of_somebody_else_is_refused_with_1_and_overwritten_by_force(tw: Commands) -> None:
    (tw.project / ENTRY).parent.mkdir(parents=True)
    (tw.project / ENTRY).write_text("mine", encoding="utf-8")
    ran = tw("export", SAMPLE, "--to", "claude-skill")
    assert (ran.code, ran.out) == (1, "")
    assert "EXPORT_REFUSED" in ran.err
    found = tw("export", SAMPLE, "--to", "claude-skill", "--json")
    assert found.code == 1
    assert found.json["error"]["facts"]["problems"][0]["code"] == "EXPORT_FILE_FOREIGN"
    assert (tw.project / ENTRY).read_text(encoding="utf-8") == "mine"
    tw.ok("export", SAMPLE, "--to", "claude-skill", "--force")
    assert (tw.project / ENTRY).read_text(encoding="utf-8") != "mine"


def test_standard_input_is_a_file_too(tw: Commands) -> None:
    text = Path(SAMPLE).read_bytes()
    ran = tw("export", "-", "--to", "mermaid", "--out", "drawn", input=text)
    assert (ran.code, ran.lines) == (0, ["wrote release-notes.mmd"])
    assert (tw.project / "drawn" / "release-notes.mmd").is_file()


@pytest.mark.parametrize("text", ["", "hello", "[1, 2]", '{"nodes": 3}', '{"a": 1, "a": 2}'])
def test_what_is_no_workflow_is_refused_with_its_problems(tw: Commands, text: str) -> None:
    ran = tw("export", "-", "--to", "mermaid", "--json", input=text)
    assert ran.code == 1
    error = ran.json["error"]
    assert error["code"] == error["problems"][0]["code"]
    assert list(tw.project.iterdir()) == []


@pytest.mark.parametrize(
    "wrong",
    [
        *(
            ("export", SAMPLE),
            ("export", SAMPLE, "--to", "python"),
            ("export", "gone.json", "--to", "roo"),
        ),
        *(("import",), ("import", ".", "--out", "a", "--save", "b")),
    ],
)
def test_wrong_use_is_2(tw: Commands, wrong: tuple[str, ...]) -> None:
    assert tw(*wrong).code == 2


def test_an_import_goes_to_a_new_file_or_among_the_workflows(tw: Commands) -> None:
    tw.ok("export", SAMPLE, "--to", "claude-skill")
    tw.ok("import", ENTRY, "--out", "again.json")
    written = (tw.project / "again.json").read_text(encoding="utf-8")
    assert load(written).workflow == load(Path(SAMPLE).read_text(encoding="utf-8")).workflow
    assert tw("import", ENTRY, "--out", "again.json").code == 1
    saved = tw.ok("import", ENTRY, "--save", "Notes again", "--json").json
    assert saved["saved"] == "Notes again"
    kept = (tw.state / "workflows" / "notes-again.json").read_text(encoding="utf-8")
    assert load(kept).workflow.name == "Notes again"
    assert "WORKFLOW_NAME_TAKEN" in tw("import", ENTRY, "--save", "Notes again").err


def test_an_import_of_something_else_fails_with_1(tw: Commands) -> None:
    (tw.project / "own.md").write_text("# Mine", encoding="utf-8")
    ran = tw("import", "own.md", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (1, "EXPORT_NOT_OURS")
    assert tw("import", "gone.md").code == 1


def test_an_edited_export_is_imported_with_a_warning(tw: Commands) -> None:
    tw.ok("export", SAMPLE, "--to", "gemini")
    path = tw.project / ".gemini/skills/release-notes/SKILL.md"
    path.write_text(path.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
    ran = tw.ok("import", str(path), "--out", "x.json")
    assert "EXPORT_EDITED" in ran.err
    found = tw.ok("import", str(path), "--json").json
    assert [problem["code"] for problem in found["problems"]] == ["EXPORT_EDITED"]
    assert found["workflow"]["name"] == "release-notes"


def test_a_check_fails_for_an_export_that_is_out_of_date(tw: Commands, tmp_path: Path) -> None:
    document = drawn(
        "talk", {"id": "say", "type": "prompt", "name": "Say", "data": {"prompt": "A"}}
    )
    file = tmp_path / "talk.json"
    out = ("--to", "claude-skill", "--out", str(tmp_path))
    file.write_text(json.dumps(document), encoding="utf-8")
    tw.ok("export", str(file), *out, "--check")
    tw.ok("export", str(file), *out)
    tw.ok("export", str(file), *out, "--check")
    document["nodes"][1]["data"]["prompt"] = "B"
    file.write_text(json.dumps(document), encoding="utf-8")
    ran = tw("export", str(file), *out, "--check", "--json")
    assert ran.code == 1
    assert [one["code"] for one in ran.json["problems"]] == ["EXPORT_STALE"]
    assert "B" not in (tmp_path / ".claude/skills/talk/SKILL.md").read_text(encoding="utf-8")


def test_allowed_values_and_defaults_of_inputs_are_named() -> None:
    schema: JsonObject = {
        "properties": {
            "lang": {"type": "string", "enum": ["de", "en"], "default": "en"},
            "days": {"type": "integer", "description": "How <b>many</b>"},
        }
    }
    workflow = read(drawn("talk")).workflow
    lines = list(input_lines(replace(workflow, extras={"inputSchema": schema})))
    assert lines == [
        "`lang` (string, optional): One of `de`, `en`. Default: `en`.",
        "`days` (integer, optional): How &lt;b>many&lt;/b>",
    ]


def test_tools_of_catalog_nodes_are_allowed_too() -> None:
    node = {"id": "w", "type": "TOOL", "name": "W", "data": {"subtype": "MCP:demo/get.weather"}}
    workflow = read(drawn("live", node)).workflow
    assert tool_names(workflow, CLAUDE) == ["mcp__demo__get_weather"]


def test_the_servers_file_of_a_project_has_no_path_of_this_machine() -> None:
    home = str(Path.home())
    own = CommandServer(command=sys.executable, args=("-m", "toolweave.cli.main", "demo-server"))
    other = CommandServer(command=f"{home}/bin/x", args=(f"{home}/data", f"{home}2/data"))
    servers = [
        Server(id=ServerId("a"), name="demo", definition=own, created_at=AT),
        Server(id=ServerId("b"), name="x", definition=other, created_at=AT),
    ]
    written = json.loads(merged_config("", servers))["mcpServers"]
    assert written["demo"] == {"command": "toolweave", "args": ["demo-server"]}
    assert written["x"] == {"command": "${HOME}/bin/x", "args": ["${HOME}/data", f"{home}2/data"]}
