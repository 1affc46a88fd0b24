"""The types of the web pages are those of our OpenAPI; node is needed to make them, not to look."""

import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.anyio

SCRIPTS = Path(__file__).parents[2] / "scripts"


async def test_the_types_of_the_pages_are_made_from_the_interface_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "make_web_types", raising=False)
    import make_web_types  # noqa: PLC0415 # a script is no package

    document = make_web_types.lean(await make_web_types.described(tmp_path))
    stale = make_web_types.is_stale(document)
    assert not stale, "run `./scripts/uv run python scripts/make_web_types.py` and commit its file"
