"""What a text of a node would give with the data of the last run, and what it can name.

The workflow is the one on somebody's canvas: changed since the run, perhaps half written. Nothing
is run and nothing is kept; secrets are hidden in all that is shown.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TypeVar, TypeVarTuple

import anyio.to_thread

from toolweave.access.mask import Masker
from toolweave.authoring.environment import ToolKnowledge, node_in
from toolweave.catalog.node import RunFacts
from toolweave.cel.budget import WorkBudget, limited_to
from toolweave.cel.fault import SyntaxProblem
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL, Started
from toolweave.engine.heavy_steps import STEP_WORK
from toolweave.engine.journal import JournalEntry
from toolweave.engine.journal_report import report_of
from toolweave.engine.plan import Plan, make_plan
from toolweave.engine.run_table import RunRecord
from toolweave.engine.step_snapshot import RunHistory, StepSnapshot
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json, write
from toolweave.nodes.registry import NodeRegistry
from toolweave.tools.unions import kind_of
from toolweave.workflow.checks.context import CheckContext, KnownEnvironment
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.preview import (
    PreviewRequest,
    language_at,
    languages_of,
    misread,
    needs_data,
    previewed,
)
from toolweave.workflow.scope.completions import (
    Completion,
    InputSource,
    completions_at,
    input_sources,
)
from toolweave.workflow.scope.references import Language
from toolweave.workflow.scope.scope import Scope
from toolweave.workflow.studio_data import PinnedOutput, pins_of, sample_event_of

_T = TypeVar("_T")
_Given = TypeVarTuple("_Given")

MAX_SHOWN = 4_000
MAX_MEMBERS = 500
MAX_DEPTH = 40
MAX_SAMPLE = 60
# For all holes of a text together.
BUDGET_S = 0.5
# How much of one value a page shows as a tree: its size, and limits (members, characters of a
# text, depth) to try one after the other until it fits.
MAX_TREE_CHARS = 200_000
_TREE_SIZES = ((MAX_MEMBERS, 100_000, MAX_DEPTH), (50, 2_000, 12), (12, 300, 5))


@dataclass(frozen=True, slots=True)
class Shown:
    """A value for people: its kind, the beginning of its text, and how long all of it is."""

    kind: str
    text: str
    chars: int


@dataclass(frozen=True, slots=True)
class Preview:
    """What a text gives with a run's data; without a run, what can be said without one."""

    run: RunRecord | None
    is_reached: bool
    value: Shown | None
    faults: tuple[SyntaxProblem, ...]


@dataclass(frozen=True, slots=True)
class Nameable:
    """What the texts of a node can name, and which of its fields are in which language."""

    run: RunRecord | None
    completions: list[Completion]
    languages: dict[str, Language]


@dataclass(frozen=True, slots=True)
class NodeSource:
    """One value that a node can read; `value` is masked, and cut if `is_cut`."""

    path: str
    about: str
    kind: str
    has_value: bool
    value: Json
    is_cut: bool


@dataclass(frozen=True, slots=True)
class NodeSources:
    """Everything that a node can read, with the data of a run if there is one."""

    run: RunRecord | None
    is_reached: bool
    sources: list[NodeSource]


@dataclass(frozen=True, slots=True)
class _Look:
    """A node of a workflow, and the run whose data it is looked at with."""

    case: CheckContext
    node: Node
    run: RunRecord | None
    past: RunHistory | None
    # Whether somebody chose the run; else the kept test event counts, not the run's own.
    is_run_given: bool = False

    @property
    def has_inputs(self) -> bool:
        """Whether the inputs are those of a run or of a test event; pinned data has none."""
        return self.run is not None or sample_event_of(self.case.workflow) is not None


class Previews:
    """Provides data of runs for previews and completions."""

    def __init__(self, engine: Engine, tools: ToolKnowledge, masker: Masker) -> None:
        self._engine = engine
        self._tools = tools
        self._masker = masker
        self._kinds = NodeRegistry()
        # A run that is over stays as it is, and is asked about with every key that is pressed.
        self._kept: tuple[str, Sequence[JournalEntry] | None] | None = None

    async def preview(
        self, workflow: Workflow, node: str, asking: PreviewRequest, run: str | None = None
    ) -> Preview:
        """Return what a text of a node gives with the data of a run, else of the latest run."""
        look = await self._look(workflow, node, run)
        return await anyio.to_thread.run_sync(_bounded, self._previewed, look, asking)

    async def names(self, workflow: Workflow, node: str, run: str | None = None) -> Nameable:
        """What the texts of a node can name. Raises `NODE_ID_UNKNOWN`, `RUN_UNKNOWN`."""
        look = await self._look(workflow, node, run)
        return await anyio.to_thread.run_sync(_bounded, self._nameable, look)

    async def sources(self, workflow: Workflow, node: str, run: str | None = None) -> NodeSources:
        """What a node can read, with values. Raises `NODE_ID_UNKNOWN`, `RUN_UNKNOWN`."""
        look = await self._look(workflow, node, run)
        return await anyio.to_thread.run_sync(_bounded, self._sources, look)

    async def samples(
        self, workflow: Workflow, node: str, run: str | None = None
    ) -> tuple[str | None, dict[str, Json]]:
        """The run's id, and what it left for a node: outputs by node id, `trigger` and `data`.

        Raises `NODE_ID_UNKNOWN`, `RUN_UNKNOWN`.
        """
        look = await self._look(workflow, node, run)
        moment = await anyio.to_thread.run_sync(self._moment, look)
        if moment is None:
            return None, {}
        names = _names(moment, "value")
        left = names["nodes"]
        outputs: dict[str, Json] = {
            name: value["output"]
            for name, value in (left.items() if isinstance(left, dict) else ())
            if isinstance(value, dict) and "output" in value and name != node
        }
        run_id = look.run.id if look.run else None
        return run_id, {**outputs, "trigger": names["trigger"], "data": names["data"]}

    async def _look(self, workflow: Workflow, node: str, run: str | None) -> _Look:
        found = node_in(workflow, node)
        known: KnownEnvironment = await self._tools.known()
        case = CheckContext(workflow, known)
        engine = self._engine
        if run is not None:
            one = await engine.get(run)
        else:
            newest = await engine.newest(workflow=workflow.name, limit=1)
            if not newest:
                return _Look(case, found, None, self._kept_data(workflow))
            one = newest[0]
        facts = RunFacts(one.id, one.workflow, datetime.fromisoformat(one.started_at))
        entries = await self._entries(one)
        if entries is None:
            return _Look(case, found, one, self._kept_data(workflow), run is not None)
        past = RunHistory(facts, await engine.plan(one.id), entries)
        return _Look(case, found, one, past, run is not None)

    def _kept_data(self, workflow: Workflow) -> RunHistory | None:
        """Pinned outputs and a test event, where there is no run: as if one had just begun."""
        event = sample_event_of(workflow)
        plan = self._plan(workflow)
        if plan is None or not (event or pins_of(workflow)):
            return None
        facts = RunFacts("", workflow.name, self._engine.clock.now())
        begun = JournalEntry(1, "", Started(event.inputs if event else None))
        return RunHistory(facts, plan, [begun])

    async def _entries(self, run: RunRecord) -> Sequence[JournalEntry] | None:
        """Return the events of a run; None if it is too large for a preview."""
        if self._kept is not None and self._kept[0] == run.id:
            return self._kept[1]
        report = await report_of(self._engine.journal, run.id)
        entries = report.entries if report.is_whole else None
        if run.status in FINAL:
            self._kept = (run.id, entries)
        return entries

    def _previewed(self, look: _Look, asking: PreviewRequest) -> Preview:
        language = language_at(look.node, look.case.spec(look.node), asking)
        moment = self._moment(look)
        if moment is None and needs_data(asking, language):
            return Preview(look.run, False, None, misread(asking, language))
        until = time.monotonic() + BUDGET_S
        names = _names(moment, language)
        found = previewed(asking, language, names, look.node.data, lambda: time.monotonic() > until)
        shown = self._shown(found.value[0]) if found.value else None
        hide = self._masker.mask_text
        faults = tuple(replace(one, message=hide(one.message)) for one in found.faults)
        return Preview(look.run, moment is not None and moment.is_reached, shown, faults)

    def _nameable(self, look: _Look) -> Nameable:
        names = _names(self._moment(look), "value")
        found = completions_at(_scope(look.case), look.node, names, self._sample)
        return Nameable(look.run, found, languages_of(look.node, look.case.spec(look.node)))

    def _sources(self, look: _Look) -> NodeSources:
        moment = self._moment(look)
        names = _names(moment, "value")
        if moment is not None and not look.has_inputs:
            names = {name: value for name, value in names.items() if name != "trigger"}
        found = input_sources(_scope(look.case), look.node, names)
        sources = [self._source(source) for source in found]
        return NodeSources(look.run, moment is not None and moment.is_reached, sources)

    def _source(self, source: InputSource) -> NodeSource:
        """A value as it may be shown; a large one with fewer members, shorter texts."""
        path, about, kind = source.path, source.about, source.kind
        if not source.value:
            return NodeSource(path, about, kind, has_value=False, value=None, is_cut=False)
        shown = as_tree(source.value[0])
        is_cut = shown != source.value[0]
        masked = self._masker.mask_json(shown)
        return NodeSource(path, about, kind, has_value=True, value=masked, is_cut=is_cut)

    def _moment(self, look: _Look) -> StepSnapshot | None:
        if look.past is None:
            return None
        workflow = look.case.workflow
        pins = pins_of(workflow)
        event = None if look.is_run_given else sample_event_of(workflow)
        if event is not None:
            pins.setdefault(event.node, PinnedOutput(event.inputs))
        inputs = event.inputs if event else None
        moment = look.past.foreseen(look.node.id, self._plan(workflow), pins, inputs)
        # Nothing that leads here is pinned, and the inputs of a run are unknown.
        is_empty = moment and not look.has_inputs and moment.names()["data"] is None
        return None if is_empty else moment

    def _plan(self, workflow: Workflow) -> Plan | None:
        try:
            return make_plan(workflow, self._kinds)
        except ToolweaveError:
            return None  # it is being drawn

    def _shown(self, value: Json) -> Shown:
        text = _text(self._masker.mask_json(_cut(value)))
        return Shown(kind_of(value), text[:MAX_SHOWN], max(len(_text(value)), len(text)))

    def _sample(self, name: str, value: Json) -> str:
        """A value in a few characters; what holds others says how many."""
        if isinstance(value, dict):
            return f"{len(value)} field{'' if len(value) == 1 else 's'}"
        if isinstance(value, list):
            return f"{len(value)} item{'' if len(value) == 1 else 's'}"
        cut = value[: MAX_SAMPLE * 40] if isinstance(value, str) else value
        hidden = self._masker.mask_json({name: cut})
        assert isinstance(hidden, dict)
        text = write(next(iter(hidden.values())))
        return text if len(text) <= MAX_SAMPLE else text[: MAX_SAMPLE - 1] + "…"


def _scope(case: CheckContext) -> Scope:
    return Scope(
        case.workflow, case.spec, case.known.tools_of, graph=case.graph, given=case.made.given
    )


def _bounded(work: Callable[[*_Given], _T], *given: *_Given) -> _T:
    """Do work whose expressions have the budget of one step: the node's own inputs count too."""
    with limited_to(WorkBudget(STEP_WORK)):
        return work(*given)


def _names(moment: StepSnapshot | None, language: Language) -> Mapping[str, Json]:
    if moment is None:
        return {}
    return moment.names(of_settings=language == "config", of_own=language == "own")


def _cut(
    value: Json,
    depth: int = 0,
    *,
    members: int = MAX_MEMBERS,
    chars: int = 2 * MAX_SHOWN,
    max_depth: int = MAX_DEPTH,
) -> Json:
    """As much of a value as may be shown, and more than that: no secret is cut in two where it is.

    What is cut off is never seen, so only what is left has to be searched for secrets.
    """

    def inner(one: Json) -> Json:
        return _cut(one, depth + 1, members=members, chars=chars, max_depth=max_depth)

    if isinstance(value, str):
        return value[:chars]
    if depth > max_depth:
        return "…"
    if isinstance(value, list):
        return [inner(one) for one in value[:members]]
    if isinstance(value, dict):
        return {name: inner(one) for name, one in islice(value.items(), members)}
    return value


def as_tree(value: Json) -> Json:
    """As much of a value as a page shows as a tree."""
    shown = value
    for members, chars, depth in _TREE_SIZES:
        shown = _cut(value, members=members, chars=chars, max_depth=depth)
        if len(_text(shown)) <= MAX_TREE_CHARS:
            break
    return shown


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    try:
        return write(value, pretty=True)
    except TypeError:
        return str(value)  # a whole number beyond 64 bits
