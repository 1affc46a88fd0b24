"""Schedules and dates as people say them: `every 30 minutes`, `Friday 18:15`, `4.12.2026`."""

import re
from datetime import date

from toolweave.patterns import pattern

_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_EVERY = pattern(
    r"(?:@?every|each|rate\()\s*(?P<count>\d{1,4})?\s*(?P<unit>m|min|mins|minutes?|h|hrs?|hours?)"
    r"\s*\)?",
    re.IGNORECASE,
)
_CLOCK = pattern(
    r"(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2}))?\s*(?P<half>am|pm|a\.m\.|p\.m\.|h|uhr|o'clock)?",
    re.IGNORECASE,
)
_NAMED = {
    **dict.fromkeys(("daily", "every day", "each day", "day", "everyday"), "*"),
    **dict.fromkeys(("weekdays", "every weekday", "weekday", "workdays", "business days"), "1-5"),
    **dict.fromkeys(("weekends", "every weekend", "weekend"), "0,6"),
}
_FILLING = frozenset({"on", "at", "every", "each", "weekly", "week", "run", "only"})
_AT = pattern(r"\s*(?:,|\bat\b|@|\bum\b)\s*|\s+", re.IGNORECASE)
_DOTTED = pattern(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})")
_SLASHED = pattern(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})")
_YEAR_FIRST = pattern(r"(\d{4})[./ ]?(\d{2})[./ ]?(\d{2})")
_WITH_MONTH = pattern(
    r"(?:(?P<day>\d{1,2})(?:st|nd|rd|th)?\.?\s+(?P<month>[A-Za-z]{3,9})|(?P<first>[A-Za-z]{3,9})\s+"
    r"(?P<second>\d{1,2})(?:st|nd|rd|th)?),?\s+(?P<year>\d{4})",
)


def spoken_crons(text: str) -> list[str]:
    """The cron expressions that a schedule in words may mean; `at 6:30` has two."""
    plain = " ".join(text.strip().lower().split())
    if (found := _EVERY.fullmatch(plain)) is not None:
        return _every(int(found["count"] or 1), found["unit"][0])
    if plain in {"hourly", "every hour"}:
        return ["0 * * * *"]
    words = [one for one in _AT.split(plain) if one and one not in _FILLING]
    times = [at for at, one in enumerate(words) if _CLOCK.fullmatch(one)]
    if len(times) == 1 and len(words) > times[0] + 1 and words[times[0] + 1] in {"am", "pm"}:
        words[times[0]] += words.pop(times[0] + 1)
    if len(times) != 1:
        return []
    clocks = _clocks(words.pop(times[0]))
    days = _days(" ".join(words))  # a time alone does not say when
    return [f"{minute} {hour} * * {days}" for hour, minute in clocks] if days else []


def _every(count: int, unit: str) -> list[str]:
    match unit:
        case "m" if 0 < count < 60 and 60 % count == 0:
            return [f"*/{count} * * * *" if count > 1 else "* * * * *"]
        case "h" if 0 < count < 24 and 24 % count == 0:
            return [f"0 */{count} * * *" if count > 1 else "0 * * * *"]
        case _:
            return []


def _clocks(text: str) -> list[tuple[int, int]]:
    """The hours and minutes that a time of day may mean: `6:30` is in the morning or evening."""
    found = _CLOCK.fullmatch(text)
    if found is None or (found["minute"] is None and found["half"] is None):
        return []  # a number alone may be anything
    hour, minute, half = int(found["hour"]), int(found["minute"] or 0), (found["half"] or "")[:1]
    is_short = 1 <= hour <= 12 and not found["hour"].startswith("0")
    if half in {"a", "p"}:
        hours = [hour % 12 + 12 * (half == "p")] if 1 <= hour <= 12 else []
    else:
        hours = [hour % 12, hour % 12 + 12] if is_short and half not in {"u", "h"} else [hour]
    return [(one, minute) for one in hours if one < 24 and minute < 60]


def _days(text: str) -> str | None:
    if text in _NAMED:
        return _NAMED[text]
    parts = [one for one in re.split(r"\s*(?:,|\band\b|&|\s)\s*", text) if one]
    found = [_day(one) for one in parts]
    return ",".join(str(one) for one in found) if found and None not in found else None


def _day(word: str) -> int | None:
    plain = word.rstrip(".")
    plain = plain if plain in _DAYS else plain.removesuffix("s")
    named = [at for at, day in enumerate(_DAYS) if len(plain) >= 3 and day.startswith(plain)]
    return named[0] if len(named) == 1 else None


def meant_date(text: str) -> str | None:
    """The date as YYYY-MM-DD; None where day and month could be changed for each other."""
    plain = text.strip()
    if (dotted := _DOTTED.fullmatch(plain)) is not None:
        return _iso(int(dotted[3]), int(dotted[2]), int(dotted[1]))
    if (slashed := _SLASHED.fullmatch(plain)) is not None:
        one, other, year = map(int, slashed.groups())
        if one == other or max(one, other) > 12:
            return _iso(year, min(one, other), max(one, other))
        return None
    if (ordered := _YEAR_FIRST.fullmatch(plain)) is not None:
        return _iso(*map(int, ordered.groups()))
    if (named := _WITH_MONTH.fullmatch(plain)) is not None:
        word = (named["month"] or named["first"]).lower()
        months = [at for at, name in enumerate(_MONTHS, 1) if name.startswith(word)]
        day = int(named["day"] or named["second"])
        return _iso(int(named["year"]), months[0], day) if len(months) == 1 else None
    return None


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
