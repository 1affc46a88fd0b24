"""Data flow: the names and paths that expressions read, and whether their values fit.

An error is reported only where a value can never exist; optional values are guarded with `has()`.
All problems of one text share one patch, so that no patch undoes another.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import TypeAlias

from toolweave.catalog.spec import NodeSpec
from toolweave.cel.fault import fault_at
from toolweave.cel.paths import Path, PathReference, write_path
from toolweave.cel.templates import moved
from toolweave.problems import Problem, Severity, did_you_mean
from toolweave.workflow.checks.cel_fields import CEL_FIELDS
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.foreign_repair import scope_of
from toolweave.workflow.checks.input_fit import InputFit
from toolweave.workflow.checks.loop_lists import LoopLists
from toolweave.workflow.checks.node_facts import NodeFacts, node_table
from toolweave.workflow.checks.path_repair import PathRepair
from toolweave.workflow.checks.path_rewriting import place_of, rewritten, with_size
from toolweave.workflow.checks.prompt_names import PromptNames
from toolweave.workflow.checks.reread_expressions import field_meant, reread
from toolweave.workflow.checks.reserved_ids import by_reserved_id
from toolweave.workflow.checks.spelling import closest
from toolweave.workflow.checks.typed_expressions import never_equal, type_faults, type_repair
from toolweave.workflow.model import Node, NodeId
from toolweave.workflow.scope.loop_items import loop_variable
from toolweave.workflow.scope.reachability import LOOPS
from toolweave.workflow.scope.references import Language, NodeReferences, asked_in
from toolweave.workflow.scope.resolved_path import ResolvedPath, Trouble
from toolweave.workflow.scope.scope import Scope

READS_CONSTANTS = True
_CODES: dict[Trouble, str] = {
    "name": "REFERENCE_NAME_UNKNOWN",
    "node": "REFERENCE_NODE_UNKNOWN",
    "order": "REFERENCE_NOT_RUN",
    "port": "REFERENCE_PORT_UNKNOWN",
    "loop": "REFERENCE_OUTSIDE_LOOP",
    "field": "REFERENCE_FIELD_UNKNOWN",
}
_READING_INPUT = frozenset({"data", "input", "inputs"})


_Wrong: TypeAlias = list[tuple[PathReference, ResolvedPath]]


@dataclass(frozen=True, slots=True)
class DataFlowFault:
    """A problem at a character of a text, and whether the text's patch fixes it."""

    code: str
    offset: int
    message: str
    hint: str | None = None
    severity: Severity = "error"
    is_repaired: bool = False


@dataclass(frozen=True, slots=True)
class _Judged:
    faults: tuple[DataFlowFault, ...] = ()
    ours: str | None = None


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield problems for unknown references, values of the wrong type and missing inputs."""
    flow = _Flow(case, case.once(scope_of))
    for facts in node_table(case).first:
        for problem in flow.node(facts, case.specs[facts.index]):
            yield problem if facts.is_enabled else replace(problem, severity="warning")


class _Flow:
    def __init__(self, case: CheckContext, scope: Scope) -> None:
        self._case = case
        self._scope = scope
        self._path_repair = PathRepair(scope)
        self._feeding = InputFit(case, scope)
        self._naming = PromptNames(scope)
        self._lists = LoopLists(case, scope, self._path_repair)

    def node(self, facts: NodeFacts, spec: NodeSpec | None) -> Iterable[Problem]:
        """The problems of a node; most have nothing that could be wrong."""
        node = facts.node
        found: list[Problem] = []
        is_own = node.type != "mcp" if spec is None else spec.ref in CEL_FIELDS
        if (facts.may_ask or is_own) and (asked := self._scope.asked_by(node)):
            found += self._asked(node, asked)
        if node.ref in LOOPS:
            found += self._lists.problems(node)
        if spec is not None:
            found += self._feeding.missing(node, spec)
        return found

    def _asked(self, node: Node, asked: Sequence[NodeReferences]) -> Iterable[Problem]:
        # Most texts ask for one thing only, and that is right.
        if len(asked) == 1 and asked[0].expression is not None and not self._wrong(node, asked[0]):
            return self._of_right(node, asked)
        return self._of_groups(node, asked)

    def _of_right(self, node: Node, group: Sequence[NodeReferences]) -> list[Problem]:
        """The problems of a text whose references are all right."""
        found: list[Problem] = []
        for one in group:
            # A path alone has no operation that its type could not fit.
            if one.path is None:
                found += self._types(node, one)
        if misfit := self._feeding.misfit(node, group[0]):
            found.append(misfit)
        return found

    def _of_groups(self, node: Node, asked: Sequence[NodeReferences]) -> Iterator[Problem]:
        unordered: dict[NodeId, tuple[NodeReferences, PathReference]] = {}
        for group in [tuple(group) for _, group in groupby(asked, key=attrgetter("steps"))]:
            wrong = [(one, self._wrong(node, one)) for one in group]
            if not any(faults or one.expression is None for one, faults in wrong):
                yield from self._of_right(node, group)
                continue
            for one, faults in wrong:
                for reference, found in faults:
                    if found.trouble == "order" and found.node is not None:
                        unordered.setdefault(found.node, (one, reference))
            yield from self._text(node, wrong)
        for other, (one, reference) in unordered.items():
            yield self._not_run(node, other, one, reference, asked)

    def _types(self, node: Node, asked: NodeReferences) -> Iterator[Problem]:
        if asked.ours == asked.placeholder.content:
            for fault, meant in never_equal(self._scope, node, asked) if "=" in asked.ours else ():
                place = self._case.at(node, *asked.steps)
                found = moved(fault, asked.text, asked.placeholder.at).problem(place)
                if meant is not None:
                    whole = _assembled([asked], [meant])
                    patch = ({"op": "replace", "path": place, "value": whole},)
                    found = replace(found, hint=f"write {meant!r}", patch=patch)
                yield found
            for fault in type_faults(self._scope, node, asked):
                place = self._case.at(node, *asked.steps)
                found = moved(fault, asked.text, asked.placeholder.at).problem(place)
                if (ours := type_repair(self._scope, node, asked)) is not None:
                    whole = _assembled([asked], [ours])
                    patch = ({"op": "replace", "path": place, "value": whole},)
                    found = replace(found, hint=f"write {ours!r}", patch=patch)
                yield found if asked.is_binding else replace(found, severity="warning")

    def _text(self, node: Node, wrong: list[tuple[NodeReferences, _Wrong]]) -> Iterator[Problem]:
        group = [asked for asked, _ in wrong]
        first = group[0]
        judged = [self._judged(node, asked, faults) for asked, faults in wrong]
        if not any(one.faults for one in judged):
            misfit = (
                None if any(faults for _, faults in wrong) else self._feeding.misfit(node, first)
            )
            if misfit is not None:
                yield misfit
            return
        place = self._case.at(node, *first.steps)
        if (field := field_meant(first)) is not None:
            message = f"{first.text!r} is filled once, and a name of a field is expected"
            patch = ({"op": "replace", "path": place, "value": field},)
            yield Problem("EXPRESSION_TEMPLATE", place, message, f"write {field!r}", patch=patch)
            return
        text = self._fitting(node, first, _assembled(group, [one.ours for one in judged]))
        for one in judged:
            for fault in one.faults:
                severity = fault.severity if first.is_binding else "warning"
                found = fault_at(
                    first.text, fault.offset, fault.code, fault.message, fault.hint, severity
                ).problem(place)
                if fault.is_repaired and text != first.text:
                    patch = ({"op": "replace", "path": place, "value": text},)
                    found = replace(found, patch=patch)
                yield found

    def _fitting(self, node: Node, first: NodeReferences, text: str) -> str:
        """Return the fixed text, with a conversion where the new value would not fit."""
        if text == first.text or first.language not in {"value", "config"}:
            return text
        asked = next(iter(asked_in(first.steps, text, first.language)), None)
        misfit = None if asked is None else self._feeding.misfit(node, asked)
        return str(misfit.patch[0]["value"]) if misfit and misfit.patch else text

    def _judged(self, node: Node, asked: NodeReferences, wrong: _Wrong) -> _Judged:
        if asked.expression is None:
            return self._named(node, asked)
        faults: list[DataFlowFault] = []
        ours = asked.ours
        if (other := reread(self._scope, self._path_repair, node, asked, wrong)) is not None:
            fault = self._fault(node, asked, *other.wrong, None)
            return _Judged((replace(fault, hint=other.hint, is_repaired=True),), other.ours)
        for reference, found in wrong:
            if found.trouble == "order":
                continue  # reported once for the node
            if sized := with_size(ours, reference.path, found):
                fault = self._fault(node, asked, reference, found, None)
                faults.append(replace(fault, hint=f"use {sized!r}", is_repaired=True))
                ours = sized
                continue
            meant = by_reserved_id(self._scope, node, reference.path, asked.language)
            meant = meant or self._path_repair.meant(node, reference.path, asked.language, found)
            if meant is None and found.trouble == "name":
                meant = self._path_repair.declared(node, reference.path)
            repaired = None if meant is None else rewritten(ours, reference.path, meant)
            ours = repaired or ours
            faults.append(self._fault(node, asked, reference, found, meant if repaired else None))
        return _Judged(tuple(faults), ours)

    def _named(self, node: Node, asked: NodeReferences) -> _Judged:
        found = self._naming.unknown(node, asked)
        if found is None:
            return _Judged()
        hint = f"did you mean {found.meant!r}?" if found.meant else found.hint
        fault = DataFlowFault(
            found.code,
            asked.placeholder.at,
            found.message,
            hint,
            found.severity,
            found.meant is not None,
        )
        return _Judged((fault,), found.meant)

    def _wrong(self, node: Node, asked: NodeReferences) -> _Wrong:
        """Yield the references that can have no value; those guarded by `has()` are skipped."""
        if asked.expression is None:
            return []
        found = [
            (reference, finding)
            for reference in asked.expression.references
            if not reference.is_optional
            and (finding := self._found(node, reference.path, asked.language)).trouble
        ]
        if not found:
            return found
        tested = [one.path for one in asked.expression.references if one.is_optional]
        found = [one for one in found if not any(_is_guarded(one, path) for path in tested)]
        is_words = asked.language == "words" and any(one.trouble == "name" for _, one in found)
        return [] if is_words else found

    def _found(self, node: Node, path: Path, language: Language) -> ResolvedPath:
        """Resolve a path; a typo is reported even where the run's input is unrestricted."""
        found = self._scope.find(node, path, language)
        if not found.is_open:
            return found
        at = 3 if path[0] == "nodes" else 1
        if not isinstance(path[at], str):
            return found
        before = self._scope.find(node, path[:at], language)
        fields = before.shape.fields
        if before.shape.others != "any" or path[at] in fields or not fields:
            return found
        if closest(str(path[at]), fields) is None:
            return found
        return ResolvedPath(before.shape, "field", at, tuple(fields), before.node, is_certain=False)

    def _fault(
        self,
        node: Node,
        asked: NodeReferences,
        reference: PathReference,
        found: ResolvedPath,
        meant: Path | None,
    ) -> DataFlowFault:
        trouble = found.trouble or "field"
        step = str(reference.path[found.at])
        offset = asked.placeholder.at
        if asked.ours == asked.placeholder.content:
            inside = place_of(asked.ours, reference.path, found.at)
            offset += reference.offset if inside is None else inside
        hint = (
            f"did you mean {_differing(reference.path, meant)!r}?"
            if meant
            else self._hint(node, trouble, reference.path, found)
        )
        return DataFlowFault(
            _CODES[trouble],
            offset,
            self._message(reference, trouble, step, found),
            hint,
            "error" if found.is_certain or self._is_input(reference, found) else "warning",
            meant is not None,
        )

    def _is_input(self, reference: PathReference, found: ResolvedPath) -> bool:
        """Whether it misspells an input that the workflow declares."""
        step, declared = reference.path[found.at], self._scope.inputs.fields
        is_root = found.at == 1 and self._scope.is_started_with(reference.root)
        return is_root and isinstance(step, str) and closest(step, declared) is not None

    def _message(
        self, reference: PathReference, trouble: Trouble, step: str, found: ResolvedPath
    ) -> str:
        match trouble:
            case "name":
                return f"{reference.text!r} starts with the unknown name {step!r}"
            case "node":
                return f"{reference.text!r} refers to node {step!r}, which does not exist"
            case "port":
                return f"{reference.text!r} refers to an unknown port of {found.node!r}: {step!r}"
            case "loop":
                return f"{reference.text!r} is only available inside a loop body"
            case _:
                whose = f"the output of {found.node!r}" if found.node else "the value"
                if found.shape.kinds.isdisjoint({"object"}):
                    return f"{reference.text!r}: {found.shape.words} has no field {step!r}"
                said = "has" if found.is_certain else "names"
                return f"{reference.text!r}: {whose} {said} no field {step!r}"

    def _hint(self, node: Node, trouble: Trouble, path: Path, found: ResolvedPath) -> str | None:
        step = str(path[found.at])
        match trouble:
            case "node":
                known = () if self._path_repair.is_spent else self._scope.graph.nodes
                return did_you_mean(step, known) or "use the id of a node before this one"
            case "port":
                return f"use one of {', '.join(found.known)}"
            case "loop":
                return "connect the node to port 'loop' of a loop"
            case "field" if len(meant := self._path_repair.fields(path, found)) > 1:
                return f"did you mean one of {', '.join(map(write_path, meant[:5]))}?"
            case "field" if others := self._path_repair.of_others(node, path, found):
                there = [*self._path_repair.fields(path, found), *others]
                return f"did you mean one of {', '.join(map(write_path, there[:5]))}?"
            case "field" if found.known:
                return f"available: {', '.join(found.known[:10])}; guard optional fields with has()"
            case "name":
                return "start with data, trigger, nodes, run or the id of a node"
            case _:
                return None

    def _not_run(
        self,
        node: Node,
        other: NodeId,
        one: NodeReferences,
        reference: PathReference,
        asked: Sequence[NodeReferences],
    ) -> Problem:
        """Yield one problem for each referenced node that cannot have run before."""
        reach = self._scope.reach
        is_later = other == node.id or reach.is_before(node.id, other)
        reason, hint = self._why_not_run(node, other, is_later=is_later)
        message = f"{reference.text!r} reads {other!r}, which {reason}"
        inside = (
            one.placeholder.at + reference.offset
            if one.ours == one.placeholder.content
            else one.placeholder.at
        )
        place = self._case.at(node, *one.steps)
        severity: Severity = "error" if one.is_binding else "warning"
        fault = fault_at(one.text, inside, "REFERENCE_NOT_RUN", message, hint, severity)
        patch = None if is_later else self._connection(node, other, asked)
        meant = self._path_repair.meant(node, reference.path, one.language)
        ours = None if meant is None else rewritten(one.ours, reference.path, meant)
        if ours is not None and meant is not None:
            text = _assembled([one], [ours])
            hint = f"did you mean {write_path(meant)!r}?"
            patch = ({"op": "replace", "path": place, "value": text},)
            return replace(fault.problem(place), patch=patch, hint=hint)
        return replace(fault.problem(place), patch=patch)

    def _why_not_run(self, node: Node, other: NodeId, *, is_later: bool) -> tuple[str, str]:
        """Say why a node has no value here, and what to read instead."""
        reach = self._scope.reach
        loop = reach.hiding_loop(other, node.id)
        if reach.is_attached(other):
            return "is attached to an agent and gives no value", "read the output of the agent"
        if loop is not None and loop.id == other:
            hint = f"the body reads the item as {loop_variable(loop)!r} or 'loop.item'"
            return "has a value only after its last iteration", hint
        if is_later:
            return "runs only after this node", "use a node that runs before this one"
        if loop is not None:
            fields = ", ".join(self._scope.value_of(loop.id).fields)
            hint = f"after the loop, read the output of {loop.id!r}: {fields}"
            return f"runs in each iteration of {loop.id!r} and is not seen outside", hint
        hint = f"connect {other!r} to {node.id!r}, directly or through other nodes"
        return "is not connected to this node", hint

    def _connection(
        self, node: Node, other: NodeId, asked: Sequence[NodeReferences]
    ) -> tuple[dict[str, object], ...] | None:
        """Return the missing edge if adding it changes nothing else."""
        source = self._scope.graph.nodes[other]
        spec = self._case.spec(source)
        if any(
            {one.source, one.target} - self._scope.graph.nodes.keys() for _, one in self._case.edges
        ):
            return None  # one of those that lead nowhere may be it
        if self._scope.reach.hiding_loop(other, node.id) or self._scope.reach.is_attached(other):
            return None
        has_one_way = source.type == "mcp" or (
            spec is not None and [port.name for port in spec.output_ports] == ["output"]
        )
        reads_input = any(
            reference.root in _READING_INPUT
            for one in asked
            if one.expression is not None
            for reference in one.expression.references
        )
        edge_id = f"{other}-{node.id}"
        is_taken = any(edge.id == edge_id for _, edge in self._case.edges)
        if not has_one_way or reads_input or node.type != "mcp" or is_taken:
            return None
        edge = {"id": edge_id, "from": other, "to": node.id}
        edge |= {"fromPort": "output", "toPort": "input"}
        return ({"op": "add", "path": "/connections/-", "value": edge},)


def _is_guarded(found: tuple[PathReference, ResolvedPath], tested: Path) -> bool:
    """Whether `has()` guards the reference or the node that may not have run."""
    reference, finding = found
    if reference.path[: len(tested)] == tested:
        return True
    depth = finding.at + 1
    return finding.trouble == "order" and reference.path[:depth] == tested[:depth]


def _differing(wrong: Path, right: Path) -> str:
    """Return the only step that differs, or the whole path."""
    steps = [new for old, new in zip(wrong, right, strict=False) if old != new]
    is_step = len(wrong) == len(right) and len(steps) == 1
    return str(steps[0]) if is_step else PathReference(right, 0).text


def _assembled(group: list[NodeReferences], repaired: list[str | None]) -> str:
    """Return the text with its expressions fixed and older syntax translated."""
    text = group[0].text
    pieces: list[str] = []
    end = 0
    for asked, mine in zip(group, repaired, strict=True):
        ours = asked.ours if mine is None else mine
        if ours != asked.placeholder.content:
            pieces += (text[end : asked.placeholder.at], ours)
            end = asked.placeholder.at + len(asked.placeholder.content)
    return "".join((*pieces, text[end:]))
