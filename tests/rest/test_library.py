"""Libraries and documents over REST: what the studio needs, within the folders that are allowed."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.library.repo import GIVEN, MARKETING, Repo

from rest.house import House
from toolweave.servers.definition import CommandServer

pytestmark = pytest.mark.anyio

ALL = ("workflows:read", "workflows:write", "workflows:run", "tools:execute", "servers:admin")


async def ask(house: House, method: str, path: str, body: Any = None, scopes: Any = ALL) -> Any:
    answer = await house.client.request(
        method, f"/api/v1/{path}", json=body, headers=await house.key(*scopes)
    )
    return answer.status_code, answer.json() if answer.content else None


async def test_a_library_is_added_shown_run_and_removed(house: House, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    added = {"name": "team", "url": str(repo.folder)}
    assert (await ask(house, "POST", "library", added))[0] == 201
    assert (await ask(house, "POST", "library", added))[0] == 409
    _, listed = await ask(house, "GET", "library")
    assert "team" in [one["name"] for one in listed["libraries"]]
    _, shown = await ask(house, "GET", "library/team?ref=main")
    assert [one["name"] for one in shown["flows"]] == ["Marketing_Strategy"]
    assert len(shown["templates"]) == 2
    _, flow = await ask(house, "GET", "library/team/flows/Marketing_Strategy")
    assert flow["flow"] == MARKETING
    body = {"inputs": dict(GIVEN)}
    status, ran = await ask(house, "POST", "library/team/flows/Marketing_Strategy/run", body)
    assert (status, ran["status"]) == (200, "success")
    _, template = await ask(house, "GET", "library/team/templates/t-1")
    assert template["variables"][0]["name"] == "company_name"
    values = {"values": {"company_name": "A", "market": "B"}}
    _, filled = await ask(house, "POST", "library/team/templates/t-1/fill", values)
    assert filled["text"] == "Position A in B."
    status, missing = await ask(house, "POST", "library/team/templates/t-1/fill", {})
    assert (status, missing["error"]["code"]) == (422, "MISSING_VARIABLES")
    commit = repo.commit({"flows/x.json": {"nodes": [], "edges": []}})
    _, at = await ask(house, "POST", "library/team/refresh")
    assert at["commit"] == commit
    assert (await ask(house, "DELETE", "library/team"))[0] == 204
    assert (await ask(house, "GET", "library/team"))[0] == 404


@pytest.mark.requirement("003:access.inherited")
async def test_a_key_that_may_not_read_runs_no_templates(house: House, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    await ask(house, "POST", "library", {"name": "locked", "url": str(repo.folder)})
    body = {"inputs": dict(GIVEN)}
    path = "library/locked/flows/Marketing_Strategy/run"
    _, ran = await ask(house, "POST", path, body, ("workflows:run",))
    assert (ran["status"], ran["error"]["code"]) == ("failed", "TEMPLATE_DENIED")


@pytest.mark.parametrize("url", ["--upload-pack=x", "/nowhere", "http://x/y", "0:0"])
async def test_an_address_that_cannot_be_used_is_the_callers_fault(house: House, url: str) -> None:
    status, refused = await ask(house, "POST", "library", {"name": "x", "url": url})
    assert status == 422
    assert refused["error"]["code"] in ("LIBRARY_ADDRESS_INVALID", "GITHUB_ERROR")


async def test_documents_of_the_allowed_folders_are_checked_run_and_cleared(house: House) -> None:
    home = house.home
    await home.registry.add("demo", CommandServer(command="nothing"))
    files = write_document(home.settings.home / "files")
    _, listed = await ask(house, "GET", "documents")
    assert listed["documents"] == [str(files)]
    _, looked = await ask(house, "POST", "documents/check", {"path": "notes.md"})
    assert [one["name"] for one in looked["blocks"]] == ["echo", "nothing"]
    status, bound = await ask(
        house, "POST", "documents/bind", {"path": "notes.md", "server": "demo", "heading": "A"}
    )
    assert status == 201
    _, ran = await ask(house, "POST", "documents/run", {"path": "notes.md"})
    # The server is not approved, which the result says; a workflow that is not there, too.
    assert (ran["ran"], ran["failed"]) == (2, 2)
    assert "WORKFLOW_NOT_FOUND" in json.dumps(ran["results"])
    assert await ask(house, "POST", "documents/clear", {"path": "notes.md"}) == (
        200,
        {"removed": 2},
    )
    unbound = {"path": "notes.md", "id": bound["id"]}
    assert await ask(house, "POST", "documents/unbind", unbound) == (200, {"removed": 1})


@pytest.mark.parametrize(
    ("path", "status"),
    [("/etc/passwd", 403), ("../../x.md", 403), ("nothing.md", 404), ("a\x00b", 422)],
)
async def test_other_files_are_out_of_reach(house: House, path: str, status: int) -> None:
    write_document(house.home.settings.home / "files")
    for way in ("check", "run", "clear"):
        assert (await ask(house, "POST", f"documents/{way}", {"path": path}))[0] == status


def write_document(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "notes.md").write_text(
        "# A\n\n```tool\ntool: echo\n```\n\n```workflow\nworkflow: nothing\n```\n", encoding="utf-8"
    )
    return folder / "notes.md"
