"""One process at a time, shown with real processes, some of them killed."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.storage.disks import read_only

from toolweave.errors import Conflict, Unavailable
from toolweave.storage.lock import hold, owner_of

HOLDER = (
    "import sys, pathlib\n"
    "from toolweave.storage.lock import hold\n"
    "with hold(pathlib.Path(sys.argv[1])):\n"
    "    print('held', flush=True)\n"
    "    sys.stdin.read()\n"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "toolweave.lock"


@contextmanager
def holder(path: Path) -> Generator[subprocess.Popen[str]]:
    """Another process that holds the lock until its input ends."""
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_process_is_refused_with_the_pid_of_the_first(path: Path) -> None:
    with holder(path) as process:
        with pytest.raises(Conflict) as caught, hold(path):
            pass
        assert caught.value.code == "STORAGE_IN_USE"
        assert str(process.pid) in caught.value.message
        assert caught.value.facts["pid"] == process.pid


def test_what_a_killed_process_left_is_taken_over(path: Path) -> None:
    for _ in range(3):
        with holder(path) as process:
            process.kill()
            process.wait()
            assert json.loads(path.read_bytes())["pid"] == process.pid
            with hold(path):
                owner = owner_of(path)
                assert owner
                assert owner.pid == os.getpid()


def test_a_process_that_ends_in_good_order_frees_the_lock(path: Path) -> None:
    with holder(path) as process:
        process.communicate("")
        assert process.returncode == 0
        assert owner_of(path) is None
        with hold(path):
            pass


def test_the_lock_is_freed_when_the_work_fails(path: Path) -> None:
    with pytest.raises(LookupError), hold(path):
        raise LookupError
    with hold(path):
        pass


def test_one_process_cannot_hold_the_same_lock_twice(path: Path) -> None:
    with hold(path), pytest.raises(Conflict), hold(path):
        pass


def test_the_file_tells_who_holds_it_and_only_to_its_user(path: Path) -> None:
    with hold(path):
        body = json.loads(path.read_bytes())
        assert set(body) == {"pid", "boot_id", "started_at", "command", "address", "version"}
        assert body["started_at"].endswith("Z")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("left", [b"", b"{", b'{"pid": "x"}', b"\xff" * 100_000])
def test_whatever_the_file_holds_a_free_lock_is_taken(path: Path, left: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(left)
    with hold(path):
        owner = owner_of(path)
        assert owner
        assert owner.pid == os.getpid()


def test_the_lock_does_not_outlive_its_owner_in_a_child(path: Path) -> None:
    with hold(path):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        with hold(path):
            assert child.poll() is None
    finally:
        child.communicate(b"\n")


def test_where_nothing_can_be_written_no_lock_is_needed(path: Path) -> None:
    path.parent.mkdir()
    with read_only(path.parent), hold(path):
        assert not path.exists()


def test_a_link_in_place_of_the_lock_file_is_not_followed(path: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept", encoding="utf-8")
    path.parent.mkdir()
    path.symlink_to(precious)
    with pytest.raises(Unavailable) as caught, hold(path):
        pass
    assert caught.value.code == "STORAGE_BROKEN"
    assert precious.read_text(encoding="utf-8") == "kept"
