"""Answers at the same moment: one counts, the others get a conflict and are not written down."""

from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from tests.security.controls import Control

from rest.drawn import pausing
from rest.house import House, house_in
from rest.test_inbox import INBOX, asked

pytestmark = pytest.mark.anyio

MANY = 8


async def together(house: House, posts: list[tuple[str, dict[str, Any]]]) -> list[httpx2.Response]:
    """Send all posts at once, each with its own key of the person who is asked."""
    answers: list[httpx2.Response] = []

    async def post(path: str, body: dict[str, Any]) -> None:
        _, text = await house.keys.create("ada", ["workflows:run", "workflows:read"])
        answers.append(await house.client.post(path, json=body, headers={"X-API-Key": text}))

    async with anyio.create_task_group() as tasks:
        for path, body in posts:
            tasks.start_soon(post, path, body)
    return answers


async def finished(house: House, run: str) -> dict[str, Any]:
    key = await house.key("workflows:read")
    with anyio.fail_after(60):
        while True:
            shown = (await house.client.get(f"/api/v1/runs/{run}", headers=key)).json()
            if shown["finishedAt"] is not None:
                return shown
            await anyio.sleep(0.02)


@pytest.mark.parametrize("way", ["inbox", "run", "both"])
async def test_of_answers_at_the_same_moment_one_counts(
    tmp_path: Path, way: str, control: Control
) -> None:
    async with house_in(tmp_path) as house:
        question = await asked(house)
        inbox, run = f"{INBOX}/{question['id']}/answer", f"/api/v1/runs/{question['run']}/answer"
        posts: list[tuple[str, dict[str, Any]]] = []
        for number in range(1, MANY + 1):
            reply = {"reply": {"boxes": number}}
            is_inbox = way == "inbox" or (way == "both" and number % 2)
            posts.append((inbox, reply) if is_inbox else (run, {"step": "ask", **reply}))
        answers = await together(house, posts)
        counted = [one for one in answers if one.status_code == 202 and one.json()["counts"]]
        control("an answer is accepted", counted)
        shown = await finished(house, question["run"])
        control("the run goes on with it", shown["status"] == "success")
        refused = [one for one in answers if one not in counted]
        assert len(counted) == 1
        assert {one.status_code for one in refused} == {409}
        codes = {one.json()["error"]["code"] for one in refused}
        assert codes <= {"QUESTION_CLOSED", "STEP_ANSWERED", "STEP_NOT_WAITING"}
        step = next(one for one in shown["steps"] if one["key"] == "ask")
        assert len(step["value"]["answers"]) == 1


async def test_an_answer_of_somebody_who_was_not_asked_stops_nobody(
    tmp_path: Path, control: Control
) -> None:
    async with house_in(tmp_path) as house:
        question = await asked(house)
        path = f"{INBOX}/{question['id']}/answer"
        _, eve = await house.keys.create("eve", ["workflows:run"])
        body = {"reply": {"boxes": 1}}
        noted = await house.client.post(path, json=body, headers={"X-API-Key": eve})
        control("it is recorded", noted.json()["counts"] is False)
        (answer,) = await together(house, [(path, {"reply": {"boxes": 2}})])
        assert answer.json()["counts"] is True
        assert (await finished(house, question["run"]))["status"] == "success"


async def test_answering_while_cancelling_counts_or_is_refused(
    tmp_path: Path, control: Control
) -> None:
    """An answer that counts is in the journal before the cancellation; later ones are refused."""
    outcomes: set[int] = set()
    async with house_in(tmp_path) as house:
        for number in range(6):
            question = await asked(house)
            run = f"/api/v1/runs/{question['run']}"
            posts: list[tuple[str, dict[str, Any]]] = [
                (f"{run}/cancel", {}),
                (f"{INBOX}/{question['id']}/answer", {"reply": {"boxes": 1}}),
            ]
            answers = await together(house, posts if number % 2 else posts[::-1])
            answer = next(one for one in answers if "/inbox/" in str(one.url))
            cancelled = next(one for one in answers if "/cancel" in str(one.url))
            control("the cancellation is accepted", cancelled.status_code == 202)
            key = await house.key("workflows:read")
            await finished(house, question["run"])
            events = (await house.client.get(f"{run}/events", headers=key)).text
            kinds = [line for line in events.splitlines() if line.startswith("event: ")]
            outcomes.add(answer.status_code)
            assert answer.status_code in (202, 409)
            assert ("event: answered" in kinds) is (answer.status_code == 202)
            if answer.status_code == 202 and "event: cancel_asked" in kinds:
                assert kinds.index("event: answered") < kinds.index("event: cancel_asked")
    assert outcomes


REVIEW: dict[str, Any] = {
    "toolweave": 1,
    "name": "review",
    "nodes": [
        {"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}},
        {
            "id": "ask",
            "type": "HUMAN_IN_THE_LOOP",
            "data": {
                "subtype": "MANUAL_REVIEW",
                "configurations": {
                    "review_type": "code_review",
                    "review_title": "Release",
                    "review_description": "Is it good?",
                    "reviewers": ["ada", "bob"],
                    "review_criteria": ["tests"],
                    "scoring_system": "pass_fail",
                    "consensus_required": True,
                },
            },
        },
    ],
    "edges": [{"id": "e", "source": "t", "target": "ask"}],
}


async def waiting(house: House, document: dict[str, Any], **inputs: str) -> str:
    """A run of `document` that waits."""
    key, body = await house.key(), {"document": document, "inputs": inputs}
    run = (await house.client.post("/api/v1/runs", json=body, headers=key)).json()["id"]
    with anyio.fail_after(60):
        while True:
            shown = await house.client.get(f"/api/v1/runs/{run}", headers=key)
            if shown.json()["status"] == "waiting":
                return run
            await anyio.sleep(0.02)


async def test_an_answer_is_said_to_count_only_if_the_step_counted_it(
    tmp_path: Path, control: Control
) -> None:
    """A judgement without its reason, and a pass beside a rejection that decided."""
    async with house_in(tmp_path, rate_per_s=1e6, burst=10**6) as house:
        run, said = await waiting(house, REVIEW), dict[str, httpx2.Response]()

        async def judge(who: str, **reply: str) -> None:
            _, text = await house.keys.create(who, ["workflows:run"])
            said[who] = await house.client.post(
                f"/api/v1/runs/{run}/answer",
                json={"step": "ask", "reply": reply},
                headers={"X-API-Key": text},
            )

        await judge("ada", verdict="pass")
        assert (said["ada"].json()["counts"], "evidence" in said["ada"].json()["why"]) == (
            False,
            True,
        )
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: judge("ada", verdict="fail", evidence="No tests."))
            tasks.start_soon(lambda: judge("bob", verdict="pass", evidence="Fine."))
        shown = await finished(house, run)
        value = next(one for one in shown["steps"] if one["key"] == "ask")["value"]
        counted = {one["by"] for one in value["answers"] if one["counted"]}
        control("the rejection counts", "ada" in counted)
        claimed = {
            who
            for who, one in said.items()
            if one.status_code == 202 and one.json()["counts"] is True
        }
        assert claimed == counted


async def test_a_wait_that_asks_nothing_ends_with_its_first_answer(
    tmp_path: Path, control: Control
) -> None:
    async with house_in(tmp_path, rate_per_s=1e6, burst=10**6) as house:
        run = await waiting(house, pausing(), who="Ada")
        body = {"step": "pause", "reply": 1}
        answers = await together(house, [(f"/api/v1/runs/{run}/answer", body)] * MANY)
        statuses = sorted(one.status_code for one in answers)
        control("one is accepted", 202 in statuses)
        assert statuses == [202, *[409] * (MANY - 1)]
