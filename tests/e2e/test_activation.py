"""The Active switch says that it saves, and saves only what the user agrees to."""

from typing import Any, cast

import pytest
from playwright.async_api import Page, expect

from e2e.opening import card, inspector, open_workflow
from e2e.studio import Studio
from rest.drawn import drawn

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


def hooked(name: str) -> dict[str, Any]:
    document = drawn(
        name, {"id": "say", "type": "prompt", "name": "Say", "data": {"prompt": "Order"}}
    )
    hook = {"subtype": "WEBHOOK", "configurations": {"webhook_path": f"/{name}"}}
    document["nodes"][0] |= {"type": "TRIGGER", "name": "Order", "data": hook}
    return document


async def test_activating_asks_before_it_saves_unsaved_edits(page: Page, studio: Studio) -> None:
    name = "activated"
    await open_workflow(page, studio, hooked(name))
    await card(page, "say").click()
    title = inspector(page).get_by_label("Name", exact=True)
    await title.fill("Say it")
    switch = page.get_by_role("switch", name="Active")
    await switch.click()
    dialog = page.get_by_role("dialog", name=f"Save and activate {name}?")
    await expect(dialog).to_contain_text("unsaved changes")
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(dialog).to_have_count(0)
    assert await names(page, studio, name) == ["Order", "Say", "End"]
    assert await switch.get_attribute("aria-checked") == "false"
    await switch.click()
    await dialog.get_by_role("button", name="Save and activate").click()
    await expect(switch).to_be_checked()
    assert await names(page, studio, name) == ["Order", "Say it", "End"]
    # The same for later edits; without any, nothing is asked.
    await title.fill("Say more")
    await page.get_by_role("button", name="Activate changes").click()
    await expect(dialog).to_be_visible()
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+s")
    await expect(page.locator(".editor__bar .badge").first).to_have_text("saved")
    await page.get_by_role("button", name="Activate changes").click()
    await expect(page.get_by_role("button", name="Activate changes")).to_have_count(0)
    assert await dialog.count() == 0
    await switch.click()
    await expect(switch).not_to_be_checked()


async def names(page: Page, studio: Studio, workflow: str) -> list[str]:
    kept = cast("Any", await studio.ask(page, "GET", f"/api/v1/workflows/{workflow}"))
    return [node["name"] for node in kept["document"]["nodes"]]
