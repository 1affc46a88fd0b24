"""What is shown of a run beside its events, running again with changed nodes, and the sample."""

from typing import Any

import anyio
import pytest

from rest.drawn import drawn, greeting
from rest.house import House
from rest.test_runs import code, post, run_until, started
from toolweave.clock import timestamp

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
    server = await house.home.registry.get("demo")
    assert server.is_approved
    assert server.enabled
    kept = (await house.client.get("/api/v1/workflows/what-to-wear", headers=admin)).json()
    assert kept["problems"] == []
    assert kept["document"]["updatedAt"] == timestamp(house.home.clock.now())
    body = {"document": kept["document"]}
    checked = await house.client.post("/api/v1/edit/validate", json=body, headers=admin)
    assert checked.json() == {"valid": True, "format": "toolweave", "problems": []}


async def test_large_values_are_cut_and_the_whole_is_one_request_away(house: House) -> None:
    key = await house.key("workflows:read")
    five = {"id": "greet", "type": "prompt", "name": "Five", "data": {"prompt": "{{who}}" * 5}}
    inputs = {"who": "x" * 1_000_000}
    run = await started(house, {"document": drawn("large", five), "inputs": inputs})
    await run_until(house, run, "success")
    url = f"/api/v1/runs/{run}"
    with anyio.fail_after(60):
        told = await house.client.get(f"{url}/events", params={"maxChars": 2_000}, headers=key)
    assert len(told.content) < 40_000
    shown = (await house.client.get(url, params={"maxChars": 2_000}, headers=key)).json()
    greet = next(step for step in shown["steps"] if step["key"] == "greet")
    assert greet["value"] is None
    cut = greet["cut"]["value"]
    assert (cut["kind"], cut["chars"], len(cut["text"])) == ("string", 5_000_000, 2_000)
    at = {"step": "greet", "maxChars": 2_000}
    came = (await house.client.get(f"{url}/input", params=at, headers=key)).json()
    assert came["input"] is None
    assert came["cut"]["media"] == []
    whole = await house.client.get(f"{url}/output", params={"step": "greet"}, headers=key)
    assert whole.json() == "x" * 5_000_000
    assert whole.headers["content-disposition"].startswith("attachment")
    result = await house.client.get(f"{url}/output", headers=key)
    assert len(result.json()) == 5_000_000
    nobody = await house.client.get(f"{url}/output", params={"step": "no"}, headers=key)
    assert code(nobody) == (404, "STEP_UNKNOWN")


async def test_media_are_given_as_their_bytes_and_only_what_is_safe_is_shown(house: House) -> None:
    key = await house.key("workflows:read")
    blocks = [
        {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="},
        {"type": "audio", "mimeType": "audio/wav", "data": "aGVsbG8="},
        {"type": "image", "mimeType": "image/svg+xml", "data": "aGVsbG8="},
        {"type": "resource", "mimeType": "text/html\r\nx: y", "data": "aGVsbG8="},
        {"type": "image", "mimeType": "image/png", "data": "no base64"},
    ]
    given = {"content": blocks, "contents": blocks[:1]}  # both as in a resource that a node read
    run = await started(house, {"document": greeting("media"), "inputs": given})
    await run_until(house, run, "success")

    async def media(at: str) -> tuple[int, bytes, str, str | None]:
        query = {"step": "start", "at": at}
        url = f"/api/v1/runs/{run}/media"
        answer = await house.client.get(url, params=query, headers=key)
        place = answer.headers.get("content-disposition")
        return answer.status_code, answer.content, answer.headers["content-type"], place

    assert await media("/content/0") == (200, b"hello", "image/png", None)
    assert (await media("/contents/0"))[0] == 404  # shown once
    assert await media("/content/1") == (200, b"hello", "audio/wav", None)
    assert await media("/content/2") == (200, b"hello", "image/svg+xml", "attachment")
    assert await media("/content/3") == (200, b"hello", "application/octet-stream", "attachment")
    for at in ("/content/4", "/content/9", "", "x"):
        assert (await media(at))[0] == 404


async def test_a_step_in_a_loop_shows_what_came_in_and_what_it_worked_with(house: House) -> None:
    key = await house.key("workflows:read")
    each = {"subtype": "FOR_EACH", "inputParams": {"data": "{{ trigger.cities }}"}}
    document = drawn("looped", {"id": "each", "type": "FLOW", "name": "Each", "data": each})
    say = {"id": "say", "type": "prompt", "name": "Say", "data": {"prompt": "In {{loop.item}}"}}
    document["nodes"].append({**say, "position": {"x": 0, "y": 200}})
    document["connections"][1]["fromPort"] = "done"
    body = {"id": "body", "from": "each", "to": "say", "fromPort": "loop", "toPort": "input"}
    document["connections"].append(body)
    run = await started(house, {"document": document, "inputs": {"cities": ["Oslo", "Rome"]}})
    await run_until(house, run, "success")
    url = f"/api/v1/runs/{run}/input"
    for turn, city in enumerate(("Oslo", "Rome")):
        at: dict[str, Any] = {"step": f"each#{turn}/say", "maxChars": 1_000}
        came = (await house.client.get(url, params=at, headers=key)).json()
        assert came["input"] == city
    at = {"step": "each", "maxChars": 1_000}
    came = (await house.client.get(url, params=at, headers=key)).json()
    assert came["given"]["data"] == ["Oslo", "Rome"]
