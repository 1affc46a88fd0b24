"""What a person sees of a template that was placed, and of the question that it asks."""

import pytest
from playwright.async_api import Page, expect

from e2e.studio import WHOLE, Studio

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def test_a_template_is_in_view_as_a_whole_and_asks_in_words(
    page: Page, studio: Studio
) -> None:
    await page.goto(f"{studio.url}/#/templates")
    await page.get_by_role("button", name="Use Expense form").click()
    steps = page.locator(".react-flow__node")
    await expect(steps).to_have_count(5)
    for at in range(5):
        await expect(steps.nth(at)).to_be_in_viewport(ratio=WHOLE)
    side = await page.get_by_role("complementary", name="Inspector").bounding_box()
    last = [await steps.nth(at).bounding_box() for at in range(5)]
    assert side is not None
    assert max(box["x"] + box["width"] for box in last if box) <= side["x"]
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(page.locator(".run-panel__head .badge")).to_have_text("waiting")
    await page.goto(f"{studio.url}/#/inbox")
    await expect(page.get_by_label("Amount *", exact=True)).to_be_visible()
    await expect(page.get_by_role("option").or_(page.locator(".badge")).first).to_contain_text(
        "Form"
    )
    assert await page.get_by_label("Reason", exact=True).count() == 1
