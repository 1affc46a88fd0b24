"""What is kept, for how long, and what happens when the remote is gone."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.library.repo import MARKETING, Repo

from toolweave.errors import Conflict, Invalid, NotFound, Unavailable
from toolweave.home import Home
from toolweave.library.home_libraries import library_store
from toolweave.library.store import LibraryStore
from toolweave.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


async def keys(home: Home) -> set[str]:
    rows = await home.database.rows("SELECT entry FROM library_entries")
    return {str(row[0]) for row in rows}


async def test_flows_and_templates_are_kept_under_the_keys_of_the_seed(
    team: LibraryStore, home: Home
) -> None:
    assert [one.name for one in (await team.flows("team")).flows] == ["Marketing_Strategy"]
    assert (await team.flow("team", "Marketing_Strategy")).document == MARKETING
    assert (await team.template("team", "Campaign")).id == "t-2"
    assert {
        "flows:list:main",
        "flow:Marketing_Strategy:main",
        "template:Campaign:main",
    } <= await keys(home)


async def test_a_list_holds_metadata_and_no_contents(team: LibraryStore, home: Home) -> None:
    (entry,) = (await team.flows("team")).flows
    assert (entry.version, entry.description, entry.node_count) == (
        "1.0.0",
        "The flow Marketing_Strategy",
        4,
    )
    row = await home.database.row("SELECT value FROM library_entries")
    assert row is not None
    assert "selectedTemplateId" not in str(row[0])
    assert await keys(home) == {"flows:list:main"}


async def test_the_remote_is_asked_again_only_after_fifteen_minutes(
    team: LibraryStore, repo: Repo, clock: FakeClock
) -> None:
    await team.flows("team")
    await team.templates("team")
    asked = team.asked
    repo.commit({"flows/Second.json": {**MARKETING, "metadata": {"name": "Second"}}})
    await clock.advance(14 * 60)
    assert len((await team.flows("team")).flows) == 1
    assert (await team.template("team", "Campaign")).id == "t-2"
    assert team.asked == asked
    await clock.advance(2 * 60)
    assert [one.name for one in (await team.flows("team")).flows] == [
        "Marketing_Strategy",
        "Second",
    ]
    assert team.asked > asked


async def test_where_nothing_changed_only_the_ref_is_asked_for(
    team: LibraryStore, clock: FakeClock
) -> None:
    await team.flows("team")
    await clock.advance(16 * 60)
    asked = team.asked
    await team.flows("team")
    assert team.asked == asked + 1


async def test_many_who_ask_at_once_cause_one_question(
    team: LibraryStore, clock: FakeClock
) -> None:
    await clock.advance(16 * 60)
    asked = team.asked

    async def ask() -> None:
        assert len((await team.flows("team")).flows) == 1

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(ask)
    # The ref, and the folder of flows.
    assert team.asked == asked + 2


async def test_without_the_remote_the_old_is_served_and_said_to_be_old(
    team: LibraryStore, home: Home, repo: Repo, clock: FakeClock, tmp_path: Path
) -> None:
    await team.flows("team")
    await team.templates("team")
    repo.folder.rename(tmp_path / "gone")
    await clock.advance(16 * 60)
    after_restart = library_store(home)
    listed = await after_restart.flows("team")
    assert [one.name for one in listed.flows] == ["Marketing_Strategy"]
    assert "did not answer" in (listed.at.stale or "")
    assert (await after_restart.flow("team", "Marketing_Strategy")).document == MARKETING
    assert (await after_restart.template("team", "Campaign")).id == "t-2"
    # A silent remote is left alone for a while.
    assert after_restart.asked == 1
    with pytest.raises(Unavailable) as failed:
        await after_restart.refresh("team")
    assert failed.value.code == "GITHUB_ERROR"


async def test_a_remote_that_is_no_repository_is_an_error_and_leaves_nothing(
    shelf: LibraryStore, home: Home, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(Unavailable) as failed:
        await shelf.add("x", "empty", ref=None, folder=tmp_path)
    assert failed.value.code == "GITHUB_ERROR"
    assert await shelf.list() == ()
    assert not (home.settings.home / "library" / "x.git").exists()


async def test_refs_are_branches_tags_and_commits(team: LibraryStore, repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.git("tag", "--annotate", "--message=one", "v1")
    repo.git("checkout", "--quiet", "-b", "next")
    repo.commit({"flows/Next.json": {**MARKETING, "metadata": {"name": "Next"}}})
    for ref, count in (("v1", 1), (first, 1), ("next", 2)):
        found = await team.flows("team", ref)
        assert (found.at.ref, len(found.flows)) == (ref, count)
    assert (await team.flows("team", "v1")).at.commit == first
    with pytest.raises(NotFound) as missing:
        await team.flows("team", "nowhere")
    assert missing.value.code == "LIBRARY_REF_NOT_FOUND"


async def test_a_library_is_added_once_and_gone_when_removed(
    team: LibraryStore, home: Home, repo: Repo
) -> None:
    with pytest.raises(Conflict) as taken:
        await team.add("team", str(repo.folder), ref=None, folder=repo.folder)
    assert taken.value.code == "LIBRARY_NAME_TAKEN"
    await team.flows("team")
    await team.remove("team")
    assert await team.list() == ()
    assert await keys(home) == set()
    assert not (home.settings.home / "library" / "team.git").exists()
    with pytest.raises(NotFound) as missing:
        await team.flows("team")
    assert missing.value.code == "LIBRARY_NOT_FOUND"


async def test_an_unknown_flow_is_named(team: LibraryStore) -> None:
    with pytest.raises(NotFound) as missing:
        await team.flow("team", "Marketing_Strateg")
    assert missing.value.code == "FLOW_NOT_FOUND"
    assert missing.value.message == "Flow not found: Marketing_Strateg"
    assert "Marketing_Strategy" in (missing.value.hint or "")


async def test_an_export_of_several_flows_gives_each(team: LibraryStore, repo: Repo) -> None:
    flows: list[dict[str, Any]] = [
        {
            "meta": {"id": f"f{at}", "name": f"Flow {at}", "version": "1.0.0"},
            "nodes": [],
            "edges": [],
        }
        for at in range(3)
    ]
    repo.commit({"flows/export.json": {"metadata": {"flowCount": 3}, "flows": flows}})
    await team.refresh("team")
    found = await team.flow("team", "f1")
    assert (found.entry.name, found.document) == ("Flow 1", flows[1])


async def test_five_hundred_flows_come_in_three_questions(
    shelf: LibraryStore, tmp_path: Path
) -> None:
    files = {
        f"flows/flow-{at}.json": {**MARKETING, "metadata": {"name": f"flow-{at}"}}
        for at in range(500)
    }
    repo = Repo(tmp_path / "large", files)
    await shelf.add("large", str(repo.folder), ref="main", folder=tmp_path)
    assert len((await shelf.flows("large")).flows) == 500
    # The ref, its trees, and all contents at once: that is what keeps it within two seconds.
    assert shelf.asked == 3


@pytest.mark.requirement("003:performance.parallel-fetch")
async def test_all_templates_come_in_one_question(team: LibraryStore, repo: Repo) -> None:
    one = {"template": "x {a}", "variables": ["a"]}
    repo.commit({f"templates/t{at}.json": one for at in range(20)})
    await team.refresh("team")
    asked = team.asked
    assert len((await team.templates("team")).templates) == 22
    assert team.asked == asked + 1


async def test_a_broken_file_is_told_and_hides_no_other(team: LibraryStore, repo: Repo) -> None:
    repo.commit({"flows/broken.json": b"{not json", "flows/other.json": b'{"a": 1}'})
    await team.refresh("team")
    listed = await team.flows("team")
    assert [one.name for one in listed.flows] == ["Marketing_Strategy"]
    assert {one.path for one in listed.skipped} == {"flows/broken.json", "flows/other.json"}
    with pytest.raises(Invalid) as broken:
        await team.flow("team", "broken")
    assert broken.value.code == "PARSE_ERROR"


async def test_a_repository_without_the_folders_is_empty(
    shelf: LibraryStore, tmp_path: Path
) -> None:
    repo = Repo(tmp_path / "bare", {"README.md": b"nothing"})
    await shelf.add("none", str(repo.folder), ref=None, folder=tmp_path)
    assert (await shelf.flows("none")).flows == ()
    assert (await shelf.templates("none")).templates == ()
