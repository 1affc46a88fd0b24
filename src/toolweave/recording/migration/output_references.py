"""Rewrites expressions that read fields of a result which are elsewhere now."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from toolweave.catalog.spec import NodeSpec
from toolweave.cel.language import compile_text
from toolweave.cel.paths import Path
from toolweave.json_text import Json, JsonObject
from toolweave.recording.migration.schema_comparison import SchemaComparison
from toolweave.recording.migration.schema_view import ITEMS, Certainty, SchemaPath, kind_of
from toolweave.tools.document import Steps
from toolweave.workflow.checks.path_rewriting import rewritten
from toolweave.workflow.graph import Graph
from toolweave.workflow.model import OUTPUT_PORT, Node, NodeId, Workflow
from toolweave.workflow.scope.node_outputs import VALUE_PORTS
from toolweave.workflow.scope.references import NodeReferences, asked_by
from toolweave.workflow.scope.scope import TABLE

Specs = Callable[[Node], NodeSpec | None]
_INCOMING = frozenset({"data", "input"})


@dataclass(frozen=True, slots=True)
class ReferenceChange:
    """A text of a node that reads a changed field; without `text` it cannot be decided."""

    node: NodeId
    index: int
    steps: Steps
    text: str | None
    certainty: Certainty
    reason: str


@dataclass(frozen=True, slots=True)
class _NewPath:
    path: Path | None
    certainty: Certainty
    reason: str


class OutputReferences:
    """The references of one workflow to the results of its tool nodes."""

    def __init__(self, workflow: Workflow, specs: Specs) -> None:
        self._workflow = workflow
        self._specs = specs
        self._graph = Graph(workflow)

    def changes(self, source: NodeId, outputs: SchemaComparison) -> Iterator[ReferenceChange]:
        """Yield what has to change where nodes read the result of `source`."""
        for index, node in enumerate(self._workflow.nodes):
            for asked in asked_by(node, self._specs(node)):
                yield from self._of_text(index, node, asked, source, outputs)

    def _of_text(
        self,
        index: int,
        node: Node,
        asked: NodeReferences,
        source: NodeId,
        outputs: SchemaComparison,
    ) -> Iterator[ReferenceChange]:
        content = asked.placeholder.content
        expression = asked.expression or compile_text(content)
        for reference in expression.references:
            start = self._start(node, reference.path, source)
            if start is None:
                continue
            new = _moved(outputs, reference.path, start)
            if new is None:
                continue
            text = rewritten(content, reference.path, new.path) if new.path else None
            whole = _with(asked, text) if text is not None else None
            reason = new.reason
            if new.path and whole is None:
                reason += "; the expression cannot be rewritten by itself"
            yield ReferenceChange(node.id, index, asked.steps, whole, new.certainty, reason)

    def _start(self, node: Node, path: Path, source: NodeId) -> int | None:
        """Return the step of a path at which the result of `source` begins."""
        if path[0] == source and source not in TABLE:
            return 1
        if path[0] == "nodes" and path[1:2] == (source,) and path[2:3]:
            return 3 if path[2] in VALUE_PORTS else None
        if path[0] in _INCOMING:
            edges = self._graph.incoming(node.id)
            comes = [edge for edge in edges if edge.source == source]
            if comes and len(edges) == 1 and edges[0].source_port == OUTPUT_PORT:
                return 1
        return None


def _moved(outputs: SchemaComparison, path: Path, start: int) -> _NewPath | None:
    """Return where a path leads now; None if it leads there as before."""
    steps = path[start:]
    known: SchemaPath = tuple(step if isinstance(step, str) else ITEMS for step in steps)
    is_gone = known not in outputs.kept and known not in outputs.pairs
    if known and is_gone and any(one[: len(known)] == known for one in outputs.pairs):
        reason = f"the parts of {'.'.join(known)!r} are at different places now"
        return _NewPath(None, "certain", reason)
    for length in range(len(known), 0, -1):
        prefix = known[:length]
        if pair := outputs.pairs.get(prefix):
            indexes = iter([step for step in steps if not isinstance(step, str)])
            front = tuple(next(indexes) if step == ITEMS else step for step in pair.new.path)
            new = (*path[:start], *front, *steps[length:])
            return _NewPath(new, pair.certainty, f"field {'.'.join(prefix)!r}: {pair.reason}")
        if prefix in outputs.removed:
            name = ".".join(prefix)
            return _NewPath(None, "certain", f"the result no longer has the field {name!r}")
        if match := outputs.kept.get(prefix):
            before, after = (kind_of(one.schema) for one in match)
            if before != after:
                reason = f"field {'.'.join(prefix)!r} was {before} and is {after} now"
                return _NewPath(None, "likely", reason)
    return None


def _with(asked: NodeReferences, content: str) -> str:
    """Return the whole text with another expression in its place."""
    start, end = asked.placeholder.start, asked.placeholder.end
    part = asked.text[start:end].replace(asked.placeholder.content, content, 1)
    return asked.text[:start] + part + asked.text[end:]


def with_text(node: Node, steps: Steps, text: str) -> Node:
    """Return a node with another text at a place in its data."""
    changed = _set(node.data, list(steps[1:]), text)
    assert isinstance(changed, dict)
    return replace(node, data=changed)


def _set(value: Json, steps: list[str | int], text: str) -> Json:
    if not steps:
        return text
    step = steps[0]
    if isinstance(value, dict):
        copied: JsonObject = {**value}
        copied[str(step)] = _set(value.get(str(step)), steps[1:], text)
        return copied
    if isinstance(value, list) and isinstance(step, int):
        return [_set(one, steps[1:], text) if at == step else one for at, one in enumerate(value)]
    return value
