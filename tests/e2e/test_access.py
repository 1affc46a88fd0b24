"""Every page and dialog, in both themes: axe finds nothing that shuts somebody out."""

import json
from collections.abc import AsyncGenerator
from importlib.resources import files
from typing import Any, cast

import pytest
from playwright.async_api import Browser, Page, expect

from e2e.places import PLACES, Filled, dialogs_of_source, fill, pages_of_source
from e2e.studio import ROOT, Studio, open_page, shot

pytestmark = pytest.mark.anyio

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
EVERYTHING = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"], "resultTypes": ["violations"]}
# Our policy lets a page add no scripts; what the debugger evaluates is not bound by it.
RUN = """async options => {
  const where = document.querySelector("dialog[open]") ?? document;
  return (await axe.run(where, options)).violations;
}"""
# What is wrong with a value is said by its control: by looks alone it would be lost on some.
FAULTS = """() => {
  const named = [...document.querySelectorAll("[aria-describedby]")]
    .flatMap(one => one.getAttribute("aria-describedby").split(" "))
    .map(id => document.getElementById(id));
  return [...document.querySelectorAll(".field__fault:not([role=alert])")]
    .filter(fault => !named.some(one => one?.contains(fault)))
    .map(fault => "no control names this: " + fault.textContent);
}"""

# Tables, code and the canvas may; they scroll by themselves.
WIDE = """() => {
  const parts = ".studio, .rail, .studio__main, .page, .dialog, .dialog__body, .editor__bar, "
    + ".editor__side, .inspector, .run-panel, .token";
  return [document.scrollingElement, ...document.querySelectorAll(parts)]
    .filter(one => one.scrollWidth > one.clientWidth + 1)
    .map(one => `${one.tagName} ${one.className} is ${one.scrollWidth} wide`);
}"""

# The parts of a page that a person sees; where there are none, the page is the part.
REGIONS = """() => {
  const parts = [...document.querySelectorAll("[data-stop]")]
    .filter(one => one.checkVisibility() && (one.id === "main"
      ? !one.querySelector(".editor, .history")
      : one.querySelector(
          "a[href], :is(button, input, select, textarea):enabled, [tabindex='0']")));
  return parts.map(one => one.dataset.stop);
}"""
REGION = """() => {
  const one = document.activeElement;
  return one.matches(":focus-visible") ? one.closest("[data-stop]")?.dataset.stop ?? "" : "";
}"""

# States that only a colour showed are lost where a person's own colours replace ours: what is
# chosen, pressed or on must differ from its neighbours by a border, an outline, a weight or a
# system colour, and a field must have an edge.
FORCED = """() => {
  const states = ["aria-selected", "aria-pressed", "aria-current", "aria-checked"];
  const looks = one => ["", "::before", "::after"].map(part => {
    const style = getComputedStyle(one, part || null);
    return ["outlineStyle", "borderTopStyle", "borderTopWidth", "borderBottomWidth",
      "borderLeftWidth", "fontWeight", "textDecorationLine", "color", "backgroundColor",
      "content", "transform"].map(name => style[name]).join();
  }).join("|") + one.querySelectorAll("svg").length;
  const isShown = one => one.checkVisibility() && !one.matches(":focus, :disabled");
  const isOn = (one, state) => !["false", null].includes(one.getAttribute(state));
  const found = [];
  for (const state of states)
    for (const one of [...document.querySelectorAll(`[${state}]`)].filter(isShown)) {
      if (!isOn(one, state)) continue;
      const others = [...(one.parentElement?.parentElement ?? document)
        .querySelectorAll(one.tagName)]
        .filter(other => isShown(other) && other.className === one.className
          && !isOn(other, state));
      if (others.some(other => looks(other) === looks(one)))
        found.push(`${state} cannot be seen: ${one.outerHTML.slice(0, 160)}`);
    }
  for (const field of document.querySelectorAll("input.input, select.select, textarea.textarea"))
    if (isShown(field) && getComputedStyle(field).borderTopStyle === "none")
      found.push(`a field without an edge: ${field.outerHTML.slice(0, 160)}`);
  return found;
}"""
# The words of the table in the findings: at which place, within what, and which.
WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "workflows": {"main": ("1 error", "No errors", "Published")},
    "editor": {
        ".modes legend": ("Configuration mode",),
        ".modes__row": ("Manual", "Describe values (AI)", "Describe task (AI)"),
    },
    "node": {".node-view h3": ("Input", "Output"), ".node-view": ("No output",)},
    "problems": {
        ".inspector h2": ("Problems",),
        ".inspector button": ("Fix automatically", "the end 'end' is not connected"),
    },
    "publish": {"dialog label": ("If the caller disconnects",)},
    "restore": {"dialog button": ("Cancel",)},
    "runs": {"td": ("Manual",)},
    "run": {".step-detail [role=tab]": ("Input", "Output"), ".run-panel": ("Re-run from here",)},
    "servers": {"button": ("Import from Claude, Cursor…",)},
    "triggers": {
        "dt": ("Authentication", "Last triggered"),
        "dd": ("None: anyone who can reach",),
        ".badge": ("Active",),
    },
    "credentials": {"button": ("Add credential",)},
    "settings": {"h2": ("System check",)},
}


async def findings(page: Page, options: dict[str, Any]) -> list[str]:
    """What axe finds on the page, or in the dialog over it, one line each."""
    if not await page.evaluate("() => 'axe' in window"):
        await page.evaluate(AXE)
    found = cast("list[dict[str, Any]]", await page.evaluate(RUN, options))
    return [
        f"{one['impact']} {one['id']}: {node['html'][:160]} {json.dumps(node['any'])[:200]}"
        for one in found
        for node in one["nodes"]
    ]


async def too_wide(page: Page) -> list[str]:
    """What has to be scrolled sideways where the page is as wide as at a zoom of 400 %."""
    before = page.viewport_size
    await page.set_viewport_size({"width": 320, "height": 640})
    try:
        return cast("list[str]", await page.evaluate(WIDE))
    finally:
        await page.set_viewport_size(before or {"width": 1440, "height": 860})


async def look(found: list[str], page: Page, name: str) -> None:
    """Look at one place in light and in dark, and keep a picture of each."""
    seen = await findings(page, EVERYTHING) + await page.evaluate(FAULTS)
    found += [f"{name}: {line}" for line in seen]
    await shot(page, f"access-{name}")
    await page.evaluate("() => { document.documentElement.dataset.theme = 'dark' }")
    found += [f"{name}, dark: {line}" for line in await findings(page, COLOURS)]
    found += [f"{name}, at 400 %: {line}" for line in await too_wide(page)]
    await shot(page, f"access-{name}-dark")
    await page.emulate_media(forced_colors="active")
    # Not by axe: it computes contrasts from our colours, which nobody sees then.
    found += [f"{name}, forced colours: {line}" for line in await page.evaluate(FORCED)]
    await shot(page, f"access-{name}-forced")
    await page.emulate_media(forced_colors="none")
    await page.evaluate("() => { document.documentElement.dataset.theme = 'light' }")


async def regions_missed(page: Page) -> list[str]:
    """Which regions F6 does not lead to, forwards or backwards, with a focus that can be seen."""
    regions = cast("list[str]", await page.evaluate(REGIONS))
    missed: list[str] = []
    for key in ("F6", "Shift+F6"):
        reached = set[str]()
        for _ in regions:
            await page.keyboard.press(key)
            reached.add(cast("str", await page.evaluate(REGION)))
        missed += [f"{key} does not lead to {name}" for name in regions if name not in reached]
    return missed


@pytest.fixture(scope="module")
async def filled(browser: Browser, studio: Studio) -> AsyncGenerator[Filled]:
    """One page for all tests here, over a studio that had nothing and now has something of all."""
    found: list[str] = []
    async with open_page(browser, studio) as page:
        await expect(page.get_by_role("button", name="Run the sample")).to_be_visible()
        await look(found, page, "welcome")
        assert found == []
        yield await fill(studio, page)


@pytest.mark.timeout(600)  # twenty places, on a machine that may be busy
@pytest.mark.parametrize("part", PLACES)
async def test_axe_finds_nothing_on_any_page_or_dialog(part: str, filled: Filled) -> None:
    found: list[str] = []
    for place in PLACES[part]:
        await place.open(filled)
        if place.dialog:  # some are loaded when they are opened
            await expect(filled.page.get_by_role("dialog").first).to_be_visible()
        await words_are_shown(filled.page, place.name)
        await look(found, filled.page, place.name)
        if place.page is not None and not place.dialog:
            found += [f"{place.name}: {line}" for line in await regions_missed(filled.page)]
        assert await filled.page.title() not in {"", "Toolweave"}, place.name
        if place.name == "keys":
            assert await keys_shown(filled.page) == keys_documented()
        await leave(filled.page)
    assert found == []


async def test_axe_finds_nothing_on_the_page_that_asks_for_the_key(
    browser: Browser, studio: Studio
) -> None:
    found: list[str] = []
    context = await browser.new_context()
    try:
        page = await context.new_page()
        await page.goto(studio.url)
        await expect(
            page.get_by_role("heading", name="The studio needs its API key")
        ).to_be_visible()
        await look(found, page, "token")
    finally:
        await context.close()
    assert found == []


async def words_are_shown(page: Page, name: str) -> None:
    """The words that belong to this place are where they belong."""
    for where, words in WORDS.get(name, {}).items():
        for word in words:
            await expect(page.locator(where).filter(has_text=word).first).to_be_visible()


async def keys_shown(page: Page) -> list[str]:
    """The lines of the dialog that shows the one key map."""
    rows = await page.get_by_role("table", name="Keyboard shortcuts").locator("tbody tr").all()
    return [
        f"| {await row.locator('td').first.inner_text()} "
        f"| {', '.join(f'`{keys}`' for keys in await row.locator('kbd').all_inner_texts())} |"
        for row in rows
    ]


def keys_documented() -> list[str]:
    """The lines of the table in the manual."""
    text = (ROOT / "docs" / "studio.md").read_text(encoding="utf-8")
    return text.partition("| what | keys |\n|---|---|\n")[2].partition("\n\n")[0].splitlines()


async def leave(page: Page) -> None:
    """Close what is open, so that the next place begins at a page."""
    if await page.locator("dialog[open]").count():
        await page.keyboard.press("Escape")
        await expect(page.locator("dialog[open]")).to_have_count(0)


async def test_a_state_that_only_a_colour_shows_is_found(page: Page) -> None:
    await page.emulate_media(forced_colors="active")
    await page.evaluate(
        """() => document.body.insertAdjacentHTML("beforeend", "<p><button aria-pressed=true>"
          + "on</button><button aria-pressed=false>off</button></p>")"""
    )
    assert [line.split(":")[0] for line in await page.evaluate(FORCED)] == [
        "aria-pressed cannot be seen"
    ]


def test_every_page_and_dialog_is_looked_at() -> None:
    places = [place for part in PLACES.values() for place in part]
    assert set(WORDS) <= {place.name for place in places}
    assert {place.page for place in places if place.page is not None} == pages_of_source()
    assert {place.dialog for place in places if place.dialog is not None} == dialogs_of_source()
