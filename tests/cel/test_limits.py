"""Hostile expressions: bounded work, bounded room, and a fault instead of a crash."""

import pytest

from toolweave.cel import language
from toolweave.cel.fault import SyntaxProblem
from toolweave.cel.language import Value, compile_text, evaluate
from toolweave.cel.parser import MAX_CHARS
from toolweave.cel.values import Evaluation, Exhausted
from toolweave.json_text import Json

BIG: list[Json] = list(range(200_000))


def nested(start: str, step: str, times: int, end: str) -> str:
    """Bindings in one another, each made of the one before."""
    lets = "".join(f"cel.bind(x{i}, {step.format(x=f'x{i - 1}')}, " for i in range(1, times + 1))
    return f"cel.bind(x0, {start}, {lets}{end.format(x=f'x{times}')}{')' * (times + 1)}"


HOSTILE: list[tuple[str, dict[str, Json]]] = [
    ("a.all(x, a.all(y, x + y >= 0))", {"a": BIG[:5_000]}),
    ("a.map(x, a.map(y, a.map(z, x)))", {"a": BIG[:1_000]}),
    ("a.exists(x, a.exists_one(y, y < 0))", {"a": BIG[:5_000]}),
    ("a.filter(x, x in a).size()", {"a": list(reversed(BIG))}),
    ("a.all(x, a == b)", {"a": BIG[:3_000], "b": BIG[:3_000]}),
    ("a.map(x, a + a + a).size()", {"a": BIG[:5_000]}),
    (nested("'aaaaaaaa'", "{x} + {x}", 28, "{x}.size()"), {}),
    (nested("[1]", "{x} + {x}", 28, "{x}.size()"), {}),
    (nested("[1]", "[{x}, {x}]", 28, "{x}"), {}),
    (nested("[1]", "{{'a': {x}, 'b': {x}}}", 28, "{x}"), {}),
    (nested("[1]", "[{x}, {x}]", 28, "{x} == [{x}, {x}][0]"), {}),
    (nested("[1]", "[{x}, {x}]", 28, "'%s'.format([{x}])"), {}),
    ("a.replace('a', a)", {"a": "a" * 10_000}),
    ("a.replace('', a)", {"a": "a" * 10_000}),
    ("a.replace('a', a).replace('a', a).size()", {"a": "a" * 1_000}),
    ("a.map(x, 'a'.replace('a', b)).size()", {"a": BIG[:50_000], "b": "b" * 10_000}),
    ("a.map(x, a.join('')).join('')", {"a": [*["x" * 10_000] * 1_000]}),
    ("a.map(x, b)", {"a": BIG[:10_000], "b": "x" * 1_000_000}),
    ("a.map(x, b)", {"a": BIG[:10_000], "b": {"k": BIG, "l": [*["y" * 1_000] * 100]}}),
    ("{'a': b, 'c': b, 'd': b}", {"b": "x" * 10_000_000}),
    ("a.map(x, b.reverse()).size()", {"a": BIG[:10_000], "b": "x" * 100_000}),
    ("a.map(x, b.split('')).size()", {"a": BIG[:10_000], "b": "x" * 100_000}),
    ("a.split('')", {"a": "x" * 5_000_000}),
    ("a.map(x, b.contains('zz')).size()", {"a": BIG[:10_000], "b": "z " * 500_000}),
    ("a.map(x, b == c).size()", {"a": BIG[:50_000], "b": "z" * 500_000 + "a", "c": "z" * 500_001}),
    ("a.map(x, b < c).size()", {"a": BIG[:50_000], "b": "z" * 500_000 + "a", "c": "z" * 500_001}),
    ("a.map(x, string(bytes(b))).size()", {"a": BIG[:10_000], "b": "x" * 100_000}),
    ("a.map(x, '%s'.format([b])).size()", {"a": BIG[:10_000], "b": BIG[:1_000]}),
    ("a.matches(b)", {"a": "word " * 200_000, "b": r"(?i)(\w+\s?){100}!"}),
    ("a.map(x, b.matches('(a?){200}a{200}')).size()", {"a": BIG[:1_000], "b": "a" * 10_000}),
    ("a.map(x, math.greatest(a)).size()", {"a": BIG[:5_000]}),
    ("a.map(x, base64.encode(bytes(b))).size()", {"a": BIG[:10_000], "b": "x" * 100_000}),
    ("a.map(k, a.map(l, l)).size()", {"a": {str(index): 1 for index in range(5_000)}}),
]


@pytest.mark.parametrize(("text", "variables"), HOSTILE, ids=[text[:60] for text, _ in HOSTILE])
def test_an_expression_that_asks_for_too_much_gets_a_fault(
    text: str, variables: dict[str, Json]
) -> None:
    result = evaluate(text, variables)
    assert isinstance(result, SyntaxProblem)
    assert (result.code, result.hint) == ("EXPRESSION_LIMIT", "process less data at a time")


@pytest.mark.parametrize(
    ("text", "variables", "value"),
    [
        ("a.map(x, x * 2).filter(x, x > 1).size()", {"a": BIG[:50_000]}, 49_999),
        ("a.filter(r, r.n > 49_990).map(r, r.t)".replace("_", ""), None, None),
        ("a.size()", {"a": BIG}, 200_000),
        ("a[199999]", {"a": BIG}, 199_999),
        ("a.matches('^[a-z]+$')", {"a": "a" * 200_000}, True),
        ("a.replace('a', 'bb').size()", {"a": "a" * 1_000_000}, 2_000_000),
        ("a.split(',').size()", {"a": "abc," * 50_000}, 50_001),
        ("a.exists(x, x == 199999)", {"a": BIG[::-1]}, True),
        ("a == b", {"a": BIG, "b": list(BIG)}, True),
    ],
)
def test_large_data_of_every_day_fits(
    text: str, variables: dict[str, Json] | None, value: Json
) -> None:
    if variables is None:
        rows: list[Json] = [{"n": index, "t": f"row {index}"} for index in range(50_000)]
        variables = {"a": rows}
        value = [f"row {index}" for index in range(49_991, 50_000)]
    assert evaluate(text, variables) == Value(value)


def deep(levels: int) -> Json:
    value: Json = []
    for _ in range(levels):
        value = [value]
    return value


def test_deep_data_is_compared_without_recursion() -> None:
    assert evaluate("a == b", {"a": deep(50_000), "b": deep(50_000)}) == Value(True)
    assert isinstance(evaluate("[a]", {"a": deep(50_000)}), Value)
    result = evaluate("'%s'.format([a])", {"a": deep(50_000)})
    assert isinstance(result, SyntaxProblem)
    assert result.code == "EXPRESSION_LIMIT"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("double(a)", "EXPRESSION_LIMIT"),
        ("math.sqrt(a)", "EXPRESSION_LIMIT"),
        ("'%f'.format([a])", "EXPRESSION_LIMIT"),
        ("a + 1", "EXPRESSION_FAILED"),
        ("a * a", "EXPRESSION_FAILED"),
        ("-a", "EXPRESSION_FAILED"),
        ("int(a)", "EXPRESSION_FAILED"),
        ("uint(a)", "EXPRESSION_FAILED"),
        ("string(a)", "EXPRESSION_FAILED"),
        ("'%d'.format([a])", "EXPRESSION_FAILED"),
        ("timestamp(a)", "EXPRESSION_FAILED"),
        ("[1][a]", "EXPRESSION_FAILED"),
        ("int('9'.replace('9', b))", "EXPRESSION_FAILED"),
        ("duration('9'.replace('9', b) + 'h')", "EXPRESSION_FAILED"),
        ("timestamp(b)", "EXPRESSION_FAILED"),
        ("timestamp(0).getHours(b)", "EXPRESSION_FAILED"),
        ("'x'.matches(b)", "EXPRESSION_FAILED"),
        ("'%.9999f'.format([1.5])", "EXPRESSION_FAILED"),
        ("c.matches('a')", "EXPRESSION_FAILED"),
    ],
)
def test_numbers_and_texts_beyond_all_bounds_give_a_fault(text: str, code: str) -> None:
    variables: dict[str, Json] = {"a": 10**5_000, "b": "9" * 5_000, "c": "\ud800"}
    result = evaluate(text, variables)
    assert isinstance(result, SyntaxProblem)
    assert result.code == code
    assert len(result.message) < 200


def test_a_long_expression_is_refused_before_it_is_parsed() -> None:
    [fault] = compile_text("1 + " * MAX_CHARS + "1").faults
    assert fault.message == f"{4 * MAX_CHARS + 1} characters; an expression has at most 10000"


@pytest.mark.parametrize(
    "text",
    ["(" * 200 + "1" + ")" * 200, "1" + " + 1" * 200, "a" + ".b" * 200, "[" * 1_000, "f(" * 500],
)
def test_a_deep_expression_is_refused(text: str) -> None:
    [fault] = compile_text(text).faults
    assert fault.code == "EXPRESSION_INVALID"
    assert evaluate(text, {}) == fault


@pytest.mark.parametrize("macro", ["optMap", "optFlatMap"])
def test_macros_that_double_their_receiver_are_refused_before_they_are_expanded(macro: str) -> None:
    [fault] = compile_text("data.?a" + f".{macro}(x, x)" * 20).faults
    assert (fault.message, fault.offset) == (f"{macro} is not available", 8)
    assert evaluate(f"'{macro} in a text'", {}) == Value(f"{macro} in a text")


@pytest.mark.parametrize(
    "text", ["true" + " && true" * 1_200, "[" + "1," * 4_900 + "1]", "!" * 9_000 + "true"]
)
def test_a_wide_expression_is_fine(text: str) -> None:
    assert isinstance(evaluate(text, {}), Value)


def test_a_run_ends_exactly_when_its_budget_does() -> None:
    run = Evaluation({}, 0, work=3, room=5)
    run.spend(3)
    run.grow(5)
    with pytest.raises(Exhausted):
        run.spend(1)
    with pytest.raises(Exhausted):
        run.grow(1)


def test_a_failure_on_one_side_does_not_hide_that_the_budget_is_spent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(language, "MAX_WORK", 10)
    result = evaluate("data.all(x, x > 0) || true", {"data": [1, 2, 3, 4]})
    assert isinstance(result, SyntaxProblem)
    assert result.code == "EXPRESSION_LIMIT"
