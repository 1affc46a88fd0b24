"""The AI builder: a request in words, a proposal on the canvas, and the user's decision."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from e2e.hands import Hands
from e2e.studio import Studio, shot
from e2e.test_access import EVERYTHING, findings, too_wide
from toolweave.testing.model import KEY, ScriptedModel, Turn, calls, fails, hangs, says

pytestmark = pytest.mark.anyio


def document(*middle: dict[str, Any]) -> dict[str, Any]:
    """A workflow as a model writes it: without positions."""
    start: dict[str, Any] = {"id": "start", "type": "start", "name": "Start", "data": {}}
    end: dict[str, Any] = {"id": "end", "type": "end", "name": "End", "data": {}}
    nodes = [start, *middle, end]
    names = [str(one["id"]) for one in nodes]
    pairs = pairwise(names)
    edges = [{"id": f"{one}-{other}", "from": one, "to": other} for one, other in pairs]
    return {"id": "x", "name": "untitled", "version": "1.0.0", "nodes": nodes, "connections": edges}


def delay(seconds: object) -> dict[str, Any]:
    settings = {"delay_type": "fixed", "duration_seconds": seconds}
    data = {"subtype": "DELAY", "configurations": settings}
    return {"id": "wait", "type": "FLOW", "name": "Wait a bit", "data": data}


def proposes(*middle: dict[str, Any]) -> Turn:
    arguments: dict[str, Any] = {"workflow": document(*middle), "summary": "Waits before the end."}
    return calls("propose_workflow", arguments)


@asynccontextmanager
async def using(page: Page, studio: Studio, *turns: Turn) -> AsyncGenerator[ScriptedModel]:
    """A configured model that answers with these turns."""
    with ScriptedModel(*turns).running() as model:
        new: dict[str, Any] = {"name": "builds", "provider": "compatible", "model": "small"}
        new |= {"baseUrl": model.base_url("compatible"), "key": KEY}
        await studio.ask(page, "POST", "/api/v1/models", new)
        try:
            yield model
        finally:
            model.release()
            path = f"{studio.url}/api/v1/models/builds"
            assert (await page.request.delete(path, headers=studio.headers)).ok


async def opened(page: Page, studio: Studio) -> Locator:
    """A new workflow with the builder beside it."""
    await page.goto(f"{studio.url}/#/new")
    await page.locator(".react-flow__node[data-id=start]").click()
    await page.keyboard.press("b")
    return page.get_by_role("complementary", name="Build with AI")


async def ask(panel: Locator, words: str) -> None:
    await panel.get_by_label("What should the workflow do?").fill(words)
    await panel.get_by_role("button", name="Propose a change").click()


async def test_without_a_model_the_builder_says_what_to_do(page: Page, studio: Studio) -> None:
    panel = await opened(page, studio)
    await expect(panel.get_by_role("heading", name="No model yet")).to_be_visible()
    await expect(panel.get_by_role("link", name="Add a model")).to_have_attribute(
        "href", "#/manage/models"
    )
    assert await findings(page, EVERYTHING) == []
    await page.goto(f"{studio.url}/#/chat")
    await expect(page.get_by_role("link", name="Add a model")).to_be_visible()
    await expect(page.get_by_label("Message")).to_have_count(0)


async def test_a_repaired_proposal_is_marked_on_the_canvas_and_accepted(
    page: Page, studio: Studio
) -> None:
    turns = (
        calls("search_nodes", {"query": "wait"}),
        proposes(delay("soon")),
        proposes(delay(60)),
        says("It waits a **minute** now."),
    )
    async with using(page, studio, *turns):
        panel = await opened(page, studio)
        await ask(panel, "Wait a minute")
        await expect(panel.locator(".chat__answer strong")).to_have_text("minute")
        decision = panel.get_by_role("region", name="Proposed change")
        await expect(decision).to_contain_text("Waits before the end.")
        await expect(decision.get_by_role("list", name="Changes")).to_contain_text("Wait a bit")
        await expect(page.locator(".step.is-added")).to_contain_text("Wait a bit")
        # Nothing is hidden: each call with its arguments and its answer, and the tokens.
        talk = panel.get_by_role("list", name="Conversation")
        await expect(talk.locator("summary")).to_have_text(
            [
                "toolweave/search_nodes done",
                "toolweave/propose_workflow failed",
                "toolweave/propose_workflow done",
            ]
        )
        await talk.locator("summary").nth(1).click()
        await expect(talk.get_by_label("Result").nth(1)).to_contain_text("duration_seconds")
        await expect(talk).to_contain_text("tokens in")
        await shot(page, "builder")
        assert await findings(page, EVERYTHING) == []
        assert await too_wide(page) == []
        await page.evaluate("() => { document.documentElement.dataset.theme = 'dark' }")
        await shot(page, "builder-dark")
        await decision.get_by_role("button", name="Accept").click()
        await expect(decision).to_have_count(0)
        await expect(page.locator(".react-flow__node")).to_have_count(3)
        await expect(page.locator(".step.is-added")).to_have_count(0)
        await page.get_by_role("button", name="Undo").click()
        await expect(page.locator(".react-flow__node")).to_have_count(2)


async def test_a_proposal_is_refused_and_accepted_with_the_keyboard_alone(
    page: Page, studio: Studio
) -> None:
    async with using(page, studio, proposes(delay(60)), says("Done.")) as model:
        hands = Hands(page)
        await page.goto(f"{studio.url}/#/new")
        await expect(page.locator(".react-flow__node[data-id=start]")).to_be_visible()
        await hands.press("b")
        await expect(page.get_by_label("What should the workflow do?")).to_be_focused()
        await page.keyboard.type("Wait")
        await page.keyboard.press("Enter")
        refuse = page.get_by_role("button", name="Reject")
        await expect(refuse).to_be_visible()
        await hands.until("Shift+Tab", "Reject")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Rejected.")).to_be_visible()
        await expect(page.locator(".react-flow__node")).to_have_count(2)
        model.answers(proposes(delay(30)), says("Done."))
        await hands.reach("What should the workflow do?")
        await page.keyboard.type("Wait less")
        await page.keyboard.press("Enter")
        accept = page.get_by_role("button", name="Accept")
        await expect(accept).to_be_visible()
        await hands.until("Shift+Tab", "Accept")
        await page.keyboard.press("Enter")
        await expect(page.locator(".react-flow__node")).to_have_count(3)
        await hands.lands("What should the workflow do?")


async def test_a_wrong_or_missing_proposal_and_a_lost_model_are_told(
    page: Page, studio: Studio
) -> None:
    async with using(page, studio, proposes(delay("soon")), says("Sorry.")) as model:
        panel = await opened(page, studio)
        await ask(panel, "Wait")
        accept = panel.get_by_role("button", name="Accept with 1 error")
        await expect(accept).to_be_visible()
        problems = panel.get_by_role("list", name="Problems of the proposal")
        await expect(problems.locator(".field__fault")).to_have_count(1)
        await panel.get_by_role("button", name="Reject").click()
        model.answers(says("What do you mean?"))
        await ask(panel, "Hm")
        await expect(panel.get_by_text("No changes proposed.")).to_be_visible()
        model.answers(fails(401, "wrong key"))
        await ask(panel, "Again")
        await expect(panel.get_by_role("alert")).to_contain_text("key")
        model.answers(hangs())
        await ask(panel, "And now?")
        await panel.get_by_role("button", name="Stop").click()
        await expect(panel.get_by_role("alert").last).to_have_text("Stopped.")
        await expect(page.locator(".react-flow__node")).to_have_count(2)


async def test_words_of_a_tool_apply_nothing_without_a_click(page: Page, studio: Studio) -> None:
    data = {"subtype": "HTTP_REQUEST", "configurations": {"url": "https://example.com/"}}
    stolen = {"id": "send", "type": "ACTION", "name": "Send", "data": data}
    turns = (
        calls("save_workflow", {"workflow": document(stolen)}),
        calls("run_workflow", {"workflow": document(stolen)}),
        proposes(stolen),
        says("All done, it runs."),
    )
    async with using(page, studio, *turns):
        panel = await opened(page, studio)
        await ask(panel, "Help")
        await expect(panel.get_by_role("region", name="Proposed change")).to_be_visible()
        await expect(panel.locator("summary", has_text="failed")).to_have_text(
            ["save_workflow failed", "run_workflow failed"]
        )
        await page.keyboard.press("Escape")
        await panel.get_by_role("button", name="Reject").click()
        await expect(page.locator(".react-flow__node")).to_have_count(2)
        assert await studio.ask(page, "GET", "/api/v1/runs") == {"runs": []}
        listed = await studio.ask(page, "GET", "/api/v1/workflows")
        assert "send" not in str(listed)
