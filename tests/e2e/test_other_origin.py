"""OWASP MCP07: a hostile page in the same browser can do nothing to the studio beside it."""

from pathlib import Path

import pytest
from playwright.async_api import Browser

from e2e.studio import Studio, open_page
from rest.drawn import greeting
from toolweave.json_text import read, write
from toolweave.testing.service import Told, fake_service

pytestmark = pytest.mark.anyio

ATTACK = (Path(__file__).parent / "other_origin.js").read_text(encoding="utf-8")
MAY_BE = {"refused", "0", "hidden", "blank", "sent"}


async def test_a_page_of_another_origin_changes_and_reads_nothing(
    browser: Browser, studio: Studio, tmp_path: Path
) -> None:
    html = {"content-type": "text/html"}
    evil_page = Told(b"<!doctype html><body>evil</body>", headers=html)
    async with fake_service(usual=evil_page) as evil, open_page(browser, studio) as page:
        await page.get_by_role("navigation").first.wait_for()
        before = await studio.ask(page, "GET", "/api/v1/workflows")
        runs = await studio.ask(page, "GET", "/api/v1/runs")
        other = await page.context.new_page()
        await other.goto(evil.address)
        tries = await other.evaluate(ATTACK, {"studio": studio.url, "workflow": greeting("evil")})
        assert len(tries) == 24
        assert {name: end for name, end in tries.items() if end not in MAY_BE} == {}
        # The frame holds no page of ours: it must not be shown inside another.
        inside = [frame for frame in other.frames if frame.url.startswith(studio.url)]
        for frame in inside:
            assert await frame.locator("nav").count() == 0
        assert await studio.ask(page, "GET", "/api/v1/workflows") == before
        assert await studio.ask(page, "GET", "/api/v1/runs") == runs
        assert read(write(tries)) == tries
