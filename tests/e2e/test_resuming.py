"""A run that is killed in the middle, resumed, changed, run again from a node, and compared."""

from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from playwright.async_api import Browser, Locator, Page, expect

from e2e.fields import box
from e2e.mcp import approved, calling
from e2e.studio import Studio, open_page, shot, started
from rest.drawn import drawn
from toolweave.testing.server import ScriptedServer, a_tool, never, says

pytestmark = pytest.mark.anyio


def status(page: Page) -> Locator:
    """How the run on the page stands."""
    return page.locator(".run-panel__head .badge").first


def node(page: Page, title: str) -> Locator:
    return page.locator(".react-flow__node", has=page.locator(".step__title", has_text=title))


@pytest.mark.timeout(300)  # two starts of the service, and much in between
@pytest.mark.requirement("001:FR-015")
async def test_a_drawn_run_survives_a_kill_and_is_run_again_from_a_node(
    browser: Browser, tmp_path: Path
) -> None:
    # A service of its own: one that stays down would fail the journeys after this.
    home = tmp_path / "home"
    home.mkdir()
    async with started(home) as studio, open_page(browser, studio) as page:
        await studio.ask(page, "POST", "/api/v1/samples")
        server = ScriptedServer(tmp_path / "charger", a_tool("charge"))
        server.on_call("charge", [never()], [never()], [says("charged")])
        await approved(page, studio, "charger", server)
        await draw(page, studio)
        await page.keyboard.press("Control+Enter")
        await expect(status(page)).to_have_text("waiting")
        doubtful = [await begun(page, studio, f"charge-{number}") for number in (1, 2)]
        await called(server, 2)
        studio.kill()
        await expect(page.locator(".studio__down")).to_be_visible()
        await node(page, "weather").click()
        await box(page.locator(".inspector"), "city").fill("Cairo")
        await shot(page, "service-away")
        await studio.start()
        await expect(page.locator(".studio__down")).to_have_count(0)
        await go_on(page, studio, 1)
        await again_from_the_changed_node(page, studio)
        await compare(page, studio)
        await settle(page, studio, doubtful)
        assert len(server.heard("tools/call")) == 3


async def called(server: ScriptedServer, count: int) -> None:
    """Wait until so many calls have come to it."""
    with anyio.fail_after(60):
        while len(heard := server.heard("tools/call")) < count:
            assert len(heard) <= count
            await anyio.sleep(0.02)


async def draw(page: Page, studio: Studio) -> None:
    """A tool and a pause between the ends, by keys and by the form."""
    await page.goto(f"{studio.url}/#/new")
    await page.locator(".react-flow__node[data-id=start]").click()
    for typed in ("weather", "delay"):
        await page.keyboard.press("a")
        search = page.get_by_role("dialog")
        await search.get_by_role("combobox").fill(typed)
        found = search.get_by_role("option").first
        await expect(found).to_contain_text(typed, ignore_case=True)
        await page.keyboard.press("Enter")
        await expect(node(page, typed)).to_be_visible()
    await expect(page.locator(".react-flow__edge")).to_have_count(3)
    form = page.locator(".inspector")
    await box(form, "duration_seconds").fill("3600")
    # It looks different: its family's colour and icon, its server's name, and whether it fits.
    tool = node(page, "weather").locator(".step")
    await expect(tool).to_have_class("step family--mcp")
    await expect(tool.locator(".step__server")).to_have_text("demo")
    await expect(tool.locator(".step__mark--bad")).to_be_visible()
    await node(page, "weather").click()
    await box(form, "city").fill("Oslo")
    await expect(tool.locator(".step__mark--good")).to_be_visible()
    await page.get_by_label("Workflow name").fill("trip")
    await page.keyboard.press("Control+s")
    await expect(page).to_have_url(f"{studio.url}/#/w/trip")


async def begun(page: Page, studio: Studio, name: str) -> str:
    """A run whose only step charges somebody, and of which nobody will know whether it did."""
    document = drawn(name, calling("charge", "charger", "charge", text=name))
    run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", {"document": document}))
    return cast("str", run["id"])


async def go_on(page: Page, studio: Studio, count: int) -> None:
    """End the pause of the newest run of the workflow; the page sees its end by itself."""
    found = cast("Any", await studio.ask(page, "GET", "/api/v1/runs?workflow=trip"))
    assert len(found["runs"]) == count
    run = next(one["id"] for one in found["runs"] if one["status"] == "waiting")
    whole = cast("Any", await studio.ask(page, "GET", f"/api/v1/runs/{run}"))
    pause = next(step["key"] for step in whole["steps"] if step["status"] == "waiting")
    body = {"step": pause, "reply": None}
    await studio.ask(page, "POST", f"/api/v1/runs/{run}/answer", body)
    await expect(status(page)).to_have_text("success")


async def again_from_the_changed_node(page: Page, studio: Studio) -> None:
    await page.locator(".timeline__row", has_text="weather").click()
    await expect(box(page.locator(".inspector"), "city")).to_have_value("Cairo")
    await expect(page.locator(".step-detail")).to_contain_text("Oslo")
    await page.get_by_role("button", name="Re-run from here").click()
    await page.get_by_role("button", name="Run from here", exact=True).click()
    await expect(status(page)).to_have_text("waiting")
    await go_on(page, studio, 2)
    await page.locator(".timeline__row", has_text="weather").click()
    await expect(page.locator(".step-detail")).to_contain_text("Cairo")
    await shot(page, "run-from-changed")


async def compare(page: Page, studio: Studio) -> None:
    await page.goto(f"{studio.url}/#/runs")
    rows = page.get_by_role("row", name="trip")
    await expect(rows).to_have_count(2)
    for at in (0, 1):
        await rows.nth(at).get_by_role("checkbox").check()
    await page.get_by_role("button", name="Compare").click()
    compared = page.locator(".compare")
    await expect(compared).to_contain_text("Oslo")
    await expect(compared).to_contain_text("Cairo")
    await shot(page, "runs-compared")


async def settle(page: Page, studio: Studio, runs: list[str]) -> None:
    """One of the two in doubt is done again, the other goes on without its result."""
    await page.goto(f"{studio.url}/#/inbox")
    doubts = page.get_by_role("region", name="Uncertain steps")
    steps = doubts.get_by_role("button", name="Run again")
    await expect(steps).to_have_count(2)
    await expect(doubts.get_by_role("heading")).to_have_text("Interrupted steps: did they finish?")
    await shot(page, "uncertain")
    again = doubts.get_by_role("row", name="charge-1").get_by_role("button", name="Run again")
    await again.click()
    await expect(steps).to_have_count(1)
    await doubts.get_by_role("button", name="Continue without its result").click()
    await expect(page.get_by_role("heading", name="Nothing to answer")).to_be_visible()
    for run in runs:
        await page.goto(f"{studio.url}/#/runs/{run}")
        await expect(status(page)).to_have_text("success")
