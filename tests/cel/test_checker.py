"""The checker against the evaluator: what it refuses never runs, and kinds it tells are right."""

from itertools import product

import pytest

from toolweave.cel.checker import check
from toolweave.cel.evaluator import Compiler
from toolweave.cel.functions import FUNCTIONS
from toolweave.cel.language import MAX_ROOM, MAX_WORK, compile_text
from toolweave.cel.parser import parse
from toolweave.cel.signatures import SIGNATURES
from toolweave.cel.syntax import FunctionCall, Term
from toolweave.cel.values import Evaluation, Failed, kind_of

# One of each kind, such that much of what can be done with it works.
SAMPLES = [
    *("1", "1u", "1.0", "'1'", "b'YQ'", "true", "null", "['a']", "{'a': 1}", "timestamp(0)"),
    *("duration('1s')", "type(1)", "optional.of(1)", "[1]", "'2020-01-01T00:00:00Z'", "'1s'"),
    *("0", "'a'"),
]
# These take any number of values.
VARIADIC = {"math.greatest", "math.least"}


def term_of(text: str) -> Term:
    term = parse(text).term
    assert term is not None
    return term


TERMS = [term_of(text) for text in SAMPLES]


def kind_when_run(term: Term) -> str | None:
    compiler = Compiler()
    compute = compiler.computed(term)
    try:
        return kind_of(compute(Evaluation({}, compiler.slots, MAX_WORK, MAX_ROOM)))
    except Failed:
        return None


@pytest.mark.parametrize("function", sorted(set(FUNCTIONS) - VARIADIC))
def test_what_is_refused_fails_and_what_runs_has_the_kind_that_was_told(function: str) -> None:
    counts, _ = FUNCTIONS[function]
    is_method = function.isalnum() and any(
        compile_text(f"x.{function}({', '.join('x' * (count - 1))})").is_usable for count in counts
    )
    ran = 0
    for count in counts:
        for arguments in product(TERMS, repeat=min(count, 3)):
            extra = (TERMS[0],) * (count - len(arguments))
            call = FunctionCall(function, (*arguments, *extra), 0, is_method)
            told, found = check("", call), kind_when_run(call)
            assert found is None or told.kind in ("dyn", found)
            ran += found is not None
    assert ran


def test_every_function_is_in_the_table() -> None:
    assert set(FUNCTIONS) - VARIADIC <= set(SIGNATURES)
    assert set(SIGNATURES) - set(FUNCTIONS) == {"or", "orValue"}


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("'a' && true", 4, "&& does not work on string"),
        ("true || false || 1", 5, "|| does not work on int"),
        ("[1].filter(x, 1)", 10, "a condition does not work on int"),
        ("[1].all(x, 'a')", 7, "a condition does not work on string"),
        ("[?1]", 2, "an optional is expected after ?, not int"),
        ("{?'a': 1}", 7, "an optional is expected after ?, not int"),
        ("{[1]: 1}", 1, "list cannot be a key"),
        ("'a'.b", 3, "string has no 'b'"),
        ("has(1 .b)", 6, "int has no 'b'"),
        ("1[0]", 1, "[ ] does not work on int and int"),
        ("'a'.?b", 3, ".? does not work on string and string"),
        ("[1][?'a']", 3, "[? ] does not work on list and string"),
        ("cel.bind(x, 1, x + 'a')", 17, "+ does not work on int and string"),
        ("optional.of(1).orValue(2, 3)", 22, None),
        ("orValue(data, 1)", 7, None),
    ],
)
def test_what_cannot_work_is_told_where_it_stands(
    text: str, place: int, message: str | None
) -> None:
    [fault] = compile_text(text).faults
    assert fault.offset == place
    assert message in (None, fault.message)


def test_each_wrong_part_is_told() -> None:
    faults = compile_text("(1 + 'a') + (2 * true)").faults
    assert [(fault.code, fault.offset) for fault in faults] == [
        ("EXPRESSION_TYPE", 3),
        ("EXPRESSION_TYPE", 15),
    ]


def test_a_leading_dot_passes_over_a_macros_variable() -> None:
    assert compile_text("cel.bind(x, 1, .x + 'a')").faults == ()
    assert [one.text for one in compile_text("data.map(x, .x.y)").references] == ["data", "x.y"]
