"""The open node: what it can read beside its form, chosen by mouse and by keyboard."""

from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from e2e.fields import box
from e2e.studio import Studio, open_page, shot
from e2e.test_expressions import workflow

pytestmark = pytest.mark.anyio

NAME = "node-view"
ANSWER = '{"days": [{"high": 7}]}'


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


@pytest.fixture(scope="module")
async def page(browser: Browser, studio: Studio) -> AsyncGenerator[Page]:
    """One page for the module: each test opens the workflow anew."""
    async with open_page(browser, studio) as opened:
        sample = cast("Any", await studio.ask(opened, "POST", "/api/v1/samples"))
        document = workflow(NAME, sample["server"])
        document["inputSchema"]["properties"]["note"] = {"type": "string"}
        await studio.ask(opened, "PUT", f"/api/v1/workflows/{NAME}", {"document": document})
        document["nodes"][1]["data"]["parameterValues"] = {"city": "Oslo"}
        body = {"document": document, "inputs": {"city": "Oslo", "note": ANSWER}}
        await studio.ask(opened, "POST", "/api/v1/runs", body)
        yield opened


async def open_node(page: Page, studio: Studio, node: str) -> Locator:
    await page.goto(f"{studio.url}/#/")
    await expect(page.get_by_role("heading", name="Workflows", level=1)).to_be_visible()
    await page.goto(f"{studio.url}/#/w/{NAME}")
    await page.locator(f".react-flow__node[data-id={node}]").dblclick()
    view = page.get_by_role("dialog")
    await expect(view.get_by_role("tree", name="Input")).to_be_visible()
    return view


async def runs_of(page: Page, studio: Studio) -> int:
    return len(cast("Any", await studio.ask(page, "GET", f"/api/v1/runs?workflow={NAME}"))["runs"])


async def a_step_is_run_alone(page: Page, view: Locator) -> None:
    """On the data of the last run, then on an input that is typed."""
    condition = box(view, "Condition expression")
    await condition.fill("data == 'cold'")
    await view.get_by_role("button", name="Run step").click()
    output = view.get_by_role("region", name="Output", exact=True)
    await expect(output.locator(".badge")).to_have_text("false")
    await view.get_by_role("button", name="Edit its input").click()
    await view.get_by_label("Input of this step, as JSON").fill('"cold"')
    await view.get_by_role("button", name="Run step").click()
    await expect(output.locator(".badge")).to_have_text("true")
    await shot(page, "node-view-step")
    await condition.fill("data ==")
    await view.get_by_role("button", name="Run step").click()
    await expect(output.get_by_role("alert")).to_contain_text("EXPRESSION_INVALID")
    await condition.fill("")
    await view.get_by_role("button", name="Run step").click()
    await expect(output.get_by_role("alert")).to_contain_text(
        "Enter a value for Condition expression"
    )


async def a_small_window_shows_one_pane_at_a_time(page: Page, view: Locator) -> None:
    """Choosing a value leads back to the field that got it."""
    wide = page.viewport_size
    assert wide is not None
    await page.set_viewport_size({"width": 390, "height": 844})
    city = box(view, "city")
    await city.fill("")
    await view.get_by_role("tab", name="Input", exact=True).click()
    await expect(city).to_be_hidden()
    await view.get_by_role("treeitem", name="city").first.click()
    await expect(city).to_have_text("{{ data.city }}")
    await expect(city).to_be_focused()
    await page.set_viewport_size(wide)


async def test_a_value_is_mapped_by_click_drag_and_keyboard(page: Page, studio: Studio) -> None:
    view = await open_node(page, studio, "get")
    tree = view.get_by_role("tree", name="Input")
    city = box(view, "city")
    await expect(view.get_by_text("into the first empty field")).to_be_visible()
    await tree.get_by_role("treeitem", name="city").first.click()
    await expect(city).to_have_text("{{ data.city }}")
    await city.fill("")
    await city.click()
    await expect(view.get_by_text("Click a value to insert it into city")).to_be_visible()
    await tree.get_by_role("treeitem", name="city").first.click()
    await expect(city).to_have_text("{{ data.city }}")
    await expect(city).to_be_focused()
    await expect(view.locator(".preview__value").first).to_have_text("Oslo")
    await shot(page, "node-view")
    days = box(view, "days")
    await tree.get_by_role("treeitem", name="city").first.drag_to(days)
    await expect(days).to_have_text("{{ data.city }}")
    colour = "one => getComputedStyle(one).color"
    plain = await city.evaluate(colour)
    assert await city.get_by_text("data", exact=True).evaluate(colour) != plain
    await city.fill("in ")
    await page.keyboard.press("Alt+i")
    await page.keyboard.press("End")
    await page.keyboard.press("Home")
    await expect(tree.get_by_role("treeitem").first).to_be_focused()
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Enter")
    await expect(city).to_have_text("in {{ data.city }}")
    await expect(city).to_be_focused()
    await a_small_window_shows_one_pane_at_a_time(page, view)
    await page.keyboard.press("Escape")
    await expect(view).to_have_count(0)
    assert await runs_of(page, studio) == 1  # mapping runs nothing


async def test_json_in_a_text_opens_as_a_tree_and_earlier_outputs_are_listed(
    page: Page, studio: Studio
) -> None:
    view = await open_node(page, studio, "say")
    text = box(view, "Text")
    await expect(view.get_by_text("Insert values with {{ }}")).to_be_visible()
    await text.fill("")
    tree = view.get_by_role("tree", name="Input")
    await view.get_by_role("searchbox", name="Search the input").fill("high")
    await tree.get_by_role("treeitem", name="high 7").first.click()
    await expect(text).to_have_text("{{ trigger.note.parseJson().days[0].high }}")
    await expect(view.locator(".preview__value")).to_have_text("7")
    await view.get_by_role("searchbox", name="Search the input").fill("")
    await expect(tree.get_by_role("treeitem", name="get", exact=False).first).to_be_visible()
    for look, region in (("Table", "Input as a table"), ("JSON", "Input as JSON")):
        await view.get_by_label("Input as").get_by_role("tab", name=look).click()
        await expect(view.get_by_role("region", name=region)).to_contain_text("sky")
    await page.keyboard.press("Alt+ArrowRight")
    await expect(view.get_by_role("heading", name="Check")).to_be_visible()
    await page.keyboard.press("Alt+ArrowLeft")
    await expect(view.get_by_role("heading", name="Say")).to_be_visible()
    await view.get_by_role("button", name="Next node").click()
    await expect(view.get_by_role("heading", name="Check")).to_be_visible()
    await a_step_is_run_alone(page, view)
    await page.keyboard.press("Escape")
    assert await runs_of(page, studio) == 1
