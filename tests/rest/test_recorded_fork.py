"""`POST /api/v1/runs/{run}/fork` with recorded answers: a past run with a changed node."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import anyio
import pytest

from e2e.mcp import calling
from rest.drawn import drawn
from rest.house import House, house_in
from rest.test_runs import run_until, started
from rest.test_servers import approved
from toolweave.recording.exchange_log import exchanges_of
from toolweave.testing.server import ScriptedServer, a_tool

pytestmark = pytest.mark.anyio

DOCUMENT = drawn(
    "forked",
    calling("first", "mine", "echo", text="one"),
    {"id": "note", "type": "prompt", "name": "Note", "data": {"prompt": "Noted {{ data.text }}"}},
    calling("second", "mine", "echo", text="{{ data }}"),
)


def with_prompt(prompt: str) -> dict[str, Any]:
    document = deepcopy(DOCUMENT)
    document["nodes"][2]["data"]["prompt"] = prompt
    return document


async def forked(house: House, run: str, document: dict[str, Any], status: str) -> dict[str, Any]:
    body = {"from": "note", "document": document, "recorded": True}
    answer = await house.client.post(
        f"/api/v1/runs/{run}/fork", json=body, headers=await house.key()
    )
    assert answer.status_code == 202, answer.text
    return await run_until(house, answer.json()["id"], status)


async def test_a_changed_node_uses_recorded_answers_until_one_is_missing_and_then_continues_live(
    tmp_path: Path,
) -> None:
    server = ScriptedServer(tmp_path / "server", a_tool("echo"))
    async with house_in(tmp_path / "home") as house:
        await approved(house, server, await house.key("servers:admin", "tools:read"))
        run = await started(house, {"document": DOCUMENT})
        await run_until(house, run, "success")
        with anyio.fail_after(60):
            while len(await exchanges_of(house.home.database, run)) < 2:
                await house.home.clock.sleep(0.02)  # they are written in the background
        same = await forked(house, run, with_prompt("Noted {{data.text}}"), "success")
        assert same["forkOf"] == run
        assert len(server.heard("tools/call")) == 2
        stopped = await forked(house, run, with_prompt("Other {{ data.text }}"), "failed")
        assert stopped["error"].startswith("stopped at 'second'")
        assert "expected 'Noted one', got 'Other one'" in stopped["error"]
        assert len(server.heard("tools/call")) == 2
        live = await house.client.post(
            f"/api/v1/runs/{stopped['id']}/fork",
            json={"from": "second"},
            headers=await house.key(),
        )
        await run_until(house, live.json()["id"], "success")
        assert server.heard("tools/call")[-1]["arguments"] == {"text": "Other one"}
