"""`toolweave triggers`, in a home of its own."""

import logging
from pathlib import Path

import anyio
import pytest
from tests.cli.driving import Commands
from tests.triggers.hosting import hosting, node, trigger

from toolweave.json_text import JsonObject


@pytest.fixture
def tw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    commands = Commands(tmp_path / "home", tmp_path / "project")
    commands.home.mkdir()
    commands.project.mkdir()
    # Commands change it for their process.
    monkeypatch.setattr(logging, "lastResort", logging.lastResort)
    return commands


def store(tw: Commands, name: str, *nodes: JsonObject) -> None:
    async def save() -> None:
        async with hosting(tw.state) as host:
            await host.store(name, *nodes)

    anyio.run(save)


def test_triggers_are_switched_on_listed_and_switched_off(tw: Commands) -> None:
    assert "No trigger is enabled" in tw.ok("triggers", "list").out
    daily = trigger("CRON", "daily", cron_expression="0 9 * * *", timezone="Europe/Berlin")
    hook = trigger("WEBHOOK", "hook", webhook_path="/orders/new")
    store(tw, "Report", daily, hook, node("end"))
    off = tw.ok("triggers", "list", "--all", "--json").json
    assert [(one["node"], one["state"]) for one in off] == [("daily", "off"), ("hook", "off")]
    tw.ok("triggers", "enable", "Report")
    assert "Europe" not in tw.ok("triggers", "list", "--all").out
    found = tw.ok("triggers", "list", "--json").json
    assert [(one["node"], one["kind"], one["hooks"]) for one in found] == [
        ("daily", "cron", []),
        ("hook", "webhook", ["/hooks/orders/new"]),
    ]
    assert found[0]["nextAt"].endswith(("07:00:00.000Z", "08:00:00.000Z"))
    assert "/hooks/orders/new" in tw.ok("triggers", "list").out
    store(tw, "Report", daily, hook, node("other_end"))
    assert "edited since" in tw.ok("triggers", "list").out
    only = tw.ok("triggers", "enable", "report", "--node", "hook", "--json").json
    assert [(one["node"], one["isCurrent"]) for one in only] == [("hook", True)]
    paused = tw.ok("triggers", "pause", "Report", "--json").json
    assert [one["pausedAt"] is not None for one in paused] == [True]
    assert "paused since" in tw.ok("triggers", "list").out
    assert "on" in tw.ok("triggers", "resume", "Report", "--node", "hook").out
    tw.ok("triggers", "disable", "Report")
    assert tw.ok("triggers", "list", "--json").json == []


@pytest.mark.requirement("004:run.TRIGGER.MANUAL")
def test_a_person_runs_a_workflow_by_its_manual_trigger(tw: Commands) -> None:
    store(tw, "Report", trigger("MANUAL", trigger_name="Send report"), node("end"))
    ran = tw.ok("triggers", "run-now", "Report", "--json").json
    assert ran["status"] == "success"
    result = tw.ok("runs", "show", ran["run"], "--json").json["execution"]["finalResult"]
    assert result["execution_id"] == ran["run"]
    assert result["trigger_message"] == "Started by hand: Send report"


def test_a_workflow_is_run_now_by_one_of_its_triggers(tw: Commands) -> None:
    store(tw, "Report", trigger("CRON", cron_expression="0 9 * * *"), node("end"))
    ran = tw.ok("triggers", "run-now", "Report", "--json").json
    assert ran["status"] == "success"
    shown = tw.ok("runs", "show", ran["run"], "--json").json
    assert shown["trigger"] == "manual"
    assert shown["execution"]["finalResult"]["trigger_message"] == "Started by hand"


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("enable", "Nobody"), "WORKFLOW_NOT_FOUND"),
        (("disable", "Nobody"), "TRIGGER_NOT_FOUND"),
        (("pause", "Report"), "TRIGGER_NOT_FOUND"),
        (("enable", "Report", "--node", "nobody"), "TRIGGER_NOT_FOUND"),
        (("run-now", "Report", "--node", "nobody"), "TRIGGER_NOT_FOUND"),
    ],
)
def test_what_is_not_there_is_said(tw: Commands, args: tuple[str, ...], code: str) -> None:
    store(tw, "Report", trigger("CRON", cron_expression="0 9 * * *"), node("end"))
    ran = tw("triggers", *args)
    assert ran.code == 1
    assert code in ran.err
