"""AI nodes against everything real: a model over HTTP, tools of a server process, SQLite."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.engine.building import workflow

from servers.rooms import a_studio, pinned
from toolweave.app.open_engine import open_engine
from toolweave.app.studio import Studio
from toolweave.assistant.home_models import home_models
from toolweave.assistant.models import NewModel
from toolweave.engine.engine import Engine
from toolweave.engine.execution_report import execution
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json, JsonObject
from toolweave.testing.model import KEY, ScriptedModel
from toolweave.testing.server import ScriptedServer, a_tool

PROVIDERS = {
    "AI_AGENT.OPENAI_CHATGPT": "openai",
    "AI_AGENT.ANTHROPIC_CLAUDE": "anthropic",
    "AI_AGENT.GOOGLE_GEMINI": "gemini",
    "AI_AGENT.OPENAI_COMPATIBLE": "compatible",
    "AI_AGENT.EXTRACT": "anthropic",
    "AI_AGENT.CLASSIFY": "openai",
}
TEXT: JsonObject = {"type": "object", "properties": {"text": {"type": "string"}}}


def node(
    ref: str, config: Mapping[str, Json], inputs: Mapping[str, Json], *attached: str
) -> tuple[str, Any]:
    """A node of the catalog, for `workflow`."""
    kind, _, subtype = ref.partition(".")
    data: dict[str, Any] = {
        "subtype": subtype,
        "configurations": dict(config),
        "inputParams": dict(inputs),
    }
    return kind, data | ({"attachedNodes": list(attached)} if attached else {})


@asynccontextmanager
async def an_agency(
    folder: Path,
    model: ScriptedModel,
    provider: str = "anthropic",
    servers: Mapping[str, list[JsonObject]] = MappingProxyType({}),
) -> AsyncGenerator[tuple[Studio, Engine]]:
    """A studio with the model of a provider, and servers with these tools."""
    async with a_studio(folder / "home") as studio:
        new = NewModel("scripted", provider, "some-model", model.base_url(provider), KEY)
        await home_models(studio.home).add(new)
        for name, tools in servers.items():
            scripted = ScriptedServer(folder / name, *(tools or [a_tool("echo")]))
            await pinned(studio, name, scripted.definition)
        async with open_engine(studio) as engine:
            yield studio, engine


async def run_alone(
    engine: Engine,
    what: tuple[str, Any],
    others: Mapping[str, Any] | None = None,
    data: Json = None,
) -> tuple[str, JsonObject]:
    """Run a start and one node `n`, with others beside it; how it ended, and its record."""
    graph = workflow({"s": "start", "n": what, **(others or {})}, ["s > n"])
    run = await engine.runs.start(RunRequest(graph, {} if data is None else data))
    status = await engine.advance(run)
    entries = await engine.journal.read(run)
    return status, execution(run, await engine.plan(run), entries)
