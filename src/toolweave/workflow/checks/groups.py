"""Groups and sub-flows: the groups and flows that nodes refer to exist."""

from collections.abc import Iterator, Sequence

from toolweave.errors import Invalid
from toolweave.json_text import JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, did_you_mean, pointer
from toolweave.tools.key_meaning import reordered
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.spelling import Spelling
from toolweave.workflow.ids import slug
from toolweave.workflow.model import Node, NodeId, Workflow

# The setting of FLOW.SUBWORKFLOW that names a workflow.
_CALLED = ("workflow", "workflow_name", "workflow_id")
_PATTERN = pattern(r"[*?\[{]")
_PARTS = pattern(r"[/\\:@#]+")
_SUFFIX = pattern(r"\.(?:json|ya?ml|workflow|flow)$")
_VERSION = pattern(r"\.{1,2}")
# Words around the name of a workflow in other systems.
_AROUND = frozenset(
    {"workflow", "workflows", "flow", "flows", "latest", "current", "local", "subworkflow", "call"}
    | {"ref", "id", "name", "default", "published", "main"}
)


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield unknown groups and flows, and those that contain or call themselves."""
    if node_table(case).grouped:
        yield from _parents(case)
        yield from _nested(case)
    yield from _flows(case)
    yield from _workflows(case)
    yield from _awaited(case)


def _parents(case: CheckContext) -> Iterator[Problem]:
    boxes = [node for node in case.graph.nodes.values() if node.type == "group"]
    groups = Spelling([node.id for node in boxes])
    for index, node in enumerate(case.workflow.nodes):
        if node.parent is None or node.parent in case.graph.nodes:
            continue
        titled = [one.id for one in boxes if node.parent.casefold() in _titles(one)]
        meant = titled[0] if len(titled) == 1 else groups.meant(node.parent)
        if meant == node.id:
            meant = None
        place = pointer("nodes", index, "parentId")
        patch: tuple[dict[str, str], ...] | None = None
        if meant:
            patch = ({"op": "replace", "path": place, "value": meant},)
        elif all(one is node for one in boxes):
            patch = ({"op": "remove", "path": place},)
        hint = "use the id of a group" if patch is None else "remove it: the node is in no group"
        yield Problem(
            "GROUP_UNKNOWN",
            place,
            f"there is no group {shown(node.parent)}",
            hint=f"did you mean {meant!r}?" if meant else hint,
            severity="warning",
            patch=patch,
        )


def _titles(group: Node) -> set[str]:
    return {str(one).casefold() for one in (group.name, group.data.get("label")) if one}


def _nested(case: CheckContext) -> Iterator[Problem]:
    parents = {node.id: node.parent for node in case.graph.nodes.values() if node.parent}
    fine: set[NodeId] = set()
    for start in parents:
        walk: dict[NodeId, None] = {}
        at: NodeId | None = start
        while at is not None and at not in fine and at not in walk:
            walk[at] = None
            at = parents.get(at)
        if at is not None and at in walk:
            place = case.at(case.graph.nodes[at])
            yield Problem(
                "GROUP_CYCLE",
                place,
                f"the group {shown(at)} is inside itself",
                hint="remove the parentId of one of the groups",
                patch=({"op": "remove", "path": f"{place}/parentId"},),
            )
        fine.update(walk)


def _flows(case: CheckContext) -> Iterator[Problem]:
    nodes = list(node_table(case).of_kinds({"subAgentFlow"}))
    flows = (case.whole or case.workflow).subflows if nodes else ()
    known = {flow.id for flow in flows} | (case.known.workflows or frozenset())
    spelling = Spelling([flow.id for flow in flows])
    by_name = {flow.name: flow.id for flow in flows}
    for facts in nodes:
        node, index = facts.node, facts.index
        called = node.data.get("subAgentFlowId")
        place = pointer("nodes", index, "data", "subAgentFlowId")
        if not isinstance(called, str) or called not in known:
            name = called if isinstance(called, str) else ""
            meant = by_name.get(name) or spelling.meant(name) or _of_words(name, flows)
            # Under another name, the node may say which one it calls.
            is_said = called is None and any(one in known for one in _texts(node.data))
            if not name and len(flows) == 1 and not is_said:
                meant = flows[0].id
            yield Problem(
                "SUBFLOW_UNKNOWN",
                place,
                f"there is no sub-agent flow {shown(called)}; expected the id of one in "
                "'subAgentFlows'",
                hint=f"did you mean {meant!r}?"
                if meant
                else "add the flow to 'subAgentFlows', or choose an existing one",
                # `add` also replaces, and the field may be missing.
                patch=({"op": "add", "path": place, "value": meant},) if meant else None,
            )
        elif case.is_subflow and called == case.workflow.id:
            yield _of_itself(place, called)


def _texts(data: JsonObject) -> Iterator[str]:
    yield from (one for one in data.values() if isinstance(one, str))


def _of_words(name: str, flows: Sequence[Workflow]) -> str | None:
    """The only sub-flow whose id has the same words in another order."""
    found = [flow.id for flow in flows if reordered(name, [flow.id])]
    return found[0] if len(found) == 1 else None


def _workflows(case: CheckContext) -> Iterator[Problem]:
    for facts in node_table(case).of_kinds({"FLOW"}):
        if facts.node.ref == "FLOW.SUBWORKFLOW":
            yield from _subworkflow(case, facts.index, facts.node)


def _subworkflow(case: CheckContext, index: int, node: Node) -> Iterator[Problem]:
    settings = node.data.get("configurations")
    for key in _CALLED:
        called = settings.get(key) if isinstance(settings, dict) else None
        if not isinstance(called, str) or not called or "{{" in called:
            continue
        place = pointer("nodes", index, "data", "configurations", key)
        known = case.known.workflows
        own = {case.workflow.id, case.workflow.name}
        if called in own:
            yield _of_itself(place, called)
        elif known is not None and not _is_stored(called, known):
            yield _unknown(place, called, known)


def _awaited(case: CheckContext) -> Iterator[Problem]:
    """Yield workflows that a trigger waits for and that are not stored."""
    known = case.known.workflows
    if known is None:
        return
    for facts in node_table(case).of_kinds({"TRIGGER"}):
        node, index = facts.node, facts.index
        if node.ref != "TRIGGER.WORKFLOW_FAILED":
            continue
        settings = node.data.get("configurations")
        listed = settings.get("workflows") if isinstance(settings, dict) else None
        for at, name in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(name, str) and not (_is_stored(name, known) or _PATTERN.search(name)):
                place = pointer("nodes", index, "data", "configurations", "workflows", at)
                yield _unknown(place, name, known)


def _is_stored(name: str, known: frozenset[str]) -> bool:
    try:
        is_path = name[:1] in {".", "/"}  # such as `./notify`, which no name begins with
        return name in known or (not is_path and slug(name) in known)
    except Invalid:
        return False


def _named(name: str, known: frozenset[str]) -> str | None:
    """The workflow in an address: `./notify.json`, `workflow:notify`, `notify@latest`, an ARN."""
    parts = [one for one in _PARTS.split(_SUFFIX.sub("", name)) if one]
    found = [one for one in parts if one in known]
    others = [one for one in parts if one not in found]
    is_address = name.startswith(("arn:", "urn:", "http")) and parts[-1:] == found
    is_plain = all(one.lower() in _AROUND or _VERSION.fullmatch(one) for one in others)
    is_path = "/" in name and parts[-1:] == found and "@" not in name and ":" not in name
    return found[0] if len(found) == 1 and (is_address or is_plain or is_path) else None


def _unknown(place: str, name: str, known: frozenset[str]) -> Problem:
    meant = _named(name, known) or Spelling(sorted(known)).meant(name)
    return Problem(
        "WORKFLOW_UNKNOWN",
        place,
        f"there is no stored workflow {shown(name)}",
        hint=f"did you mean {meant!r}?"
        if meant
        else did_you_mean(name, known) or "save it first with `toolweave workflows save`",
        severity="warning",
        patch=({"op": "replace", "path": place, "value": meant},) if meant else None,
    )


def _of_itself(place: str, called: str) -> Problem:
    return Problem(
        "SUBFLOW_OF_ITSELF",
        place,
        f"{shown(called)} calls itself; it only ends if a branch skips the call",
        hint="call another workflow, or use FLOW.LOOP to repeat steps",
        severity="warning",
    )
