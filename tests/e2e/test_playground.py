"""The tool playground: any tool is tried from the servers page, and kept as a node."""

from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.async_api import Locator, Page, TimeoutError, expect

from e2e.hands import Hands
from e2e.mcp import approved
from e2e.studio import Studio, shot
from e2e.test_access import EVERYTHING, findings
from toolweave.testing.server import ScriptedServer, a_tool, answers, never, says

pytestmark = pytest.mark.anyio

ORDER = {
    "type": "object",
    "properties": {
        "customer_name": {"type": "string", "description": "Who orders."},
        "count": {"type": "integer", "minimum": 1},
    },
    "required": ["customer_name", "count"],
}
NOTHING = {"type": "object"}
ROWS = [{"sku": "A1", "count": 2}, {"sku": "B2", "count": 5}]
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
    "AABJRU5ErkJggg=="
)


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def shop(page: Page, studio: Studio, name: str, folder: Path) -> str:
    """An approved server with a tool that returns rows, and one that returns a picture."""
    server = ScriptedServer(
        folder,
        a_tool("order", inputSchema=ORDER),
        a_tool("draw", inputSchema=NOTHING),
        a_tool("hang", inputSchema=NOTHING),
        a_tool("much", inputSchema=NOTHING),
    )
    rows: dict[str, Any] = {"content": [], "structuredContent": {"rows": ROWS}}
    picture = {
        "content": [
            {"type": "text", "text": "Drawn."},
            {"type": "image", "mimeType": "image/png", "data": PIXEL},
        ]
    }
    server.on_call("order", [answers(rows)])
    server.on_call("draw", [answers(picture)])
    server.on_call("hang", [never()])
    server.on_call("much", [says("long " * 400_000)])
    return await approved(page, studio, name, server)


async def tried(page: Page, studio: Studio, identity: str, tool: str) -> Locator:
    await page.goto(f"{studio.url}/#/servers/{identity}")
    await page.get_by_role("button", name=f"Try it: {tool}").click()
    dialog = page.get_by_role("dialog", name=f"Try {tool}")
    await expect(dialog).to_be_visible()
    return dialog


def customer(where: Page | Locator) -> Locator:
    return where.get_by_role("combobox", name="Customer name")


def count(where: Page | Locator) -> Locator:
    return where.get_by_role("textbox", name="Count")


async def test_a_tool_is_tried_and_kept_as_a_node_with_its_values(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    identity = await shop(page, studio, "tried-shop", tmp_path)
    dialog = await tried(page, studio, identity, "order")
    # Nothing is wrong before somebody entered or ran something.
    await expect(customer(dialog)).to_be_visible()
    await expect(dialog.locator(".field__fault")).to_have_count(0)
    await dialog.get_by_role("button", name="Run", exact=True).click()
    await expect(customer(dialog)).to_have_attribute("aria-invalid", "true")
    await expect(count(dialog)).to_have_attribute("aria-invalid", "true")
    await expect(customer(dialog)).to_be_focused()
    assert await findings(page, EVERYTHING) == []
    await customer(dialog).fill("Ada")
    await count(dialog).fill("2")
    await dialog.get_by_role("button", name="Run", exact=True).click()
    result = dialog.get_by_role("region", name="Result")
    await expect(result.get_by_role("tree")).to_contain_text("rows")
    await result.get_by_role("tab", name="Table").click()
    await expect(result.get_by_role("table").get_by_role("row")).to_have_count(3)
    await expect(result.get_by_role("table")).to_contain_text("B2")
    await shot(page, "playground")
    assert await findings(page, EVERYTHING) == []
    await dialog.get_by_role("button", name="Use in a new workflow").click()
    await expect(dialog).to_have_count(0)
    await expect(page.locator(".react-flow__node[data-id=order]")).to_be_visible()
    await expect(customer(page)).to_have_value("Ada")
    await expect(count(page)).to_have_value("2")
    # Away from the canvas the button names the workflow that it changes.
    await page.goto(f"{studio.url}/#/servers/{identity}")
    await expect(page.get_by_role("button", name="Add order to untitled")).to_be_visible()


async def test_a_tool_is_tried_with_the_keyboard_alone_and_shows_its_picture(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    identity = await shop(page, studio, "keyed-shop", tmp_path)
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.goto(f"{studio.url}/#/servers/{identity}")
    hands, dialog = Hands(page), page.get_by_role("dialog", name="Try draw")
    await try_by_keys(hands, dialog, "draw")
    await expect(dialog.get_by_text("This tool takes no arguments.")).to_be_visible()
    await page.keyboard.press("Control+Enter")
    await expect(dialog.get_by_role("img", name="Image of draw")).to_be_visible()
    box = await dialog.get_by_role("img", name="Image of draw").bounding_box()
    assert box is not None
    assert 0 <= box["x"] < 390
    await expect(dialog.get_by_role("region", name="Result as text")).to_have_text("Drawn.")
    await shot(page, "playground-390")
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await expect(page.get_by_role("button", name="Try it: draw")).to_be_focused()
    # A call that takes too long is stopped, and does not go on in the service.
    dialog = page.get_by_role("dialog", name="Try hang")
    await try_by_keys(hands, dialog, "hang")
    await page.keyboard.press("Control+Enter")
    await expect(dialog.get_by_role("button", name="Stop")).to_be_visible()
    await hands.reach("Stop")
    await page.keyboard.press("Enter")
    await expect(dialog.get_by_role("heading", name="No result yet")).to_be_visible()
    await page.goto(f"{studio.url}/#/runs?text=&status=cancelled")
    await expect(page.get_by_role("table", name="Runs")).to_contain_text("test hang")
    # Kept as a node, without a mouse.
    await page.goto(f"{studio.url}/#/servers/{identity}")
    dialog = page.get_by_role("dialog", name="Try draw")
    await try_by_keys(hands, dialog, "draw")
    await hands.reach("Use in a new workflow")
    await page.keyboard.press("Enter")
    await expect(page.locator(".react-flow__node[data-id=draw]")).to_be_visible()


async def try_by_keys(hands: Hands, dialog: Locator, tool: str) -> None:
    """The list is drawn again when the live tools arrive: the focus on a button may be lost."""
    await expect(hands.page.get_by_role("button", name=f"Try it: {tool}")).to_be_visible()
    while not await dialog.is_visible():
        with suppress(AssertionError, TimeoutError):
            await hands.until("Tab", f"Try it: {tool}")
            await hands.page.keyboard.press("Enter")
            await dialog.wait_for(timeout=3_000)


async def test_a_question_of_a_tried_tool_is_answered_where_it_is_asked(
    page: Page, studio: Studio
) -> None:
    made = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))
    dialog = await tried(page, studio, made["server"], "ask")
    await dialog.get_by_role("button", name="Run", exact=True).click()
    await dialog.get_by_label("Name").fill("Ada")
    assert await findings(page, EVERYTHING) == []
    await dialog.get_by_role("button", name="Send answer").click()
    await expect(dialog.get_by_role("tree")).to_contain_text("accept")
    await expect(dialog.get_by_role("tree")).to_contain_text("Ada")


async def test_a_tool_of_a_disabled_server_says_what_to_do(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    identity = await shop(page, studio, "off-shop", tmp_path)
    await tried(page, studio, identity, "draw")
    await page.keyboard.press("Escape")
    await studio.ask(page, "POST", f"/api/v1/servers/{identity}/disable")
    await page.reload()
    note = page.get_by_text("Enable the server to see and try its tools.")
    await expect(note).to_be_visible()
    await expect(page.get_by_role("button", name="Try it: draw")).to_have_count(0)
    assert await findings(page, EVERYTHING) == []
    await page.get_by_role("button", name="Enable", exact=True).click()
    await expect(page.get_by_role("button", name="Try it: draw")).to_be_visible()


async def test_a_tried_tool_is_added_to_the_open_workflow(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    await shop(page, studio, "open-shop", tmp_path)
    await page.goto(f"{studio.url}/#/new")
    await page.locator(".react-flow__node[data-id=start]").click()
    await page.keyboard.press("m")
    browser = page.get_by_role("dialog", name="MCP servers and their tools")
    await browser.get_by_role("button", name="open-shop").click()
    await browser.get_by_role("button", name="Try it: order").click()
    dialog = page.get_by_role("dialog", name="Try order")
    await count(dialog).fill("7")
    await dialog.get_by_role("button", name="Use in untitled").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.locator(".react-flow__node")).to_have_count(3)
    await expect(count(page)).to_have_value("7")
    assert await findings(page, EVERYTHING) == []


async def test_the_chosen_view_of_the_result_stays_for_the_next_call(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    await shop(page, studio, "views", tmp_path)
    await page.goto(f"{studio.url}/#/servers")
    await page.get_by_role("button", name="views").first.click()
    await page.get_by_role("button", name="Try it: draw").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Run", exact=True).click()
    await dialog.get_by_role("tab", name="JSON").click()
    async with page.expect_response("**/api/v1/edit/test"):
        await dialog.get_by_role("button", name="Run", exact=True).click()
    await expect(dialog.get_by_role("tab", name="JSON")).to_have_attribute("aria-selected", "true")
    assert await dialog.get_by_role("tab", selected=True).all_inner_texts() == ["JSON"]
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Try it: much").click()
    dialog = page.get_by_role("dialog", name="Try much")
    await page.keyboard.press("Control+Enter")
    await dialog.get_by_role("link", name="Open the run to see or download all of it").click()
    await expect(dialog).to_have_count(0)
    await expect(page.locator(".run-panel__head .badge")).to_have_text("success")
