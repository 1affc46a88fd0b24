"""A difference of a replay as lines of a small tree."""

from toolweave.recording.comparison import StepDifference

MAX_VALUES = 10


def difference_lines(one: StepDifference) -> list[str]:
    """Return a difference as a small tree."""
    words = {"changed": "", "missing": ": not reached", "new": ": not recorded", "refused": ""}
    head = f"{one.key}{words[one.what]}"
    if one.what in ("changed", "refused") and one.message:
        head = f"{head}: {one.message}"
    lines = [head]
    lines += [
        f"  {value.pointer or '/'}: expected {value.shown_expected}, got {value.shown_actual}"
        for value in one.values[:MAX_VALUES]
    ]
    if len(one.values) > MAX_VALUES:
        lines.append(f"  and {len(one.values) - MAX_VALUES} more")
    return lines
