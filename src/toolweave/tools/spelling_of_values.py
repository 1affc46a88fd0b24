"""Texts that miss a pattern only by how they are written: a slash, a sign, a whole address."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from toolweave.patterns import pattern

_QUOTES = "'\"`"
_SIGNS = "#@/"
# `git@host:owner/name.git`
_REMOTE = pattern(r"\w+@[\w.-]+:([\w./-]+?)(?:\.git)?/?")
_SHORT_COLOUR = pattern(r"#?([0-9A-Fa-f]{3})")


def respelt(text: str) -> Iterator[str]:
    """Return the same text in other spellings, without repetitions."""
    seen = {text}
    for found in _spellings(text):
        if found and found not in seen:
            seen.add(found)
            yield found


def _spellings(text: str) -> Iterator[str]:
    plain = text.strip().strip(_QUOTES).strip()
    yield plain
    if "://" in plain:
        # The name in an address, as of a repository, or its path, as of a webhook.
        path = urlsplit(plain).path
        yield path.strip("/").removesuffix(".git")
        yield path.removeprefix("/hooks") if path.startswith("/hooks/") else path
        return
    if (remote := _REMOTE.fullmatch(plain)) is not None:
        yield remote[1]
    if (short := _SHORT_COLOUR.fullmatch(plain)) is not None:
        yield "#" + "".join(sign * 2 for sign in short[1])
    yield from (f"{sign}{plain}" for sign in _SIGNS)
    yield plain.lstrip(_SIGNS)
    yield plain.rstrip("/")
    yield plain.strip("/")


def in_another_unit(wrong: str, right: str) -> float | None:
    """Return the factor between two names that differ in their unit of time only."""
    stem, unit = of_time(wrong)
    other, expected = of_time(right)
    if stem != other or unit == expected or unit is None:
        return None
    if expected is None and other != "timeout":
        return None  # only time limits are in seconds throughout
    return SECONDS[unit] / SECONDS[expected or "s"]


SECONDS = {
    **dict.fromkeys(("ms", "millis", "milliseconds", "msec"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "seconds"), 1.0),
    # Not `min`, which may be the least.
    **dict.fromkeys(("mins", "minutes"), 60.0),
    **dict.fromkeys(("hrs", "hours"), 3600.0),
    **dict.fromkeys(("days",), 86_400.0),
}


def of_time(name: str) -> tuple[str, str | None]:
    """A name without its unit of time, and the unit."""
    stem, separator, unit = name.rpartition("_")
    if not separator:
        for one in ("Milliseconds", "Millis", "Ms", "Seconds", "Secs", "Minutes", "Mins", "Hours"):
            if name.endswith(one):
                return name.removesuffix(one).lower(), one.lower()
        return name.lower(), None
    return (stem.lower(), unit.lower()) if unit.lower() in SECONDS else (name.lower(), None)
