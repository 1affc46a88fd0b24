"""The attempts of one run's steps while they run: time limit, cancellation, outcome as an event."""

import logging
import random
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import anyio

from toolweave.access.mask import secrets_in_use
from toolweave.catalog.node import NodeInput, RunFacts, Wait
from toolweave.catalog.spec import Effect
from toolweave.clock import timestamp
from toolweave.engine.context import EngineServices, StepContext, current_step
from toolweave.engine.decide import NextWork
from toolweave.engine.events import (
    Event,
    Key,
    StepCancelled,
    StepFailed,
    StepFinished,
    StepProgress,
)
from toolweave.engine.fork import with_edits
from toolweave.engine.held_lease import HeldLease
from toolweave.engine.result_size import MAX_ANSWER_BYTES, ResultSizes, result_too_large
from toolweave.engine.spans import is_traced, step_span, tell_span
from toolweave.engine.state import RunState
from toolweave.engine.step_failure import failure_of, waiting, without_secrets
from toolweave.errors import Limited, TimedOut, ToolweaveError, Unavailable
from toolweave.tasks import step_scope
from toolweave.tools.tool import ToolProgress

logger = logging.getLogger(__name__)


FIRST_WAIT_S = 1.0
FACTOR = 3.0
LONGEST_WAIT_S = 300.0


EVERY_S = 0.2
MAX_LINES = 200
MAX_MESSAGE = 500


class StepProgressReporter:
    """The messages of one attempt; if they come too fast, the newest is kept."""

    def __init__(self, key: Key, attempt: int, tell: Callable[[StepProgress], None]) -> None:
        self._key = key
        self._attempt = attempt
        self._tell = tell
        self._left = MAX_LINES
        self._last: float | None = None
        self._held: ToolProgress | None = None

    def hear(self, progress: ToolProgress) -> None:
        """Record it, now or later; chunks of a text belong to the text."""
        if progress.is_piece:
            return
        moment = time.monotonic()
        is_soon = self._last is not None and moment - self._last < EVERY_S
        if is_soon or self._left <= 1:
            self._held = progress  # the last entry is reserved for the last message
            return
        self._last = moment
        self._write(progress)

    def end(self) -> None:
        """Record what was held back when the attempt ends."""
        if self._held is not None:
            self._write(self._held)

    def _write(self, progress: ToolProgress) -> None:
        self._left -= 1
        self._held = None
        message = progress.message[:MAX_MESSAGE] if progress.message else None
        self._tell(StepProgress(self._key, progress.done, progress.total, message, self._attempt))


def retry_at(
    error: ToolweaveError, effect: Effect, *, attempt: int, attempts: int, now: datetime
) -> datetime | None:
    """Return the time of the next attempt; None if there is none.

    A step with effect `once` is retried only if the effect certainly did not happen: the other
    side said that it is too busy.
    """
    if attempt >= attempts or not _may_pass(error, effect):
        return None
    wait_s = min(FIRST_WAIT_S * FACTOR ** (attempt - 1), LONGEST_WAIT_S)
    told = error.facts.get("retry_after_s")
    if isinstance(told, int | float):
        wait_s = max(wait_s, min(float(told), LONGEST_WAIT_S))
    # Jitter, so that runs that failed together do not all retry together.
    return now + timedelta(seconds=wait_s * random.uniform(0.8, 1.2))


def _may_pass(error: ToolweaveError, effect: Effect) -> bool:
    if effect == "once":
        return isinstance(error, Limited)
    return isinstance(error, Limited | Unavailable | TimedOut)


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
