"""Values of catalog nodes: `configurations` and `inputParams` against the specification.

The input of a live tool is checked against the tool's own schema. A required input may come from
an edge; it is only reported where no edge can provide it.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from toolweave.catalog.node_input import of_any_type, set_values
from toolweave.catalog.schema import configuration_schema, input_schema
from toolweave.catalog.spec import Field, NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.conversions import conversions
from toolweave.tools.misspelling import misspelt
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.cel_fields import CEL_FIELDS, CelField, is_chosen
from toolweave.workflow.checks.chosen_kind import with_kind
from toolweave.workflow.checks.compiled_schemas import CompiledSchemas
from toolweave.workflow.checks.context import CheckContext, NodePart
from toolweave.workflow.checks.exchanged_values import exchanged, of_another
from toolweave.workflow.checks.expressions import is_readable
from toolweave.workflow.checks.misplaced import moved, required_elsewhere
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.ports import is_attachment
from toolweave.workflow.checks.problem_location import beside_data, placed
from toolweave.workflow.checks.templated_values import check_values, has_template, strangers
from toolweave.workflow.json_patch import steps_of
from toolweave.workflow.model import Edge, Node
from toolweave.workflow.modes import object_at
from toolweave.workflow.node_queue import without_queue

READS_CONSTANTS = True
CONFIGURATIONS = "configurations"
INPUTS = "inputParams"

# Code of a tool's parameter -> code of a node's field.
CODES = {
    "MCP_PARAMETER_REQUIRED": "FIELD_REQUIRED",
    "MCP_PARAMETER_INVALID_TYPE": "FIELD_TYPE_INVALID",
    "MCP_PARAMETER_ENUM_INVALID": "FIELD_OPTION_INVALID",
    "MCP_PARAMETER_UNKNOWN": "FIELD_UNKNOWN",
    "MCP_PARAMETER_CONSTRAINT_VIOLATED": "FIELD_LIMIT_VIOLATED",
    "MCP_VALUE_UNCHECKED": "FIELD_UNCHECKED",
}
# The parts of a catalog node's data.
_PARTS = (CONFIGURATIONS, INPUTS)
_NAMING = frozenset({"MCP_PARAMETER_UNKNOWN"})
# Nodes that require an expression depending on another setting.
_NEEDING = frozenset(ref for ref, fields in CEL_FIELDS.items() if any(f.chosen_by for f in fields))
_ATTACHABLE = frozenset({"TOOL", "MEMORY"})
_KNOWN_PARTS = frozenset(
    {*_PARTS, "subtype", "description", "outputParams", "attachedNodes", "label"}
)


def _parts_of(spec: NodeSpec) -> tuple[NodePart, NodePart]:
    """The schemas of the configurations and of the inputs."""
    return _part_of(spec, CONFIGURATIONS), _part_of(spec, INPUTS)


def _part_of(spec: NodeSpec, name: str) -> NodePart:
    is_input = name == INPUTS
    schema = input_schema(spec) if is_input else configuration_schema(spec)
    if spec.origin is None:
        schema = schema | {"x-node": spec.ref}  # its words may stand before a name
    fed = {key: value for key, value in schema.items() if key != "required"}
    fields = spec.inputs if is_input else spec.all_configurations
    of_any = None if is_input and spec.origin is not None else of_any_type(fields)
    return NodePart(CompiledSchemas(schema), CompiledSchemas(fed), of_any)


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield values of catalog nodes that do not match their fields."""
    fed, of_spec, nodes = _fed(case), case.made.of_spec, case.graph.nodes
    for facts in node_table(case).catalog:
        if (spec := facts.spec) is None:
            continue
        node, parts = facts.node, of_spec(_parts_of, spec)
        # Of several nodes with one id, edges lead to the first.
        is_fed = (node.id in fed and nodes[node.id] is node) or case.is_subflow
        if is_fed and _is_right(node, spec, parts):
            continue
        for problem in _problems(node, spec, parts, is_fed=is_fed):
            found = beside_data(placed(problem, facts.place))
            yield found if facts.is_enabled else replace(found, severity="warning")


def _fed(case: CheckContext) -> frozenset[str]:
    """Return ids of nodes with an incoming edge or attached to a model."""
    table = node_table(case)
    ends = {facts.node.id for facts in table.of_kinds({"end"})}
    if any(case.graph.outgoing(end) for end in ends):
        found = {
            edge.target
            for edge in case.graph.edges
            if edge.source != edge.target and edge.source not in ends
        }
    else:
        found = set(case.graph.fed)
    nodes = case.graph.nodes
    attachable = [
        facts.node for facts in table.of_kinds(_ATTACHABLE) if nodes[facts.node.id] is facts.node
    ]
    used = _attached(case) if attachable else frozenset[str]()
    for node in attachable:
        # An unconnected one can only be meant for a model.
        if node.id in used or not case.graph.outgoing(node.id):
            found.add(node.id)
    return frozenset(found)


def _attached(case: CheckContext) -> frozenset[str]:
    listed = {
        one
        for node in case.workflow.nodes
        if isinstance(ids := node.data.get("attachedNodes"), list)
        for one in ids
        if isinstance(one, str)
    }
    return frozenset(listed) | {
        end for edge in case.graph.edges if is_attachment(edge) for end in _ends(edge)
    }


def _ends(edge: Edge) -> tuple[str, str]:
    return edge.source, edge.target


def _is_right(node: Node, spec: NodeSpec, parts: tuple[NodePart, NodePart]) -> bool:
    """Whether a node that something leads to has right settings and nothing else, as most have."""
    data = node.data
    settings = data.get(CONFIGURATIONS)
    if not isinstance(settings, dict) or INPUTS in data or spec.ref in _NEEDING or node.extras:
        return False
    of_settings, of_inputs = parts
    if not of_inputs.fed_takes_nothing or not _KNOWN_PARTS.issuperset(data):
        return False
    return of_settings.judge.accepts(_set_in(without_queue(settings), of_settings.of_any))


def _problems(
    node: Node, spec: NodeSpec, parts: tuple[NodePart, NodePart], *, is_fed: bool
) -> Iterator[Problem]:
    # Nearly all nodes have nothing beside these, and files are large.
    has_others = bool(node.extras) or not _KNOWN_PARTS.issuperset(node.data)
    for part, taken in zip(_PARTS, parts, strict=True):
        is_input = part == INPUTS
        given = node.data.get(part)
        if given is None and is_input and is_fed and not has_others and taken.fed_takes_nothing:
            continue
        if not is_input and isinstance(given, dict):
            given = without_queue(given)
        if has_others and (found := _under_other_name(node, part, spec, taken)) is not None:
            yield found
        elif given is not None and not isinstance(given, dict):
            yield _no_object(given, part, pointer(part))
        else:
            is_tool = is_input and spec.origin is not None
            # Inputs may come from an edge, so only an unknown name may be a required one.
            is_plain = is_input and is_fed and _names_all(taken.judge.schema, given or {})
            judge = taken.fed if is_plain else taken.judge
            values = _set_in(given or {}, taken.of_any)
            yield from _unset(given or {}, values, taken, part)
            if not values and is_input and judge.takes_nothing:
                continue
            if not is_tool and spec.ref not in _NEEDING and judge.accepts(values):
                continue  # as nearly always
            for problem in _part(spec, part, values, judge, is_fed=is_fed):
                code = problem.code if is_tool else CODES.get(problem.code, problem.code)
                is_there = isinstance(given, dict)
                found = placed(replace(problem, code=code), pointer(part), is_there=is_there)
                if code == "FIELD_REQUIRED":
                    yield required_elsewhere(found, node, part)
                else:
                    yield with_kind(moved(found, node, spec, part), node, spec)


def _under_other_name(node: Node, part: str, spec: NodeSpec, taken: NodePart) -> Problem | None:
    """The problem of a part whose name is misspelt."""
    if part not in node.data and (wrong := _misnamed(node.data, part)):
        return _renamed(node.data, wrong, part, spec, taken)
    given = node.data.get(part)
    if part == CONFIGURATIONS and isinstance(given, dict):
        given = without_queue(given)
    if not given and (wrong := _misnamed(node.extras, part)):
        # Some dialects keep a node's parts next to its name and type.
        return _beside(_renamed(node.extras, wrong, part, spec, taken))
    return None


def _names_all(schema: JsonObject, given: JsonObject) -> bool:
    known = schema.get("properties")
    return isinstance(known, dict) and given.keys() <= known.keys()


def _part(
    spec: NodeSpec, part: str, values: JsonObject, judge: CompiledSchemas, *, is_fed: bool
) -> Iterator[Problem]:
    is_tool = spec.origin is not None and part == INPUTS
    reported: list[Problem] = []
    renames: dict[str, Problem] = {}
    checked = exchanged([*check_values(judge, values)], values, judge)
    for problem in sorted(checked, key=lambda one: one.code in _NAMING):
        found = _weighed(problem, spec, part, values, is_fed=is_fed)
        if found is None and problem.patch and "from" in problem.patch[0]:
            renames[str(problem.patch[0]["from"])] = problem
        elif found is not None:
            meant = renames.pop(found.pointer, None)
            found = replace(found, patch=found.patch or (meant and meant.patch))
            reported.append(found)
            yield found
    for meant in renames.values():
        reported.append(replace(meant, severity="warning"))
        yield reported[-1]
    if is_tool:
        known = [problem.patch for problem in reported if problem.patch]
        for problem in strangers(judge, values):
            yield replace(problem, patch=None) if problem.patch in known else problem
    if part == CONFIGURATIONS:
        yield from _needed(spec, values)


def _weighed(
    problem: Problem, spec: NodeSpec, part: str, values: JsonObject, *, is_fed: bool
) -> Problem | None:
    """Return the problem with its severity for a node, or None."""
    match problem.code:
        # A field of a nested object cannot come from an edge.
        case "MCP_PARAMETER_REQUIRED" if part == INPUTS and is_fed and _is_outer(problem):
            is_misspelt = problem.patch is not None and problem.patch[0]["op"] == "move"
            # In a tool's arguments the unknown name is the error and carries the patch.
            is_told = spec.origin is None and is_misspelt
            return problem if is_told else None
        case "MCP_PARAMETER_REQUIRED" if part == CONFIGURATIONS and _is_elsewhere(
            problem, spec, values
        ):
            # What is given under another name does not come from elsewhere.
            return problem if problem.patch else replace(problem, severity="warning")
        case "MCP_TOOL_LIMIT_EXCEEDED":
            return problem if spec.origin is not None else None
        case "MCP_PARAMETER_UNKNOWN" if spec.origin is None or part == CONFIGURATIONS:
            # The node runs anyway: unknown fields are ignored, unless one is a required one.
            severity = "error" if _is_required(problem, spec, part) else "warning"
            return _readable(replace(problem, severity=severity), spec, values)
        case _:
            return of_another(_readable(problem, spec, values), spec, values)


def _is_required(problem: Problem, spec: NodeSpec, part: str) -> bool:
    """Whether the fix renames an unknown name to a required one."""
    to = problem.patch[0]["path"] if problem.patch and problem.patch[0]["op"] == "move" else ""
    fields = spec.inputs if part == INPUTS else spec.configurations
    return any(field.required and to == pointer(field.name) for field in fields)


def _is_outer(problem: Problem) -> bool:
    return problem.pointer.count("/") == 1


def _set_in(given: JsonObject, of_any: frozenset[str] | None) -> JsonObject:
    """Return the values that are set; in the arguments of a tool, null is a value."""
    return given if of_any is None else set_values(given, of_any)


def _unset(given: JsonObject, values: JsonObject, taken: NodePart, part: str) -> Iterator[Problem]:
    """Yield nulls under names that the node does not have; a known name with null is not set."""
    if len(values) == len(given):
        return  # as nearly always
    known = taken.judge.names
    for name in given.keys() - values.keys() if known else ():
        if name not in known:
            place = pointer(part, name)
            patch = ({"op": "remove", "path": place},)
            message = f"{name!r} is unknown"
            yield Problem("FIELD_UNKNOWN", place, message, "remove it", "warning", patch)


def _readable(problem: Problem, spec: NodeSpec, values: JsonObject) -> Problem:
    """Drop the patch if it would only reveal an invalid expression."""
    for operation in problem.patch or ():
        to, source = steps_of(operation["path"]), steps_of(str(operation.get("from", "")))
        text = values.get(source[0]) if len(source) == 1 else None
        is_cel = any(field.name == to[0] for field in CEL_FIELDS.get(spec.ref, ()))
        if is_cel and isinstance(text, str) and not is_readable(text):
            return replace(problem, patch=None)
    return problem


def _is_elsewhere(problem: Problem, spec: NodeSpec, values: JsonObject) -> bool:
    """Whether a missing value may come from a credential or a registered server."""
    missing = problem.pointer.removeprefix("/")
    fields: dict[str, Field] = {one.name: one for one in spec.configurations}
    is_secret = missing in fields and fields[missing].sensitive
    if spec.type == "TOOL":
        # Such a node uses a registered server of its type.
        return is_secret or missing == "mcp_server_url"
    sign_in = fields.get("use_oauth")
    if sign_in is None or not is_secret:
        return False
    chosen = values.get("use_oauth", sign_in.default)
    return chosen is True or has_template(chosen)


def _needed(spec: NodeSpec, values: JsonObject) -> Iterator[Problem]:
    """Yield missing CEL that the chosen mode requires."""
    for field in CEL_FIELDS.get(spec.ref, ()):
        is_there = isinstance(values.get(field.name), str) or has_template(values.get(field.name))
        if field.chosen_by and not is_there and is_chosen(spec, field, values):
            yield _without(field, *field.chosen_by)


def _without(field: CelField, name: str, value: str) -> Problem:
    return Problem(
        "MCP_PARAMETER_REQUIRED",
        pointer(field.name),
        f"{name!r} is {value!r}, which requires an expression in {field.name!r}",
        hint=f"set {field.name!r}, or choose another {name!r}",
    )


def _no_object(given: Json, part: str, place: str) -> Problem:
    is_empty = given in ([], "")
    found: list[Json] = (
        [{}]
        if is_empty
        else [one for one in islice(conversions(given, ["object"]), 1) if isinstance(one, dict)]
    )
    return Problem(
        "FIELD_TYPE_INVALID",
        place,
        f"{part!r} is {shown(given)}; expected an object",
        patch=({"op": "replace", "path": place, "value": found[0]},) if found else None,
    )


def _misnamed(owner: JsonObject, part: str) -> str | None:
    if _KNOWN_PARTS.issuperset(owner):
        return None
    others = owner.keys() - _KNOWN_PARTS
    # `outputparams` is no misspelling of the inputs.
    names = (*_PARTS, "outputParams", "output_params")
    return next((one for one in owner if one in others and misspelt(one, names) == part), None)


def _beside(problem: Problem) -> Problem:
    """Move a problem of a part that is next to `data` instead of in it."""
    patch = problem.patch and tuple({**one, "from": f"/..{one['from']}"} for one in problem.patch)
    return replace(problem, pointer=f"/..{problem.pointer}", patch=patch)


def _renamed(owner: JsonObject, wrong: str, part: str, spec: NodeSpec, taken: NodePart) -> Problem:
    place = pointer(wrong)
    values = _set_in(object_at(owner, wrong), taken.of_any)
    found = _part(spec, part, values, taken.judge, is_fed=True)
    is_good = isinstance(owner[wrong], dict) and all(one.severity != "error" for one in found)
    move = {"op": "move", "from": place, "path": pointer(part)}
    return Problem(
        "FIELD_UNKNOWN",
        place,
        f"{wrong!r} is ignored in a catalog node",
        hint=f"did you mean {part!r}?",
        patch=(move,) if is_good else None,
        severity="error" if "required" in taken.judge.schema else "warning",
    )
