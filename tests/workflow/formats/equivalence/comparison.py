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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import jinja2
from tests.workflow.checks.building import known
from tests.workflow.formats.equivalence.documents import ANY, FITTING, SCHEMA

from toolweave.cel.language import Value, evaluate
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.json_patch import apply_patch
from toolweave.workflow.report import examine

HERE = Path(__file__).parent
LanguageName = Literal["javascript", "python", "jinja"]
LANGUAGES: tuple[LanguageName, ...] = ("javascript", "python", "jinja")
_CONDITION = ("/nodes/1/data/configurations/condition_expression", "condition_expression")
_VALUE = ("/nodes/1/data/configurations/expressions/out", "expressions")
_Any = Any  # a value of any language


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
    place, field = _CONDITION if case.is_condition else _VALUE
    expression = case.text if case.is_condition else {"out": case.text}
    kind, subtype = ("FLOW", "IF") if case.is_condition else ("ACTION", "SET_FIELDS")
    data: _Any = {"subtype": subtype, "configurations": {field: expression}}
    document: JsonObject = {
        "id": "w",
        "name": "w",
        "version": "1.0.0",
        "nodes": [
            {"id": "go", "type": "TRIGGER", "name": "go", "data": {"subtype": "MANUAL"}},
            {"id": "a", "type": kind, "name": "a", "data": data},
        ],
        "connections": [
            {"id": "c", "from": "go", "to": "a", "fromPort": "output", "toPort": "input"}
        ],
        **({"inputSchema": SCHEMA} if case.is_typed else {}),
    }
    report = examine(json.dumps(document), known())
    here = [one for one in report.problems if one.pointer == place]
    patches = [one.patch for one in here if one.patch]
    if not patches:
        is_right = not any(one.severity == "error" for one in here)
        return (case.text, True) if is_right else (None, False)
    fixed = apply_patch(document, [dict(one) for one in patches[0]])
    found: _Any = fixed
    for step in place.split("/")[1:]:
        found = found[int(step) if isinstance(found, list) else step]
    return found, False


def compare(case: Case, original: Callable[[Case], list[Given]]) -> Compared:
    """Compare a translation with its original for every document."""
    cel, is_native = offered(case)
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
        elif not same(found.value, wanted.value) and not is_known(case, wanted.value, found.value):
            different.append((document, wanted.value, found.value))
    return Compared(case, cel, is_native, tuple(different), tuple(failed))


# In CEL it fails where there is no such item or number; JavaScript goes on with `undefined` or NaN.
FAILING = ("there is no item", "the text is no", "of an empty list")


def _is_other(case: Case, document: JsonObject) -> bool:
    """Whether a document has what the language takes for something else.

    Python takes True for 1; an object has no `length` in JavaScript, and a size in CEL.
    """
    if case.language == "javascript":
        return any(isinstance(document.get(one), dict) for one in ("name", "tags", "items"))
    is_mixed = any(isinstance(document.get(one), bool) for one in ("n", "price"))
    return is_mixed or type(document.get("active")) is int


def is_known(case: Case, wanted: Json, found: Json) -> bool:
    """Whether a difference is one of those that the documentation names.

    CEL writes a number with a fraction from a million on, and one below 0.0001, with an exponent.
    Where the type is not declared, `and` and `or` give true or false and not the operand, a text
    has `true` where Python writes `True`, and Python's True is 1.
    """
    if isinstance(wanted, str) and isinstance(found, str):
        if _numbers(wanted) == _numbers(found):
            return True
        return not case.is_typed and _numbers(wanted.lower()) == _numbers(found.lower())
    if case.language == "python" and not case.is_typed and "== 1" in case.text:
        return (wanted, found) == (True, False)
    words = (" and ", " or ", "&&", "||")
    is_operation = any(one in case.text for one in words)
    return not case.is_typed and is_operation and found is bool(wanted)


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

    def __init__(self) -> None:
        texts = [(text, is_it) for text in texts_of("javascript") for is_it in (False, True)]
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


def _javascript(texts: list[tuple[str, bool]]) -> list[list[Given]]:
    node = shutil.which("node")
    assert node is not None
    done = subprocess.run(  # the texts are in this repository
        [node, str(HERE / "evaluate.mjs")],
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


def compare_all() -> list[Compared]:
    """Compare every case."""
    original = Originals()
    return [compare(one, original) for one in cases()]


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
