"""What the canvas draws over and on nodes: the tick of a tool, and the overview."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from e2e.mcp import calling
from e2e.opening import card, open_workflow
from e2e.studio import Studio
from rest.drawn import drawn, greeting

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def test_a_failed_node_has_no_tick(page: Page, studio: Studio) -> None:
    await studio.ask(page, "POST", "/api/v1/samples")
    fails = calling("fails", "demo", "fail", message="no")
    await open_workflow(page, studio, drawn("ticked", fails))
    tick = card(page, "fails").locator(".step__mark--good")
    await expect(tick).to_be_visible()
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(page.locator(".run-panel__head .badge").first).to_have_text("failed")
    await expect(card(page, "fails").locator(".step__status--failed")).to_be_visible()
    assert await tick.count() == 0


def long(name: str, count: int) -> dict[str, Any]:
    steps = [
        {"id": f"p{at}", "type": "prompt", "name": f"Step {at}", "data": {"prompt": "x"}}
        for at in range(count)
    ]
    return drawn(name, *steps)


COVERED = """() => {
  const map = document.querySelector(".react-flow__minimap")?.getBoundingClientRect();
  return !map ? 0 : [...document.querySelectorAll(".react-flow__node")].filter(one => {
    const box = one.getBoundingClientRect();
    return box.right > map.left && box.left < map.right
      && box.bottom > map.top && box.top < map.bottom;
  }).length;
}"""


async def pan(page: Page, right: float, down: float) -> None:
    """Move the canvas with the middle button of the mouse."""
    box = await page.locator(".canvas").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + 30
    await page.mouse.move(x, y)
    await page.mouse.down(button="middle")
    await page.mouse.move(x + right, y + down, steps=5)
    await page.mouse.up(button="middle")


async def test_the_overview_is_there_when_it_is_needed_and_covers_no_node(
    page: Page, studio: Studio
) -> None:
    overview = page.get_by_role("img", name="Overview")
    await open_workflow(page, studio, long("overview", 12))
    await expect(overview).to_be_visible()
    assert await page.evaluate(COVERED) == 0
    # Over a node it leaves as soon as the canvas rests, and comes back where there is room.
    map_box, node_box = await overview.bounding_box(), await card(page, "p1").bounding_box()
    assert map_box is not None
    assert node_box is not None
    right, down = (map_box[at] + 20 - node_box[at] for at in ("x", "y"))
    await pan(page, right, down)
    await expect(card(page, "p1")).to_be_in_viewport()
    await expect(overview).to_have_count(0)
    await pan(page, 0, -200)
    await expect(overview).to_be_visible()
    assert await page.evaluate(COVERED) == 0
    # Nothing is out of view: there is nothing to overlook.
    await open_workflow(page, studio, greeting("overview-small"))
    await page.get_by_role("button", name="Show all").click()
    await expect(overview).to_have_count(0)
