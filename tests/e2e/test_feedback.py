"""What the page shows beside its content: notices, what is under way, what cannot be changed."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from playwright.async_api import Locator, Page, Route, expect

from e2e.studio import Studio
from rest.drawn import drawn, greeting

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def background(field: Locator) -> str:
    return await field.evaluate("field => getComputedStyle(field).backgroundColor")


async def test_a_field_that_cannot_be_changed_does_not_look_editable(
    page: Page, studio: Studio
) -> None:
    document = {"document": greeting("fixed")}
    await studio.ask(page, "PUT", "/api/v1/workflows/fixed", document)
    await page.goto(f"{studio.url}/#/w/fixed")
    await page.locator(".react-flow__node[data-id=greet]").click()
    name = page.get_by_role("complementary", name="Inspector").get_by_label("Name", exact=True)
    await expect(name).to_be_editable()
    editable = await background(name)
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(page.locator(".run-panel__head .badge")).to_have_text(re.compile("success|failed"))
    await (
        page.get_by_role("link", name="Open run")
        .or_(page.get_by_role("button", name="Open run"))
        .click()
    )
    await page.locator(".react-flow__node[data-id=greet]").click()
    await expect(name).not_to_be_editable()
    assert await background(name) != editable


async def test_notices_leave_the_tabs_of_a_page_free(page: Page, studio: Studio) -> None:
    await page.goto(f"{studio.url}/#/manage/keys")
    tabs = page.get_by_role("tablist", name="Sections")
    await expect(tabs).to_be_visible()
    place = page.locator(".notices")
    # However many lines they have: they begin below the tabs.
    box, free = await tabs.bounding_box(), await place.bounding_box()
    assert box is not None
    assert free is not None
    assert free["y"] > box["y"] + box["height"]


async def test_a_long_dialog_has_one_scroll_bar(page: Page, studio: Studio) -> None:
    await page.goto(f"{studio.url}/#/templates")
    await page.get_by_role("button", name="Use Folder to database").click()
    await page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Test event for New file")
    await expect(dialog).to_be_visible()
    hidden = "shown => shown.scrollHeight - shown.clientHeight"
    with anyio.fail_after(60):
        while await dialog.locator(".dialog__body").evaluate(hidden) <= 0:
            await page.wait_for_timeout(50)  # its content comes after it
    assert await dialog.evaluate(hidden) == 0


def unset(name: str) -> dict[str, Any]:
    """A condition that is not entered, so that the workflow cannot run."""
    return drawn(name, {"id": "check", "type": "FLOW", "name": "Check", "data": {"subtype": "IF"}})


async def test_a_refused_run_is_reported_until_its_cause_is_gone(
    page: Page, studio: Studio
) -> None:
    for name in ("refused", "refused-too"):
        await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": unset(name)})
    notices = page.get_by_role("status", name="Notices")
    await page.goto(f"{studio.url}/#/w/refused")
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(notices).to_contain_text("Not run")
    # Another workflow is not what it is about.
    await page.wait_for_timeout(1_100)  # what was just reported may be about leaving
    await page.goto(f"{studio.url}/#/w/refused-too")
    await expect(page.get_by_label("Workflow name")).to_have_value("refused-too")
    await expect(notices).not_to_contain_text("Not run")
    # A cause that is gone is none.
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(notices).to_contain_text("Not run")
    await page.locator(".react-flow__node[data-id=check]").click()
    await page.keyboard.press("Delete")
    await expect(page.locator(".editor__bar").get_by_role("button", name="error")).to_have_count(0)
    await expect(notices).not_to_contain_text("Not run")
    assert await page.locator(".react-flow__node[data-id=check]").count() == 0


@asynccontextmanager
async def held(page: Page, path: str) -> AsyncGenerator[list[str]]:
    """What is sent to a path is answered when the block ends; gives what was sent."""
    may_go, sent = anyio.Event(), list[str]()

    async def hold(route: Route) -> None:
        if route.request.method != "GET":
            sent.append(route.request.url)
            await may_go.wait()
        await route.continue_()

    place = f"**/api/v1/{path}"
    await page.route(place, hold)
    try:
        yield sent
    finally:
        may_go.set()


async def press_twice(page: Page, button: Locator, path: str) -> None:
    """Press a button by keyboard: while its action is under way it keeps the focus."""
    await button.focus()
    async with held(page, path) as sent:
        await page.keyboard.press("Enter")
        await expect(button).to_be_disabled()
        # The browser takes the focus from a disabled button with the next frame.
        await page.evaluate("() => new Promise(requestAnimationFrame)")
        await expect(button).to_be_focused()
        await page.keyboard.press("Enter")
        assert len(sent) == 1


async def test_a_button_keeps_the_focus_while_its_action_is_under_way(
    page: Page, studio: Studio
) -> None:
    document = {"document": greeting("focused")}
    await studio.ask(page, "PUT", "/api/v1/workflows/focused", document)
    await page.goto(f"{studio.url}/#/w/focused")
    await page.locator(".react-flow__node[data-id=greet]").dblclick()
    view = page.get_by_role("dialog")
    await view.get_by_role("button", name=re.compile("its input")).click()
    await expect(view.get_by_label("Input of this step, as JSON")).to_be_focused()
    step = view.get_by_role("button", name=re.compile("Run step|Running"))
    await press_twice(page, step, "edit/test")
    await expect(view.get_by_text("Result of this step alone")).to_be_visible()
    await expect(step).to_be_focused()
    await page.keyboard.press("Escape")
    # A button that has nothing more to do keeps it as well, until the focus moves on.
    await page.locator(".react-flow__node[data-id=greet]").click()
    await page.get_by_label("Name", exact=True).fill("Welcome")
    save = page.get_by_role("button", name="Save", exact=True)
    await save.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".editor__bar .badge").first).to_have_text("saved")
    await expect(save).to_be_disabled()
    await expect(save).to_be_focused()
    await page.keyboard.press("Tab")
    await expect(save).to_have_attribute("disabled", "")
    # A form is sent once.
    await page.goto(f"{studio.url}/#/credentials")
    await page.get_by_role("button", name="Add secret", exact=True).click()
    form = page.get_by_role("form", name="Add secret")
    await form.get_by_label("Name", exact=True).fill("door")
    await form.get_by_label("Value").fill("open")
    await press_twice(page, form.get_by_role("button", name="Add secret"), "secrets/door")
    await expect(form).to_have_count(0)
    await expect(page.locator("#main :focus")).to_be_visible()
