"""Repositories that mean harm, or are only odd: nothing runs, nothing leaves its place."""

import json
import os
from pathlib import Path

import pytest
from tests.library.repo import ENVIRON, MARKETING, Repo

from toolweave.errors import Invalid, TimedOut, Unavailable
from toolweave.home import Home
from toolweave.library import git as git_room
from toolweave.library.git import Git
from toolweave.library.remote import Remote
from toolweave.library.repository import MAX_FILE_BYTES, MAX_FILES, Repository
from toolweave.library.store import LibraryStore

pytestmark = pytest.mark.anyio


async def test_links_submodules_and_deep_files_are_left_out(
    shelf: LibraryStore, tmp_path: Path
) -> None:
    repo = Repo(tmp_path / "odd")
    (repo.folder / "flows" / "link.json").symlink_to("/etc/passwd")
    (repo.folder / "flows" / "away").symlink_to("/etc")
    deep = "/".join(f"d{at}" for at in range(30))
    repo.commit({f"flows/{deep}/x.json": MARKETING, "flows/notes.txt": b"no"})
    commit = repo.git("rev-parse", "HEAD")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},flows/module.json")
    repo.git("commit", "--quiet", "--message=module")
    await shelf.add("odd", str(repo.folder), ref=None, folder=tmp_path)
    listed = await shelf.flows("odd")
    assert [one.name for one in listed.flows] == ["Marketing_Strategy"]
    reasons = {one.path: one.reason for one in listed.skipped}
    assert reasons["flows/link.json"] == "it is a link"
    assert reasons["flows/away"] == "it is a link"
    assert reasons["flows/module.json"] == "it is a submodule"
    assert "deep" in reasons[f"flows/{deep}/x.json"]


async def test_a_large_file_is_never_brought_and_hides_no_other(
    shelf: LibraryStore, home: Home, tmp_path: Path
) -> None:
    large = os.urandom(MAX_FILE_BYTES + 1)
    repo = Repo(tmp_path / "large")
    repo.commit({"flows/large.json": large, "elsewhere/huge.bin": large * 3})
    await shelf.add("large", str(repo.folder), ref=None, folder=tmp_path)
    listed = await shelf.flows("large")
    assert [one.name for one in listed.flows] == ["Marketing_Strategy"]
    assert [one.path for one in listed.skipped] == ["flows/large.json"]
    kept = home.settings.home / "library" / "large.git"
    assert sum(file.stat().st_size for file in kept.rglob("*") if file.is_file()) < MAX_FILE_BYTES


async def test_hooks_and_settings_of_a_repository_do_nothing(
    shelf: LibraryStore, home: Home, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    repo = Repo(tmp_path / "evil")
    script = f"#!/bin/sh\ntouch {mark}\n"
    hooks = repo.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "post-merge", "reference-transaction", "pre-auto-gc"):
        (hooks / name).write_text(script, encoding="utf-8")
        (hooks / name).chmod(0o755)
    (tmp_path / "run.sh").write_text(script, encoding="utf-8")
    (tmp_path / "run.sh").chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "uploadpack.packObjectsHook", "core.sshCommand"):
        repo.git("config", key, str(tmp_path / "run.sh"))
    repo.commit({".gitattributes": b"* filter=x\n", "flows/x.json": MARKETING})
    mark.unlink(missing_ok=True)  # our own commit may have run what the repository says
    await shelf.add("evil", str(repo.folder), ref=None, folder=tmp_path)
    await shelf.flows("evil")
    assert not mark.exists()
    assert not (home.settings.home / "library" / "evil.git" / "hooks").exists()


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"nodes": [], "nodes": []}',
        b'{"nodes": [NaN]}',
        b"\xff\xfe{}",
        b"",
        b'{"nodes": "many", "edges": 3}',
        json.dumps({"flows": [1, None, "x"]}).encode(),
    ],
    ids=["deep", "twice", "nan", "utf-16", "empty", "wrong", "no flows"],
)
async def test_broken_json_is_told_and_nothing_more(
    data: bytes, shelf: LibraryStore, tmp_path: Path
) -> None:
    repo = Repo(tmp_path / "broken", {"flows/a.json": data, "templates/a.json": data})
    await shelf.add("broken", str(repo.folder), ref=None, folder=tmp_path)
    assert (await shelf.flows("broken")).flows == ()
    assert (await shelf.templates("broken")).templates == ()


async def test_only_so_many_files_are_listed(shelf: LibraryStore, tmp_path: Path) -> None:
    files = {f"flows/{at}.json": b'{"nodes": [], "edges": []}' for at in range(MAX_FILES + 5)}
    repo = Repo(tmp_path / "many", files)
    await shelf.add("many", str(repo.folder), ref=None, folder=tmp_path)
    listed = await shelf.flows("many")
    assert (len(listed.flows), len(listed.skipped)) == (MAX_FILES, 5)


@pytest.mark.parametrize(
    "url", ["ext::sh -c 'touch ran'", "https://127.0.0.1:9/x", "http://[::1]/"]
)
async def test_a_protocol_that_was_not_asked_for_is_refused_by_git_too(
    url: str, tmp_path: Path
) -> None:
    repository = Repository(tmp_path / "x.git", Remote(url, "file"), Git(ENVIRON, deadline_s=30))
    await repository.prepare()
    with pytest.raises(Unavailable) as refused:
        await repository.head("main")
    assert refused.value.code == "GITHUB_ERROR"
    assert "not allowed" in refused.value.message


async def test_a_question_that_takes_too_long_ends_at_its_deadline(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nsleep 600 & wait\n", encoding="utf-8")
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{ENVIRON['PATH']}"
    git = Git({**ENVIRON, "PATH": path}, deadline_s=0.2)
    with pytest.raises(TimedOut) as late:
        await git.here(tmp_path, "status")
    assert late.value.code == "GITHUB_ERROR"


async def test_without_git_the_error_says_what_to_install(tmp_path: Path) -> None:
    git = Git({"PATH": str(tmp_path)}, deadline_s=30)
    with pytest.raises(Unavailable) as missing:
        await git.here(tmp_path, "status")
    assert "install git" in (missing.value.hint or "")


async def test_a_repository_that_grows_without_end_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = tmp_path / "x.git" / "objects" / "pack"
    pack.mkdir(parents=True)
    (pack / "large.pack").write_bytes(b"x" * 100)
    monkeypatch.setattr(git_room, "MAX_STORED_BYTES", 50)
    with pytest.raises(Unavailable) as refused:
        await Git(ENVIRON, deadline_s=30).here(tmp_path / "x.git", "version")
    assert "larger than a library may be" in refused.value.message


async def test_what_a_killed_git_left_behind_stops_nobody(
    team: LibraryStore, home: Home, repo: Repo
) -> None:
    (home.settings.home / "library" / "team.git" / "shallow.lock").write_bytes(b"")
    repo.commit({"flows/New.json": {**MARKETING, "metadata": {"name": "New"}}})
    await team.refresh("team")
    assert len((await team.flows("team")).flows) == 2


async def test_the_environment_and_settings_of_the_user_do_not_reach_git(
    shelf: LibraryStore, tmp_path: Path
) -> None:
    with pytest.raises(Invalid):
        await shelf.add("x", "--upload-pack=touch ran", ref=None, folder=tmp_path)
    git = Git({**ENVIRON, "GIT_DIR": "/nowhere", "GIT_SSH": "/bin/false"}, deadline_s=30)
    await Repository(tmp_path / "x.git", Remote(str(tmp_path), "file"), git).prepare()
    done = await git.here(tmp_path / "x.git", "config", "--list", "--show-scope")
    scopes = {line.split()[0] for line in done.out.decode().splitlines()}
    assert scopes == {"local", "command"}
