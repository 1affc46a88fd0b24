"""The actions above a node: run this step, pin, duplicate, disable, delete; notes in Markdown."""

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from e2e.hands import Hands
from e2e.studio import PICTURED, Studio, open_page, shot
from e2e.test_drawing import settled
from rest.drawn import drawn

pytestmark = pytest.mark.anyio

SORT = {
    "id": "sort",
    "type": "ACTION",
    "name": "Numbers",
    "data": {
        "subtype": "DATA_TRANSFORMATION",
        "configurations": {"operation": "custom", "transformation_script": "[{'n': 7}]"},
        "inputParams": {"data": [1]},
    },
}


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


def card(page: Page, name: str) -> Locator:
    return page.locator(f".react-flow__node[data-id='{name}']")


SAY = {"id": "say", "type": "prompt", "name": "Say", "data": {"prompt": "Hi"}}


async def opened(page: Page, studio: Studio, name: str) -> None:
    document = drawn(name, SORT, SAY)
    await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": document})
    await page.goto(f"{studio.url}/#/w/{name}")
    await expect(card(page, "sort")).to_be_visible()


async def test_the_toolbar_of_a_node_runs_disables_duplicates_and_deletes_it(
    browser: Browser, studio: Studio
) -> None:
    for scheme in PICTURED:
        async with open_page(browser, studio, scheme=scheme) as page:
            await opened(page, studio, f"toolbar-{scheme}")
            await card(page, "sort").hover()
            bar = card(page, "sort").get_by_role("group", name="Actions of the node")
            await expect(bar).to_be_visible()
            await shot(page, f"toolbar-{scheme}")
            # A prompt has no such setting: no button that does nothing.
            other = card(page, "say").get_by_role("group", name="Actions of the node")
            await card(page, "say").hover()
            await expect(other.get_by_role("button", name="Duplicate")).to_be_visible()
            assert await other.get_by_role("button", name="Disable").count() == 0
            await card(page, "sort").hover()
            await bar.get_by_role("button", name="Run this step").click()
            view = page.get_by_role("dialog")
            await expect(view.get_by_role("region", name="Output")).to_contain_text("n")
            await expect(view.get_by_role("tree").last).to_be_visible()
            await page.keyboard.press("Escape")
            await expect(view).to_have_count(0)
            await card(page, "sort").hover()
            await bar.get_by_role("button", name="Disable").click()
            await expect(card(page, "sort").locator(".step.is-off")).to_have_count(1)
            await bar.get_by_role("button", name="Enable").click()
            await expect(card(page, "sort").locator(".step.is-off")).to_have_count(0)
            await bar.get_by_role("button", name="More actions").click()
            await expect(page.get_by_role("menuitem", name="Connect to…")).to_be_visible()
            await page.keyboard.press("Escape")
            await bar.get_by_role("button", name="Duplicate").click()
            copy = page.locator(".react-flow__node-step", has_text="Numbers 2")
            await expect(copy).to_be_visible()
            # The canvas moves to show the copy.
            await settled(page, copy)
            await copy.get_by_role("button", name="Delete", exact=True).click()
            await expect(copy).to_have_count(0)
            assert await card(page, "sort").count() == 1


async def test_the_same_actions_work_by_keyboard_and_undo_is_one_step(
    page: Page, studio: Studio
) -> None:
    await opened(page, studio, "toolbar-keys")
    await Hands(page).find("Numbers")
    await expect(card(page, "sort")).to_be_focused()
    await page.keyboard.press("d")
    off = card(page, "sort").locator(".step.is-off")
    await expect(off).to_have_count(1)
    await page.keyboard.press("Control+z")
    await expect(off).to_have_count(0)
    await page.keyboard.press("r")
    output = page.get_by_role("dialog").get_by_role("region", name="Output")
    await expect(output.get_by_role("tree")).to_be_visible()
    await page.keyboard.press("Escape")
    assert await page.get_by_role("dialog").count() == 0


async def test_a_right_click_opens_a_menu_of_one_size_at_the_pointer_and_for_all_selected(
    page: Page, studio: Studio
) -> None:
    await opened(page, studio, "right-click")
    heights: list[float] = []
    for key in ("0", "-", "-"):
        if key == "0":
            await page.keyboard.press(key)
        else:
            await page.get_by_role("button", name="Zoom out").click()
        await settled(page, card(page, "say"))
        await card(page, "say").click(button="right", position={"x": 20, "y": 20})
        menu = page.get_by_role("menu", name="More actions")
        item, box = (
            await menu.get_by_role("menuitem", name="Delete").bounding_box(),
            await card(page, "say").bounding_box(),
        )
        corner = await menu.bounding_box()
        assert item is not None
        assert box is not None
        assert corner is not None
        heights.append(item["height"])
        at = corner["x"] - box["x"], corner["y"] - box["y"]
        assert at == pytest.approx((20, 20), abs=2)
        await page.keyboard.press("Escape")
        await expect(menu).to_have_count(0)
    assert max(heights) == pytest.approx(min(heights), abs=0.5)
    await card(page, "say").click()
    await card(page, "sort").click(modifiers=["Shift"])
    await card(page, "sort").click(button="right")
    items = page.get_by_role("menu", name="More actions").get_by_role("menuitem")
    # What applies to one node only is not offered for two.
    assert await items.filter(has_text="Open").count() == 0
    await items.filter(has_text="Delete").click()
    await expect(page.locator(".step.family--prompt")).to_have_count(0)
    assert await card(page, "sort").count() == 0
    await page.keyboard.press("Control+z")
    await expect(card(page, "say")).to_be_visible()


async def test_a_note_renders_markdown_and_never_html(page: Page, studio: Studio) -> None:
    document = drawn("noted")
    text = "# Plan\n\n- **first**\n- <img src=x onerror=alert(1)>\n\n[more](javascript:alert(1))"
    note = {"id": "note", "type": "stickyNote", "name": "Note", "data": {"content": text}}
    document["nodes"].append({**note, "position": {"x": 0, "y": 200}})
    await studio.ask(page, "PUT", "/api/v1/workflows/noted", {"document": document})
    await page.goto(f"{studio.url}/#/w/noted")
    remark = page.locator(".remark")
    await expect(remark.get_by_role("heading", name="Plan")).to_be_visible()
    # A note is not counted as a node.
    steps = len(document["nodes"]) - 1
    inspector = page.get_by_role("complementary", name="Inspector")
    await expect(inspector).to_contain_text(f"{steps} nodes, ")
    await expect(remark.locator("strong")).to_have_text("first")
    await expect(remark.get_by_role("listitem")).to_have_count(2)
    await expect(remark).to_contain_text("<img src=x onerror=alert(1)>")
    await shot(page, "note")
    assert await remark.locator("img, a").count() == 0
