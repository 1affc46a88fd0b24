"""Values and keys with two meanings get no patch; each case has a control with one meaning."""

from typing import Any

import pytest
from tests.workflow.corpus.bases import node, whole, world

from toolweave import json_text
from toolweave.problems import Problem
from toolweave.workflow.report import examine


def _problems(kind: str, **data: Any) -> list[Problem]:
    document = whole("one", [node("n", kind, **data)], [])
    return list(examine(json_text.write(document), world("alone")).problems)


@pytest.mark.parametrize(
    ("key", "meant"), [("timeout_seconds", "timeout"), ("response_timeout", None)]
)
def test_a_time_limit_with_another_word_may_be_the_own_one_of_a_node(
    key: str, meant: str | None
) -> None:
    settings = {"review_type": "quality_assurance", "reviewers": ["a@example.com"], key: 600}
    found = _problems("HUMAN_IN_THE_LOOP.MANUAL_REVIEW", configurations=settings)
    (problem,) = (one for one in found if one.pointer.endswith(key))

    added = [one["path"].rpartition("/")[2] for one in problem.patch or () if one["op"] != "remove"]
    assert added == ([meant] if meant else [])


@pytest.mark.parametrize(
    ("value", "fixed"),
    [
        ({"rows": [1]}, [1]),
        ({"a": "{{ trigger.a }}", "b": "{{ trigger.b }}"}, ["{{ trigger.a }}", "{{ trigger.b }}"]),
    ],
)
def test_an_object_of_references_is_not_put_into_a_list(value: Any, fixed: Any) -> None:
    settings = {"merge_strategy": "union"}
    found = _problems("FLOW.MERGE", configurations=settings, inputParams={"data": value})
    (problem,) = (one for one in found if one.code == "FIELD_TYPE_INVALID")

    assert [one["value"] for one in problem.patch or ()] == [fixed]
