"""The JSON of a node: syntax colours, errors under the field, and an editor that is loaded late."""

import pytest
from playwright.async_api import Page, expect

from e2e.fields import box
from e2e.studio import Studio, shot
from e2e.test_access import EVERYTHING, findings
from rest.drawn import greeting

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def test_the_data_of_a_node_is_edited_as_coloured_json(page: Page, studio: Studio) -> None:
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    await studio.ask(page, "PUT", "/api/v1/workflows/coloured", {"document": greeting("coloured")})
    await page.goto(f"{studio.url}/#/w/coloured")
    await page.locator(".react-flow__node[data-id=greet]").click()
    text = box(page, "Text")
    await expect(text).to_have_text("Hello, {{who}}!")
    assert not [url for url in loaded if "CodeEditor" in url]
    await page.get_by_role("button", name="Edit as JSON").click()
    data = page.get_by_role("textbox", name="Data")
    await expect(data).to_contain_text('"prompt"')
    assert [url for url in loaded if "CodeEditor" in url]
    name = data.get_by_text('"prompt"')
    plain = await data.evaluate("one => getComputedStyle(one).color")
    assert await name.evaluate("one => getComputedStyle(one).color") != plain
    # With the keyboard alone; single letters are text, and Tab leaves the field.
    await data.focus()
    await page.keyboard.press("Control+a")
    await page.keyboard.type('{"prompt": "Bye')
    fault = page.locator(".field__fault", has_text="Not valid")
    await expect(fault).to_be_visible()
    assert await findings(page, EVERYTHING) == []
    await page.keyboard.type('"}')
    await expect(fault).to_have_count(0)
    await expect(text).to_have_text("Bye")
    await shot(page, "json-editor")
    await page.evaluate("() => { document.documentElement.dataset.theme = 'dark' }")
    await shot(page, "json-editor-dark")
    await page.keyboard.press("Control+z")
    await expect(data).not_to_contain_text('Bye"}')
    await page.keyboard.press("Tab")
    await expect(data).not_to_be_focused()
