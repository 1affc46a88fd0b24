"""The grammar: what stops the reading, at which character, and how trees are put together."""

import pytest

from toolweave.cel.language import Value, compile_text, evaluate
from toolweave.cel.parser import MAX_DEPTH, MAX_NESTING, parse
from toolweave.cel.syntax import (
    Comprehension,
    FunctionCall,
    Let,
    ListLiteral,
    Literal,
    MapEntry,
    MapLiteral,
    Member,
    Name,
    Term,
)
from toolweave.cel.values import INT_MAX, INT_MIN

QUOTE = "close it with the quote it begins with"
BACKSLASH = "write \\\\ for a backslash"
DECIMAL = "write it as a decimal, with .0 at the end"
OPERATOR = "is found where an operator or the end is expected"
A_VALUE = "is found where a value is expected"
ARROW = "CEL writes list.map(x, …) without an arrow"
WHOLE = f"a whole number is at most {INT_MAX} and at least {INT_MIN}"


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        ("a +", 3, "the expression ends where a value is expected", None),
        ("a ? b", 5, "the expression ends where ':' is expected", None),
        ("a b", 2, f"'b' {OPERATOR}", None),
        ("'abc", 0, "the text is not closed", QUOTE),
        ("'abc\\'", 0, "the text is not closed", QUOTE),
        ("''''", 0, "the text is not closed", QUOTE),
        ("1 + 'ab\\q'", 7, "\\q means nothing in a text", BACKSLASH),
        ("'\\ud800'", 1, "\\ud800 means nothing in a text", BACKSLASH),
        ("b'\\u0041'", 2, "\\u0041 means nothing in bytes", BACKSLASH),
        ("99999999999999999999", 0, WHOLE, DECIMAL),
        ("9" * 5_000, 0, WHOLE, DECIMAL),
        ("-1 + 0X1F", 5, "'0X1F' is no whole number", None),
        ("1.5u", 0, "'1.5' is no whole number", None),
        (
            "if",
            0,
            "'if' is a word that CEL keeps for itself, and no name",
            "as a key it is written in brackets: x['if']",
        ),
        ("in", 0, f"'in' {A_VALUE}", None),
        ("data.in", 5, "'in' is found where the name of a member is expected", None),
        ("data.", 5, "the expression ends where the name of a member is expected", None),
        ("f(a b)", 4, "'b' is found where an operator, ',' or ')' is expected", None),
        ("f(a,)", 4, f"')' {A_VALUE}", None),
        ("(a", 2, "the expression ends where an operator or ')' is expected", None),
        ("a[1", 3, "the expression ends where an operator or ']' is expected", None),
        ("[1 2]", 3, "'2' is found where an operator, ',' or ']' is expected", None),
        ("{'a' 1}", 5, "'1' is found where ':' is expected", None),
        ("{'a': 1", 7, "the expression ends where an operator, ',' or '}' is expected", None),
        ("[,1]", 2, "'1' is found where ']' is expected", None),
        ("1{}", 1, f"'{{' {OPERATOR}", None),
        ("a\u00a0+ 1", 1, f"'\\xa0' {OPERATOR}", None),
        (
            "has(data)",
            3,
            "has() takes one member: has(x.key)",
            "ask for any other key with 'key' in x",
        ),
        ("[1].map(x)", 7, "map() takes a name and an expression: map(x, …)", None),
        ("[1].all(x.y, 1)", 9, "all() takes a plain name first, as in all(x, …)", None),
        (
            "cel.bind(x, 1)",
            8,
            "cel.bind() takes a name and two expressions: cel.bind(x, value, …)",
            None,
        ),
        ("", 0, "the expression is empty", None),
        (" \n ", 0, "the expression is empty", None),
        ("x\ud800", 1, "no valid Unicode character", None),
        ("a === 1", 4, f"'=' {A_VALUE}", "CEL compares with =="),
        ("a !== 1", 4, f"'=' {A_VALUE}", "CEL compares with !="),
        (
            "a = 1",
            2,
            f"'=' {OPERATOR}",
            "CEL compares with ==",
        ),
        (
            "a and b",
            2,
            f"'and' {OPERATOR}",
            "CEL writes && for and",
        ),
        (
            "a or b",
            2,
            f"'or' {OPERATOR}",
            "CEL writes || for or",
        ),
        (
            "not a",
            4,
            f"'a' {OPERATOR}",
            "CEL writes ! for not",
        ),
        (
            "a & b",
            2,
            f"'&' {OPERATOR}",
            "CEL writes && for and",
        ),
        (
            "a?.b",
            4,
            "the expression ends where ':' is expected",
            "CEL writes .? for a member that may be missing",
        ),
        (
            "x => x",
            2,
            f"'=>' {OPERATOR}",
            "CEL writes list.map(x, …) without an arrow",
        ),
        (
            "$json.x",
            0,
            f"'$' {A_VALUE}",
            "a name cannot begin with $",
        ),
        (
            "`a`",
            0,
            f"'`a`' {A_VALUE}",
            "CEL has no template strings; join strings with +",
        ),
    ],
)
def test_a_syntax_fault_points_at_the_character(
    text: str, place: int, message: str, hint: str | None
) -> None:
    [fault] = compile_text(text).faults
    assert (fault.code, fault.offset) == ("EXPRESSION_INVALID", place)
    assert (fault.message, fault.hint) == (message, hint)
    assert not compile_text(text).is_usable
    assert evaluate(text, {}) == fault


@pytest.mark.parametrize(
    ("text", "term"),
    [
        (
            "a + b * -2",
            FunctionCall(
                "_+_", (Name("a", 0), FunctionCall("_*_", (Name("b", 4), Literal(-2, 8)), 6)), 2
            ),
        ),
        (
            "a - b - c",
            FunctionCall(
                "_-_", (FunctionCall("_-_", (Name("a", 0), Name("b", 4)), 2), Name("c", 8)), 6
            ),
        ),
        ("a && b && c", FunctionCall("_&&_", (Name("a", 0), Name("b", 5), Name("c", 10)), 2)),
        ("a ? b : c", FunctionCall("_?_:_", (Name("a", 0), Name("b", 4), Name("c", 8)), 2)),
        ("-a.b", FunctionCall("-_", (Member(Name("a", 1), "b", False, 2),), 0)),
        ("!!a", Name("a", 2)),
        (".a", Name("a", 1, is_outermost=True)),
        ("has(a.b)", Member(Name("a", 4), "b", True, 5)),
        ("a.?b", FunctionCall("_?._", (Name("a", 0), Literal("b", 3)), 1)),
        ("a[?0]", FunctionCall("_[?_]", (Name("a", 0), Literal(0, 3)), 1)),
        ("a.f(b)", FunctionCall("f", (Name("a", 0), Name("b", 4)), 3, is_method=True)),
        ("math.abs(a)", FunctionCall("math.abs", (Name("a", 9),), 8)),
        (
            "[?a, 'é' ,]",
            ListLiteral((Name("a", 2), Literal("é", 5)), frozenset({0}), 0),
        ),
        (
            "{'k': 1, ?b: c}",
            MapLiteral(
                (
                    MapEntry(Literal("k", 1), Literal(1, 6), False),
                    MapEntry(Name("b", 10), Name("c", 13), True),
                ),
                0,
            ),
        ),
        ("a.map(x, x)", Comprehension("map", "x", Name("a", 0), None, Name("x", 9), 5)),
        (
            "a.filter(x, y)",
            Comprehension("filter", "x", Name("a", 0), Name("y", 12), Name("x", 9), 8),
        ),
        ("cel.bind(x, 1, x)", Let("x", Literal(1, 12), Name("x", 15), 8)),
    ],
)
def test_a_text_becomes_a_tree_with_its_places(text: str, term: Term) -> None:
    assert parse(text) == (term, ())


@pytest.mark.parametrize(
    ("start", "middle", "end"),
    [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("{'a': ", "1", "}"),
        ("string(", "1", ")"),
        ("[1].map(x, ", "1", ")"),
        ("cel.bind(x, 1, ", "1", ")"),
        ("cel.bind(x, ", "1", ", x)"),
        ("!(", "true", ")"),
        ("(true && ", "true", ")"),
    ],
)
def test_brackets_nest_to_a_bound(start: str, middle: str, end: str) -> None:
    most = MAX_NESTING - 1
    assert isinstance(evaluate(start * most + middle + end * most, {}), Value)
    [fault] = compile_text(start * (most + 1) + middle + end * (most + 1)).faults
    assert len(start * most) < fault.offset <= len(start * (most + 1))
    assert fault.message == f"the expression is nested too deeply; {MAX_NESTING} levels are read"


@pytest.mark.parametrize(
    ("start", "step", "end"),
    [("1", " + 1", ""), ("'a'", ".trim()", ""), ("", "false ? 0 : ", "1"), ("data", ".?a", "")],
)
def test_chains_go_on_to_a_bound(start: str, step: str, end: str) -> None:
    most = MAX_DEPTH - 1
    assert compile_text(start + step * most + end).is_usable
    [fault] = compile_text(start + step * (most + 1) + end).faults
    assert fault.message == f"the expression is too long a chain; {MAX_DEPTH} links are read"


def test_a_hundred_thousand_parentheses_are_a_fault() -> None:
    for text in ("(" * 100_000, "(" * 9_999, "-" * 9_999, "a?" * 4_999, "{" * 9_999, "." * 9_999):
        [fault] = compile_text(text).faults
        assert fault.code == "EXPRESSION_INVALID"
