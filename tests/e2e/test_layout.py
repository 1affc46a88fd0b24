"""What stays in its place: filters in one row, fields below the mode switch, tables at 390 px."""

from typing import Any, cast

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from e2e.studio import Studio, open_page, shot
from e2e.test_defects import box_of, overlap
from e2e.test_expressions import workflow
from e2e.test_feedback import unset
from rest.drawn import greeting
from servers.rooms import eventually

pytestmark = pytest.mark.anyio

TOPS = "all => [...new Set(all.map(one => one.getBoundingClientRect().top))].length"
WIDER = "one => one.scrollWidth - one.parentElement.clientWidth"
# How many elements change their colours gradually when the theme changes.
CHANGING = """theme => {
  getComputedStyle(document.body).color;
  document.documentElement.dataset.theme = theme;
  getComputedStyle(document.body).color;
  return document.getAnimations().length;
}"""
BOTTOM = "one => one.getBoundingClientRect().bottom"


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def fits(table: Locator) -> bool:
    return await table.evaluate(WIDER) <= 0


async def test_nothing_changes_gradually_for_people_who_want_no_motion(page: Page) -> None:
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert await page.evaluate(CHANGING, "dark") == 0
    # The control: with motion, what has a transition does change gradually.
    await page.emulate_media(reduced_motion="no-preference")
    await page.evaluate("() => { document.body.style.transition = 'color 9s' }")
    assert await page.evaluate(CHANGING, "light") > 0


async def test_filters_modes_and_columns_have_room(page: Page, studio: Studio) -> None:
    name = "a-workflow-whose-name-is-longer-than-others-" + "x" * 40
    body = {"document": greeting(name), "inputs": {"who": "Ada"}}
    await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": greeting(name)})
    await studio.ask(page, "POST", "/api/v1/runs", body)
    await page.set_viewport_size({"width": 1440, "height": 900})
    await page.goto(f"{studio.url}/#/runs")
    runs = page.get_by_role("table", name="Runs")
    await expect(runs.get_by_role("cell", name="success").first).to_be_visible()
    rows = await page.locator(".filters > .select, .filters > .input").evaluate_all(TOPS)
    assert rows == 1
    await expect(runs.locator(".badge--dot").first).to_have_text("success")
    await page.get_by_role("searchbox", name="Search inputs").fill("in no input")
    await expect(page.get_by_role("heading", name="No runs match")).to_be_visible()
    await page.get_by_role("button", name="Clear filters").click()
    await expect(runs.get_by_role("cell", name="success").first).to_be_visible()
    await shot(page, "layout-runs")
    await page.set_viewport_size({"width": 390, "height": 844})
    await eventually(lambda: fits(runs))
    await expect(runs.get_by_role("cell", name="success").first).to_be_in_viewport(ratio=1)
    await shot(page, "layout-runs-390")
    await page.goto(f"{studio.url}/#/")
    # Cards, where a table would have narrow columns; a table that was asked for fits as well.
    cards = page.get_by_role("list", name="Workflows")
    await expect(cards.get_by_role("listitem").first).to_be_visible()
    await eventually(lambda: fits(cards))
    await page.get_by_role("button", name="Table", exact=True).click()
    workflows = page.get_by_role("table", name="Workflows")
    await expect(workflows.get_by_role("row").nth(1)).to_be_visible()
    await eventually(lambda: fits(workflows))
    await page.set_viewport_size({"width": 1440, "height": 900})
    sample = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))
    document = workflow("moded", sample["server"])
    await studio.ask(page, "PUT", "/api/v1/workflows/moded", {"document": document})
    await page.goto(f"{studio.url}/#/w/moded")
    await page.locator(".react-flow__node[data-id=get]").click()
    modes = page.locator(".modes")
    await expect(modes).to_be_visible()
    bottoms = set[float]()
    for choice in await modes.get_by_role("radio").all():
        await expect(choice).to_be_enabled()  # not while the mode before is stored
        await choice.click(force=True)
        await expect(choice).to_be_checked()
        bottoms.add(await modes.evaluate(BOTTOM))
    assert len(bottoms) == 1


async def test_a_window_of_1024_pixels_opens_with_room_for_the_canvas(
    browser: Browser, studio: Studio
) -> None:
    async with open_page(browser, studio) as page:
        await page.set_viewport_size({"width": 1024, "height": 700})
        await page.goto(f"{studio.url}/#/new")
        await page.reload()
        canvas = await page.get_by_role("application", name="Workflow").bounding_box()
        assert canvas is not None
        assert canvas["width"] > 600
        await page.get_by_role("button", name="Palette").click()
        await expect(page.get_by_label("Search nodes and tools")).to_be_visible()
        # The palette takes the place of the side panel; neither moves nor narrows the canvas.
        assert await page.get_by_role("application", name="Workflow").bounding_box() == canvas
        await page.get_by_label("Search nodes and tools").fill("prompt")
        await page.keyboard.press("Enter")
        inspector = page.get_by_role("complementary", name="Inspector")
        await expect(inspector).to_have_count(0)
        await page.locator(".step.family--prompt").click()
        await expect(inspector.get_by_label("Name")).to_have_value("Prompt")
        await expect(page.get_by_label("Search nodes and tools")).to_have_count(0)
        assert await page.get_by_role("application", name="Workflow").bounding_box() == canvas
        # In a single column the buttons take two rows, and a run that starts comes into view.
        await page.set_viewport_size({"width": 390, "height": 844})
        name = page.get_by_label("Workflow name")
        await name.fill("narrow")
        bar = await page.get_by_role("group", name="Workflow", exact=True).bounding_box()
        assert bar is not None
        assert bar["height"] < 84
        panel = page.get_by_role("region", name="Run")
        await expect(panel).to_have_count(0)
        await page.get_by_role("textbox", name="Text").fill("Hello")
        await page.get_by_role("button", name="Run", exact=True).click()
        await expect(panel.locator(".badge").first).to_have_text("success")
        await expect(panel).to_be_in_viewport(ratio=0.9)


async def test_a_window_of_390_pixels_has_room_for_problems_and_versions(
    page: Page, studio: Studio
) -> None:
    await studio.ask(page, "PUT", "/api/v1/workflows/small", {"document": unset("small")})
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.goto(f"{studio.url}/#/w/small")
    bar = page.get_by_role("group", name="Workflow", exact=True)
    await expect(bar.get_by_role("button", name="error")).to_be_visible()
    assert await bar.evaluate("one => one.offsetHeight") < 84
    # The tools of the canvas cover no node.
    await page.goto(f"{studio.url}/#/versions/small")
    tools = page.locator(".canvas__tools")
    await expect(tools).to_be_visible()
    node = page.locator(".step").first
    await expect(node).to_be_visible()
    assert not overlap(await box_of(node), await box_of(tools))
