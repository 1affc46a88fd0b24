"""Faults of the drawing: ids, edges, ports, starts and ends, types, groups."""

from collections.abc import Iterator
from copy import deepcopy

from tests.workflow.corpus.bases import Base, Document
from tests.workflow.corpus.faults import Fault, Faults, Fix, cut, drop, parts, put, swapped

ENDS = {"EDGE_TARGET_UNKNOWN", "EDGE_SOURCE_UNKNOWN"}
TYPES = ("NODE_TYPE_UNKNOWN", "NODE_UNKNOWN")
_BEGINS = ("start", "TRIGGER")
_ENDS = ("end", "result")


def faults(base: Base) -> Iterator[Fault]:
    """Every fault of structure that the base has room for."""
    made = Faults(base)
    for each in (_ends, _ports, _edges, _ids, _starts, _types, _subtypes, _groups):
        yield from each(made)


def _set_edge(at: int, key: str, value: object):
    def change(document: Document) -> None:
        parts(document).edges[at][key] = value

    return change


def _ends(made: Faults) -> Iterator[Fault]:
    names = parts(made.document)
    for at, edge in made.edges():
        for key, code in (
            (names.source, "EDGE_SOURCE_UNKNOWN"),
            (names.target, "EDGE_TARGET_UNKNOWN"),
        ):
            name = edge.get(key)
            if not isinstance(name, str):
                continue
            place = f"{at}/{key}"
            slips = {"swapped": swapped(name), "cut": cut(name), "case": name.swapcase()}
            slips["space"] = f"{name} "
            for slip, wrong in slips.items():
                if wrong and wrong != name and len(name) > 2:
                    kind = f"edge-end-{slip}"
                    yield made.made(kind, _set_edge(at, key, wrong), code, fix="same", place=place)
            if at == 0 or at == len(names.edges) - 1:
                change = _set_edge(at, key, "nowhere-at-all")
                yield made.made("edge-end-nowhere", change, code, fix="none", place=place)
                change = _set_edge(at, key, None)
                codes = (code, "FIELD_MISSING", "FIELD_TYPE_WRONG")
                yield made.made("edge-end-null", change, *codes, place=place, grave=False)


def _ports(made: Faults) -> Iterator[Fault]:
    names = parts(made.document)
    for at, edge in made.edges():
        port = edge.get(names.port)
        if port in (None, "output", "out", "result", "loop", "done"):
            continue
        for kind, wrong in (("port-swapped", swapped(port)), ("port-case", port.upper())):
            if wrong and wrong != port:
                change = _set_edge(at, names.port, wrong)
                code = "EDGE_PORT_UNKNOWN"
                yield made.made(kind, change, code, fix="same", place=str(at))
        change = _set_edge(at, names.port, "sideways")
        yield made.made("port-unknown", change, "EDGE_PORT_UNKNOWN", place=str(at))
        if port.startswith("branch-"):
            change = _set_edge(at, names.port, "branch-9")
            yield made.made("branch-unknown", change, "EDGE_PORT_UNKNOWN", place=str(at))
    if names.edges and "toPort" in names.edges[0]:
        change = _set_edge(0, "toPort", "inptu")
        code = "EDGE_TARGET_PORT_UNKNOWN"
        yield made.made("target-port-swapped", change, code, fix="same", grave=False)


def _edges(made: Faults) -> Iterator[Fault]:
    names = parts(made.document)
    if not names.edges:
        return
    ids = [node["id"] for _, node in made.nodes()]
    kinds = {node["id"]: node["type"] for _, node in made.nodes()}

    def added(source: str, target: str, port: object = None):
        def change(document: Document) -> None:
            edge: Document = {"id": "added", names.source: source, names.target: target}
            if port is not None:
                edge[names.port] = port
            parts(document).edges.append(edge)

        return change

    inner = [one for one in ids if kinds[one] not in (*_BEGINS, *_ENDS, "group", "MEMORY", "TOOL")]
    itself = added(inner[0], inner[0])
    yield made.made("edge-to-itself", itself, "EDGE_TO_ITSELF", fix="none")
    pairs = [(one[names.source], one[names.target]) for one in names.edges]
    loops = {one["id"] for _, one in made.nodes() if one.get("data", {}).get("subtype") == "LOOP"}
    steps = set(inner) - loops
    back = next(((b, a) for a, b in pairs if {a, b} <= steps), None)
    if back is not None:
        port = next(
            (
                one[names.port]
                for one in names.edges
                if one[names.source] == back[0] and one.get(names.port)
            ),
            None,
        )
        cycle = added(*back, port)
        yield made.made("cycle", cycle, "CIRCULAR_DEPENDENCY", fix="none")

    def twice(document: Document) -> None:
        edges = parts(document).edges
        edges.append({**deepcopy(edges[0]), "id": "again"})

    yield made.made("edge-twice", twice, "EDGE_DUPLICATE", fix="same", grave=False)
    if len(names.edges) > 1 and all("id" in one for one in names.edges):
        change = _set_edge(1, "id", names.edges[0]["id"])
        yield made.made("edge-id-twice", change, "EDGE_ID_DUPLICATE", fix="valid", grave=False)
    into = next((at for at, one in made.edges() if one[names.target] in inner), None)
    # In a flow names are found wherever they are given.
    if into is not None and not made.base.name.startswith("flow"):

        def removed(document: Document) -> None:
            del parts(document).edges[into]

        told = ("NODE_UNREACHED", "START_MISSING", "INPUT_MISSING", "FIELD_REQUIRED", "BRANCH_OPEN")
        more = ("END_UNREACHED", "REFERENCE_NOT_RUN")
        yield made.made("edge-lost", removed, *told, *more, grave=False)


def _ids(made: Faults) -> Iterator[Fault]:
    nodes = [node for _, node in made.nodes()]

    def again(document: Document) -> None:
        parts(document).nodes.append(deepcopy(parts(document).nodes[1]))

    yield made.made("node-twice", again, "NODE_ID_DUPLICATE", fix="same")
    change = put(nodes[0]["id"], len(nodes) - 1, "id")
    yield made.made("id-of-another", change, "NODE_ID_DUPLICATE")
    change = put("", 1, "id")
    yield made.made("id-empty", change, "NODE_ID_MISSING", "FIELD_MISSING")
    yield made.made("id-lost", drop(1, "id"), "NODE_ID_MISSING", *ENDS)
    change = put(7, 1, "id")
    codes = ("NODE_ID_MISSING", "FIELD_TYPE_WRONG")
    yield made.made("id-number", change, *codes, *ENDS, grave=False)

    def none(document: Document) -> None:
        parts(document).nodes.clear()
        parts(document).edges.clear()

    yield made.made("no-nodes", none, "WORKFLOW_EMPTY")


def _without(kinds: tuple[str, ...], *, edges: bool):
    def change(document: Document) -> None:
        found = parts(document)
        gone = {one["id"] for one in found.nodes if one["type"] in kinds}
        found.nodes[:] = [one for one in found.nodes if one["id"] not in gone]
        if edges:
            found.edges[:] = [
                one
                for one in found.edges
                if one[found.source] not in gone and one[found.target] not in gone
            ]

    return change


def _starts(made: Faults) -> Iterator[Fault]:
    kinds = {node["type"] for _, node in made.nodes()}
    drawn = "start" in kinds
    names = parts(made.document)
    if drawn:
        code = ("START_MISSING", "EDGE_SOURCE_UNKNOWN")
        lost = _without(("start",), edges=True)
        yield made.made("start-lost", lost, *code, fix="valid", grave=False)
        lost = _without(("start",), edges=False)
        yield made.made("start-lost-alone", lost, *code, fix="none")

        def second(document: Document) -> None:
            found = parts(document)
            start = deepcopy(next(one for one in found.nodes if one["type"] == "start"))
            start["id"] = "start-again"
            found.nodes.append(start)
            to = found.edges[0][names.target]
            found.edges.append({"id": "x", names.source: "start-again", names.target: to})

        yield made.made("start-twice", second, "START_TWICE", fix="valid", grave=False)
    if "end" in kinds:
        lost = _without(("end",), edges=True)
        yield made.made("end-lost", lost, "END_MISSING", fix="valid", grave=False)
        lost = _without(("end",), edges=False)
        codes = ("END_MISSING", "EDGE_TARGET_UNKNOWN")
        yield made.made("end-lost-alone", lost, *codes, fix="none")


def _types(made: Faults) -> Iterator[Fault]:
    for at, node in made.nodes():
        kind = node["type"]
        is_catalog = kind.isupper()
        slips = {"type-swapped": swapped(kind), "type-cut": cut(kind)}
        slips["type-case"] = kind.lower() if is_catalog else kind.capitalize()
        if is_catalog:
            slips["type-suffix"] = f"{kind}_NODE"
        if kind in ("note", "group"):
            continue
        for name, wrong in slips.items():
            is_older = made.base.name.startswith("agent-team") and name in (
                "type-case",
                "type-suffix",
            )
            if wrong and wrong != kind and not is_older:
                change = put(wrong, at, "type")
                # Readers write the values of a flow's inputs in one way, if they know them.
                fix: Fix = "valid" if kind == "multi_input" else "same"
                codes = (*TYPES, "NODE_TYPE_CORRECTED")
                yield made.made(name, change, *codes, fix=fix, place=node["id"])
        if at == 1:
            yield made.made("type-nonsense", put("quantumSolver", at, "type"), *TYPES)
            yield made.made(
                "type-lost", drop(at, "type"), *TYPES, "FIELD_MISSING", "FIELD_TYPE_WRONG"
            )
            change = put(None, at, "type")
            yield made.made("type-null", change, *TYPES, "FIELD_MISSING", "FIELD_TYPE_WRONG")


def _subtypes(made: Faults) -> Iterator[Fault]:
    for at, node in made.nodes():
        owner = node if "subtype" in node else node.get("data", {})
        subtype = owner.get("subtype")
        if not isinstance(subtype, str):
            continue
        steps = (at, "subtype") if owner is node else (at, "data", "subtype")
        is_tool = subtype.startswith("MCP:")
        slips = {"subtype-swapped": swapped(subtype), "subtype-cut": cut(subtype)}
        if not is_tool and not made.base.name.startswith("agent-team"):
            slips["subtype-case"] = subtype.lower()
            slips["subtype-hyphen"] = subtype.replace("_", "-").title()
        for name, wrong in slips.items():
            if wrong and wrong != subtype:
                yield made.made(name, put(wrong, *steps), *TYPES, fix="same", place=node["id"])
        nonsense = put("QUANTUM_SOLVER", *steps)
        yield made.made("subtype-nonsense", nonsense, *TYPES, place=node["id"])
        yield made.made("subtype-lost", drop(*steps), *TYPES, place=node["id"])


def _groups(made: Faults) -> Iterator[Fault]:
    for at, node in made.nodes():
        group = node.get("parentId")
        if isinstance(group, str) and (wrong := swapped(group)):
            change = put(wrong, at, "parentId")
            yield made.made("group-swapped", change, "GROUP_UNKNOWN", fix="same", grave=False)
        if node["type"] == "group":
            change = put(node["id"], at, "parentId")
            yield made.made("group-in-itself", change, "GROUP_CYCLE", fix="same")
        called = node.get("data", {}).get("subAgentFlowId")
        if isinstance(called, str) and (wrong := swapped(called)):
            change = put(wrong, at, "data", "subAgentFlowId")
            yield made.made("subflow-swapped", change, "SUBFLOW_UNKNOWN", fix="same")
            change = drop(at, "data", "subAgentFlowId")
            codes = ("SUBFLOW_UNKNOWN", "FIELD_REQUIRED")
            yield made.made("subflow-lost", change, *codes, fix="same")
        attached = next(
            (
                owner
                for owner in (node, node.get("data", {}))
                if owner.get("attachedNodes") or owner.get("attached_nodes")
            ),
            None,
        )
        if attached is None:
            continue
        key = "attachedNodes" if "attachedNodes" in attached else "attached_nodes"
        steps = (at, key) if attached is node else (at, "data", key)
        first = attached[key][0]
        if wrong := swapped(first):
            change = put(wrong, *steps, 0)
            yield made.made("attached-swapped", change, "ATTACHED_UNKNOWN", fix="same")
        change = put("nowhere-at-all", *steps, 0)
        yield made.made("attached-nowhere", change, "ATTACHED_UNKNOWN", fix="valid")
        change = put(first, *steps)
        yield made.made(
            "attached-text", change, "ATTACHED_UNKNOWN", "FIELD_TYPE_WRONG", fix="valid"
        )
