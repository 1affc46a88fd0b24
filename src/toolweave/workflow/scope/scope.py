"""The names a node's expressions see, and what is known of the values behind them.

Worked out once per workflow, node after node in the order they run; unknown stays unknown.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

from toolweave.catalog.spec import NodeSpec
from toolweave.cel.language import compile_text
from toolweave.cel.paths import Path
from toolweave.cel.tokens import is_name
from toolweave.json_text import Json
from toolweave.workflow.graph import Graph
from toolweave.workflow.mode_status import LiveTools
from toolweave.workflow.model import INPUT_PORT, OUTPUT_PORT, Edge, Node, NodeId, Workflow
from toolweave.workflow.modes import named_tool, object_at
from toolweave.workflow.scope.configured_outputs import is_configured, runs, with_configured
from toolweave.workflow.scope.loop_items import (
    counts,
    full_path,
    is_while,
    list_source,
    loop_variable,
    own_item,
    own_names,
)
from toolweave.workflow.scope.node_outputs import (
    FAILED,
    VALUE_PORTS,
    NodeOutputs,
    answer_shape,
    given_by,
    read_ports,
    started_with,
)
from toolweave.workflow.scope.reachability import BACK_PORT, BODY_PORTS, Reach, is_loop
from toolweave.workflow.scope.references import (
    Language,
    NodeReferences,
    asked_by,
    asked_in,
    input_names,
    is_input,
)
from toolweave.workflow.scope.resolved_path import ResolvedPath, walk_path
from toolweave.workflow.shapes import (
    OBJECT,
    TEXT,
    UNKNOWN,
    ValueShape,
    join,
    join_all,
    look_up,
    of_cel,
    of_fields,
    of_kind,
    of_schema,
    of_value,
)

TABLE: tuple[str, ...] = (
    *("data", "input", "inputs", "trigger", "nodes", "config"),
    *("context", "variables", "loop", "run"),
)
_RUN = of_fields({"id": TEXT, "started_at": TEXT, "workflow": TEXT}, "none")
_NUMBER = of_kind("integer")
_MAX_JOINED = 8
_TABLE_NAMES = frozenset(TABLE)
_STARTS = frozenset({"start", "trigger", "TRIGGER"})
_SEEING_INPUTS = frozenset({"own", "config"})

_UNKNOWN = ResolvedPath()


class Scope:
    """Look-ups over one workflow, for checks before a run and for the engine."""

    def __init__(
        self,
        workflow: Workflow,
        specs: Callable[[Node], NodeSpec | None],
        tools: LiveTools | None = None,
        *,
        graph: Graph | None = None,
        given: dict[str, NodeOutputs] | None = None,
        is_older: bool = False,
    ) -> None:
        self.graph = graph or Graph(workflow)
        self.reach = Reach(self.graph)
        self._workflow = workflow
        self._specs = specs
        self._tools = tools
        self._is_older = is_older
        self._came: dict[NodeId, ValueShape] = {}
        self._own_data: dict[NodeId, ValueShape] = {}
        # What a node gives if it works, and in any case.
        self._results: dict[NodeId, ValueShape] = {}
        self._values: dict[NodeId, ValueShape] = {}
        # What the start and trigger nodes give.
        self._started: list[ValueShape] = []
        # By specification name; reused for further workflows with the same catalog.
        self._given: dict[str, NodeOutputs] = {} if given is None else given
        self._gives: dict[NodeId, NodeOutputs | None] = {}
        # Whether a node runs, where that is not certain.
        self._enabled: dict[NodeId, bool | None] = {}
        self._answers: dict[tuple[str, str], ValueShape] = {}
        # The nodes whose failures have a way of their own.
        self._caught = {edge.source for edge in self.graph.edges if edge.source_port == "error"}
        # What each loop goes through, and one item of it.
        self._lists: dict[NodeId, ValueShape] = {}
        self._items: dict[NodeId, ValueShape] = {}
        # Where paths lead; remembered once everything is worked out.
        self._found: dict[tuple[NodeId, Path, Language], ResolvedPath] = {}
        self._is_complete = False
        for node_id in self.reach.order:
            self._work_out(self.graph.nodes[node_id])
        self._is_complete = True

    def asked_by(self, node: Node) -> Sequence[NodeReferences]:
        """Everything the texts of a node ask for."""
        return asked_by(node, self._specs(node), is_older=self._is_older)

    @cached_property
    def inputs(self) -> ValueShape:
        """What the run is started with, as the workflow declares it."""
        declared = self._workflow.extras.get("inputSchema")
        return of_schema(declared) if isinstance(declared, dict) else OBJECT

    @cached_property
    def trigger(self) -> ValueShape:
        """The value of the start or trigger node."""
        starts = [node for node in self.graph.nodes.values() if node.type in _STARTS]
        return join_all(
            self.inputs if "output" in node.data else self._values.get(node.id, UNKNOWN)
            for node in starts
        )

    def is_started_with(self, root: str) -> bool:
        """Whether a name stands for the input of the run."""
        node = self.graph.nodes.get(NodeId(root))
        return root == "trigger" or (node is not None and node.type in _STARTS)

    def incoming(self, node: NodeId) -> ValueShape:
        """What came in at a node."""
        return self._came.get(node, UNKNOWN)

    def data_of(self, node: NodeId) -> ValueShape:
        """The input `data` of a node that has one; else what came in."""
        found = self._own_data.get(node)
        return self.incoming(node) if found is None else found

    def data_seen(self, node: Node, language: Language) -> ValueShape:
        """What `data` is in a text: what came in, or in the CEL of own fields that input."""
        if language == "own":
            # The condition of a loop reads what the last iteration gave.
            return UNKNOWN if is_loop(node) and is_while(node) else self.data_of(node.id)
        if language == "config":
            return join(self.incoming(node.id), self.data_of(node.id))
        return self.incoming(node.id)

    def value_of(self, node: NodeId) -> ValueShape:
        """The whole value of a node that ran."""
        return self._values.get(node, UNKNOWN)

    def shape_of(self, node: Node, asked: NodeReferences) -> ValueShape:
        """What an expression gives."""
        if asked.expression is None:
            return UNKNOWN
        if asked.path is not None:
            found = self.find(node, asked.path, asked.language)
            return UNKNOWN if found.trouble else found.shape
        return of_cel(asked.expression.kind)

    def find(self, node: Node, path: Path, language: Language = "value") -> ResolvedPath:
        """Where a path leads from a node, in a text of this language."""
        asked = node.id, path, language
        found = self._found.get(asked)
        if found is None:
            found = self._lead(node, path, language)
            if self._is_complete:
                self._found[asked] = found
        return found

    def _lead(self, node: Node, path: Path, language: Language) -> ResolvedPath:
        root = path[0]
        if language == "own" and root in own_names(self._specs(node)):
            return self._own(node, path)
        # Most paths begin with the id of a node.
        if root not in _TABLE_NAMES:
            return self._by_name(node, path, language)
        match root:
            case "data" | "input":  # a node's own input `data` does not change what came in
                said: Language = language if root == "data" else "value"
                return walk_path(self.data_seen(node, said), path, 1)
            case "trigger":
                return walk_path(self.trigger, path, 1)
            case "nodes":
                return self._by_id(node, path)
            case "loop":
                return self._in_loop(node, path, language)
            case "run":
                return walk_path(_RUN, path, 1)
            case "inputs":
                return self._by_port(node, path)
            case "variables" if language == "value" and not is_input(
                node, self._specs(node), "variables"
            ):
                return ResolvedPath(trouble="name")
            case _:  # config, context, variables
                # What is written as an object in the document has no other fields.
                given = object_at(node.data, "inputParams").get(str(root))
                return walk_path(of_value(given), path, 1) if isinstance(given, dict) else _UNKNOWN

    def _own(self, node: Node, path: Path) -> ResolvedPath:
        """A name of the node's own texts; what nothing describes may be there."""
        found = walk_path(own_item(node, path, self.data_of(node.id)), path, 1)
        return _UNKNOWN if found.trouble else found

    def _by_port(self, node: Node, path: Path) -> ResolvedPath:
        """`inputs.PORT`: what came in, by the port of the node."""
        ports = {edge.target_port for edge in self.graph.incoming(node.id)} | {INPUT_PORT, "main"}
        if len(path) > 1 and isinstance(path[1], str) and path[1] not in ports:
            return ResolvedPath(OBJECT, "field", 1, tuple(sorted(ports)))
        return _UNKNOWN

    def is_own_name(self, node: Node, name: str) -> bool:
        """Whether the CEL of a node's own fields has a name that other texts have not."""
        return name in own_names(self._specs(node))

    def names(self, node: Node) -> tuple[str, ...]:
        """The names an expression of a node can begin with."""
        ids = [
            one
            for one in self.graph.nodes
            if is_name(one) and one not in TABLE and self.reach.can_have_run(one, node.id)
        ]
        around = self.reach.loops_around(node.id) or ()
        table = [x for x in TABLE if around or x != "loop"]
        return tuple(dict.fromkeys((*table, *map(loop_variable, around), *ids)))

    def own_inputs(self, node: Node, language: Language) -> tuple[str, ...]:
        """The inputs and variables of a node that its own texts see by their names."""
        return input_names(node, self._specs(node)) if language in _SEEING_INPUTS else ()

    def _by_name(self, node: Node, path: Path, language: Language) -> ResolvedPath:
        root = NodeId(str(path[0]))
        for loop in (self._loops_seen(node, language) or ()) if self.reach.has_loops else ():
            if root == loop_variable(loop):
                return walk_path(self._items.get(loop.id, UNKNOWN), path, 1)
        if root in self.graph.nodes:
            if not self.reach.can_have_run(root, node.id):
                return ResolvedPath(trouble="order", node=root)
            return walk_path(self.value_of(root), path, 1, root)
        around = self._loops_seen(node, language)
        if around is None or any("{{" in loop_variable(loop) for loop in around):
            return _UNKNOWN
        if language in _SEEING_INPUTS and is_input(node, self._specs(node), root):
            return _UNKNOWN
        return ResolvedPath(trouble="loop" if root in self._variables else "name")

    @cached_property
    def _variables(self) -> frozenset[str]:
        """The variables of all loops."""
        loops = (node for node in self.graph.nodes.values() if is_loop(node))
        return frozenset(loop_variable(loop) for loop in loops)

    def _by_id(self, node: Node, path: Path) -> ResolvedPath:
        if len(path) == 1 or not isinstance(path[1], str):
            return _UNKNOWN
        other = NodeId(path[1])
        if other not in self.graph.nodes:
            return ResolvedPath(trouble="node", at=1)
        if not self.reach.can_have_run(other, node.id):
            return ResolvedPath(trouble="order", at=1, node=other)
        if len(path) == 2:
            return _UNKNOWN
        if path[2] in VALUE_PORTS:
            return walk_path(self.value_of(other), path, 3, other)
        source = self.graph.nodes[other]
        used = [edge.source_port for edge in self.graph.outgoing(other)]
        ports = read_ports(source.type, self._specs(source), used)
        if ports is None or path[2] in ports:
            return _UNKNOWN
        return ResolvedPath(trouble="port", at=2, known=ports, node=other)

    def _in_loop(self, node: Node, path: Path, language: Language) -> ResolvedPath:
        around = self._loops_seen(node, language)
        if not around:
            return _UNKNOWN if around is None else ResolvedPath(trouble="loop")
        item = self._items.get(around[0].id, UNKNOWN)
        return walk_path(of_fields({"index": _NUMBER, "item": item}, "none"), path, 1)

    def _loops_seen(self, node: Node, language: Language) -> tuple[Node, ...] | None:
        """The loops whose variables a text sees; the condition of a `while` sees its own."""
        around = self.reach.loops_around(node.id)
        is_own = language == "own" and is_loop(node) and is_while(node)
        return (node, *around) if is_own and around is not None else around

    def _work_out(self, node: Node) -> None:
        node_id = node.id
        given = self._gives[node_id] = self._given_by(node)
        is_repeating = is_loop(node)
        came = self._came[node_id] = self._joined(node, is_loop=is_repeating)
        if given is not None:
            if (enabled := runs(node)) is not True:
                self._enabled[node_id] = enabled
            if given.takes_data:
                self._own_data[node_id] = self._input_data(node, came)
        if is_repeating:
            self._lists[node_id] = found = self._list(node)
            self._items[node_id] = _NUMBER if counts(node) else found.items or UNKNOWN
        value = self._results[node_id] = self._value(node, given, came)
        if node.type in _STARTS:
            self._started.append(value)
        self._values[node_id] = join(value, FAILED) if node_id in self._caught else value

    def _given_by(self, node: Node) -> NodeOutputs | None:
        spec = self._specs(node)
        if spec is None:
            return None
        found = self._given.get(spec.ref)
        if found is None:
            found = self._given[spec.ref] = given_by(spec)
        return found

    def _joined(self, node: Node, *, is_loop: bool) -> ValueShape:
        edges = self.graph.incoming(node.id)
        if is_loop:
            edges = tuple(edge for edge in edges if edge.target_port != BACK_PORT)
        count = len(edges)
        if count == 0 or count > _MAX_JOINED or node.ref == "FLOW.MERGE":
            return UNKNOWN
        if count == 1:
            return self._carried(edges[0])
        carried: dict[str, ValueShape] = {edge.source: self._carried(edge) for edge in edges}
        return join_all((*map(self._carried, edges), of_fields(carried, "none")))

    def _carried(self, edge: Edge) -> ValueShape:
        source, port = edge.source, edge.source_port
        # Most edges leave by the usual port, and nothing else is said of them.
        is_usual = port == OUTPUT_PORT and edge.kind is None and not edge.extras
        if not is_usual and (found := self._carried_by_port(edge)) is not None:
            return found
        given = self._gives.get(source)
        if given is not None and port not in given.ports:
            return UNKNOWN
        if given is None or given.carried == "value":
            return self._results.get(source, UNKNOWN)
        enabled = self._enabled.get(source, True)
        if enabled is False:
            return self._results.get(source, UNKNOWN)
        if not enabled:
            return UNKNOWN
        if given.carried == "data":
            return self.data_of(source)
        return look_up(self._results.get(source, UNKNOWN), "data").shape

    def _carried_by_port(self, edge: Edge) -> ValueShape | None:
        """What goes along an edge by its port, kind or keys; nothing where these do not say it."""
        port = edge.source_port
        if any(key.startswith("conver") for key in edge.extras):
            return UNKNOWN
        if port[:3] == "ai_" or (edge.kind is not None and edge.kind.startswith("ai_")):
            return UNKNOWN
        if port == "error":
            return FAILED
        if port in BODY_PORTS and is_loop(loop := self.graph.nodes[edge.source]):
            return UNKNOWN if is_while(loop) else self._items.get(loop.id, UNKNOWN)
        return None

    def _value(self, node: Node, given: NodeOutputs | None, came: ValueShape) -> ValueShape:
        if given is not None:
            enabled = self._enabled.get(node.id, True)
            if enabled is not True:
                return came if enabled is False else UNKNOWN
            if node.type == "TRIGGER":
                return started_with(given.value, self.inputs)
            if not is_configured(node.ref):
                return given.value
            settings = object_at(node.data, "configurations")
            return with_configured(node.ref, given.value, settings, self.data_of(node.id))
        if node.type == "mcp":
            return self._answer(node)
        match node.type:
            case "start" | "end" if "output" in node.data:
                output = node.data["output"]
                return self._written(node, output, "output") if isinstance(output, str) else UNKNOWN
            case "start" | "trigger":
                return self.inputs
            case "end" | "result":
                return came
            case "prompt" | "template":
                return TEXT
            case _:
                return UNKNOWN

    def _list(self, loop: Node) -> ValueShape:
        """What a loop goes through."""
        if (source := list_source(loop)) is None:
            return UNKNOWN
        if source.field == "data":
            return self.data_of(loop.id)
        if source.part == "inputParams":
            return self._written(loop, source.value, source.field)
        path = source.value
        if not isinstance(path, str) or "{{" in path:
            return UNKNOWN
        read = compile_text(full_path(path)).path
        found = _UNKNOWN if read is None else self.find(loop, read, "own")
        return UNKNOWN if found.trouble else found.shape

    def list_of(self, loop: NodeId) -> ValueShape:
        """What a loop goes through; unknown for other nodes and for loops that count."""
        return self._lists.get(loop, UNKNOWN)

    def _answer(self, node: Node) -> ValueShape:
        """What the tool of an MCP node says it answers with."""
        if self._tools is None or node.data.get("mode") == "fullNaturalLanguage":
            return UNKNOWN
        key = named_tool(node.data)
        if key not in self._answers:
            tools = self._tools(key[0]) or ()
            tool = next((tool for tool in tools if tool.name == key[1]), None)
            self._answers[key] = UNKNOWN if tool is None else answer_shape(tool.output_schema)
        return self._answers[key]

    def _input_data(self, node: Node, came: ValueShape) -> ValueShape:
        given = node.data.get("inputParams")
        if isinstance(given, dict) and "data" in given:
            return self._written(node, given["data"], "data")
        inside = look_up(came, "data")
        # That a run is started with more than it declares excuses no wrong use of what it does.
        may_be = bool(came.fields) and inside.verdict in ("open", "unsaid")
        if inside.verdict == "absent" or (may_be and any(came is one for one in self._started)):
            return came
        if inside.verdict == "unsaid":
            # An existing field takes precedence, so only the names are reported.
            return ValueShape(fields=dict.fromkeys(came.fields, UNKNOWN), others="unsaid")
        return inside.shape if "data" in came.needed else UNKNOWN

    def _written(self, node: Node, value: Json, field: str) -> ValueShape:
        if not isinstance(value, str) or "{{" not in value:
            return of_value(value)
        steps = ("data", "inputParams", field)
        asked = next(iter(asked_in(steps, value, "value", self._is_older)), None)
        if asked is None:
            return UNKNOWN
        return self.shape_of(node, asked) if asked.is_whole else TEXT
