"""Publishing in the editor: a tool that a real MCP client calls, and whose run appears."""

import json
import re
from typing import Any, cast

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from playwright.async_api import Locator, Page, expect

from e2e.fields import box
from e2e.studio import Studio, shot
from rest.drawn import greeting
from servers.rooms import eventually

pytestmark = pytest.mark.anyio


async def test_a_workflow_is_published_called_by_a_client_and_taken_back(
    page: Page, studio: Studio
) -> None:
    document = greeting("hail")
    await studio.ask(page, "PUT", "/api/v1/workflows/hail", {"document": document})
    await page.goto(f"{studio.url}/#/w/hail")
    bar = page.locator(".editor__bar")
    await bar.get_by_role("button", name="Publish").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("list", name="Inputs of the tool")).to_contain_text("who")
    name = dialog.get_by_label("Tool name")
    await expect(name).to_have_value("hail")
    await name.fill("9 lives")
    await expect(dialog.get_by_text("Starts with a letter")).to_be_visible()
    await expect(dialog.get_by_role("button", name="Publish", exact=True)).to_be_disabled()
    await name.fill("hail_somebody")
    await dialog.get_by_label("Description").fill("Greets the named person.")
    await shot(page, "publish")
    await dialog.get_by_role("button", name="Publish", exact=True).click()
    await expect(dialog.get_by_role("heading", name="Published as hail_somebody")).to_be_visible()
    # It is longer than the window, and has one scroll bar.
    await expect(dialog.get_by_role("heading", name="Connect a client")).to_be_visible()
    hidden = "shown => shown.scrollHeight - shown.clientHeight"
    assert await dialog.locator(".dialog__body").evaluate(hidden) > 0
    assert await dialog.evaluate(hidden) == 0
    await expect(bar.locator(".badge", has_text="published")).to_be_attached()
    answer = await called(studio, await key_of(page, dialog))
    assert answer == "Hello, Ada!"
    await dialog.get_by_role("button", name="Close").click()
    await a_later_edit_waits(page)
    await bar.get_by_role("button", name="More").click()
    await page.get_by_role("menuitem", name="Runs").click()
    await expect(page.get_by_role("combobox", name="Workflow", exact=True)).to_have_value("hail")
    row = page.get_by_role("row").filter(has_text="hail")
    await expect(row.first).to_contain_text("success")
    await page.goto(f"{studio.url}/#/w/hail")
    await bar.get_by_role("button", name="Publish").click()
    await dialog.get_by_role("button", name="Unpublish").click()
    await expect(dialog.get_by_role("heading", name="Publish hail")).to_be_visible()
    assert await studio.ask(page, "GET", "/api/v1/published") == {"published": []}


async def test_a_changed_workflow_is_compared_with_its_past_runs_before_it_is_published(
    page: Page, studio: Studio
) -> None:
    document = greeting("welcome")
    await studio.ask(page, "PUT", "/api/v1/workflows/welcome", {"document": document})
    for who in ("Ada", "Bob"):
        body = {"workflow": "welcome", "inputs": {"who": who}}
        run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", body))
        await run_ends(page, studio, run["id"])  # a run under way is not compared
    await page.goto(f"{studio.url}/#/w/welcome")
    bar = page.locator(".editor__bar")
    await bar.get_by_role("button", name="Publish").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Backtest").click()
    await expect(dialog.get_by_text("2 runs: 2 same, 0 different, 0 not compared")).to_be_visible()
    await dialog.get_by_role("button", name="Close").click()
    await page.locator(".react-flow__node[data-id=greet]").click()
    prompt = box(page, "Text")
    await prompt.fill("Good day, {{who}}!")
    await bar.get_by_role("button", name="Publish").click()
    await dialog.get_by_role("button", name="Backtest").click()
    rows = dialog.get_by_role("region", name="Runs with differences").get_by_role("row")
    await expect(rows).to_have_count(3)
    await expect(rows.nth(1)).to_contain_text('"Hello, Bob!" → "Good day, Bob!"')
    await shot(page, "publish-backtest")
    await expect(dialog.get_by_role("button", name="Save and publish anyway")).to_be_enabled()
    assert "welcome" not in str(await studio.ask(page, "GET", "/api/v1/published"))


async def run_ends(page: Page, studio: Studio, run: str) -> None:
    """Wait for the end of a run."""

    async def is_over() -> bool:
        shown = cast("Any", await studio.ask(page, "GET", f"/api/v1/runs/{run}"))
        return shown["status"] == "success"

    await eventually(is_over)


async def key_of(page: Page, dialog: Locator) -> str:
    """Create a key in the dialog, and read it where it is shown this once."""
    await dialog.get_by_role("button", name="Create a key for this tool").click()
    command = dialog.get_by_role("textbox", name="Command for Claude Code")
    await expect(command).to_have_value(re.compile("Bearer tw_"))
    entry = dialog.get_by_role("textbox", name="Configuration for Cursor and others")
    servers = json.loads(await entry.input_value())["mcpServers"]
    assert servers["toolweave"]["headers"]["Authorization"].startswith("Bearer tw_")
    await shot(page, "publish-connect")
    found = re.search(r"Bearer (tw_\S+?)\"", await command.input_value())
    assert found is not None
    return found[1]


async def called(studio: Studio, key: str) -> str:
    """Call the tool as a client does that knows nothing but the address and the key."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http,
        Client(streamable_http_client(f"{studio.url}/mcp", http_client=http)) as client,
    ):
        with anyio.fail_after(60):
            listed = await client.list_tools()
            [tool] = [one for one in listed.tools if one.name == "hail_somebody"]
            assert tool.description == "Greets the named person."
            result = await client.call_tool("hail_somebody", {"who": "Ada"})
    return result.structured_content["result"]


async def a_later_edit_waits(page: Page) -> None:
    bar = page.locator(".editor__bar")
    await page.locator(".react-flow__node[data-id=greet]").click()
    await box(page, "Text").fill("Ahoy, {{who}}! {{")
    await expect(bar.locator(".badge", has_text="unpublished changes")).to_be_visible()
    await box(page, "Text").fill("Ahoy, {{who}}!")
    await bar.get_by_role("button", name="Save", exact=True).click()
    await expect(bar.locator(".badge").first).to_have_text("saved")
    await expect(bar.locator(".badge", has_text="unpublished changes")).to_be_visible()
    await bar.get_by_role("button", name="Publish").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_text("unpublished changes")).to_be_visible()
    await expect(dialog.get_by_label("Tool name")).to_be_focused()
    await dialog.get_by_role("button", name="Publish again").click()
    await expect(dialog.get_by_text("current", exact=True)).to_be_visible()
    await dialog.get_by_role("button", name="Export as a slash command").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Export hail")
    await page.get_by_role("dialog").get_by_role("button", name="Close").click()
