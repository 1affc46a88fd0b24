"""What happened to files between two looks."""

from pathlib import Path

import pytest

from toolweave.errors import Denied, Limited
from toolweave.triggers import file_changes as files


def kinds(found: list[files.FileChange]) -> list[tuple[str, str]]:
    return [(change.path, change.event) for change in found]


def test_a_file_counts_once_it_is_the_same_in_two_looks() -> None:
    assert files.changes({}, {}, {"a": "1-5-9"}) == []
    found = files.changes({}, {"a": "1-5-9"}, {"a": "1-5-9"})
    assert kinds(found) == [("a", "created")]
    assert (found[0].modified_ns, found[0].size) == (1, 5)
    assert files.changes({}, {"a": "1-5-9"}, {"a": "2-6-9"}) == []


def test_changed_and_deleted_files_are_told() -> None:
    known, now = {"a": "1-1-1", "b": "1-1-2", "c": "1-1-3"}, {"a": "2-1-1", "c": "1-1-3"}
    found = files.changes(known, now, now)
    assert kinds(found) == [("a", "modified"), ("b", "deleted")]
    assert files.after(known, found) == now


def test_a_look_finds_files_by_pattern_and_below_if_wanted(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("a.csv", "b.txt", "sub/c.csv"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    (tmp_path / "link.csv").symlink_to(tmp_path / "b.txt")
    assert set(files.scan(tmp_path, "*.csv", recursive=False)) == {"a.csv"}
    assert set(files.scan(tmp_path, "*.csv", recursive=True)) == {"a.csv", "sub/c.csv"}
    assert files.scan(tmp_path / "missing", "*", recursive=True) == {}


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_FILES", 2)
    for name in "abc":
        (tmp_path / name).touch()
    with pytest.raises(Limited) as refused:
        files.scan(tmp_path, "*", recursive=False)
    assert refused.value.code == "FILE_WATCH_LIMIT"


def test_only_what_is_within_a_root_is_watched(tmp_path: Path) -> None:
    root, other = tmp_path / "files", tmp_path / "other"
    for folder in (root / "inbox", other):
        folder.mkdir(parents=True)
    (root / "one.json").touch()
    (root / "way-out").symlink_to(other)
    assert files.watched_folder("inbox", [root]) == (root / "inbox", None)
    assert files.watched_folder("one.json", [root]) == (root, "one.json")
    assert files.watched_folder(str(other), [root, other]) == (other, None)
    for path in ("../other", str(other), "way-out", "inbox/../../other"):
        with pytest.raises(Denied) as refused:
            files.watched_folder(path, [root])
        assert refused.value.code == "FILE_DENIED"
