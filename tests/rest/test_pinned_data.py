"""Pinned outputs: runs of the editor use them, published and triggered runs do not."""

from typing import Any

import pytest

from rest.drawn import drawn
from rest.house import House
from rest.test_node_step import step
from rest.test_runs import run_until, started
from toolweave.json_text import Json
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.studio_data import pins_of, without_studio_data

pytestmark = pytest.mark.anyio


def pinned(document: dict[str, Any], **pins: Any) -> dict[str, Any]:
    return {**document, "metadata": {"studio": {"pins": pins}}}


def fetching(name: str) -> dict[str, Any]:
    """Asks an address where nobody listens, then greets with what it gave."""
    fetch = {
        "subtype": "HTTP_REQUEST",
        "configurations": {"method": "GET", "url": "http://127.0.0.1:9/"},
    }
    return drawn(
        name,
        {"id": "fetch", "type": "ACTION", "name": "Fetch", "data": fetch},
        {
            "id": "greet",
            "type": "prompt",
            "name": "Greet",
            "data": {"prompt": "Hi, {{who}}!"},
        },
    )


def hooked(name: str) -> dict[str, Any]:
    document = fetching(name)
    settings = {"webhook_path": f"/{name}"}
    document["nodes"][0] |= {
        "type": "TRIGGER",
        "data": {"subtype": "WEBHOOK", "configurations": settings},
    }
    return document


async def output_of(house: House, run: str, node: str) -> Any:
    answer = await house.client.get(f"/api/v1/runs/{run}", headers=await house.key())
    return {one["key"]: one["value"] for one in answer.json()["steps"]}.get(node)


async def test_a_run_of_the_editor_uses_pinned_outputs(house: House) -> None:
    document = pinned(fetching("pins"), fetch={"output": {"who": "Ada"}})
    run = await started(house, {"document": document, "usePins": True})
    await run_until(house, run, "success")
    assert await output_of(house, run, "greet") == "Hi, Ada!"
    again = await house.client.post(
        f"/api/v1/runs/{run}/fork",
        json={
            "from": "greet",
            "document": pinned(fetching("pins"), fetch={"output": {"who": "Bo"}}),
            "usePins": True,
        },
        headers=await house.key(),
    )
    assert again.status_code == 202, again.text
    await run_until(house, again.json()["id"], "success")
    assert await output_of(house, again.json()["id"], "greet") == "Hi, Bo!"


async def test_a_pin_decides_which_way_a_branch_leaves(house: House) -> None:
    check = {"subtype": "IF", "configurations": {"condition_expression": "1 == 1"}}
    document = drawn("pinned branch", {"id": "check", "type": "FLOW", "name": "If", "data": check})
    document["connections"][1]["fromPort"] = "false"
    run = await started(
        house,
        {
            "document": pinned(document, check={"output": "never", "ports": ["false"]}),
            "usePins": True,
        },
    )
    await run_until(house, run, "success")
    assert await output_of(house, run, "end") == "never"


async def test_runs_by_name_triggers_and_tools_ignore_pins(house: House) -> None:
    """Each of them tries to fetch, and fails."""
    headers = await house.key()
    document = pinned(hooked("unpinned"), fetch={"output": {"who": "Ada"}})
    stored = await house.client.put(
        "/api/v1/workflows/unpinned", json={"document": document}, headers=headers
    )
    assert stored.status_code == 201, stored.text
    control = await started(house, {"document": document, "usePins": True})
    await run_until(house, control, "success")
    runs = [
        await started(house, {"workflow": "unpinned"}),
        await started(house, {"document": document}),
    ]
    enabled = await house.client.post("/api/v1/triggers/unpinned/enable", json={}, headers=headers)
    assert enabled.status_code == 200, enabled.text
    delivered = await house.client.post("/hooks/unpinned", json={})
    runs.append(delivered.json()["run_id"])
    fired = await house.client.post("/api/v1/triggers/unpinned/run", json={}, headers=headers)
    runs.append(fired.json()["run"])
    for run in runs:
        await run_until(house, run, "failed")
    published = await house.client.put("/api/v1/published/unpinned", json={}, headers=headers)
    assert published.status_code == 200, published.text
    kept = await house.home.database.rows("SELECT document FROM published_tools")
    assert "studio" not in str(kept)
    refused = await house.client.post(
        "/api/v1/runs", json={"workflow": "unpinned", "usePins": True}, headers=headers
    )
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "BODY_INVALID")


async def test_a_step_reads_pinned_data_and_a_pinned_step_is_not_run(house: House) -> None:
    document = pinned(fetching("pinned step"), fetch={"output": {"who": "Ada"}})
    status, found = await step(house, document=document, node="greet")
    assert (status, found["output"]) == (200, "Hi, Ada!"), found
    status, found = await step(house, document=document, node="fetch")
    assert (status, found["output"], found["pinned"], found["executed"]) == (
        200,
        {"who": "Ada"},
        True,
        False,
    ), found
    answer = await house.client.post(
        "/api/v1/edit/input",
        json={"document": document, "node": "greet"},
        headers=await house.key(),
    )
    values = {one["path"]: one["value"] for one in answer.json()["sources"] if one["hasValue"]}
    assert values["data"] == {"who": "Ada"}, values


@pytest.mark.parametrize("dialect", ["toolweave", "ccwf", "agent-team", "flow"])
def test_pins_survive_every_dialect(dialect: Any) -> None:
    document: Json = pinned(fetching("kept"), fetch={"output": {"who": "Ada"}, "ports": ["output"]})
    there = read(convert(read(document).workflow, dialect))
    back = read(convert(there.workflow, "toolweave")).workflow
    assert pins_of(back)["fetch"].value == {"who": "Ada"}
    assert "studio" not in str(convert(without_studio_data(back), "toolweave"))


@pytest.mark.parametrize(
    "metadata", [{"studio": 1}, {"studio": {"pins": []}}, {"studio": {"pins": {"fetch": 3}}}, {}]
)
def test_anything_else_in_that_place_is_no_pin(metadata: Any) -> None:
    document: Json = {**fetching("odd"), "metadata": metadata}
    assert pins_of(read(document).workflow) == {}
