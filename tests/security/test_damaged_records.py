"""A damaged row, or one that a later version wrote, harms only what it describes."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.security.controls import Control

from rest.drawn import greeting, pausing
from rest.house import House, house_in
from rest.test_inbox import ASKING

pytestmark = pytest.mark.anyio

# What a service reads by itself when it starts and while it runs.
DAMAGED = (
    (
        "journal SET body = ? WHERE run = (SELECT id FROM runs WHERE workflow = 'pause')",
        "documents SET text = ? WHERE hash = (SELECT document FROM runs WHERE workflow = 'pause')",
    ),
    (
        "journal SET kind = ? WHERE run = (SELECT id FROM runs WHERE workflow = 'pause')",
        "active_workflows SET document = ? WHERE slug = 'bad'",
        "servers SET definition = ? WHERE name = 'bad'",
        "published_tools SET document = ? WHERE tool = 'bad'",
        "questions SET body = ? WHERE id = (SELECT min(id) FROM questions)",
    ),
    (
        "runs SET document = ? WHERE workflow = 'pause'",
        "runs SET wake_at = ? WHERE workflow = 'pause'",
        "active_workflows SET enabled_at = ? WHERE slug = 'bad'",
        "active_triggers SET seen = ? WHERE workflow = 'bad'",
        "active_triggers SET paused_at = ? WHERE workflow = 'bad'",
        "servers SET created_at = ? WHERE name = 'bad'",
        "servers SET scope = ? WHERE name = 'bad'",
        "published_tools SET input_schema = ? WHERE tool = 'bad'",
        "published_tools SET annotations = ? WHERE tool = 'bad'",
        "models SET provider = ? WHERE name = 'bad'",
        "questions SET asked_at = ? WHERE id = (SELECT min(id) FROM questions)",
        "api_keys SET scopes = ? WHERE name = 'bad'",
        "api_keys SET expires_at = ? WHERE name = 'bad'",
        "workflow_versions SET saved_at = ? WHERE slug = 'bad'",
        "workflow_contents SET content = ?",
    ),
)
BINARY = b"\xff\x00"
CASES: tuple[tuple[str | bytes, Sequence[str]], ...] = (
    (
        BINARY,
        (
            *DAMAGED[2],
            "runs SET status = ? WHERE workflow = 'pause'",
            "calls SET tool = ?",
            "trigger_firings SET outcome = ?",
            "api_keys SET name = ? WHERE name = 'bad'",
            "secrets SET name = ? WHERE name = 'bad'",
        ),
    ),
    ('{"version": 99, "kind": "later"}', DAMAGED[0]),
    ("garbage{", DAMAGED[1]),
    ("7", DAMAGED[1]),
    ("garbage{", (*DAMAGED[2], "trigger_firings SET outcome = ?")),
)
SHOWN = (
    *("runs", "workflows", "published", "triggers", "servers", "inbox", "keys", "models"),
    *("settings", "secrets", "calls", "catalog/nodes", "workflows/greet", "library", "services"),
)


def hooked(name: str, subtype: str, settings: dict[str, Any]) -> dict[str, Any]:
    return {
        "toolweave": 1,
        "name": name,
        "nodes": [
            {
                "id": "t",
                "type": "TRIGGER",
                "data": {"subtype": subtype, "configurations": settings},
            },
            {"id": "g", "type": "prompt", "data": {"prompt": "hi"}},
        ],
        "edges": [{"id": "e", "source": "t", "target": "g"}],
    }


async def fill(house: House) -> None:
    key = await house.key("admin")

    async def send(method: str, path: str, body: Any) -> None:
        sent = await house.client.request(method, f"/api/v1/{path}", json=body, headers=key)
        assert sent.is_success, sent.text

    for document in (
        greeting(),
        pausing(seconds=1),
        hooked("bad", "CRON", {"cron_expression": "* * * * *"}),
        hooked("hook", "WEBHOOK", {"webhook_path": "/hook", "authentication_required": False}),
    ):
        await send("PUT", f"workflows/{document['name']}", {"document": document})
    for name in ("greet", "bad"):
        await send("PUT", f"published/{name}", {"description": "Says."})
    for name in ("hook", "bad"):
        await send("POST", f"triggers/{name}/enable", {})
    await send("POST", "runs", {"workflow": "pause", "inputs": {"who": "Ada"}})
    for _ in range(2):
        await send("POST", "runs", {"document": ASKING})
    model = {"provider": "openai", "model": "x", "baseUrl": "http://127.0.0.1:1/v1", "key": "k" * 9}
    await send("POST", "models", {"name": "bad", **model})
    await send("POST", "servers", {"name": "bad", "definition": '{"command": "no"}'})
    await house.keys.create("bad", ["tools:read"])
    await house.home.vault.put("bad", "a secret text")


async def works(house: House, control: Control) -> list[str]:
    """Use what is not damaged; return what answered with an error of ours."""
    key = await house.key("admin")
    answers = {path: await house.client.get(f"/api/v1/{path}", headers=key) for path in SHOWN}
    run = await house.client.post(
        "/api/v1/runs", json={"workflow": "greet", "inputs": {"who": "Bo"}}, headers=key
    )
    control("another run starts", run.status_code == 202)
    hook = await house.client.post("/hooks/hook", json={})
    control("another trigger fires", hook.is_success)
    published = await house.client.get("/api/v1/published", headers=key)
    control("another published tool is listed", '"greet"' in published.text)
    with anyio.fail_after(60):
        while True:
            shown = await house.client.get(f"/api/v1/runs/{run.json()['id']}", headers=key)
            if shown.json()["status"] == "success":
                break
            await anyio.sleep(0.02)
    return [f"{path}: {one.status_code}" for path, one in answers.items() if one.status_code >= 500]


async def test_a_damaged_row_ends_neither_the_service_nor_other_records(
    tmp_path: Path, control: Control
) -> None:
    home = tmp_path / "home"
    async with house_in(home, rate_per_s=1e6, burst=10**6) as house:
        await fill(house)
        control("everything is shown before", not await works(house, control))
    path = home / "toolweave.db"
    whole = path.read_bytes()
    for garbage, rows in CASES:
        path.write_bytes(whole)
        damage(path, rows, garbage)
        async with house_in(home, rate_per_s=1e6, burst=10**6) as house:
            house.clock.seconds += 60  # the waiting run is due
            assert await works(house, control) == [], (rows, garbage)


async def test_the_diagnostics_name_what_is_damaged(tmp_path: Path, control: Control) -> None:
    home = tmp_path / "home"
    async with house_in(home, rate_per_s=1e6, burst=10**6) as house:
        await fill(house)
        key = await house.key("admin")

        async def faults() -> list[str]:
            shown = await house.client.get("/api/v1/doctor", headers=key)
            assert shown.status_code == 200, shown.text
            return [one["what"] for one in shown.json()["findings"] if one["state"] == "fault"]

        control("nothing is damaged before", not [one for one in await faults() if "bad" in one])
        for garbage, rows in (
            ("garbage{", ("published_tools SET document = ? WHERE tool = 'bad'",)),
            ("7", ("active_workflows SET document = ? WHERE slug = 'bad'",)),
            (BINARY, ("models SET provider = ? WHERE name = 'bad'",)),
        ):
            damage(home / "toolweave.db", rows, garbage)
        found = await faults()
    assert {"published tool bad", "triggers of workflow bad", "table models"} <= {*found}


def damage(path: Path, rows: Sequence[str], garbage: str | bytes) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        for row in rows:
            database.execute(f"UPDATE {row}", (garbage,))
