"""The types of the web pages are those of our OpenAPI; node is needed to make them, not to look."""

import runpy
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.anyio

SCRIPTS = Path(__file__).parents[2] / "scripts"


async def test_the_types_of_the_pages_are_made_from_the_interface_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(SCRIPTS), *sys.path])
    script = runpy.run_path(str(SCRIPTS / "make_web_types.py"))
    document = script["lean"](await script["described"](tmp_path))
    is_fresh = not script["is_stale"](document)
    assert is_fresh, (
        "run `./scripts/uv run --group dev python scripts/make_web_types.py`, commit what it writes"
    )
