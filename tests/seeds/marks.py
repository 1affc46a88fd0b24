"""Which tests say that they prove a requirement, read from the source of `tests/`.

The syntax tree is read, not a running session, so partial, parallel and shuffled runs agree.
A mark counts only on a test that pytest collects, never skips, and that asserts something.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from scripts.house_rules import Function, asserting

REQUIREMENT = "requirement"


@dataclass(frozen=True, slots=True)
class Marks:
    """The ids with the tests that prove them, and the marks that prove nothing."""

    tested: dict[str, tuple[str, ...]]
    faults: tuple[str, ...]


def scan(tests: Path, kind: str = REQUIREMENT) -> Marks:
    """Read every Python file under `tests` for the ids of one kind of mark."""
    tested: dict[str, list[str]] = {}
    faults: list[str] = []
    for path in sorted(tests.rglob("*.py")):
        name = path.relative_to(tests.parent).as_posix()
        text = path.read_text(encoding="utf-8")
        if f"mark.{kind}" not in text:
            continue
        try:
            tree = ast.parse(text)
        except SyntaxError as error:
            faults.append(f"{name}:{error.lineno}: cannot be parsed: {error.msg}")
            continue
        for mark, owners in _marks_with_owners(tree, name, kind):
            wrong = [
                f"{name}:{mark.lineno}: {fault}" for fault in _faults_of(mark, owners, tree, kind)
            ]
            faults += wrong
            if not wrong:
                for id in _ids(mark):
                    tested.setdefault(id, []).extend(f"{name}::{test.name}" for test in owners)
    return Marks({id: tuple(names) for id, names in tested.items()}, tuple(faults))


def _marks_with_owners(
    tree: ast.Module, name: str, kind: str
) -> Iterator[tuple[ast.expr, list[Function]]]:
    is_collected = name.rpartition("/")[2].startswith("test_")
    functions = [node for node in tree.body if isinstance(node, Function)]
    tests = [test for test in functions if is_collected and test.name.startswith("test_")]
    owners: dict[ast.expr, list[Function]] = {}
    for test in tests:
        owners |= {mark: [test] for mark in _marks_in(test.decorator_list, kind)}
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
            named = "pytestmark" in names
            owners |= {
                mark: [test for test in tests if named or _decorators_name(test, names)]
                for mark in _marks_in([statement.value], kind)
            }
    for mark in _marks_in([tree], kind):
        yield mark, owners.get(mark, [])


def _decorators_name(test: Function, names: set[str]) -> bool:
    parametrize = [call for call in test.decorator_list if _mark_name(call) == "parametrize"]
    return any(
        isinstance(node, ast.Name) and node.id in names - {"pytest"}
        for call in parametrize
        for node in ast.walk(call)
    )


def _marks_in(roots: Iterable[ast.AST], kind: str) -> Iterator[ast.expr]:
    """The calls of `pytest.mark.KIND`, and its uses that are no call."""
    nodes = [node for root in roots for node in ast.walk(root) if isinstance(node, ast.expr)]
    calls = [node for node in nodes if isinstance(node, ast.Call) and _is_mark(node.func, kind)]
    called = {call.func for call in calls}
    yield from calls
    yield from (node for node in nodes if _is_mark(node, kind) and node not in called)


def _is_mark(node: ast.expr, kind: str) -> bool:
    return isinstance(node, ast.Attribute) and _mark_name(node) == kind


def _mark_name(node: ast.expr) -> str | None:
    """`skip` for `pytest.mark.skip`, `mark.skip` and their calls."""
    attribute = node.func if isinstance(node, ast.Call) else node
    if not isinstance(attribute, ast.Attribute):
        return None
    owner = attribute.value
    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", None)
    return attribute.attr if name == "mark" else None


def _ids(mark: ast.expr) -> list[str]:
    arguments = mark.args if isinstance(mark, ast.Call) else []
    literals = [arg.value for arg in arguments if isinstance(arg, ast.Constant)]
    return [value for value in literals if isinstance(value, str)]


def _faults_of(
    mark: ast.expr, owners: list[Function], tree: ast.Module, kind: str
) -> Iterator[str]:
    arguments = [*mark.args, *mark.keywords] if isinstance(mark, ast.Call) else []
    if not arguments or len(_ids(mark)) != len(arguments):
        yield f"a {kind} mark takes ids as plain string literals, at least one"
    if not owners:
        yield f"a {kind} mark belongs on a test function of a test_*.py file"
    for test in owners:
        if never_runs := {"skip", "xfail"} & set(map(_mark_name, _marks_of(test, tree))):
            yield f"{test.name} is marked {never_runs.pop()}, so it proves nothing"
        if test not in _asserting(tree):
            yield f"{test.name} asserts nothing, so it proves nothing"


@lru_cache(maxsize=1)
def _asserting(tree: ast.Module) -> frozenset[Function]:
    return frozenset(asserting(tree))


def _marks_of(test: Function, tree: ast.Module) -> Iterator[ast.expr]:
    yield from test.decorator_list
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and "pytestmark" in ast.unparse(statement.targets[0]):
            yield from (node for node in ast.walk(statement.value) if isinstance(node, ast.expr))
