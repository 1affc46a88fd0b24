"""The documentation in a browser: it opens at `/docs`, and its search finds a page."""

import pytest
from playwright.async_api import Page, expect

from e2e.studio import Studio, shot
from toolweave.rest.docs_pages import SITE

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the site is not built"),
]


@pytest.fixture
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def test_the_documentation_opens_and_its_search_finds_a_page(
    page: Page, studio: Studio
) -> None:
    refused: list[str] = []
    page.on("console", lambda line: refused.append(line.text) if line.type == "error" else None)
    outside: list[str] = []
    page.on(
        "request",
        lambda sent: (
            None if sent.url.startswith((studio.url, "data:")) else outside.append(sent.url)
        ),
    )
    await page.goto(f"{studio.url}/docs/")
    await expect(page.get_by_role("heading", name="Toolweave", level=1)).to_be_visible()
    await shot(page, "docs")
    await page.keyboard.press("/")
    await page.keyboard.type("task queue prefix")
    hit = page.locator("a[href*='scale']").filter(visible=True).first
    await expect(hit).to_be_visible()
    await shot(page, "docs_search")
    await page.goto(f"{studio.url}/docs/running")
    await expect(page).to_have_url(f"{studio.url}/docs/running/")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert (refused, outside) == ([], [])
