"""The table of `README.md`: its tests exist, and those by keyboard touch nothing else."""

import ast
import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
NAMED = re.compile(r"`(\w+): ([^`]+)`")
# What moves the focus or the pointer without a key.
POINTING = frozenset(
    (
        *("click", "dblclick", "hover", "tap", "drag_to", "mouse", "focus", "fill"),
        *("check", "uncheck", "select_option", "press_sequentially"),
    )
)
SWITCH = "test_a_switch_has_rows_and_a_port_for_each_case_and_a_menu"
KEYBOARDS = frozenset(("keyboard", "hands", "self"))


@cache
def functions(module: str) -> dict[str, ast.AST]:
    """The functions of a module of these tests, and those that it imports from another one."""
    tree = ast.parse((HERE / f"{module}.py").read_text(encoding="utf-8"))
    found: dict[str, ast.AST] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("e2e."):
            source = functions((node.module or "").removeprefix("e2e."))
            found |= {name.name: source[name.name] for name in node.names if name.name in source}
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef):
            found[node.name] = node
    return found


def begins(module: str, words: str) -> list[str]:
    """The names of functions that begin with these words."""
    prefix = words.replace(" ", "_").replace("-", "_")
    return [
        name
        for name in functions(f"test_{module}")
        if name.removeprefix("test_").startswith(prefix)
    ]


def pointing(module: str, name: str, seen: frozenset[str] = frozenset()) -> list[str]:
    """What a function, or one that it calls, does without the keyboard."""
    known, found = functions(module), list[str]()
    for node in ast.walk(known[name]):
        if isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value).rpartition(".")[2]
            if node.attr in POINTING and owner not in KEYBOARDS:
                found.append(f"{name}: {ast.unparse(node)}")
            if node.attr == "press" and owner not in KEYBOARDS:
                found.append(f"{name}: {ast.unparse(node)}")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = node.func.id
            if called in known and called not in seen | {name}:
                found += pointing(module, called, seen | {name})
    return found


def rows() -> list[dict[str, str]]:
    """The rows of all tables, by the titles of their columns."""
    found, titles = list[dict[str, str]](), list[str]()
    for line in (HERE / "README.md").read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            titles = []
            continue
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not titles:
            titles = [cell.strip() for cell in line.strip("|").split("|")]
        elif not line.startswith("|---"):
            found.append(dict(zip(titles, cells, strict=False)))
    return found


def test_every_test_of_the_table_exists() -> None:
    named = [one for row in rows() for cell in row.values() for one in NAMED.findall(cell)]
    assert len(named) > 100
    assert [one for one in named if not begins(*one)] == []


def test_what_is_listed_as_keyboard_touches_nothing_else() -> None:
    named = {one for row in rows() for one in NAMED.findall(row.get("keyboard", ""))}
    assert len(named) > 20
    found = [
        line
        for module, words in sorted(named)
        for name in begins(module, words)
        for line in pointing(f"test_{module}", name)
    ]
    assert found == []


def test_a_click_in_a_helper_is_found() -> None:
    assert pointing("test_building", "test_a_new_list_item_has_the_focus")
    # In what it calls.
    assert any(line.startswith("add: ") for line in pointing("test_canvas", SWITCH))
