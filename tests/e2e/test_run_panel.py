"""The run panel: resized by mouse and keys, values as a table, tree or JSON, errors in sight."""

from typing import Any, cast

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from e2e.hands import Hands
from e2e.studio import PICTURED, Studio, open_page, shot
from rest.drawn import drawn

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


def computing(name: str, title: str, script: str, given: object) -> dict[str, Any]:
    """A workflow with one node that evaluates an expression."""
    config = {"operation": "custom", "transformation_script": script}
    given = {} if given is None else {"inputParams": {"data": given}}
    data = {"subtype": "DATA_TRANSFORMATION", "configurations": config, **given}
    return drawn(name, {"id": "compute", "type": "ACTION", "name": title, "data": data})


ROWS = "[{'city': 'Oslo', 'high': 3}, {'city': 'Rome', 'high': 21}]"
LISTING = computing("listing", "Rows", ROWS, [1])


async def run_of(page: Page, studio: Studio, document: dict[str, Any]) -> str:
    run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", {"document": document}))
    await page.goto(f"{studio.url}/#/runs/{run['id']}")
    return run["id"]


def head(page: Page) -> Locator:
    return page.locator(".run-panel__head .badge")


async def height(page: Page) -> float:
    box = await page.locator(".run-panel").bounding_box()
    assert box is not None
    return box["height"]


async def test_the_panel_is_resized_with_the_mouse_and_keys_and_stays_so(
    page: Page, studio: Studio
) -> None:
    run = await run_of(page, studio, LISTING)
    handle = page.get_by_role("separator", name="Height of the run panel")
    await expect(handle).to_have_attribute("aria-valuenow", "290")
    first = await height(page)
    box = await handle.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x, y - 60, steps=3)
    await page.mouse.move(x, y - 120, steps=3)
    await page.mouse.up()
    await expect(handle).to_have_attribute("aria-valuenow", "410")
    assert await height(page) == first + 120
    await resized_by_keys(Hands(page), handle)
    await page.reload()
    await expect(head(page)).to_have_text("success")
    await expect(handle).to_have_attribute("aria-valuenow", "240")
    await handle.dblclick()
    await expect(handle).to_have_attribute("aria-valuenow", "290")
    assert run in page.url


async def resized_by_keys(hands: Hands, handle: Locator) -> None:
    name = "Height of the run panel"
    if not (await hands.to_panel("run")).startswith(name):
        await hands.until("Tab", name)
    await hands.press("ArrowDown")
    await expect(handle).to_have_attribute("aria-valuenow", "390")
    await hands.press("Home")
    await expect(handle).to_have_attribute("aria-valuenow", "140")
    await hands.press("Shift+ArrowUp")
    await expect(handle).to_have_attribute("aria-valuenow", "240")


async def test_a_list_of_objects_is_a_table_and_the_view_can_be_changed(
    browser: Browser, studio: Studio
) -> None:
    for scheme in PICTURED:
        async with open_page(browser, studio, scheme=scheme) as page:
            await run_of(page, studio, LISTING)
            await expect(head(page)).to_have_text("success")
            await page.locator(".timeline__row", has_text="Rows").click()
            detail = page.locator(".step-detail")
            await detail.get_by_role("tab", name="Table").click()
            table = detail.get_by_role("region", name="Rows output as a table")
            await expect(table.get_by_role("columnheader")).to_have_text(["city", "high"])
            await expect(table.get_by_role("row", name="Rome")).to_contain_text("21")
            await shot(page, f"run-table-{scheme}")
            await views_by_keys(Hands(page), detail)
            scrolling = await detail.evaluate(
                "box => [...box.querySelectorAll('*')].filter(part =>"
                " /auto|scroll/.test(getComputedStyle(part).overflowY)).length"
            )
            assert scrolling == 1


async def views_by_keys(hands: Hands, detail: Locator) -> None:
    await hands.press("ArrowRight")
    await expect(detail.get_by_role("tree")).to_contain_text("2 items")
    await hands.press("ArrowRight")
    await expect(detail.get_by_role("region", name="Rows output")).to_contain_text('"Oslo"')


async def test_a_failed_run_shows_the_error_and_its_remedy_without_a_click(
    page: Page, studio: Studio
) -> None:
    failing = computing("broken-step", "Bad", "[]", None)
    await run_of(page, studio, failing)
    await expect(head(page)).to_have_text("failed")
    alert = page.locator(".step-detail").get_by_role("alert")
    await expect(alert).to_contain_text("needs 'data'")
    assert await alert.locator("p").count() == 1
    # Also while a node is selected that the run did not reach.
    await page.locator(".react-flow__node[data-id=end]").click()
    await expect(alert).to_contain_text("needs 'data'")
    # The control: of one that it reached, its own output is shown.
    await page.locator(".react-flow__node[data-id=start]").click()
    await expect(alert).to_have_count(0)


async def test_a_run_that_failed_after_other_steps_is_found_and_shown_as_failed(
    page: Page, studio: Studio
) -> None:
    text = {"id": "text", "type": "prompt", "name": "Text", "data": {"prompt": "Done."}}
    settings = {"outcome": "error", "message": "Out of stock"}
    data = {"subtype": "STOP", "configurations": settings}
    document = drawn(
        "late-failure", text, {"id": "bad", "type": "FLOW", "name": "Bad", "data": data}
    )
    run = await run_of(page, studio, document)
    await expect(head(page)).to_have_text("failed")
    stored = cast("Any", await studio.ask(page, "GET", f"/api/v1/runs/{run}"))
    assert stored["status"] == "partial"
    alert = page.locator(".step-detail").get_by_role("alert")
    await expect(alert).to_contain_text("Out of stock")
    # Not by its colour alone.
    row = page.locator(".timeline__row", has_text="Bad")
    await expect(row.locator(".timeline__took")).to_contain_text("failed")
    await page.goto(f"{studio.url}/#/runs")
    listed = page.get_by_role("table", name="Runs").get_by_role("row").filter(has_text=run[:8])
    await expect(listed).to_be_visible()
    status = page.get_by_label("Status", exact=True)
    await status.select_option("success")
    await expect(listed).to_have_count(0)
    await found_by_keys(Hands(page), studio)
    await expect(listed).to_contain_text("failed")
    await compared_by_keyboard(page, studio, document, run)


async def found_by_keys(hands: Hands, studio: Studio) -> None:
    """By text, workflow, time and state: letters choose an option."""
    page = hands.page
    await hands.until("Tab", "Search inputs")
    await page.keyboard.type("in no input")
    await expect(page.get_by_role("heading", name="No runs match")).to_be_visible()
    await hands.until("Tab", "Clear filters")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("table", name="Runs")).to_be_visible()
    await hands.until("Tab", "Workflow", whole=True)
    await page.keyboard.type("late-f")
    await hands.until("Tab", "Started")
    await page.keyboard.type("Last h")
    await hands.until("Shift+Tab", "Status")
    await page.keyboard.press("f")
    address = f"{studio.url}/#/runs?status=failed&workflow=late-failure&period=1"
    await expect(page).to_have_url(address)


async def compared_by_keyboard(
    page: Page, studio: Studio, document: dict[str, Any], run: str
) -> None:
    """Two of the listed runs are marked with the space bar, and their difference is shown."""
    document["nodes"][1]["data"]["prompt"] = "Nearly done."
    other = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", {"document": document}))
    for one, key in ((run, "Tab"), (other["id"], "Shift+Tab")):
        mark = page.get_by_role("checkbox", name=f"Select run {one[:8]}")
        await expect(mark).to_be_visible()
        await Hands(page).until(key, f"Select run {one[:8]}")
        await page.keyboard.press("Space")
        await expect(mark).to_be_checked()
    await page.keyboard.press("Shift+Tab")
    await expect(page.get_by_role("button", name="Compare")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator(".compare mark").filter(has_text="Nearly done.")).to_be_visible()
