"""Wording that was retired: no text that a user of the studio can see contains it.

Read are the texts in the source of the pages, and every text in the package: problems, settings,
summaries of nodes, findings of the doctor and templates reach the pages as they are there.
"""

import ast
import json
import re
import runpy
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

import pytest

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
PACKAGE = ROOT / "src" / "toolweave"
# Retired wording, as a pattern without regard to case -> what to say. `{}` is a value in a text.
RETIRED = {
    r"(\d+|\{\}) wrong\b": "1 error",
    r"\bto look at\b": "Problems, or 2 warnings",
    r"\bthrow(s|n|ing)? (it |them )?away\b": "Discard draft",
    r"\bedits are back\b": "Unsaved changes restored",
    r"\bread again, as\b": "Reloaded: changed in another tab",
    r"\bnothing fits\b": "No results",
    r"^not now\b": "Cancel",
    r"\bhow it is set\b": "Configuration mode",
    r"^every value$": "Manual",
    r"\bvalues in words\b": "Describe values (AI)",
    r"\btask in words\b": "Describe task (AI)",
    r"\bsays (what|all)$": "AI values, AI task",
    r"\bwhat it worked with\b": "Parameters",
    r"\bwhat came in\b": "Input",
    r"\bgave nothing\b": "No output",
    r"^what was chosen\b": "AI decision",
    r"^freeze\b": "Lock these values",
    r"\bdid not come to\b": "Not reached in the last run",
    r"\bend is never reached\b": "End is not connected",
    r"\bwait for each other\b": "Circular connection",
    r"\bis required and missing\b": "Enter a city",
    r"\bdouble braces\b": "Insert values with {{ }}",
    r"\bservers of other programs\b": "Import from Claude, Cursor…",
    r"\bapprove exactly this\b": "Approve and start",
    r"\btak(e|es|en|ing) (it |them |this )?back\b": "Unpublish, or undo",
    r"\bgo(es)? away\b": "If the caller disconnects",
    r"\bprove themselves\b": "Authentication",
    r"\bfired last\b": "Last triggered",
    r"\bstarts by itself\b": "is active",
    r"\bwhat the doctor finds\b": "System check",
    r"^keep a token\b": "Add credential",
    r"^fine\.?$": "No errors",
    r"^by: ": "Manual",
    r"\bagain, of\b": "Re-run of 1338",
    r"\bdid (this|these|it) happen\b": "Interrupted steps: did they finish?",
    r"\bi cannot judge\b": "I can't review this",
    # One word of each verdict, in commands and pages.
    r"\bnot judged\b": "not compared",
    r"\bstill fits?\b": "compatible",
    # Of the vocabulary.
    r"\bmend(s|ed|ing|able)?\b": "fix, repair",
    r"\b(tell|tells|telling|told)\b": "report, show, list, notify",
    r"\blook(s|ed|ing)? at\b": "review, read",
    r"\bheed(s|ed|ing)?\b": "follow, respect",
    r"\bbr(ing|ings|ought) (\w+ )?forward\b": "execute, run",
    r"\blies? down\b": "stop",
    r"\bstir(s|red|ring)?\b": "start, change",
    r"\bhears? of\b": "be notified of",
    r"\bbec(o|a)mes? of\b": "happens to",
    r"\bwhoever\b": "the person who",
    r"\b(porch|hindsight|patience|keeper)\b": "the standard term",
}
PATTERNS = {re.compile(retired, re.IGNORECASE): say for retired, say in RETIRED.items()}
IDENTIFIER = re.compile(r"[a-z_]+")
# One text of each kind, to show that it is found.
PLANTED = """
export const title = `${count} fired last`;
export const Page = () => <p aria-label="What came in">{count} wrong<b>.</b></p>;
"""


class Text(NamedTuple):
    file: str
    line: int
    text: str


def retired(texts: list[Text]) -> list[str]:
    """Retired wording in texts, one line each with what to say."""
    return [
        f"{text.file}:{text.line}: {text.text!r}: say {say!r}"
        for text in texts
        # An identifier, or a pattern that reads what others wrote, is not shown to anybody.
        if not IDENTIFIER.fullmatch(text.text) and "(?:" not in text.text
        for pattern, say in PATTERNS.items()
        if pattern.search(text.text)
    ]


def page_texts(files: list[Path]) -> list[Text]:
    """The string literals and the text of elements in files of the pages."""
    build = runpy.run_path(str(ROOT / "scripts" / "build_web.py"))
    try:
        node, npm = build["programs"]()
        build["install"](node, npm)
    except build["Unbuildable"] as error:
        pytest.skip(f"the packages of web/ cannot be installed: {error}")
    script = Path(__file__).with_name("source_texts.mjs")
    done = subprocess.run(
        [node, script, WEB, *files], capture_output=True, text=True, check=True, timeout=110
    )
    return [Text(**text) for text in json.loads(done.stdout)]


def package_texts(source: str, file: str) -> Iterator[Text]:
    """The string literals of a module but docstrings; `{}` for the values of an f-string."""
    tree = ast.parse(source)
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            skipped.add(node.value)
        if isinstance(node, ast.JoinedStr) and node not in skipped:
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            skipped.update(part for part in ast.walk(node) if isinstance(part, ast.Constant))
            yield Text(file, node.lineno, "".join(map(str, parts)))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            yield Text(file, node.lineno, node.value)


def template_texts(path: Path) -> Iterator[Text]:
    """The texts of a workflow that comes with the package."""
    todo: list[object] = [json.loads(path.read_text(encoding="utf-8"))]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            yield Text(path.relative_to(ROOT).as_posix(), 1, value)
        elif isinstance(value, dict):
            todo.extend(cast("dict[str, object]", value).values())
        elif isinstance(value, list):
            todo.extend(cast("list[object]", value))


@cache
def package_files() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "static" not in path.parts)


def test_retired_wording_in_a_page_is_found(tmp_path: Path) -> None:
    planted = tmp_path / "Page.tsx"
    planted.write_text(PLANTED, encoding="utf-8")
    said = [line.partition("say ")[2] for line in retired(page_texts([planted]))]
    assert said == ["'Last triggered'", "'1 error'", "'Input'"]


def test_no_text_of_the_pages_has_retired_wording() -> None:
    files = sorted(
        path
        for path in (WEB / "src").rglob("*.ts*")
        if ".test." not in path.name and path.name != "brandPaths.ts"
    )
    texts = page_texts(files)
    assert len(texts) > 1000
    assert retired(texts) == []


def test_retired_wording_in_the_package_is_found() -> None:
    source = (
        'def f(n):\n    "Told in a docstring."\n    return f"{n} wrong", {"x": "Nothing " "fits"}\n'
    )
    found = retired(list(package_texts(source, "f.py")))
    assert found == [
        "f.py:3: '{} wrong': say '1 error'",
        "f.py:3: 'Nothing fits': say 'No results'",
    ]


def test_no_text_of_the_package_has_retired_wording() -> None:
    texts = [
        text
        for path in package_files()
        for text in package_texts(
            path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        )
    ]
    for folder in ("templates", "demo"):
        texts += [
            text for path in (PACKAGE / folder).glob("*.json") for text in template_texts(path)
        ]
    assert len(texts) > 10_000
    assert retired(texts) == []
