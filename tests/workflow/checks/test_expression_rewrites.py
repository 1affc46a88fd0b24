"""Expressions in other writings are read as the only one that works; blocks are no expressions."""

import pytest
from tests.workflow.checks.test_one_answer import (
    CONFIG,
    MESSAGE,
    _after_start,  # pyright: ignore[reportPrivateUsage]  the same documents
    _fixed,  # pyright: ignore[reportPrivateUsage]
    _problems,  # pyright: ignore[reportPrivateUsage]
    _text,  # pyright: ignore[reportPrivateUsage]
)

from toolweave.workflow.checks.expression_rewrites import rewrites, with_quoted_words

CONDITION = f"{CONFIG}/condition_expression"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("while (trigger.count < 5)", "trigger.count < 5"),
        ("trigger.count ~= 0", "trigger.count != 0"),
        ("trigger..count > 1", "trigger.count > 1"),
        ("trigger.city == Rome", "trigger.city == 'Rome'"),
        ("trigger.city in [Rome, Oslo]", "trigger.city in ['Rome', 'Oslo']"),
        ("trigger.city == 'a' || 'b'", "trigger.city == 'a' || trigger.city == 'b'"),
        ("'Ro' in trigger.city", "trigger.city.contains('Ro')"),
        ("has('trigger.city')", "has(trigger.city)"),
        ("'{{ trigger.city }}' == 'Rome'", "trigger.city == 'Rome'"),
        (
            "{{ trigger.count }} > 1 && '{{ trigger.city }}' == 'Rome'",
            "trigger.count > 1 && trigger.city == 'Rome'",
        ),
    ],
)
def test_an_expression_is_rewritten_where_one_writing_works(wrong: str, right: str) -> None:
    document = _after_start("FLOW.IF", {"condition_expression": wrong})
    assert _fixed(document, CONDITION) == right


@pytest.mark.parametrize("wrong", ["{{ & trigger.city }}", "{ { trigger.city } }"])
def test_a_placeholder_is_rewritten(wrong: str) -> None:
    assert _fixed(_text(wrong), MESSAGE) == "{{ trigger.city }}"


def test_a_block_of_another_system_is_not_rewritten() -> None:
    assert list(rewrites("#if trigger.city")) == []
    problems = _problems(_text("{{#if trigger.city}}yes{{/if}}")).values()
    assert all(problem.patch is None for problem in problems)
    assert next(rewrites("& trigger.city")) == "trigger.city"  # the control


def test_a_word_is_only_quoted_where_a_text_is_compared() -> None:
    assert with_quoted_words("a == b", {"b"}) == "a == 'b'"
    assert with_quoted_words("a + b", {"b"}) is None
    assert with_quoted_words("b.c == 1", {"b"}) is None


def test_a_default_after_a_value_is_not_joined_to_it() -> None:
    problems = _problems(_text("{{ trigger.city || 'unknown' }}")).values()
    assert [problem.patch for problem in problems if "+" in str(problem.patch)] == []
    assert _fixed(_text("{{ 'In ' || trigger.city }}"), MESSAGE) == "{{ 'In ' + trigger.city }}"
