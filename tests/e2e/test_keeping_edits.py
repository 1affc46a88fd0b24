"""Edits stay, whatever fails around them: the service, the key, the browser's storage, a proxy."""

from pathlib import Path
from typing import Any, cast

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from e2e.studio import Studio, open_page, shot, started
from rest.drawn import greeting
from servers.rooms import eventually

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


def saving(page: Page) -> Locator:
    """Whether the open workflow is saved."""
    return page.locator(".editor__bar .badge").first


async def opened(page: Page, studio: Studio, document: dict[str, Any]) -> None:
    name = document["name"]
    await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": document})
    await page.goto(f"{studio.url}/#/w/{name}")
    await expect(page.locator(".step").first).to_be_visible()


async def rename(page: Page, name: str) -> None:
    """Give the node `greet` another name, which nobody saves."""
    await page.locator(".react-flow__node[data-id=greet]").click()
    await page.get_by_role("textbox", name="Name", exact=True).fill(name)
    await expect(saving(page)).to_have_text("unsaved")


def greet(page: Page) -> Locator:
    return page.locator(".react-flow__node[data-id=greet]")


async def test_edits_are_there_after_leaving_and_can_be_thrown_away(
    page: Page, studio: Studio
) -> None:
    await opened(page, studio, greeting("left"))
    await rename(page, "Not saved")
    await page.goto(f"{studio.url}/#/runs")
    await page.goto(f"{studio.url}/#/w/left")
    await expect(greet(page)).to_contain_text("Not saved")
    await page.reload()
    await expect(greet(page)).to_contain_text("Not saved")
    await expect(saving(page)).to_have_text("unsaved")
    await is_listed_as_unsaved(page, studio, "left")
    await page.reload()
    await page.get_by_role("button", name="Discard draft").click()
    await expect(greet(page)).to_contain_text("Greet")
    await expect(saving(page)).to_have_text("saved")
    notices = page.get_by_role("status", name="Notices")
    await notices.get_by_role("button", name="Undo").click()
    await expect(greet(page)).to_contain_text("Not saved")
    await expect(saving(page)).to_have_text("unsaved")
    await page.reload()
    await page.get_by_role("button", name="Discard draft").click()
    await expect(saving(page)).to_have_text("saved")
    await rename(page, "Deleted elsewhere")
    kept = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows/left"))
    gone = await page.request.delete(
        f"{studio.url}/api/v1/workflows/left",
        headers=studio.headers | {"If-Match": f'"{kept["revision"]}"'},
    )
    assert gone.ok
    await page.reload()
    await expect(page.get_by_role("heading", name="left cannot be opened")).to_be_visible()
    await shot(page, "deleted-elsewhere")
    await page.get_by_role("button", name="Open unsaved changes").click()
    await page.keyboard.press("Control+s")
    await page.get_by_role("dialog").get_by_role("button", name="Keep mine").click()
    await expect(saving(page)).to_have_text("saved")
    again = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows/left"))
    assert again["document"]["nodes"][1]["name"] == "Deleted elsewhere"


async def is_listed_as_unsaved(page: Page, studio: Studio, name: str) -> None:
    """The offer to discard the draft ends on other pages; the list marks the workflow."""
    offer = page.get_by_role("button", name="Discard draft", exact=True)
    await expect(offer).to_be_visible()

    async def ends_with_its_page() -> bool:
        await page.goto(f"{studio.url}/#/runs")
        await expect(page.get_by_role("heading", name="Runs", exact=True)).to_be_visible()
        if await offer.count() == 0:
            return True
        # What was shown a moment ago stays; nothing is loaded again here.
        await page.goto(f"{studio.url}/#/w/{name}")
        await expect(greet(page)).to_be_visible()
        return False

    await eventually(ends_with_its_page)
    await page.goto(f"{studio.url}/#/")
    row = page.get_by_role("table", name="Workflows").get_by_role("row", name=name)
    await expect(row.get_by_text("unsaved", exact=True)).to_be_visible()
    await page.goto(f"{studio.url}/#/w/{name}")
    await expect(greet(page)).to_contain_text("Not saved")


async def test_a_key_that_is_revoked_while_the_page_is_open_costs_no_edit(
    page: Page, studio: Studio
) -> None:
    made = await page.request.fetch(f"{studio.url}/api/v1/workflows", headers={"X-API-Key": "tw_x"})
    assert made.status == 401
    await opened(page, studio, greeting("keyed"))
    await rename(page, "With the next key")
    # As after `toolweave keys revoke`: what the tab holds is refused from now on.
    await page.evaluate("sessionStorage.setItem('toolweave.token', 'tw_revoked')")
    await page.keyboard.press("Control+s")
    await expect(page.get_by_role("heading", name="This key is not valid")).to_be_visible()
    await expect(page.get_by_text("Unsaved changes stay in this tab")).to_be_visible()
    await shot(page, "key-revoked")
    await page.get_by_label("Key").fill(f"{studio.url}/#token={studio.token}")
    await page.get_by_role("button", name="Open the studio").click()
    await expect(greet(page)).to_contain_text("With the next key")
    await page.keyboard.press("Control+s")
    await expect(saving(page)).to_have_text("saved")


BLOCKED = """
for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });
"""


async def test_a_browser_that_keeps_nothing_is_told_and_asked_before_it_leaves(
    browser: Browser, studio: Studio
) -> None:
    async with open_page(browser, studio, "about:blank") as page:
        await page.add_init_script(BLOCKED)
        await page.goto(f"{studio.url}/#token={studio.token}")
        await expect(page.get_by_role("heading", name="Workflows", exact=True)).to_be_visible()
        await opened(page, studio, greeting("blocked"))
        await rename(page, "Only here")
        await expect(page.get_by_text("Drafts cannot be stored")).to_be_visible()
        await page.goto(f"{studio.url}/#/runs")
        await page.goto(f"{studio.url}/#/w/blocked")
        await expect(greet(page)).to_contain_text("Only here")
        async with page.expect_event("dialog") as asked:
            await page.close(run_before_unload=True)
        dialog = await asked.value
        assert dialog.type == "beforeunload"
        await dialog.dismiss()
        await page.keyboard.press("Control+s")
        await expect(saving(page)).to_have_text("saved")


class Proxy:
    """Cuts the stream of a run in the middle of an event, then is a bad gateway, then works."""

    def __init__(self) -> None:
        self.asked: list[str | None] = []

    async def __call__(self, route: Route) -> None:
        self.asked.append(route.request.headers.get("last-event-id"))
        if len(self.asked) == 2:
            await route.fulfill(status=502, content_type="text/html", body="<h1>Bad Gateway</h1>")
            return
        answer = await route.fetch()
        whole = await answer.text()
        half = whole[: whole.index("event: finished") - 20] if len(self.asked) == 1 else whole
        await route.fulfill(response=answer, body=half)


async def test_a_stream_that_a_proxy_cuts_is_taken_up_where_it_was(
    page: Page, studio: Studio
) -> None:
    proxy = Proxy()
    await page.route("**/api/v1/runs/*/events*", proxy)
    await opened(page, studio, greeting("cut"))
    await page.get_by_role("button", name="Inputs", exact=True).click()
    await page.get_by_label("Inputs, as JSON").fill('{"who": "Ada"}')
    await page.get_by_role("dialog").get_by_role("button", name="Run", exact=True).click()
    await expect(page.locator(".run-panel__head .badge").first).to_have_text("success")
    assert proxy.asked[0] is None
    assert proxy.asked[1] == proxy.asked[2] is not None
    await expect(page.locator(".notice--bad")).to_have_count(0)
    # Requests in flight must not fail the next test.
    await page.unroute_all(behavior="ignoreErrors")


async def test_a_service_that_goes_and_comes_back_gets_what_was_edited_meanwhile(
    browser: Browser, tmp_path: Path
) -> None:
    async with started(tmp_path) as own, open_page(browser, own) as page:
        await opened(page, own, greeting("second"))
        await opened(page, own, greeting("offline"))
        own.kill()
        await rename(page, "Edited alone")
        await page.keyboard.press("Control+s")
        await expect(page.locator(".studio__down")).to_be_visible()
        await expect(page.get_by_text("Not saved: the service is not responding")).to_be_visible()
        await page.goto(f"{own.url}/#/runs")
        await page.goto(f"{own.url}/#/w/offline")
        await expect(greet(page)).to_contain_text("Edited alone")
        await page.goto(f"{own.url}/#/w/second")
        await expect(page.get_by_role("heading", name="second cannot be opened")).to_be_visible()
        await shot(page, "offline")
        await own.start()
        # By itself, and what was left unsaved is there as well.
        await expect(greet(page)).to_contain_text("Greet")
        await expect(page.locator(".studio__down")).to_have_count(0)
        await page.goto(f"{own.url}/#/w/offline")
        await expect(greet(page)).to_contain_text("Edited alone")
        await page.keyboard.press("Control+s")
        await expect(saving(page)).to_have_text("saved")
        kept = cast("Any", await own.ask(page, "GET", "/api/v1/workflows/offline"))
        assert kept["document"]["nodes"][1]["name"] == "Edited alone"
