"""The template gallery, and the start page of a home without workflows."""

import pytest
from playwright.async_api import Page, expect

from e2e.studio import Studio, shot

pytestmark = pytest.mark.anyio


async def test_a_template_is_found_placed_in_two_clicks_and_run(page: Page, studio: Studio) -> None:
    steps = page.get_by_role("region", name="Getting started").get_by_role("listitem")
    await expect(steps).to_have_count(3)
    await expect(page.get_by_role("list", name="Suggested templates")).to_be_visible()
    await expect(page.get_by_role("region", name="Recent runs")).to_have_count(0)
    await shot(page, "home-empty")
    await page.get_by_role("link", name="Templates", exact=True).click()
    cards = page.get_by_role("list", name="Templates").get_by_role("listitem")
    handbook = cards.filter(has_text="Ask the handbook")
    csv = cards.filter(has_text="CSV to JSON")
    await expect(handbook).to_contain_text("Needs a model")
    await expect(csv).to_contain_text("Ready to run")
    await page.get_by_label("Ready to run").check()
    await expect(handbook).to_have_count(0)
    await expect(csv).to_be_visible()
    await page.get_by_role("searchbox", name="Search templates").fill("csv")
    await expect(cards.first).to_contain_text("CSV")
    await shot(page, "templates")
    await page.get_by_role("button", name="Use CSV to JSON").click()
    await expect(page.get_by_role("textbox", name="Workflow name")).to_have_value("CSV to JSON")
    await expect(page.locator(".step").first).to_be_visible()
    assert "#/new/" in page.url
    # The inputs to try it with come along.
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(page.locator(".run-panel__head .badge")).to_have_text("success")
    await page.get_by_role("link", name="Workflows", exact=True).click()
    await expect(steps.first).to_contain_text("done")
    await expect(page.get_by_role("table", name="Recent runs")).to_contain_text("CSV to JSON")
    # The run is found by what it was started with, and not by anything else.
    await page.get_by_role("link", name="Runs", exact=True).click()
    search = page.get_by_role("searchbox", name="Search inputs")
    await search.fill("nobody sent this")
    await expect(page.get_by_role("heading", name="No runs")).to_be_visible()
    await search.fill("NAME")
    await page.get_by_label("Started").select_option("Last hour")
    await expect(page.get_by_role("table", name="Runs")).to_contain_text("CSV to JSON")
    await shot(page, "runs-search")


async def test_a_template_needs_nothing_more_once_its_account_is_stored(
    page: Page, studio: Studio
) -> None:
    await page.goto(f"{studio.url}/#/templates")
    card = page.get_by_role("listitem").filter(has_text="Alert on failure")
    await expect(card).to_contain_text("Needs Telegram")
    await studio.ask(page, "PUT", "/api/v1/secrets/telegram", {"value": "123:abc"})
    await page.reload()
    await expect(card).to_contain_text("Ready to run")
    assert await card.get_by_text("Needs").count() == 0
