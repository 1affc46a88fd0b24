"""One browser and one service for all journeys."""

from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Browser, Page, expect

from e2e.studio import PATIENCE_MS, Studio, open_browser, open_page, require_pages, started


@pytest.fixture(scope="module")
async def browser() -> AsyncGenerator[Browser]:
    require_pages()
    expect.set_options(timeout=PATIENCE_MS)
    async with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
async def studio(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Studio]:
    home = tmp_path_factory.mktemp("studio")
    async with started(home) as running:
        yield running


@pytest.fixture
async def page(browser: Browser, studio: Studio) -> AsyncGenerator[Page]:
    async with open_page(browser, studio) as opened:
        yield opened
