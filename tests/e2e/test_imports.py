"""Files that other programs wrote, or wrote badly: opened whole, or refused with what to do."""

import json
from typing import Any

import pytest
from playwright.async_api import FloatRect, Locator, Page, expect

from e2e.studio import Studio, shot
from e2e.test_drawing import DROP
from rest.drawn import greeting
from servers.rooms import eventually

pytestmark = pytest.mark.anyio

N8N: dict[str, Any] = {
    "name": "New lead",
    "nodes": [
        {"id": "1", "name": "Webhook", "type": "n8n-nodes-base.webhook", "position": [0, 0]},
        {"id": "2", "name": "Slack", "type": "n8n-nodes-base.slack", "position": [220, 0]},
    ],
    "connections": {"Webhook": {"main": [[{"node": "Slack", "type": "main", "index": 0}]]}},
}
# A comma is missing, and so is the end; there are no connections.
BROKEN = '{"name": "half", "nodes": [{"id": "a", "type": "prompt", "name": "A" "data": {}}]'


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


def node(page: Page, name: str) -> Locator:
    return page.locator(f".react-flow__node[data-id='{name}']")


def workflow_name(page: Page) -> Locator:
    return page.get_by_label("Workflow name")


async def dropped(page: Page, studio: Studio, document: object, name: str = "file.json") -> None:
    await page.goto(f"{studio.url}/#/")
    await expect(page.get_by_role("heading", name="Workflows", exact=True)).to_be_visible()
    text = document if isinstance(document, str) else json.dumps(document)
    await page.evaluate(DROP, [text, name, ".page"])


def grouped() -> dict[str, Any]:
    """A group that is too small for a switch of six ways, and that another node sticks out of."""
    branches = [{"label": f"Case {at}", "condition": f"it is {at}"} for at in range(6)]
    inside: dict[str, Any] = {"parentId": "group"}
    document = greeting("grouped-file")
    document["nodes"] += [
        {"id": "group", "type": "group", "name": "Work", "position": {"x": 0, "y": 300}}
        | {"data": {}, "style": {"width": 300, "height": 160}},
        {"id": "choose", "type": "switch", "name": "Choose", "position": {"x": 30, "y": 60}}
        | {"data": {"evaluationTarget": "x", "branches": branches, "outputPorts": 6}}
        | inside,
        {"id": "out", "type": "prompt", "name": "Out", "position": {"x": -30, "y": -40}}
        | {"data": {"prompt": "x"}}
        | inside,
    ]
    return document


async def test_a_file_with_parts_missing_is_opened_and_says_what_was_corrected(
    page: Page, studio: Studio
) -> None:
    await dropped(page, studio, BROKEN, "half.json")
    await expect(workflow_name(page)).to_have_value("half")
    await expect(node(page, "a")).to_be_visible()
    notice = page.locator(".notice")
    await expect(notice).to_contain_text("half.json was corrected")
    await expect(notice).to_contain_text("a missing comma")
    # The same of a stored file, which somebody may have written by hand.
    bare = {"name": "bare", "nodes": [{"id": "one", "type": "prompt"}]}
    await studio.ask(page, "PUT", "/api/v1/workflows/bare", {"document": bare})
    await page.goto(f"{studio.url}/#/w/bare")
    await node(page, "one").click()
    await expect(page.get_by_label("Name", exact=True)).to_have_value("one")
    assert await page.get_by_text("This page cannot be shown").count() == 0


async def test_a_file_of_another_system_is_refused_with_a_way_on(
    page: Page, studio: Studio
) -> None:
    await dropped(page, studio, N8N, "lead.json")
    notice = page.locator(".notice--bad")
    await expect(notice).to_contain_text("lead.json cannot be read: this is a file of n8n")
    assert page.url.endswith("#/")
    await shot(page, "import-n8n")
    await notice.get_by_role("button", name="Build with AI").click()
    await expect(page.get_by_role("complementary", name="Build with AI")).to_be_visible()
    await expect(workflow_name(page)).to_have_value("New lead")


async def test_groups_of_a_file_contain_their_nodes(page: Page, studio: Studio) -> None:
    await dropped(page, studio, grouped())
    await expect(node(page, "choose")).to_be_visible()
    await page.get_by_role("button", name="Show all").click()

    def is_within(inner: FloatRect, outer: FloatRect) -> bool:
        right, bottom = outer["x"] + outer["width"], outer["y"] + outer["height"]
        is_right = inner["x"] >= outer["x"] and inner["x"] + inner["width"] <= right
        return is_right and inner["y"] >= outer["y"] and inner["y"] + inner["height"] <= bottom

    async def contains_all() -> bool:
        group = await node(page, "group").bounding_box()
        members = [await node(page, name).bounding_box() for name in ("choose", "out")]
        return bool(group) and all(one and is_within(one, group) for one in members)

    await eventually(contains_all)


async def test_two_files_of_one_name_keep_their_inputs_and_are_both_saved(
    page: Page, studio: Studio
) -> None:
    document = greeting("same-name")
    document["inputSchema"] = {
        "type": "object",
        "properties": {"who": {"type": "string"}},
        "required": ["who"],
    }
    await dropped(page, studio, document)
    await page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Who (required)").fill("Ada")
    await dialog.get_by_role("button", name="Run", exact=True).click()
    await expect(page.get_by_role("region", name="Result").last).to_contain_text("Hello, Ada!")
    await page.keyboard.press("Control+s")
    saved = page.locator(".editor__bar .badge").first
    await expect(saved).to_have_text("saved")
    # They belong to the workflow, under the name that it has now.
    await page.get_by_role("button", name="Inputs", exact=True).click()
    await expect(dialog.get_by_label("Who (required)")).to_have_value("Ada")
    await page.keyboard.press("Escape")
    await dropped(page, studio, document)
    await expect(saved).to_have_text("unsaved")
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(dialog.get_by_label("Who (required)")).to_have_value("")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+s")
    notice = page.locator(".notice--bad")
    await expect(notice).to_contain_text("same-name already exists")
    assert "revision" not in await notice.inner_text()
    await notice.get_by_role("button", name="Save as same-name 2").click()
    await expect(saved).to_have_text("saved")
    await expect(workflow_name(page)).to_have_value("same-name 2")
