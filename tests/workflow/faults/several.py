"""Measure how well documents with several faults are fixed, as authors write them.

`python -m tests.workflow.faults.several --set second --most 4` puts up to four faults that are
fixed alone into one document, often into one node, and fixes it as `toolweave validate --fix` does.
`--list` prints the ids of what is not right afterwards, with the codes that are left.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from tests.workflow.faults.cases import FOLDER, Entry, faults, right_documents
from tests.workflow.faults.measure import canonical, examined, known_environment, outcome

from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.load import convert
from toolweave.workflow.json_patch import apply_patch

_INSIDE = 4  # steps of a pointer into a node or an edge: `/nodes/0/name`
MOST_ANSWERS = 64


@dataclass(frozen=True, slots=True)
class Drawn:
    """A document with several faults and the answers that are right."""

    ids: tuple[str, ...]
    wrong: Json
    accepted: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A fixed document: right, valid but another one, or with errors left."""

    drawn: Drawn
    is_right: bool
    is_valid: bool
    left: tuple[Problem, ...]


def drawn(entries: Sequence[Entry], rights: dict[str, Json], most: int, seed: int) -> list[Drawn]:
    """As many documents as there are entries, each with two to `most` faults of one document."""
    chance = random.Random(seed)
    by_document: dict[str, list[Entry]] = {}
    for entry in entries:
        by_document.setdefault(entry["right"], []).append(entry)
    found: dict[tuple[str, ...], Drawn] = {}
    for entry in entries:
        others = by_document[entry["right"]]
        chosen, touched = [entry], _places(entry)
        for other in sorted(
            chance.sample(others, len(others)), key=lambda one: not _near(one, entry)
        ):
            if len(chosen) < most and not _meet(touched, _places(other)):
                chosen.append(other)
                touched |= _places(other)
        if len(chosen) > 1:
            made = _put_together(chosen, rights[entry["right"]])
            if made is not None:
                found[made.ids] = made
    return list(found.values())


def fixed(one: Drawn, known: KnownEnvironment) -> Fixed:
    """What `validate --fix` makes of it."""
    report = examined(json.dumps(one.wrong), known)
    fix = report.fixed
    after = convert(fix.workflow, report.loaded.format)
    right = {canonical(answer) for answer in one.accepted}
    checked = examined(json.dumps(after), known)
    errors = tuple(problem for problem in checked.problems if problem.severity == "error")
    return Fixed(one, canonical(after) in right, not errors, errors)


def fixed_alone(folder: str, known: KnownEnvironment) -> list[Entry]:
    """The entries of a set that are fixed alone and only change what a node or an edge holds."""
    entries = _entries(folder)
    rights = {
        name: examined(json.dumps(one), known) for name, one in right_documents(folder).items()
    }
    usable = {entry["id"] for entry in entries if _is_inside(entry)}
    return [
        entries_by_id
        for fault in faults(folder)
        if fault.id in usable and outcome(fault, rights[fault.right], known).is_fixed
        for entries_by_id in entries
        if entries_by_id["id"] == fault.id
    ]


def _entries(folder: str) -> list[Entry]:
    files = [
        path for path in sorted((FOLDER / folder).glob("*.json")) if "unusual" not in path.name
    ]
    return [one for path in files for one in json.loads(path.read_text(encoding="utf-8"))]


def _is_inside(entry: Entry) -> bool:
    """Whether it changes something in nodes and edges that stay where they are."""
    if not entry.get("mendable") or "text" in entry:
        return False
    steps: list[Any] = [*entry["patch"], *(one for way in entry.get("accepted", ()) for one in way)]
    places = [str(step[key]) for step in steps for key in ("path", "from") if key in step]
    return all(len(place.split("/")) >= _INSIDE for place in places)


def _places(entry: Entry) -> set[str]:
    steps = [*entry["patch"], *(one for way in entry.get("accepted", ()) for one in way)]
    return {str(step[key]) for step in steps for key in ("path", "from") if key in step}


def _near(one: Entry, other: Entry) -> bool:
    """Whether both change the same node."""
    nodes = [
        {"/".join(place.split("/")[: _INSIDE - 1]) for place in _places(it)} for it in (one, other)
    ]
    return bool(nodes[0] & nodes[1])


def _meet(some: set[str], others: set[str]) -> bool:
    """Whether one place is the other or within it."""
    return any(
        f"{one}/".startswith(f"{two}/") or f"{two}/".startswith(f"{one}/")
        for one in some
        for two in others
    )


def _put_together(chosen: Sequence[Entry], right: Json) -> Drawn | None:
    ways = product(*([(), *entry.get("accepted", ())] for entry in chosen))
    try:
        wrong = apply_patch(right, [step for entry in chosen for step in entry["patch"]])
        accepted = [
            apply_patch(right, [step for way in answer for step in way])
            for answer, _ in zip(ways, range(MOST_ANSWERS), strict=False)
        ]
    except Invalid:
        return None
    return Drawn(tuple(sorted(entry["id"] for entry in chosen)), wrong, tuple(accepted))


def _measured(folder: str, most: int, seed: int) -> Iterator[Fixed]:
    known = known_environment(folder)
    for one in drawn(fixed_alone(folder, known), right_documents(folder), most, seed):
        yield fixed(one, known)


def main(arguments: list[str]) -> None:
    """Print the rate, or what is not right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", default="second")
    parser.add_argument("--dir", type=Path)
    parser.add_argument("--most", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args(arguments)
    folder: str = str(given.dir.resolve()) if given.dir else given.set
    found = list(_measured(folder, given.most, given.seed))
    right = sum(one.is_right for one in found)
    wrong = [one for one in found if not one.is_right]
    if given.list:
        for one in wrong:
            state = "other" if one.is_valid else ", ".join(sorted({p.code for p in one.left}))
            sys.stdout.write(f"{' '.join(one.drawn.ids)}: {state}\n")
    other = sum(one.is_valid for one in wrong)
    sys.stdout.write(
        f"{len(found)} documents, {100 * right / max(1, len(found)):.1f}% right afterwards,"
        f" {other} valid but another, {len(wrong) - other} with errors left\n"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
