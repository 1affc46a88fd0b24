"""`toolweave doc` with runbooks: broken bindings, reserved names, edits during a run, order."""

import json
import sys
from pathlib import Path

import pytest
from tests.cli import editor_server
from tests.cli.driving import Commands

from toolweave.testing.server import ScriptedServer, a_tool, says

BLOCK = "```tool\ntool: echo\n```\n"


@pytest.fixture
def server(tw: Commands, tmp_path: Path) -> ScriptedServer:
    server = ScriptedServer(tmp_path / "s", a_tool("echo"), a_tool("shout"))
    tw.add("mine", server)
    return server


def write(tw: Commands, text: str) -> Path:
    path = tw.project / "notes.md"
    path.write_text(text, encoding="utf-8")
    return path


def calls(server: ScriptedServer) -> int:
    return len(server.heard("tools/call"))


def front(lines: str) -> str:
    return f"---\ntoolweave:\n  bindings:\n{lines}---\n# Tools\n\n{BLOCK}"


@pytest.mark.requirement("002:SectionBinding.serverId", "002:SectionBinding.default")
@pytest.mark.parametrize(
    "text",
    [
        front("    - heading: Tools\n      sever: mine\n"),
        front('    - heading: "Tools\n      server: mine\n'),
        front("    - heading: Gone\n      server: mine\n"),
        front("    heading: Tools\n    server: mine\n"),
        front("").replace("bindings:\n", "binding:\n    - {heading: Tools, server: mine}\n"),
        front("    - heading: Tools\n      server: mine\n").replace("---\n# Tools", "# Tools"),
    ],
    ids=["misspelt", "unclosed", "gone", "not-a-list", "unknown-key", "no-end"],
)
def test_a_broken_binding_stops_its_blocks_and_says_why(
    tw: Commands, server: ScriptedServer, text: str
) -> None:
    path = write(tw, text)
    ran = tw("doc", "run", "notes.md")
    assert ran.code == 1
    assert "[DOCUMENT_BINDING_UNRESOLVED]" in ran.err
    assert (calls(server), path.read_text(encoding="utf-8")) == (0, text)
    checked = tw("doc", "check", "notes.md")
    assert (checked.code, "DOCUMENT_BINDING_UNRESOLVED" in checked.out) == (1, True)
    # A block that names its server does not depend on the binding.
    write(tw, text.replace("```tool", "```mine"))
    tw("doc", "run", "notes.md")
    assert calls(server) == 1


@pytest.mark.requirement("002:SectionBinding.override")
def test_a_broken_binding_of_a_nested_section_does_not_fall_back_to_the_outer_one(
    tw: Commands, server: ScriptedServer
) -> None:
    write(
        tw,
        "---\ntoolweave:\n  bindings:\n    - {heading: Outer, server: mine}\n"
        f"    - {{heading: Inner, sever: other}}\n---\n# Outer\n\n{BLOCK}\n## Inner\n\n{BLOCK}",
    )
    ran = tw("doc", "run", "notes.md")
    assert (ran.code, calls(server)) == (1, 1)
    assert "line 15" in ran.err


@pytest.mark.parametrize("name", ["tool", "workflow", "Tool"])
def test_names_of_generic_blocks_are_reserved(tw: Commands, name: str) -> None:
    refused = tw("servers", "add", name, "--", "true")
    assert refused.code != 0
    assert "SERVER_NAME_RESERVED" in refused.err
    (tw.project / "servers.json").write_text(
        f'{{"mcpServers": {{"{name}": {{"command": "true"}}, "fine": {{"command": "true"}}}}}}',
        encoding="utf-8",
    )
    pasted = tw("servers", "add", "--from", "servers.json")
    assert "SERVER_NAME_RESERVED" in pasted.out + pasted.err
    assert name not in [one["name"] for one in tw.ok("servers", "list", "--json").json]


def test_a_discovered_server_with_a_reserved_name_is_imported_under_another(tw: Commands) -> None:
    (tw.project / ".mcp.json").write_text(
        '{"mcpServers": {"tool": {"command": "true"}}}', encoding="utf-8"
    )
    tw.ok("servers", "discover", "--import")
    names = [one["name"] for one in tw.ok("servers", "list", "--json").json]
    assert len(names) == 1
    assert names[0].startswith("tool-")


@pytest.mark.requirement("002:way.user.render")
def test_a_tool_call_callout_of_the_older_system_is_a_result(
    tw: Commands, server: ScriptedServer
) -> None:
    callout = "> [!tool]- Tool Call (mine: echo)\n> ```mine\n> tool: echo\n> ```\n> Done.\n"
    text = f"# Notes\n\n{callout}\n{BLOCK}{callout}\n"
    path = write(tw, text)
    (checked,) = tw.ok("doc", "check", "notes.md", "--json").json
    assert [(one["line"], one["state"]) for one in checked["blocks"]] == [(9, "done")]
    tw.ok("doc", "run", "notes.md")
    assert (calls(server), path.read_text(encoding="utf-8")) == (0, text)
    # The same quote without the mark is a block.
    write(tw, text.replace("[!tool]- Tool Call", "[!note]"))
    tw.ok("doc", "run", "notes.md")
    assert calls(server) == 3


@pytest.fixture
def editor(tw: Commands) -> Path:
    path = write(tw, "")
    program = [sys.executable, "-I", "-S", str(editor_server.__file__), str(path)]
    tw.ok("servers", "add", "editor", "--", *program)
    tw.ok("servers", "approve", "editor", "--yes")
    return path


def call(tool: str, **arguments: str) -> str:
    lines = "".join(f"{key}: {value}\n" for key, value in arguments.items())
    return f"```editor\ntool: {tool}\n{lines}```\n\n"


@pytest.mark.requirement("002:way.user.render")
def test_blocks_run_in_order_and_each_result_is_written_as_it_arrives(
    tw: Commands, editor: Path
) -> None:
    write(tw, "".join(call("show", n=f"no {n}") for n in range(4)))
    tw.ok("doc", "run", "notes.md")
    written = editor.read_text(encoding="utf-8")
    places = [written.index(f"> {count} results") for count in range(4)]
    assert places == sorted(places)


@pytest.mark.requirement("002:way.user.render", "002:document.parsed-on-demand")
def test_results_go_under_the_blocks_that_did_not_change_while_they_ran(
    tw: Commands, editor: Path
) -> None:
    kept = call("show", n="first")
    grows = call("prepend", text="A line above.")
    changed = call("edit", old='"no: c"', new='"no: d"', no="c")
    last = call("show", n="last")
    write(tw, f"# Top\n\n{kept}{grows}{changed}{last}")
    ran = tw("doc", "run", "notes.md", "--json")
    assert (ran.code, ran.json["ran"]) == (1, 4)
    assert [(one["code"], one["pointer"]) for one in ran.json["problems"]] == [
        ("DOCUMENT_CHANGED", "/lines/13")
    ]
    written = editor.read_text(encoding="utf-8")
    assert written.startswith("A line above.\n\n# Top\n")
    assert written.count("[!success]") == 3
    assert "no: d\n```\n\n```editor\ntool: show\nn: last\n```\n> [!success]" in written
    # Only the changed block is left to run.
    (checked,) = json.loads(tw("doc", "check", "notes.md", "--json").out)
    assert [one["state"] for one in checked["blocks"]] == ["done", "done", "new", "done"]


def test_watching_and_checking_report_everything(tw: Commands, server: ScriptedServer) -> None:
    other = ScriptedServer(tw.home / "o", a_tool("echo"))
    tw.add("other", other)
    tw.ok("servers", "disable", "other")
    write(
        tw,
        "---\ntoolweave:\n  bindings:\n    - {heading: Off, server: other}\n---\n"
        f"```mien\ntool: echo\n```\n\n```yaml\ntool: echo\n```\n\n# Off\n\n{BLOCK}",
    )
    checked = tw("doc", "check", "notes.md", "--json")
    problems = [(one["code"], one["pointer"]) for one in checked.json[0]["problems"]]
    assert problems == [("DOCUMENT_SERVER_UNKNOWN", "/lines/6"), ("SERVER_DISABLED", "/lines/16")]
    assert checked.code == 1
    ran = tw("doc", "run", "notes.md")
    assert ran.code == 1
    assert "line 6: no server is called 'mien'" in ran.err
    assert "did you mean 'mine'?" in ran.err


def test_a_watched_document_reports_an_invalid_block(tw: Commands, server: ScriptedServer) -> None:
    path = write(tw, "```mine\ntool: echo\n```\n")
    with tw.process("doc", "run", "notes.md", "--watch") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"notes.md: 1 run\n"
        assert process.stderr.readline().startswith(b"Watching.")
        text = path.read_text(encoding="utf-8")
        path.write_text(text + "\n```mine\ntool: echo\ntext: &a b\n```\n", encoding="utf-8")
        assert process.stdout.readline() == b"notes.md: 0 run, 1 skipped, 1 invalid\n"
        assert b"DOCUMENT_PARAMETERS_INVALID" in process.stderr.readline()
        process.send_signal(2)
        process.communicate(timeout=30)
    assert process.returncode == 0


def test_blocks_run_side_by_side_on_request(tw: Commands, server: ScriptedServer) -> None:
    server.on_call("echo", [says("ok")])
    write(tw, "".join(f"```mine\ntool: echo\ntext: n{n}\n```\n\n" for n in range(5)))
    assert tw.ok("doc", "run", "notes.md", "--parallel", "3").out == "notes.md: 5 run\n"
    assert tw("doc", "run", "notes.md", "--parallel", "0").code == 2
