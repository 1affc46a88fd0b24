"""What Toolweave adds to a model's call: `python -m bench.models` from the root.

A scripted model on loopback takes a second for each answer. Floor: a bare `httpx2` client that
sends the very same body and reads the answer, in turns with ours. `--quick` shows that it works.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import httpx2

from toolweave.app.open_engine import open_engine, open_resources
from toolweave.app.studio import open_studio
from toolweave.assistant.home_models import home_models
from toolweave.assistant.model_caller import HomeModelCaller
from toolweave.assistant.models import NewModel
from toolweave.catalog.resources.model import ModelQuestion, Said
from toolweave.engine.runs import RunRequest
from toolweave.home import open_home
from toolweave.settings import Settings
from toolweave.testing.model import KEY, ScriptedModel, says
from toolweave.workflow.formats.load import read

PROVIDERS = ("anthropic", "openai", "gemini", "compatible")
TARGET = 1.05
QUESTION = ModelQuestion(messages=(Said(text="Write a short letter. " * 200),), system="Be kind.")
ANSWER = "Dear reader, this is a letter. " * 100


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    """How long it takes, in seconds."""
    began = time.perf_counter()
    await work()
    return time.perf_counter() - began


async def hear(_: str) -> None:
    """Take a piece of text."""


async def measure(model: ScriptedModel, folder: Path, turns: int) -> list[tuple[str, float, float]]:
    """Each line: its name, the median of ours and of the floor."""
    lines: list[tuple[str, float, float]] = []
    async with (
        open_home(Settings(home=folder)) as home,
        open_studio(home) as studio,
        open_resources(home) as resources,
        open_engine(studio) as engine,
        httpx2.AsyncClient(timeout=60) as bare,
    ):
        asking = resources.model
        assert isinstance(asking, HomeModelCaller)
        for provider in PROVIDERS:
            url = model.base_url(provider)
            await home_models(home).add(NewModel(provider, provider, "some-model", url, KEY))
            question = QUESTION.model_copy(update={"provider": provider})
            for streams in (False, True):
                name = f"{provider}, {'streamed' if streams else 'plain'}"

                async def ours(question: ModelQuestion = question, streams: bool = streams) -> None:
                    await asking.ask(question, on_text=hear if streams else None)

                lines.append((name, *await compared(model, bare, ours, turns)))
        graph = read(WORKFLOW).workflow

        async def run() -> None:
            await engine.advance(await engine.runs.start(RunRequest(graph, {})))

        lines.append(("a whole run of one prompt", *await compared(model, bare, run, turns)))
    return lines


async def compared(
    model: ScriptedModel,
    bare: httpx2.AsyncClient,
    ours: Callable[[], Awaitable[object]],
    turns: int,
) -> tuple[float, float]:
    """The medians of ours and of the same request by a bare client, in turns."""
    await ours()
    heard = model.heard[-1]
    url = model.base_url("anthropic") + heard.path
    headers = {name: value for name, value in heard.headers.items() if name in KEPT}

    async def floor() -> None:
        (await bare.post(url, json=heard.body, headers=headers)).raise_for_status()

    mine: list[float] = []
    theirs: list[float] = []
    for _ in range(turns):
        mine.append(await timed(ours))
        theirs.append(await timed(floor))
    return statistics.median(mine), statistics.median(theirs)


KEPT = ("content-type", "x-api-key", "anthropic-version", "authorization", "x-goog-api-key")
WORKFLOW = {
    "id": "b",
    "name": "b",
    "version": "1.0.0",
    "nodes": [
        {"id": "s", "type": "start", "name": "S", "data": {}},
        {"id": "p", "type": "prompt", "name": "P", "data": {"prompt": "Write a letter."}},
        {"id": "e", "type": "end", "name": "E", "data": {}},
    ],
    "connections": [{"id": "a", "from": "s", "to": "p"}, {"id": "b", "from": "p", "to": "e"}],
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    wait_s, turns = (0.05, 1) if quick else (1.0, 5)
    turn = says(ANSWER, wait_s=wait_s)
    with tempfile.TemporaryDirectory() as home, ScriptedModel(turn).running() as model:
        lines = anyio.run(measure, model, Path(home), turns)
    sys.stdout.write(f"{'line':32} {'ours ms':>9} {'floor ms':>9} {'ratio':>6}  target\n")
    for name, ours, floor in lines:
        verdict = "" if quick else ("  met" if ours / floor <= TARGET else "  missed")
        sys.stdout.write(
            f"{name:32} {ours * 1000:9.1f} {floor * 1000:9.1f} {ours / floor:6.3f}"
            f"  <= {TARGET}{verdict}\n"
        )


if __name__ == "__main__":
    main()
