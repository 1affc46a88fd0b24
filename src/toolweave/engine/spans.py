"""OpenTelemetry spans of runs and steps; without an SDK installed they cost next to nothing."""

from contextlib import AbstractContextManager, nullcontext

from opentelemetry import trace

from toolweave.catalog.node import RunFacts
from toolweave.engine.decide import Work

_TRACER = trace.get_tracer("toolweave.engine")


def run_span(run: RunFacts) -> AbstractContextManager[object]:
    """One stretch of a run, from taking it to letting go of it."""
    if not _is_traced():
        return nullcontext()
    attributes = {"toolweave.run": run.id, "toolweave.workflow": run.workflow}
    return _TRACER.start_as_current_span(f"run {run.workflow}", attributes=attributes)


def step_span(run: RunFacts, work: Work, key: str) -> AbstractContextManager[object]:
    """One try of one step."""
    if not _is_traced():
        return nullcontext()
    node = work.place.step.node
    attributes = {
        "toolweave.run": run.id,
        "toolweave.step": key,
        "toolweave.node": node.id,
        "toolweave.kind": node.ref or node.type,
        "toolweave.attempt": work.attempt,
    }
    return _TRACER.start_as_current_span(f"step {node.id}", attributes=attributes)


def _is_traced() -> bool:
    """Whether somebody has installed where spans go."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
