"""Values with a shape of their own in a request: addresses, dates, codes, fits of a pattern."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache
from importlib import import_module
from importlib.resources import files

from toolweave import json_text
from toolweave.assistant.extraction.english import word_list
from toolweave.assistant.extraction.fields import ParameterField
from toolweave.assistant.extraction.tokens import STOP_WORDS, RequestToken, stem
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern

_EMAIL = pattern(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = pattern(r"[a-zA-Z][\w+.-]*://\S+|(?:www\.)\S+\.\S+")
_ISO_DATE = pattern(r"\d{4}-\d{2}-\d{2}")
_ISO_TIME = pattern(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}\S*")
_CLOCK = pattern(r"(\d{1,2})(?::(\d{2}))?(am|pm)?")
_CODE = pattern(r"\w*[\d_/.@#\\:-]\w*.*")
_MONTHS = word_list("months")
_DAY = pattern(r"(\d{1,2})(?:st|nd|rd|th)?")
_GROUP = pattern(r"\+?\(?\d[\d()/.-]*")
MAX_NAME_WORDS, MIN_PHONE_DIGITS = 3, 7

# A value and the words `begin` to `end` it stands at.
Found = tuple[Json, int, int]


def shaped_values(field: ParameterField, tokens: Sequence[RequestToken]) -> list[Found]:
    """Return the values in a request that have the shape of a parameter, in their order."""
    coded = list(_coded(field, tokens))
    if (coded and not _is_spelled_first(field)) or (field.kind == "text" and not field.is_phone):
        return coded
    return [one for one in _spelled(field, tokens) if fits(one[0], field.schema)] or coded


def _spelled(field: ParameterField, tokens: Sequence[RequestToken]) -> list[Found]:
    if field.is_phone:
        return _phones(tokens, field)
    match field.schema.get("format"):
        case "email":
            return _matching(tokens, _EMAIL.fullmatch)
        case "uri" | "url" | "iri" | "uri-reference":
            return _matching(tokens, _URL.fullmatch)
        case "date":
            return _dates(tokens)
        case "date-time":
            return _matching(tokens, _ISO_TIME.fullmatch)
        case "time":
            return _times(tokens)
        case _:
            return _matching(tokens, bool)


def is_code(text: str) -> bool:
    """Whether a word is rather an identifier, a path or an address than a word of a language."""
    is_shaped = bool(_CODE.fullmatch(text)) and not text.endswith(".")
    return is_shaped and any(letter.isalpha() for letter in text)


def fits(value: Json, schema: JsonObject) -> bool:
    """Whether a value fits a schema without references; a schema in error fits nothing."""
    # Loaded for requests to small models only.
    is_valid: Callable[[Json, Json], bool] = import_module("jsonschema_rs").is_valid
    try:
        return is_valid(schema, value)
    except ValueError:
        return False


def named_codes(field: ParameterField) -> dict[str, str]:
    """Return names in plain words of standard codes that a parameter takes, with the code."""
    table = _table(field)
    codes = table.get("codes")
    return dict(_names(codes, field)) if isinstance(codes, dict) else {}


def _is_spelled_first(field: ParameterField) -> bool:
    """Whether a code in the request is meant rather than a name: `a green box, #00aa00`."""
    return _table(field).get("isSpelledFirst") is True


def _table(field: ParameterField) -> JsonObject:
    words = {*field.name_words, *field.description.lower().replace(".", " ").split()}
    words |= {part for word in words for part in word.split("-")}
    for table in _tables():
        cues = table["cues"]
        if isinstance(cues, list) and words & {*map(str, cues)}:
            return table
    return {}


def _names(codes: JsonObject, field: ParameterField) -> Iterator[tuple[str, str]]:
    for code, names in codes.items():
        for spelling in (code, code.upper(), code.lower()):
            if fits(spelling, field.schema):
                yield from (
                    (str(name), spelling) for name in (names if isinstance(names, list) else [])
                )
                break


def _coded(field: ParameterField, tokens: Sequence[RequestToken]) -> Iterator[Found]:
    """Find standard codes, by their names or as they are."""
    if field.kind == "text" and not _takes_codes(field):
        return
    names = {_stemmed(name): code for name, code in named_codes(field).items()}
    if not names:
        return
    codes = {*names.values()}
    at = 0
    while at < len(tokens):
        for length in range(MAX_NAME_WORDS, 0, -1):
            words = tokens[at : at + length]
            if len(words) < length or any(token.is_quoted for token in words):
                continue
            text = " ".join(token.text for token in words)
            is_code_word = text in codes and length == 1 and text not in STOP_WORDS
            code = text if is_code_word else names.get(_stemmed(text))
            if code is not None:
                yield code, at, at + length
                at += length - 1
                break
        at += 1


def _takes_codes(field: ParameterField) -> bool:
    most = field.schema.get("maxLength")
    says = {"iso", "code"} & {
        *field.description.lower().replace(",", " ").split(),
        *field.name_words,
    }
    return bool(says) or (isinstance(most, int) and most <= 3)


def _stemmed(text: str) -> str:
    return " ".join(stem(word) for word in text.lower().split())


@cache
def _tables() -> tuple[JsonObject, ...]:
    text = files("toolweave.assistant.extraction").joinpath("codes.json").read_text("utf-8")
    tables = json_text.read(text)
    assert isinstance(tables, dict)
    return tuple(table for table in tables.values() if isinstance(table, dict))


def _matching(tokens: Sequence[RequestToken], matches: Callable[[str], object]) -> list[Found]:
    return [(token.text, at, at + 1) for at, token in enumerate(tokens) if matches(token.text)]


def _phones(tokens: Sequence[RequestToken], field: ParameterField) -> list[Found]:
    """Find numbers of phones, also in groups: `+34 600 111 222`."""
    found: list[Found] = []
    at = 0
    while at < len(tokens):
        end = at
        while end < len(tokens) and _GROUP.fullmatch(tokens[end].text):
            end += 1
            if tokens[end - 1].after:
                break
        text = " ".join(token.text for token in tokens[at:end])
        if sum(letter.isdigit() for letter in text) >= MIN_PHONE_DIGITS:
            joined = text.replace(" ", "")
            found.append((text if fits(text, field.schema) else joined, at, end))
        at = max(end, at + 1)
    return found


def _dates(tokens: Sequence[RequestToken]) -> list[Found]:
    found = _matching(tokens, _ISO_DATE.fullmatch)
    for at, token in enumerate(tokens):
        if token.word not in _MONTHS and token.word not in {one[:3] for one in _MONTHS}:
            continue
        month = 1 + next(n for n, one in enumerate(_MONTHS) if one.startswith(token.word))
        for day_at, year_at in ((at - 1, at + 1), (at + 1, at + 2), (at - 2, at + 1)):
            value = _date(tokens, day_at, year_at, month)
            if value is not None:
                found.append((value, min(day_at, at), year_at + 1))
                break
    return found


def _date(tokens: Sequence[RequestToken], day_at: int, year_at: int, month: int) -> str | None:
    if day_at < 0 or year_at >= len(tokens):
        return None
    day, year = _DAY.fullmatch(tokens[day_at].word), tokens[year_at].text
    if day is None or not (len(year) == 4 and year.isdigit()):
        return None
    try:
        return date(int(year), month, int(day[1])).isoformat()
    except ValueError:
        return None


def _times(tokens: Sequence[RequestToken]) -> list[Found]:
    found: list[Found] = []
    for at, token in enumerate(tokens):
        match = _CLOCK.fullmatch(token.word)
        if match is None:
            continue
        following = tokens[at + 1].word if at + 1 < len(tokens) else ""
        half = match[3] or (following if following in {"am", "pm"} else "")
        if not (match[2] or half):
            continue
        hour = int(match[1]) % 12 + (12 if half == "pm" else 0) if half else int(match[1])
        if hour < 24:
            for text in (f"{hour:02}:{match[2] or '00'}:00Z", f"{hour:02}:{match[2] or '00'}"):
                found.append((text, at, at + 1 if match[3] or not half else at + 2))
    return found
