"""A failed step is shown alike at every door: REST, the command line and MCP."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from cli.driving import Commands
from rest.drawn import drawn
from rest.house import house_in
from rest.test_authorization import mcp_client
from rest.test_runs import run_until, started
from servers.rooms import approved
from toolweave.app.studio import open_studio
from toolweave.testing.server import ScriptedServer, Step, a_tool, refuses, says

SCHEMA = {
    "type": "object",
    "properties": {f"p{n}": {"type": "integer", "minimum": 0} for n in range(7)},
    "required": ["p0", "p1"],
}
REFUSED = says("No room is free.", isError=True)
BROKEN = refuses(-32000, "The booking system is down.")


def booking(values: dict[str, str]) -> dict[str, Any]:
    given = {"set": values, "keep_others": False}
    data = {"subtype": "SET_FIELDS", "configurations": given}
    made = {"id": "made", "type": "ACTION", "name": "Made", "data": data}
    parameters = {name: f"{{{{ data.{name} }}}}" for name in values}
    call = {"serverId": "mine", "toolName": "book", "mode": "detailed"}
    call |= {"parameterValues": parameters}
    return drawn("book", made, {"id": "t", "type": "mcp", "name": "T", "data": call})


async def shown_by(state: Path, step: Step, values: dict[str, str]) -> tuple[str, Any, Any, Any]:
    """The run, and its failed step in REST, in an MCP reply and in the events."""
    async with house_in(state) as house:
        server = ScriptedServer(state.parent / "s", a_tool("book", inputSchema=SCHEMA))
        server.on_call("book", *[[step]] * 4)
        async with open_studio(house.home) as studio:
            await approved(studio, "mine", server.definition)
            house.home.lockfile.pin("mine", await studio.gate.tools("mine"))
        document = booking(values)
        key = await house.key("admin")
        run = await started(house, {"document": document, "inputs": {"n": 1}})
        shown = await run_until(house, run, "partial")
        sent = {"document": document}
        saved = await house.client.put("/api/v1/workflows/book", json=sent, headers=key)
        assert saved.status_code == 201, saved.text
        named = await house.client.put("/api/v1/published/book", json={}, headers=key)
        assert named.status_code < 300, named.text
        async with mcp_client(house, key) as client:
            answer = await client.call_tool("book", {"n": 1})
        assert answer.is_error
        (failed,) = [one for one in shown["steps"] if one["status"] == "failed"]
        return run, failed["error"], shown["execution"]["error"], answer


@pytest.mark.parametrize(
    ("step", "values", "words"),
    [
        (
            says("never called"),
            {f"p{n}": f"{{{{ trigger.n - {n + 9} }}}}" for n in range(7)},
            [f"/p{n}: " for n in range(7)],
        ),
        (REFUSED, {"p0": "{{ trigger.n }}", "p1": "{{ 2 }}"}, ["No room is free."]),
        (BROKEN, {"p0": "{{ trigger.n }}", "p1": "{{ 2 }}"}, ["The booking system is down."]),
    ],
)
def test_every_door_names_what_is_wrong(
    step: Step, values: dict[str, str], words: list[str], tmp_path: Path
) -> None:
    tw = Commands(tmp_path, tmp_path)
    run, failed, error, answer = anyio.run(shown_by, tw.state, step, values)
    told = tw.ok("runs", "show", run).out
    (as_json,) = [
        one["error"]
        for one in tw.ok("runs", "show", run, "--json").json["steps"]
        if one["status"] == "failed"
    ]
    assert as_json == failed
    assert (error["message"], error["code"]) == (failed["message"], failed["code"])
    replied = answer.structured_content["error"]
    assert (replied["message"], replied["code"]) == (failed["message"], failed["code"])
    assert replied.get("problems") == failed.get("problems") == error.get("problems")
    for word in words:
        for text in (failed["message"], told, answer.content[0].text):
            assert word in " ".join(text.split()), (word, text)
