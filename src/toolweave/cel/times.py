"""Timestamps and durations: read, written and taken apart as CEL does, to the microsecond."""

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from toolweave.cel.values import Cel, Evaluation, Failed, mismatch
from toolweave.patterns import pattern

# Google's limit for a duration, about ten thousand years.
_MAX_SECONDS = 315_576_000_000
_RFC_3339 = pattern(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})",
    re.ASCII,
)
_DURATION = pattern(r"[+-]?(([0-9]{1,20}\.?[0-9]*|\.[0-9]+)(h|ms|m|s|us|ns))+", re.ASCII)
_PIECE = pattern(r"([0-9]{1,20}\.?[0-9]*|\.[0-9]+)(h|ms|m|s|us|ns)", re.ASCII)
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_OFFSET = pattern(r"([+-]?)([0-9]{2}):([0-9]{2})", re.ASCII)
_MAX_CHARS = 100


def read_timestamp(value: Cel) -> datetime:
    """The moment in RFC 3339 text, or so many seconds after 1970."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, str):
        if len(value) <= _MAX_CHARS and _RFC_3339.fullmatch(value):
            try:
                return datetime.fromisoformat(value.upper()).astimezone(UTC)
            except (ValueError, OverflowError):
                pass
        raise Failed("the text is no timestamp", hint="write 2025-11-16T10:30:00Z")
    if type(value) is int:
        try:
            return datetime.fromtimestamp(0, UTC) + timedelta(seconds=value)
        except OverflowError:
            raise Failed("the timestamp is out of range") from None
    raise mismatch("timestamp()", value)


def read_duration(value: Cel) -> timedelta:
    """The duration in a text such as `1h30m` or `1.5s`."""
    if isinstance(value, timedelta):
        return value
    if not isinstance(value, str):
        raise mismatch("duration()", value)
    if value == "0":
        return timedelta()
    if len(value) > _MAX_CHARS or not _DURATION.fullmatch(value):
        raise Failed("the text is no duration", hint="write 90s, 1h30m or 1.5s")
    seconds = math.fsum(float(number) * _UNITS[unit] for number, unit in _PIECE.findall(value))
    if seconds > _MAX_SECONDS:
        raise Failed("the duration is out of range")
    return timedelta(seconds=-seconds if value.startswith("-") else seconds)


def write_timestamp(moment: datetime) -> str:
    """RFC 3339 in UTC, with three or six digits of a fraction where there is one."""
    text = moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds")
    return f"{text}{_fraction(moment.microsecond)}Z"


def write_duration(duration: timedelta) -> str:
    """Seconds with a fraction where there is one: `5400s`, `1.500s`."""
    total = duration // timedelta(microseconds=1)
    seconds, micros = divmod(abs(total), 1_000_000)
    return f"{'-' if total < 0 else ''}{seconds}{_fraction(micros)}s"


def _fraction(micros: int) -> str:
    if micros == 0:
        return ""
    return f".{micros // 1000:03d}" if micros % 1000 == 0 else f".{micros:06d}"


def _zone(name: str) -> tzinfo:
    if offset := _OFFSET.fullmatch(name):
        minutes = int(offset[2]) * 60 + int(offset[3])
        if minutes < 24 * 60:
            return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    elif len(name) <= _MAX_CHARS:
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass
    raise Failed("there is no such time zone", hint="write Europe/Berlin, UTC or +02:00")


def _getter(
    of_moment: Callable[[datetime], int], of_duration: Callable[[int], int] | None = None
) -> Callable[..., int]:
    """A part of a timestamp, in UTC or a zone; of a duration, from its microseconds."""

    def get(_run: Evaluation, value: Cel, *zones: Cel) -> int:
        if isinstance(value, datetime) and all(isinstance(zone, str) for zone in zones):
            try:
                return of_moment(value.astimezone(_zone(zones[0]) if any(zones) else UTC))
            except OverflowError:
                raise Failed("the time is out of range") from None
        if isinstance(value, timedelta) and of_duration is not None and not zones:
            micros = value // timedelta(microseconds=1)
            return -of_duration(-micros) if micros < 0 else of_duration(micros)
        raise mismatch("a part of a time", value, *zones)

    return get


GETTERS: dict[str, Callable[..., int]] = {
    "getFullYear": _getter(lambda moment: moment.year),
    "getMonth": _getter(lambda moment: moment.month - 1),
    "getDate": _getter(lambda moment: moment.day),
    "getDayOfMonth": _getter(lambda moment: moment.day - 1),
    "getDayOfWeek": _getter(lambda moment: moment.isoweekday() % 7),
    "getDayOfYear": _getter(lambda moment: moment.timetuple().tm_yday - 1),
    "getHours": _getter(lambda moment: moment.hour, lambda micros: micros // 3_600_000_000),
    "getMinutes": _getter(lambda moment: moment.minute, lambda micros: micros // 60_000_000),
    "getSeconds": _getter(lambda moment: moment.second, lambda micros: micros // 1_000_000),
    "getMilliseconds": _getter(
        lambda moment: moment.microsecond // 1000, lambda micros: micros // 1000 % 1000
    ),
}
