"""OpenTelemetry spans of runs and steps; without an SDK installed they cost next to nothing."""

from contextlib import AbstractContextManager, nullcontext

from opentelemetry import trace

from toolweave.catalog.node import RunFacts
from toolweave.engine.decide import NextWork
from toolweave.engine.events import Event, Finished, StepFailed
from toolweave.engine.frames import StepFrame

_TRACER = trace.get_tracer("toolweave.engine")


def run_span(run: RunFacts) -> AbstractContextManager[object]:
    """One execution of a run, from taking its lease to releasing it."""
    if not is_traced():
        return nullcontext()
    attributes = {"toolweave.run": run.id, "toolweave.workflow": run.workflow}
    return _TRACER.start_as_current_span(f"run {run.workflow}", attributes=attributes)


def step_span(run: RunFacts, work: NextWork, key: str) -> AbstractContextManager[object]:
    """One attempt of one step, if tracing is enabled."""
    node = work.place.step.node
    attributes = {
        "toolweave.run": run.id,
        "toolweave.step": key,
        "toolweave.node": node.id,
        "toolweave.kind": node.ref or node.type,
        "toolweave.attempt": work.attempt,
    }
    return _TRACER.start_as_current_span(f"step {node.id}", attributes=attributes)


def computed_span(run: RunFacts, place: StepFrame) -> AbstractContextManager[object]:
    """One computed step, if tracing is enabled."""
    node = place.step.node
    attributes = {
        "toolweave.run": run.id,
        "toolweave.step": f"{run.id}/{place.key}",
        "toolweave.node": node.id,
        "toolweave.kind": node.ref or node.type,
    }
    return _TRACER.start_as_current_span(f"step {node.id}", attributes=attributes)


def tell_span(event: Event) -> None:
    """Record the outcome of a step in the open span."""
    if is_traced():
        span = trace.get_current_span()
        span.set_attribute("toolweave.outcome", event.kind)
        if isinstance(event, StepFailed):
            span.set_attribute("toolweave.code", event.code)
            span.set_status(trace.StatusCode.ERROR, event.message)


def tell_run_span(finished: Finished | None) -> None:
    """Record how a run ended in the open span of its execution."""
    if finished is not None and is_traced():
        span = trace.get_current_span()
        span.set_attribute("toolweave.outcome", finished.status)
        if finished.error is not None:
            span.set_attribute("toolweave.code", str(finished.error.get("code")))
            span.set_status(trace.StatusCode.ERROR, str(finished.error.get("message")))


def is_traced() -> bool:
    """Whether a span exporter is installed."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
