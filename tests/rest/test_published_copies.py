"""A key limited to some tools sees and runs their published copies, not drafts of that name."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from rest.house import House, house_in
from rest.test_authorization import code_of, limited, mcp_client

pytestmark = pytest.mark.anyio


def saying(words: str) -> dict[str, Any]:
    return {
        "toolweave": 1,
        "name": "greet",
        "nodes": [
            {"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}},
            {"id": "say", "type": "prompt", "data": {"prompt": words}},
        ],
        "edges": [{"id": "e", "source": "t", "target": "say"}],
    }


async def result_of(house: House, run: str) -> str:
    key = await house.key()
    with anyio.fail_after(60):
        while True:
            shown = (await house.client.get(f"/api/v1/runs/{run}", headers=key)).json()
            if shown["status"] == "success":
                break
            await anyio.sleep(0.02)
    return (await house.client.get(f"/api/v1/runs/{run}/output", headers=key)).text


async def sent(
    house: House, path: str, body: Any, key: dict[str, str], method: str = "POST"
) -> Any:
    headers = {**key, **({"If-Match": "*"} if method == "PUT" else {})}
    answer = await house.client.request(method, f"/api/v1/{path}", json=body, headers=headers)
    assert answer.is_success, answer.text
    return answer.json()


async def test_a_limited_key_sees_and_runs_the_published_copy_only(tmp_path: Path) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        full = await house.key()
        made = await house.client.put(
            "/api/v1/workflows/greet", json={"document": saying("published")}, headers=full
        )
        assert made.is_success, made.text
        await sent(house, "published/greet", {"description": "Says."}, full, "PUT")
        await sent(house, "workflows/greet", {"document": saying("draft")}, full, "PUT")
        key = await limited(house)

        for headers, words in ((full, "draft"), (key, "published")):
            shown = await house.client.get("/api/v1/workflows/greet", headers=headers)
            assert words in shown.text, words
            assert ("draft" in shown.text) is (words == "draft")
            run = (await sent(house, "triggers/greet/run", {}, headers))["run"]
            assert words in await result_of(house, run)

        draft = (await sent(house, "runs", {"workflow": "greet"}, full))["id"]
        assert "draft" in await result_of(house, draft)
        mine = (await sent(house, "runs", {"workflow": "greet"}, key))["id"]
        for own in (mine, run):  # the positive control: runs of the copy, or of a part of it
            assert "published" in await result_of(house, own)
            await sent(house, f"runs/{own}/fork", {"from": "say"}, key)
        await sent(house, f"runs/{draft}/fork", {"from": "say"}, full)
        refused = await house.client.post(
            f"/api/v1/runs/{draft}/fork", json={"from": "say"}, headers=key
        )
        assert (refused.status_code, code_of(refused)) == (403, "TOOL_NOT_ALLOWED")
        async with mcp_client(house, key) as client:
            again = await client.call_tool("app_rerun", {"run_id": mine, "node": "say"})
            assert not again.is_error, again
            again = await client.call_tool("app_rerun", {"run_id": draft, "node": "say"})
            assert again.is_error
            assert "TOOL_NOT_ALLOWED" in str(again)
