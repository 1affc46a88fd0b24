"""Writing: all or nothing, never outside, never over what is not ours or was edited."""

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.export.speaking import a_node, a_workflow, exported

from toolweave.errors import Conflict, Invalid, NotFound, Unavailable
from toolweave.export import reimport as importing
from toolweave.export.exporter import Export, ExportedFile
from toolweave.export.folder import changes, write
from toolweave.export.reimport import import_path
from toolweave.workflow.model import WorkflowId

HELPER = a_node("subAgent", {"description": "Helps"}, name="helper")
FLOW = a_workflow(HELPER, name="My flow")
ENTRY = ".claude/skills/my-flow/SKILL.md"
AGENT = ".claude/agents/helper.md"


def written(folder: Path, flow: object = FLOW, *, force: bool = False) -> dict[str, str]:
    """Export into the folder; the state each file had."""
    assert isinstance(flow, type(FLOW))
    planned = changes(exported(flow, "claude-skill"), folder)
    write(planned, folder, force=force)
    return {change.file.path: change.state for change in planned}


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_files_are_written_and_written_again_only_when_they_changed(tmp_path: Path) -> None:
    assert written(tmp_path / "new") == {ENTRY: "new", AGENT: "new"}
    assert set(tree(tmp_path / "new")) == {ENTRY, AGENT}
    assert written(tmp_path / "new") == {ENTRY: "same", AGENT: "same"}
    changed = replace(FLOW, description="Now with words.")
    assert written(tmp_path / "new", changed) == {ENTRY: "changed", AGENT: "same"}
    assert "Now with words." in (tmp_path / "new" / ENTRY).read_text(encoding="utf-8")


def test_a_new_file_can_be_read_by_others_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    written(tmp_path)
    assert stat.S_IMODE((tmp_path / ENTRY).stat().st_mode) == 0o644
    (tmp_path / ENTRY).chmod(0o600)
    written(tmp_path, replace(FLOW, description="Other."))
    assert stat.S_IMODE((tmp_path / ENTRY).stat().st_mode) == 0o600


@pytest.mark.parametrize("at", [ENTRY, AGENT])
def test_a_file_of_somebody_else_stops_everything_unless_forced(tmp_path: Path, at: str) -> None:
    (tmp_path / at).parent.mkdir(parents=True)
    (tmp_path / at).write_text("mine", encoding="utf-8")
    with pytest.raises(Conflict) as refused:
        written(tmp_path)
    assert refused.value.code == "EXPORT_REFUSED"
    assert [one["code"] for one in refused.value.facts["problems"]] == ["EXPORT_FILE_FOREIGN"]
    assert tree(tmp_path) == {at: b"mine"}
    assert written(tmp_path, force=True)[at] == "foreign"
    assert tree(tmp_path)[at] != b"mine"


def test_a_file_edited_by_hand_stops_everything_unless_forced(tmp_path: Path) -> None:
    written(tmp_path)
    with (tmp_path / AGENT).open("a", encoding="utf-8") as file:
        file.write("My own words.\n")
    before = tree(tmp_path)
    with pytest.raises(Conflict) as refused:
        written(tmp_path, replace(FLOW, description="Other."))
    assert [one["code"] for one in refused.value.facts["problems"]] == ["EXPORT_EDITED"]
    assert tree(tmp_path) == before
    assert written(tmp_path, force=True) == {ENTRY: "same", AGENT: "edited"}


def test_another_workflow_never_takes_the_agent_of_this_one(tmp_path: Path) -> None:
    written(tmp_path)
    other = replace(FLOW, name="Other flow", nodes=(replace(HELPER, data={}),))
    with pytest.raises(Conflict, match="helper"):
        written(tmp_path, other)
    namesake = replace(FLOW, id=WorkflowId("another"), description="Not the same.")
    with pytest.raises(Conflict, match="my-flow"):
        written(tmp_path, namesake)


def test_two_targets_of_one_workflow_share_its_agents(tmp_path: Path) -> None:
    written(tmp_path)
    command = changes(exported(FLOW, "claude-command"), tmp_path)
    assert [change.state for change in command] == ["new", "same"]


@pytest.mark.parametrize("at", [".claude", ".claude/skills", ".claude/skills/my-flow", ENTRY])
def test_no_link_is_followed_even_when_forced(tmp_path: Path, at: str) -> None:
    outside, project = tmp_path / "outside", tmp_path / "project"
    outside.mkdir()
    (project / at).parent.mkdir(parents=True)
    (project / at).symlink_to(outside / "x" if at == ENTRY else outside)
    with pytest.raises(Conflict) as refused:
        written(project, force=True)
    assert {one["code"] for one in refused.value.facts["problems"]} == {"EXPORT_PATH_UNSAFE"}
    assert tree(outside) == {}


def test_a_pipe_or_a_file_in_the_way_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / AGENT).parent.mkdir(parents=True)
    os.mkfifo(tmp_path / AGENT)
    (tmp_path / ".claude/skills").write_text("a file", encoding="utf-8")
    states = [change.state for change in changes(exported(FLOW, "claude-skill"), tmp_path)]
    assert states == ["blocked", "blocked"]


@pytest.mark.parametrize("path", ["../x.md", "/x.md", "a/../../x.md"])
def test_a_path_that_leads_outside_is_refused(tmp_path: Path, path: str) -> None:
    planned = changes(Export("t", (ExportedFile(path, "x"),)), tmp_path / "in")
    with pytest.raises(Conflict):
        write(planned, tmp_path / "in", force=True)
    assert tree(tmp_path) == {}


def test_a_failure_in_the_middle_leaves_every_file_as_it_was(tmp_path: Path) -> None:
    written(tmp_path)
    before = tree(tmp_path)
    planned = changes(exported(replace(FLOW, description="Other."), "claude-skill"), tmp_path)
    late = replace(planned[0], path=tmp_path / AGENT / "below-a-file.md")
    with pytest.raises(Unavailable) as failed:
        write([*planned, late], tmp_path)
    assert failed.value.code == "EXPORT_FOLDER_UNUSABLE"
    assert tree(tmp_path) == before


def test_a_text_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    planned = changes(Export("t", (ExportedFile("x.md", "\ud800"),)), tmp_path)
    with pytest.raises(UnicodeEncodeError):
        write(planned, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    planned = changes(exported(FLOW, "mermaid"), tmp_path / "file")
    assert [change.state for change in planned] == ["blocked"]
    with pytest.raises(Unavailable) as failed:
        changes(Export("t", (ExportedFile("x" * 300, ""),)), tmp_path)
    assert failed.value.code == "EXPORT_FOLDER_UNUSABLE"


def test_the_difference_is_that_of_the_files(tmp_path: Path) -> None:
    written(tmp_path)
    planned = changes(exported(replace(FLOW, description="Other."), "claude-skill"), tmp_path)
    lines = planned[0].diff().splitlines()
    assert lines[:2] == [f"--- a/{ENTRY}", f"+++ b/{ENTRY}"]
    assert "-description: Runs the workflow 'My flow'." in lines
    assert "+description: Other." in lines
    assert planned[1].diff() == ""


def test_a_folder_gives_its_one_workflow_back_whatever_else_is_in_it(tmp_path: Path) -> None:
    written(tmp_path)
    planned = changes(exported(FLOW, "gemini"), tmp_path)
    write(planned, tmp_path)
    (tmp_path / "README.md").write_text("# Not ours", encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.md")
    assert import_path(tmp_path).loaded.workflow == FLOW
    assert import_path(tmp_path / ENTRY).loaded.workflow == FLOW


def test_a_folder_with_several_workflows_asks_which(tmp_path: Path) -> None:
    written(tmp_path)
    written(tmp_path, a_workflow(a_node("end", {}), name="second"))
    with pytest.raises(Invalid) as refused:
        import_path(tmp_path)
    assert refused.value.code == "EXPORT_AMBIGUOUS"
    assert "second" in refused.value.message


def test_nothing_to_import_is_said(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "gone.md"):
        with pytest.raises(NotFound) as refused:
            import_path(path)
        assert refused.value.code == "EXPORT_NOT_FOUND"


def test_a_file_that_cannot_be_read_or_is_too_large_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path)
    monkeypatch.setattr(importing, "MAX_BYTES", 10)
    for path in (tmp_path / ENTRY, tmp_path / ("x" * 300)):
        with pytest.raises(Invalid) as refused:
            import_path(path)
        assert refused.value.code == "EXPORT_UNREADABLE"


def test_a_search_ends_after_so_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path)
    monkeypatch.setattr(importing, "MAX_FILES", 1)
    (tmp_path / "a.md").write_text("first", encoding="utf-8")
    with pytest.raises(NotFound):
        import_path(tmp_path)
