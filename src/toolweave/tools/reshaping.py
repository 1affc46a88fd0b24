"""Builds the values that a schema takes out of one that it refuses, without losing a part of it.

The schema leads: a list is made of what stands alone, an object of the only member that takes the
value, a value is taken out of what is around it, a text is divided among the members. The caller
takes the answer if there is exactly one. Pure.
"""

import re
from collections.abc import Iterator
from itertools import islice, permutations, product

from toolweave.json_text import Json, JsonObject, canonical
from toolweave.patterns import pattern
from toolweave.tools.conversions import conversions
from toolweave.tools.durations import is_unit_of_time
from toolweave.tools.spelling_of_values import respelt
from toolweave.tools.text_variants import variants
from toolweave.tools.violations import Explainer

MAX_DEPTH = 3
MAX_ANSWERS = 4
MAX_PARTS = 4
MAX_ITEMS = 50
MAX_TEXT = 200
_SEPARATORS = (r"\s*[,;|]\s*", r"\s*/\s*", r"\s*:\s*", r"\s+", r"\s*=\s*", r"\s*->\s*")
_TEMPLATE = pattern(r"\{\{|\$\{")
_REFERENCE = pattern(r"\s*\{\{[^{}]*\}\}\s*")
# Notations of several values in one text, by the names of the values.
_COMPOUNDS = (
    pattern(
        r"(?:https?://)?(?:www\.)?github\.com/(?P<owner>[\w.-]+)/(?P<repo>[\w.-]+?)(?:\.git)?/?"
    ),
    pattern(r"(?P<owner>[\w.-]+)/(?P<repo>[\w.-]+)"),
    pattern(r"(?P<host>[\w.-]+):(?P<port>\d{2,5})"),
    pattern(r"(?P<method>GET|POST|PUT|PATCH|DELETE|HEAD) (?P<url>https?://\S+)"),
)
# One message of a conversation, and a person, as other systems write them.
_MESSAGE = frozenset({"role", "content"})
_ASKING = frozenset({"user", "human"})
_MAIL = frozenset({"email", "mail", "address", "email_address", "emailAddress"})
_PERSON = frozenset({"name", "display_name", "displayName", "full_name"})
_FORMS = frozenset({"enum", "const", "pattern", "format"})
# An expression or a sentence is no list of parts.
_PART = pattern(r"[\w@.#+-]{1,60}")


def reshaped(value: Json, schema: Json, explainer: Explainer, about: str = "") -> list[Json]:
    """The values of the schema that say the same; one is certain, several are a choice."""
    found: dict[bytes, Json] = {}
    for one in islice(_values(value, schema, explainer, about, MAX_DEPTH), MAX_ITEMS):
        found.setdefault(canonical(one), one)
        if len(found) >= MAX_ANSWERS:
            break
    return list(found.values())


def _respelt(value: Json, schema: Json, explainer: Explainer) -> list[Json]:
    """The only other spelling of a text that the schema takes, if there is one."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        return []
    spelt = {one for one in (*respelt(value), *variants(value)) if explainer.fits(schema, one)}
    return [*spelt] if len(spelt) == 1 else []


def _values(
    value: Json, schema: Json, explainer: Explainer, about: str, left: int
) -> Iterator[Json]:
    if explainer.fits(schema, value):
        yield value
        return
    if not isinstance(schema, dict) or left == 0:
        return
    kinds = _kinds(schema, explainer)
    if isinstance(value, dict) and "array" in kinds and (several := _references(value)):
        yield from _values(several, schema, explainer, about, left - 1)
        return
    changed = [*conversions(value, [*kinds], about)]
    plain = [one for one in changed if explainer.fits(schema, one)]
    if plain or (plain := _respelt(value, schema, explainer)):
        yield plain[0]
        return
    # Two changes: `{"case-0": "a"}` is the list `["a"]`, and each item of it is `{"when": "a"}`.
    for one in changed:
        yield from _values(one, schema, explainer, about, left - 1)
    if isinstance(value, dict):
        yield from _of_object(value, schema, kinds, explainer, about, left)
    elif isinstance(value, list):
        yield from _of_list(value, schema, kinds, explainer, about, left)
    elif value is not None and "object" in kinds:
        parts = list(_divided(value, schema, explainer)) if isinstance(value, str) else []
        yield from parts or _in_member(value, schema, explainer)


def _of_object(
    value: JsonObject,
    schema: JsonObject,
    kinds: set[str],
    explainer: Explainer,
    about: str,
    left: int,
) -> Iterator[Json]:
    known = explainer.properties(schema)
    if (inner := carried(value)) is not None:
        yield from _values(inner, schema, explainer, about, left - 1)
    # Where the author names the members, each name says something.
    is_named_here = "object" in kinds and schema.get("additionalProperties", True) is not False
    if len(value) == 1 and not (is_named_here and not known):
        ((key, inner),) = value.items()
        # `{"minutes": 5}` is more than 5.
        if key not in known and not is_unit_of_time(key):
            yield from _values(inner, schema, explainer, about, left - 1)
    if "object" in kinds:
        rest = schema.get("additionalProperties", True)
        parts = [
            list(islice(_values(one, known.get(key, rest), explainer, key, left - 1), MAX_ANSWERS))
            for key, one in value.items()
        ]
        for chosen in _products(parts):
            made: JsonObject = dict(zip(value, chosen, strict=True))
            if explainer.fits(schema, made):
                yield made


def _of_list(
    value: list[Json],
    schema: JsonObject,
    kinds: set[str],
    explainer: Explainer,
    about: str,
    left: int,
) -> Iterator[Json]:
    if len(value) == 1 and not _is_entry(value[0], schema, explainer):
        yield from _values(value[0], schema, explainer, about, left - 1)
    if "array" in kinds and len(value) <= MAX_ITEMS:
        each = schema.get("items", True)
        # A gap says nothing.
        items = [one for one in value if one not in (None, "", {}, [])]
        parts = [
            list(islice(_values(one, each, explainer, about, left - 1), MAX_ANSWERS))
            for one in items
        ]
        for chosen in _products(parts):
            if explainer.fits(schema, made := list(chosen)):
                yield made


def _is_entry(value: Json, schema: JsonObject, explainer: Explainer) -> bool:
    """Whether an object is a name with its value, where the author names the members."""
    is_pair = isinstance(value, dict) and len(value) == 2 and not explainer.properties(schema)
    return is_pair and all(isinstance(one, str) for one in _object(value).values())


def carried(value: JsonObject) -> Json:
    """What an object holds beside words about it: the text of a message, a person's address."""
    if value.keys() <= _MESSAGE and "role" in value:
        is_asked = value["role"] in _ASKING and isinstance(value.get("content"), str)
        return value["content"] if is_asked else None
    mails = [one for key, one in value.items() if key in _MAIL and isinstance(one, str)]
    names = [one for key, one in value.items() if key in _PERSON and isinstance(one, str)]
    if len(mails) == len(names) == 1 and len(value) == 2 and "@" in mails[0]:
        return f"{names[0]} <{mails[0]}>"
    return None


def may_be_several(given: Json, made: Json, schema: JsonObject) -> bool:
    """Whether an object of references for a list of anything is several items rather than one."""
    if not isinstance(given, dict) or made != [given] or schema.get("items"):
        return False
    return _references(given) is not None


def _references(value: JsonObject) -> list[Json] | None:
    """The references under the names of an object: `{"a": "{{ x }}", "b": "{{ y }}"}`."""
    texts = [one for one in value.values() if isinstance(one, str)]
    is_all = len(texts) == len(value) > 1 and all(_REFERENCE.fullmatch(one) for one in texts)
    return [*texts] if is_all else None


def _in_member(value: Json, schema: JsonObject, explainer: Explainer) -> Iterator[Json]:
    """An object with the only member that takes the value."""
    taking = [
        name
        for name, inner in explainer.properties(schema).items()
        if inner not in (True, {}) and explainer.fits(inner, value)
    ]
    # A text fits nearly every text: it is known by its options or its form only.
    plain = _object(explainer.properties(schema).get(taking[0])) if len(taking) == 1 else {}
    if (
        isinstance(value, str)
        and not plain.keys() & _FORMS
        and len(explainer.properties(schema)) > 1
    ):
        return
    is_whole = (
        not isinstance(value, str)
        or _PART.fullmatch(value) is not None
        or (len(explainer.properties(schema)) == 1 and schema.get("additionalProperties") is False)
    )
    if is_whole and len(taking) == 1 and explainer.fits(schema, made := {taking[0]: value}):
        yield made


def _compound(text: str, known: JsonObject) -> JsonObject | None:
    """The values of a notation that other systems have for several in one: `acme/site`."""
    for form in _COMPOUNDS:
        if (found := form.fullmatch(text.strip())) and found.groupdict().keys() <= known.keys():
            port = found.groupdict().get("port")
            return {**found.groupdict(), **({"port": int(port)} if port else {})}
    return None


def _divided(text: str, schema: JsonObject, explainer: Explainer) -> Iterator[Json]:
    """An object of the parts of a text, where only one order fits the members' types."""
    if _TEMPLATE.search(text):
        return
    known = explainer.properties(schema)
    if (named := _compound(text, known)) is not None and explainer.fits(schema, named):
        yield named
        return
    for separator in _SEPARATORS:
        parts = [one for one in re.split(separator, text.strip()) if one]
        if not 2 <= len(parts) <= min(MAX_PARTS, len(known)):
            continue
        if not all(_PART.fullmatch(one) for one in parts):
            continue
        for names in permutations(known, len(parts)) if len(known) <= MAX_PARTS else ():
            made: JsonObject = dict(zip(names, parts, strict=True))
            # Which part is which, only a member with listed values says.
            is_told = any("enum" in _object(known[name]) for name in names)
            if is_told and explainer.fits(schema, made):
                yield made


def _products(parts: list[list[Json]]) -> Iterator[tuple[Json, ...]]:
    return islice(product(*parts), MAX_ANSWERS) if all(parts) else iter(())


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _kinds(schema: JsonObject, explainer: Explainer) -> set[str]:
    """The types that a schema takes."""
    found: set[str] = set()
    for one in explainer.within(schema):
        kind = one.get("type")
        listed = kind if isinstance(kind, list) else [kind]
        found |= {each for each in listed if isinstance(each, str)}
        if "properties" in one:
            found.add("object")
    return found
