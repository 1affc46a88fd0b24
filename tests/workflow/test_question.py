"""The one shape of what a run asks people."""

import pytest

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.question import (
    DECLINED,
    Question,
    approval_schema,
    choice_schema,
    question_id,
    question_of,
)

APPROVAL = Question(
    id="q1", kind="approval", text="Buy it?", schema=approval_schema(), people=("Ada@example.com",)
)


def test_a_question_is_read_back_as_it_was_written_without_what_is_empty() -> None:
    told = APPROVAL.as_json()
    assert told == {
        "id": "q1",
        "kind": "approval",
        "text": "Buy it?",
        "schema": approval_schema(),
        "channel": "inbox",
        "people": ["Ada@example.com"],
    }
    assert question_of(told) == APPROVAL


@pytest.mark.parametrize("content", [0, "0", [0], {"a": None}])
def test_content_that_counts_for_nothing_is_kept(content: Json) -> None:
    asked = Question(kind="form", text="Fill in", content=content)
    assert asked.as_json()["content"] == content


@pytest.mark.parametrize(
    "asked",
    [None, {}, {"kind": "event", "name": "paid"}, {"kind": "webhook"}, {"kind": "approval"}],
)
def test_a_step_that_waits_for_no_person_asks_nobody(asked: JsonObject | None) -> None:
    assert question_of(asked) is None


def test_an_approval_without_a_schema_gets_the_usual_one() -> None:
    asked = question_of({"kind": "approval", "text": "Go on?", "cancellable": True})
    assert asked is not None
    assert asked.schema == approval_schema()


@pytest.mark.parametrize(
    ("who", "counts"),
    [("ada@example.com", True), ("ADA@EXAMPLE.COM", True), ("eve", False), (None, False)],
)
def test_only_those_who_are_asked_count(who: str | None, counts: bool) -> None:
    assert APPROVAL.asks(who) is counts


def test_a_question_to_nobody_in_particular_is_for_everybody() -> None:
    assert Question(kind="approval", text="Go?").asks(None)


@pytest.mark.parametrize(
    ("schema", "answer", "faults"),
    [
        (approval_schema(), {"answer": "confirmed"}, []),
        (approval_schema(), {"answer": "perhaps"}, ["MCP_PARAMETER_ENUM_INVALID"]),
        (approval_schema(), {}, ["MCP_PARAMETER_REQUIRED"]),
        (approval_schema(), "yes of course", []),
        (approval_schema(), DECLINED, []),
        (choice_schema(["a", "b"]), {"answer": "b"}, []),
        (choice_schema(["a", "b"], is_multiple=True), {"answer": ["a", "b"]}, []),
        (
            choice_schema(["a", "b"], is_multiple=True),
            {"answer": ["c"]},
            ["MCP_PARAMETER_ENUM_INVALID"],
        ),
        (choice_schema([]), {"answer": "anything"}, []),
    ],
)
def test_an_answer_is_checked_by_its_schema(
    schema: JsonObject, answer: Json, faults: list[str]
) -> None:
    asked = Question(kind="form", text="?", schema=schema)
    assert [problem.code for problem in asked.faults(answer)] == faults


def test_a_question_has_one_name_for_one_step() -> None:
    assert question_id("run/a") == question_id("run/a") != question_id("run/b")
    assert len(question_id("run/a")) == 16
