"""Values that a node accepts and that nobody can mean: stand-ins, reversed ranges, empty lists.

Warnings; what is meant is not known, except of an empty item in a list.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache

from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.document import Steps
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import NodeFacts, NodeTable, node_table
from toolweave.workflow.modes import mode_of

CODE = "VALUE_UNLIKELY"
_MAX_DEPTH = 4
# Words that a template leaves for its reader to replace.
_STAND_IN = pattern(
    r"(?:.*[\W_])?(?:YOUR[_-][A-Z0-9_-]+|(?:REPLACE|CHANGE|INSERT|FILL)[_-](?:ME|THIS|HERE|IN)"
    r"|REPLACE_WITH_\w+|INSERT_[A-Z]+_HERE|CHANGEME|TODO)(?:[\W_].*)?"
    r"|.*[<\[](?:(?i:your|insert|enter|the|add)[ _-][^<>\[\]{}]{1,60}|placeholder)[>\]].*"
)
# A part of every unlikely text that is not padded; most texts have none.
_SIGNS = pattern(r"<|\[|YOUR|REPLACE|CHANGE|INSERT|FILL|TODO|\{\{\s*['\"]| of | from ")
_MAX_TEXT = 500
_QUOTED = pattern(r"\{\{\s*(['\"])([^'\"{}]*)\1\s*\}\}")
_WORDS_FOR = pattern(
    r"<?(?:(?i:the )?(?i:output|result|content|response|value|data|text|answer)s?)"
    r" (?:of|from) (?:(?:the|node|step) ){0,2}['\"]?([A-Za-z_][\w-]*)['\"]?>?"
)
# Parts of the names of fields whose spaces may be meant.
_PROSE = pattern(
    r"text|message|prompt|content|template|body|title|subject|summary|description|comment"
    r"|delimiter|separator|prefix|suffix|pattern|query|instruct|question|html|stdin"
)
# Both ends of a range, by the words that make the difference.
_ENDS = (
    ("min", "max"),
    ("minimum", "maximum"),
    ("start", "end"),
    ("from", "until"),
    ("since", "until"),
)
# Lists of those who are asked or told: without any, nobody is.
_PEOPLE = frozenset({"reviewers", "recipients", "recipient_emails", "people", "approvers", "to"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield stand-ins, ranges that end before they begin, and lists of nobody."""
    table = node_table(case)
    for facts in table.nested if _are_usual(table) else table.nodes:
        if _is_usual(facts):
            continue
        if (spec := facts.spec) is not None:
            for part, values in (("configurations", facts.settings), ("inputParams", facts.inputs)):
                place = f"{facts.place}/{part}"
                yield from _of_values(values, place)
                yield from _gaps(case.made.of_spec(_lists_of_texts, spec), values, place)
                yield from _texts(case, spec, values, place)
            yield from _lists(case, spec, facts.settings, facts.index)
        elif facts.node.type == "mcp" and mode_of(facts.node.data) == "detailed":
            place = f"{facts.place}/parameterValues"
            yield from _of_values(facts.values, place)
            yield from _texts(case, None, facts.values, place)


def _texts(
    case: CheckContext, spec: NodeSpec | None, values: JsonObject, place: str
) -> Iterator[Problem]:
    for name, value in values.items():
        if not isinstance(value, str) or not value:
            continue
        if spec is not None and (value[0].isspace() or value[-1].isspace()):
            if name in case.made.of_spec(_plain_texts, spec):
                yield from _spaces(value, place + pointer(name))
        elif value.startswith("{{") and (found := _QUOTED.fullmatch(value)):
            message = f"{shown(value)} reads nothing: it is the text {found[2]!r}"
            hint = f"write {found[2]!r}, or a reference without quotes"
            place_of = place + pointer(name)
            yield Problem(CODE, place_of, message, hint=hint, severity="warning")
        elif " of " in value or " from " in value:
            yield from _said(case, value, place + pointer(name))


def _lists(
    case: CheckContext, spec: NodeSpec, settings: JsonObject, index: int
) -> Iterator[Problem]:
    if [] in settings.values():
        yield from _nobody(spec, settings, index)
        yield from _none_chosen(case, spec, settings, index)


def _are_usual(table: NodeTable) -> bool:
    """Whether nothing can be unlikely in any node without objects and lists inside."""
    if _SIGNS.search(table.texts) or _is_padded(table.texts):
        return False
    return not any(map(_is_one_of_two, table.names))


def _is_usual(facts: NodeFacts) -> bool:
    """Whether nothing in the values can be unlikely; true for most nodes."""
    if facts.is_nested or _SIGNS.search(facts.texts) or _is_padded(facts.texts):
        return False
    for part in (facts.settings, facts.inputs, facts.values):
        if len(part) > 1 and any(map(_is_one_of_two, part)):
            return False
    return True


def _is_padded(texts: str) -> bool:
    """Whether one of several texts in lines may begin or end with a space."""
    if texts[:1].isspace() or texts[-1:].isspace():
        return True
    if "\n" not in texts:
        return False
    # A pattern would take longer than all the rest of this check.
    return "\n\n" in texts or "\n".join(map(str.strip, texts.split("\n"))) != texts


@lru_cache(maxsize=4_096)  # nodes have the same names again and again
def _is_one_of_two(name: str) -> bool:
    return "overlap" in name or any(low in name.split("_") for low, _ in _ENDS)


def _of_values(values: JsonObject, place: str) -> Iterator[Problem]:
    waiting: list[tuple[Steps, Json]] = [((), values)]
    while waiting:
        at, one = waiting.pop()
        if isinstance(one, str):
            if len(one) <= _MAX_TEXT and "{{" not in one and _STAND_IN.fullmatch(one):
                message = f"{shown(one)} stands for a value that is still to be written"
                hint = "write the value, or {{ trigger.NAME }} for one that a run is started with"
                yield Problem(CODE, place + pointer(*at), message, hint=hint, severity="warning")
        elif len(at) >= _MAX_DEPTH:
            continue
        elif isinstance(one, dict):
            if len(one) > 1:
                yield from _reversed(one, place, at)
                yield from _overlapping(one, place, at)
            waiting.extend(((*at, key), item) for key, item in one.items() if item)
        elif isinstance(one, list):
            waiting.extend(((*at, index), item) for index, item in enumerate(one) if item)


def _reversed(values: JsonObject, place: str, at: Steps) -> Iterator[Problem]:
    for low, high in _ENDS:
        for name in values:
            other = _other_end(name, low, high)
            if other is None or other not in values:
                continue
            if _is_after(values[name], values[other]):
                message = (
                    f"{name!r} is {shown(values[name])}, after {other!r}, {shown(values[other])}"
                )
                hint = f"write a {name!r} before {other!r}"
                place_of = place + pointer(*at, other)
                yield Problem(CODE, place_of, message, hint=hint, severity="warning")


def _overlapping(values: JsonObject, place: str, at: Steps) -> Iterator[Problem]:
    """Parts of a text that would share all of it."""
    for name in values:
        size = values.get(name.replace("overlap", "size")) if "overlap" in name else None
        if size is not None and (values[name] == size or _is_after(values[name], size)):
            message = f"{name!r} is {shown(values[name])}, not less than the size, {shown(size)}"
            yield Problem(CODE, place + pointer(*at, name), message, severity="warning")


def _other_end(name: str, low: str, high: str) -> str | None:
    """`max_value` for `min_value`, `end` for `start`."""
    words = name.split("_")
    if words.count(low) != 1:
        return None
    return "_".join(high if one == low else one for one in words)


def _is_after(one: Json, other: Json) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return False
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one > other
    if isinstance(one, dict) and isinstance(other, dict):
        # Ends of an event, as Google has them.
        return any(_is_after(one.get(key), other.get(key)) for key in ("dateTime", "date"))
    if not isinstance(one, str) or not isinstance(other, str):
        return False
    try:
        begin, end = datetime.fromisoformat(one), datetime.fromisoformat(other)
        return begin > end
    except (ValueError, TypeError):  # no moments, or only one of them with a zone
        return False


def _plain_texts(spec: NodeSpec) -> frozenset[str]:
    """Fields of one line that no prose is in: names, ids and the like."""
    fields = (*spec.configurations, *spec.inputs)
    return frozenset(
        one.name
        for one in fields
        if one.type == "string" and not one.multiline and not one.options and not one.pattern
        if _PROSE.search(one.name) is None
    )


def _spaces(text: str, place: str) -> Iterator[Problem]:
    if text.strip() and "{{" not in text:
        message = f"{shown(text)} begins or ends with a space"
        patch = ({"op": "replace", "path": place, "value": text.strip()},)
        yield Problem(CODE, place, message, hint="remove it", severity="warning", patch=patch)


def _lists_of_texts(spec: NodeSpec) -> frozenset[str]:
    fields = (*spec.all_configurations, *spec.inputs)
    return frozenset(one.name for one in fields if one.items == "string")


def _gaps(known: frozenset[str], values: JsonObject, place: str) -> Iterator[Problem]:
    """Yield empty items of lists of texts; a list without them says the same."""
    for name in values.keys() & known:
        listed = values[name]
        if not isinstance(listed, list) or not any(listed):
            continue
        texts = [one for one in listed if isinstance(one, str) and "{{" not in one]
        twice = next((one for at, one in enumerate(texts) if one in texts[:at]), None)
        if twice:
            message = f"{shown(twice)} is twice in {name!r}"
            once: list[Json] = [one for at, one in enumerate(listed) if one not in listed[:at]]
            patch = ({"op": "replace", "path": place + pointer(name), "value": once},)
            last = len(listed) - 1 - listed[::-1].index(twice)
            yield Problem(CODE, place + pointer(name, last), message, None, "warning", patch)
        gaps = [at for at, one in enumerate(listed) if one is None or one == ""]
        if gaps:
            at = place + pointer(name, gaps[0])
            rest: list[Json] = [one for one in listed if one not in (None, "")]
            patch = ({"op": "replace", "path": place + pointer(name), "value": rest},)
            message = f"an item of {name!r} is empty"
            yield Problem(CODE, at, message, hint="remove it", severity="warning", patch=patch)


def _nobody(spec: NodeSpec, settings: JsonObject, index: int) -> Iterator[Problem]:
    if _PEOPLE.isdisjoint(settings):
        return
    known = {one.name for one in spec.configurations if one.type == "array"}
    for name in settings.keys() & _PEOPLE & known:
        if settings[name] == []:
            place = pointer("nodes", index, "data", "configurations", name)
            message = f"{name!r} is empty: nobody is asked"
            hint = "name at least one, or leave it out"
            yield Problem(CODE, place, message, hint=hint, severity="warning")


def _choices(spec: NodeSpec) -> frozenset[str]:
    """Lists of options of which some are chosen unless the author chooses others."""
    fields = (one for one in spec.configurations if one.type == "array" and one.options)
    return frozenset(one.name for one in fields if one.default)


def _none_chosen(
    case: CheckContext, spec: NodeSpec, settings: JsonObject, index: int
) -> Iterator[Problem]:
    for name in settings.keys() & case.made.of_spec(_choices, spec):
        if settings[name] == []:
            place = pointer("nodes", index, "data", "configurations", name)
            message = f"{name!r} is empty, so that none of its options counts"
            hint = "choose at least one, or leave it out"
            yield Problem(CODE, place, message, hint=hint, severity="warning")


def _said(case: CheckContext, text: str, place: str) -> Iterator[Problem]:
    """Yield words for what another node gives, which are passed on as they are."""
    found = _WORDS_FOR.fullmatch(text)
    if found and found[1] in case.graph.nodes:
        message = f"{shown(text)} is the text itself, not what {found[1]!r} gives"
        hint = f"read it with {{{{ {found[1]}.FIELD }}}}"
        yield Problem(CODE, place, message, hint=hint, severity="warning")
