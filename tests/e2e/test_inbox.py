"""The inbox: what a run asks is shown as a form, and the answer lets the run go on."""

from typing import Any, cast

import pytest
from playwright.async_api import Page, expect

from e2e.studio import Studio, shot

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("browser")]

FORM: dict[str, Any] = {
    "form_title": "Boxes for <b>Ada</b>",
    "form_schema": {
        "type": "object",
        "properties": {
            "boxes": {"type": "integer", "title": "Boxes", "minimum": 1},
            "size": {"type": "string", "title": "Size", "enum": ["small", "large"]},
            "fast": {"type": "boolean", "title": "In a hurry"},
        },
        "required": ["boxes", "size"],
    },
    "people": ["ada", "grace"],
}
ASKING: dict[str, Any] = {
    "toolweave": 1,
    "name": "ask",
    "nodes": [
        {"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}},
        {
            "id": "ask",
            "type": "HUMAN_IN_THE_LOOP",
            "data": {"subtype": "FORM", "configurations": FORM},
        },
    ],
    "edges": [{"id": "e", "source": "t", "target": "ask"}],
}


async def test_a_question_is_answered_by_its_form_and_the_run_goes_on(
    page: Page, studio: Studio
) -> None:
    await page.goto(f"{studio.url}/#/inbox")
    await expect(page.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", {"document": ASKING}))
    await expect(page.locator(".rail__count")).to_contain_text("1")
    card = page.get_by_role("region", name="Question")
    await expect(card.locator(".question__text bdi")).to_have_text("Boxes for <b>Ada</b>")
    await expect(card.get_by_text("contains HTML")).to_be_visible()
    await card.get_by_label("Size").select_option("large")
    await card.get_by_role("button", name="Send the answer").click()
    await expect(card.locator(".field__fault")).to_have_text("This is needed.")
    await card.get_by_label("Boxes").fill("0")
    await card.get_by_role("button", name="Send the answer").click()
    await expect(card.get_by_role("alert")).to_be_visible()
    await shot(page, "inbox")
    await card.get_by_label("Boxes").fill("3")
    await card.get_by_label("In a hurry").check()
    await card.get_by_label("Who answers").select_option("grace")
    await card.get_by_role("button", name="Send the answer").click()
    await expect(page.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    await expect(page.locator(".rail__count")).to_have_count(0)
    await page.goto(f"{studio.url}/#/runs/{run['id']}")
    await expect(page.locator(".run-panel__head .badge")).to_have_text("success")
    whole = cast("Any", await studio.ask(page, "GET", f"/api/v1/runs/{run['id']}"))
    given = next(step["value"] for step in whole["steps"] if step["key"] == "ask")
    assert given["form_data"] == {"boxes": 3, "size": "large", "fast": True}
