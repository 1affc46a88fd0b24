"""One bracket or quote too few or too many is corrected where only one place works."""

import pytest
from tests.workflow.checks.test_one_answer import (
    CONFIG,
    MESSAGE,
    _after_start,  # pyright: ignore[reportPrivateUsage]  the same documents
    _fixed,  # pyright: ignore[reportPrivateUsage]
    _problems,  # pyright: ignore[reportPrivateUsage]
    _text,  # pyright: ignore[reportPrivateUsage]
)

from toolweave.cel.language import compile_text
from toolweave.workflow.checks import foreign_repair
from toolweave.workflow.checks.missing_signs import meaning_of, with_one_sign

CONDITION = f"{CONFIG}/condition_expression"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("size(trigger.city == 4", "size(trigger.city) == 4"),
        ("len(trigger.city > 3", "size(trigger.city) > 3"),
        ("trigger.city.startsWith('R' && trigger.count > 1",
         "trigger.city.startsWith('R') && trigger.count > 1"),
        ("trigger.city in ['Rome', Oslo']", "trigger.city in ['Rome', 'Oslo']"),
        ("trigger.city in ['Rome', 'Oslo]", "trigger.city in ['Rome', 'Oslo']"),
        ("trigger.city in 'Rome', 'Oslo']", "trigger.city in ['Rome', 'Oslo']"),
        ("trigger.city == Rome'", "trigger.city == 'Rome'"),
        ("((trigger.count > 1) && has(trigger.city)", "(trigger.count > 1) && has(trigger.city)"),
        ("trigger.count > 1)", "trigger.count > 1"),
    ],
)  # fmt: skip
def test_a_sign_with_one_place_is_corrected(wrong: str, right: str) -> None:
    fixed = str(_fixed(_after_start("FLOW.IF", {"condition_expression": wrong}), CONDITION))
    found, wanted = compile_text(fixed).term, compile_text(right).term
    assert found is not None
    assert wanted is not None
    assert meaning_of(found) == meaning_of(wanted)


@pytest.mark.parametrize(
    "wrong",
    [
        "(trigger.count > 1 || has(trigger.city) && trigger.count < 9",
        "trigger.city == 'Rome && trigger.count > 1",
        "trigger.city == 'it's fine'",
        "[1, 2].exists(one, one > trigger.count && trigger.count > 0",
    ],
)
def test_a_sign_with_several_places_is_left(wrong: str) -> None:
    problems = _problems(_after_start("FLOW.IF", {"condition_expression": wrong})).values()
    assert any(one.code == "EXPRESSION_INVALID" for one in problems)
    assert all(one.patch is None for one in problems)


def test_every_placeholder_with_one_brace_is_closed() -> None:
    wrong = "{{ trigger.city } has {{ trigger.count }} or {{ trigger.city }"
    right = "{{ trigger.city }} has {{ trigger.count }} or {{ trigger.city }}"
    assert _fixed(_text(wrong), MESSAGE) == right


def test_what_is_complete_or_a_comment_has_no_other_writing() -> None:
    assert with_one_sign("size(x) > 1") == []
    assert with_one_sign("(x // 2) + 1") == []
    assert "size(x) > 1" in with_one_sign("size(x > 1")  # the control


def test_equal_meanings_are_one() -> None:
    plain, wrapped, other = (
        compile_text(one).term for one in ("a && b || c", "(a && b) || c", "a && (b || c)")
    )
    assert plain is not None
    assert wrapped is not None
    assert other is not None
    assert meaning_of(plain) == meaning_of(wrapped) != meaning_of(other)


def test_only_so_many_places_are_tried_in_a_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    document = _after_start("FLOW.IF", {"condition_expression": "size(trigger.city == 4"})
    assert _fixed(document, CONDITION) == "size(trigger.city) == 4"  # the control
    monkeypatch.setattr(foreign_repair, "MAX_SIGNS_TRIED", 0)
    assert _fixed(document, CONDITION) == "size(trigger.city == 4"
