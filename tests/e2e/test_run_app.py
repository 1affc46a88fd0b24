"""A published workflow as an MCP App, shown by the official host bridge."""

import gzip
import os
import subprocess
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from playwright.async_api import Browser, Frame, Locator, Page, Route, expect

from conformance.programs import PACKAGES, needs, node
from e2e.studio import ROOT, Studio, open_page, shot, started
from e2e.test_access import COLOURS, EVERYTHING, findings
from publishing.desk import desk_in
from publishing.test_apps import left_in_doubt
from rest.drawn import drawn, pausing
from servers.rooms import eventually

pytestmark = [pytest.mark.anyio, needs("@modelcontextprotocol/ext-apps")]

HOST = Path(__file__).parent / "app_host"
BUNDLE = PACKAGES.parent / "app-host.js"
MAX_PAGE_BYTES = 150_000
HOSTILE = "<img src=x onerror=\"document.title='hacked'\"> \u202eevil"
# Red is all that a picture of one pixel has.
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAA"
    "AABJRU5ErkJggg=="
)
# Another look than ours, as hosts have it.
STYLES = {
    "variables": {
        "--color-background-primary": "#fdf6e3",
        "--color-background-secondary": "#eee8d5",
        "--color-text-primary": "#20201d",
        "--color-text-secondary": "#4a4a44",
        "--font-sans": "Georgia, serif",
    }
}

# Tables and code may; they scroll by themselves.
WIDE = """() => [document.scrollingElement, ...document.querySelectorAll("section, .field")]
  .filter(one => one.scrollWidth > one.clientWidth + 1)
  .map(one => `${one.tagName} ${one.className} is ${one.scrollWidth} wide`)"""


def prompt(name: str, title: str, text: str) -> dict[str, Any]:
    return {"id": name, "type": "prompt", "name": title, "data": {"prompt": text}}


def trip() -> dict[str, Any]:
    """Greets, asks for an approval, and ends with another line."""
    ask = {
        "subtype": "MCP_ELICITATION",
        "configurations": {"message": "Send **this** to {{ trigger.who }}?"},
    }
    document = drawn(
        "trip",
        prompt("greet", f"Greet {HOSTILE}", "Hello, {{who}}!"),
        {"id": "ask", "type": "HUMAN_IN_THE_LOOP", "name": "Approve", "data": ask},
        prompt("last", "Finish", "Done for {{who}}, {{level}}."),
    )
    document["connections"][2]["fromPort"] = "confirmed"
    who = {"type": "string", "title": "Who", "description": f"A name. {HOSTILE}"}
    level = {"type": "string", "title": "Level", "enum": ["calm", "loud"], "default": "calm"}
    schema = {
        "type": "object",
        "properties": {"who": who, "level": level, "count": {"type": "integer", "minimum": 1}},
        "required": ["who", "level"],
    }
    return {**document, "description": f"Plans a trip. {HOSTILE}", "inputSchema": schema}


@pytest.fixture(scope="module")
async def studio(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Studio]:
    """A service whose home has three tools, and a run that was killed in the middle of a call."""
    home = tmp_path_factory.mktemp("apps")
    async with desk_in(home) as desk:
        for document in (trip(), pausing("pause")):
            await desk.publish(document)
    run = await left_in_doubt(home)
    await anyio.Path(home / "uncertain").write_text(run)
    async with started(home) as running:
        yield running


@pytest.fixture(scope="module")
def bundle() -> str:
    """The host with the official bridge and client, as one script."""
    bundler = ROOT / "web" / "node_modules" / "rolldown" / "bin" / "cli.mjs"
    program = node()
    assert program is not None
    done = subprocess.run(
        [program, str(bundler), "--config", str(HOST / "bundle.config.mjs")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}"},
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return BUNDLE.read_text(encoding="utf-8")


@pytest.fixture
async def page(browser: Browser, studio: Studio, bundle: str) -> AsyncGenerator[Page]:
    """The page of a host, at the address of the service, so that its client may call `/mcp`."""

    async def host_page(route: Route) -> None:
        html = "<!doctype html><html lang=en><title>Host</title><h1>Chat</h1>"
        await route.fulfill(body=html, content_type="text/html")

    async with open_page(browser, studio, "about:blank") as opened:
        await opened.route("**/app-host", host_page)
        await opened.set_viewport_size({"width": 760, "height": 900})
        await opened.goto(f"{studio.url}/app-host")
        await opened.evaluate(bundle)
        yield opened


async def opened(page: Page, studio: Studio, tool: str, **more: Any) -> Frame:
    """The app of a tool, as the host shows it."""
    asked = {"key": studio.token, "mode": "auto", "tool": tool, **more}
    await page.evaluate("asked => host.open(asked)", asked)
    frame = next(one for one in page.frames if one is not page.main_frame)
    await expect(frame.get_by_role("heading", level=1)).to_be_visible()
    return frame


async def seen(page: Page) -> dict[str, Any]:
    return cast("dict[str, Any]", await page.evaluate("() => host.seen"))


async def contexts_of(page: Page, count: int) -> list[str]:
    """What the host was given for the model, which follows the result on the page."""

    async def are_there() -> bool:
        return len((await seen(page))["contexts"]) >= count

    await eventually(are_there)
    contexts = cast("list[str]", (await seen(page))["contexts"])
    assert len(contexts) == count
    return contexts


async def looked_at(page: Page, frame: Frame, name: str) -> list[str]:
    """What axe finds in light, dark and narrow; keeps pictures."""
    found = await findings(cast("Page", frame), EVERYTHING)
    await shot(page, f"app-{name}")
    await page.evaluate("() => host.theme({ theme: 'dark' })")
    await expect(frame.locator("html[data-theme=dark]")).to_be_attached()
    found += [f"dark: {one}" for one in await findings(cast("Page", frame), COLOURS)]
    await shot(page, f"app-{name}-dark")
    await page.evaluate("() => host.theme({ theme: 'light' })")
    await expect(frame.locator("html[data-theme=light]")).to_be_attached()
    await page.set_viewport_size({"width": 320, "height": 640})
    found += await frame.evaluate(WIDE)
    await shot(page, f"app-{name}-narrow")
    await page.set_viewport_size({"width": 760, "height": 900})
    return found


def status(frame: Frame, wanted: str) -> Locator:
    return frame.locator(".run-app__head .badge", has_text=wanted)


async def test_a_workflow_is_run_answered_and_run_again_in_its_app(
    page: Page, studio: Studio
) -> None:
    # The model calls the tool; the run asks, and the client shows no forms.
    frame = await opened(page, studio, "trip", args={"who": HOSTILE, "level": "loud"})
    question = frame.get_by_role("region", name="Question")
    await expect(question.locator("strong", has_text="this")).to_be_visible()
    await expect(status(frame, "waiting")).to_be_visible()
    steps = frame.get_by_role("region", name="Timeline").get_by_role("listitem")
    await expect(steps).to_have_count(5)
    await expect(steps.nth(1)).to_contain_text("Greet <img src=x")
    await expect(steps.nth(2)).to_contain_text("waiting")
    await expect(steps.nth(4)).to_contain_text("pending")
    assert await looked_at(page, frame, "question") == []
    await question.get_by_role("button", name="Approve").click()
    await expect(status(frame, "success")).to_be_visible()
    result = frame.get_by_role("region", name="Result").first
    await expect(result).to_contain_text("Done for <img src=x")
    # What others wrote is text, with hidden characters made visible.
    await expect(result).to_contain_text("U+202E")
    assert await frame.locator("img").count() == 0
    assert await frame.title() == "Workflow"
    assert await looked_at(page, frame, "result") == []

    # The form has what the model gave; what is missing is said at its field.
    await frame.locator("summary").focus()
    await page.keyboard.press("Enter")
    who = frame.get_by_label("Who *")
    await expect(who).to_have_value(HOSTILE)
    await expect(frame.get_by_label("Level *")).to_have_value("1")
    await who.fill("")
    await frame.get_by_label("Count").fill("0")
    await who.press("Enter")
    await expect(who).to_be_focused()
    await expect(frame.get_by_text("Required.")).to_be_visible()
    assert await looked_at(page, frame, "form") == []
    await who.fill("Grace")
    await frame.get_by_role("button", name="Run again").click()
    await expect(frame.get_by_role("alert")).to_contain_text("invalid arguments")
    await expect(frame.locator(".field__fault")).to_contain_text("1")
    await frame.get_by_label("Count").fill("3")
    await frame.get_by_label("Count").press("Enter")
    await question.get_by_role("button", name="Approve").click()
    await expect(result).to_contain_text("Done for Grace, loud.")
    # The model had only a handle of the first run, and nothing of the second.
    contexts = await contexts_of(page, 2)
    assert "Done for <img" in contexts[0]
    assert "Done for Grace" in contexts[1]

    # From a node: what was before it is taken over.
    await frame.get_by_role("button", name="Re-run from Finish").click()
    await expect(steps.filter(has_text="reused")).to_have_count(3)
    await expect(status(frame, "success")).to_be_visible()
    await contexts_of(page, 3)
    told = await seen(page)
    box = await frame.locator(".run-app").bounding_box()
    assert box is not None
    assert abs(told["heights"][-1] - box["height"]) <= 1
    assert {"app_start", "app_run", "trip"} <= set(told["tools"])


async def test_a_call_is_followed_while_it_runs_and_cancelled(page: Page, studio: Studio) -> None:
    context = {"theme": "light", "styles": STYLES}
    frame = await opened(page, studio, "pause", args={"who": "Ada"}, mode="legacy", context=context)
    pause = frame.get_by_role("listitem").filter(has_text="Pause")
    await expect(pause).to_contain_text("waiting")
    assert (await seen(page))["answer"] is None  # the call itself has not returned
    family = "() => getComputedStyle(document.body).fontFamily"
    assert "Georgia" in await frame.evaluate(family)
    colour = "() => getComputedStyle(document.body).backgroundColor"
    assert await frame.evaluate(colour) == "rgb(253, 246, 227)"
    assert await findings(cast("Page", frame), EVERYTHING) == []
    await page.emulate_media(forced_colors="active")
    assert await findings(cast("Page", frame), EVERYTHING) == []
    await shot(page, "app-forced-colours")
    await page.emulate_media(forced_colors="none")
    await frame.get_by_role("button", name="Cancel run").click()
    await expect(status(frame, "cancelled")).to_be_visible()
    await page.wait_for_function("() => host.seen.answer !== null")
    assert (await seen(page))["answer"]["isError"] is True


async def test_a_step_in_doubt_is_decided_and_images_and_tables_are_shown(
    page: Page, studio: Studio
) -> None:
    run = await anyio.Path(studio.home / "uncertain").read_text()
    result = {"content": [{"type": "text", "text": "…"}], "_meta": {"toolweave/run": run}}
    frame = await opened(page, studio, "pause", args={}, result=result)
    doubt = frame.get_by_role("region", name="Uncertain step Call")
    await expect(doubt.get_by_role("button")).to_have_text(
        ["Continue without its result", "Run again", "Mark as failed"]
    )
    assert await looked_at(page, frame, "uncertain") == []
    await doubt.get_by_role("button", name="Mark as failed").click()
    await expect(frame.get_by_role("region", name="Error")).to_be_visible()
    await expect(status(frame, "failed")).to_be_visible()
    assert await looked_at(page, frame, "failed") == []
    image = {"type": "image", "mimeType": "image/png", "data": PIXEL}
    rows = [{"city": "Rome", "days": 3}, {"city": HOSTILE, "days": 4}]
    for name, value in (("pictures", {"content": [image]}), ("rows", {"rows": rows})):
        ended = await finished(page, studio, name, value)
        given: dict[str, Any] = {"content": [], "_meta": {"toolweave/run": ended}}
        frame = await opened(page, studio, "pause", args={}, result=given)
        shown = frame.get_by_role("region", name="Result").first
        await expect(shown).to_be_visible()
        if name == "pictures":
            picture = shown.get_by_role("img")
            await expect(picture).to_have_js_property("naturalWidth", 1)
        else:
            await expect(shown.get_by_role("row")).to_have_count(3)
            await shown.get_by_role("tab", name="Tree").click()
            await expect(shown.get_by_role("tree")).to_be_visible()
        assert await looked_at(page, frame, name) == []


async def finished(page: Page, studio: Studio, name: str, value: object) -> str:
    """A run that gives a value."""
    body: dict[str, Any] = {"document": drawn(name), "inputs": {"value": value}}
    body["document"]["nodes"][-1]["data"] = {"output": "{{ trigger.value }}"}
    run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", body))
    with anyio.fail_after(60):
        while True:
            path = f"/api/v1/runs/{run['id']}"
            if cast("Any", await studio.ask(page, "GET", path))["status"] == "success":
                return cast("str", run["id"])


async def test_a_client_without_apps_gets_text_and_the_page_is_small(
    page: Page, studio: Studio
) -> None:
    for mode in ("auto", "legacy"):
        asked = {"key": studio.token, "mode": mode, "tool": "trip"}
        asked |= {"args": {"who": "Ada", "level": "calm"}}
        found = await page.evaluate("asked => host.textOnly(asked)", asked)
        assert "trip" in found["tools"]
        assert not [name for name in found["tools"] if name.startswith("app_")]
        (text,) = found["answer"]["content"]
        assert "ask your user" in text["text"]
    built = ROOT / "src" / "toolweave" / "publishing" / "static" / "run_app.html"
    data = await anyio.Path(built).read_bytes()
    assert len(gzip.compress(data)) <= MAX_PAGE_BYTES
    assert b"http://" not in data.replace(b"http://www.w3.org/", b"")
    assert b"https://" not in data
