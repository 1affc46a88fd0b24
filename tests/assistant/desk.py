"""A whole studio at work: a real server process with real schemas, a scripted model, the engine."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from tests.engine.building import workflow

from servers.rooms import a_studio, pinned
from toolweave.app.open_engine import open_engine
from toolweave.app.studio import Studio
from toolweave.assistant.home_models import home_models
from toolweave.assistant.models import NewModel
from toolweave.demo.server import TOOLS
from toolweave.engine.engine import Engine
from toolweave.engine.execution_report import records
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json
from toolweave.testing.model import KEY, ScriptedModel
from toolweave.testing.server import ScriptedServer
from toolweave.testing.unchecked import Unchecked

CORPUS = Path(__file__).parents[1] / "tools" / "corpus"
SERVER = "tools"
# Real, public schemas, by the file they are kept in.
PUBLIC = {
    "filesystem": ("read_text_file", "write_file", "list_directory", "search_files", "edit_file"),
    "github": (
        *("create_issue", "search_repositories", "list_commits", "create_pull_request"),
        "get_file_contents",
    ),
    "git": ("git_log", "git_commit", "git_diff"),
    "fetch": ("fetch",),
    "slack": ("slack_post_message", "slack_add_reaction"),
    "playwright": ("browser_navigate",),
}


def real_tools() -> list[dict[str, Any]]:
    """The demo server's tools and some of public servers, as those list them."""
    found: list[dict[str, Any]] = [
        tool.definition.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in TOOLS
    ]
    for file, names in PUBLIC.items():
        listed = json.loads((CORPUS / f"{file}.json").read_text(encoding="utf-8"))
        found += [tool for tool in listed if tool["name"] in names]
    # They answer with their arguments here, whatever they promise elsewhere.
    return [{key: tool[key] for key in tool if key != "outputSchema"} for tool in found]


@dataclass(frozen=True)
class Ended:
    """How a run ended: its status, the node's value and parts, why it failed."""

    status: str
    value: Any
    parts: list[Any]
    error: dict[str, Any] | None
    run: str

    @property
    def code(self) -> str | None:
        return None if self.error is None else self.error["code"]


@dataclass(frozen=True)
class Desk:
    """What a test needs."""

    studio: Studio
    engine: Engine
    model: ScriptedModel
    server: ScriptedServer

    async def run(self, data: dict[str, Any], inputs: Json = None, kind: str = "mcp") -> Ended:
        """Run a workflow of one node."""
        graph = workflow({"s": "start", "n": (kind, data)}, ["s > n"])
        with anyio.fail_after(60):
            run = await self.engine.runs.start(
                RunRequest(graph, inputs if inputs is not None else {})
            )
            status = await self.engine.advance(run)
        record = {one.key: one for one in records(await self.engine.journal.read(run))}["n"]
        return Ended(str(status), record.value, list(record.parts), record.error, run)

    async def described(self, tool: str, words: str, inputs: Json = None) -> Ended:
        """A node in `naturalLanguageParam`."""
        config = {"description": words, "timestamp": "2026-01-01T00:00:00.000Z"}
        data = {"mode": "naturalLanguageParam", "serverId": SERVER, "toolName": tool}
        return await self.run(data | {"naturalLanguageParamConfig": config}, inputs)

    async def tasked(self, words: str, inputs: Json = None, **more: Any) -> Ended:
        """A node in `fullNaturalLanguage`."""
        config = {"taskDescription": words, "timestamp": "2026-01-01T00:00:00.000Z", **more}
        data = {"mode": "fullNaturalLanguage", "serverId": SERVER}
        return await self.run(data | {"fullNaturalLanguageConfig": config}, inputs)

    def called(self) -> list[tuple[str, Any]]:
        """Every call that reached the server's process."""
        return [(str(one["name"]), one.get("arguments")) for one in self.server.heard("tools/call")]


@asynccontextmanager
async def a_desk(home: Path, *, provider: str = "anthropic", **limits: Any) -> AsyncGenerator[Desk]:
    """Open all of it."""
    server = ScriptedServer(home / "server", *real_tools())
    with ScriptedModel().running() as model:
        async with a_studio(home / "home", **limits) as studio:
            await pinned(studio, SERVER, server.definition)
            url = model.base_url(provider)
            await home_models(studio.home).add(NewModel("m", provider, "some-model", url, KEY))
            # The workflows of these tests are fragments without an end.
            async with open_engine(studio, checker=Unchecked()) as engine:
                yield Desk(studio, engine, model, server)
