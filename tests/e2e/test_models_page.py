"""A model is added on its page, asked there whether it answers, and used in a chat."""

import json
from typing import Any, cast

import anyio
import pytest
from playwright.async_api import Page, expect

from e2e.hands import Hands
from e2e.studio import Studio, shot
from rest.drawn import greeting
from toolweave.testing.model import KEY, ScriptedModel, calls, says

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def test_a_model_that_was_added_is_tried_from_its_page(page: Page, studio: Studio) -> None:
    with ScriptedModel(says("Hello.")).running() as model:
        await page.goto(f"{studio.url}/#/manage/models")
        await page.get_by_role("button", name="Add a model", exact=True).click()
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


async def test_a_model_is_asked_only_where_the_workflow_says_so(page: Page, studio: Studio) -> None:
    await studio.ask(page, "PUT", "/api/v1/workflows/says-so", {"document": greeting("says-so")})
    with ScriptedModel(says("Salut.")).running() as model:
        new: dict[str, Any] = {"name": "asked", "provider": "compatible", "model": "small"}
        new |= {"baseUrl": model.base_url("compatible"), "key": KEY}
        await studio.ask(page, "POST", "/api/v1/models", new)
        await page.goto(f"{studio.url}/#/w/says-so")
        await page.locator(".react-flow__node[data-id=greet]").click()
        output = page.get_by_role("combobox", name="Output")
        await expect(output.locator("option:checked")).to_contain_text("Template text")
        asking = page.locator(".step.family--ai", has_text="Ask a model: ")
        await expect(asking).to_have_count(0)
        await run_for(page, "Ada")
        panel = page.get_by_role("region", name="Run")
        await expect(panel).to_contain_text("Hello, Ada!")
        assert model.heard == []
        await page.locator(".react-flow__node[data-id=greet]").click()
        await output.select_option(label="Ask a model")
        await expect(asking).to_have_count(1)
        await shot(page, "prompt-asks")
        await run_for(page, "Bob")
        await expect(panel).to_contain_text("Salut.")
        assert len(model.heard) == 1
        # By keyboard, and back to the template.
        await page.locator(".react-flow__node[data-id=greet]").click()
        await output.focus()
        await page.keyboard.press("t")
        await expect(output.locator("option:checked")).to_have_text("Template text")
        await run_for(page, "Cleo")
        await expect(panel).to_contain_text("Hello, Cleo!")
        assert len(model.heard) == 1
    gone = await page.request.delete(f"{studio.url}/api/v1/models/asked", headers=studio.headers)
    assert gone.ok


async def run_for(page: Page, who: str) -> None:
    await page.keyboard.press("Control+Shift+Enter")
    await page.get_by_label("Inputs, as JSON").fill(json.dumps({"who": who}))
    await page.get_by_role("dialog").get_by_role("button", name="Run", exact=True).click()


BOUND = """---
toolweave:
  bindings:
    - {heading: Guests, server: SERVER}
---
# Guests

Greet Ada.

# Weather

Bring an umbrella.
"""


@pytest.mark.requirement("002:AIToolContext.sectionBinding", "002:AIToolContext.tools")
async def test_a_chat_about_a_section_uses_the_server_it_is_bound_to(
    page: Page, studio: Studio
) -> None:
    sample = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))
    path = anyio.Path(studio.home / "files" / "party.md")
    await path.parent.mkdir(exist_ok=True)
    await path.write_text(BOUND.replace("SERVER", sample["server"]), encoding="utf-8")
    server = sample["server"]
    with ScriptedModel(
        calls(f"{server}__greet", {"name": "Ada"}), says("Ada is greeted.")
    ).running() as model:
        new: dict[str, Any] = {"name": "talks", "provider": "compatible", "model": "small"}
        new |= {"baseUrl": model.base_url("compatible"), "key": KEY}
        await studio.ask(page, "POST", "/api/v1/models", new)
        await page.goto(f"{studio.url}/#/chat?document={path}")
        await page.get_by_label("Section").select_option("Guests")
        await page.get_by_label("Message").fill("Greet the guests.")
        await page.get_by_role("button", name="Send").click()
        talk = page.get_by_role("list", name="Conversation")
        await expect(talk).to_contain_text("Ada is greeted.")
        await expect(talk.locator("summary")).to_contain_text(f"{server}/greet done")
        await expect(page.get_by_text(f"tools of {server}.")).to_be_visible()
        await shot(page, "chat")
        asked = json.dumps(model.heard[0].body)
        assert ("Greet Ada" in asked, "umbrella" in asked) == (True, False)
        await page.get_by_role("button", name="New chat").click()
        await expect(talk.get_by_role("listitem")).to_have_count(0)
        await asked_by_keys(Hands(page))
        await expect(talk).to_contain_text("Ada is greeted.")
    gone = await page.request.delete(f"{studio.url}/api/v1/models/talks", headers=studio.headers)
    assert gone.ok


async def asked_by_keys(hands: Hands) -> None:
    await hands.reach("Message")
    await hands.type("Once more.", then="Enter")
