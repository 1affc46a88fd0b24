"""OpenTelemetry spans of runs and steps; without an SDK installed they cost next to nothing."""

from collections.abc import Generator
from contextlib import contextmanager

from opentelemetry import trace

from toolweave.catalog.node import RunFacts
from toolweave.engine.decide import Work

_TRACER = trace.get_tracer("toolweave.engine")


@contextmanager
def run_span(run: RunFacts) -> Generator[None]:
    """One stretch of a run, from taking it to letting go of it."""
    attributes = {"toolweave.run": run.id, "toolweave.workflow": run.workflow}
    with _TRACER.start_as_current_span(f"run {run.workflow}", attributes=attributes):
        yield


@contextmanager
def step_span(run: RunFacts, work: Work, key: str) -> Generator[None]:
    """One try of one step."""
    node = work.place.step.node
    attributes = {
        "toolweave.run": run.id,
        "toolweave.step": key,
        "toolweave.node": node.id,
        "toolweave.kind": node.ref or node.type,
        "toolweave.attempt": work.attempt,
    }
    with _TRACER.start_as_current_span(f"step {node.id}", attributes=attributes):
        yield
