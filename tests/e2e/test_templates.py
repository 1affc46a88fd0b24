"""The template gallery, and the start page of a home without workflows."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import Page, expect

from e2e.hands import Hands
from e2e.studio import Studio, shot
from toolweave.clock import timestamp

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
    async with page.expect_response("**/api/v1/edit/validate") as checked:
        await page.get_by_role("button", name="Use CSV to JSON").click()
    await expect(page.get_by_role("textbox", name="Workflow name")).to_have_value("CSV to JSON")
    await expect(page.locator(".step").first).to_be_visible()
    assert "#/new/" in page.url
    # The inputs to try it with come along.
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(page.locator(".run-panel__head .badge")).to_have_text("success")
    # Its natural name is no problem, although the check reports it.
    assert "WORKFLOW_NAME_UNUSUAL" in await (await checked.value).text()
    bar = page.get_by_role("group", name="Workflow", exact=True)
    await expect(bar.get_by_role("button", name="warning")).to_have_count(0)
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
    await look_at_a_run_and_return(page)
    # A click on the page's own link clears the filters.
    await page.get_by_role("link", name="Runs", exact=True).click()
    await expect(search).to_have_value("")
    await every_run_is_listed(page, studio)


async def look_at_a_run_and_return(page: Page) -> None:
    """Going back brings the filters again; a re-run has its own address."""
    await page.get_by_role("link", name="CSV to JSON").click()
    await page.locator(".timeline__row").first.click()
    # There is nothing below the run that closing it could show.
    await expect(page.get_by_role("button", name="Close the run")).to_have_count(0)
    first = page.url
    await page.get_by_role("button", name="Re-run from here").click()
    await page.get_by_role("button", name="Run from here", exact=True).click()
    await expect(page).not_to_have_url(first)
    head = page.locator(".run-panel__head")
    await expect(head.locator(".badge")).to_have_text("success")
    await expect(head).to_contain_text("Re-run of")
    await head.get_by_role("link", name=first.rpartition("/")[2][:8]).click()
    await expect(page).to_have_url(first)
    await page.evaluate("() => history.go(-3)")
    search = page.get_by_role("searchbox", name="Search inputs")
    await expect(search).to_have_value("NAME")
    await expect(page.get_by_label("Started")).to_have_value("1")


async def every_run_is_listed(page: Page, studio: Studio) -> None:
    """More runs than the service lists in one answer, of a workflow that is not stored."""
    earlier = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [
        (
            f"{number:08x}-0000-4000-8000-000000000000",
            timestamp(earlier + timedelta(seconds=number)),
        )
        for number in range(1_100)
    ]
    with closing(sqlite3.connect(studio.home / "toolweave.db")) as database, database:
        database.executemany(
            "INSERT INTO runs (id, workflow, document, status, started_at, changed_at, finished_at)"
            " SELECT ?1, 'many', document, 'success', ?2, ?2, ?2 FROM runs LIMIT 1",
            rows,
        )
    await page.reload()
    listed = page.get_by_role("table", name="Runs").locator("tbody tr")
    await expect(listed).to_have_count(50)
    await page.get_by_label("Workflow").select_option("many")
    await expect(page).to_have_url(f"{studio.url}/#/runs?workflow=many")
    # A page repeats the last run of the page before, which is listed once.
    for count in (299, 548, 797, 1_046, 1_100):
        await page.get_by_role("button", name="Load more").click()
        await expect(listed).to_have_count(count)
    await expect(page.get_by_role("button", name="Load more")).to_have_count(0)
    await page.get_by_label("Started").select_option("Custom…")
    await page.get_by_label("From").fill("2026-06-01T00:00")
    await expect(page.get_by_role("heading", name="No runs match")).to_be_visible()


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
    await placed_by_keys(Hands(page))


async def placed_by_keys(hands: Hands) -> None:
    """The search, then the button of the one that it finds."""
    page = hands.page
    await hands.until("Tab", "Search templates")
    await page.keyboard.type("alert on failure")
    await expect(page.get_by_role("button", name="Use ")).to_have_count(1)
    await hands.until("Tab", "Use Alert on failure")
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Workflow name")).to_have_value("Alert on failure")


async def test_a_template_with_tools_is_ready_and_suggested_once_its_server_is_connected(
    page: Page, studio: Studio
) -> None:
    suggested = page.get_by_role("list", name="Suggested templates").get_by_role("listitem")
    await expect(suggested).to_have_count(3)
    await expect(suggested.filter(has_text="demo server")).to_have_count(0)
    await page.goto(f"{studio.url}/#/templates")
    cards = page.get_by_role("list", name="Templates").get_by_role("listitem")
    umbrella = cards.filter(has_text="Umbrella check")
    await expect(umbrella).to_contain_text("Needs demo")
    await page.get_by_label("Ready to run").check()
    await expect(umbrella).to_have_count(0)
    await expect(cards.filter(has_text="CSV to JSON")).to_be_visible()
    await shot(page, "templates-no-server")
    await studio.ask(page, "POST", "/api/v1/samples")
    await page.reload()
    await page.get_by_label("Ready to run").check()
    await expect(umbrella).to_contain_text("Ready to run")
    await expect(cards.filter(has_text="Web page to file")).to_have_count(0)
    await shot(page, "templates-demo-server")
    await page.goto(f"{studio.url}/#/")
    await expect(suggested.first).to_contain_text("demo server")
    assert await suggested.filter(has_text="demo server").count() == 2
    await shot(page, "home-suggested")
