"""The MCP browser: servers, the exact command, the yes to it, and tools as nodes."""

import json
import os
import shutil
import signal
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.async_api import Browser, Page, expect

from cli.test_run import mcp
from e2e.studio import Studio, shot, started
from engine.building import workflow
from rest.process import PROGRAM
from toolweave.testing.server import ScriptedServer, a_tool
from toolweave.workflow.formats.load import convert

pytestmark = pytest.mark.anyio

COMMAND = [*PROGRAM, "demo-server"]
DEFINITION = {"mcpServers": {"browsed": {"command": COMMAND[0], "args": COMMAND[1:]}}}


@pytest.fixture(scope="module")
async def studio(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Studio]:
    """A studio that retries a lost server at once."""
    home = tmp_path_factory.mktemp("studio")
    async with started(home, TOOLWEAVE_RETRY_DELAYS_S="0.1,0.1,0.1") as running:
        yield running


@pytest.mark.requirement("001:FR-004", "001:FR-005", "001:FR-006")
@pytest.mark.requirement("001:ui.browser.scope")
@pytest.mark.requirement("001:ui.browser.status")
@pytest.mark.requirement("001:ui.browser.tool-count")
@pytest.mark.requirement("001:ui.browser.tools")
async def test_a_pasted_server_is_read_approved_and_its_tool_becomes_a_node(
    page: Page, studio: Studio
) -> None:
    await page.goto(f"{studio.url}/#/servers")
    await add_from_json(page)
    await approve_what_is_shown(page)
    await choose_a_tool_in_the_dialog(page, studio)
    await remove(page, studio)
    assert await studio.ask(page, "GET", "/api/v1/servers") == {"servers": []}


async def add_from_json(page: Page) -> None:
    await expect(page.get_by_role("heading", name="No servers yet")).to_be_visible()
    await page.get_by_role("button", name="Add a server").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Command", exact=True).fill("mcp-server 'open")
    await dialog.get_by_role("button", name="Add", exact=True).click()
    await expect(dialog.locator(".field__fault")).to_contain_text("not closed")
    await dialog.get_by_role("tab", name="JSON").click()
    await dialog.get_by_label("Definition").fill('{"mcpServers": {"browsed": {"command": 7}}}')
    await dialog.get_by_role("button", name="Add", exact=True).click()
    await expect(dialog.locator(".field__fault")).to_contain_text("command")
    await dialog.get_by_label("Definition").fill(json.dumps(DEFINITION))
    await dialog.get_by_role("button", name="Add", exact=True).click()
    await expect(dialog).to_have_count(0)


async def approve_what_is_shown(page: Page) -> None:
    scope = page.get_by_role("region", name="Scope user")
    await expect(scope.locator(".browser__line")).to_contain_text("not approved")
    exact = page.get_by_role("table", name="Exact command")
    for place, part in enumerate(COMMAND):
        await expect(exact).to_contain_text(f"[{place}] {part}")
    titles = await exact.locator("th").all_inner_texts()
    expected = ["Server", "Transport", "Runner", "Command", "As typed", "Environment", "Directory"]
    assert titles == [*expected, "Placeholders", "Source", "Hash"]
    facts = page.locator(".server .facts")
    await expect(facts).to_contain_text("Started by Toolweave (stdio), not isolated")
    await expect(facts).to_contain_text("Added by you")
    await shot(page, "server-command")
    await page.get_by_role("button", name="Approve and start").click()
    tool = page.get_by_role("list", name="Tools").get_by_role("listitem")
    await expect(tool.filter(has_text="forecast").first).to_be_visible()
    await expect(scope.locator(".browser__line")).to_contain_text("tools")
    await page.get_by_role("button", name="Check now").click()
    await expect(scope.locator(".browser__line")).to_contain_text("ready")
    await expect(scope.locator(".browser__line")).to_contain_text(" ms")
    await shot(page, "server-tools")


async def choose_a_tool_in_the_dialog(page: Page, studio: Studio) -> None:
    await page.goto(f"{studio.url}/#/new")
    await page.locator(".react-flow__node[data-id=start]").click()
    await page.keyboard.press("m")
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_text("connected", exact=True)).to_be_visible()
    await shot(page, "server-dialog")
    await dialog.get_by_role("button", name="Add greet to the workflow").click()
    await expect(dialog).to_have_count(0)
    await expect(page.locator(".react-flow__node", has_text="browsed")).to_contain_text("greet")
    async with page.expect_response(lambda answer: answer.request.method == "PUT") as saving:
        await page.keyboard.press("Control+s")
    document = (await (await saving.value).json())["document"]
    assert document["createdAt"] == document["updatedAt"]
    [data] = [node["data"] for node in document["nodes"] if node["type"] == "mcp"]
    assert (data["validationStatus"], data["outputPorts"]) == ("valid", 1)
    assert "name" in [parameter["name"] for parameter in data["parameters"]]


async def remove(page: Page, studio: Studio) -> None:
    # No other server is shown instead of one that is not there.
    await page.goto(f"{studio.url}/#/servers/gone")
    said = page.get_by_role("status").filter(has_text="There is no server gone")
    await expect(said).to_be_visible()
    assert await page.get_by_role("button", name="Disable").count() == 0
    await page.goto(f"{studio.url}/#/servers")
    await page.get_by_role("button", name="Disable").click()
    await expect(page.locator(".server__head")).to_contain_text("disabled")
    await page.get_by_role("button", name="Remove", exact=True).click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove the server").click()
    await expect(page.get_by_role("heading", name="No servers yet")).to_be_visible()


@pytest.mark.requirement(
    "002:health.auto-disable-after-3", "002:ServerHealthStatus.transition.max-retries"
)
async def test_a_hostile_server_is_shown_as_text_and_disabled_when_it_is_lost(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    hostile = "<img src=x onerror=alert(1)> a\u202eb\u200bc"
    server = ScriptedServer(tmp_path, a_tool("peek", description=hostile))
    start = server.definition
    entry = {"command": start.command, "args": list(start.args)}
    body = {"definition": json.dumps({"mcpServers": {"odd": entry}})}
    added = cast("Any", await studio.ask(page, "POST", "/api/v1/servers", body))
    identity = added["servers"][0]["id"]
    await page.goto(f"{studio.url}/#/servers/{identity}")
    await page.get_by_role("button", name="Approve and start").click()
    tools = page.get_by_role("list", name="Tools")
    words = tools.locator(".tool__words")
    await expect(words.locator("bdi")).to_have_text(
        "<img src=x onerror=alert(1)> a⟦U+202E⟧b⟦U+200B⟧c"
    )
    await expect(words.locator(".badge")).to_contain_text("HTML")
    await expect(page.locator("main img[src=x]")).to_have_count(0)
    uses = {"s": "start", "look": mcp("peek", "odd", text="here"), "e": "end"}
    document = convert(workflow(uses, ["s > look", "look > e"]), "toolweave")
    await studio.ask(page, "PUT", "/api/v1/workflows/test", {"document": document})
    taken = {"type": "object", "properties": {"Text": {"type": "string"}}, "required": ["Text"]}
    server.change(tools=[a_tool("peek", description="Sends it all away.", inputSchema=taken)])
    # Another connection: what one has listed stays until the server says that it changed.
    await page.get_by_role("button", name="Disable").click()
    await page.get_by_role("button", name="Enable").click()
    changed = page.get_by_role("region", name="Changed tools")
    await expect(changed).to_contain_text("peek")
    await expect(changed).to_contain_text("renamed to 'Text'")
    used = changed.get_by_role("list", name="Used by").get_by_role("listitem")
    await expect(used).to_contain_text("breaks")
    await used.get_by_text("place", exact=False).first.click()
    await expect(used).to_contain_text("look /nodes/1/data/parameterValues/text")
    await expect(used.get_by_role("link", name="test")).to_have_attribute("href", "#/w/test")
    await shot(page, "server-changed")
    await changed.get_by_role("button", name="Accept changes").click()
    await expect(changed).to_have_count(0)
    await expect(words).to_have_text("Sends it all away.")
    listed = await studio.ask(page, "GET", f"/api/v1/servers/{identity}/tools")
    assert cast("Any", listed)["changes"] == []
    await page.goto(f"{studio.url}/#/new")
    lose(server, tmp_path)
    await expect(page.locator(".notices")).to_contain_text("'odd' failed 3 times in a row")
    await shot(page, "server-auto-disabled")
    await page.goto(f"{studio.url}/#/inbox")
    await expect(page.get_by_role("region", name="System notices")).to_contain_text("'odd' failed")
    await page.goto(f"{studio.url}/#/servers/{identity}")
    await expect(page.locator(".server__head")).to_contain_text("auto-disabled")
    await page.get_by_role("button", name="Remove", exact=True).click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove the server").click()
    await expect(page.get_by_role("heading", name="No servers yet")).to_be_visible()


def lose(server: ScriptedServer, folder: Path) -> None:
    """The server's process ends, and no new one starts."""
    pid = server.processes[-1]
    shutil.rmtree(folder)
    os.kill(pid, signal.SIGKILL)
