"""A process that traces: it runs one workflow with the real SDK and prints its spans as JSON.

A process of its own, because a tracer provider is set once and for all.
"""

import json
import sys
from pathlib import Path

import anyio
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.engine.building import EchoTools, Kinds, fails, workflow

from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.unchecked import Unchecked

GRAPH = workflow(
    {"s": "start", "good": "once", "bad": "once", "e": "end"},
    ["s > good", "s > bad", "good > e"],
)


async def main(folder: Path) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    clock = SystemClock()
    async with open_database(folder / "runs.db") as database:
        await migrate(database)
        services = EngineServices(EchoTools(), clock)
        kinds = Kinds(bad=fails(9))
        engine = Engine(
            database, Journal(database, clock), kinds, services=services, checker=Unchecked()
        )
        async with engine.running():
            run = await engine.runs.start(RunRequest(GRAPH, {}))
            await engine.advance(run)
    provider.shutdown()
    spans = [
        {
            "name": span.name,
            "id": span.context.span_id if span.context else 0,
            "parent": span.parent.span_id if span.parent else None,
            "status": span.status.status_code.name,
            "attributes": dict(span.attributes or {}),
        }
        for span in exporter.get_finished_spans()
    ]
    sys.stdout.write(json.dumps({"run": run, "spans": spans}))


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]))
