"""Versions in the studio: each save listed, its difference on the canvas, named and restored."""

from typing import Any, cast

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from e2e.hands import Hands
from e2e.studio import Studio, open_page, shot
from rest.drawn import drawn, greeting, pausing

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def saved(page: Page, studio: Studio, *documents: dict[str, Any]) -> str:
    """Save each document over the one before; return the name."""
    name, revision = documents[0]["name"], None
    for document in documents:
        body = {"document": document, "revision": revision}
        stored = await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", body)
        revision = cast("Any", stored)["revision"]
    return name


def options(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Versions").get_by_role("option")


def step(page: Page, name: str) -> Locator:
    return page.locator(f".react-flow__node[data-id='{name}'] .step")


async def prompt_of(page: Page, studio: Studio, name: str) -> str:
    stored = cast("Any", await studio.ask(page, "GET", f"/api/v1/workflows/{name}"))
    nodes = stored["document"]["nodes"]
    return next(node["data"]["prompt"] for node in nodes if node["id"] == "greet")


async def test_a_version_shows_its_difference_and_is_named_and_restored(
    page: Page, studio: Studio
) -> None:
    name = await saved(page, studio, greeting("history"), pausing("history"))
    await page.goto(f"{studio.url}/#/w/{name}")
    await expect(step(page, "greet")).to_be_visible()
    await page.get_by_role("button", name="More", exact=True).click()
    await page.get_by_role("menuitem", name="Versions…").click()
    versions = page.get_by_role("listbox", name="Versions")
    await expect(versions.get_by_role("option")).to_have_count(2)
    newest = versions.get_by_role("option").first
    await expect(newest).to_contain_text("current")
    await expect(newest).to_contain_text("studio")
    await expect(step(page, "pause")).to_contain_text("added")
    await expect(step(page, "greet")).to_contain_text("changed")
    await expect(page.locator("path.wire.is-removed")).to_have_count(1)
    await expect(page.locator("path.wire.is-added")).to_have_count(2)
    # The frame of a changed node moves no port, so that its connections stay straight.
    ports = [
        await page.locator(f".react-flow__node[data-id='{one}'] .step__port").first.bounding_box()
        for one in ("pause", "greet")
    ]
    start = await page.locator(".react-flow__node[data-id=start] .step__port").bounding_box()
    middles = {round(one["y"] + one["height"] / 2, 1) for one in (*ports, start) if one}
    assert len(middles) == 1
    changes = page.get_by_role("list", name="Changes")
    await expect(changes).to_contain_text("data.prompt")
    await expect(changes.locator("ins")).to_contain_text(["Hi, {{who}}!"])
    await shot(page, "versions")
    await changes.get_by_role("button", name="node pause").click()
    await expect(page.locator(".react-flow__node.selected[data-id=pause]")).to_be_visible()
    await versions.get_by_role("option", name="Version 1").click()
    await expect(page.get_by_text("There is no earlier version.")).to_be_visible()
    await page.get_by_label("Compare with").select_option("the current version")
    await expect(step(page, "pause")).to_contain_text("removed")
    # It is drawn beside the node that has its place now.
    now, gone = [await step(page, name).bounding_box() for name in ("greet", "pause")]
    assert now is not None
    assert gone is not None
    assert gone["y"] >= now["y"] + now["height"]
    await page.get_by_label("Name", exact=True).fill("Just a greeting")
    await page.get_by_role("button", name="Save name").click()
    await expect(versions.get_by_role("option", name="Just a greeting")).to_be_visible()
    await page.get_by_role("button", name="Restore this version").click()
    await expect(page.get_by_label("Workflow name")).to_have_value(name)
    await expect(step(page, "pause")).to_have_count(0)
    assert await prompt_of(page, studio, name) == "Hello, {{who}}!"
    await page.goto(f"{studio.url}/#/versions/{name}")
    await expect(versions.get_by_role("option")).to_have_count(3)


async def test_versions_work_by_keyboard_alone_and_the_published_one_is_marked(
    page: Page, studio: Studio
) -> None:
    name = await saved(page, studio, greeting("keyed-history"))
    await studio.ask(page, "PUT", f"/api/v1/published/{name}", {})
    stored = cast("Any", await studio.ask(page, "GET", f"/api/v1/workflows/{name}"))
    body = {"document": drawn(name), "revision": stored["revision"]}
    await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", body)
    await page.goto(f"{studio.url}/#/w/{name}")
    await expect(step(page, "end")).to_be_visible()
    await page.keyboard.press("v")
    first = options(page).first
    await expect(first).to_contain_text("current")
    hands = Hands(page)
    await expect(page.locator("h1:focus")).to_be_visible()
    await hands.until("Tab", "Version 2")
    await page.keyboard.press("ArrowDown")
    older = options(page).nth(1)
    await expect(older).to_contain_text("published")
    await expect(older).to_be_focused()
    await hands.until("Tab", "Name", whole=True)
    await hands.type("The first", then="Enter")
    await expect(older).to_contain_text("The first")
    await expect(page.get_by_role("button", name="Restore this version")).to_be_enabled()
    await hands.until("Tab", "Restore this version")
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Workflow name")).to_have_value(name)
    await expect(step(page, "greet")).to_be_visible()
    assert await prompt_of(page, studio, name) == "Hello, {{who}}!"
    # Two versions are like the published one; the newest of them is marked.
    await page.goto(f"{studio.url}/#/versions/{name}")
    await expect(options(page)).to_have_count(3)
    await expect(options(page).filter(has_text="published")).to_have_count(1)
    await expect(options(page).first).to_contain_text("published")


async def test_unsaved_edits_are_discarded_only_after_a_question(
    page: Page, studio: Studio
) -> None:
    name = await saved(page, studio, greeting("edited-history"), drawn("edited-history"))
    await page.goto(f"{studio.url}/#/w/{name}")
    await step(page, "end").click()
    await page.get_by_label("Name", exact=True).fill("Mine")
    await page.goto(f"{studio.url}/#/versions/{name}")
    await page.get_by_role("option", name="Version 1").click()
    restore = page.get_by_role("button", name="Restore this version")
    await restore.click()
    await page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    await restore.click()
    await page.get_by_role("button", name="Discard edits and restore").click()
    await expect(step(page, "greet")).to_be_visible()
    await expect(step(page, "end")).to_contain_text("End")
    await expect(page.locator(".editor__bar .badge").first).to_have_text("saved")
    assert await prompt_of(page, studio, name) == "Hello, {{who}}!"


async def test_versions_fit_a_phone_and_the_dark_theme(browser: Browser, studio: Studio) -> None:
    async with open_page(browser, studio, scheme="dark") as page:
        name = await saved(page, studio, greeting("small-history"), pausing("small-history"))
        await page.set_viewport_size({"width": 390, "height": 844})
        await page.goto(f"{studio.url}/#/versions/{name}")
        await expect(options(page)).to_have_count(2)
        await expect(page.get_by_role("button", name="Restore this version")).to_be_visible()
        width = await page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390
        await page.get_by_role("option", name="Version 1").click()
        await shot(page, "versions-phone-dark")
        await page.set_viewport_size({"width": 1440, "height": 860})
        await page.get_by_role("option", name="Version 2").click()
        await expect(step(page, "pause")).to_contain_text("added")
        await shot(page, "versions-dark")
        await page.emulate_media(forced_colors="active")
        outline = "one => getComputedStyle(one).outlineStyle"
        assert await page.get_by_role("option", name="Version 2").evaluate(outline) == "solid"
        assert await page.get_by_role("option", name="Version 1").evaluate(outline) == "none"
        await shot(page, "versions-forced-colors")
