"""Triggers in the editor: address, next times, one real test event, the Active switch, builders."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from e2e.fields import box
from e2e.hands import Hands
from e2e.studio import Studio, open_page, shot
from e2e.test_access import look
from rest.drawn import drawn

pytestmark = pytest.mark.anyio

NAME, OTHER = "orders", "parcels"


def orders(name: str = NAME) -> dict[str, Any]:
    """A webhook, a condition and a greeting."""
    large = {} if name == NAME else {"condition_expression": "data.body.total > 100"}
    check: dict[str, Any] = {"subtype": "IF", "configurations": large}
    document = drawn(
        name,
        {"id": "check", "type": "FLOW", "name": "Large order?", "data": check},
        {"id": "say", "type": "prompt", "name": "Say", "data": {"prompt": "Large"}},
    )
    hook = {"subtype": "WEBHOOK", "configurations": {"webhook_path": f"/{name}"}}
    document["nodes"][0] |= {"id": "start", "type": "TRIGGER", "name": "Order", "data": hook}
    document["connections"][1]["fromPort"] = "true"
    return document


def nightly(name: str = "nightly") -> dict[str, Any]:
    document = drawn(name)
    document["nodes"][0] |= {
        "type": "TRIGGER",
        "name": "Nightly",
        "data": {"subtype": "CRON", "configurations": {}},
    }
    fetch = {"subtype": "HTTP_REQUEST", "configurations": {"url": "https://example.org"}}
    document["nodes"].insert(
        1,
        {
            "id": "fetch",
            "type": "ACTION",
            "name": "Fetch",
            "data": fetch,
            "position": {"x": 300, "y": 200},
        },
    )
    return document


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


@pytest.fixture(scope="module")
async def page(browser: Browser, studio: Studio) -> AsyncGenerator[Page]:
    async with open_page(browser, studio) as opened:
        for document in (orders(), orders(OTHER), nightly(), nightly("weekly")):
            path = f"/api/v1/workflows/{document['name']}"
            await studio.ask(opened, "PUT", path, {"document": document})
        yield opened


def card(page: Page, node: str) -> Locator:
    return page.locator(f".react-flow__node[data-id={node}]")


async def send(page: Page, studio: Studio, name: str = NAME, **body: Any) -> dict[str, Any]:
    answer = await page.request.post(f"{studio.url}/hooks/{name}", data=body)
    return cast("dict[str, Any]", await answer.json())


@asynccontextmanager
async def listening(page: Page) -> AsyncGenerator[None]:
    """Begin to listen in the body; the page says so before the service knows of it."""
    async with page.expect_response("**/api/v1/triggers/listen"):
        yield
    await expect(page.get_by_text("Listening: send one request")).to_be_visible()


async def test_a_webhook_is_listened_to_mapped_run_and_activated_with_the_mouse(
    page: Page, studio: Studio
) -> None:
    await page.goto(f"{studio.url}/#/w/{NAME}")
    await card(page, "start").click()
    panel = page.get_by_role("region", name="Trigger")
    await expect(panel.locator("code")).to_have_text(f"{studio.url}/hooks/orders")
    async with listening(page):
        await panel.get_by_role("button", name="Listen for a test event").click()
    with_listener = await send(page, studio, total=250, city="Oslo")
    assert with_listener["status"] == "test"
    await expect(panel.get_by_text("Saved since")).to_be_visible()
    found: list[str] = []
    await look(found, page, "trigger-event")
    # The next node reads the event, in rows.
    await card(page, "check").dblclick()
    view = page.get_by_role("dialog")
    rows = view.get_by_role("group", name="Condition expression", exact=True)
    await rows.get_by_label("Condition 1: field").click()
    # The headers of a request are folded: they are seldom wanted.
    assert await view.get_by_role("treeitem", name="content-type").count() == 0
    await view.get_by_role("treeitem", name="total 250").first.click()
    await expect(rows.get_by_label("Condition 1: field")).to_have_value("data.body.total")
    await rows.get_by_label("Condition 1: operator").select_option("is greater than")
    await rows.get_by_label("Condition 1: kind of value").select_option("Value")
    await rows.get_by_label("Condition 1: value").fill("100")
    await rows.get_by_role("button", name="Add condition").click()
    await rows.get_by_label("Condition 2: field").fill("data.body.city")
    await rows.get_by_label("Condition 2: value").fill("Oslo")
    await look(found, page, "condition-rows")
    await view.get_by_role("button", name="Expression", exact=True).click()
    text = box(view, "Condition expression")
    await expect(text).to_have_text('data.body.total > 100 && data.body.city == "Oslo"')
    await text.fill("data.items.filter(x, x > 1) == []")
    await expect(view.get_by_text("Rows cannot show this: it calls filter().")).to_be_visible()
    await text.fill("data.body.total > 100 || data.body.vip")
    await view.get_by_role("button", name="Rows", exact=True).click()
    await expect(rows.get_by_label("Condition: all or any")).to_have_value("or")
    await expect(rows.get_by_label("Condition 2: operator")).to_have_value("true")
    await view.get_by_role("button", name="Run step").click()
    await expect(view.get_by_role("region", name="Output", exact=True)).to_contain_text("true")
    await page.keyboard.press("Escape")
    # A plain Run takes the kept event.
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(page.locator(".run-panel__head .badge").first).to_have_text("success")
    switch = page.get_by_role("switch", name="Active")
    await expect(switch).not_to_be_checked()
    await switch.click()
    await page.get_by_role("button", name="Save and activate").click()
    await expect(switch).to_be_checked()
    assert (await send(page, studio, total=1))["status"] == "accepted"
    await look(found, page, "active-switch")
    assert found == []
    # Its knob is visible where a person's own colours replace ours.
    await page.emulate_media(forced_colors="active")
    knob, track = await switch.locator(".switch__track").evaluate(
        "one => ['::after', null].map(part => getComputedStyle(one, part).backgroundColor)"
    )
    assert knob != track
    pill = page.locator(".step--pill").first
    filled = await pill.evaluate("one => getComputedStyle(one, '::before').backgroundColor")
    assert filled != await pill.evaluate("one => getComputedStyle(one).color")
    await page.emulate_media(forced_colors="none")
    await switch.click()
    await expect(switch).not_to_be_checked()
    await page.goto(f"{studio.url}/#/w/weekly")
    await card(page, "start").click()
    await page.get_by_label("Cron expression: how often").select_option("On days of the week")
    await page.get_by_role("button", name="Friday").click()
    sentence = "Every Monday, Tuesday, Wednesday and Thursday at 09:00"
    await expect(page.locator(".schedule__sentence")).to_have_text(sentence)
    times = page.get_by_role("list", name="Next runs").get_by_role("listitem")
    await expect(times).to_have_count(5)
    for _ in range(2):
        await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(".schedule__sentence")).to_have_count(0)


async def test_an_event_is_entered_and_a_schedule_built_by_keyboard_alone(
    page: Page, studio: Studio
) -> None:
    hands = Hands(page)
    await page.goto(f"{studio.url}/#/w/{OTHER}")
    await expect(card(page, "check")).to_be_visible()
    await hands.open_node("Order")
    await hands.until("Tab", "Listen for a test event")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Stop listening")).to_be_visible()
    await hands.reach("Stop listening")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Listen for a test event")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog", name="Test event for Order")
    await hands.lands("Headers")
    await hands.until("Tab", "Body")
    await page.keyboard.press("Control+a")
    await page.keyboard.type('{"total": 500')
    await expect(dialog.get_by_text("Not valid JSON")).to_be_visible()
    await expect(dialog.get_by_role("button", name="Run")).to_be_disabled()
    await page.keyboard.type("}")
    await expect(dialog.get_by_text("Not valid JSON")).to_have_count(0)
    await hands.until("Tab", "Run")
    await page.keyboard.press("Enter")
    await expect(page.locator(".run-panel__head .badge").first).to_have_text("success")
    await expect(page.get_by_role("button", name="Edit event")).to_be_visible()
    # One real delivery, too.
    await hands.open_node("Order")
    await hands.until("Tab", "Listen for a test event")
    async with listening(page):
        await page.keyboard.press("Enter")
    assert (await send(page, studio, OTHER, total=700))["status"] == "test"
    await expect(page.get_by_text("Saved since")).to_be_visible()
    await page.keyboard.press("Escape")
    switch = page.get_by_role("switch", name="Active")
    await hands.to_panel("bar")
    await hands.until("Tab", "Active")
    for _ in range(2):
        is_on = await switch.is_checked()
        await page.keyboard.press("Space")
        if not is_on:  # the saved event is an edit
            await hands.until("Tab", "Save and activate")
            await page.keyboard.press("Enter")
        await expect(switch).to_be_checked(checked=not is_on)
    found: list[str] = []
    await a_schedule_and_headers(hands, studio, found)
    assert found == []


async def a_schedule_and_headers(hands: Hands, studio: Studio, found: list[str]) -> None:
    page = hands.page
    await page.goto(f"{studio.url}/#/w/nightly")
    await expect(card(page, "fetch")).to_be_visible()
    await hands.open_node("Nightly")
    await hands.until("Tab", "Cron expression: how often")
    await page.keyboard.type("On days of the w")
    said = page.locator(".schedule__sentence")
    await expect(said).to_have_text("Every weekday at 09:00")
    await hands.until("Tab", "Friday")
    await page.keyboard.press("Space")
    await expect(said).to_have_text("Every Monday, Tuesday, Wednesday and Thursday at 09:00")
    times = page.get_by_role("list", name="Next runs").get_by_role("listitem")
    await expect(times).to_have_count(5)
    await look(found, page, "schedule-sentence")
    await hands.until("Shift+Tab", "Cron", whole=True)
    await page.keyboard.press("Enter")
    cron = page.get_by_role("combobox", name="Cron expression", exact=True)
    await expect(cron).to_have_value("0 9 * * 1,2,3,4")
    await hands.until("Tab", "Cron expression")
    await page.keyboard.press("Control+a")
    await page.keyboard.type("*/15 9-17 * * 1-5")
    await expect(page.get_by_text("A sentence cannot show this")).to_be_visible()
    await expect(page.get_by_role("button", name="Sentence")).to_be_disabled()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await hands.open_node("Fetch")
    await expect(page.locator(".trigger-panel")).to_have_count(0)
    headers = page.get_by_role("group", name="Headers", exact=True)
    await expect(headers).to_be_visible()
    await hands.until("Tab", "Add to Headers")
    await page.keyboard.press("Enter")
    await expect(headers.get_by_label("headers: name of entry 1")).to_be_focused()
    await hands.type("Accept", then="Tab")
    await page.keyboard.type("text/plain")
    await look(found, page, "map-rows")
    await hands.until("Shift+Tab", "JSON", whole=True)
    await page.keyboard.press("Enter")
    raw = page.get_by_role("textbox", name="Headers", exact=True)
    await expect(raw).to_have_value('{\n  "Accept": "text/plain"\n}')
    await shot(page, "map-json")
