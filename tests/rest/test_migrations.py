"""`/api/v1/servers/{server}/migrations`: what adapts workflows to changed tools, and the yes."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from e2e.mcp import calling
from rest.drawn import drawn
from rest.house import House, house_in
from rest.test_runs import run_until, started
from rest.test_servers import SERVERS, approved
from servers.rooms import eventually
from toolweave.testing.server import ScriptedServer, a_tool

pytestmark = pytest.mark.anyio

TEXT = {"type": "string", "description": "What to say."}
OTHER = {"type": "string", "description": "Who says it, in full."}
SPELT: dict[str, Any] = {"type": "object", "properties": {"Text": TEXT}, "required": ["Text"]}
REMOVED: dict[str, Any] = {"type": "object", "properties": {"name": OTHER}}
NEEDED: dict[str, Any] = {
    "type": "object",
    "properties": {"text": TEXT, "key": OTHER},
    "required": ["key"],
}


@pytest.fixture
async def house(tmp_path: Path) -> AsyncGenerator[House]:
    async with house_in(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def server(tmp_path: Path) -> ScriptedServer:
    schema = {"type": "object", "properties": {"text": TEXT}}
    return ScriptedServer(tmp_path / "server", a_tool("echo", inputSchema=schema))


class Page:
    """What a person does on the page of a server."""

    def __init__(self, house: House, server: ScriptedServer, key: dict[str, str]) -> None:
        self.house, self.server, self.key = house, server, key
        self.path = ""

    async def prepare(self) -> None:
        identity = await approved(self.house, self.server, self.key)
        self.path = f"{SERVERS}/{identity}/migrations"
        document = drawn("said", calling("say", "mine", "echo", text="hello"))
        body = {"document": document}
        stored = await self.house.client.put("/api/v1/workflows/said", json=body, headers=self.key)
        assert stored.status_code in (200, 201), stored.text
        run = await started(self.house, {"workflow": "said"})
        await run_until(self.house, run, "success")

    async def change(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The proposal after the tool has changed."""
        self.server.change(tools=[a_tool("echo", inputSchema=schema)])
        self.server.announce()
        difference = self.path.replace("migrations", "difference")

        async def has_changed() -> bool:
            answer = await self.house.client.get(difference, headers=self.key)
            return bool(answer.json()["tools"])

        await eventually(has_changed)
        (found,) = (await self.list())["migrations"]
        return found

    async def list(self) -> dict[str, Any]:
        answer = await self.house.client.get(self.path, headers=self.key)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def apply(self, found: dict[str, Any], **more: Any) -> httpx2.Response:
        body = {"workflow": "said", "proposal": found["proposal"], **more}
        return await self.house.client.post(self.path, json=body, headers=self.key)

    async def stored(self) -> dict[str, Any]:
        answer = await self.house.client.get("/api/v1/workflows/said", headers=self.key)
        return answer.json()


@pytest.fixture
async def page(house: House, server: ScriptedServer) -> Page:
    scopes = ("servers:admin", "workflows:read", "workflows:write", "workflows:run")
    page = Page(house, server, await house.key(*scopes))
    await page.prepare()
    return page


def code_of(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def test_a_certain_migration_is_listed_with_reasons_and_applied_after_a_yes(
    page: Page,
) -> None:
    assert (await page.list())["migrations"] == []
    before = await page.stored()
    found = await page.change(SPELT)
    assert (found["workflow"], found["certainty"], found["state"]) == (
        "said",
        "certain",
        "proposed",
    )
    assert found["proof"] == "proved by 1 run"
    assert found["changes"][0]["reason"].startswith("now /Text: the same name as 'text'")
    assert {one["op"] for one in found["patch"]} <= {"add", "remove", "replace", "move"}
    assert await page.stored() == before  # nothing is applied by looking
    other = {**found, "proposal": "0" * 64}
    assert code_of(await page.apply(other)) == (409, "MIGRATION_CHANGED")
    assert await page.stored() == before
    applied = await page.apply(found)
    assert (applied.status_code, applied.json()["state"]) == (200, "applied")
    values = (await page.stored())["document"]["nodes"][1]["data"]["parameterValues"]
    assert values == {"Text": "hello"}
    assert (await page.list())["migrations"] == []


async def test_what_is_only_likely_needs_a_second_yes_and_what_is_open_cannot_be_applied(
    page: Page,
) -> None:
    before = await page.stored()
    likely = await page.change(REMOVED)
    assert (likely["certainty"], likely["state"]) == ("likely", "proposed")
    assert code_of(await page.apply(likely)) == (409, "MIGRATION_LIKELY")
    assert await page.stored() == before
    assert (await page.apply(likely, acceptLikely=True)).status_code == 200
    assert (await page.stored())["revision"] != before["revision"]


async def test_what_only_a_person_can_decide_is_open_and_cannot_be_applied(page: Page) -> None:
    found = await page.change(NEEDED)
    assert (found["state"], found["patch"]) == ("open", [])
    assert "key" in found["open"][0]["pointer"]
    refused = await page.apply(found, acceptLikely=True)
    assert code_of(refused) == (409, "MIGRATION_IMPOSSIBLE")


async def test_a_workflow_that_changed_meanwhile_is_looked_at_again(page: Page) -> None:
    found = await page.change(SPELT)
    stored = await page.stored()
    stored["document"]["nodes"][1]["data"]["parameterValues"] = {"text": "hi"}
    body = {"document": stored["document"], "revision": stored["revision"]}
    saved = await page.house.client.put("/api/v1/workflows/said", json=body, headers=page.key)
    assert saved.status_code == 200, saved.text
    assert code_of(await page.apply(found)) == (409, "MIGRATION_CHANGED")


async def test_applying_needs_the_right_to_write_workflows(page: Page) -> None:
    found = await page.change(SPELT)
    page.key = await page.house.key("servers:admin", "workflows:read")
    assert code_of(await page.apply(found)) == (403, "SCOPE_MISSING")
    page.key = await page.house.key("servers:admin", "workflows:read", "workflows:write")
    assert (await page.apply(found)).status_code == 200
