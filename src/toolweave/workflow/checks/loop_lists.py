"""Whether a loop goes through a list. Not a check: `data_flow` uses it."""

import re
from collections.abc import Iterator
from dataclasses import replace

from toolweave.cel.language import compile_text
from toolweave.cel.paths import Path, write_path
from toolweave.cel.templates import read_template
from toolweave.patterns import pattern
from toolweave.problems import Problem
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.path_repair import PathRepair
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at
from toolweave.workflow.scope.loop_items import ListSource, full_path, list_source
from toolweave.workflow.scope.resolved_path import ResolvedPath
from toolweave.workflow.scope.scope import TABLE, Scope
from toolweave.workflow.shapes import ValueShape

# JSONPath around a plain path: `$.data.users[*]`.
_JSON_PATH = pattern(r"^\$\.?|(?:\[\*\])+$|\[\]$")
# The last step of a path to a text that is a path itself.
_NAMES_PATH = pattern(r"path|field|key|column|name", re.IGNORECASE)


class LoopLists:
    """The lists of one workflow's loops."""

    def __init__(self, case: CheckContext, scope: Scope, repair: PathRepair) -> None:
        self._case = case
        self._scope = scope
        self._repair = repair

    def problems(self, loop: Node) -> Iterator[Problem]:
        """Yield what keeps a loop from finding its list."""
        source = list_source(loop)
        if source is None:
            yield from self._reversed(loop)
            return
        if source.field != "array_path":
            yield from self._not_a_list(loop, source)
        elif isinstance(source.value, str):
            yield from self._path(loop, source.value, source)

    def _reversed(self, loop: Node) -> Iterator[Problem]:
        """Yield a range of numbers that ends before it begins, so that nothing is done."""
        settings = object_at(loop.data, "configurations")
        first, last = settings.get("start_value", 1), settings.get("end_value")
        is_range = loop.ref == "FLOW.LOOP" and settings.get("loop_type", "for_range") == "for_range"
        if is_range and isinstance(first, int) and isinstance(last, int) and last < first:
            place = self._case.at(loop, "data", "configurations", "end_value")
            message = f"the range ends at {last} before it begins at {first}: nothing is repeated"
            hint = "count up: a smaller start_value or a larger end_value"
            yield Problem("LOOP_RANGE_EMPTY", place, message, hint=hint, severity="warning")

    def _path(self, loop: Node, text: str, source: ListSource) -> Iterator[Problem]:
        if "{{" in text:
            yield from self._filled(loop, text)
            return
        expression = compile_text(full_path(text))
        if not expression.is_usable:
            fault = next(one for one in expression.faults if one.severity == "error")
            place = self._case.at(loop, "data", "configurations", "array_path")
            yield _renamed(fault.problem(place), self._without_signs(loop, text.strip()))
            return
        path = expression.path
        found = None if path is None else self._scope.find(loop, path, "own")
        if path is not None and found is not None and found.trouble:
            yield self._unknown(loop, text, path, found)
        else:
            yield from self._not_a_list(loop, source)

    def _filled(self, loop: Node, text: str) -> Iterator[Problem]:
        """A template in place of the path gives the list itself, where its path is wanted."""
        placeholders = read_template(text).placeholders
        whole = placeholders[0].content if len(placeholders) == 1 else ""
        path = compile_text(whole).path
        if path is None or text.strip() != text[placeholders[0].start : placeholders[0].end]:
            return
        shape = self._scope.find(loop, path, "config").shape
        is_path = shape.is_unknown and _NAMES_PATH.search(str(path[-1]))
        if is_path or shape.kinds <= {"string"}:
            return
        place = self._case.at(loop, "data", "configurations", "array_path")
        message = f"{text!r} gives the list itself; expected the path of the list as text"
        problem = Problem("NODE_INPUT_INVALID", place, message, hint="write it without braces")
        yield _renamed(problem, self._plain(loop, whole))

    def _without_signs(self, loop: Node, text: str) -> str | None:
        """`data.users` for `$.users[*]`, if that may be a list."""
        plain = full_path(_JSON_PATH.sub("", text))
        if (known := self._plain(loop, plain)) is not None:
            return known
        path = compile_text(plain).path if text.startswith("$") else None
        found = None if path is None else self._scope.find(loop, path, "own")
        return plain if found and not found.trouble and found.shape.is_unknown else None

    def _plain(self, loop: Node, text: str) -> str | None:
        """A path that leads to a list; the output of a node is read through `nodes`."""
        path = compile_text(text).path
        if path is not None and path[0] not in TABLE and path[0] in self._scope.graph.nodes:
            text = write_path(("nodes", path[0], "output", *path[1:]))
        path = compile_text(full_path(text)).path
        found = None if path is None else self._scope.find(loop, path, "own")
        return text if found and not found.trouble and "array" in found.shape.kinds else None

    def _unknown(self, loop: Node, text: str, path: Path, found: ResolvedPath) -> Problem:
        place = self._case.at(loop, "data", "configurations", "array_path")
        step = path[found.at]
        message = f"'array_path' {text!r} leads nowhere: there is no {step!r}"
        lists = _lists(found.shape)
        problem = Problem(
            "REFERENCE_FIELD_UNKNOWN" if found.trouble == "field" else "NODE_INPUT_INVALID",
            place,
            message,
            hint=f"lists: {', '.join(lists)}" if lists else None,
            severity="error" if found.is_certain else "warning",
        )
        as_node = self._plain(loop, text)
        if as_node is not None and as_node != text:
            return _renamed(problem, as_node)
        meant = self._repair.meant(loop, path, "own", found)
        if meant is None or "array" not in self._scope.find(loop, meant, "own").shape.kinds:
            return problem
        right = write_path(meant)
        return _renamed(problem, right if full_path(text) == text else right.removeprefix("data."))

    def _not_a_list(self, loop: Node, source: ListSource) -> Iterator[Problem]:
        shape = self._scope.list_of(loop.id)
        if shape.is_unknown or "array" in shape.kinds:
            return
        is_written = source.value is not None
        steps = ("data", source.part, source.field) if is_written else ("data",)
        lists = _lists(shape)
        problem = Problem(
            "NODE_INPUT_INVALID",
            self._case.at(loop, *steps),
            f"{loop.id!r} goes through {shape.words}; expected a list",
            hint=f"lists in it: {', '.join(lists)}" if lists else "read a list instead",
        )
        yield problem if is_written or len(lists) != 1 else self._with_path(loop, problem, lists[0])

    def _with_path(self, loop: Node, problem: Problem, field: str) -> Problem:
        """The only list in what comes in, as the path of the list."""
        value = write_path(("data", field))
        configurations = object_at(loop.data, "configurations")
        if "configurations" not in loop.data or "array_path" in configurations:
            return problem
        path = self._case.at(loop, "data", "configurations", "array_path")
        patch = ({"op": "add", "path": path, "value": value},)
        return replace(problem, hint=f"set array_path to {value!r}", patch=patch)


def _lists(shape: ValueShape) -> list[str]:
    return [name for name, one in shape.fields.items() if one.kinds <= {"array"}]


def _renamed(problem: Problem, text: str | None) -> Problem:
    if text is None:
        return problem
    patch = ({"op": "replace", "path": problem.pointer, "value": text},)
    return replace(problem, hint=f"write {text!r}", patch=patch)
