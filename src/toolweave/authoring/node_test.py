"""One node with sample data: what it would be given, and what it gives.

The node stands alone behind triggers that give the samples. A node that only computes is computed
here; one with an effect is run, as a run of its own, only when asked to.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import anyio

from toolweave.authoring.authoring import Authoring
from toolweave.catalog.node import ChoosesEffect, NodeInput, Outcome, RunFacts
from toolweave.catalog.spec import Effect, NodeSpec
from toolweave.clock import Clock
from toolweave.engine.engine import Engine
from toolweave.engine.events import Event, Finished, LoopOpened, PureStepsDone, Started, StepFailed
from toolweave.engine.heavy_steps import HeavyStep, computed_apart
from toolweave.engine.plan import make_plan
from toolweave.engine.pure_steps import bound_input
from toolweave.engine.run_creation import Fork
from toolweave.engine.runs import RunRequest
from toolweave.engine.state import RunState
from toolweave.engine.step_input import Binder
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.problems import Problem
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow, WorkflowId
from toolweave.workflow.scope.references import references_of

TRIGGER = "test"
# Names of samples that are no nodes: the run's input, and what comes in.
_RUN_INPUT, _INCOMING = "trigger", "data"


@dataclass(frozen=True, slots=True)
class NodeTest:
    """What a test of a node showed; problems stop it, with pointers from the node on."""

    effect: Effect
    problems: tuple[Problem, ...] = ()
    given: JsonObject | None = None
    value: tuple[Json, ...] = ()
    ports: tuple[str, ...] = ()
    run: str | None = None
    status: str | None = None
    error: JsonObject | None = None


class NodeTests:
    """Tests single nodes."""

    def __init__(self, engine: Engine, authoring: Authoring, clock: Clock) -> None:
        self._engine = engine
        self._authoring = authoring
        self._clock = clock
        self._kinds = NodeRegistry()

    async def test(
        self,
        workflow: Workflow,
        node: Node,
        samples: Mapping[str, Json],
        *,
        dialect: FormatName = "toolweave",
        with_effects: bool = False,
        until_left: Callable[[], Awaitable[None]] | None = None,
    ) -> NodeTest:
        """Test one node of a workflow. Its run is cancelled when `until_left` returns.

        Raises `Invalid`: `REQUEST_INVALID` when a sample is missing that the node reads,
        `NODE_NOT_RUNNABLE`.
        """
        alone = _alone(workflow, node, samples)
        kind = self._kinds.of(node)
        _require_samples(workflow, node, kind.spec if kind else None, samples)
        problems = await self._problems(alone, node, dialect)
        plan = make_plan(alone, self._kinds)
        step = plan.by_id[node.id]
        code, effect = step.kind.code, step.kind.effect
        if isinstance(code, ChoosesEffect):
            effect = code.effect_of(step.prepared.config)
        if any(problem.severity == "error" for problem in problems):
            return NodeTest(effect, problems)
        state = RunState(plan)
        history = tuple(_history(alone, node, samples))
        state.apply(Started(samples.get(_RUN_INPUT), edits=_edits(node, samples)))
        for event in history:
            state.apply(event)
        binder = Binder(state, RunFacts("test", alone.name, self._clock.now()))
        place, pool = state.places[node.id], self._engine.services.heavy
        given = await bound_input(place, binder, pool)
        shown: JsonObject = {"configurations": given.config, "input_params": given.inputs}
        found = NodeTest(effect, problems, shown)
        if step.kind.loop is not None or step.kind.pure is not None:
            # With the budget of a step, as in a run; nobody knows yet how heavy it is.
            ended = await computed_apart(HeavyStep(place), binder, pool)
            assert not isinstance(ended, bool | NodeInput)
            return _computed(found, ended)
        if not with_effects:
            return found
        fork = Fork("", node.id, _edits(node, samples), history)
        request = RunRequest(alone, samples.get(_RUN_INPUT), trigger=TRIGGER, fork=fork)
        return await self._run(found, node, request, until_left)

    async def _problems(
        self, alone: Workflow, node: Node, dialect: FormatName
    ) -> tuple[Problem, ...]:
        loaded = read(convert(alone, dialect))
        report = (await self._authoring.examine(loaded)).report
        place = f"/nodes/{len(alone.nodes) - 1}"
        return tuple(
            replace(one, pointer=one.pointer.removeprefix(place), patch=None)
            for one in report.problems
            if one.pointer.startswith(place + "/")
        )

    async def _run(
        self,
        found: NodeTest,
        node: Node,
        request: RunRequest,
        until_left: Callable[[], Awaitable[None]] | None,
    ) -> NodeTest:
        run = await self._engine.runs.start(request)
        async with anyio.create_task_group() as group:
            if until_left is not None:
                group.start_soon(self._cancel_after, until_left, run)
            record = await self._engine.runs.run_to_end(run)
            found = replace(found, run=run, status=record.status)
            group.cancel_scope.cancel()
        last = (await self._engine.journal.last(run)).event
        if not isinstance(last, Finished):
            return found
        state = await self._engine.state(run)
        outcome = state.top.outcomes.get(state.plan.by_id[node.id].index)
        if outcome is None:
            return replace(found, error=last.error)
        return replace(found, value=(outcome.value,), ports=outcome.ports)

    async def _cancel_after(self, until_left: Callable[[], Awaitable[None]], run: str) -> None:
        await until_left()
        await self._engine.cancel(run)


def _computed(found: NodeTest, ended: Outcome | LoopOpened | StepFailed) -> NodeTest:
    match ended:
        case LoopOpened():
            return replace(found, value=(ended.items,), ports=("loop",))
        case StepFailed():
            raise Invalid(ended.code, ended.message, hint=ended.hint)
        case Outcome():
            return replace(found, value=(ended.value,), ports=ended.ports)


def _alone(workflow: Workflow, node: Node, samples: Mapping[str, Json]) -> Workflow:
    """The node behind one trigger for each node that has a sample; what is attached stays."""
    given = [name for name in samples if name not in {_RUN_INPUT, _INCOMING, node.id}]
    triggers = [
        Node(NodeId(name), "TRIGGER", name, data={"subtype": "MANUAL"})
        for name in given or ["start_of_test"]
    ]
    listed = node.data.get("attachedNodes")
    attached = [
        found
        for name in (listed if isinstance(listed, list) else ())
        if (found := workflow.node(str(name))) is not None
    ]
    edges = [Edge(EdgeId(f"{one.id}-test"), one.id, node.id) for one in triggers]
    return Workflow(
        WorkflowId("test"), f"test {node.id}", (*triggers, *attached, node), tuple(edges)
    )


def _require_samples(
    workflow: Workflow, node: Node, spec: NodeSpec | None, samples: Mapping[str, Json]
) -> None:
    """Refuse where the node reads another one that has no sample."""
    roots = {use.reference.root for use in references_of(node, spec)}
    missing = sorted(
        one.id for one in workflow.nodes if one.id in roots - samples.keys() - {node.id}
    )
    if missing:
        names = ", ".join(map(repr, missing))
        raise Invalid(
            "REQUEST_INVALID",
            f"the node reads {names}, which has no sample",
            hint=f'give its output: "sample": {{"{missing[0]}": {{…}}}}',
        )


def _edits(node: Node, samples: Mapping[str, Json]) -> JsonObject:
    """What comes in at the node, whatever its edges carry."""
    first = next(iter(samples.values()), None)
    return {node.id: samples.get(_INCOMING, samples.get(_RUN_INPUT, first))}


def _history(alone: Workflow, node: Node, samples: Mapping[str, Json]) -> Iterator[Event]:
    starts = {edge.source for edge in alone.edges}
    for one in alone.nodes:
        if one.id in starts:
            yield PureStepsDone([[one.id, 0]], [samples.get(one.id, samples.get(_RUN_INPUT))])
