"""What is shown of a run beside its events, running again with changed nodes, and the sample."""

from typing import Any

import anyio
import pytest

from rest.drawn import drawn, greeting
from rest.house import House
from rest.test_runs import code, post, run_until, started

pytestmark = pytest.mark.anyio


async def test_a_run_shows_its_workflow_and_what_came_in_to_a_step(house: House) -> None:
    key = await house.key("workflows:read")
    run = await started(house, {"document": greeting("shown"), "inputs": {"who": "Ada"}})
    await run_until(house, run, "success")
    shown = await house.client.get(f"/api/v1/runs/{run}/workflow", headers=key)
    assert [node["id"] for node in shown.json()["document"]["nodes"]] == ["start", "greet", "end"]
    for step, came_in in (("greet", {"who": "Ada"}), ("end", "Hello, Ada!")):
        url = f"/api/v1/runs/{run}/input"
        answer = await house.client.get(url, params={"step": step}, headers=key)
        assert answer.json() == {"run": run, "step": step, "input": came_in}


async def test_a_step_that_never_was_is_told(house: House) -> None:
    run = await started(house, {"document": greeting("shown"), "inputs": {"who": "Ada"}})
    await run_until(house, run, "success")
    answer = await house.client.get(
        f"/api/v1/runs/{run}/input", params={"step": "nobody"}, headers=await house.key()
    )
    assert code(answer) == (404, "STEP_UNKNOWN")


async def test_a_run_begins_again_at_a_node_that_was_changed_since(house: House) -> None:
    def document(words: str) -> dict[str, object]:
        greet = {"id": "greet", "type": "prompt", "name": "Greet", "data": {"prompt": "Hi {{who}}"}}
        shout = {"id": "shout", "type": "prompt", "name": "Shout", "data": {"prompt": words}}
        return drawn("changed", greet, shout)

    run = await started(house, {"document": document("{{data}}!"), "inputs": {"who": "Ada"}})
    await run_until(house, run, "success")
    body = {"from": "shout", "document": document("{{data}}?!")}
    forked = await post(house, f"/{run}/fork", body)
    shown = await run_until(house, forked.json()["id"], "success")
    assert shown["execution"]["finalResult"] == "Hi Ada?!"
    broken: dict[str, Any] = {"from": "shout", "document": {"nodes": [], "connections": []}}
    assert code(await post(house, f"/{run}/fork", broken)) == (422, "WORKFLOW_INVALID")


async def test_the_sample_is_made_once_with_a_server_that_is_ours_alone(house: House) -> None:
    admin = await house.key("admin")
    with anyio.fail_after(60):
        first = await house.client.post("/api/v1/samples", headers=admin)
        again = await house.client.post("/api/v1/samples", headers=admin)
    assert first.json() == again.json() == {"workflow": "what-to-wear", "server": "demo"}
    server = await house.ground.registry.get("demo")
    assert server.is_approved
    assert server.enabled
    kept = (await house.client.get("/api/v1/workflows/what-to-wear", headers=admin)).json()
    assert kept["problems"] == []
    body = {"document": kept["document"]}
    checked = await house.client.post("/api/v1/edit/validate", json=body, headers=admin)
    assert checked.json() == {"valid": True, "format": "toolweave", "problems": []}
