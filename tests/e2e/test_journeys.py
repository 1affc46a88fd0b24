"""What a person does in the studio, in a real browser against a real service."""

import json
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from playwright.async_api import Browser, Locator, Page, expect

from e2e.fields import code_text, paste_code
from e2e.studio import Studio, open_page, shot, started
from rest.drawn import greeting
from rest.process import PROGRAM

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


def status(page: Page) -> Locator:
    """How the run on the page stands."""
    return page.locator(".run-panel__head .badge")


async def opened(page: Page, studio: Studio, document: dict[str, Any]) -> None:
    """Store a workflow unless it is there, and open it."""
    name = document["name"]
    listed = cast("dict[str, Any]", await studio.ask(page, "GET", "/api/v1/workflows"))
    if name not in {one["name"] for one in listed["workflows"]}:
        await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": document})
    await page.goto(f"{studio.url}/#/w/{name}")
    await expect(page.locator(".step").first).to_be_visible()


async def test_the_first_minute_shows_a_sample_that_runs_in_one_click(
    browser: Browser, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    program = tmp_path / "browser"
    program.write_text(
        f'#!/bin/sh\nprintf %s "$*" > {told}.part && mv {told}.part {told}\n', "ascii"
    )
    program.chmod(0o700)
    home = tmp_path / "home"
    home.mkdir()
    async with (
        started(home, browser=program) as fresh,
        open_page(browser, fresh, "about:blank", motion="no-preference") as page,
    ):
        configure_other_programs(tmp_path)
        await open_what_the_browser_was_told(page, fresh, told)
        await run_the_sample(page)
        await rerun_from_a_node_with_another_input(page)
        await find_the_servers_of_other_programs(page, fresh, tmp_path)


async def open_what_the_browser_was_told(page: Page, studio: Studio, told: Path) -> None:
    written = anyio.Path(told)
    with anyio.fail_after(60):
        while not await written.exists():
            assert studio.is_running
            await anyio.sleep(0.02)
    address = await written.read_text("utf-8")
    # Every user of the machine can list the arguments of a program.
    assert address == (studio.home / "open-studio.html").as_uri()
    await page.goto(address)


async def run_the_sample(page: Page) -> None:
    await page.get_by_role("button", name="Run the sample").scroll_into_view_if_needed()
    assert "token" not in page.url
    await shot(page, "welcome")
    await page.get_by_role("button", name="Run the sample").click()
    await expect(status(page)).to_have_text("success")
    await expect(page.locator(".react-flow__node[data-id=coat] .step")).to_have_attribute(
        "data-status", "success"
    )
    await page.locator(".timeline__row", has_text="weather").click()
    await expect(page.get_by_role("region", name="weather output")).to_contain_text("London")
    await page.get_by_role("tab", name="Input").click()
    await expect(page.get_by_role("region", name="weather input")).to_contain_text("city")
    await shot(page, "sample-run")
    await page.locator(".react-flow__node[data-id=shirt]").click()
    await expect(page.get_by_text("Not reached in the last run")).to_be_visible()


async def find_the_servers_of_other_programs(page: Page, studio: Studio, user: Path) -> None:
    """J2: found with where they are from, approved by what exactly runs, and why one fails."""
    await page.goto(f"{studio.url}/#/servers")
    await page.get_by_role("button", name="Import from Claude, Cursor…").click()
    dialog = page.get_by_role("dialog")
    found = dialog.get_by_role("row", name="notes")
    await expect(found).to_contain_text(str(user / ".claude.json"))
    await expect(dialog.get_by_role("row", name="gone")).to_contain_text("cursor")
    await shot(page, "discovered")
    await dialog.get_by_role("button", name="Import all").click()
    await expect(found.get_by_role("button")).to_have_count(0)
    await dialog.get_by_role("button", name="Done").click()
    await page.locator(".browser__line", has_text="notes").click()
    exact = page.get_by_role("table", name="Exact command")
    await expect(exact).to_contain_text(f"[0] {PROGRAM[0]}")
    await page.get_by_role("button", name="Approve and start").click()
    tools = page.get_by_role("list", name="Tools").get_by_role("listitem")
    await expect(tools.filter(has_text="forecast").first).to_be_visible()
    await page.locator(".browser__line", has_text="gone").click()
    await expect(page.get_by_role("alert")).to_contain_text("is not an executable program")
    await page.locator(".browser__line", has_text="broke").click()
    await page.get_by_role("button", name="Approve and start").click()
    await expect(page.get_by_role("alert").first).to_contain_text("no licence")
    await shot(page, "discovered-failing")


def configure_other_programs(user: Path) -> None:
    """What Claude Code and Cursor would have in the user's home."""
    notes = {"command": PROGRAM[0], "args": [*PROGRAM[1:], "demo-server"]}
    (user / ".claude.json").write_text(json.dumps({"mcpServers": {"notes": notes}}), "utf-8")
    (user / ".cursor").mkdir()
    broke = {"command": PROGRAM[0], "args": ["-c", "raise SystemExit('no licence')"]}
    servers = {"gone": {"command": str(user / "not-there")}, "broke": broke}
    (user / ".cursor" / "mcp.json").write_text(json.dumps({"mcpServers": servers}), "utf-8")


async def rerun_from_a_node_with_another_input(page: Page) -> None:
    await page.locator(".timeline__row", has_text="Is it cold?").click()
    await page.get_by_role("button", name="Re-run from here").click()
    field = page.get_by_role("dialog").get_by_label("Input")
    await expect(field).to_contain_text("London")
    await field.fill('{"city": "Cairo", "days": [{"high_c": 35}]}')
    await page.get_by_role("button", name="Run from here", exact=True).click()
    await expect(page.locator(".react-flow__node[data-id=shirt] .step")).to_have_attribute(
        "data-status", "success"
    )
    await expect(status(page)).to_have_text("success")
    await page.locator(".timeline__row", has_text="End").click()
    await expect(page.locator(".step-detail .value")).to_contain_text("A shirt will do in London.")
    await shot(page, "run-again")


async def test_a_workflow_is_drawn_connected_saved_and_run_by_keyboard(
    page: Page, studio: Studio
) -> None:
    await page.goto(f"{studio.url}/#/new")
    await page.locator(".react-flow__node[data-id=start]").wait_for()
    await page.keyboard.press("a")
    await page.get_by_role("dialog").get_by_role("combobox").fill("prompt")
    await page.keyboard.press("Enter")
    await expect(page.locator(".step")).to_have_count(3)
    # It is between the start and the end, though nothing was selected.
    await expect(page.locator(".react-flow__edge")).to_have_count(2)
    await page.keyboard.press("Shift+c")
    await page.get_by_role("dialog").get_by_role("combobox").fill("End")
    await page.keyboard.press("Enter")
    await expect(page.locator(".react-flow__edge")).to_have_count(1)
    await page.keyboard.press("c")
    await page.get_by_role("dialog").get_by_role("combobox").fill("End")
    await page.keyboard.press("Enter")
    await expect(page.locator(".react-flow__edge")).to_have_count(2)
    await page.keyboard.press("Control+z")
    await expect(page.locator(".react-flow__edge")).to_have_count(1)
    await page.keyboard.press("Control+Shift+z")
    await expect(page.locator(".react-flow__edge")).to_have_count(2)
    await page.get_by_role("button", name="JSON", exact=True).click()
    text = page.get_by_role("textbox", name="Workflow as JSON")
    await text.wait_for()
    before = await code_text(text)
    await paste_code(text, before.replace('"prompt": ""', '"prompt": "Hello, {{who}}!"'))
    await page.get_by_label("Workflow name").fill("by-hand")
    await page.keyboard.press("Control+s")
    await expect(page.locator(".editor__bar .badge", has_text="saved").first).to_have_text("saved")
    await expect(page).to_have_url(f"{studio.url}/#/w/by-hand")
    await page.get_by_role("button", name="Inputs", exact=True).click()
    await page.get_by_label("Inputs, as JSON").fill('{"who": "Ada"}')
    await page.get_by_role("dialog").get_by_role("button", name="Run", exact=True).click()
    await expect(status(page)).to_have_text("success")
    await expect(page.locator(".step-detail")).to_contain_text("Hello, Ada!")
    await shot(page, "drawn")
    kept = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows/by-hand"))
    assert len(kept["document"]["connections"]) == 2


async def test_two_tabs_that_edit_one_workflow_are_told(
    browser: Browser, page: Page, studio: Studio
) -> None:
    document = greeting("shared-by-two")
    await opened(page, studio, document)
    async with open_page(browser, studio) as other:
        await opened(other, studio, document)
        await rename(page, "Greet mine")
        await rename(other, "Greet other")
        await other.get_by_role("button", name="Save", exact=True).click()
        await expect(other.locator(".editor__bar .badge").first).to_have_text("saved")
        # Told at once, before anybody saves here.
        await expect(page.get_by_role("dialog")).to_contain_text("changed elsewhere")
        await page.get_by_role("button", name="Show the difference").click()
        await expect(page.locator(".difference")).to_contain_text("Greet other")
        await shot(page, "conflict")
        await page.get_by_role("button", name="Keep mine").click()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.locator(".editor__bar .badge").first).to_have_text("saved")
        # Nothing is unsaved there, so it follows.
        theirs = other.locator(".react-flow__node[data-id=greet]")
        await expect(theirs).to_contain_text("mine")
        await rename(other, "Greet alone")
        await rename(page, "Greet last")
        await page.get_by_role("button", name="Save", exact=True).click()
        await other.get_by_role("dialog").get_by_role("button", name="Use theirs").click()
        await expect(theirs).to_contain_text("last")
        await expect(other.locator(".editor__bar .badge").first).to_have_text("saved")
        await other.get_by_title("Undo (Ctrl Z)").click()
        await expect(theirs).to_contain_text("alone")
    kept = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows/shared-by-two"))
    assert [node["name"] for node in kept["document"]["nodes"]] == ["Start", "Greet last", "End"]


async def rename(tab: Page, name: str) -> None:
    await tab.locator(".react-flow__node[data-id=greet]").click()
    await tab.get_by_role("textbox", name="Name", exact=True).fill(name)
    await expect(tab.locator(".editor__bar .badge").first).to_have_text("unsaved")


async def test_a_page_without_its_key_or_with_a_wrong_one_says_what_to_do(
    browser: Browser, studio: Studio
) -> None:
    context = await browser.new_context()
    try:
        page = await context.new_page()
        await page.goto(studio.url)
        await expect(page.get_by_role("heading")).to_have_text("The studio needs its API key")
        await page.get_by_label("Key").fill("tw_wrong")
        await page.get_by_role("button", name="Open the studio").click()
        await expect(page.get_by_role("heading")).to_have_text("This key is not valid")
        await page.get_by_label("Key").fill(studio.token)
        await page.get_by_role("button", name="Open the studio").click()
        await expect(page.get_by_role("heading", name="Workflows", exact=True)).to_be_visible()
        assert await context.cookies() == []
    finally:
        await context.close()
