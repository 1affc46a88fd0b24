"""MCP servers for browser tests, added and approved past the page."""

import json
from typing import Any, cast

from playwright.async_api import Page

from e2e.studio import Studio
from toolweave.testing.server import ScriptedServer


async def approved(page: Page, studio: Studio, name: str, server: ScriptedServer) -> str:
    """Add a server, say yes to exactly what it runs, and give its id."""
    start = server.definition
    entry = {"command": start.command, "args": list(start.args)}
    body = {"definition": json.dumps({"mcpServers": {name: entry}})}
    added = cast("Any", await studio.ask(page, "POST", "/api/v1/servers", body))
    identity = added["servers"][0]["id"]
    shown = cast("Any", await studio.ask(page, "GET", f"/api/v1/servers/{identity}"))
    agreed = next(fact["value"] for fact in shown["facts"] if fact["key"] == "hash")
    path = f"/api/v1/servers/{identity}/approve"
    await studio.ask(page, "POST", path, {"hash": agreed, "acceptChanges": True})
    return cast("str", identity)


async def reconnected(page: Page, studio: Studio, identity: str) -> None:
    """Let it be started anew, and the page notice as when somebody comes back to its tab."""
    for switch in ("disable", "enable"):
        await studio.ask(page, "POST", f"/api/v1/servers/{identity}/{switch}")
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")


def calling(node: str, server: str, tool: str, **values: Any) -> dict[str, Any]:
    """A node that calls a tool, as the palette makes it."""
    data: dict[str, Any] = {
        "serverId": server,
        "toolName": tool,
        "toolDescription": "",
        "parameters": [],
        "parameterValues": values,
        "mode": "detailed",
    }
    return {"id": node, "type": "mcp", "name": node, "data": data}
