"""`/api/v1/workflows/{name}/versions`: what each save wrote, by whom; named, restored, pruned."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from rest.house import House, house_in
from toolweave.home import WORKFLOWS, open_home
from toolweave.settings import Settings
from toolweave.workflow.formats.load import load

pytestmark = pytest.mark.anyio

ALL = "/api/v1/workflows"


def _workflow(name: str, description: str) -> dict[str, Any]:
    start: dict[str, Any] = {"id": "s", "type": "start", "name": "Start", "data": {}}
    end: dict[str, Any] = {"id": "e", "type": "end", "name": "End", "data": {}}
    edge = {"id": "c", "from": "s", "to": "e"}
    return {
        "id": "w",
        "name": name,
        "description": description,
        "version": "1",
        "schemaVersion": "1.3.0",
        "nodes": [start, end],
        "connections": [edge],
    }


async def _save(house: House, name: str, *texts: str, key: str = "writer") -> str:
    """Save a workflow once with each text as its description; return the last revision."""
    _, token = await house.keys.create(key, ["workflows:write", "workflows:read"])
    address, headers = f"{ALL}/{name}", {"X-API-Key": token}
    there = await house.client.get(address, headers=headers)
    revision = there.json()["revision"] if there.status_code == 200 else None
    for text in texts:
        body = {"document": _workflow(name, text), "revision": revision}
        saved = await house.client.put(address, json=body, headers=headers)
        assert saved.status_code in (200, 201), saved.text
        revision = saved.json()["revision"]
    assert revision is not None
    return revision


async def _versions(house: House, name: str) -> list[dict[str, Any]]:
    answer = await house.client.get(f"{ALL}/{name}/versions", headers=await house.key())
    assert answer.status_code == 200, answer.text
    return answer.json()["versions"]


async def _post(house: House, path: str, body: object) -> httpx2.Response:
    return await house.client.post(f"{ALL}/{path}", json=body, headers=await house.key())


async def test_every_save_is_a_version_with_its_time_and_key(house: House) -> None:
    await _save(house, "kept", "one", key="ada")
    last = await _save(house, "kept", "two", "three", key="bob")
    found = await _versions(house, "kept")
    assert [(one["number"], one["author"]) for one in found] == [(3, "bob"), (2, "bob"), (1, "ada")]
    assert [one["isCurrent"] for one in found] == [True, False, False]
    assert found[0]["revision"] == last
    assert all(one["savedAt"] and one["label"] is None for one in found)
    old = await house.client.get(f"{ALL}/kept/versions/1", headers=await house.key())
    assert old.json()["document"]["description"] == "one"


async def test_a_restored_version_is_a_new_save_over_the_current_revision(house: House) -> None:
    current = await _save(house, "restored", "first", "second")
    stale = await _post(house, "restored/versions/1/restore", {"revision": "0" * 64})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "WORKFLOW_CHANGED")
    done = await _post(house, "restored/versions/1/restore", {"revision": current})
    assert done.status_code == 200, done.text
    shown = await house.client.get(f"{ALL}/restored", headers=await house.key())
    assert shown.json()["document"]["description"] == "first"
    found = await _versions(house, "restored")
    assert [one["number"] for one in found] == [3, 2, 1]
    assert found[0]["revision"] == found[2]["revision"] == done.json()["revision"]


async def test_a_version_can_be_named_and_its_name_removed(house: House) -> None:
    await _save(house, "named", "a")
    address = f"{ALL}/named/versions/1"
    headers = await house.key()
    for label, wanted in (("  Be\x00fore\nit ", "Before it"), (None, None)):
        answer = await house.client.put(address, json={"label": label}, headers=headers)
        assert (answer.status_code, answer.json()["label"]) == (200, wanted)
        assert (await _versions(house, "named"))[0]["label"] == wanted
    refused = await house.client.put(address, json={"label": "x" * 101}, headers=headers)
    assert refused.status_code == 422


async def test_the_published_version_is_marked_until_it_is_unpublished(house: House) -> None:
    await _save(house, "public", "a")
    headers = await house.key()
    published = await house.client.put("/api/v1/published/public", json={}, headers=headers)
    assert published.status_code in (200, 201), published.text
    await _save(house, "public", "b")
    found = await _versions(house, "public")
    assert [one["isPublished"] for one in found] == [False, True]
    await house.client.delete("/api/v1/published/public", headers=headers)
    assert not any(one["isPublished"] for one in await _versions(house, "public"))


async def test_a_renamed_workflow_keeps_its_versions(house: House) -> None:
    revision = await _save(house, "before", "a", "b")
    body = {"document": _workflow("after", "c"), "revision": revision}
    moved = await house.client.put(f"{ALL}/before", json=body, headers=await house.key())
    assert moved.status_code == 200, moved.text
    assert [one["number"] for one in await _versions(house, "after")] == [3, 2, 1]
    gone = await house.client.get(f"{ALL}/before/versions", headers=await house.key())
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "WORKFLOW_NOT_FOUND")
    current = (await _versions(house, "after"))[0]["revision"]
    await _post(house, "after/versions/1/restore", {"revision": current})
    shown = await house.client.get(f"{ALL}/after", headers=await house.key())
    document = shown.json()["document"]
    assert (document["name"], document["description"]) == ("after", "a")


async def test_a_deleted_workflow_can_be_restored(house: House) -> None:
    revision = await _save(house, "deleted", "here")
    headers = await house.key() | {"If-Match": f'"{revision}"'}
    removed = await house.client.delete(f"{ALL}/deleted", headers=headers)
    assert removed.status_code == 204
    assert [one["isCurrent"] for one in await _versions(house, "deleted")] == [False]
    assert (await _post(house, "deleted/versions/1/restore", {})).status_code == 200
    assert [one["isCurrent"] for one in await _versions(house, "deleted")] == [True]


async def test_unknown_workflows_and_versions_are_not_found(house: House) -> None:
    await _save(house, "known", "a")
    for path, code in (
        ("nothing/versions", "WORKFLOW_NOT_FOUND"),
        ("nothing/versions/1", "WORKFLOW_NOT_FOUND"),
        ("known/versions/2", "WORKFLOW_VERSION_NOT_FOUND"),
    ):
        answer = await house.client.get(f"{ALL}/{path}", headers=await house.key())
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, code)


async def test_what_another_program_wrote_is_kept_before_it_is_replaced(tmp_path: Path) -> None:
    async with house_in(tmp_path / "home") as house:
        await _save(house, "edited", "ours")
        file = tmp_path / "home" / WORKFLOWS / "edited.json"
        file.write_text(file.read_text().replace("ours", "theirs"))
        await _save(house, "edited", "ours again")
        found = await _versions(house, "edited")
        assert [one["author"] for one in found] == ["writer", None, "writer"]
        middle = await house.client.get(f"{ALL}/edited/versions/2", headers=await house.key())
        assert middle.json()["document"]["description"] == "theirs"


async def test_old_versions_are_pruned_unless_they_are_named_or_published(tmp_path: Path) -> None:
    settings = replace(Settings(home=tmp_path), keep_versions=2)
    async with open_home(settings, directory=tmp_path) as home:
        revision = None
        for number in range(1, 6):
            workflow = load(str(_workflow("many", str(number))).replace("'", '"')).workflow
            revision = await home.workflows.save(workflow, over=revision)
            if number == 1:
                await home.workflow_versions.set_label("many", 1, "the first")
        kept = [one.number for one in await home.workflow_versions.list("many")]
        assert kept == [5, 4, 1]
        rows = await home.database.rows("SELECT revision FROM workflow_contents")
        assert len(rows) == 3
