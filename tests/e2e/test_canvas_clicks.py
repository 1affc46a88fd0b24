"""A click on a node shows its settings whatever was shown before, and moves nothing else."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from e2e.medium import medium
from e2e.opening import card, inspector, open_workflow
from e2e.studio import WHOLE, Studio
from e2e.test_builder import ask, delay, proposes, using
from rest.drawn import drawn, greeting
from toolweave.testing.model import hangs, says

pytestmark = pytest.mark.anyio

# What an element scrolls when it is scrolled into view; the canvas is panned instead.
SCROLLED = """one => {
  one.scrollIntoView({inline: "center"});
  return one.closest(".canvas").scrollLeft;
}"""
# How high letters are on the screen.
LETTERS = """one => parseFloat(getComputedStyle(one).fontSize)
  * one.getBoundingClientRect().width / one.offsetWidth"""
# A change of the size of the canvas is drawn with one frame, what follows from it with the next.
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def test_a_click_leads_from_the_builder_to_the_settings_and_keeps_the_request(
    page: Page, studio: Studio
) -> None:
    async with using(page, studio, hangs()):
        await open_workflow(page, studio, greeting("clicked"))
        await card(page, "start").click()
        await page.keyboard.press("b")
        builder = page.get_by_role("complementary", name="Build with AI")
        request = builder.get_by_label("What should the workflow do?")
        await request.fill("Greet in French")
        await card(page, "greet").click()
        name = inspector(page).get_by_label("Name", exact=True)
        await expect(name).to_have_value("Greet")
        await page.get_by_role("button", name="Build with AI").click()
        await expect(request).to_have_value("Greet in French")
        # A request that runs meanwhile can still be stopped.
        await builder.get_by_role("button", name="Propose a change").click()
        await expect(builder.get_by_role("button", name="Stop")).to_be_visible()
        await card(page, "greet").click()
        await expect(name).to_have_value("Greet")
        await page.get_by_role("button", name="Build with AI").click()
        await builder.get_by_role("button", name="Stop").click()
        await expect(builder.get_by_role("button", name="Stop")).to_have_count(0)
        assert "Greet in French" in await builder.inner_text()


async def test_a_click_on_a_proposal_leaves_it_beside_its_canvas(
    page: Page, studio: Studio
) -> None:
    async with using(page, studio, proposes(delay(60)), says("Done.")):
        await open_workflow(page, studio, greeting("proposed"))
        await card(page, "start").click()
        await page.keyboard.press("b")
        builder = page.get_by_role("complementary", name="Build with AI")
        await ask(builder, "Wait a minute")
        accept = builder.get_by_role("button", name="Accept")
        await expect(accept).to_be_visible()
        await page.locator(".step.is-added").click()
        assert await accept.is_visible()
        assert await page.locator(".step.is-added").count() == 1


async def test_a_node_that_is_found_shows_its_settings_instead_of_the_problems(
    page: Page, studio: Studio
) -> None:
    unset = {"id": "check", "type": "FLOW", "name": "Check", "data": {"subtype": "IF"}}
    await open_workflow(page, studio, drawn("found", unset))
    await page.locator(".editor__bar").get_by_role("button", name="error").click()
    await expect(page.get_by_role("complementary", name="Problems")).to_be_visible()
    await page.keyboard.press("Control+f")
    await page.keyboard.type("Check")
    await page.keyboard.press("Enter")
    name = inspector(page).get_by_label("Name", exact=True)
    await expect(name).to_have_value("Check")
    assert await page.get_by_role("complementary", name="Problems").count() == 0


async def test_a_click_on_one_of_the_selected_nodes_selects_it_alone(
    page: Page, studio: Studio
) -> None:
    await open_workflow(page, studio, greeting("several"))
    await card(page, "start").click()
    await page.keyboard.press("Control+a")
    await expect(inspector(page)).to_contain_text("3 nodes selected")
    await card(page, "greet").click()
    name = inspector(page).get_by_label("Name", exact=True)
    await expect(name).to_have_value("Greet")
    # With a frame that was drawn around them as well.
    first, last = await card(page, "start").bounding_box(), await card(page, "end").bounding_box()
    assert first is not None
    assert last is not None
    await page.mouse.move(first["x"] - 20, first["y"] - 60)
    await page.mouse.down()
    await page.mouse.move(last["x"] + last["width"] + 10, last["y"] + 90, steps=4)
    await page.mouse.up()
    await expect(inspector(page)).to_contain_text("3 nodes selected")
    await card(page, "greet").click()
    await expect(name).to_have_value("Greet")
    # A drag, a click with Shift and the menu are about all of them.
    await card(page, "end").click(modifiers=["Shift"])
    await expect(inspector(page)).to_contain_text("2 nodes selected")
    await card(page, "greet").click(button="right")
    await page.get_by_role("menuitem", name="Duplicate").click()
    await expect(page.locator(".step")).to_have_count(5)
    assert await page.locator(".react-flow__node.selected").count() == 2


def five(name: str) -> dict[str, Any]:
    """Five nodes in a row."""
    prompts = [
        {"id": f"p{at}", "type": "prompt", "name": f"Step {at}", "data": {"prompt": "Hi."}}
        for at in range(1, 4)
    ]
    return drawn(name, *prompts)


async def test_five_nodes_are_in_view_beside_both_panels_and_more_begin_at_the_start(
    page: Page, studio: Studio
) -> None:
    await page.set_viewport_size({"width": 1440, "height": 900})
    await open_workflow(page, studio, five("five"))
    await expect(page.get_by_role("complementary", name="Palette")).to_be_visible()
    await expect(inspector(page)).to_be_visible()
    for node in ("start", "p1", "p2", "p3", "end"):
        await expect(card(page, node)).to_be_in_viewport(ratio=WHOLE)
        # Small as they are, their names can be read.
        assert await card(page, node).locator(".step__title").evaluate(LETTERS) >= 9
    # A node out of view is not scrolled to: the canvas would jump back between two clicks.
    await open_workflow(page, studio, medium("fifteen"))
    assert await card(page, "choose").locator(".step__title").evaluate(LETTERS) >= 9
    assert await card(page, "sure").evaluate(SCROLLED) == 0


async def test_a_panel_that_a_click_opens_does_not_move_the_canvas(
    page: Page, studio: Studio
) -> None:
    await page.set_viewport_size({"width": 1024, "height": 700})
    await open_workflow(page, studio, greeting("narrow"))
    await page.get_by_role("button", name="JSON", exact=True).click()
    json = page.get_by_role("complementary", name="JSON")
    await expect(json).to_be_visible()
    await page.get_by_role("button", name="Palette").click()
    await expect(json).to_have_count(0)
    await page.evaluate(FRAMES)
    # The palette is not as wide as what it covers, which the first click shows again.
    node = card(page, "greet")
    before = await node.bounding_box()
    assert before is not None
    place = before["x"] + before["width"] / 2, before["y"] + before["height"] / 2
    await page.mouse.click(*place)
    await expect(json).to_be_visible()
    await page.evaluate(FRAMES)
    assert await node.bounding_box() == before
    await page.mouse.dblclick(*place)
    view = page.get_by_role("dialog")
    await expect(view.get_by_role("heading", name="Greet")).to_be_visible()
    await page.keyboard.press("Escape")
    # What the panel covers comes into view once no second click is to be expected.
    await page.get_by_role("button", name="Palette").click()
    await expect(json).to_have_count(0)
    await page.get_by_role("button", name="Fit to view").click()
    await card(page, "end").click()
    await expect(json).to_be_visible()
    await expect(card(page, "end")).to_be_in_viewport(ratio=WHOLE)
