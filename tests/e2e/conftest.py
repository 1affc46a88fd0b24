"""A browser for a worker's journeys; a service for each module, or one for those that share it."""

from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Browser, Page, expect

from e2e.studio import PATIENCE_MS, Studio, open_browser, open_page, require_pages, started


@pytest.fixture(scope="package")
async def browser() -> AsyncGenerator[Browser]:
    require_pages()
    expect.set_options(timeout=PATIENCE_MS)
    async with open_browser() as opened:
        yield opened


@pytest.fixture(scope="package")
async def shared_studio(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Studio]:
    """For modules that look only at what they made themselves: they override `studio` with it."""
    async with started(tmp_path_factory.mktemp("shared")) as running:
        yield running


@pytest.fixture(scope="module")
async def studio(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Studio]:
    """A service of the module's own: its home is empty at first, and nobody else is there."""
    async with started(tmp_path_factory.mktemp("studio")) as running:
        yield running


@pytest.fixture
async def page(browser: Browser, studio: Studio) -> AsyncGenerator[Page]:
    async with open_page(browser, studio) as opened:
        yield opened
