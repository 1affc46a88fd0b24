"""What the nodes of a selection and the rest of its workflow read of each other.

Inside, what is read from outside becomes `trigger.NAME`, an input of the sub-workflow. Outside,
what is read from inside becomes a field of the sub-workflow node's output.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from toolweave.cel.language import compile_text
from toolweave.cel.paths import quoted
from toolweave.cel.templates import Placeholder
from toolweave.cel.tokens import is_name
from toolweave.json_text import Json, JsonObject
from toolweave.tools.document import Steps
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.prompt_names import variables_of
from toolweave.workflow.extraction.selection import Selection, refusal
from toolweave.workflow.extraction.variables import Change, VariableUse, rewritten, variable_uses
from toolweave.workflow.model import Node, NodeId
from toolweave.workflow.modes import object_at
from toolweave.workflow.scope.loop_items import full_path, is_while, loop_variable, own_names
from toolweave.workflow.scope.reachability import is_loop
from toolweave.workflow.scope.references import NodeReferences, asked_by
from toolweave.workflow.scope.scope import TABLE

_OWN = frozenset({"data", "input", "config", "context", "variables"})
_VALUE_PORTS = frozenset({"output", "result"})
_RESULT = "_result"
_NO_PLACE = Placeholder("", 0, 0, 0)


@dataclass
class Crossings:
    """What was found while the texts of both sides were rewritten."""

    selection: Selection
    # The id of the new node.
    called: NodeId
    # Names that the sub-workflow gets: `trigger`, `run`, `loop`, loop variables and node ids.
    names: dict[str, NodeId | None] = field(default_factory=dict[str, NodeId | None])
    # Nodes whose outputs it reads by port, as `nodes.ID`.
    by_port: set[NodeId] = field(default_factory=set[NodeId])
    # Names in prompts that the run's inputs may have.
    from_trigger: set[str] = field(default_factory=set[str])
    # Selected nodes whose outputs are read outside.
    exported: set[NodeId] = field(default_factory=set[NodeId])

    @property
    def has_inputs(self) -> bool:
        """Whether the sub-workflow needs more than what comes in."""
        return bool(self.names or self.by_port or self.from_trigger)

    def moved(self, node: Node) -> Node:
        """A selected node as it is in the sub-workflow."""
        case = self.selection.case
        changed = self._rewritten(node, lambda asked: self._inward(node, asked))
        if is_loop(node):
            changed = self._list_path(case, changed)
        return changed

    def kept(self, node: Node) -> Node:
        """Another node as it is afterwards."""
        return self._rewritten(node, lambda asked: self._outward(node, asked))

    def _rewritten(self, node: Node, change_of: Callable[[NodeReferences], Change]) -> Node:
        """Replace the expressions of a node, from the end of each text to its beginning."""
        texts: dict[Steps, str] = {}
        asked = list(asked_by(node, self.selection.case.spec(node)))
        for one in sorted(asked, key=lambda one: -one.placeholder.start):
            new = self._text(node, one, change_of(one))
            if new is not None:
                text = texts.get(one.steps, one.text)
                start, end = one.placeholder.start, one.placeholder.end
                texts[one.steps] = f"{text[:start]}{new}{text[end:]}"
        data: Json = node.data
        for steps, text in texts.items():
            data = _with(data, steps[1:], text)
        return replace(node, data=data) if isinstance(data, dict) else node

    def _text(self, node: Node, asked: NodeReferences, change: Change) -> str | None:
        """The placeholder with its variables replaced; nothing if it stays as it is."""
        content = asked.placeholder.content
        if asked.language in {"prompt", "flow"}:
            return self._named(node, asked, change)
        assert asked.expression is not None
        if asked.expression.term is None:
            if node.id in self.selection.inside:
                raise refusal(
                    f"an expression of {node.title!r} is invalid: {content[:100]!r}", "correct it"
                )
            return None
        new = rewritten(asked.expression, change)
        if new == asked.expression.text:
            return None
        return new if asked.language in {"own", "words"} else f"{{{{ {new} }}}}"

    def _named(self, node: Node, asked: NodeReferences, change: Change) -> str | None:
        """A name in a prompt: a path, the result of a node, or a value of the run's inputs."""
        name = asked.placeholder.content.strip()
        if node.id not in self.selection.inside:
            return self._name_outside(node, name, asked, change)
        if name.endswith(_RESULT) and (other := self._node_of(name)) is not None:
            if other not in self.selection.inside:
                self.names[name] = other
            return None
        expression = compile_text(name)
        use = next(iter(variable_uses(expression)), None)
        if use is None or name in variables_of(node):
            return None
        if self._is_known(node, use.name):
            new = rewritten(expression, change)
            return None if new == name else f"{{{{{new}}}}}"
        self.from_trigger.add(use.name)
        return None

    def _name_outside(
        self, node: Node, name: str, asked: NodeReferences, change: Change
    ) -> str | None:
        other = self._node_of(name) if name.endswith(_RESULT) else None
        if other is not None and other in self.selection.inside:
            new = f"{self._output}.{self._export(other)}"
        else:
            new = rewritten(compile_text(name), change)
        if new == name:
            return None
        if asked.language == "flow":
            raise refusal(f"{node.title!r} reads {name!r}", "select that node too")
        return f"{{{{{new}}}}}"

    def _node_of(self, name: str) -> NodeId | None:
        base = name.removesuffix(_RESULT)
        known = self.selection.case.graph.nodes
        if base in known:
            return NodeId(base)
        return next((node for node in known if node.replace("-", "") == base), None)

    def _is_known(self, node: Node, name: str) -> bool:
        is_table = name in {*_OWN, "inputs", "trigger", "nodes", "run", "loop"}
        around = self.selection.reach.loops_around(node.id) or ()
        is_variable = name in {loop_variable(loop) for loop in around}
        return is_table or is_variable or name in self.selection.case.graph.nodes

    def _inward(self, node: Node, asked: NodeReferences) -> Change:
        def change(use: VariableUse) -> tuple[int, int, str] | None:
            if not self._is_from_outside(node, asked, use):
                return None
            own = own_names(self.selection.case.spec(node)) if asked.language == "own" else ()
            if "trigger" in own:
                raise refusal(
                    f"{node.title!r} reads {use.name!r} where `trigger` has another meaning",
                    "leave this node out of the selection",
                )
            return use.start, use.end, f"trigger.{use.name}"

        return change

    def _is_from_outside(self, node: Node, asked: NodeReferences, use: VariableUse) -> bool:
        """Whether a variable gets its value outside the selection; it is noted then."""
        selection, name = self.selection, use.name
        if name in _OWN or name in _own_inputs(self.selection.case, node, asked):
            return False
        match name:
            case "inputs":
                if node.id == selection.first.id and len(selection.entering) > 1:
                    raise refusal(f"{node.title!r} reads `inputs`", "read `data` instead")
                return False
            case "trigger" | "run":
                self.names[name] = None
                return True
            case "nodes":
                return self._is_port_outside(node, use)
            case _:
                return self._is_value_outside(node, asked, name)

    def _is_port_outside(self, node: Node, use: VariableUse) -> bool:
        if not use.steps:
            raise refusal(f"{node.title!r} reads `nodes` without the id of a node", "name the node")
        other = NodeId(use.steps[0].key)
        if other in self.selection.inside:
            return False
        self.by_port.add(other)
        return True

    def _is_value_outside(self, node: Node, asked: NodeReferences, name: str) -> bool:
        selection = self.selection
        around = selection.reach.loops_around(node.id) or ()
        if asked.language == "own" and is_loop(node) and is_while(node):
            around = (node, *around)
        for loop in around:
            if name in {"loop", loop_variable(loop)}:
                if loop.id in selection.inside:
                    return False
                self.names[name] = None
                return True
        if name in selection.case.graph.nodes and name not in selection.inside:
            self.names[name] = NodeId(name)
            return True
        return False

    def _outward(self, node: Node, asked: NodeReferences) -> Change:
        around = self.selection.reach.loops_around(node.id) or ()
        hidden = {loop_variable(loop) for loop in around}
        hidden |= _own_inputs(self.selection.case, node, asked)

        def change(use: VariableUse) -> tuple[int, int, str] | None:
            if use.name in self.selection.inside and use.name not in hidden:
                return use.start, use.end, f"{self._output}.{self._export(NodeId(use.name))}"
            if use.name != "nodes" or not use.steps:
                return None
            read = NodeId(use.steps[0].key)
            if read not in self.selection.inside:
                return None
            is_value = len(use.steps) == 2 and use.steps[1].key in _VALUE_PORTS
            if use.test is not None and (is_value or len(use.steps) == 1):
                return *use.test, f"{self._optional(read)}.hasValue()"
            if is_value:
                is_optional = any(step.is_optional for step in use.steps)
                value = f"{self._output}.{self._export(read)}"
                new = self._optional(read) if is_optional else value
                return use.start, use.steps[1].end, new
            raise refusal(
                f"{node.title!r} reads a port of {read!r}, which is selected",
                f"read nodes.{read}.output instead",
            )

        return change

    @property
    def _output(self) -> str:
        return output_of(self.called)

    def _optional(self, node: NodeId) -> str:
        """The output of a selected node, if the new node ran and that node in it."""
        return f"{ports_of(self.called, '?')}.?output.?{self._export(node)}"

    def _export(self, node: NodeId) -> str:
        self.exported.add(node)
        return field_name(node)

    def _list_path(self, case: CheckContext, loop: Node) -> Node:
        """The path of a loop's list may begin with a name from outside."""
        settings = object_at(loop.data, "configurations")
        path = settings.get("array_path")
        if not isinstance(path, str) or not path or "{{" in path:
            return loop
        expression = compile_text(full_path(path))
        asked = NodeReferences((), "", _NO_PLACE, "config", expression.text, expression)
        new = rewritten(expression, self._inward(case.graph.nodes[loop.id], asked))
        if new == expression.text:
            return loop
        return replace(loop, data={**loop.data, "configurations": {**settings, "array_path": new}})


def field_name(node: str) -> str:
    """The key of a node's output in an object that expressions read."""
    return node if is_name(node) else "".join(c if c.isalnum() else "_" for c in f"_{node}")


def output_of(node: str) -> str:
    """The output of a node as an expression."""
    return node if is_name(node) and node not in TABLE else f"{ports_of(node)}.output"


def ports_of(node: str, mark: str = "") -> str:
    """The outputs of a node by port; with the mark `?`, if it ran."""
    return f"nodes.{mark}{node}" if is_name(node) else f"nodes[{mark}{quoted(node)}]"


def _own_inputs(case: CheckContext, node: Node, asked: NodeReferences) -> frozenset[str]:
    """The names that settings and the CEL of own fields have before any other."""
    if asked.language not in {"own", "config"}:
        return frozenset()
    given = object_at(node.data, "inputParams")
    own = own_names(case.spec(node)) if asked.language == "own" else frozenset[str]()
    return frozenset({*given, *own, *_variables(given)})


def _variables(given: JsonObject) -> Iterator[str]:
    for name, value in given.items():
        if name.endswith("variables") and isinstance(value, dict):
            yield from value


def _with(value: Json, steps: Steps, text: str) -> Json:
    if not steps:
        return text
    first, rest = steps[0], steps[1:]
    if isinstance(value, dict) and isinstance(first, str):
        return {**value, first: _with(value.get(first), rest, text)}
    if isinstance(value, list) and isinstance(first, int):
        return [_with(one, rest, text) if at == first else one for at, one in enumerate(value)]
    return value
