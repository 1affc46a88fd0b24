"""Pinned outputs: from a run or entered as JSON, used by runs of the editor; mouse and keys."""

import json
from collections.abc import AsyncGenerator
from uuid import uuid4

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from e2e.hands import Hands
from e2e.studio import Studio, open_page, shot
from e2e.test_access import look
from rest.test_pinned_data import fetching

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


@pytest.fixture
async def page(browser: Browser, studio: Studio) -> AsyncGenerator[Page]:
    """A page with a workflow that no other test has changed."""
    async with open_page(browser, studio) as opened:
        name = f"pinned-{uuid4().hex}"
        path = f"/api/v1/workflows/{name}"
        await studio.ask(opened, "PUT", path, {"document": fetching(name)})
        await opened.goto(f"{studio.url}/#/w/{name}")
        yield opened


def card(page: Page, node: str) -> Locator:
    return page.locator(f".react-flow__node[data-id={node}]")


async def result_of_run(page: Page, status: str) -> Locator:
    await page.get_by_role("button", name="Run", exact=True).click()
    head = page.locator(".run-panel__head .badge").first
    await expect(head).to_have_text(status)
    return page.get_by_role("region", name="Run", exact=True)


async def test_a_hand_made_output_is_pinned_edited_and_unpinned_with_the_mouse(
    page: Page, studio: Studio
) -> None:
    """Nobody listens at the address that the node asks: without the pin the run fails."""
    await result_of_run(page, "failed")
    await card(page, "fetch").dblclick()
    view = page.get_by_role("dialog")
    output = view.get_by_role("region", name="Output", exact=True)
    await output.get_by_role("button", name="Enter output").click()
    field = output.get_by_label("Output of this node, as JSON")
    await field.fill('{"who": ')
    await expect(output.get_by_role("button", name="Pin this output")).to_be_disabled()
    await field.fill('{"who": "Ada"}')
    await output.get_by_role("button", name="Pin this output").click()
    await expect(output.locator(".badge")).to_have_text("pinned")
    await expect(output.get_by_role("button", name="Run step")).to_have_count(0)
    found: list[str] = []
    await look(found, page, "pinned-node")
    assert found == []
    await page.keyboard.press("Escape")
    badge = card(page, "fetch").get_by_role("button", name="Unpin output")
    await expect(badge).to_be_visible()
    run = await result_of_run(page, "success")
    await expect(run.locator(".timeline__row", has_text="Fetch")).to_contain_text("pinned")
    await page.locator(".timeline__row", has_text="Greet").click()
    await expect(run).to_contain_text("Hi, Ada!")
    await shot(page, "pinned-canvas")
    # The next node reads the pinned data, and it survives a save and a reload.
    await page.keyboard.press("Control+s")
    await expect(page.get_by_label("Workflow").get_by_text("saved", exact=True)).to_be_visible()
    await page.reload()
    await card(page, "greet").dblclick()
    await expect(view.get_by_role("treeitem", name="who Ada").first).to_be_visible()
    await view.get_by_role("button", name="Run step").click()
    await expect(output).to_contain_text("Hi, Ada!")
    await page.keyboard.press("Escape")
    await badge.click()
    await expect(badge).to_have_count(0)
    await result_of_run(page, "failed")


async def test_an_output_of_a_run_is_pinned_by_keyboard_alone(page: Page, studio: Studio) -> None:
    view = page.get_by_role("dialog")
    output = view.get_by_role("region", name="Output", exact=True)
    hands = Hands(page)
    await expect(card(page, "greet")).to_be_visible()
    await hands.find("Fetch")
    await page.keyboard.press("Shift+P")
    await expect(page.get_by_text("Fetch has no output to pin")).to_be_visible()
    await page.keyboard.press("Enter")
    await hands.lands("Name")
    await hands.until("Tab", "Enter output")
    await page.keyboard.press("Enter")
    await expect(output.get_by_label("Output of this node, as JSON")).to_be_visible()
    await hands.reach("Output of this node, as JSON")
    await page.keyboard.press("Control+a")
    # Longer than what the canvas keeps of an output: it is loaded when it is pinned.
    await page.keyboard.insert_text(json.dumps({"who": "Grace" * 6_000}))
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(output.locator(".badge")).to_have_text("pinned")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".run-panel__head .badge").first).to_have_text("success")
    pinned = page.locator(".step__pin")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Shift+P")
    await expect(pinned).to_have_count(2)
    await page.keyboard.press("Shift+P")
    await expect(pinned).to_have_count(1)
    await page.keyboard.press("Control+z")
    await expect(pinned).to_have_count(2)
    assert await pinned.count() == 2


async def test_the_output_of_a_step_run_alone_is_the_input_of_the_next_node(page: Page) -> None:
    """No run of the whole workflow is needed to map what a step returned; nothing is pinned."""
    await card(page, "greet").dblclick()
    view = page.get_by_role("dialog")
    output = view.get_by_role("region", name="Output", exact=True)
    await output.get_by_role("button", name="Run step").click()
    await expect(output).to_contain_text("Hi, ")
    await view.get_by_role("button", name="Next node").click()
    source = view.get_by_role("region", name="Input", exact=True)
    await expect(source).to_contain_text("from steps you ran")
    await expect(source.get_by_role("tree")).to_contain_text("Hi, ")
    # The result is still there after a look at another node.
    await view.get_by_role("button", name="Previous node").click()
    await expect(output).to_contain_text("Hi, ")
    await expect(output.locator(".badge")).to_have_count(0)
    await page.keyboard.press("Escape")
    assert await card(page, "greet").get_by_role("button", name="Unpin output").count() == 0
