"""Saves that a kill or a full disk interrupts: the old or the new content is there, whole."""

import errno
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from tests.security.controls import Control
from tests.storage.disks import small_disk

from rest.drawn import greeting
from security.saving_process import FILE, VAULT_KEY
from toolweave.documents.files import replace_file
from toolweave.errors import ToolweaveError, Unavailable
from toolweave.home import open_home
from toolweave.settings import Settings
from toolweave.storage.files import replace_private, write_private
from toolweave.storage.workflow_files import WorkflowFiles
from toolweave.workflow.formats.load import read
from toolweave.workflow.store import WorkflowStore

pytestmark = pytest.mark.anyio

TESTS = Path(__file__).parents[1]
KILLS, MAX_LINES = 3, 24


def killed_while_saving(folder: Path) -> dict[str, int]:
    """Kill a saving process after some of its saves; return the last number of each kind."""
    command = [sys.executable, "-m", "security.saving_process", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=TESTS) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(random.randint(4, MAX_LINES))]
        process.kill()
        lines += process.stdout.readlines()
    return {what: int(number) for what, number in (line.split() for line in lines)}


async def test_a_kill_during_saves_loses_nothing_and_leaves_nothing_half(
    tmp_path: Path, control: Control
) -> None:
    folder, created = tmp_path / "home", 0
    for _ in range(KILLS):
        done = killed_while_saving(folder)
        control("something of each kind was saved", len(done) == 4)
        created += done["key"]
        async with open_home(Settings(home=folder), environ=VAULT_KEY) as home:
            stored = (await home.workflows.load("w")).workflow
            text = str(stored.nodes[1].data["prompt"]).split()
            secret = int(await home.vault.get("s") or 0)
            keys = await home.database.rows("SELECT name FROM api_keys")
        kept = (folder / FILE).read_text(encoding="utf-8").split()
        found = {"workflow": int(text[0]), "secret": secret, "file": int(kept[0])}
        assert (len(text), len(set(text))) == (2_000, 1)
        assert (len(kept), len(set(kept))) == (5_000, 1)
        for what, number in found.items():
            assert number in (done[what], done[what] + 1), what
        assert created <= len(keys) <= created + 1
        created = len(keys)


async def test_a_full_disk_refuses_saves_and_keeps_what_was_there(
    tmp_path: Path, control: Control
) -> None:
    workflow = read(greeting("w")).workflow
    with small_disk(tmp_path / "disk", "1m") as disk:
        store = WorkflowStore(WorkflowFiles(disk))
        revision = await store.save(workflow, over=None)
        note, private, key = disk / "note.md", disk / "settings", disk / "key"
        replace_private(private, "before")
        replace_private(note, "# Before\n")
        replace_file(note, b"# Before\n", b"# Now\n")
        control("there is room at first", (await store.load("w")).revision == revision)
        fill(disk / "full")
        with pytest.raises(Unavailable) as refused:
            await store.save(workflow, over=revision)
        assert refused.value.code == "STORAGE_FULL"
        with pytest.raises(ToolweaveError) as unwritten:
            replace_file(note, b"# Now\n", b"# After\n" * 2_000)
        assert unwritten.value.code
        for write, path in ((replace_private, private), (write_private, key)):
            with pytest.raises(OSError, match="space") as full:
                write(path, "after" * 2_000)
            assert full.value.errno == errno.ENOSPC
        assert (await store.load("w")).revision == revision
        assert private.read_text(encoding="utf-8") == "before"
        assert note.read_text(encoding="utf-8") == "# Now\n"
        assert not key.exists()
        assert [one.name for one in disk.glob(".*.tmp")] == []


def fill(path: Path) -> None:
    """Take all the space that is left."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4_096)
