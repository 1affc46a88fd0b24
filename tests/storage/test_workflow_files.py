"""The folder of workflow files on a real disk."""

import os
from pathlib import Path

import anyio
import pytest

from toolweave.errors import Conflict, Invalid, Unavailable
from toolweave.storage import workflow_files
from toolweave.storage.lock import hold
from toolweave.storage.workflow_files import LOCK, MAX_BYTES, WorkflowFiles

pytestmark = pytest.mark.anyio


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "home" / "workflows"


# Plain functions: a test may wait for the disk.
def _is_there(path: Path) -> bool:
    return path.exists()


def _make(folder: Path) -> None:
    folder.mkdir(parents=True)


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def test_a_folder_that_does_not_exist_is_empty_and_stays_away(root: Path) -> None:
    files = WorkflowFiles(root)
    assert await files.names() == []
    assert await files.read("a.json") is None
    assert not _is_there(root)


async def test_a_file_is_put_replaced_and_removed(root: Path) -> None:
    files = WorkflowFiles(root)
    assert await files.swap("a.json", None, b"1")
    assert await files.swap("a.json", b"1", b"2")
    assert (await files.read("a.json"), await files.names()) == (b"2", ["a.json"])
    assert await files.swap("a.json", b"2", None)
    assert await files.names() == []


@pytest.mark.parametrize("old", [None, b"other"])
async def test_nothing_is_put_over_what_is_not_expected(root: Path, old: bytes | None) -> None:
    files = WorkflowFiles(root)
    await files.swap("a.json", None, b"1")
    assert not await files.swap("a.json", old, b"2")
    assert await files.read("a.json") == b"1"


async def test_nothing_but_the_file_and_the_lock_is_left_behind(root: Path) -> None:
    await WorkflowFiles(root).swap("a.json", None, b"1")
    assert _names_in(root) == {"a.json", LOCK}


@pytest.mark.parametrize(
    "name", ["../a.json", "/a.json", "a/b.json", "A.json", ".json", "a", "a\n.json", "a.json\n", ""]
)
async def test_a_name_of_another_make_is_refused(root: Path, name: str) -> None:
    files = WorkflowFiles(root)
    for attempt in (files.read(name), files.swap(name, None, b"1")):
        with pytest.raises(Invalid) as caught:
            await attempt
        assert caught.value.code == "WORKFLOW_NAME_INVALID"


async def test_a_link_is_neither_listed_nor_read_nor_replaced(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_bytes(b"secret")
    _make(root)
    (root / "a.json").symlink_to(outside)
    files = WorkflowFiles(root)
    assert await files.names() == []
    for attempt in (files.read("a.json"), files.swap("a.json", None, b"1")):
        with pytest.raises(Conflict) as caught:
            await attempt
        assert caught.value.code == "WORKFLOW_FILE_FOREIGN"
    assert outside.read_bytes() == b"secret"
    assert (root / "a.json").is_symlink()


async def test_a_pipe_is_not_waited_for(root: Path) -> None:
    _make(root)
    os.mkfifo(root / "a.json")
    with anyio.fail_after(60), pytest.raises(Conflict) as caught:
        await WorkflowFiles(root).read("a.json")
    assert caught.value.code == "WORKFLOW_FILE_FOREIGN"


async def test_a_file_over_the_limit_is_seen_to_be_and_never_replaced(root: Path) -> None:
    files = WorkflowFiles(root)
    _make(root)
    (root / "a.json").write_bytes(b" " * (MAX_BYTES + 5))
    found = await files.read("a.json")
    assert found is not None
    assert len(found) == MAX_BYTES + 1
    assert not await files.swap("a.json", found, b"1")


async def test_a_new_file_is_the_users_alone_and_an_old_one_keeps_its_permissions(
    root: Path,
) -> None:
    files = WorkflowFiles(root)
    await files.swap("a.json", None, b"1")
    assert (root / "a.json").stat().st_mode & 0o777 == 0o600
    (root / "a.json").chmod(0o644)
    await files.swap("a.json", b"1", b"2")
    assert (root / "a.json").stat().st_mode & 0o777 == 0o644


async def test_of_many_who_save_over_the_same_content_one_succeeds(root: Path) -> None:
    await WorkflowFiles(root).swap("a.json", None, b"0")
    done: list[int] = []

    async def save(number: int) -> None:
        if await WorkflowFiles(root).swap("a.json", b"0", f"{number + 1}".encode()):
            done.append(number + 1)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(10):
                tasks.start_soon(save, number)
    assert len(done) == 1
    assert await WorkflowFiles(root).read("a.json") == str(done[0]).encode()


async def test_a_folder_that_stays_locked_is_said_to_be_busy(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workflow_files, "LOCK_DEADLINE_S", 0.1)
    with hold(root / LOCK), anyio.fail_after(60), pytest.raises(Conflict) as caught:
        await WorkflowFiles(root).swap("a.json", None, b"1")
    assert caught.value.code == "WORKFLOWS_BUSY"


async def test_a_folder_that_is_a_file_is_an_explained_error(root: Path) -> None:
    _make(root.parent)
    _write(root, b"")
    with pytest.raises(Unavailable) as caught:
        await WorkflowFiles(root).swap("a.json", None, b"1")
    assert caught.value.code == "STORAGE_BROKEN"


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (OSError(28, "No space left on device"), "STORAGE_FULL"),
        (OSError(30, "Read-only file system"), "STORAGE_READ_ONLY"),
        (OSError(5, "Input/output error"), "STORAGE_BROKEN"),
    ],
)
async def test_a_failed_write_leaves_the_old_file_and_no_rest(
    root: Path, monkeypatch: pytest.MonkeyPatch, fault: OSError, code: str
) -> None:
    files = WorkflowFiles(root)
    await files.swap("a.json", None, b"1")

    def refuse(*_: object) -> None:
        raise fault

    with monkeypatch.context() as system:
        system.setattr(os, "replace", refuse)
        with pytest.raises(Unavailable) as caught:
            await files.swap("a.json", b"1", b"2")
    assert caught.value.code == code
    assert await files.read("a.json") == b"1"
    assert _names_in(root) == {"a.json", LOCK}


async def test_every_write_gives_a_file_another_stamp(root: Path) -> None:
    files = WorkflowFiles(root)
    assert await files.stamps() == {}
    await files.swap("a.json", None, b"1")
    first = await files.stamps()
    await files.swap("a.json", b"1", b"2")
    second = await files.stamps()
    _write(root / "a.json", b"3 as an editor writes it")
    third = await files.stamps()
    assert first.keys() == second.keys() == third.keys() == {"a.json"}
    assert len({first["a.json"], second["a.json"], third["a.json"]}) == 3
