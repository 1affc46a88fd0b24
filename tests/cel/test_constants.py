"""What fails with any data is known before a run; what a run may pass over is a warning."""

import pytest

from toolweave.cel.language import compile_text, evaluate


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("name.matches('^[a-z+$')", "name.matches('^[a-z]+$')"),
        ("items[-1] == 1", "items[size(items) - 1] == 1"),
        ("data[data.total > 100]", "data.filter(one, one.total > 100)"),
        ("at > timestamp('2026-01-31')", "at > timestamp('2026-01-31T00:00:00Z')"),
        ("took > duration('5 minutes')", "took > duration('5m')"),
        ("int('abc') > n", "int('7') > n"),
        ("1 / 0 > n", "1 / 2 > n"),
    ],
)
def test_an_expression_that_always_fails_is_refused_before_it_runs(text: str, right: str) -> None:
    faults = compile_text(text).faults
    assert [fault.severity for fault in faults] == ["error"]
    assert not compile_text(text).is_usable
    assert compile_text(right).faults == ()
    assert compile_text(right).is_usable


@pytest.mark.parametrize(
    "text", ["ok || items[-1] == 1", "ok ? items[-1] : 0", "items.map(one, one[-1])"]
)
def test_a_part_that_a_run_may_pass_over_is_a_warning(text: str) -> None:
    expression = compile_text(text)
    assert [fault.severity for fault in expression.faults] == ["warning"]
    assert expression.is_usable


def test_a_day_without_quotes_is_a_subtraction_which_is_said() -> None:
    (fault,) = compile_text("item.day > 2026-01-31").faults
    assert (fault.code, fault.severity, fault.offset) == ("EXPRESSION_TYPE", "warning", 11)
    assert compile_text("item.day > '2026-01-31'").faults == ()
    assert compile_text("item.n > 2026 - 1 - 31").faults == ()


def test_a_map_may_have_keys_of_other_kinds() -> None:
    found = evaluate("{true: 'yes', false: 'no'}[n > 1]", {"n": 2})
    assert getattr(found, "value", None) == "yes"
