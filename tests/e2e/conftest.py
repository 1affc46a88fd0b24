"""A browser for a worker's journeys; a service for each module, or one for those that share it."""

from collections.abc import AsyncGenerator

import httpx2
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
async def studio_of_all(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Studio]:
    async with started(tmp_path_factory.mktemp("shared")) as running:
        yield running


@pytest.fixture(scope="module")
async def shared_studio(studio_of_all: Studio) -> AsyncGenerator[Studio]:
    """For modules that look only at what they made themselves: they override `studio` with it.

    Their workflows are deleted after them, so that names are free for the next one.
    """
    yield studio_of_all
    if not studio_of_all.is_running:
        return
    place = f"{studio_of_all.url}/api/v1/workflows"
    async with httpx2.AsyncClient(headers=studio_of_all.headers, timeout=60) as client:
        for stored in (await client.get(place)).json()["workflows"]:
            revision = {"If-Match": f'"{stored["revision"]}"'}
            await client.delete(f"{place}/{stored['name']}", headers=revision)


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
