"""Versions of workflows in both databases: numbered, moved with a rename, pruned."""

import pytest

from toolweave.clock import SystemClock
from toolweave.errors import NotFound
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.storage.workflow_versions import WorkflowVersions

pytestmark = pytest.mark.anyio


async def _numbers(versions: WorkflowVersions, slug: str) -> list[int]:
    return [one.number for one in await versions.list(slug)]


async def test_versions_are_kept_on_both_databases(address: str) -> None:
    async with open_database(address) as database:
        await migrate(database)
        await _recorded(database)


async def _recorded(database: Database) -> None:
    versions = WorkflowVersions(database, SystemClock(), keep=2)
    for text in (b"a", b"a", b"b", b"\xff"):
        await versions.record("one", text, author="ada")
    assert await _numbers(versions, "one") == [3, 2]
    version, content = await versions.get("one", 3)
    assert (version.author, content) == ("ada", b"\xff")
    await versions.set_label("one", 2, "second")
    await versions.record("two", b"x", author=None)
    # The numbers of a renamed workflow continue those of a deleted one of that name.
    await versions.record("two", b"c", author=None, before=b"\xff", moved_from="one")
    assert await _numbers(versions, "one") == []
    assert [(one.number, one.label) for one in await versions.list("two")] == [
        (5, None),
        (4, None),
        (3, "second"),
    ]
    with pytest.raises(NotFound) as missing:
        await versions.get("two", 9)
    assert missing.value.code == "WORKFLOW_VERSION_NOT_FOUND"
