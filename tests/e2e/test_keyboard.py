"""A whole visit without a mouse: the focus is always somewhere a person can see."""

from typing import Any, cast

import pytest
from playwright.async_api import Locator, Page, expect

from e2e.hands import Hands
from e2e.places import ASKING
from e2e.studio import Studio, shot
from rest.drawn import pausing

pytestmark = pytest.mark.anyio

TOP = "() => document.activeElement.getBoundingClientRect().top"


async def test_a_whole_visit_without_a_mouse(page: Page, studio: Studio) -> None:
    hands = Hands(page)
    await open_the_sample(hands)
    await draw(hands)
    await run_and_read(hands)
    await save(hands, studio)
    await add_a_tool(hands)
    await cancel(hands, studio)
    await answer(hands, studio)


async def test_every_page_is_reached_and_read_from_its_heading(page: Page) -> None:
    hands = Hands(page)
    await expect(page.get_by_role("heading", name="Workflows", level=1)).to_be_visible()
    links = page.get_by_role("navigation", name="Pages").locator(".rail__link > span:first-of-type")
    titles = await links.all_inner_texts()
    assert {"Triggers", "Credentials"} < set(titles)  # pages whose code is loaded first
    await hands.until("F6", "Workflows")
    for title in reversed(titles):
        await hands.to_page(title)


async def open_the_sample(hands: Hands) -> None:
    await expect(hands.page.get_by_role("button", name="Run the sample")).to_be_visible()
    assert await hands.press("Tab") == "Skip to the page"
    await hands.page.keyboard.press("Enter")
    await hands.until("Tab", "Open sample")
    await hands.page.keyboard.press("Enter")
    await hands.page.wait_for_function("() => document.activeElement.tagName === 'H1'")
    await expect(hands.page.locator("h1:focus")).to_have_text("Workflow what-to-wear")
    await expect(hands.page).to_have_title("what-to-wear · Toolweave")


async def draw(hands: Hands) -> None:
    await expect(hands.page.locator(".react-flow__node[data-id=weather]")).to_be_visible()
    await hands.until("F6", "Workflow")
    await hands.until("F6", "Search nodes")
    await hands.until("F6", "Workflow")
    await hands.walk("ArrowRight", "weather, MCP tool weather of server demo")
    await hands.lands(
        "weather, MCP tool weather of server demo, selected, connected to Is it cold?"
    )
    await hands.page.keyboard.press("Control+k")
    await hands.lands("Type a command")
    await hands.type("prompt", then="Enter")
    await hands.lands("Prompt, selected")
    await hands.page.keyboard.press("c")
    await hands.lands("Connect to")
    await hands.type("End", then="Enter")
    await hands.lands("Prompt, selected, 1 problem, connected to End")
    await hands.page.keyboard.press("Enter")
    await hands.lands("Name")
    await hands.page.keyboard.press("Control+a")
    await hands.type("Say it", then="Tab")
    await hands.until("Tab", "Text")
    await hands.type("It is {{ weather.city }}.", then="Escape")
    await hands.lands("Say it, Prompt, selected, connected to End")
    await arrange(hands)


async def arrange(hands: Hands) -> None:
    """Move, select two, group, undo, redo, ungroup; take a connection and a node away."""
    top = await hands.page.evaluate(TOP)
    await hands.press("Shift+ArrowDown")
    await hands.page.wait_for_function(f"before => ({TOP})() > before", arg=top)
    await hands.press("Control+ArrowRight")
    await hands.press("Control+g")
    await hands.lands("Group")
    await expect(hands.page.locator(".frame")).to_have_count(1)
    await hands.press("Control+z")
    await expect(hands.page.locator(".frame")).to_have_count(0)
    await hands.focus()
    await expect(announced(hands)).to_have_text("Undone")
    await hands.press("Control+Shift+z")
    await expect(hands.page.locator(".frame")).to_have_count(1)
    await hands.press("Control+z")
    await hands.lands("Say it, Prompt, selected")
    await hands.press("ArrowLeft")
    await hands.lands("weather")
    await hands.walk("ArrowDown", "Say it")
    await hands.page.keyboard.press("Shift+C")
    await hands.lands("Delete a connection")
    await hands.type("End", then="Enter")
    await hands.lands("Say it, Prompt, selected, not connected to a next node")
    await hands.press("Delete")
    await hands.lands("weather")
    await hands.press("Control+z", "Control+z")
    await expect(hands.page.locator(".react-flow__node[data-id=prompt]")).to_be_visible()


async def run_and_read(hands: Hands) -> None:
    page = hands.page
    await hands.press("Control+Enter")
    await expect(announced(hands)).to_contain_text("Run success")
    await hands.lands("weather, MCP tool weather of server demo, selected, done")
    await hands.until("F6", "Open")
    await hands.until("Tab", "Steps in start order")
    await hands.press("Home", "ArrowDown")
    chosen = page.get_by_role("listbox").get_by_role("option", selected=True)
    await expect(chosen).to_contain_text("success")
    await hands.until("Tab", "Output")
    await hands.press("ArrowRight")
    await expect(page.get_by_role("tab", name="Input", selected=True)).to_be_focused()
    await expect(page.get_by_role("tabpanel", name="Input")).to_contain_text("city")
    await shot(page, "keyboard")
    await hands.press("Escape")


def announced(hands: Hands) -> Locator:
    """What a screen reader was told last."""
    return hands.page.get_by_role("status", name="Announcements")


async def save(hands: Hands, studio: Studio) -> None:
    await hands.press("Control+s")
    await expect(hands.page.locator(".editor__bar .badge").first).to_have_text("saved")
    kept = cast("Any", await studio.ask(hands.page, "GET", "/api/v1/workflows/what-to-wear"))
    added = next(node for node in kept["document"]["nodes"] if node["name"] == "Say it")
    assert added["data"] == {"prompt": "It is {{ weather.city }}."}


async def add_a_tool(hands: Hands) -> None:
    await hands.page.keyboard.press("m")
    dialog = hands.page.get_by_role("dialog")
    await expect(dialog.get_by_role("button", name="Add greet to")).to_be_visible()
    await hands.until("Tab", "Add greet to the workflow")
    await hands.page.keyboard.press("Enter")
    await hands.lands("greet, MCP tool greet of server demo")


async def cancel(hands: Hands, studio: Studio) -> None:
    document = pausing("waits")
    await studio.ask(hands.page, "PUT", "/api/v1/workflows/waits", {"document": document})
    await hands.to_page("Workflows")
    await expect(hands.page.get_by_role("link", name="waits", exact=True)).to_be_visible()
    await hands.until("Tab", "waits")
    await hands.page.keyboard.press("Enter")
    await expect(hands.page.locator("h1:focus")).to_have_text("Workflow waits")
    await hands.press("Control+Enter")
    await expect(announced(hands)).to_contain_text("Run waiting")
    await hands.until("F6", "Cancel")
    await hands.press("Enter")
    await expect(announced(hands)).to_contain_text("Run cancelled")
    await expect(hands.page.get_by_role("button", name="Cancel", exact=True)).to_have_count(0)
    await hands.focus()


async def answer(hands: Hands, studio: Studio) -> None:
    await studio.ask(hands.page, "POST", "/api/v1/runs", {"document": ASKING})
    await hands.to_page("Inbox")
    await expect(hands.page.get_by_role("button", name="Send answer")).to_be_visible()
    await hands.until("Tab", "How many boxes?")
    await hands.until("Tab", "Boxes")
    await hands.until("Tab", "Send answer")
    await hands.page.keyboard.press("Enter")
    await hands.lands("Boxes")
    await hands.type("3", then="Enter")
    await hands.until("Tab", "Send answer")
    await hands.page.keyboard.press("Enter")
    await expect(hands.page.get_by_role("heading", name="Nothing to answer")).to_be_visible()
    await hands.focus()
