"""Approvals in the inbox: buttons, the keys A and R, and Markdown without anything active."""

from typing import Any, cast

import pytest
from playwright.async_api import Page, expect

from e2e.studio import Studio, shot
from e2e.test_access import EVERYTHING, findings

pytestmark = pytest.mark.anyio

TEXT = (
    "# Send the **offer**?\n\n- one\n- two\n\n| item | price |\n|---|---|\n| desk | 120 |\n\n"
    "<img src=x onerror=alert(1)> [click](javascript:alert(1))"
)


# As MCP servers ask: options with titles, and defaults.
FORM = {
    "type": "object",
    "properties": {
        "kind": {
            "type": "string",
            "title": "Kind",
            "oneOf": [
                {"const": "a", "title": "First class"},
                {"const": "b", "title": "Second class"},
            ],
            "default": "b",
        },
        "seats": {"type": "integer", "title": "Seats", "default": 2},
        "window": {"type": "boolean", "title": "Window", "default": True},
    },
    "required": ["kind", "seats"],
}


async def asked(page: Page, studio: Studio, name: str, **more: Any) -> str:
    """A run that waits for an approval."""
    settings = {"message": f"{TEXT}\n\n{name}", **more}
    ask = {"subtype": "MCP_ELICITATION", "configurations": settings}
    document: dict[str, Any] = {
        "toolweave": 1,
        "name": name,
        "nodes": [
            {"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}},
            {"id": "ask", "type": "HUMAN_IN_THE_LOOP", "data": ask},
        ],
        "edges": [{"id": "e", "source": "t", "target": "ask"}],
    }
    body = {"document": document, "inputs": {"order": {"id": 7}}}
    run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", body))
    return cast("str", run["id"])


async def outcome(page: Page, studio: Studio, run: str) -> dict[str, Any]:
    whole = cast("Any", await studio.ask(page, "GET", f"/api/v1/runs/{run}"))
    return next(one["value"] for one in whole["steps"] if one["key"] == "ask")


async def test_an_approval_is_decided_by_button_and_by_key(page: Page, studio: Studio) -> None:
    runs = [await asked(page, studio, name) for name in ("first", "second", "third")]
    await page.goto(f"{studio.url}/#/inbox")
    card = page.get_by_role("region", name="Question")
    items = page.get_by_role("navigation", name="Open questions").get_by_role("button")
    await expect(items).to_have_count(3)
    await expect(items.first).to_contain_text("Send the offer?")
    await expect(card.get_by_role("heading", name="Send the offer?")).to_be_visible()
    await expect(card.get_by_role("listitem")).to_have_text(["one", "two"])
    await expect(card.get_by_role("table").get_by_role("cell")).to_have_text(["desk", "120"])
    await expect(card.locator("img, a[href^=javascript]")).to_have_count(0)
    buttons = card.get_by_role("button")
    await expect(buttons).to_have_text(["ApproveA", "RejectR"])
    # The data is folded, and a tree rather than JSON.
    data = card.get_by_role("tree", name="To review", exact=True)
    await expect(data).to_have_count(0)
    await card.get_by_text("To review", exact=True).click()
    await expect(data).to_contain_text("order")
    await shot(page, "inbox-approval")
    assert await findings(page, EVERYTHING) == []
    # Letters in the comment are text.
    await card.get_by_label("Comment").fill("no")
    await card.get_by_label("Comment").press("r")
    await expect(card.get_by_label("Comment")).to_have_value("nor")
    await card.get_by_role("button", name="Reject").click()
    await expect(items).to_have_count(2)
    # A key that is held down answers one question.
    await page.locator("h1").click()
    await page.keyboard.down("a")
    await page.keyboard.down("a")
    await expect(items).to_have_count(1)
    await page.keyboard.down("a")
    await page.keyboard.up("a")
    await expect(items).to_have_count(1)
    await page.keyboard.press("r")
    await expect(page.get_by_role("heading", name="Nothing to answer")).to_be_visible()
    given = [await outcome(page, studio, run) for run in runs]
    # A comment is the text of its answer.
    assert sorted(one["answers"][0]["text"] for one in given) == ["confirmed", "nor", "rejected"]


async def test_a_form_offers_the_options_and_defaults_of_its_question(
    page: Page, studio: Studio
) -> None:
    run = await asked(page, studio, "form", requested_schema=FORM)
    await page.goto(f"{studio.url}/#/inbox")
    card = page.get_by_role("region", name="Question")
    kind = card.get_by_label("Kind")
    await expect(kind.locator("option:checked")).to_have_text("Second class")
    await kind.select_option(label="First class")
    await card.get_by_role("button", name="Send answer").click()
    await expect(page.get_by_role("heading", name="Nothing to answer")).to_be_visible()
    filled = (await outcome(page, studio, run))["form_data"]
    assert filled == {"kind": "a", "seats": 2, "window": True}


async def test_keys_lead_from_question_to_question(page: Page, studio: Studio) -> None:
    runs = [await asked(page, studio, name) for name in ("fourth", "fifth", "sixth")]
    await page.goto(f"{studio.url}/#/inbox")
    items = page.get_by_role("navigation", name="Open questions").get_by_role("button")
    await expect(items).to_have_count(3)
    card = page.get_by_role("region", name="Question")
    await expect(card.get_by_role("heading", name="Send the offer?")).to_be_visible()
    await page.keyboard.press("j")
    await expect(items.nth(1)).to_have_attribute("aria-current", "true")
    await expect(items.nth(1)).to_be_focused()
    await page.keyboard.press("j")
    # There is none after the last one.
    await page.keyboard.press("j")
    await expect(items.nth(2)).to_have_attribute("aria-current", "true")
    await page.keyboard.press("k")
    await expect(items.nth(1)).to_have_attribute("aria-current", "true")
    await page.keyboard.press("a")
    await expect(items).to_have_count(2)
    # The key answered one question, and the other runs still wait.
    whole = [cast("Any", await studio.ask(page, "GET", f"/api/v1/runs/{run}")) for run in runs]
    waiting = [run for run, one in zip(runs, whole, strict=True) if one["status"] == "waiting"]
    assert len(waiting) == 2
    for run in waiting:  # other tests find the inbox empty
        await studio.ask(page, "POST", f"/api/v1/runs/{run}/cancel")
