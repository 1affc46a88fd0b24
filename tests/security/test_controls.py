"""Every security test shows its positive control; this file checks it on the syntax tree.

A test takes the `control` fixture and calls it. A file that consists of controls of other tests
names them in `CONTROLS_OF`.
"""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "safety.md"
# They check the repository itself, and refuse nothing.
ABOUT_TESTS = {"test_controls.py", "test_index.py"}
FOLDERS = ("security", "hostile")
FunctionDef = ast.FunctionDef | ast.AsyncFunctionDef


def files() -> list[Path]:
    found = [path for folder in FOLDERS for path in sorted((TESTS / folder).glob("test_*.py"))]
    return [path for path in found if path.name not in ABOUT_TESTS]


def controls_of(tree: ast.Module) -> list[str]:
    """The tests whose controls a file has, as it says itself."""
    for node in tree.body:
        is_named = isinstance(node, ast.Assign) and any(
            isinstance(one, ast.Name) and one.id == "CONTROLS_OF" for one in node.targets
        )
        if isinstance(node, ast.Assign) and is_named:
            return [
                one.value
                for one in ast.walk(node.value)
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
    return []


def is_shown(test: FunctionDef) -> bool:
    """Whether a test calls its `control` fixture with a reason and a condition."""
    arguments = [one.arg for one in (*test.args.args, *test.args.kwonlyargs)]
    calls = [
        node
        for node in ast.walk(test)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "control"
    ]
    is_said = [len(call.args) == 2 and can_fail(call.args[1]) for call in calls]
    return "control" in arguments and bool(calls) and all(is_said)


def can_fail(condition: ast.expr) -> bool:
    """Whether a condition looks at something, and nothing in it makes it true whatever that is."""
    parts = list(ast.walk(condition))
    if not any(isinstance(one, ast.Name) for one in parts):
        return False
    if any(_is_always_true(one) for one in parts):
        return False
    return not isinstance(condition, ast.Tuple | ast.List | ast.Dict | ast.Set | ast.Lambda)


def _is_always_true(part: ast.AST) -> bool:
    """Whether it is `… or CONSTANT`, or compares a thing with itself."""
    if isinstance(part, ast.BoolOp) and isinstance(part.op, ast.Or):
        return any(isinstance(value, ast.Constant) for value in part.values)
    if isinstance(part, ast.Compare):
        sides = [ast.dump(side) for side in (part.left, *part.comparators)]
        return len(set(sides)) < len(sides)
    return False


def _asserts(test: FunctionDef) -> bool:
    return any(isinstance(one, ast.Assert) for one in ast.walk(test))


def without_control(tree: ast.Module) -> list[str]:
    tests = [node for node in tree.body if isinstance(node, FunctionDef)]
    return [one.name for one in tests if one.name.startswith("test_") and not is_shown(one)]


@pytest.mark.parametrize("file", files(), ids=lambda file: file.name)
def test_every_security_test_has_a_control(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    if named := controls_of(tree):
        assert [one for one in named if not (TESTS / one).exists()] == []
        assert [one for one in tree.body if isinstance(one, FunctionDef) and _asserts(one)]
        return
    assert without_control(tree) == []


@pytest.mark.parametrize(
    ("text", "is_missing"),
    [
        ("def test_a(control):\n control('x', y == 1)\n", False),
        ("async def test_a(control):\n with b:\n  control('x', y)\n", False),
        ("def test_a():\n assert True\n", True),
        ("def test_a(control):\n assert control\n", True),
        ("def test_a(control):\n control('x', True)\n", True),
        ("def test_a(other):\n control('x', y)\n", True),
        ("def test_a(control):\n control('x', 1 == 1)\n", True),
        ("def test_a(control):\n control('x', y == y)\n", True),
        ("def test_a(control):\n control('x', y or True)\n", True),
        ("def test_a(control):\n control('x', (y == 1, 'always true'))\n", True),
        ("def test_a(control):\n control('x', lambda: y)\n", True),
    ],
)
def test_a_test_without_a_control_is_found(text: str, is_missing: bool) -> None:
    assert bool(without_control(ast.parse(text))) is is_missing


def test_the_page_lists_each_promise_with_a_test_and_a_control() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## Promises, tests and controls")[2]
    rows = re.findall(r"^\| (?!promise|---)(.+) \| (.+) \| (.+) \|$", table, re.MULTILINE)
    assert len(rows) >= 6
    for promise, tests, control in rows:
        named = re.findall(r"`([^`]+\.py)`", tests)
        assert named, promise
        assert [one for one in named if not (TESTS / one).exists()] == [], promise
        assert control.strip(), promise
    listed = {name for _, tests, _ in rows for name in re.findall(r"`([^`]+\.py)`", tests)}
    ours = {f"security/{path.name}" for path in files() if path.parent.name == "security"}
    assert ours - listed == set()
