"""A patch that adapts a workflow to changed tools, with a reason for every change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from toolweave.json_text import Json
from toolweave.problems import pointer
from toolweave.recording.migration.changed_tool import ChangedTool
from toolweave.recording.migration.output_references import (
    OutputReferences,
    Specs,
    with_text,
)
from toolweave.recording.migration.schema_view import Certainty
from toolweave.recording.migration.tool_uses import NodeToolUse, tool_uses
from toolweave.recording.migration.value_migration import migrate_arguments
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert
from toolweave.workflow.json_patch import difference
from toolweave.workflow.model import Node, Workflow

Verdict = Literal["breaks", "fits", "unknown"]
ToolKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """One change to a node; `pointer` is its place in the workflow's file."""

    node: str
    pointer: str
    kind: str
    certainty: Certainty
    reason: str
    server: str
    tool: str
    is_needed: bool = True


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """A place where nothing can be proposed; `is_broken` if it fails as it is."""

    node: str
    pointer: str
    reason: str
    server: str
    tool: str
    is_broken: bool = True


@dataclass(slots=True)
class MigrationProposal:
    """What to change in a workflow, and what only a person can decide."""

    loaded: LoadedWorkflow
    workflow: Workflow
    changes: list[ProposedChange] = field(default_factory=list[ProposedChange])
    open_points: list[OpenPoint] = field(default_factory=list[OpenPoint])
    uses: int = 0

    @property
    def verdict(self) -> Verdict:
        """What happens to the workflow if nothing is changed."""
        if any(one.is_broken for one in self.open_points) or any(
            one.is_needed for one in self.changes
        ):
            return "breaks"
        return "unknown" if self.open_points or self.changes else "fits"

    @property
    def certainty(self) -> Certainty:
        """Certain only if every change is and nothing is left open."""
        is_certain = all(one.certainty == "certain" for one in self.changes)
        return "certain" if is_certain and not self.open_points else "likely"

    @property
    def can_apply(self) -> bool:
        """Whether there is something to change, and nothing fails afterwards."""
        return bool(self.changes) and not any(one.is_broken for one in self.open_points)

    @property
    def patch(self) -> list[dict[str, Json]]:
        """The operations on the workflow's file, in its own dialect."""
        dialect = self.loaded.format
        before = convert(self.loaded.workflow, dialect)
        return difference(before, convert(self.workflow, dialect))


def propose(
    loaded: LoadedWorkflow, tools: Iterable[ChangedTool], specs: Specs
) -> MigrationProposal:
    """Propose what adapts a workflow to changed tools; without a use of one, nothing."""
    changed: dict[ToolKey, ChangedTool] = {
        (tool.server, tool.name): tool for tool in tools if tool.old is not None
    }
    return _Proposal(loaded, loaded.workflow, changed, specs).make()


class _Proposal:
    """Collects the changes of a workflow, or of a sub-flow that stands at `prefix`."""

    def __init__(
        self,
        loaded: LoadedWorkflow,
        workflow: Workflow,
        changed: Mapping[ToolKey, ChangedTool],
        specs: Specs,
        prefix: str = "",
    ) -> None:
        self._changed = changed
        self._specs = specs
        self._loaded = loaded
        self._prefix = prefix
        self._found = MigrationProposal(loaded, workflow)

    def make(self) -> MigrationProposal:
        self._of_nodes()
        self._of_subflows()
        return self._found

    def _of_subflows(self) -> None:
        subflows: list[Workflow] = []
        for index, subflow in enumerate(self._found.workflow.subflows):
            prefix = f"{self._prefix}/subAgentFlows/{index}"
            inner = _Proposal(self._loaded, subflow, self._changed, self._specs, prefix).make()
            subflows.append(inner.workflow)
            self._found.changes += inner.changes
            self._found.open_points += inner.open_points
            self._found.uses += inner.uses
        self._found.workflow = replace(self._found.workflow, subflows=tuple(subflows))

    def _of_nodes(self) -> None:
        uses = list(tool_uses(self._found.workflow))
        servers = {server for server, _ in self._changed}
        for use in uses:
            tool = self._changed.get((use.server, use.tool))
            if tool is not None:
                self._found.uses += 1
                self._of_use(use, tool)
            elif not use.tool and use.server in servers:
                self._found.uses += 1
                reason = "a model chooses among the tools of the server, and some changed"
                self._open(use, (), reason, "", is_broken=False)

    def _of_use(self, use: NodeToolUse, tool: ChangedTool) -> None:
        if tool.new is None:
            self._open(use, (), f"the tool {tool.name!r} is gone", tool.name)
            return
        if tool.new_name != tool.name:
            self._change(use, (), "tool_renamed", tool.certainty, tool.reason, tool)
        if use.mode != "detailed":
            if tool.inputs.pairs or tool.inputs.removed or tool.inputs.added:
                reason = "a model fills in the parameters from a description, and they changed"
                self._open(use, (), reason, tool.name, is_broken=False)
            self._put(use.index, use.changed(tool.new, use.values))
        elif tool.old is None or not use.is_for(tool.new, tool.old):
            self._put_values(use, tool)
        if tool.outputs is not None:
            self._of_outputs(use, tool)

    def _put_values(self, use: NodeToolUse, tool: ChangedTool) -> None:
        assert tool.old is not None
        assert tool.new is not None
        migrated = migrate_arguments(
            tool.old.get("inputSchema"), tool.new.get("inputSchema"), use.values
        )
        for change in migrated.changes:
            at = change.old if change.old is not None else change.new
            reason = change.reason
            if change.kind in ("renamed", "moved", "exchanged") and change.new is not None:
                reason = f"now {pointer(*change.new)}: {reason}"
            place = (use.field, *(at or ()))
            self._change(use, place, change.kind, change.certainty, reason, tool, change.is_needed)
        for question in migrated.questions:
            place = (use.field, *question.at)
            self._open(use, place, question.reason, tool.name, is_broken=question.is_refused)
        is_exchanged = any(change.kind == "exchanged" for change in migrated.changes)
        if is_exchanged and use.node.type != "mcp":
            # A second migration could not see that the first one was made.
            reason = "exchanged parameters of this kind of node have to be changed by hand"
            self._open(use, (use.field,), reason, tool.name)
        node = use.changed(tool.new, migrated.values, is_marked=is_exchanged)
        self._put(use.index, node)

    def _of_outputs(self, use: NodeToolUse, tool: ChangedTool) -> None:
        assert tool.outputs is not None
        if tool.outputs.is_cut:
            reason = "the schema of the result is too large to compare all of it"
            self._open(use, (), reason, tool.name, is_broken=False)
        references = OutputReferences(self._found.workflow, self._specs)
        # Each text is rewritten once per round, as a text may hold several expressions.
        for _ in range(20):
            changes = list(references.changes(use.node.id, tool.outputs))
            rewritten = [change for change in changes if change.text is not None]
            for change in changes:
                if change.text is None:
                    at = self._pointer(change.index, change.steps[1:])
                    point = OpenPoint(change.node, at, change.reason, tool.server, tool.name)
                    if point not in self._found.open_points:
                        self._found.open_points.append(point)
            if not rewritten:
                return
            first = rewritten[0]
            assert first.text is not None
            at = self._pointer(first.index, first.steps[1:])
            change = ProposedChange(
                first.node, at, "reference", first.certainty, first.reason, tool.server, tool.name
            )
            self._found.changes.append(change)
            node = self._found.workflow.nodes[first.index]
            self._put(first.index, with_text(node, first.steps, first.text))
            references = OutputReferences(self._found.workflow, self._specs)

    def _put(self, index: int, node: Node) -> None:
        nodes = list(self._found.workflow.nodes)
        nodes[index] = node
        self._found.workflow = replace(self._found.workflow, nodes=tuple(nodes))

    def _pointer(self, index: int, place: Sequence[str | int]) -> str:
        at = self._prefix + pointer("nodes", index, "data", *place)
        return self._loaded.places.original(at)

    def _change(
        self,
        use: NodeToolUse,
        place: Sequence[str | int],
        kind: str,
        certainty: Certainty,
        reason: str,
        tool: ChangedTool,
        is_needed: bool = True,
    ) -> None:
        at = self._pointer(use.index, place)
        self._found.changes.append(
            ProposedChange(
                use.node.id, at, kind, certainty, reason, tool.server, tool.name, is_needed
            )
        )

    def _open(
        self,
        use: NodeToolUse,
        place: Sequence[str | int],
        reason: str,
        tool: str,
        *,
        is_broken: bool = True,
    ) -> None:
        at = self._pointer(use.index, place)
        point = OpenPoint(use.node.id, at, reason, use.server, tool, is_broken)
        self._found.open_points.append(point)
