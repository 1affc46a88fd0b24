"""The attempts of one run's steps while they run: time limit, cancellation, outcome as an event."""

import logging
import time
from collections.abc import Callable
from dataclasses import replace

import anyio

from toolweave.access.mask import secrets_in_use
from toolweave.catalog.node import NodeInput, RunFacts, Wait
from toolweave.clock import timestamp
from toolweave.engine.context import EngineServices, StepContext, current_step
from toolweave.engine.decide import NextWork
from toolweave.engine.events import Event, Key, StepCancelled, StepFailed, StepFinished
from toolweave.engine.fork import with_edits
from toolweave.engine.held_lease import HeldLease
from toolweave.engine.progress import StepProgressReporter
from toolweave.engine.result_size import MAX_ANSWER_BYTES, ResultSizes, result_too_large
from toolweave.engine.retry import retry_at
from toolweave.engine.spans import is_traced, step_span, tell_span
from toolweave.engine.state import RunState
from toolweave.engine.step_failure import failure_of, waiting, without_secrets
from toolweave.errors import TimedOut, ToolweaveError
from toolweave.tasks import step_scope

logger = logging.getLogger(__name__)


class StepAttempts:
    """The attempts of one run that run now; each results in one event."""

    def __init__(
        self,
        state: RunState,
        run: RunFacts,
        services: EngineServices,
        *,
        held: HeldLease,
        tell: Callable[[Event], None],
        sizes: ResultSizes,
    ) -> None:
        self.is_traced = is_traced()
        self._state = state
        self._run = run
        self._services = services
        self._held = held
        self._tell = tell
        self._sizes = sizes
        self._reporters: dict[Key, StepProgressReporter] = {}
        self._scopes: dict[Key, anyio.CancelScope] = {}
        self._stopped: set[Key] = set()

    def admit(self, work: NextWork, given: NodeInput) -> StepContext:
        """Prepare an attempt; from now on `stop` reaches it."""
        key = work.place.key
        self._scopes[key] = anyio.CancelScope()
        reporter = self._reporters[key] = StepProgressReporter(key, work.attempt, self._tell)
        return StepContext(
            given, self._run, key, work.attempt, work.resumed, self._services, reporter.hear
        )

    def dismiss(self, key: Key) -> None:
        """Forget an attempt that has ended, or will not begin."""
        del self._scopes[key]
        self._reporters.pop(key).end()

    def stop(self) -> None:
        """Cancel all attempts."""
        for key, scope in self._scopes.items():
            self._stopped.add(key)
            scope.cancel()

    async def make(self, work: NextWork, context: StepContext) -> Event:
        """Run one attempt that was admitted; it always results in an event."""
        step, key = work.place.step, context.place
        began = time.monotonic()
        scope = self._scopes[key]
        tokens = current_step.set(context.key), step_scope.set(scope)
        event: Event | None = None
        # One scope for its time limit and for cancellation.
        scope.deadline = anyio.current_time() + step.timeout_s
        with scope:
            if self.is_traced:
                with step_span(self._run, work, context.key):
                    event = await self._tried(work, context)
                    tell_span(event)
            else:
                event = await self._tried(work, context)
        current_step.reset(tokens[0])
        step_scope.reset(tokens[1])
        if event is None:
            event = StepCancelled(key) if key in self._stopped else self._timed_out(work)
        self.dismiss(key)
        self._services.meter.observe(step.node.ref or step.node.type, time.monotonic() - began)
        return event

    async def _tried(self, work: NextWork, context: StepContext) -> Event:
        step, key = work.place.step, context.place
        code = step.kind.effectful
        assert code is not None
        with secrets_in_use() as secrets:
            try:
                # The last thing before the effect. A step of a run that was lost fails, but that
                # cannot be written.
                if self._held.may_be_lost:
                    await self._held.confirm()
                outcome = await code.run(context)
            except TimeoutError:
                return self._timed_out(work)
            except ToolweaveError as error:
                return without_secrets(self._failed(work, error), secrets)
            except Exception:
                logger.exception("step failed", extra={"run": self._run.id, "step": key})
                message = f"node {step.id!r} failed unexpectedly; see the log for details"
                return self._failed(work, ToolweaveError("INTERNAL", message))
        if isinstance(outcome, Wait):
            question = with_edits(outcome.question, self._state)
            return waiting(key, replace(outcome, question=question), secrets)
        lane = self._services.heavy.lane
        await self._sizes.measure_ahead(outcome.value, lane, MAX_ANSWER_BYTES)
        if self._sizes.of_answer(outcome.value) is None:
            return result_too_large(work.place)
        ports = None if outcome.ports == ("output",) else list(outcome.ports)
        said = outcome.content and [secrets.hide(block) for block in outcome.content]
        return StepFinished(key, secrets.hide(outcome.value), ports, said)

    def _timed_out(self, work: NextWork) -> StepFailed:
        step = work.place.step
        message = f"node {step.id!r} took longer than {step.timeout_s:g} s"
        return self._failed(work, TimedOut("STEP_TIMEOUT", message))

    def _failed(self, work: NextWork, error: ToolweaveError) -> StepFailed:
        step = work.place.step
        next_try = retry_at(
            error,
            self._state.effect_of(work.place),
            attempt=work.attempt,
            attempts=step.attempts,
            now=self._services.clock.now(),
        )
        failed = failure_of(work.place.key, error, work.attempt)
        return failed if next_try is None else replace(failed, retry_at=timestamp(next_try))
