"""What the page shows beside its content: notices, and fields that cannot be changed."""

import re

import anyio
import pytest
from playwright.async_api import Locator, Page, expect

from e2e.studio import Studio
from rest.drawn import greeting

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def background(field: Locator) -> str:
    return await field.evaluate("field => getComputedStyle(field).backgroundColor")


async def test_a_field_that_cannot_be_changed_does_not_look_editable(
    page: Page, studio: Studio
) -> None:
    document = {"document": greeting("fixed")}
    await studio.ask(page, "PUT", "/api/v1/workflows/fixed", document)
    await page.goto(f"{studio.url}/#/w/fixed")
    await page.locator(".react-flow__node[data-id=greet]").click()
    name = page.get_by_role("complementary", name="Inspector").get_by_label("Name", exact=True)
    await expect(name).to_be_editable()
    editable = await background(name)
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(page.locator(".run-panel__head .badge")).to_have_text(re.compile("success|failed"))
    await (
        page.get_by_role("link", name="Open run")
        .or_(page.get_by_role("button", name="Open run"))
        .click()
    )
    await page.locator(".react-flow__node[data-id=greet]").click()
    await expect(name).not_to_be_editable()
    assert await background(name) != editable


async def test_notices_leave_the_tabs_of_a_page_free(page: Page, studio: Studio) -> None:
    await page.goto(f"{studio.url}/#/manage/keys")
    tabs = page.get_by_role("tablist", name="Sections")
    await expect(tabs).to_be_visible()
    place = page.locator(".notices")
    # However many lines they have: they begin below the tabs.
    box, free = await tabs.bounding_box(), await place.bounding_box()
    assert box is not None
    assert free is not None
    assert free["y"] > box["y"] + box["height"]


async def test_a_long_dialog_has_one_scroll_bar(page: Page, studio: Studio) -> None:
    await page.goto(f"{studio.url}/#/templates")
    await page.get_by_role("button", name="Use Folder to database").click()
    await page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Test event for New file")
    await expect(dialog).to_be_visible()
    hidden = "shown => shown.scrollHeight - shown.clientHeight"
    with anyio.fail_after(60):
        while await dialog.locator(".dialog__body").evaluate(hidden) <= 0:
            await page.wait_for_timeout(50)  # its content comes after it
    assert await dialog.evaluate(hidden) == 0
