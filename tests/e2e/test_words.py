"""A step said in words: a model fills it in, what it chose is shown, and can be frozen."""

from typing import Any, cast

import pytest
from playwright.async_api import Page, expect

from e2e.mcp import calling
from e2e.studio import Studio, shot
from rest.drawn import drawn
from toolweave.testing.model import ScriptedModel, calls, says

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def test_what_a_model_chose_is_shown_and_frozen_into_values(
    page: Page, studio: Studio
) -> None:
    sample = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))
    model = ScriptedModel(says("Hello."))
    with model.running():
        await add_and_try_the_model(page, studio, model)
        document = drawn("in-words", calling("ask", sample["server"], "weather"))
        await studio.ask(page, "PUT", "/api/v1/workflows/in-words", {"document": document})
        await page.goto(f"{studio.url}/#/w/in-words")
        await page.locator(".react-flow__node[data-id=ask]").click()
        form = page.locator(".inspector")
        await form.get_by_label("Values in words").check()
        await form.get_by_label("What the tool should do").fill("The weather in Oslo for two days")
        model.answers(calls("weather", {"city": "Oslo", "days": 2}), says("Done."))
        await page.get_by_role("button", name="Run", exact=True).click()
        await expect(page.locator(".run-panel__head .badge").first).to_have_text("success")
        chosen = form.get_by_role("region", name="What the model chose")
        await expect(chosen).to_contain_text("weather")
        await expect(chosen).to_contain_text("Oslo")
        await shot(page, "model-chose")
        await chosen.get_by_role("button", name="Freeze").click()
    await expect(form.get_by_label("Every value")).to_be_checked()
    await expect(form.get_by_role("combobox", name="city", exact=True)).to_have_value("Oslo")
    await shot(page, "model-frozen")
    await page.keyboard.press("Control+s")
    await expect(page.locator(".editor__bar .badge").first).to_have_text("saved")
    kept = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows/in-words"))
    data = next(one["data"] for one in kept["document"]["nodes"] if one["id"] == "ask")
    assert data["parameterValues"] == {"city": "Oslo", "days": 2}
    # It runs without a model now.
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(page.locator(".run-panel__head .badge").first).to_have_text("success")
    gone = await page.request.delete(f"{studio.url}/api/v1/models/mine", headers=studio.headers)
    assert gone.ok


async def add_and_try_the_model(page: Page, studio: Studio, model: ScriptedModel) -> None:
    await page.goto(f"{studio.url}/#/manage/models")
    form = page.get_by_role("form", name="Add a model")
    await form.get_by_label("Name").fill("mine")
    await form.get_by_label("Provider").select_option("compatible")
    await form.get_by_label("Model", exact=True).fill("small")
    await form.get_by_label("Address").fill(model.base_url("compatible"))
    await form.get_by_label("Key").fill("scripted-model-key")
    await form.get_by_role("button", name="Add a model").click()
    await page.get_by_role("button", name="Test mine").click()
    await expect(page.locator(".notice", has_text="mine answered")).to_be_visible()
