"""The list of workflows: what is active, published, run last and changed last, and its filters."""

from typing import Any, cast

import pytest
from playwright.async_api import Page, expect

from e2e.studio import Studio, shot
from e2e.test_access import look
from rest.drawn import drawn, greeting

pytestmark = pytest.mark.anyio


def hooked(name: str) -> dict[str, Any]:
    document = drawn(name)
    settings = {"webhook_path": f"/{name}", "auth_type": "none"}
    document["nodes"][0] |= {
        "type": "TRIGGER",
        "data": {"subtype": "WEBHOOK", "configurations": settings},
    }
    return document


async def test_the_list_shows_and_finds_what_is_active_published_and_run(
    page: Page, studio: Studio
) -> None:
    await empty_start_page(page, studio)
    await empty_pages(page, studio)
    for document in (greeting("run-and-published"), hooked("waits-for-calls"), greeting("idle")):
        path = f"/api/v1/workflows/{document['name']}"
        await studio.ask(page, "PUT", path, {"document": document})
    await studio.ask(page, "PUT", "/api/v1/published/run-and-published", {})
    await studio.ask(page, "POST", "/api/v1/triggers/waits-for-calls/enable", {})
    body = {"workflow": "run-and-published", "inputs": {"who": "Ada"}}
    await studio.ask(page, "POST", "/api/v1/runs", body)
    await page.goto(f"{studio.url}/#/")
    await page.reload()
    rows = page.get_by_role("table", name="Workflows", exact=True).get_by_role("row")
    published = rows.filter(has_text="run-and-published")
    await expect(published).to_contain_text("Published")
    await expect(published.get_by_role("link", name="Last run: success")).to_be_visible()
    active = rows.filter(has_text="waits-for-calls")
    await expect(active).to_contain_text("Active")
    await expect(active).to_contain_text("Never run")
    await expect(rows.filter(has_text="idle")).not_to_contain_text("Active")
    await expect(rows.filter(has_text="idle")).not_to_contain_text("Published")
    found: list[str] = []
    await look(found, page, "workflow-list")
    assert found == []
    await shot(page, "workflow-list")
    show = page.get_by_label("Show", exact=True)
    await show.select_option("Active")
    await expect(rows).to_have_count(2)
    await expect(active).to_be_visible()
    await show.select_option("Published")
    await expect(rows).to_have_count(2)
    await expect(published).to_be_visible()
    await show.select_option("All")
    await page.get_by_role("searchbox", name="Search workflows").fill("idle")
    await expect(rows).to_have_count(2)
    for count in (3, 4):
        await page.get_by_role("button", name="Actions for idle", exact=True).click()
        await page.get_by_role("menuitem", name="Duplicate").click()
        await expect(rows).to_have_count(count)
    await expect(rows.last).to_contain_text("idle-copy-2")
    await page.get_by_role("searchbox", name="Search workflows").fill("no such name")
    await expect(page.get_by_role("heading", name="No workflows match")).to_be_visible()
    await page.get_by_role("button", name="Clear filters").click()
    await expect(rows).to_have_count(6)
    await favorites_and_tags(page, studio)


async def favorites_and_tags(page: Page, studio: Studio) -> None:
    """A star puts a workflow first and a tag finds it, in the table and on cards, for good."""
    rows = page.get_by_role("table", name="Workflows", exact=True).get_by_role("row")
    bars = rows.filter(has_text="run-and-published").get_by_role("img")
    await expect(bars).to_have_accessible_name("Last 1 run: 1 success")
    await expect(rows.nth(1)).not_to_contain_text("waits-for-calls")
    await page.get_by_role("button", name="Favorite: waits-for-calls").click()
    await expect(rows.nth(1)).to_contain_text("waits-for-calls")
    await page.get_by_role("button", name="Actions for idle", exact=True).click()
    await page.get_by_role("menuitem", name="Edit tags…").click()
    dialog = page.get_by_role("dialog", name="Tags of idle")
    await dialog.get_by_label("Tags", exact=True).fill("mail, reports,, mail")
    await dialog.get_by_role("button", name="Save tags").click()
    idle = rows.filter(has=page.get_by_role("link", name="idle", exact=True))
    await expect(idle.get_by_role("list", name="Tags")).to_have_text("mailreports")
    await page.get_by_role("button", name="Cards", exact=True).click()
    await page.reload()
    cards = page.get_by_role("list", name="Workflows", exact=True).locator(".workflow-card")
    await expect(cards).to_have_count(5)
    await expect(cards.first).to_contain_text("waits-for-calls")
    published = cards.filter(has_text="run-and-published")
    await expect(published).to_contain_text("Published")
    await expect(published.get_by_role("img", name="Last 1 run: 1 success")).to_be_visible()
    found: list[str] = []
    await look(found, page, "workflow-cards")
    assert found == []
    await page.get_by_label("Tag", exact=True).select_option("mail")
    await expect(cards.get_by_role("heading")).to_have_text("idle")
    await page.get_by_label("Tag", exact=True).select_option("")
    await page.get_by_label("Show", exact=True).select_option("Favorites")
    await expect(cards.get_by_role("heading")).to_have_text("waits-for-calls")
    kept = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows/idle"))
    assert kept["document"]["metadata"]["tags"] == ["mail", "reports"]


# Every page that has nothing yet, and its one button.
EMPTY = {
    "runs": ("No runs yet", "link", "Open workflows"),
    "inbox": ("Nothing to answer", "link", "View runs"),
    "chat": ("No model yet", "link", "Add a model"),
    "servers": ("No servers yet", "button", "Add a server"),
    "triggers": ("No triggers yet", "link", "New workflow"),
    "credentials": ("No credentials yet", "button", "Add credential"),
    "manage/models": ("No models yet", "button", "Add a model"),
    "manage/published": ("No published tools yet", "button", "Publish a workflow"),
    "manage/library": ("No libraries yet", "button", "Add a repository"),
    "manage/documents": ("No documents yet", "link", "Read about documents"),
}


async def empty_pages(page: Page, studio: Studio) -> None:
    """Each says what belongs there, and has one button that begins it."""
    faults: list[str] = []
    for place, (title, role, button) in EMPTY.items():
        await page.goto(f"{studio.url}/#/{place}")
        await expect(page.get_by_role("heading", name=title)).to_be_visible()
        empty = page.locator(".empty")
        await expect(empty).to_have_count(1)
        action = empty.get_by_role(cast("Any", role), name=button, exact=True)
        await expect(action).to_be_visible()
        await expect(empty.locator(".button--primary")).to_have_count(1)
        await look(faults, page, f"empty-{place.replace('/', '-')}")
    assert faults == []


async def empty_start_page(page: Page, studio: Studio) -> None:
    """Without workflows there are templates, and ways to the servers and to the builder."""
    templates = page.get_by_role("list", name="Suggested templates").get_by_role("listitem")
    await expect(templates).to_have_count(3)
    await page.get_by_role("link", name="Import from Claude, Cursor…").click()
    dialog = page.get_by_role("dialog", name="Import servers from other programs")
    await expect(dialog).to_be_visible()
    await page.goto(f"{studio.url}/#/")
    await page.get_by_role("button", name="Describe it to AI…").click()
    await expect(page.get_by_role("heading", name="No model yet")).to_be_visible()
