"""`toolweave library`: from adding a repository to running a flow of it."""

from tests.cli.driving import Commands
from tests.library.repo import Repo


def test_a_repository_is_added_listed_shown_run_and_removed(tw: Commands) -> None:
    repo = Repo(tw.project / "repo")
    added = tw("library", "add", "team", "repo", "--json").json
    assert (added["name"], added["ref"], added["flows"], added["templates"]) == (
        "team",
        "main",
        1,
        2,
    )
    assert [one["name"] for one in tw("library", "list", "--json").json] == ["team"]
    assert "Marketing_Strategy" in tw("library", "show", "team").out
    shown = tw("library", "show", "team", "--json").json
    assert [one["name"] for one in shown["templates"]] == ["Brand_Positioning", "Campaign"]
    assert (
        tw("library", "show", "team", "Marketing_Strategy").json["metadata"]["version"] == "1.0.0"
    )
    assert tw("library", "show", "team", "Campaign").json["id"] == "t-2"
    given = [f"--input={pair}" for pair in ("company_name=TechCorp", "market=AI", "budget=1")]
    ran = tw("library", "run", "team", "Marketing_Strategy", *given)
    assert (ran.code, ran.out.strip()) == (
        0,
        "Position TechCorp in AI. Spend 1, after Brand_Positioning.",
    )
    missing = tw("library", "run", "team", "Marketing_Strategy", "--json")
    assert missing.json["error"]["code"] == "MISSING_VARIABLES"
    commit = repo.commit({"flows/more.json": {"nodes": [], "edges": []}})
    assert tw("library", "refresh", "team", "--json").json["team"]["commit"] == commit
    assert tw.ok("library", "remove", "team").out == "Removed 'team'.\n"
    assert tw("library", "list").out.startswith("No libraries yet.")


def test_what_cannot_be_added_is_said_with_its_code(tw: Commands) -> None:
    wrong = tw("library", "add", "x", "https://u:hunter2@example.com/r", "--json")
    assert wrong.json["error"]["code"] == "LIBRARY_ADDRESS_INVALID"
    assert "hunter2" not in wrong.out + wrong.err
    unknown = tw("library", "show", "nobody")
    assert "LIBRARY_NOT_FOUND" in unknown.err
