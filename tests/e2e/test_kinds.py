"""Every kind of field against a server with a nasty schema; a wrong value is not saved."""

import json
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.async_api import Locator, Page, expect

from e2e.fields import box
from e2e.studio import Studio, shot
from rest.drawn import drawn
from toolweave.testing.server import ScriptedServer, a_tool

pytestmark = pytest.mark.anyio

NASTY: dict[str, Any] = {
    "type": "object",
    "required": ["code", "shape"],
    "properties": {
        "code": {"type": "string", "pattern": "^[A-Z]{3}$", "description": "<b>Three</b> letters."},
        "ratio": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
        "flag": {"type": "boolean"},
        "level": {"enum": ["low", 2, None]},
        "version": {"const": 3},
        "grid": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
        "counts": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
        "nick": {"type": ["string", "null"]},
        "anything": {},
        "shape": {
            "oneOf": [
                {
                    "type": "object",
                    "required": ["kind", "radius"],
                    "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}},
                },
                {
                    "type": "object",
                    "required": ["kind", "name"],
                    "properties": {"kind": {"const": "other"}, "name": {"type": "string"}},
                },
            ]
        },
        "tree": {"$ref": "#/$defs/tree"},
    },
    "$defs": {
        "tree": {
            "type": "object",
            "properties": {
                "label": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
            },
        }
    },
}


async def opened(page: Page, studio: Studio, home: Path) -> Locator:
    """A server with that schema, approved; a workflow with its tool, and its inspector open."""
    start = ScriptedServer(home, a_tool("nasty", inputSchema=NASTY)).definition
    entry = {"command": start.command, "args": list(start.args)}
    body = {"definition": json.dumps({"mcpServers": {"nasty": entry}})}
    added = cast("Any", await studio.ask(page, "POST", "/api/v1/servers", body))
    await page.goto(f"{studio.url}/#/servers/{added['servers'][0]['id']}")
    await page.get_by_role("button", name="Approve and start").click()
    await expect(page.get_by_role("list", name="Tools")).to_contain_text("nasty")
    data: dict[str, Any] = {"serverId": "nasty", "toolName": "nasty", "toolDescription": ""}
    data |= {"parameters": [], "parameterValues": {}, "mode": "detailed"}
    document = drawn("kinds", {"id": "call", "type": "mcp", "name": "call", "data": data})
    await studio.ask(page, "PUT", "/api/v1/workflows/kinds", {"document": document})
    await page.goto(f"{studio.url}/#/w/kinds")
    await page.locator(".react-flow__node[data-id=call]").click()
    return page.locator(".inspector")


async def stored(page: Page, studio: Studio) -> dict[str, Any]:
    kept = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows/kinds"))
    return kept["document"]["nodes"][1]["data"]["parameterValues"]


@pytest.mark.requirement("001:FR-015")
@pytest.mark.requirement("001:ui.form.refuse")
@pytest.mark.requirement("001:ui.form.save")
async def test_every_kind_of_value_is_set_and_a_wrong_one_is_told_and_not_saved(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    form = await opened(page, studio, tmp_path)
    await an_mcp_node_looks_like_one(page)
    await form.get_by_text("<b>Three</b> letters.").wait_for()
    await box(form, "code").fill("ABC")
    await box(form, "ratio").fill("0")
    await expect(form.get_by_text("Not valid: more than 0 is expected")).to_be_visible()
    await box(form, "ratio").fill("2.5")
    await form.get_by_role("combobox", name="flag").select_option(label="Yes")
    await form.get_by_role("combobox", name="level").select_option(label="2")
    await form.get_by_role("button", name="set", exact=True).click()
    await lists_and_maps(form)
    await form.get_by_role("button", name="Null for nick").click()
    await box(form, "anything").fill('{"deep": [1, {"er": true}]}')
    await form.get_by_role("combobox", name="Shape", exact=True).select_option(index=2)
    await box(form, "name").last.fill("egg")
    await form.locator(".fold__title", has_text="tree").click()
    await box(form, "label").fill("root")
    await shot(page, "form-kinds")
    bar = page.locator(".editor__bar")
    await page.keyboard.press("Control+s")
    await expect(bar.locator(".badge").first).to_have_text("saved")
    right = await stored(page, studio)
    assert right == {
        "code": "ABC",
        "ratio": 2.5,
        "flag": True,
        "level": 2,
        "version": 3,
        "grid": [[7]],
        "pair": ["a"],
        "counts": {"mine": 4},
        "nick": None,
        "anything": {"deep": [1, {"er": True}]},
        "shape": {"kind": "other", "name": "egg"},
        "tree": {"label": "root"},
    }
    await box(form, "code").fill("wrong")
    await expect(form.locator(".param", has_text="code").locator(".field__fault")).to_be_visible()
    await page.keyboard.press("Control+s")
    notice = page.get_by_text("Not saved: ")
    await expect(notice).to_be_visible()
    await shot(page, "form-refused")
    assert await stored(page, studio) == right
    await expect(bar.locator(".badge").first).to_have_text("unsaved")
    await page.get_by_role("button", name="Save anyway").click()
    await expect(bar.locator(".badge").first).to_have_text("saved")
    assert await stored(page, studio) == right | {"code": "wrong"}


async def an_mcp_node_looks_like_one(page: Page) -> None:
    """Its family's icon and colour, its server's name, and a mark that says how it stands."""
    node = page.locator(".react-flow__node[data-id=call]")
    await expect(node.locator(".step.family--mcp")).to_be_visible()
    await expect(node).to_contain_text("nasty")
    colour = "node => getComputedStyle(node.querySelector('.step')).borderLeftColor"
    other = page.locator(".react-flow__node[data-id=start]")
    assert await node.evaluate(colour) != await other.evaluate(colour)


async def lists_and_maps(form: Locator) -> None:
    await form.locator(".fold__title", has_text="grid").click()
    await form.get_by_role("button", name="Add to Grid", exact=True).click()
    await form.get_by_role("button", name="Grid 1 0", exact=True).click()
    await form.get_by_role("button", name="Add to Grid 1", exact=True).click()
    await form.get_by_role("textbox", name="Grid 1 1", exact=True).fill("7")
    await form.locator(".fold__title", has_text="pair").click()
    await form.get_by_role("button", name="Add to Pair").click()
    await box(form, "pair 1").fill("a")
    await form.locator(".fold__title", has_text="counts").click()
    await form.get_by_role("button", name="Add an entry to Counts").click()
    await form.get_by_label("Name of entry key1").fill("mine")
    await form.get_by_label("Name of entry key1").press("Tab")
    await box(form, "mine").fill("4")
