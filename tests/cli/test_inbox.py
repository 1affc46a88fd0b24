"""`toolweave inbox`: list, show and answer, as oneself or as somebody."""

from pathlib import Path

import anyio

from cli.driving import Commands
from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.engine.runs import RunRequest
from toolweave.home import open_home
from toolweave.json_text import JsonObject
from toolweave.settings import Settings
from toolweave.workflow.formats.load import read

ASKING: JsonObject = {
    "toolweave": 1,
    "name": "ask",
    "nodes": [
        {"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}},
        {
            "id": "ask",
            "type": "HUMAN_IN_THE_LOOP",
            "data": {
                "subtype": "MANUAL_REVIEW",
                "configurations": {
                    "review_type": "code_review",
                    "review_title": "Release 1.2",
                    "review_description": "Please look.",
                    "reviewers": ["ada"],
                    "review_criteria": ["Tests pass"],
                    "require_evidence": False,
                },
            },
        },
    ],
    "edges": [{"id": "e", "source": "t", "target": "ask"}],
}


async def asked(home: Path, document: JsonObject = ASKING) -> None:
    """Leave a run that waits: for its reviewer, unless it is another one."""
    async with (
        open_home(Settings(home=home), environ={}, directory=home) as opened,
        open_studio(opened) as studio,
        open_engine(studio) as engine,
    ):
        run = await engine.runs.start(RunRequest(read(document).workflow, {}))
        assert await engine.advance(run) == "waiting"


def test_what_a_run_asks_is_shown_and_answered(tw: Commands) -> None:
    assert "No open questions" in tw("inbox", "list").out
    anyio.run(asked, tw.state)
    (found,) = tw("inbox", "list", "--json").json
    assert "Release 1.2" in tw("inbox", "list").out
    assert tw("inbox", "list", "--for", "eve", "--json").json == []
    shown = tw("inbox", "show", found["id"][:8])
    assert "For ada." in shown.out
    assert f"toolweave inbox answer {found['id']}" in shown.out
    assert tw("inbox", "answer", found["id"]).code == 2
    part = tw("inbox", "answer", found["id"][:8], "--approve", "--as", "ada")
    assert (part.code, "QUESTION_UNKNOWN" in part.err, "whole id" in part.err) == (1, True, True)
    wrong = tw("inbox", "answer", found["id"], "--set", "verdict=perhaps")
    assert wrong.code == 1
    assert "ANSWER_INVALID" in wrong.err
    noted = tw("inbox", "answer", found["id"], "--approve", "--json", "--as", "eve").json
    assert noted["counts"] is False
    taken = tw("inbox", "answer", found["id"], "--approve", "--as", "ada")
    assert "success" in taken.out
    late = tw("inbox", "answer", found["id"], "--decline", "--as", "ada")
    assert late.code == 1
    assert "QUESTION_CLOSED" in late.err
    told = tw("runs", "show", "last").out
    assert "ask: eve answered through cli" in told
    assert "ask: ada answered through cli" in told


WAITING: JsonObject = {
    "toolweave": 1,
    "name": "wait",
    "nodes": [
        {"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}},
        {
            "id": "w",
            "type": "FLOW",
            "data": {
                "subtype": "WAIT",
                "configurations": {
                    "wait_type": "event",
                    "event_config": {"name": "order.paid", "match": {"order": "A-1"}},
                },
            },
        },
    ],
    "edges": [{"id": "e", "source": "t", "target": "w"}],
}


def test_an_event_is_told_to_the_runs_that_wait_for_it(tw: Commands) -> None:
    assert "No run is waiting for 'order.paid'" in tw("runs", "event", "order.paid").out
    anyio.run(asked, tw.state, WAITING)
    assert tw("runs", "event", "order.paid", "--data", '{"order": "A-2"}', "--json").json == []
    (told,) = tw("runs", "event", "order.paid", "--data", '{"order": "A-1"}', "--json").json
    assert told["status"] == "success"
