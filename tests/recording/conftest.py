"""Runs with the demo server, made once in one process; tests record and replay them."""

import shutil
import sys
from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.cli.conftest import tw as tw
from tests.cli.driving import Commands, Ran
from tests.cli.test_run import mcp
from tests.engine.building import workflow

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import Studio, open_studio
from toolweave.engine.engine import Engine
from toolweave.engine.runs import RunRequest
from toolweave.home import open_home
from toolweave.settings import from_environment
from toolweave.testing.model import KEY, ScriptedModel, calls, says

DEMO = (sys.executable, "-m", "toolweave.cli.main", "demo-server")
OPTIONS = [{"label": "Yes"}, {"label": "No"}]
PAUSE = {"subtype": "DELAY", "configurations": {"duration_seconds": 0.01}}
CLAUDE = {"subtype": "ANTHROPIC_CLAUDE"}
WITH_MEMORY = {"context_management": {"enable_memory": True}}
CACHED = {"performance_config": {"cache_responses": True}}


def agent(prompt: str, *attached: str, **config: Any) -> tuple[str, dict[str, Any]]:
    """A node that asks a model, with the nodes that are attached to it."""
    data = {**CLAUDE, "configurations": config, "inputParams": {"user_prompt": prompt}}
    return "AI_AGENT", {**data, "attachedNodes": list(attached)}


SAMPLES: dict[str, tuple[dict[str, Any], list[str], dict[str, Any]]] = {
    "sums": (
        {
            "s": "start",
            "first": mcp("add", "demo", a="{{ data.a }}", b=2),
            "second": mcp("add", "demo", a="{{ data.sum }}", b=10.0),
            "e": "end",
        },
        ["s > first", "first > second", "second > e"],
        {"a": 1},
    ),
    "counts": (
        {
            "s": "start",
            "one": mcp("counter", "demo", name="c"),
            "two": mcp("counter", "demo", name="c"),
            "e": "end",
        },
        ["s > one", "one > two", "two > e"],
        {},
    ),
    "handled": (
        {
            "s": "start",
            "read": mcp("recall", "demo", key="{{ data.key }}"),
            "sorry": ("prompt", {"prompt": "Nothing there."}),
            "e": "end",
        },
        ["s > read", "read > e", "read.error > sorry", "sorry > e"],
        {"key": "nowhere"},
    ),
    "paused": ({"s": "start", "d": ("FLOW", PAUSE), "e": "end"}, ["s > d", "d > e"], {"n": 1}),
    "asked": (
        {
            "s": "start",
            "q": ("askUserQuestion", {"questionText": "Go on?", "options": OPTIONS}),
            "yes": mcp("echo", "demo", text="yes"),
            "e": "end",
        },
        ["s > q", "q.branch-0 > yes", "q.branch-1 > e", "yes > e"],
        {},
    ),
    "mail": (
        {
            "s": "start",
            "say": mcp("echo", "demo", text="To {{ data.email }} with {{ data.password }}"),
            "loud": ("prompt", {"prompt": "Mail for {{ data.text.size() }}, {{ data.text }}"}),
            "e": "end",
        },
        ["s > say", "say > loud", "loud > e"],
        {"email": "ada@example.org", "password": "hunter2-long", "n": 1},
    ),
    "big": (
        {"s": "start", "say": mcp("echo", "demo", text="{{ data.text }}"), "e": "end"},
        ["s > say", "say > e"],
        {"text": "x" * 70_000},
    ),
    "chosen": (
        {
            "s": "start",
            "fill": (
                "mcp",
                {
                    "mode": "naturalLanguageParam",
                    "serverId": "demo",
                    "toolName": "add",
                    "naturalLanguageParamConfig": {"description": "Add two and three together."},
                },
            ),
            "e": "end",
        },
        ["s > fill", "fill > e"],
        {},
    ),
    "agent": (
        {
            "s": "start",
            "think": agent("Work out the total.", "tools"),
            "tools": ("TOOL", {"subtype": "MCP:demo/add"}),
            "e": "end",
        },
        ["s > think", "think > e"],
        {},
    ),
    "remembering": (
        {
            "s": "start",
            "think": agent("Greet Ada.", "memory", "tools"),
            "memory": ("MEMORY", {"subtype": "CONVERSATION_BUFFER"}),
            "tools": ("TOOL", {"subtype": "MCP:demo/echo"}),
            "e": "end",
        },
        ["s > think", "think > e"],
        {},
    ),
    "conversing": (
        {"s": "start", "think": agent("Who is it?", **WITH_MEMORY), "e": "end"},
        ["s > think", "think > e"],
        {},
    ),
    "cached": (
        {"s": "start", "think": agent("Say hello.", **CACHED), "e": "end"},
        ["s > think", "think > e"],
        {},
    ),
}
# Of these, what was exchanged is not kept.
UNKEPT = "unkept"


@dataclass(frozen=True)
class House:
    """A home with finished runs, by the name of their sample."""

    commands: Commands
    runs: dict[str, str]

    def record(self, name: str, folder: Path, *more: str, run: str | None = None) -> Ran:
        """Record the run of a sample."""
        found = self.runs[run or name]
        return self.commands("record", found, "--as", name, "--dir", str(folder), *more)


async def finished(engine: Engine, name: str) -> str:
    nodes, edges, inputs = SAMPLES[name]
    run = await engine.runs.start(RunRequest(workflow(nodes, edges), inputs, hold=True))
    await engine.runs.run_to_end(run, through_pauses=True)
    if name == "asked":
        await engine.answer(run, "q", 0, by="ada", resume=False)
        await engine.runs.run_to_end(run)
    return run


async def finished_runs(commands: Commands) -> dict[str, str]:
    settings = from_environment(commands.environ)
    async with open_home(settings, environ=commands.environ) as home, open_studio(home) as studio:
        async with open_engine(studio) as engine:
            runs = {name: await finished(engine, name) for name in SAMPLES}
        silent = replace(home, settings=replace(settings, record_bytes=0))
        off: Studio = replace(studio, home=silent)
        async with open_engine(off) as engine:
            runs[UNKEPT] = await finished(engine, "sums")
    return runs


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    folder = tmp_path_factory.mktemp("house")
    commands = Commands(folder / "home", folder / "project")
    commands.home.mkdir()
    commands.project.mkdir()
    commands.ok("servers", "add", "demo", "--", *DEMO)
    commands.ok("servers", "approve", "demo", "--yes")
    with ScriptedModel(calls("add", {"a": 2, "b": 3})).running() as model:
        total = calls("add", {"a": 1, "b": 1}), calls("add", {"a": 40, "b": 2}), says("It is 42.")
        model.on("Work out the total.", *total)
        model.on("Greet Ada.", calls("echo", {"text": "Hello, Ada."}), says("Done."))
        model.on("Who is it?", says("It is me."))
        model.on("Say hello.", says("Hello."))
        args = ("--provider", "anthropic", "--base-url", model.base_url("anthropic"))
        commands("models", "add", "mine", *args, input=KEY + "\n")
        yield House(commands, anyio.run(finished_runs, commands))


@pytest.fixture(scope="session")
def samples(house: House, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of every sample."""
    folder = tmp_path_factory.mktemp("recordings")
    for name in SAMPLES:
        told = house.record(name, folder)
        assert told.code == 0, told
    return folder


@pytest.fixture
def recorded(tw: Commands, samples: Path) -> Commands:
    """A home that knows no server, beside copies of the recordings."""
    shutil.copytree(samples, tw.project / "recordings")
    return tw


@pytest.fixture
def recordings(tw: Commands) -> Path:
    return tw.project / "recordings"
