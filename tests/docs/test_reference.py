"""The reference pages are what the code says now, and nothing public is without a page."""

import re
from functools import cache
from pathlib import Path

from scripts.make_docs import pages, variables

from toolweave.codes.table import CODES

ROOT = Path(__file__).parents[2]
# Not while tests are collected: to make them takes a second.
made = cache(pages)


def test_every_reference_page_is_up_to_date() -> None:
    found = {name: (ROOT / "docs" / name).read_text(encoding="utf-8") for name in made()}
    stale = [name for name, text in made().items() if found[name] != text]
    assert stale == [], "run `./scripts/uv run python scripts/make_docs.py`"
    assert len(found) > 50


def test_every_setting_and_every_code_has_a_line() -> None:
    known = set(variables())
    assert {"HOME", "DATABASE", "VAULT_KEY", "BURST", "DEBUG"} <= known
    settings, codes = made()["settings.md"], made()["codes.md"]
    assert [name for name in known if f"| `TOOLWEAVE_{name}` |" not in settings] == []
    assert [code for code in CODES if f"| `{code}` |" not in codes] == []


def test_every_link_between_pages_leads_somewhere() -> None:
    tops = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
    found = [
        (page, target)
        for page in [*(ROOT / top for top in tops), *(ROOT / "docs").rglob("*.md")]
        for target in re.findall(r"\]\(([\w./-]+)(?:#[\w-]*)?\)", page.read_text(encoding="utf-8"))
    ]
    assert len(found) > 10
    broken = [f"{page.name}: {to}" for page, to in found if not (page.parent / to).exists()]
    assert broken == []


def test_every_page_can_be_reached_from_the_readme_and_is_in_the_navigation() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    names = [page.name for page in (ROOT / "docs").glob("*.md")]
    assert [name for name in names if f"(docs/{name})" not in readme] == []
    assert [name for name in names if f" {name}\n" not in navigation] == []
