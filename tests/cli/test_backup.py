"""`toolweave backup`: one file, whole, while others write."""

import fcntl
import os
import sqlite3
import tarfile
from pathlib import Path

import pytest
from tests.cli.driving import Commands


def test_a_backup_holds_everything_but_the_key_of_the_vault(tw: Commands, tmp_path: Path) -> None:
    tw.ok("servers", "add", "demo", "--", "toolweave", "demo-server")
    (tw.state / "workflows").mkdir()
    (tw.state / "workflows" / "one.json").write_text("{}")
    # Somebody is in the middle of writing.
    busy = sqlite3.connect(tw.state / "toolweave.db", isolation_level=None)
    busy.execute("BEGIN IMMEDIATE")
    busy.execute("DELETE FROM servers")
    ran = tw.ok("backup", str(tmp_path / "all.tar.gz"), "--json").json
    busy.execute("ROLLBACK")
    busy.close()
    assert ran["files"] == ["toolweave.db", "workflows"]
    assert (tmp_path / "all.tar.gz").stat().st_mode & 0o777 == 0o600
    with tarfile.open(tmp_path / "all.tar.gz") as archive:
        archive.extractall(tmp_path / "again")
    restored = tw.ok("servers", "list", "--json", TOOLWEAVE_HOME=str(tmp_path / "again")).json
    assert [server["name"] for server in restored] == ["demo"]
    assert (tmp_path / "again" / "workflows" / "one.json").read_text() == "{}"


def test_a_backup_never_writes_over_a_file_and_leaves_nothing_half_done(
    tw: Commands, tmp_path: Path
) -> None:
    there = tmp_path / "there.tar.gz"
    there.write_text("mine")
    refused = tw("backup", str(there))
    assert (refused.code, "[FILE_EXISTS]" in refused.err) == (1, True)
    assert there.read_text() == "mine"
    nothing = tw("backup", str(tmp_path / "new.tar.gz"))
    assert nothing.code == 1
    assert not list(tmp_path.glob("*new*"))
    elsewhere = tw("backup", "x.tar.gz", TOOLWEAVE_DATABASE="postgresql://nobody@localhost/none")
    assert (elsewhere.code, "pg_dump" in elsewhere.err) == (1, True)


def test_a_backup_follows_one_that_was_killed_and_does_not_disturb_another(
    tw: Commands, tmp_path: Path
) -> None:
    tw.ok("servers", "list")
    left = tmp_path / ".all.tar.gz.part"
    left.mkdir()
    (left / "archive").write_text("half")
    held = os.open(left, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)  # as one that is being written
    refused = tw("backup", str(tmp_path / "all.tar.gz"))
    assert (refused.code, "[FILE_EXISTS]" in refused.err) == (1, True)
    assert (left / "archive").read_text() == "half"
    os.close(held)  # it was killed
    tw.ok("backup", str(tmp_path / "all.tar.gz"))
    assert [one.name for one in tmp_path.iterdir() if "all" in one.name] == ["all.tar.gz"]


def test_a_backup_is_written_while_workflows_are_saved_and_deleted(
    tw: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tw.ok("servers", "list")
    folder = tw.state / "workflows"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.json").write_text("{}")
    (folder / ".half.tmp").write_text("{")
    add = tarfile.TarFile.addfile

    def add_slowly(*given: object) -> None:
        add(*given)  # type: ignore[arg-type] # passed on as it is
        (folder / "b.json").unlink(missing_ok=True)
        (folder / "c.json").write_text('{"longer": true}')

    monkeypatch.setattr(tarfile.TarFile, "addfile", add_slowly)
    tw.ok("backup", str(tmp_path / "all.tar.gz"))
    with tarfile.open(tmp_path / "all.tar.gz") as archive:
        names = archive.getnames()
        found = archive.extractfile("workflows/c.json")
        assert found is not None
        assert found.read() == b'{"longer": true}'
    assert "workflows/.half.tmp" not in names
