"""Cron expressions and time zones as people write them, and the one that each means. Pure."""

import re
from datetime import datetime
from functools import cache
from zoneinfo import available_timezones

from cronsim import CronSim, CronSimError
from rapidfuzz import process
from rapidfuzz.distance import OSA

from toolweave.catalog.spoken_times import spoken_crons
from toolweave.catalog.zone_names import ZONES
from toolweave.patterns import pattern

FIELDS = 5
_SHORTCUTS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_AWS = pattern(r"cron\((.*)\)", re.IGNORECASE)
_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WORD = pattern(r"[A-Za-z]{4,}")
_DAY = pattern(r"[A-Za-zÀ-ÿ]{2,}")
# Days in German, Spanish, French, Italian and Portuguese, by at most three letters.
_OTHER_DAYS = {
    name: day
    for day, names in {
        "MON": "mo mon lun seg",
        "TUE": "di die mar ter",
        "WED": "mi mit mie mié mer qua",
        "THU": "do don jue jeu gio qui",
        "FRI": "fr fre vie ven sex",
        "SAT": "sa sam sáb sab",
        "SUN": "so son dom dim",
    }.items()
    for name in names.split()
}
# Places by the names that other languages have for them.
_PLACES = {
    **dict.fromkeys(("europa", "europe"), "Europe"),
    **dict.fromkeys(("amerika", "amerique", "américa", "america"), "America"),
    **dict.fromkeys(("asien", "asie", "asia"), "Asia"),
    **dict.fromkeys(("afrika", "afrique", "africa", "áfrica"), "Africa"),
    **dict.fromkeys(("australien", "australie"), "Australia"),
    **dict.fromkeys(("lissabon", "lisboa", "lisbonne", "lisbona"), "Lisbon"),
    **dict.fromkeys(("wien", "viena", "vienne"), "Vienna"),
    **dict.fromkeys(("rom", "roma"), "Rome"),
    **dict.fromkeys(("prag", "praga", "praha"), "Prague"),
    **dict.fromkeys(("warschau", "varsovia", "varsovie", "warszawa", "varsavia"), "Warsaw"),
    **dict.fromkeys(("kopenhagen", "copenhague", "københavn", "copenaghen"), "Copenhagen"),
    **dict.fromkeys(("brüssel", "bruselas", "bruxelles", "bruxelas"), "Brussels"),
    **dict.fromkeys(("moskau", "moscú", "moscou", "mosca"), "Moscow"),
    **dict.fromkeys(("athen", "atenas", "athènes", "atene"), "Athens"),
    **dict.fromkeys(("zürich", "zuerich", "zurigo"), "Zurich"),
    **dict.fromkeys(("londres", "londra"), "London"),
    **dict.fromkeys(("parís", "parigi"), "Paris"),
    **dict.fromkeys(("bukarest", "bucarest", "bucureşti"), "Bucharest"),
    **dict.fromkeys(("belgrad", "belgrado"), "Belgrade"),
    **dict.fromkeys(("kairo", "el_cairo", "le_caire"), "Cairo"),
    **dict.fromkeys(("tokio",), "Tokyo"),
    **dict.fromkeys(("singapur", "singapour"), "Singapore"),
    **dict.fromkeys(("nueva_york", "nova_york", "neu_york"), "New_York"),
    **dict.fromkeys(("mexiko-stadt", "ciudad_de_mexico", "mexico"), "Mexico_City"),
    **dict.fromkeys(("estambul",), "Istanbul"),
    **dict.fromkeys(("dublín",), "Dublin"),
    **dict.fromkeys(("berlín", "berlino", "berlim"), "Berlin"),
}
_MOMENT = datetime(2026, 1, 1)  # noqa: DTZ001  whether it ever occurs does not depend on a zone


def cron_fault(expression: str) -> str | None:
    """Why an expression of five fields cannot be used; None if it occurs."""
    if len(expression.split()) != FIELDS:
        return f"it has {len(expression.split())} fields; expected {FIELDS}"
    try:
        next(CronSim(expression, _MOMENT))
    except CronSimError as error:
        return str(error)
    except StopIteration:
        return "it never occurs"
    return None


_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-")


_COMMENT = pattern(r"\s+(?:#(?!\d)|//|--).*$", re.DOTALL)
_HOUR = pattern(r"(\d{1,2})(am|pm|h|hr)", re.IGNORECASE)


def zone_in_cron(text: str) -> tuple[str, str] | None:
    """The expression and the zone of `CRON_TZ=Europe/Vienna 30 6 * * *`; None without one."""
    words = text.split()
    named = [one for one in words if ("/" in one or "=" in one) and is_zone(one.rpartition("=")[2])]
    if len(words) != FIELDS + 1 or len(named) != 1 or named[0] not in {words[0], words[-1]}:
        return None
    plain = " ".join(one for one in words if one is not named[0])
    return (plain, named[0].rpartition("=")[2]) if cron_fault(plain) is None else None


def meant_crons(text: str) -> list[str]:
    """The expressions that another notation may mean; one is certain, several are a choice."""
    given = text
    text = _COMMENT.sub("", text.translate(_DASHES))
    found = _SHORTCUTS.get(text.strip().lower())
    if found is None:
        text = text.strip().rstrip(".;")
        aws = _AWS.fullmatch(text)
        listed = [one.strip() for one in text.split(",")]
        is_list = len(listed) == FIELDS and all(" " not in one for one in listed)
        plain = " ".join(listed) if is_list else re.sub(r"\s*,\s+", ",", text)
        fields = (aws[1] if aws else plain).split()
        found = " ".join(_plain_fields(_five(fields, has_year=aws is not None)))
    is_other = found != " ".join(given.split())
    if cron_fault(found) is not None:
        return spoken_crons(given)
    return [found] if is_other else []


def _five(fields: list[str], *, has_year: bool) -> list[str]:
    """Leave out the second and the year, which other notations have, where they say nothing."""
    if len(fields) == FIELDS + 2 and fields[-1] in {"*", "?"}:
        fields = fields[:-1]
    if len(fields) == 1 and len(parts := re.split(r"[-_]", fields[0])) == FIELDS and "*" in parts:
        return parts
    if len(fields) != FIELDS + 1:
        return fields
    if not has_year:
        is_year = fields[-1] in {"*", "?"} and fields[0] not in {"0", "00"}
        return fields[1:] if fields[0] in {"0", "00"} else fields[:-1] if is_year else fields
    # The days of this notation are counted from 1; only names are the same.
    is_plain = fields[-1] in {"*", "?"} and not re.search(r"\d", fields[4])
    return fields[:-1] if is_plain else fields


def _plain_fields(fields: list[str]) -> list[str]:
    if len(fields) != FIELDS:
        return fields
    plain = ["*" if one == "?" and at in {2, 4} else one for at, one in enumerate(fields)]
    if hour := _HOUR.fullmatch(plain[1]):
        number = int(hour[1]) % 12 + 12 * (hour[2].lower() == "pm")
        plain[1] = str(number if hour[2].lower() in {"am", "pm"} else int(hour[1]))
    plain[3] = _WORD.sub(lambda word: _short(word[0], _MONTHS), plain[3])
    plain[4] = _WORD.sub(lambda word: _short(word[0], _DAYS), plain[4])
    plain[4] = _DAY.sub(lambda word: _OTHER_DAYS.get(word[0].lower()[:3], word[0]), plain[4])
    return plain


def _short(word: str, names: tuple[str, ...]) -> str:
    plain = word.lower()
    for name in names:
        if plain in {name, f"{name}s"} or (len(plain) > 3 and name.startswith(plain)):
            return name[:3].upper()
    return word


def is_zone(text: str) -> bool:
    """Whether there is a time zone of this name."""
    return text in {zone for found in _zones()[0].values() for zone in found}


def meant_zones(text: str) -> list[str]:
    """The time zones that a text means: by its letters, its city, or one or two typing errors."""
    plain = re.sub(r"\([^()]*\)", "", text).strip(" '\"")
    plain = re.sub(r"^(?:tz|timezone|zone)\s*[:=]\s*|\s+time$", "", plain, flags=re.IGNORECASE)
    tried = (text, plain, re.sub(r"[.\s-]+", "/", plain), plain.partition(",")[0].strip())
    for one in dict.fromkeys(tried):
        if one and (found := _zones_meant(one)):
            return found
    return []


def _zones_meant(text: str) -> list[str]:
    by_letters, by_city = _zones()
    plain = _letters(text)
    if found := by_letters.get(plain) or by_city.get(plain):
        return sorted(found)
    if (other := _other_name(text)) is not None:
        return [other]
    if "/" not in text or len(text) > 60:
        named = _PLACES.get(plain, "")
        return sorted(by_city.get(_letters(named), ()))
    parts = [_PLACES.get(one.strip().casefold(), one.strip()) for one in text.split("/")]
    for order in (parts, parts[::-1]):
        if found := by_letters.get(_letters("/".join(order))):
            return sorted(found)
    near = process.extract(
        plain, list(by_letters), scorer=OSA.distance, score_cutoff=2 if len(plain) > 8 else 1
    )
    best = [name for name, far, _ in near if far == near[0][1]]
    if not best:
        # `Japan/Tokyo`: the city alone says it.
        return sorted(by_city.get(_letters(parts[-1]), ()))
    return sorted({zone for name in best for zone in by_letters[name]})


def _other_name(text: str) -> str | None:
    """The zone that Windows calls so. A distance from UTC is none: it has no summer."""
    return _by_name().get(_letters(text))


@cache
def _by_name() -> dict[str, str]:
    return {_letters(name): zone for name, zone in ZONES.items()}


@cache
def _zones() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    by_letters: dict[str, list[str]] = {}
    by_city: dict[str, list[str]] = {}
    for zone in available_timezones():
        by_letters.setdefault(_letters(zone), []).append(zone)
        area, _, city = zone.rpartition("/")
        if area and not area.startswith(("Etc", "SystemV")):
            by_city.setdefault(_letters(city), []).append(zone)
    return by_letters, by_city


def _letters(text: str) -> str:
    return re.sub(r"[\s_]+", "", text.casefold())
