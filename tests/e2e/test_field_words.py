"""Forms in words: choices by name, completion in rows of a map, no error before the first edit."""

from typing import Any

import anyio
import pytest
from playwright.async_api import Page, expect

from e2e.mcp import calling
from e2e.opening import card, inspector, open_workflow
from e2e.studio import Studio
from rest.drawn import drawn
from rest.test_pinned_data import pinned

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


def requesting(name: str) -> dict[str, Any]:
    configurations = {"url": "https://example.org", "method": "POST", "headers": {"X-Who": ""}}
    send = {"subtype": "HTTP_REQUEST", "configurations": configurations}
    source = {"subtype": "HTTP_REQUEST", "configurations": {"url": "https://example.org"}}
    document = drawn(
        name,
        {"id": "source", "type": "ACTION", "name": "Source", "data": source},
        {"id": "send", "type": "ACTION", "name": "Send", "data": send},
    )
    return pinned(document, source={"output": {"name": "Ada"}})


async def test_choices_are_words_and_the_default_is_named(page: Page, studio: Studio) -> None:
    await open_workflow(page, studio, requesting("choices"))
    await card(page, "send").click()
    kind = inspector(page).get_by_role("combobox", name="Body type")
    await expect(kind).to_be_visible()
    options = await kind.locator("option").all_inner_texts()
    assert options[0] == "Default: JSON"
    assert {"JSON", "Form", "None"} <= set(options)
    await kind.select_option("Form")
    await page.keyboard.press("Control+s")
    await expect(page.locator(".editor__bar .badge").first).to_have_text("saved")
    kept: Any = await studio.ask(page, "GET", "/api/v1/workflows/choices")
    saved = {node["id"]: node for node in kept["document"]["nodes"]}["send"]
    assert saved["data"]["configurations"]["body_type"] == "form"


async def test_the_value_of_a_row_has_completion_and_a_result(page: Page, studio: Studio) -> None:
    await open_workflow(page, studio, requesting("rows"))
    await card(page, "send").click()
    headers = inspector(page).get_by_role("group", name="Headers", exact=True)
    value = headers.get_by_role("combobox", name="headers: value of X-Who")
    await value.click()
    await page.keyboard.type("{{ data.na")
    names = page.get_by_role("listbox", name="Suggestions")
    await expect(names).to_contain_text("data.name")
    with anyio.fail_after(60):
        # A list that is asked for again just now takes no keys.
        while await value.inner_text() != "{{ data.name }}":
            await page.keyboard.press("Enter")
            await page.wait_for_timeout(50)
    await expect(headers.get_by_role("region", name="Result")).to_have_text("Ada")
    # The row keeps its place and the focus while its value is typed.
    await page.keyboard.press("End")
    await page.keyboard.type("!")
    await expect(headers.get_by_role("region", name="Result")).to_have_text("Ada!")
    assert await headers.get_by_role("textbox", name="headers: name of X-Who").count() == 1


async def test_a_description_is_asked_for_before_it_is_an_error(page: Page, studio: Studio) -> None:
    await studio.ask(page, "POST", "/api/v1/samples")
    await open_workflow(page, studio, drawn("described", calling("ask", "demo", "weather")))
    await card(page, "ask").click()
    panel = inspector(page)
    await (
        panel.get_by_role("radio", name="Describe values")
        .or_(panel.get_by_role("button", name="Describe values"))
        .click()
    )
    words = panel.get_by_label("What the tool should do")
    await expect(words).to_be_visible()
    # That there is no model is said once.
    await expect(panel.get_by_role("link", name="Add a model")).to_have_count(1)
    await expect(page.locator(".editor__bar").get_by_role("button", name="error")).to_be_visible()
    assert "none is configured" not in await panel.inner_text()
    assert await words.get_attribute("aria-invalid") is None
    assert await panel.locator(".field__fault").count() == 0
    await words.fill("too short")
    await expect(panel.locator(".field__fault")).to_contain_text("at least 10")
    await expect(words).to_have_attribute("aria-invalid", "true")
