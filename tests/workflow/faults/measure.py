"""Measure how well faults are caught, placed and fixed, through the code of `toolweave validate`.

`python -m tests.workflow.faults.measure` prints the rates by family. `--list NAME` prints the ids
of one outcome: silent, misplaced, refused, wrong, unfixed, unsafe, alarm; `--show ID` one report.
`--dir PATH` measures a set of another folder, which may have its own `right/` and `unusual.json`.
"""

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import anyio
from tests.catalog.builders import our_catalog
from tests.workflow.faults.cases import Fault, Unusual, faults, right_documents, unusual_documents
from tests.workflow.faults.known_home import known_home

from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.workflow.checks import check_workflow
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert, load, read
from toolweave.workflow.json_patch import apply_patch
from toolweave.workflow.model import NodeId
from toolweave.workflow.report import Report, examine_loaded

_BRACES = re.compile(r"\{\{\s*(.*?)\s*\}\}")
_ONE_ANSWER = re.compile(
    r"^did you mean '[^']+'\?$|^(?:write|use) '[^']+'$|^rename '[^']+' to '[^']+'\?$"
    r"|^move it to \S+$"
)
_SEVERAL = re.compile(r"^did you mean one of|^choose one of .*,|^use one of .*,|^use '[^']+' or '")
# `nodes.load.output.rows` is `load.rows`.
_OUTPUT = re.compile(r"\bnodes\.([A-Za-z_]\w*)\.output\.")
_SPACES = re.compile(r"[ \t]+")
# The name of an item in a macro says nothing: `rows.map(a, a.b)` is `rows.map(b, b.b)`.
_MACRO = re.compile(r"\.(?:map|filter|all|exists|exists_one)\(([A-Za-z_]\w*), ")
_KEPT = "x-toolweave"
_PARTS = ("configurations", "inputParams")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one fault."""

    fault: Fault
    is_caught: bool
    is_placed: bool
    is_fixed: bool
    is_wrong_fix: bool
    # Valid for the validator although the run refuses it.
    is_valid_then_refused: bool
    # Hints that name one answer without a patch, and those that name several with one.
    unkept_hints: tuple[str, ...] = ()
    # Patches that cannot be applied to the file, or cause an error when applied alone.
    bad_patches: tuple[str, ...] = ()


@dataclass(slots=True)
class Measured:
    """All outcomes, and the right documents that gave an error."""

    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    alarms: dict[str, list[Problem]] = field(default_factory=dict[str, list[Problem]])
    right_count: int = 0
    known: KnownEnvironment = field(kw_only=True)

    def ids(self, name: str) -> list[str]:
        """The ids of one kind of failure."""
        if name == "alarm":
            return sorted(self.alarms)
        return sorted(one.fault.id for one in self.outcomes if FAILURES[name](one))

    def rate(self, name: str, family: str | None = None) -> float:
        """The percentage of `caught`, `placed` or `fixed`, of all faults or of a family."""
        found = [one for one in self.outcomes if family in {None, one.fault.family}]
        if name == "fixed":
            found = [one for one in found if one.fault.is_mendable]
        good = sum(_GOOD[name](one) for one in found)
        return 100 * good / len(found) if found else 100.0


FAILURES: dict[str, Callable[[Outcome], bool]] = {
    "silent": lambda one: not one.is_caught,
    "misplaced": lambda one: one.is_caught and not one.is_placed,
    "refused": lambda one: one.is_valid_then_refused,
    "wrong": lambda one: one.is_wrong_fix,
    "unfixed": lambda one: one.fault.is_mendable and not one.is_fixed,
    "unsafe": lambda one: bool(one.bad_patches),
}
_GOOD: dict[str, Callable[[Outcome], bool]] = {
    "caught": lambda one: one.is_caught,
    "placed": lambda one: one.is_placed,
    "fixed": lambda one: one.is_fixed,
}


def known_environment(folder: str = "") -> KnownEnvironment:
    """What is known in the home of the measurement of a set."""
    texts = [json.dumps(document) for document in right_documents(folder).values()]
    with tempfile.TemporaryDirectory() as directory:
        return anyio.run(known_home, Path(directory), texts)


def measure(known: KnownEnvironment, folder: str = "wrong") -> Measured:
    """Examine and repair every document of a set once."""
    measured = Measured(known=known)
    documents = right_documents(folder)
    rights = {name: examined(json.dumps(one), known) for name, one in documents.items()}
    for fault in faults(folder):
        measured.outcomes.append(outcome(fault, rights[fault.right], known))
    for one in unusual_documents(folder):
        measured.right_count += 1
        if errors := alarms(one, known):
            measured.alarms[one.id] = errors
    return measured


def examined(text: str, known: KnownEnvironment, file: str = "workflow.json") -> Report:
    """The report of `toolweave validate` on a file with this text."""
    return examine_loaded(load(text.encode(), name_hint=file), known)


def alarms(one: Unusual, known: KnownEnvironment) -> list[Problem]:
    """The errors of a document that has none."""
    report = examined(one.text, known, one.file)
    return [problem for problem in report.problems if problem.severity == "error"]


def outcome(fault: Fault, right: Report, known: KnownEnvironment) -> Outcome:
    """Whether a fault is caught, where, and what its fix gives."""
    report = examined(fault.text, known)
    before = {(problem.code, problem.pointer) for problem in right.problems}
    new = [one for one in report.problems if (one.code, one.pointer) not in before]
    # A text that is read with a note was understood: the note is what catches it.
    is_caught = bool(new)
    is_fixed, is_wrong = _fix(fault, report, new)
    return Outcome(
        fault,
        is_caught,
        any(_is_at(problem.pointer, fault) for problem in new),
        is_fixed,
        is_wrong,
        fault.is_refused and report.is_valid and not fault.is_of_world,
        tuple(unkept_hints(report)),
        () if fault.is_text else tuple(bad_patches(fault.text, report)),
    )


def bad_patches(text: str, report: Report) -> Iterator[str]:
    """The patches of a report that must not be applied alone to the file with this text."""
    patches = {json.dumps(one.patch): one for one in report.problems if one.patch}
    before: Counter[str] | None = None
    document: Json = json.loads(text)
    for one in patches.values():
        try:
            after = apply_patch(document, one.patch or ())
        except Invalid as error:
            yield f"{one.code} {one.pointer}: {error.message}"
            continue
        new = _errors(json.dumps(after), report.known)
        if new:  # without an error there is none that was caused
            before = _errors(text, report.known) if before is None else before
            new -= before
        if new:
            yield f"{one.code} {one.pointer}: {', '.join(sorted(new))}"


def _errors(text: str, known: KnownEnvironment) -> Counter[str]:
    """How many errors of each code a file has, without looking for fixes."""
    loaded = load(text.encode())
    checked = check_workflow(loaded.workflow, known, loaded.format)
    # What a correction of the form settles is not in the file any more.
    found = {(one.code, one.pointer) for one in checked if one.severity == "error"}
    found |= {(one.code, one.pointer) for one in loaded.problems if one.severity == "error"}
    return Counter(code for code, _ in found)


def unkept_hints(report: Report) -> Iterator[str]:
    """Hints that promise a patch which is not there, or that leave open what a patch decides."""
    # One patch may fix two problems of one value, such as a missing and an unknown name.
    fixed = {
        str(step[key])
        for one in report.problems
        for step in one.patch or ()
        for key in ("path", "from")
        if key in step
    }
    for one in report.problems:
        hint = one.hint or ""
        if _ONE_ANSWER.search(hint) and one.patch is None and one.pointer not in fixed:
            yield f"{one.code} {one.pointer}: {hint} (no patch)"
        if _SEVERAL.search(hint) and one.patch is not None:
            yield f"{one.code} {one.pointer}: {hint} (patch)"


def _fix(fault: Fault, report: Report, new: Iterable[Problem]) -> tuple[bool, bool]:
    """Whether the fix gives the right document, and whether it gives another one."""
    if not report.is_workflow or not (fault.is_text or any(one.patch for one in report.problems)):
        return False, False
    format = report.loaded.format
    fixed = convert(report.fixed.workflow, format)
    form = canonical(fixed)
    is_changed = bool(report.fixed.repaired) and form != canonical(
        convert(report.loaded.workflow, format)
    )
    is_offered = is_changed or any(problem.patch for problem in new)
    if fault.is_never_fixed:
        return False, is_offered
    if not fault.is_mendable or not (is_offered or fault.is_text):
        return False, False
    if form in _accepted(fault, format):
        return True, False
    return False, is_changed and examine_loaded(read(fixed), report.known).is_valid


def _accepted(fault: Fault, format: FormatName) -> set[str]:
    """The right answers, as written and as the writer of the dialect spells them."""
    return {form for text in fault.accepted for form in _forms(text, format)}


@cache
def _forms(text: str, format: FormatName) -> tuple[str, str]:
    document: Json = json.loads(text)
    return canonical(document), canonical(convert(read(document).workflow, format))


def canonical(document: Json) -> str:
    """A text that is the same for documents of the same meaning."""
    workflow = read(document).workflow
    refs = {node.id: node.ref for node in workflow.nodes}
    plain = _plain(convert(workflow, "toolweave"))
    assert isinstance(plain, dict)
    edges = plain.get("connections")
    for edge in edges if isinstance(edges, list) else ():
        if isinstance(edge, dict):
            edge.pop("id", None)  # a new edge may have any id
            port = str(edge.get("fromPort"))
            aliases = _port_aliases(refs.get(NodeId(str(edge.get("from")))))
            edge["fromPort"] = aliases.get(port, port)
    return json.dumps(plain, sort_keys=True)


@cache
def _port_aliases(ref: str | None) -> dict[str, str]:
    """The other names of a catalog node's ports: an edge from one of them is the same edge."""
    spec = our_catalog().get(*(ref or ".").split(".", 1))
    ports = spec.output_ports if spec is not None else ()
    return {alias: port.name for port in ports for alias in port.aliases}


def _plain(value: Json) -> Json:
    if isinstance(value, dict):
        # A part without members says the same as none.
        return {
            key: _plain(one)
            for key, one in value.items()
            if key != _KEPT and not (key in _PARTS and one == {})
        }
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        text = _SPACES.sub(" ", _OUTPUT.sub(r"\1.", _BRACES.sub(r"{{ \1 }}", value)))
        return _with_plain_items(text)
    return value


def _with_plain_items(text: str) -> str:
    """The text with the items of macros numbered, in the order in which the macros begin."""
    at = 0
    for number in range(text.count("(")):
        if (found := _MACRO.search(text, at)) is None:
            break
        depth, end = 1, found.end()
        while end < len(text) and depth:
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        name = re.compile(rf"(?<![\w.'\"]){found[1]}(?![\w'\"(])")
        inner = name.sub(f"item_{number}", text[found.start(1) : end])
        text = text[: found.start(1)] + inner + text[end:]
        at = found.start(1)
    return text


def _is_at(place: str, fault: Fault) -> bool:
    if fault.is_text and "" in fault.at:
        return True
    return any(place == at or (at and place.startswith(f"{at}/")) for at in fault.at)


def table(measured: Measured) -> str:
    """The rates by family, as text."""
    lines = ["family       faults  caught  placed  mendable  fixed  wrong  valid-then-refused"]
    families = sorted({one.fault.family for one in measured.outcomes})
    for family in (*families, None):
        found = [one for one in measured.outcomes if family in {None, one.fault.family}]
        mendable = sum(one.fault.is_mendable for one in found)
        wrong = sum(one.is_wrong_fix for one in found)
        refused = sum(one.is_valid_then_refused for one in found)
        rates = [measured.rate(name, family) for name in ("caught", "placed", "fixed")]
        lines.append(
            f"{family or 'all':<12} {len(found):>6} {rates[0]:>6.1f}% {rates[1]:>6.1f}%"
            f" {mendable:>9} {rates[2]:>5.1f}% {wrong:>6} {refused:>19}"
        )
    lines.append(f"errors on right documents: {len(measured.alarms)} of {measured.right_count}")
    return "\n".join(lines)


def show(id: str, known: KnownEnvironment, folder: str = "wrong") -> str:
    """The problems of one fault or unusual document, and its fix, as text."""
    texts = {one.id: one.text for one in (*unusual_documents(folder), *faults(folder))}
    report = examined(texts[id], known)
    lines = [json.dumps(problem.as_json(), ensure_ascii=False) for problem in report.problems]
    if report.is_workflow:
        lines += [f"fixes {one.code} at {one.pointer}" for one in report.fixed.repaired]
    return "\n".join((f"read as {report.loaded.format}, valid: {report.is_valid}", *lines))


def main(arguments: list[str]) -> None:
    """Print the table, a list of ids, or one report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", choices=[*FAILURES, "alarm"])
    parser.add_argument("--show", metavar="ID")
    parser.add_argument(
        "--set",
        choices=[
            "wrong",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
        ],
        default="wrong",
    )
    parser.add_argument("--dir", type=Path, metavar="PATH", help="a set outside the repository")
    given = parser.parse_args(arguments)
    folder: str = str(given.dir.resolve()) if given.dir else given.set
    known = known_environment(folder)
    if given.show:
        text = show(given.show, known, folder)
    else:
        measured = measure(known, folder)
        text = "\n".join(measured.ids(given.list)) if given.list else table(measured)
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
