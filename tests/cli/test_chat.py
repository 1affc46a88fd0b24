"""`toolweave chat` and `toolweave node freeze`, with a real server and a scripted model."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands
from tests.cli.test_models import NO_OTHERS, add

from toolweave.testing.model import ScriptedModel, calls, fails, says
from toolweave.testing.server import ScriptedServer, a_tool, answers


@pytest.fixture
def model() -> Generator[ScriptedModel]:
    with ScriptedModel().running() as running:
        yield running


@pytest.fixture
def server(tw: Commands, model: ScriptedModel, tmp_path: Path) -> ScriptedServer:
    server = ScriptedServer(tmp_path / "s", a_tool("copy"))
    tw.add("mine", server)
    add(tw, model)
    return server


def test_a_message_is_answered_once_and_its_calls_are_shown(
    tw: Commands, model: ScriptedModel, server: ScriptedServer
) -> None:
    model.answers(calls("mine__copy", {"text": "hi"}), says("It says hi."))
    ran = tw.ok("chat", "Copy", "hi.", **NO_OTHERS)
    assert ran.out == "It says hi.\n"
    assert '▸ mine/copy {"text":"hi"}' in ran.err
    assert "20 + 10 tokens" in ran.err
    assert server.heard("tools/call")[-1]["arguments"] == {"text": "hi"}
    model.answers(calls("mine__copy", {"text": "hi"}), says("Yes."))
    lines = tw("chat", "--json", "--server", "mine", input="Again.\n", **NO_OTHERS).lines
    kinds = [json.loads(line)["type"] for line in lines]
    assert [kind for kind in kinds if kind != "text"] == ["call", "result", "answer"]


def test_media_of_a_tool_are_saved_and_links_printed(
    tw: Commands, model: ScriptedModel, server: ScriptedServer
) -> None:
    image = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
    link = {"type": "resource_link", "uri": "https://a.test/b", "name": "b"}
    server.on_call("copy", [answers({"content": [image, link]})])
    model.answers(calls("mine__copy", {"text": "hi"}), says("Done."))
    ran = tw.ok("chat", "Draw.", **NO_OTHERS)
    assert "saved " in ran.err
    assert "https://a.test/b" in ran.err
    assert (tw.project / "mine__copy-1.png").read_bytes() == b"hello"
    assert ran.out == "Done.\n"


def test_what_goes_wrong_in_a_chat_is_told(tw: Commands, model: ScriptedModel) -> None:
    none = tw("chat", "Hello.", **NO_OTHERS)
    assert (none.code, "[MODEL_NEEDED]" in none.err) == (1, True)
    add(tw, model)
    model.answers(fails(400, "no"))
    assert "[MODEL_REFUSED]" in tw("chat", "Hello.", **NO_OTHERS).err
    assert "[MCP_SERVER_NOT_FOUND]" in tw("chat", "Hi.", "--server", "x", **NO_OTHERS).err
    assert tw("chat", **NO_OTHERS).code == 2


def test_what_a_model_chose_is_frozen_into_the_file(
    tw: Commands, model: ScriptedModel, server: ScriptedServer
) -> None:
    config = {"description": "Copy the word hi.", "timestamp": "2026-01-01T00:00:00.000Z"}
    data: dict[str, Any] = {"mode": "naturalLanguageParam", "serverId": "mine", "toolName": "copy"}
    data |= {"naturalLanguageParamConfig": config, "outputPorts": 1, "validationStatus": "valid"}
    data |= {"toolDescription": "", "parameters": [], "parameterValues": {}}
    flow: dict[str, Any] = {
        "id": "f",
        "name": "f",
        "version": "1.0.0",
        "nodes": [
            {"id": "s", "type": "start", "name": "S", "data": {}},
            {"id": "n", "type": "mcp", "name": "N", "data": data},
            {"id": "e", "type": "end", "name": "E", "data": {}},
        ],
        "connections": [
            {"id": "a", "from": "s", "to": "n"},
            {"id": "b", "from": "n", "to": "e"},
        ],
    }
    file = tw.project / "f.json"
    file.write_text(json.dumps(flow), encoding="utf-8")
    model.answers(calls("copy", {"text": "hi"}))
    lines = tw.ok("run", "f.json", "--json", **NO_OTHERS).lines
    run = json.loads(lines[-1])["runId"]
    frozen = tw.ok("node", "freeze", run, "n", "f.json", "--json", **NO_OTHERS).json
    assert frozen["calls"] == [{"tool": "copy", "arguments": {"text": "hi"}}]
    written = json.loads(file.read_text(encoding="utf-8"))["nodes"][1]["data"]
    assert (written["mode"], written["parameterValues"]) == ("detailed", {"text": "hi"})
    asked = len(model.heard)
    tw.ok("run", "f.json", "--json", **NO_OTHERS)
    assert (len(model.heard), len(server.heard("tools/call"))) == (asked, 2)
    again = tw("node", "freeze", run, "n", "f.json", **NO_OTHERS)
    assert "[FREEZE_IMPOSSIBLE]" in again.err


@pytest.mark.requirement("002:AIToolContext.sectionBinding", "002:AIToolContext.tools")
def test_a_chat_in_a_section_has_only_the_tools_of_its_server(
    tw: Commands, model: ScriptedModel, server: ScriptedServer, tmp_path: Path
) -> None:
    tw.add("other", ScriptedServer(tmp_path / "o", a_tool("else")))
    front = "---\ntoolweave:\n  bindings:\n    - {heading: Bound, server: other}\n---\n"
    path = tw.project / "notes.md"
    path.write_text(f"{front}# Free\n\nAbout cats.\n\n# Bound\n\nAbout dogs.\n", "utf-8")

    def offered(*options: str) -> tuple[set[str], str]:
        model.answers(says("Yes."))
        tw.ok("chat", "Hi.", "--doc", "notes.md", *options, **NO_OTHERS)
        request = model.heard[-1].body
        tools = request.get("tools", [])
        names = {one.get("name") or one["function"]["name"] for one in tools}
        return names, json.dumps(request)

    bound, asked = offered("--heading", "Bound")
    assert bound == {"other__else"}
    assert ("dogs" in asked, "cats" in asked) == (True, False)
    free, asked = offered("--heading", "# Free")
    assert free == {"mine__copy", "other__else"}
    assert ("dogs" in asked, "cats" in asked) == (False, True)
    path.write_text(front.replace("server", "sever") + "# Bound\n", "utf-8")
    broken = tw("chat", "Hi.", "--doc", "notes.md", "--heading", "Bound", **NO_OTHERS)
    assert (broken.code, "[DOCUMENT_BINDING_UNRESOLVED]" in broken.err) == (1, True)
    missing = tw("chat", "Hi.", "--doc", "notes.md", "--heading", "Bund", **NO_OTHERS)
    assert (missing.code, "[DOCUMENT_SECTION_NOT_FOUND]" in missing.err) == (1, True)
    assert tw("chat", "Hi.", "--heading", "Bound", **NO_OTHERS).code == 2


@pytest.mark.requirement("002:way.ai.limits", "002:ExecutionTracker.canExecute.session-limit")
def test_a_turn_ends_at_the_session_limit(
    tw: Commands, model: ScriptedModel, server: ScriptedServer
) -> None:
    model.answers(*(calls("mine__copy", {"text": str(n)}) for n in range(6)), says("Done."))
    before = len(model.heard)
    ran = tw("chat", "Copy.", TOOLWEAVE_CALLS_PER_SESSION="2", **NO_OTHERS)
    assert (ran.code, "[CALL_SESSION_LIMIT]" in ran.err) == (1, True)
    assert len(server.heard("tools/call")) == 2
    assert len(model.heard) - before == 3
