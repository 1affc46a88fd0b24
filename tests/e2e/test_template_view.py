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


async def test_each_tag_of_the_gallery_narrows_it_to_several_templates(
    page: Page, studio: Studio
) -> None:
    await page.goto(f"{studio.url}/#/templates")
    cards = page.get_by_role("list", name="Templates").get_by_role("listitem")
    await expect(cards.first).to_be_visible()
    tag = page.get_by_label("Tag", exact=True)
    names = await tag.locator("option").all_inner_texts()
    assert 5 < len(names) < 25
    whole = await cards.count()
    for name in names[1:]:
        await tag.select_option(name)
        assert 2 <= await cards.count() < whole
