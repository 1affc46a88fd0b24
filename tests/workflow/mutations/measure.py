"""Measure how well faults made by rules are caught and fixed, over every node and parameter.

`python -m tests.workflow.mutations.measure` prints the rates by rule. `--rule NAME` takes the rules
that begin so, and lists each fault that is not fixed; `--every N` takes each N-th fault only.
"""

import argparse
import json
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from tests.catalog.builders import our_catalog
from tests.nodes.generated import Generated
from tests.nodes.test_start import start
from tests.workflow.faults.cases import Fault, right_documents
from tests.workflow.faults.measure import (
    Outcome,
    canonical,
    examined,
    known_environment,
    outcome,
)
from tests.workflow.mutations import graph_rules, rules, unclear_rules
from tests.workflow.mutations.documents import example_documents, set_documents, steps_of

from toolweave.catalog.node import NodeCode
from toolweave.catalog.node_input import NodeInput
from toolweave.catalog.spec import Field, NodeSpec
from toolweave.engine.prepared_step import Prepared, prepare
from toolweave.json_text import JsonObject
from toolweave.nodes import discover
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.load import convert, load
from toolweave.workflow.model import Workflow
from toolweave.workflow.modes import object_at
from toolweave.workflow.report import Report

OF_NODES = 5


@dataclass(frozen=True, slots=True)
class Case:
    """A fault, the report of the right document, and what was changed in it."""

    fault: Fault
    right: Report
    detail: str


@cache
def known() -> KnownEnvironment:
    """The home of the measurement."""
    return known_environment()


def cases(
    every: int = 1, rule: str = "", part: int = 0, *, is_wide: bool = False
) -> Iterator[Case]:
    """The faults; with `every`, one of so many parts, chosen by content.

    Wide are also the nodes of the right documents of all sets, one in some for each part.
    """
    chosen = (every, part, rule)
    for name, document, at, spec in example_documents():
        yield from _chosen(name, document, _of_node(document, at, spec), chosen)
    for name, document in set_documents() if is_wide else right_documents().items():
        if not isinstance(document, dict) or not isinstance(document.get("nodes"), list):
            continue
        yield from _chosen(name, document, _of_graph(document), chosen)
        for at, spec in steps_of(document) if is_wide else ():
            if zlib.crc32(f"{name}{at}".encode()) % OF_NODES == part % OF_NODES:
                yield from _chosen(f"{name}/{at}", document, _of_node(document, at, spec), chosen)


def _of_graph(document: rules.Document) -> Iterator[rules.Mutation]:
    yield from graph_rules.references(document)
    yield from graph_rules.edges(document)
    yield from graph_rules.headers(document)
    yield from graph_rules.texts(document)
    yield from unclear_rules.other_nodes(document)


def _of_node(document: rules.Document, at: int, spec: NodeSpec) -> Iterator[rules.Mutation]:
    parts = (("configurations", spec.all_configurations), ("inputParams", spec.inputs))
    for part, fields in parts:
        yield from _of_part(document, at, part, spec, fields)
    yield from rules.levels(document, at)
    yield from rules.kinds(document, at)
    yield from unclear_rules.unclear(document, at, spec)


def _of_part(
    document: rules.Document, at: int, part: str, spec: NodeSpec, fields: tuple[Field, ...]
) -> Iterator[rules.Mutation]:
    given: rules.Document = document["nodes"][at]["data"].get(part) or {}
    taken = {name for field in fields for name in (field.name, *field.aliases)}
    place = f"/nodes/{at}/data/{part}"
    for field in (one for one in fields if one.name in given):
        name, value = field.name, given[field.name]
        for rule, other in rules.names(name, spec):
            if other not in taken:
                new = {other if key == name else key: one for key, one in given.items()}
                made = _with(document, at, part, new)
                yield rules.Mutation(rule, (place,), made, None, f"{name} -> {other}")
        for rule, other in rules.values(value, field):
            if other != value or type(other) is not type(value):
                made = _with(document, at, part, {**given, name: other})
                yield rules.Mutation(rule, (f"{place}/{name}",), made, None, f"{name} = {other!r}")
        for rule, other, without in rules.inner_names(value, field):
            if field.name.endswith("variables"):
                continue  # names of the author, which texts of the node read
            made = _with(document, at, part, {**given, name: other})
            lacking = _with(document, at, part, {**given, name: without})
            detail = f"{name} = {other!r}"
            yield rules.Mutation(rule, (f"{place}/{name}",), made, None, detail, lacking)


@cache
def _is_needed(lacking: str) -> bool:
    """Whether the document without a member is refused, so that its name is the node's own."""
    return not examined(lacking, known()).is_valid


def _with(document: rules.Document, at: int, part: str, values: rules.Document) -> rules.Document:
    nodes = list(document["nodes"])
    nodes[at] = {**nodes[at], "data": {**nodes[at]["data"], part: values}}
    return {**document, "nodes": nodes}


def _chosen(
    name: str,
    document: rules.Document,
    mutations: Iterator[rules.Mutation],
    chosen: tuple[int, int, str],
) -> Iterator[Case]:
    every, part, rule = chosen
    right_text = json.dumps(document, ensure_ascii=False)
    right: Report | None = None
    for number, one in enumerate(mutations):
        text = one.text if one.text is not None else json.dumps(one.document, ensure_ascii=False)
        is_left_out = zlib.crc32(f"{one.rule}{text}".encode()) % every != part % every
        if is_left_out or not one.rule.startswith(rule):
            continue
        right = right or examined(right_text, known())
        if not right.is_valid or any(problem.patch for problem in right.problems):
            return
        if one.lacking is not None and not _is_needed(json.dumps(one.lacking)):
            continue
        fault = Fault(
            id=f"{name}/{one.rule}/{number}",
            family=one.rule,
            right=name,
            text=text,
            at=one.at,
            is_mendable=not one.is_unclear,
            is_never_fixed=one.is_unclear,
            is_of_world=False,
            is_refused=False,
            is_text=one.text is not None,
            accepted=(right_text, *([json.dumps(one.accepted)] if one.accepted else [])),
        )
        if not _is_same(fault, right):
            yield Case(fault, right, one.detail)


def _is_same(fault: Fault, right: Report) -> bool:
    """Whether the wrong document is read as the right one, so that there is no fault."""
    loaded = load(fault.text)
    return not loaded.problems and _form(loaded.workflow) == _form(right.loaded.workflow)


def _form(workflow: Workflow) -> str:
    return canonical(convert(workflow, "toolweave"))


def measured(every: int = 1, rule: str = "") -> dict[str, list[tuple[Case, Outcome]]]:
    """The outcomes by rule."""
    found: dict[str, list[tuple[Case, Outcome]]] = defaultdict(list)
    for case in cases(every, rule):
        found[case.fault.family].append((case, judged(case)))
    return found


def judged(case: Case) -> Outcome:
    """The outcome; wrong is no fix that says the same, and refused what no step starts with."""
    found = outcome(case.fault, case.right, known())
    report = examined(case.fault.text, known())
    is_wrong = found.is_wrong_fix and (
        case.fault.is_never_fixed
        or meaning(report.fixed.workflow) != meaning(case.right.loaded.workflow)
    )
    refused: set[str] = set()
    if report.is_valid:
        refused = refusals(report.loaded.workflow)
    elif report.is_workflow and not any(one.severity == "error" for one in report.fixed.left):
        refused = refusals(report.fixed.workflow)
    if refused:
        refused -= refusals(case.right.loaded.workflow)  # what only a run fills
    return replace(found, is_wrong_fix=is_wrong, is_valid_then_refused=bool(refused))


def meaning(workflow: Workflow) -> str:
    """What a run is given: the settings of each step with defaults, and the edges."""
    nodes: list[object] = []
    for node in workflow.nodes:
        spec = our_catalog().get(*(node.ref or ".").split(".", 1))
        prepared = prepare(node, spec)
        nodes.append([node.id, node.ref, *_parts(spec, prepared)])
    ends = sorted([one.source, one.target, str(one.source_port)] for one in workflow.edges)
    text = json.dumps([nodes, ends], sort_keys=True, default=str)
    return text.replace(".?", ".").replace(".orValue(null)", "")


def _parts(spec: NodeSpec | None, prepared: Prepared) -> Iterator[JsonObject]:
    """The settings, the inputs, and what may stand in either, which a node reads as one."""
    names = {one.name for one in spec.inputs} if spec is not None else set[str]()
    names &= {one.name for one in spec.all_configurations} if spec is not None else set[str]()
    for part in (prepared.config, prepared.inputs):
        yield {name: one for name, one in part.items() if name not in names}
    yield {name: NodeInput(prepared.config, prepared.inputs).value(name) for name in sorted(names)}


def refusals(workflow: Workflow) -> set[str]:
    """What the start of a step refuses by what stands in the document, or crashes with."""
    found: set[str] = set()
    for node in workflow.nodes:
        code = codes().get(node.ref or "")
        if code is None or object_at(node.data, "configurations").get("enabled") is False:
            continue
        config, inputs = (object_at(node.data, part) for part in rules.PARTS)
        required = frozenset(one.name for one in code.spec.inputs if one.required)
        started = start(code, Generated("", config, inputs, required))
        found |= {f"{node.id}: {one.code} {one.message}" for one in started.refused}
        found |= {f"{node.id}: {started.crashed!r}"} if started.crashed is not None else set()
    return found


@cache
def codes() -> dict[str, NodeCode]:
    """The code of every node."""
    return {one.spec.ref: one for one in discover()}


def rates(group: list[tuple[Case, Outcome]]) -> tuple[int, float, float, int, int]:
    """How many there are, the shares caught and fixed, wrong fixes, hints without a patch."""
    count = len(group) or 1
    return (
        len(group),
        100 * sum(one.is_caught for _, one in group) / count,
        100 * sum(one.is_fixed for _, one in group) / count,
        sum(one.is_wrong_fix for _, one in group),
        sum(bool(one.unkept_hints) for _, one in group),
    )


def described(case: Case, one: Outcome) -> str:
    """A fault that is not fixed, and what is said about it."""
    flags = ("" if one.is_caught else "SILENT ") + ("WRONG " if one.is_wrong_fix else "")
    lines = [f"{flags}{case.fault.id} {case.detail[:150]}"]
    report = examined(case.fault.text, known())
    if one.is_valid_then_refused:
        lines += [*refusals(report.loaded.workflow), *refusals(report.fixed.workflow)]
    for problem in report.problems[:4]:
        patch = json.dumps(problem.patch)[:160] if problem.patch else "-"
        said = f"{problem.message[:150]} | {(problem.hint or '')[:150]} | {patch}"
        lines.append(f"      {problem.severity[:1]} {problem.code} {problem.pointer} {said}")
    return "\n".join([*lines, *one.unkept_hints])


def main(arguments: list[str]) -> None:
    """Print the table, and what is not fixed of one rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rule", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--show", type=int, default=40)
    given = parser.parse_args(arguments)
    found = measured(given.every, given.rule)
    everything = [one for group in found.values() for one in group]
    unfixed = [one for one in everything if not one[1].is_fixed or one[1].unkept_hints]
    for case, one in unfixed[: given.show if given.rule else 0]:
        sys.stdout.write(f"{described(case, one)}\n")
    for rule, group in (*sorted(found.items()), ("all", everything)):
        count, caught, fixed, wrong, hints = rates(group)
        shares = f"caught {caught:6.1f}%  fixed {fixed:6.1f}%"
        sys.stdout.write(f"{rule:<26}{count:>7}  {shares}  wrong {wrong:>3}  hints {hints:>3}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
