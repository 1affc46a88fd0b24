"""Node types: the types of the editor and of flows, and catalog nodes by type and subtype."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal

from toolweave.catalog.corrections import CorrectedName, UnknownName, correct
from toolweave.catalog.index import Catalog
from toolweave.catalog.server_names import server_of
from toolweave.catalog.spec import NODE_TYPES, NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, did_you_mean, pointer
from toolweave.tools.meaning import plain_word
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_names import FOREIGN_TYPES, TOOL, meant_node
from toolweave.workflow.checks.spelling import MAX_LOOKED_UP, Spelling
from toolweave.workflow.checks.tool_settings import named_tool
from toolweave.workflow.model import Node

Style = Literal["drawn", "flow", "catalog"]

DECISIONS = frozenset({"ifElse", "switch", "branch", "askUserQuestion"})
DRAWN = frozenset(
    {
        *("start", "end", "prompt", "subAgent", "subAgentFlow", "skill", "mcp", "codex"),
        *DECISIONS,
    }
)
FLOW = frozenset({"template", "multi_input", "result", "input", "flow-link"})
# Annotations: they are displayed and never run.
SILENT = frozenset({"group", "note", "notes", "stickyNote"})
LOOPS = frozenset({"FLOW.LOOP", "FLOW.FOR_EACH"})

_PLAIN = DRAWN | FLOW | SILENT
_SPELLING = Spelling(sorted(_PLAIN))
# Common other names of types.
_ALIASES = {
    "if": "ifElse",
    "condition": "ifElse",
    "conditional": "ifElse",
    "agent": "subAgent",
    "question": "askUserQuestion",
    "askuser": "askUserQuestion",
    "subflow": "subAgentFlow",
    "agentflow": "subAgentFlow",
    "mcptool": "mcp",
    "mcpnode": "mcp",
    "begin": "start",
    "finish": "end",
}


# Other names of the types of flows, in flows only.
_FLOW_ALIASES = {
    **dict.fromkeys(("output", "outputs", "final", "end"), "result"),
    **dict.fromkeys(("prompttemplate", "prompt"), "template"),
    **dict.fromkeys(("inputs", "variables", "multiinputs"), "multi_input"),
}
_ENTRIES = frozenset({"trigger", "input", "entry", "entrypoint", "startnode", "source", "initial"})
_EXITS = frozenset({"output", "exit", "stop", "terminate", "done", "final", "return", "endnode"})
_TRIGGER = "trigger"
# Types that are right as they are.
WELL_KNOWN = frozenset({*_PLAIN, *NODE_TYPES})
# The parts of a catalog node beside its type, and in `data`.
_PARTS = {
    "configurations": "configurations",
    "input_params": "inputParams",
    "output_params": "outputParams",
    "attached_nodes": "attachedNodes",
}


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield nodes whose type or subtype does not exist."""
    left = MAX_LOOKED_UP
    for index, (node, spec) in enumerate(zip(case.workflow.nodes, case.specs, strict=True)):
        # A node without a type is reported when the file is parsed.
        if spec is not None or node.type in _PLAIN:
            continue
        if not node.type:
            yield from _without_type(case, index, node)
            continue
        left -= 1
        if node.type not in NODE_TYPES and "subtype" not in node.data:
            yield _unknown_type(case, index, node, is_looked_up=left >= 0)
        else:
            yield _unknown_node(case, index, node, is_looked_up=left >= 0)


def _without_type(case: CheckContext, index: int, node: Node) -> Iterator[Problem]:
    """Yield a missing type that the subtype tells, as the parser's problem with a patch."""
    subtype = node.data.get("subtype")
    of_name = [one for one in _built_in(case.known.catalog) if one.subtype == subtype]
    if len(of_name) == 1:
        place = pointer("nodes", index)
        patch = (_set("add", f"{place}/type", of_name[0].type),)
        message = "'type' is missing; the node cannot run"
        hint = f"add 'type': {of_name[0].type!r}"
        yield Problem("FIELD_MISSING", place, message, hint=hint, patch=patch)


def _built_in(catalog: Catalog) -> Iterator[NodeSpec]:
    types = (spec for name in NODE_TYPES for spec in catalog.of_type(name))
    return (spec for spec in types if spec.origin is None)


def spec_of(case: CheckContext, node: Node) -> NodeSpec | None:
    """Return the specification of a catalog node, including later ones of the same id."""
    subtype = node.data.get("subtype")
    return case.known.catalog.get(node.type, subtype) if isinstance(subtype, str) else None


def is_known(case: CheckContext, node: Node) -> bool:
    """Whether the node's type exists."""
    return node.type in _PLAIN or spec_of(case, node) is not None


def type_of(node: Node) -> str:
    """Return the corrected type: `strat` counts as a start, so that no start is missing."""
    if node.type in WELL_KNOWN or "subtype" in node.data:
        return node.type
    return meant_type(node.type) or node.type


def is_catalog(node: Node) -> bool:
    """Whether it is a catalog node, possibly misspelt."""
    return node.type in NODE_TYPES or ("subtype" in node.data and node.type not in _PLAIN)


def is_loop(node: Node) -> bool:
    """Whether the node is a loop."""
    return node.type == "FLOW" and node.ref in LOOPS


def style_of(case: CheckContext) -> Style:
    """Return whose rules apply; the canonical form can hold every dialect."""
    if case.format == "flow":
        return "flow"
    if case.format == "agent-team" or any(is_catalog(node) for node in case.workflow.nodes):
        return "catalog"
    types = {type_of(node) for node in case.workflow.nodes}
    return "flow" if types & FLOW and "start" not in types else "drawn"


@lru_cache(maxsize=16_384)
def meant_type(name: str) -> str | None:
    """Return the type of the editor or of flows that a misspelt name means."""
    return _SPELLING.closest(name) or _ALIASES.get(
        name.casefold().replace("_", "").replace("-", "")
    )


def _unknown_type(case: CheckContext, index: int, node: Node, *, is_looked_up: bool) -> Problem:
    place = pointer("nodes", index, "type")
    message = f"there is no node type {shown(node.type)}"
    if not is_looked_up:
        return Problem("NODE_TYPE_UNKNOWN", place, message, hint=_hint(None))
    # `n8n-nodes-base.httpRequest`: the last part says what it does.
    name = node.type.rpartition(".")[2]
    named = _by_subtype(name, case.known.catalog)
    # In a drawing, `if` is a decision with branches.
    is_drawn = "." not in node.type and style_of(case) == "drawn" and meant_type(node.type)
    if named is not None and not is_drawn:
        return _corrected(index, node, named, message)
    is_flow = style_of(case) == "flow"
    in_flow = _FLOW_ALIASES.get(plain_word(node.type)) if is_flow else None
    in_flow = in_flow and (_by_members(node) or in_flow)
    if meant := in_flow or meant_type(node.type) or _by_position(case, node):
        patch = (_set("replace", place, meant),)
        return Problem("NODE_TYPE_UNKNOWN", place, message, hint=_hint(meant), patch=patch)
    for one in dict.fromkeys((node.type, name)):
        found = correct(case.known.catalog, one, "")
        if isinstance(found, CorrectedName):
            return _corrected(index, node, found.spec, message)
    hint = did_you_mean(node.type, _PLAIN) or _hint(None)
    return Problem("NODE_TYPE_UNKNOWN", place, message, hint=hint)


def _by_members(node: Node) -> str | None:
    """The only type of a flow's node that has these members."""
    if isinstance(node.data.get("template"), str):
        return "template"
    is_given = isinstance(node.data.get("variables"), list | dict)
    return "multi_input" if is_given and "prompt" not in node.data else None


def _by_position(case: CheckContext, node: Node) -> str | None:
    """The only start or end of a workflow, under the word of another system."""
    word = plain_word(node.type)
    types = {type_of(one) for one in case.workflow.nodes}
    if node.data.get("configurations") or "subtype" in node.data:
        return None
    if word in _ENTRIES and "start" not in types and not case.graph.incoming(node.id):
        return "start"
    is_last = word in _EXITS and "end" not in types and not case.graph.outgoing(node.id)
    return "end" if is_last else None


def _by_subtype(name: str, catalog: Catalog) -> NodeSpec | None:
    """Return the only built-in node of this name, or of the word that n8n has for it."""
    plain = plain_word(name)
    is_trigger = len(plain) > len(_TRIGGER) and plain.endswith(_TRIGGER)
    plain = plain.removesuffix(_TRIGGER) if is_trigger else plain
    plain = FOREIGN_TYPES.get(plain, plain)
    found = [
        one
        for one in _built_in(catalog)
        if plain_word(one.subtype) == plain and (one.type == "TRIGGER" or not is_trigger)
    ]
    # `n8n-nodes-base.slack` is an action: triggers are named so.
    steps = [one for one in found if one.type != "TRIGGER"]
    found = steps or found
    return found[0] if len(found) == 1 else None


def _unknown_node(case: CheckContext, index: int, node: Node, *, is_looked_up: bool) -> Problem:
    subtype = node.data.get("subtype")
    place = pointer("nodes", index, "data", "subtype")
    if not isinstance(subtype, str) or not subtype:
        return _without_subtype(case, index, node)
    message = f"there is no node {shown(node.type)} with subtype {shown(subtype)}"
    if not is_looked_up:
        return Problem("NODE_UNKNOWN", place, message, hint="search the catalog for it")
    if (tool := named_tool(case.known.catalog, node)) is not None:
        patch = tool.patch(index, node)
        return Problem("NODE_UNKNOWN", place, message, f"use {tool.spec.ref!r}", patch=patch)
    if spec := meant_node(case.known.catalog, node) or _by_role(case, node, subtype):
        return _corrected(index, node, spec, message)
    if (
        node.type == "TOOL"
        and subtype.startswith(TOOL)
        and not all(server_of("", subtype) or ("",))
    ):
        hint = "name the server and its tool: MCP:SERVER/TOOL"
        return Problem("NODE_UNKNOWN", place, message, hint=hint)
    found = correct(case.known.catalog, node.type, subtype)
    if case.known.tools is None and node.type == "TOOL" and subtype.startswith(TOOL):
        return Problem(
            "NODE_UNKNOWN",
            place,
            f"the tool {shown(subtype)} was not checked: its server is not connected",
            hint="validate again with the servers connected",
            severity="warning",
        )
    hint = found.hint if isinstance(found, UnknownName) else None
    return Problem("NODE_UNKNOWN", place, message, hint=hint)


def _by_role(case: CheckContext, node: Node, subtype: str) -> NodeSpec | None:
    """The only node of this subtype that is no trigger, for a made-up type with edges to it."""
    # `n8n-nodes-base.code` names a node of another system, whatever its subtype.
    if node.type in NODE_TYPES or "." in node.type or not case.graph.incoming(node.id):
        return None
    # `HTTP` and `REQUEST` are one name in two fields.
    names = {plain_word(subtype), plain_word(f"{node.type}{subtype}")}
    found = [one for one in _built_in(case.known.catalog) if plain_word(one.subtype) in names]
    steps = [one for one in found if one.type != "TRIGGER"]
    return steps[0] if len(steps) == 1 else None


def _without_subtype(case: CheckContext, index: int, node: Node) -> Problem:
    place = pointer("nodes", index, "data", "subtype")
    given: Json = node.data.get("subtype")
    message = (
        f"a node of type {shown(node.type)} needs a subtype"
        if given is None or given == ""
        else f"the subtype is {shown(given)}; expected text"
    )
    if (tool := named_tool(case.known.catalog, node)) is not None:
        patch = tool.patch(index, node)
        return Problem("NODE_UNKNOWN", place, message, f"use {tool.spec.ref!r}", patch=patch)
    if node.type not in NODE_TYPES:
        found = correct(case.known.catalog, node.type, "")
        if isinstance(found, CorrectedName):
            return _corrected(index, node, found.spec, message)
    if (problem := _misnamed_subtype(case, index, node, message)) is not None:
        return problem
    known = [spec.subtype for spec in case.known.catalog.of_type(node.type) if spec.origin is None]
    hint = f"use one of {', '.join(known)}" if known else "search the catalog for it"
    return Problem("NODE_UNKNOWN", place, message, hint=hint)


def _misnamed_subtype(case: CheckContext, index: int, node: Node, message: str) -> Problem | None:
    """The subtype under another key, such as `sub_type` or `nodeType`."""
    if "subtype" in node.data:
        return None
    given = {f"data/{key}": value for key, value in node.data.items()} | node.extras
    found = {
        place: value
        for place, value in given.items()
        if isinstance(value, str) and case.known.catalog.get(node.type, value) is not None
    }
    if len(found) != 1:
        return None
    ((place, value),) = found.items()
    at, to = f"/nodes/{index}/{place}", pointer("nodes", index, "data", "subtype")
    move = {"op": "move", "from": at, "path": to}
    hint = f"give {value!r} as 'subtype'"
    return Problem("NODE_UNKNOWN", at, message, hint=hint, patch=(move,))


def _corrected(index: int, node: Node, spec: NodeSpec, message: str) -> Problem:
    at, subtype_at = pointer("nodes", index, "type"), pointer("nodes", index, "data", "subtype")
    patch: list[dict[str, Any]] = []
    if node.type != spec.type:
        patch.append(_set("replace", at, spec.type))
    if (moved := _as_catalog_node(index, node, spec)) is not None:
        patch += moved
    elif node.data.get("subtype") != spec.subtype:
        # `add` also replaces, and the subtype may be missing.
        patch.append(_set("add", subtype_at, spec.subtype))
    return Problem(
        "NODE_UNKNOWN",
        at if node.type != spec.type else subtype_at,
        message,
        hint=f"use {spec.ref!r}",
        patch=tuple(patch),
    )


def _as_catalog_node(index: int, node: Node, spec: NodeSpec) -> list[dict[str, Any]] | None:
    """Operations that put the parts of a node in their places; None if they are there.

    A node with `configurations` beside its type is read as a catalog node only if its type or
    subtype says so; of any other the configurations are the whole data.
    """
    is_known = "subtype" in node.data or any(one in node.data for one in _PARTS.values())
    if is_known or (_PARTS.keys().isdisjoint(node.extras) and not _has_settings(node, spec)):
        return None
    data: JsonObject = {"subtype": spec.subtype}
    if node.data:
        data["configurations"] = node.data
    given = [key for key in _PARTS if key in node.extras]
    data |= {_PARTS[key]: node.extras[key] for key in given}
    whole: dict[str, Any] = {"op": "replace", "path": pointer("nodes", index, "data")}
    removed = [{"op": "remove", "path": pointer("nodes", index, key)} for key in given]
    return [whole | {"value": data}, *removed]


def _has_settings(node: Node, spec: NodeSpec) -> bool:
    known = {name for one in spec.all_configurations for name in (one.name, *one.aliases)}
    return bool(node.data) and node.data.keys() <= known


def _hint(meant: str | None) -> str:
    if meant:
        return f"did you mean {meant!r}?"
    return "use a type of the editor or of flows, or a catalog type with data.subtype"


def _set(op: str, place: str, value: str) -> dict[str, str]:
    return {"op": op, "path": place, "value": value}
