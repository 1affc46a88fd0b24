"""A model is added on its page and asked there whether it answers."""

import pytest
from playwright.async_api import Page, expect

from e2e.studio import Studio
from toolweave.testing.model import KEY, ScriptedModel, says

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def test_a_model_that_was_added_is_tried_from_its_page(page: Page, studio: Studio) -> None:
    with ScriptedModel(says("Hello.")).running() as model:
        await page.goto(f"{studio.url}/#/manage/models")
        form = page.get_by_role("form", name="Add a model")
        await form.get_by_label("Name").fill("tried")
        await form.get_by_label("Provider").select_option("compatible")
        await form.get_by_label("Model", exact=True).fill("small")
        await form.get_by_label("Address").fill(model.base_url("compatible"))
        await form.get_by_label("Key").fill(KEY)
        await form.get_by_role("button", name="Add a model").click()
        await page.get_by_role("button", name="Test tried").click()
        await expect(page.locator(".notice", has_text="tried answered")).to_be_visible()
        assert len(model.heard) == 1
    gone = await page.request.delete(f"{studio.url}/api/v1/models/tried", headers=studio.headers)
    assert gone.ok
