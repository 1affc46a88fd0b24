"""Every example of the README and the pages does what the page says."""

import shutil
from pathlib import Path

import pytest
from tests.docs.console import ROOT, Example, examples_in, includes_in, matches, run

INSTALLED = ("formats.md", "rest.md")  # with the program as it is installed: slower
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
USES = sorted((ROOT / "examples").glob("*/README.md"))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if examples_in(page)], ids=lambda page: page.name
)
def test_examples_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    examples = examples_in(page)
    if any("curl " in example.command for example in examples) and not shutil.which("curl"):
        pytest.skip("curl is not installed")
    compare(examples, run(examples, tmp_path, installed=page.name in INSTALLED))


@pytest.mark.parametrize("page", USES, ids=lambda page: page.parent.name)
def test_a_folder_of_examples_does_what_its_page_shows(page: Path, tmp_path: Path) -> None:
    examples = examples_in(page)
    assert examples
    compare(examples, run(examples, tmp_path, files=page.parent))


def compare(examples: list[Example], printed: list[str]) -> None:
    assert len(printed) == len(examples)
    for example, text in zip(examples, printed, strict=True):
        assert matches(example.expected, text), (
            f"{example.page}:{example.line}: `{example.command}` printed\n{text}"
        )


def test_the_list_of_examples_names_every_folder() -> None:
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert [page for page in USES if f"({page.parent.name}/README.md)" not in listed] == []
    assert len(USES) >= 8


def test_files_that_pages_show_are_the_files_of_docs_src() -> None:
    shown = [include for page in PAGES for include in includes_in(page)]
    for include in shown:
        assert include.shown == include.path.read_text(encoding="utf-8"), include.page
    files = {path for path in (ROOT / "docs_src").rglob("*") if path.is_file()}
    assert {include.path for include in shown} == {
        path for path in files if "__pycache__" not in path.parts
    }


def test_the_comparison_can_fail() -> None:
    assert matches("a\n...\nc\n", "a\nb\nc\n")
    assert not matches("a\nb\n", "a\nc\n")
    assert not matches("", "something\n")
