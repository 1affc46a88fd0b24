"""Every page and dialog of the studio, and how a person gets there."""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlencode

import anyio
from playwright.async_api import Page, expect

from e2e.mcp import approved, calling, reconnected
from e2e.studio import ROOT, Studio
from rest.drawn import asking_mcp, drawn, greeting, pausing, triggered
from toolweave.testing.server import ScriptedServer, a_tool

GIT = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org")
SOURCE = ROOT / "web" / "src"
LONG = "a-workflow-with-a-name-that-somebody-wrote-without-thinking-of-tables"
ASKING: dict[str, Any] = {
    "toolweave": 1,
    "name": "ask",
    "nodes": [
        {"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}},
        {
            "id": "ask",
            "type": "HUMAN_IN_THE_LOOP",
            "data": {
                "subtype": "FORM",
                "configurations": {
                    "form_title": "How many boxes?",
                    "form_schema": {
                        "type": "object",
                        "properties": {
                            "boxes": {"type": "integer", "title": "Boxes"},
                            "size": {"type": "string", "title": "Size", "enum": ["small", "big"]},
                            "fast": {"type": "boolean", "title": "In a hurry"},
                        },
                        "required": ["boxes"],
                    },
                    "people": ["ada"],
                },
            },
        },
    ],
    "edges": [{"id": "e", "source": "t", "target": "ask"}],
}
FAILING: dict[str, Any] = {
    "toolweave": 1,
    "name": "fails",
    "nodes": [
        {"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}},
        {
            "id": "stop",
            "type": "FLOW",
            "data": {"subtype": "STOP", "configurations": {"outcome": "error"}},
        },
    ],
    "edges": [{"id": "e", "source": "t", "target": "stop"}],
}


@dataclass
class Filled:
    """A studio with something on every page."""

    studio: Studio
    page: Page
    sample: str = ""
    server: str = ""
    runs: list[str] = field(default_factory=list[str])

    async def go(self, place: str) -> None:
        await self.page.goto(f"{self.studio.url}/#/{place}")

    async def open_sample(self) -> None:
        await self.go(f"w/{self.sample}")
        await expect(self.page.locator(".step").first).to_be_visible()


Opening = Callable[[Filled], Awaitable[None]]


@dataclass(frozen=True)
class Place:
    """One page or dialog; `page` as pages.tsx names it, `dialog` the file that draws it."""

    name: str
    open: Opening
    page: str | None = None
    dialog: str | None = None


def pages_of_source() -> set[str]:
    """The pages that the studio has, `manage/…` for the sections of that one."""
    text = (SOURCE / "shell" / "pages.tsx").read_text(encoding="utf-8")
    manage = (SOURCE / "features" / "manage" / "ManagePage.tsx").read_text(encoding="utf-8")
    pages = set(re.findall(r'\{\s*page: "([^"]*)"', text))
    return pages | {f"manage/{name}" for name in re.findall(r'\{\s*name: "(\w+)",\s*title', manage)}


def dialogs_of_source() -> set[str]:
    """The files that draw a dialog."""
    files = [path for folder in ("features", "shell") for path in (SOURCE / folder).rglob("*.tsx")]
    return {
        path.relative_to(SOURCE).as_posix()
        for path in files
        if re.search(
            r'<Dialog\b|<ConfirmDialog\b|<dialog\b|role="dialog"', path.read_text(encoding="utf-8")
        )
    }


async def fill(studio: Studio, page: Page) -> Filled:
    """Give every page something to show."""
    filled = Filled(studio, page)
    made = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))
    filled.sample, filled.server = made["workflow"], made["server"]
    wrong = asking_mcp(filled.server, "weather")
    wrong["connections"].pop()  # to the end: a problem that has a fix
    for document in (greeting(LONG), pausing("waits"), wrong, triggered()):
        name = document["name"]
        await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": document})
    for document in (greeting(LONG), FAILING, ASKING):
        body = {"document": document, "inputs": {"who": "Ada"}}
        run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", body))
        filled.runs.append(run["id"])
    model = {"name": "mine", "provider": "compatible", "model": "small"}
    model |= {"baseUrl": "http://127.0.0.1:9/v1", "key": "sk-of-nobody"}
    await studio.ask(page, "POST", "/api/v1/models", model)
    await studio.ask(page, "PUT", f"/api/v1/published/{LONG}", {})
    await studio.ask(page, "POST", "/api/v1/triggers/morning/enable", {})
    shelf = studio.home / "shelf"
    await anyio.run_process([*GIT, "init", "--quiet", str(shelf)])
    await anyio.run_process(
        [*GIT, "-C", str(shelf), "commit", "--quiet", "--allow-empty", "-m", "x"]
    )
    library = {"name": "shelf", "url": str(shelf)}
    await studio.ask(page, "POST", "/api/v1/library", library)
    return filled


def at(place: str) -> Opening:
    """Opens a page by its address."""

    async def opening(filled: Filled) -> None:
        await filled.go(place)
        await expect(filled.page.get_by_role("heading", level=1)).to_be_visible()

    return opening


def dialog(place: str, button: str) -> Opening:
    """Opens a page, and a dialog with a button of it."""

    async def opening(filled: Filled) -> None:
        await at(place)(filled)
        await filled.page.get_by_role("button", name=button, exact=True).click()
        await expect(filled.page.get_by_role("dialog")).to_be_visible()

    return opening


def pressed(*keys: str) -> Opening:
    """Opens the sample with its tool's node selected, and presses keys."""

    async def opening(filled: Filled) -> None:
        await filled.open_sample()
        if not await filled.page.get_by_role("complementary", name="Inspector").count():
            await filled.page.reload()
        await filled.page.locator(".react-flow__node[data-id=weather]").click()
        await expect(filled.page.get_by_label("Name", exact=True)).to_be_visible()
        for key in keys:
            await filled.page.keyboard.press(key)

    return opening


async def a_run(filled: Filled) -> None:
    await filled.go(f"runs/{filled.runs[0]}")
    await expect(filled.page.locator(".run-panel__head .badge")).to_have_text("success")
    await filled.page.locator(".timeline__row").first.click()


async def run_again(filled: Filled) -> None:
    await a_run(filled)
    await filled.page.get_by_role("button", name="Re-run from here").click()
    await expect(filled.page.get_by_role("dialog").get_by_label("Input")).to_be_visible()


async def compared(filled: Filled) -> None:
    body = {"document": greeting(LONG), "inputs": {"who": "Grace"}}
    other = cast("Any", await filled.studio.ask(filled.page, "POST", "/api/v1/runs", body))
    await filled.go(f"runs/{other['id']}")
    await expect(filled.page.locator(".run-panel__head .badge")).to_have_text("success")
    await filled.go(f"compare/{filled.runs[0]}/{other['id']}")
    await expect(filled.page.locator("mark").first).to_be_visible()


async def asked(filled: Filled) -> None:
    await at("inbox")(filled)
    await filled.page.get_by_role("button", name="Send answer").click()
    await expect(filled.page.locator(".field__fault")).to_be_visible()


async def problems(filled: Filled) -> None:
    await filled.go("w/ask")
    badge = filled.page.get_by_role("button", name=re.compile(r"\d errors?$"))
    await expect(badge).to_be_visible()
    if not await filled.page.get_by_role("complementary", name="Problems").count():
        await badge.click()
    await expect(filled.page.locator(".inspector__problem--button").first).to_be_visible()


async def a_fault(filled: Filled) -> None:
    # A form that nobody touched shows no missing values; a click on the problem does.
    await problems(filled)
    await filled.page.locator(".inspector__problem--button").first.click()
    await expect(filled.page.locator(".field__fault").first).to_be_visible()


async def suggestions(filled: Filled) -> None:
    """The list of names of a field with an expression, longer than it is high."""
    await pressed()(filled)
    group = filled.page.get_by_role("group", name="City editor", exact=True)
    await group.locator("[contenteditable]").focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight", "Control+Space"):
        await filled.page.keyboard.press(key)
    names = filled.page.get_by_role("listbox", name="Suggestions")
    await expect(names).to_be_visible()
    assert await names.evaluate("one => one.scrollHeight > one.clientHeight")


async def tags(filled: Filled) -> None:
    await at("")(filled)
    await filled.page.get_by_role("button", name="Actions for waits").click()
    await filled.page.get_by_role("menuitem", name="Edit tags…").click()
    await expect(filled.page.get_by_role("dialog")).to_be_visible()


async def publishing(filled: Filled) -> None:
    await pressed("u")(filled)
    await expect(filled.page.get_by_label("Tool name")).to_be_visible()


async def activating(filled: Filled) -> None:
    page = filled.page
    await filled.go("w/morning")
    await page.locator(".react-flow__node[data-id=hook]").click()
    await page.get_by_label("Name", exact=True).fill("Hook of mine")
    await page.get_by_role("button", name="Activate changes").click()
    await expect(page.get_by_role("dialog")).to_be_visible()


async def conflicting(filled: Filled) -> None:
    page = filled.page
    await filled.go("w/waits")
    await expect(page.get_by_label("Workflow name")).to_have_value("waits")
    await page.locator(".react-flow__node[data-id=greet]").click()
    await page.get_by_label("Name", exact=True).fill("Mine")
    path = "/api/v1/workflows/waits"
    kept = cast("Any", await filled.studio.ask(page, "GET", path))
    theirs = {"document": pausing("waits", seconds=9), "revision": kept["revision"]}
    await filled.studio.ask(page, "PUT", path, theirs)
    await page.keyboard.press("Control+s")
    await expect(page.get_by_role("dialog")).to_contain_text("changed elsewhere")
    await page.get_by_role("button", name="Show the difference").click()


async def a_health(filled: Filled) -> None:
    await at(f"servers/{filled.server}")(filled)
    await filled.page.get_by_role("tab", name="Health").click()
    await expect(filled.page.get_by_role("img", name=re.compile("^Last")).last).to_be_visible()


async def a_sign_in(filled: Filled) -> None:
    """Nobody answers there: the dialog says so."""
    page, entry = filled.page, {"url": "http://127.0.0.1:9/mcp", "oauth": True}
    body = {"definition": json.dumps({"mcpServers": {"elsewhere": entry}})}
    added = cast("Any", await filled.studio.ask(page, "POST", "/api/v1/servers", body))
    identity = added["servers"][0]["id"]
    path = f"/api/v1/servers/{identity}"
    shown = cast("Any", await filled.studio.ask(page, "GET", path))
    (found,) = [fact["value"] for fact in shown["facts"] if fact["key"] == "hash"]
    # Approved, though its tools cannot be listed.
    await page.request.post(
        f"{filled.studio.url}{path}/approve", headers=filled.studio.headers, data={"hash": found}
    )
    await at(f"servers/{identity}")(filled)
    await page.get_by_role("button", name="Sign in", exact=True).click()
    await expect(page.get_by_role("dialog").get_by_role("alert")).to_be_visible()


async def changed_tools(filled: Filled) -> None:
    """The page of a server whose tool changed, with what uses it and what adapts that."""
    page, studio = filled.page, filled.studio
    server = ScriptedServer(studio.home / "drifting", a_tool("peek"))
    identity = await approved(page, studio, "drifting", server)
    document = drawn("peeks", calling("look", "drifting", "peek", text="here"))
    await studio.ask(page, "PUT", "/api/v1/workflows/peeks", {"document": document})
    taken = {"type": "object", "properties": {"Text": {"type": "string"}}, "required": ["Text"]}
    server.change(tools=[a_tool("peek", inputSchema=taken)])
    await reconnected(page, studio, identity)
    await filled.go(f"servers/{identity}")
    await expect(page.get_by_role("article", name="Proposal for peeks")).to_be_visible()


async def migrating(filled: Filled) -> None:
    await filled.page.get_by_role("button", name="Apply the changes to peeks").click()
    await expect(filled.page.get_by_role("dialog", name="Change peeks?")).to_be_visible()


async def settings(filled: Filled) -> None:
    await at("manage/settings")(filled)
    await expect(filled.page.get_by_role("table", name="Findings")).to_be_visible()


async def versions(filled: Filled) -> None:
    await filled.go("versions/waits")
    await expect(filled.page.locator(".history .step").first).to_be_visible()


async def restoring(filled: Filled) -> None:
    """Restoring a version while there are unsaved edits asks first."""
    page, path = filled.page, "/api/v1/workflows/waits"
    kept = cast("Any", await filled.studio.ask(page, "GET", path))
    newer = {"document": pausing("waits", seconds=7), "revision": kept["revision"]}
    await filled.studio.ask(page, "PUT", path, newer)
    await filled.go("w/waits")
    await page.locator(".react-flow__node[data-id=greet]").click()
    await page.get_by_label("Name", exact=True).fill("Mine")
    await filled.go("versions/waits")
    await page.get_by_role("option", name="Version 1").click()
    await page.get_by_role("button", name="Restore this version").click()
    await expect(page.get_by_role("dialog")).to_be_visible()


async def triggers(filled: Filled) -> None:
    await at("triggers")(filled)
    await expect(filled.page.get_by_role("region", name="Triggers of morning")).to_be_visible()


async def a_new_key(filled: Filled) -> None:
    await at("manage/keys")(filled)
    await filled.page.get_by_role("button", name="Create key", exact=True).click()
    form = filled.page.get_by_role("form", name="Create key")
    await form.get_by_label("Name", exact=True).fill("a program")
    await form.get_by_role("checkbox", name="tools:read").check()
    await form.get_by_role("button", name="Create key").click()
    await expect(filled.page.get_by_role("dialog")).to_be_visible()


async def tried(filled: Filled) -> None:
    await at("servers")(filled)
    await filled.page.get_by_role("button", name=re.compile("^Try it")).first.click()
    await expect(filled.page.get_by_role("dialog")).to_be_visible()


async def access_query(page: Page, studio: Studio) -> str:
    """The query of a program that asks for access, as it opens the page."""
    body = {"redirect_uris": ["http://127.0.0.1/callback"], "client_name": "A coding agent"}
    answer = await page.request.post(f"{studio.url}/oauth/register", data=body)
    fields = {
        "client_id": (await answer.json())["client_id"],
        "redirect_uri": "http://127.0.0.1:9/callback",
        "response_type": "code",
        "code_challenge": "c" * 43,
        "code_challenge_method": "S256",
        "scope": "tools:read workflows:write",
        "state": "st-1",
    }
    return urlencode(fields)


async def a_program_asking(filled: Filled) -> None:
    query = await access_query(filled.page, filled.studio)
    await at(f"authorize?{query}")(filled)
    await expect(filled.page.get_by_role("heading", level=1)).to_contain_text("A coding agent")


EDITING: tuple[Place, ...] = (
    Place("workflows", at(""), page=""),
    Place("tags", tags, dialog="features/workflows/TagsDialog.tsx"),
    Place("templates", at("templates"), page="templates"),
    Place("editor-new", at("new"), page="new"),
    Place("editor", pressed(), page="w"),
    Place("quick-add", pressed("a"), dialog="features/palette/CommandPalette.tsx"),
    Place("node", pressed("Escape", "Enter"), dialog="features/node/NodeView.tsx"),
    Place("fault", a_fault),
    Place("problems", problems),
    Place("suggestions", suggestions),
    Place("json", pressed("j")),
    Place("builder", pressed("b")),
    Place("keys", pressed("?"), dialog="shell/ShortcutsDialog.tsx"),
    Place("extract", pressed("x"), dialog="features/workflows/ExtractDialog.tsx"),
    Place("export", pressed("Control+e"), dialog="features/workflows/ExportDialog.tsx"),
    Place("inputs", pressed("Control+Shift+Enter"), dialog="features/runs/InputsDialog.tsx"),
    Place("publish", publishing, dialog="features/publish/PublishDialog.tsx"),
    Place("activate", activating, dialog="shell/ActiveSwitch.tsx"),
    Place("mcp-browser", pressed("m"), dialog="features/servers/ServersDialog.tsx"),
    Place("versions", versions, page="versions"),
    Place("restore", restoring, dialog="shell/VersionsPage.tsx"),
    Place("conflict", conflicting, dialog="features/workflows/ConflictDialog.tsx"),
)
RUNNING: tuple[Place, ...] = (
    Place("runs", at("runs"), page="runs"),
    Place("run", a_run),
    Place("rerun", run_again, dialog="features/runs/RerunDialog.tsx"),
    Place("compare", compared, page="compare"),
    Place("inbox", asked, page="inbox"),
    Place("chat", at("chat"), page="chat"),
    Place("servers", at("servers"), page="servers"),
    Place("add-server", dialog("servers", "Add a server"), dialog="features/servers/AddDialog.tsx"),
    Place(
        "discover",
        dialog("servers", "Import from Claude, Cursor…"),
        dialog="features/servers/DiscoverDialog.tsx",
    ),
    Place("try-tool", tried, dialog="features/playground/PlaygroundDialog.tsx"),
    Place("server-health", a_health),
    Place("server-changed", changed_tools),
    Place("migration", migrating, dialog="features/servers/Migrations.tsx"),
    Place("sign-in", a_sign_in, dialog="features/servers/SignIn.tsx"),
    Place("remove-server", dialog("servers", "Remove"), dialog="features/servers/ServerCard.tsx"),
)
MANAGING: tuple[Place, ...] = (
    Place("manage", at("manage"), page="manage"),
    Place("models", at("manage/models"), page="manage/models"),
    Place(
        "remove-model",
        dialog("manage/models", "Remove mine"),
        dialog="features/manage/Section.tsx",
    ),
    Place("published", at("manage/published"), page="manage/published"),
    Place("credentials", at("credentials"), page="credentials"),
    Place("library", at("manage/library"), page="manage/library"),
    Place(
        "contents",
        dialog("manage/library", "Show shelf"),
        dialog="features/manage/Libraries.tsx",
    ),
    Place("documents", at("manage/documents"), page="manage/documents"),
    Place("triggers", triggers, page="triggers"),
    Place("keys-made", a_new_key, page="manage/keys", dialog="features/manage/Keys.tsx"),
    Place("keys-listed", at("manage/keys")),
    Place("authorize", a_program_asking, page="authorize"),
    Place("settings", settings, page="manage/settings"),
    Place("nowhere", at("nowhere")),
)
PLACES = {"editing": EDITING, "running": RUNNING, "managing": MANAGING}
