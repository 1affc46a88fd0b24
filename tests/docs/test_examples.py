"""Every console example of the README and the pages does what the page says."""

import os
from pathlib import Path

import pytest
from tests.docs.console import examples_in, matches, run

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if examples_in(page)], ids=lambda p: p.name
)
def test_examples_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    home, directory = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    directory.mkdir()
    environ = {"PATH": os.environ["PATH"], "TERM": "dumb", "NO_COLOR": "1"}
    for example in examples_in(page):
        printed = run(example, home=home, directory=directory, environ=environ)
        assert matches(example.expected, printed), (
            f"{example.page}:{example.line}: `{' '.join(example.argv)}` printed\n{printed}"
        )


def test_the_comparison_can_fail() -> None:
    assert matches("a\n...\nc\n", "a\nb\nc\n")
    assert not matches("a\nb\n", "a\nc\n")
