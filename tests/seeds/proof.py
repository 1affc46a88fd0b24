"""Both ways between requirements and tests: what is wrong, and how far we are."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from tests.seeds.marks import Marks
from tests.seeds.requirement import ISSUES, Issue, Requirement

from toolweave.problems import did_you_mean


def faults(
    requirements: Sequence[Requirement],
    marks: Marks,
    *,
    done: Collection[Issue],
    gaps: Mapping[str, str],
) -> list[str]:
    """Everything that breaks the proof, one line each; none when it holds."""
    by_id = {requirement.id: requirement for requirement in requirements}
    return [
        *marks.faults,
        *_unknown(by_id, marks),
        *_untested(requirements, marks, done, gaps),
        *_wrong_gaps(by_id, marks, done, gaps),
    ]


def summary(requirements: Sequence[Requirement], marks: Marks) -> list[str]:
    """How many requirements have a test, by seed, and how many have none, by issue."""
    all_of = Counter(requirement.seed for requirement in requirements)
    tested = [requirement for requirement in requirements if requirement.id in marks.tested]
    tested_of = Counter(requirement.seed for requirement in tested)
    without = Counter(r.issue for r in requirements if r.id not in marks.tested)
    return [
        *(
            f"seed {seed}: {tested_of[seed]:3} of {count:3} requirements tested"
            for seed, count in sorted(all_of.items())
        ),
        f"all seeds: {len(tested)} of {len(requirements)}; without a test: "
        + ", ".join(f"{issue} {without[issue]}" for issue in ISSUES),
    ]


def _unknown(by_id: Mapping[str, Requirement], marks: Marks) -> Iterator[str]:
    for id, tests in sorted(marks.tested.items()):
        if id not in by_id:
            yield f"{tests[0]}: no requirement {id!r}; {did_you_mean(id, by_id) or 'none is close'}"


def _untested(
    requirements: Sequence[Requirement],
    marks: Marks,
    done: Collection[Issue],
    gaps: Mapping[str, str],
) -> Iterator[str]:
    for requirement in requirements:
        is_due = requirement.issue in done and requirement.id not in gaps
        if is_due and requirement.id not in marks.tested:
            yield f"{requirement.issue} is done, but {requirement.id!r} has no test"


def _wrong_gaps(
    by_id: Mapping[str, Requirement],
    marks: Marks,
    done: Collection[Issue],
    gaps: Mapping[str, str],
) -> Iterator[str]:
    for id, reason in gaps.items():
        if id not in by_id:
            yield f"the gap {id!r} is no requirement"
        elif id in marks.tested:
            yield f"the gap {id!r} is stale: {marks.tested[id][0]} tests it"
        elif by_id[id].issue not in done:
            yield f"the gap {id!r} needs no entry: {by_id[id].issue} is not done"
        elif not reason.strip():
            yield f"the gap {id!r} has no reason"
