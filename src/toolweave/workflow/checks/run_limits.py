"""The limits of a workflow's runs: `limits` with `concurrent` and `per_second`."""

from collections.abc import Iterator

from toolweave.json_text import Json
from toolweave.problems import Problem, did_you_mean, pointer
from toolweave.workflow.checks.context import CheckContext

CODE = "RUN_LIMITS_INVALID"
KEY = "limits"
_NAMES = ("concurrent", "per_second")


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield limits that would not be followed."""
    given = case.workflow.extras.get(KEY)
    if case.is_subflow or given is None:
        return
    if not isinstance(given, dict):
        yield Problem(CODE, pointer(KEY), f"{KEY!r} is not an object with {' or '.join(_NAMES)}")
        return
    for name, value in given.items():
        if name not in _NAMES:
            hint = did_you_mean(name, _NAMES) or f"there are {' and '.join(_NAMES)}"
            yield Problem(CODE, pointer(KEY, name), f"there is no limit {name!r}", hint=hint)
        elif not _is_fit(name, value):
            expected = "a whole number from 1" if name == "concurrent" else "a number above 0"
            message = f"the limit {name!r} is {value!r:.40}; expected {expected}"
            yield Problem(CODE, pointer(KEY, name), message)


def _is_fit(name: str, value: Json) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return False
    return isinstance(value, int) or name != "concurrent"
