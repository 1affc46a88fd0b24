"""Names in prompts and flow templates, and where their values come from. Not a check.

A name is looked up in results, the run's input, the node's own variables and those of input nodes,
then as a path. The run's input may have any name that the workflow does not exclude.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from toolweave.cel.paths import Path
from toolweave.json_text import Json
from toolweave.problems import Severity
from toolweave.workflow.checks.spelling import MAX_LOOKED_UP, closest
from toolweave.workflow.model import Node, NodeId
from toolweave.workflow.scope.references import NodeReferences
from toolweave.workflow.scope.scope import TABLE, Scope
from toolweave.workflow.shapes import look_up

_GIVING = frozenset({"multi_input", "input"})
_SUFFIXES = ("_result", "_template")
# What other systems call the answer of a node.
_OUTPUTS = frozenset({"output", "result", "response", "answer", "text", "content", "value"})


@dataclass(frozen=True, slots=True)
class UnresolvedName:
    """A name without a value, and the name it probably means."""

    code: str
    message: str
    hint: str
    severity: Severity = "warning"
    meant: str | None = None


class PromptNames:
    """The names of one workflow."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._left = MAX_LOOKED_UP

    def unknown(self, node: Node, asked: NodeReferences) -> UnresolvedName | None:
        """Return the problem of a name; None if it has or may get a value."""
        name = asked.placeholder.content
        if name in self._results:
            return self._unordered(node, name, self._results[name]) or self._ambiguous(name)
        given = look_up(self._scope.inputs, name)
        own = variables_of(node)
        if given.verdict == "named" or name in own or name in self._given:
            return None
        if self._is_path(node, name):
            return None
        is_flow = asked.language == "flow"
        self._left -= 1
        meant = self._result_of(node, name) if is_flow else None
        if meant is None and self._left >= 0:
            meant = closest(name, self._known(node, own))
        return UnresolvedName(
            "MISSING_VARIABLES" if is_flow else "PROMPT_NAME_UNKNOWN",
            f"{name!r} has no value in this workflow",
            "pass it as run input, or add it to the variables",
            "error" if is_flow and given.verdict == "absent" else "warning",
            meant,
        )

    def _result_of(self, node: Node, name: str) -> str | None:
        """The result of an earlier node that a path of other systems reads: `node-2.output`."""
        other, point, field = name.rpartition(".")
        if not point and (found := self._called(node, name)) is not None:
            return f"{found.replace('-', '')}_result"
        is_result = bool(point) and field in _OUTPUTS and other in self._scope.graph.nodes
        if not is_result or not self._scope.reach.can_have_run(NodeId(other), node.id):
            return None
        return f"{other.replace('-', '')}_result"

    def _called(self, node: Node, name: str) -> NodeId | None:
        """The only earlier node of this title, or whose answer has this name."""
        base, _, field = name.rpartition("_")
        asked = base if field in _OUTPUTS else None
        found = [
            one.id
            for one in self._scope.graph.nodes.values()
            if {"template", "prompt"} & one.data.keys()
            and self._scope.reach.can_have_run(one.id, node.id)
            and (asked in {one.id, one.id.replace("-", "")} or name.casefold() in _titles(one))
        ]
        return found[0] if len(found) == 1 else None

    def _unordered(self, node: Node, name: str, other: NodeId) -> UnresolvedName | None:
        reach = self._scope.reach
        if reach.can_have_run(other, node.id):
            return None
        is_later = other == node.id or reach.is_before(node.id, other)
        return UnresolvedName(
            "REFERENCE_NOT_RUN",
            f"{name!r} is the result of {other!r}, which "
            + ("runs only after this node" if is_later else "is not connected to this node"),
            "use a node that runs before this one"
            if is_later
            else f"connect {other!r} to {node.id!r}",
            "error" if is_later else "warning",
        )

    def _known(self, node: Node, own: tuple[str, ...]) -> Iterator[str]:
        yield from (*own, *self._given, *self._scope.inputs.fields)
        for other in self._scope.graph.nodes:
            if self._scope.reach.can_have_run(other, node.id):
                yield f"{other.replace('-', '')}_result"

    @cached_property
    def _results(self) -> dict[str, NodeId]:
        """Return the names of node results: `node-2_result`, `node2_result`; exact ids win."""
        nodes = self._scope.graph.nodes
        names = [(node.replace("-", ""), node) for node in reversed(nodes)]
        names += [(str(node), node) for node in nodes]
        return {f"{name}{suffix}": node for name, node in names for suffix in _SUFFIXES}

    def _ambiguous(self, name: str) -> UnresolvedName | None:
        """Return a warning for a name that stands for several nodes."""
        base = name.rpartition("_")[0]
        meant = [one for one in self._scope.graph.nodes if base in {one, one.replace("-", "")}]
        if len(meant) < 2:
            return None
        chosen = self._results[name]
        return UnresolvedName(
            "REFERENCE_AMBIGUOUS",
            f"{name!r} may mean {' or '.join(map(repr, meant))}; {chosen!r} is used",
            "rename one of the nodes",
        )

    @cached_property
    def _given(self) -> tuple[str, ...]:
        nodes = self._scope.graph.nodes.values()
        names = (name for node in nodes if node.type in _GIVING for name in variables_of(node))
        return tuple(dict.fromkeys(names))

    def _is_path(self, node: Node, name: str) -> bool:
        path: Path = tuple(int(step) if step.isdecimal() else step for step in name.split("."))
        root = path[0]
        if root not in TABLE and root not in self._scope.graph.nodes:
            return self._scope.find(node, path).trouble is None
        found = self._scope.find(node, path)
        return found.trouble is None or not found.is_certain


def variables_of(node: Node) -> tuple[str, ...]:
    """Return the names that a node defines: an object, or the list of an input node."""
    variables = node.data.get("variables")
    if isinstance(variables, dict):
        return tuple(variables)
    return tuple(_listed(variables)) if node.type in _GIVING else ()


def _listed(variables: Json) -> Iterator[str]:
    for one in variables if isinstance(variables, list) else []:
        name = one
        if isinstance(one, dict):
            name = next((one[key] for key in ("key", "name", "id") if key in one), None)
        if isinstance(name, str):
            yield name


def _titles(node: Node) -> set[str]:
    given = (node.name, node.data.get("label"), node.data.get("title"))
    return {one.casefold() for one in given if isinstance(one, str) and one}
