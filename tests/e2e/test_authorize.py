"""The page on which a person decides what a program that signs in with OAuth may do."""

import re

import pytest
from playwright.async_api import Browser, Route, expect

from e2e.places import access_query
from e2e.studio import Studio, open_page
from e2e.test_access import look

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("answer", ["Allow", "Deny"])
async def test_a_person_decides_and_the_browser_returns_to_the_program(
    browser: Browser, shared_studio: Studio, answer: str
) -> None:
    async with open_page(browser, shared_studio) as page:
        arrived: list[str] = []

        async def program(route: Route) -> None:
            arrived.append(route.request.url)
            await route.fulfill(body="done")

        await page.route("http://127.0.0.1:9/**", program)
        query = await access_query(page, shared_studio)
        # The address that the program opens; the browser is led to the page.
        await page.goto(f"{shared_studio.url}/oauth/authorize?{query}")
        heading = page.get_by_role("heading", level=1)
        await expect(heading).to_have_text("Allow A coding agent to use this studio?")
        await expect(page.get_by_text("127.0.0.1:9")).to_be_visible()
        form = page.get_by_role("form", name="Access")
        await expect(form.get_by_role("checkbox", name="tools:read")).to_be_checked()
        # It asks for that too, but somebody has to tick it.
        await expect(form.get_by_role("checkbox", name="workflows:write")).not_to_be_checked()
        # Like other pages: with a margin, and the form right below the text.
        main, title, box = [
            await at.bounding_box() for at in (page.get_by_role("main"), heading, form)
        ]
        assert main
        assert title
        assert box
        assert title["x"] >= main["x"] + 16
        assert box["y"] < title["y"] + 300
        found: list[str] = []
        await look(found, page, "authorize")
        assert found == []
        await form.get_by_role("button", name=answer).click()
        await page.wait_for_url(re.compile("^http://127.0.0.1:9/callback"))
        expected = "code=" if answer == "Allow" else "error=access_denied"
        assert expected in arrived[0]
        assert "state=st-1" in arrived[0]


async def test_a_request_that_cannot_be_trusted_is_explained(
    browser: Browser, shared_studio: Studio
) -> None:
    async with open_page(browser, shared_studio) as page:
        query = await access_query(page, shared_studio)
        await page.goto(f"{shared_studio.url}/#/authorize?{query.replace('%2Fcallback', '%2Fx')}")
        await expect(page.get_by_text("This sign-in cannot continue")).to_be_visible()
        assert await page.get_by_role("button", name="Allow").count() == 0


async def test_a_sign_in_in_a_new_tab_takes_the_key_of_the_open_studio(
    browser: Browser, shared_studio: Studio
) -> None:
    async with open_page(browser, shared_studio) as page:
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        query = await access_query(page, shared_studio)
        address = f"{shared_studio.url}/oauth/authorize?{query}"
        tab = await page.context.new_page()
        await tab.goto(address)
        heading = tab.get_by_role("heading", level=1)
        await expect(heading).to_have_text("Allow A coding agent to use this studio?")
        assert shared_studio.token not in tab.url
        # Another browser gets nothing.
        stranger = await browser.new_context()
        try:
            apart = await stranger.new_page()
            await apart.goto(address)
            await expect(apart.get_by_role("heading")).to_have_text("The studio needs its API key")
        finally:
            await stranger.close()
