"""`toolweave backup`: one file, whole, while others write."""

import sqlite3
import tarfile
from pathlib import Path

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
        archive.extractall(tmp_path / "again", filter="data")
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
