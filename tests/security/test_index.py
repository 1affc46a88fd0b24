"""The page about safety names, for each item of the OWASP MCP Top 10, tests that there are."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "safety.md"


def test_every_item_has_tests_that_are_there() -> None:
    rows = re.findall(
        r"^\| (MCP\d\d) .*\| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [item for item, _ in rows] == [f"MCP{number:02}" for number in range(1, 11)]
    for item, cell in rows:
        files = re.findall(r"`([^`]+\.py)`", cell)
        assert len(files) >= 3, item
        for file in files:
            tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
            functions = (ast.FunctionDef, ast.AsyncFunctionDef)
            names = [node.name for node in ast.walk(tree) if isinstance(node, functions)]
            assert [name for name in names if name.startswith("test_")], file
