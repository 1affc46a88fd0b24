"""A whole visit without a mouse: the focus is always somewhere a person can see."""

from dataclasses import dataclass
from typing import Any, cast

import pytest
from playwright.async_api import Locator, Page, expect

from e2e.places import ASKING
from e2e.studio import Studio, shot
from rest.drawn import pausing

pytestmark = pytest.mark.anyio

MOST_STOPS = 80
# What has the focus, in the words a reader would say, and whether it can be seen.
FOCUSED = """() => {
  let one = document.activeElement;
  // The editor for expressions is in a shadow root.
  while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
  const labelled = one.getAttribute("aria-labelledby")?.split(" ")
    .map(id => document.getElementById(id)?.textContent).join(" ");
  const name = one.getAttribute("aria-label") || labelled || [...(one.labels ?? [])]
    .map(label => label.textContent).join(" ") || one.textContent;
  const box = one.getBoundingClientRect();
  const isSeen = one !== document.body && box.right > 0 && box.bottom > 0
    && box.left < innerWidth && box.top < innerHeight && one.matches(":focus-visible");
  return [name.trim(), one.tagName.toLowerCase(), isSeen];
}"""

AT_NODE = "() => document.activeElement.matches('.react-flow__node:has(> .is-selected)')"
TOP = "() => document.activeElement.getBoundingClientRect().top"


@dataclass
class Hands:
    """Two hands on a keyboard; after each press the focus must be where it can be seen."""

    page: Page

    async def focus(self) -> tuple[str, str]:
        name, tag, is_seen = await self.page.evaluate(FOCUSED)
        assert is_seen, f"the focus is lost, or hidden: {tag} {name[:80]!r}"
        return name, tag

    async def press(self, *keys: str) -> str:
        for key in keys:
            await self.page.keyboard.press(key)
        return (await self.focus())[0]

    async def type(self, text: str, then: str) -> None:
        await self.page.keyboard.type(text)
        await self.page.keyboard.press(then)

    async def until(self, key: str, name: str) -> None:
        """Press a key until what is called `name` has the focus."""
        seen: list[str] = []
        for _ in range(MOST_STOPS):
            seen.append(await self.press(key))
            if seen[-1].startswith(name):
                return
        raise AssertionError(f"{name!r} is not reached by {key}, only {seen}")

    async def walk(self, arrow: str, name: str) -> None:
        """Walk the graph until the node `name`; one out of view has the focus once it is drawn."""
        for _ in range(MOST_STOPS):
            await self.page.keyboard.press(arrow)
            await self.page.wait_for_function(AT_NODE)
            if (await self.focus())[0].startswith(name):
                return
        raise AssertionError(f"{name!r} is not reached by {arrow}")

    async def lands(self, name: str) -> None:
        """Wait until what is called `name` has the focus."""
        await self.page.wait_for_function(
            f"name => (({FOCUSED})())[0].startsWith(name)", arg=name, polling=50
        )
        await self.focus()


async def test_a_whole_visit_without_a_mouse(page: Page, studio: Studio) -> None:
    hands = Hands(page)
    await open_the_sample(hands)
    await draw(hands)
    await run_and_read(hands)
    await save(hands, studio)
    await add_a_tool(hands)
    await cancel(hands, studio)
    await answer(hands, studio)


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


async def to_page(hands: Hands, title: str) -> None:
    """From the editor or a page to another, by the links at the left edge."""
    await hands.until("Shift+Tab", "Toolweave, start page")
    await hands.until("Tab", title)
    await hands.page.keyboard.press("Enter")
    await expect(hands.page.locator("h1:focus")).to_have_text(title)


async def cancel(hands: Hands, studio: Studio) -> None:
    document = pausing("waits")
    await studio.ask(hands.page, "PUT", "/api/v1/workflows/waits", {"document": document})
    await to_page(hands, "Workflows")
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
    await to_page(hands, "Inbox")
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
