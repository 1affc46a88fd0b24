"""`toolweave workflows`, `run NAME` and `runs prune`: what is kept by name, and for how long."""

import json

import pytest
from tests.cli.driving import Commands
from tests.cli.test_run import SIMPLE, save

from toolweave.workflow.formats.format import FORMAT_NAMES


def test_a_workflow_is_stored_listed_shown_run_by_name_and_removed(tw: Commands) -> None:
    assert tw.ok("workflows", "list").out.startswith("No stored workflows.")
    file = save(tw, *SIMPLE)
    assert tw.ok("workflows", "save", file, "--name", "My Flow").out == (
        "Stored 'My Flow'. `toolweave run my-flow` runs it.\n"
    )
    (listed,) = tw.ok("workflows", "list", "--json").json
    assert (listed["name"], listed["slug"], listed["nodes"]) == ("My Flow", "my-flow", 5)
    shown = json.loads(tw.ok("workflows", "show", "my-flow").out)
    assert [node["id"] for node in shown["nodes"]] == ["s", "big", "yes", "no", "e"]
    for name in ("My Flow", "my-flow"):
        ran = tw.ok("run", name, "--input", "n=5", "--input", "name=Ada")
        assert ran.out == "Ada is big.\n"
    (one, two) = tw.ok("runs", "list", "--workflow", "My Flow", "--json").json
    assert {one["status"], two["status"]} == {"success"}
    assert tw.ok("workflows", "remove", "My Flow").out == "Removed 'My Flow'.\n"
    gone = tw("run", "my-flow")
    assert (gone.code, "WORKFLOW_NOT_FOUND" in gone.err) == (1, True)


def test_a_stored_workflow_is_replaced_only_if_that_is_said(tw: Commands) -> None:
    file = save(tw, *SIMPLE)
    first = tw.ok("workflows", "save", file, "--json").json
    save(tw, {"s": "start"}, [])
    refused = tw("workflows", "save", file)
    assert (refused.code, "WORKFLOW_NAME_TAKEN" in refused.err) == (1, True)
    second = tw.ok("workflows", "save", file, "--force", "--json").json
    assert (second["nodes"], first["nodes"]) == (1, 5)
    assert second["revision"] != first["revision"]


@pytest.mark.parametrize("dialect", FORMAT_NAMES)
def test_a_stored_workflow_is_shown_in_every_dialect(tw: Commands, dialect: str) -> None:
    tw.ok("workflows", "save", save(tw, {"s": "start", "e": "end"}, ["s > e"]))
    text = tw.ok("workflows", "show", "test", "--to", dialect, "--json").json["text"]
    assert "nodes" in text


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("show", "nothing"), "WORKFLOW_NOT_FOUND"),
        (("remove", "nothing"), "WORKFLOW_NOT_FOUND"),
        (("save", "broken.json"), "WORKFLOW_NOT_JSON"),
    ],
)
def test_what_is_not_there_or_no_workflow_is_told(
    tw: Commands, args: tuple[str, ...], code: str
) -> None:
    (tw.project / "broken.json").write_text("{", encoding="utf-8")
    refused = tw("workflows", *args)
    assert (refused.code, code in refused.err) == (1, True)


def test_old_runs_are_deleted_by_age_and_by_number(tw: Commands) -> None:
    file = save(tw, *SIMPLE)
    for _ in range(3):
        tw.ok("run", file, "--input", "n=5", "--input", "name=Ada")
    assert tw.ok("runs", "prune").out == "Deleted 0 runs.\n"
    assert tw.ok("runs", "prune", "--older-than", "1h").out == "Deleted 0 runs.\n"
    assert tw.ok("runs", "prune", "--keep", "2").out == "Deleted 1 run.\n"
    assert tw.ok("runs", "prune", "--older-than", "0d", "--json").json == {"pruned": 2}
    assert tw.ok("runs", "list", "--json").json == []
    assert tw("runs", "prune", "--older-than", "soon").code == 2


def test_a_command_refuses_inputs_that_do_not_fit_before_anything_runs(tw: Commands) -> None:
    file = save(tw, *SIMPLE)
    document = json.loads((tw.project / file).read_text(encoding="utf-8"))
    document["inputSchema"] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    (tw.project / file).write_text(json.dumps(document), encoding="utf-8")
    refused = tw("run", file, "--input", "n=many")
    assert refused.code == 1
    assert "[RUN_INPUT_INVALID]" in refused.err
    assert "/n" in refused.err
    assert tw.ok("runs", "list", "--json").json == []


def test_versions_are_listed_named_shown_and_restored(tw: Commands) -> None:
    file = save(tw, *SIMPLE)
    tw.ok("workflows", "save", file, "--name", "kept")
    save(tw, {"s": "start"}, [])
    tw.ok("workflows", "save", file, "--name", "kept", "--force")
    listed = tw.ok("workflows", "versions", "kept", "--json").json
    assert [(one["number"], one["isCurrent"]) for one in listed] == [(2, True), (1, False)]
    assert listed[0]["author"]
    named = tw.ok("workflows", "label", "kept", "1", "five nodes").out
    assert named == "Version 1 of 'kept' is named 'five nodes'.\n"
    assert "five nodes" in tw.ok("workflows", "versions", "kept").out
    shown = tw.ok("workflows", "show", "kept", "--version", "1", "--json").json
    assert (shown["nodes"], shown["revision"]) == (5, listed[1]["revision"])
    assert tw.ok("workflows", "restore", "kept", "1").out == "Restored version 1 of 'kept'.\n"
    assert tw.ok("workflows", "show", "kept", "--json").json["nodes"] == 5
    tw.ok("workflows", "remove", "kept")
    tw.ok("workflows", "restore", "kept", "3")
    assert tw.ok("workflows", "show", "kept", "--json").json["nodes"] == 5
    unknown = tw("workflows", "restore", "kept", "9")
    assert (unknown.code, "WORKFLOW_VERSION_NOT_FOUND" in unknown.err) == (1, True)
    long = tw("workflows", "label", "kept", "1", "x" * 101)
    assert (long.code, "WORKFLOW_VERSION_NAME_INVALID" in long.err) == (1, True)
