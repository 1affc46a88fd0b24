"""A server repeats a secret everywhere it can: in its tools, its questions and its answers."""

from pathlib import Path
from typing import Any

import pytest
from tests.security.controls import Control

from servers.rooms import a_studio, approved
from toolweave.access.mask import MASK, Masker
from toolweave.servers.approval import list_current_tools, pin_tools
from toolweave.testing.server import ScriptedServer, a_tool, answers, asks
from toolweave.tools.elicitation import ElicitationAnswer, ElicitationQuestion
from toolweave.tools.tool import ToolCall

pytestmark = pytest.mark.anyio

SECRET = "planted-7919<&>Xy-00812"


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        SECRET.encode().hex(),
        SECRET.encode().hex().upper(),
        "planted-7919&lt;&amp;&gt;Xy-00812",
        "planted-7919%3C%26%3EXy-00812",
    ],
)
def test_a_secret_is_found_in_its_usual_spellings(form: str, control: Control) -> None:
    masker = Masker([SECRET])
    control("another text stays", masker.hide_text("planted-7918<&>") == "planted-7918<&>")
    assert masker.hide_text(f"a{form}b") == f"a{MASK}b"


async def test_tools_questions_and_results_have_no_secret_of_their_server(
    tmp_path: Path, control: Control
) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "title": f"K {SECRET}"}}}
    tool = a_tool("tell", description=f"I know {SECRET}.", inputSchema=schema)
    greeting: dict[str, Any] = {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "gossip", "version": "1"},
        "instructions": f"I was given {SECRET}.",
    }
    server = ScriptedServer(tmp_path / "server", tool, results={"initialize": greeting})
    form = {"type": "object", "properties": {"x": {"type": "string", "title": f"is {SECRET}"}}}
    block = {"uri": f"x://{SECRET}", "mimeType": f"text/plain; k={SECRET}", "text": SECRET}
    content = [{"type": "resource", "resource": block}]
    result = {"content": content, "structuredContent": {SECRET: 1}}
    server.on_call("tell", [asks(f"May {SECRET}?", requestedSchema=form), answers(result)])
    asked: list[ElicitationQuestion] = []

    async def answer(question: ElicitationQuestion) -> ElicitationAnswer:
        asked.append(question)
        return ElicitationAnswer("accept", {"x": "yes"})

    async with a_studio(tmp_path / "home") as studio:
        await studio.home.vault.put("key", SECRET)
        definition = server.definition.model_copy(update={"env": {"KEY": "${vault:key}"}})
        await approved(studio, "gossip", definition)
        listed = await list_current_tools(studio.gate, "gossip")
        pin_tools(studio.home.lockfile, "gossip", listed)
        told = await studio.gate.call(ToolCall("gossip", "tell", {}), asker=answer)
    lockfile = (tmp_path / "home" / "toolweave.lock.json").read_text(encoding="utf-8")
    for name, text in {
        "tools": str(listed),
        "lockfile": lockfile,
        "questions": str(asked),
        "results": str(told),
    }.items():
        control(f"a mask stands in {name}", MASK in text)
        assert SECRET not in text, name
