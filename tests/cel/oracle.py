"""Google's own CEL runtime, to hold our evaluator against, and expressions to hold them at."""

# pyright: reportMissingTypeStubs=false
# Its stubs are there, but it does not say so.
import math
from typing import Any

from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_encoders, ext_math, ext_optional, ext_strings
from hypothesis import strategies as st

from toolweave.cel.evaluator import Compiler
from toolweave.cel.functions import Unsupported
from toolweave.cel.language import MAX_ROOM, MAX_WORK
from toolweave.cel.parser import parse
from toolweave.cel.values import CelType, Evaluation, Failed, Maybe, from_key
from toolweave.json_text import JsonObject

DATA: JsonObject = {
    "n": 3,
    "f": 2.5,
    "s": "hello world",
    "none": None,
    "yes": True,
    "list": [1, 2.0, "x", None, [1]],
    "numbers": [3, 1, 2],
    "words": ["b", "a", ""],
    "map": {"a": 1, "b c": {"d": [True]}},
    "big": 9223372036854775807,
    "nul": "a\0b",
}

_ENVIRONMENT = cel.NewEnv(
    variables={"data": cel.Type.DYN},
    extensions=[
        ext_bindings.ExtBindings(),
        ext_encoders.ExtEncoders(),
        ext_math.ExtMath(),
        ext_optional.ExtOptional(),
        ext_strings.ExtStrings(),
    ],
)


class Failure:
    """Equal to any other failure: the words differ."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Failure)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "failure"


FAILURE = Failure()
# Google reads 32 levels, and we more.
TOO_DEEP = "too deep for Google"


def theirs(text: str) -> object:
    """What Google's runtime gives, without its checker, which knows no JSON."""
    try:
        value = _ENVIRONMENT.compile(text, disable_check=True).eval(data={"data": DATA})
        name = value.type().name()
        return FAILURE if name == "ERROR" else _comparable(value.plain_value())
    except (RuntimeError, TypeError) as error:
        return TOO_DEEP if "recursion" in str(error) else FAILURE


def ours(text: str) -> object:
    """What our evaluator gives, before it is turned into JSON."""
    term = parse(text).term
    if term is None:
        return FAILURE  # some macros look at their arguments
    compiler = Compiler()
    try:
        compute = compiler.computed(term)
        return _comparable(compute(Evaluation({"data": DATA}, compiler.slots, MAX_WORK, MAX_ROOM)))
    except (Failed, Unsupported):
        return FAILURE


# Any: a value of either runtime, looked at by its type.
def _comparable(value: Any) -> object:
    """A value with its types made plain, so that 1, 1.0 and true are told apart."""
    match value:
        case bool() | None | str():
            return value
        case int():
            return ("int", int(value))
        case float():
            return "nan" if math.isnan(value) else ("double", value)
        case bytes() | bytearray():
            return bytes(value)
        case list():
            return [_comparable(one) for one in value]  # pyright: ignore[reportUnknownVariableType]
        case dict():
            pairs: Any = value.items()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            return {repr(from_key(key)): _comparable(one) for key, one in pairs}
        case CelType() | cel.Type():
            return "a type"
        case Maybe():
            return FAILURE  # theirs cannot hand out an optional
        case _:
            return value


_LEAVES = st.sampled_from(
    [
        *("0", "1", "-1", "2", "7", "9223372036854775807", "-9223372036854775808", "1u", "5u"),
        *("0.0", "-0.0", "0.5", "2.0", "-1.5", "1e300", "true", "false", "null"),
        *("''", "'a'", "'abc'", "'é🐱'", "'12'", "'1.5'", "'true'", "b'a'", "b''", "[]", "{}"),
        *("data.n", "data.f", "data.s", "data.none", "data.yes", "data.list", "data.numbers"),
        *("data.words", "data.map", "data.map.a", "data['map']['b c'].d", "data.missing"),
        *("data.list[0]", "data.list[9]", "data.big", "x", "duration('90s')", "timestamp(86400)"),
        *("duration('1.5h')", "timestamp('2020-02-29T12:30:45.5Z')", "int", "type(1)"),
    ]
)
_BINARY = st.sampled_from(
    ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "in"]
)
_METHODS = st.sampled_from(
    [
        *("size()", "trim()", "lowerAscii()", "upperAscii()", "reverse()", "join()", "join('-')"),
        *("split(',')", "split('')", "split('l', 2)", "startsWith('h')", "endsWith('d')"),
        *("matches('[a-l]+')", "charAt(1)", "substring(1)", "substring(1, 2)", "indexOf('l')"),
        *("indexOf('l', 4)", "lastIndexOf('l')", "lastIndexOf('l', 3)", "replace('l', 'L')"),
        *("replace('', '.', 2)", "getFullYear()", "getHours()", "getMinutes('+01:30')"),
        *("getDayOfYear()", "getMilliseconds()", "map(x, x)", "map(x, x, 1)", "filter(x, x)"),
        *("all(x, x)", "exists(x, x)", "exists_one(x, x)", "a", "?a.orValue(0)", "first().value()"),
        *("last().orValue(9)", "?a.hasValue()", "format([1])", "contains('l')"),
    ]
)
_FUNCTIONS = st.sampled_from(
    [
        *("size({})", "int({})", "uint({})", "double({})", "bool({})", "bytes({})", "dyn({})"),
        *("-({})", "!({})", "type({}) == int", "type({}) == list", "math.abs({})"),
        *("math.ceil({})", "math.floor({})", "math.round({})", "math.trunc({})", "math.sign({})"),
        *("math.greatest({}, 2)", "math.least({}, 2.5)", "math.greatest({})", "math.isNaN({})"),
        *(
            "math.sqrt(math.abs({}))",
            "[{}, 1]",
            "{{'k': {}}}",
            "{{1: {}}}[1.0]",
            "{{true: {}}}[true]",
        ),
        *("timestamp({})", "duration({})", "[?optional.of({})]"),
        *("optional.of({}).value()", "optional.ofNonZeroValue({}).hasValue()", "data.list[{}]"),
        *(
            "data.map[{}]",
            "data.list[?{}].orValue(0)",
            "cel.bind(x, {}, [x, x])",
            "'%d'.format([{}])",
        ),
        *("'%.2f'.format([{}])", "'%x'.format([{}])", "'%s'.format([string({})])"),
        *("base64.encode({})", "base64.decode({})", "optional.none().or(optional.of({})).value()"),
    ]
)


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({}) {} ({})".format, inner, _BINARY, inner),
        st.builds("({}).{}".format, inner, _METHODS),
        st.builds(str.format, _FUNCTIONS, inner),
        st.builds("({}) ? ({}) : ({})".format, inner, inner, inner),
        st.builds("data.numbers.map(x, {})".format, inner),
        st.builds("data.list.exists(x, {})".format, inner),
        st.builds("data.numbers.all(x, {})".format, inner),
        st.builds("data.words.filter(x, {})".format, inner),
        st.builds("data.map.exists_one(x, {})".format, inner),
    )


_ANYHOW = st.recursive(_LEAVES, _grown, max_leaves=6)


def _filled(pattern: str, **parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The pattern with `i`, `d`, `t`, `b` and `l` filled by expressions of that kind."""
    names = [name for name in parts if f"{{{name}}}" in pattern]
    return st.tuples(*(parts[name] for name in names)).map(
        lambda found: pattern.format(**dict(zip(names, found, strict=True)))
    )


def _of_kind(leaves: tuple[str, ...], patterns: tuple[str, ...]) -> st.SearchStrategy[str]:
    parts = {"i": _INT, "j": _INT, "d": _DOUBLE, "t": _TEXT, "u": _TEXT, "b": _BOOL, "c": _BOOL}
    grown = [_filled(pattern, **parts, l=_LIST, x=_ANYHOW) for pattern in patterns]
    return st.sampled_from(leaves) | st.one_of(grown)


# Expressions that mostly have a value: of one kind, made of parts that fit.
_INT: st.SearchStrategy[str] = st.deferred(
    lambda: _of_kind(
        ("0", "1", "-7", "2", "data.n", "data.map.a", "data.numbers[1]", "data.big"),
        (
            *("({i} + {j})", "({i} - {j})", "({i} * {j})", "({i} / {j})", "({i} % {j})", "-({i})"),
            *("size({t})", "{l}.size()", "({b} ? {i} : {j})", "int({d})", "{t}.indexOf({u})"),
            *("math.abs({i})", "math.greatest({i}, {j})", "data.numbers[?{i}].orValue({j})"),
            *("cel.bind(y, {i}, y + y)", "timestamp({i}).getDayOfYear()", "math.sign({i})"),
            *("[{i}, {j}].filter(z, z > 1).size()", "{{'k': {i}}}.k", "int(string({i}))"),
        ),
    )
)
_DOUBLE: st.SearchStrategy[str] = st.deferred(
    lambda: _of_kind(
        ("0.5", "-2.0", "data.f", "1e3", "0.1"),
        (
            *("double({i})", "({d} / 3.0)", "({d} * -1.5)", "math.round({d})", "math.floor({d})"),
            *("math.least({d}, {i})", "({b} ? {d} : 1.5)", "math.sqrt(math.abs({d}))", "-({d})"),
        ),
    )
)
_TEXT: st.SearchStrategy[str] = st.deferred(
    lambda: _of_kind(
        ("'a'", "'Hello, wörld'", "data.s", "''", "data.words[0]"),
        (
            *("({t} + {u})", "string({i})", "{t}.upperAscii()", "{t}.replace({u}, 'x')"),
            *("{l}.map(z, 'q').join({t})", "{t}.split({u})[0]", "({b} ? {t} : {u})", "{t}.trim()"),
            *("{t}.reverse()", "'%d of %.1f'.format([{i}, {d}])", "string({b})"),
            *("{{'k': {t}}}[?{u}].orValue('none')", "{t}.lowerAscii()", "string({d})"),
        ),
    )
)
_BOOL: st.SearchStrategy[str] = st.deferred(
    lambda: _of_kind(
        ("true", "false", "data.yes", "has(data.missing)", "has(data.map.a)"),
        (
            *("({i} < {j})", "({i} == {d})", "({d} >= {i})", "({t} == {u})", "({t} < {u})", "!{b}"),
            *(
                "({b} && {c})",
                "({b} || {c})",
                "({x} == {x})",
                "({b} || ({x}) == 1)",
                "{t}.contains({u})",
            ),
            *(
                "({i} in {l})",
                "{l}.exists(z, z == {i})",
                "{l}.all(z, z != {d})",
                "{t}.startsWith({u})",
            ),
            *("data.numbers.exists_one(z, z == {i})", "({l} == {l})", "(type({x}) == int)"),
        ),
    )
)
_LIST: st.SearchStrategy[str] = st.deferred(
    lambda: _of_kind(
        ("[]", "data.numbers", "data.list", "data.words"),
        (
            *("[{i}, {d}]", "({l} + {l})", "{l}.map(z, [z])", "{l}.filter(z, {b})", "[{x}]"),
            *("{l}.map(z, {b}, {i})", "{t}.split('l')", "[?optional.of({i}), ?optional.none()]"),
        ),
    )
)

EXPRESSIONS = st.one_of(_INT, _DOUBLE, _TEXT, _BOOL, _LIST, _ANYHOW)

# Rows of words that are mostly no expressions, to read or refuse them as Google does.
_WORDS = st.sampled_from(
    [
        *("1", "2u", "1.5", ".5", "0x1F", "1e3", "true", "null", "'a'", '"b"', "b'c'", "r'd'"),
        *("'''e'''", "'\\n'", "'\\x41'", "data", "data.n", "data.s", "x", "if", "in", " in ", "."),
        *("+", "-", "*", "/", "%", "!", "==", "<", ">=", "&&", "||", "?", ":", ",", "(", ")", "["),
        *("]", "{", "}", "size(", ".map(x,", ".all(x,", "has(", "data.map", "`a`", ".?n", "[?"),
        *("//", " ", "\n", "\t", "'", '"', "\\", "$", "=", ";", ".numbers", "data", "'k':"),
    ]
)
_QUOTED = st.sampled_from(["'{}'", '"{}"', "'''{}'''", "b'{}'", "r'{}'", '"""{}"""'])
_LITERALS = st.builds(str.format, _QUOTED, st.text("\\'\"0137xXuUabnqr8`?\n\r é", max_size=8))
_CHAINS = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "-1", "true", "!true", "data.n", "'a'", "[1]", "--2", "0.5"]),
        st.sampled_from([*"+-*/%<>?:", "==", "!=", "<=", "&&", "||", " in "]),
    ).map("".join),
    max_size=8,
).map(lambda pieces: "".join(pieces) + "1")
WORDS = st.one_of(st.lists(_WORDS, max_size=10).map("".join), _LITERALS, _CHAINS)
