"""Continues a past run from one of its steps with recorded answers, as far as they reach.

The steps run offline with what the past run exchanged. At the first request that is not recorded
they stop: the new run has everything up to there, and a normal fork continues it live.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace

from toolweave.clock import timestamp
from toolweave.engine.engine import Engine
from toolweave.engine.fork import history_before
from toolweave.engine.plan import Plan
from toolweave.engine.runs import InputEdit, RunRequest
from toolweave.engine.state import RunState
from toolweave.errors import Conflict, Invalid
from toolweave.home import Home
from toolweave.recording.from_run import RunRecorder
from toolweave.recording.playback import Playback, Refusal
from toolweave.recording.replay import ReplayedRun, open_replayer
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.studio_data import PinnedOutput

NOT_RECORDED = "RECORDING_NO_MATCH"


@dataclass(frozen=True, slots=True)
class ContinuedRun:
    """The new run; `step` is the first whose request is not recorded, `message` says which."""

    run: str
    step: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class ForkWish:
    """Where a past run is continued, and what is changed there."""

    run: str
    node: str
    edit: InputEdit | None = None
    changed: LoadedWorkflow | None = None
    pins: Mapping[str, PinnedOutput] | None = None


async def continue_recorded(home: Home, engine: Engine, wish: ForkWish) -> ContinuedRun:
    """Start a run that continues a past one with its recorded answers.

    Raises as `Runs.fork` does; `Conflict`: `RUN_NOT_FINISHED`.
    """
    found = await engine.get(wish.run)
    request = await engine.runs.fork_request(
        found.id, wish.node, wish.edit, wish.changed, wish.pins
    )
    recorder = RunRecorder(home)
    recording = await recorder.record(found, found.id, timestamp(home.clock.now()))
    servers = sorted({one.name for one in await home.registry.list()})
    known = {line.server for line in recording.tools}
    more = tuple(line for line in recorder.tools(servers) if line.server not in known)
    recording = replace(recording, tools=(*recording.tools, *more))
    async with open_replayer(home.settings.home) as replayer:
        offline = replace(request, run_id=found.id)
        # A person decided about what was then; what is changed is asked again, live.
        playback = Playback(recording, stops_at_questions=True)
        replayed = await replayer.run(recording, offline, playback)
    return await _started(engine, request, replayed)


async def _started(engine: Engine, request: RunRequest, replayed: ReplayedRun) -> ContinuedRun:
    state = RunState(replayed.plan)
    for entry in replayed.entries:
        state.apply(entry.event)
    missed = replayed.playback.refusals
    nodes = [_top_level(replayed.plan, one) for one in missed]
    assert request.fork is not None
    history = history_before(state, nodes, replayed.plan, request.pins)
    fork = replace(request.fork, history=history)
    if not missed:
        return ContinuedRun(await engine.runs.start(replace(request, fork=fork)))
    run = str(uuid.uuid4())
    stopped = _stopped(missed[0], nodes[0], run)
    await engine.runs.start(replace(request, fork=fork, stopped=stopped, run_id=run))
    return ContinuedRun(run, nodes[0], stopped.message)


def _stopped(missed: Refusal, node: str, run: str) -> Invalid:
    again = f"; {node!r} starts again as a whole" if missed.step != node else ""
    return Invalid(
        NOT_RECORDED,
        f"stopped at {missed.step!r}: {missed.error.message}",
        hint=f"`toolweave run --from {node} --of {run}` continues live{again}",
        facts={"step": node},
    )


def _top_level(plan: Plan, missed: Refusal) -> str:
    """Return the node to continue from: the step's own, or the loop around it."""
    node = missed.step.partition("/")[0]
    step = plan.by_id.get(missed.step.rpartition("/")[2])
    if step is None:
        raise Conflict("STEP_NOT_REACHED", f"the workflow has no node {node!r}")
    while step.loop is not None:
        step = plan.steps[step.loop]
    return step.id
