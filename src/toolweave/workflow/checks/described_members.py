"""Members of object settings by another name, with another type or value than the node has.

Such an object has a vocabulary of its own, which the specification shows (`member_names`). It may
not show all: only what means a known member or a known value is reported, with its fix.
"""

from collections.abc import Iterator

from toolweave.catalog.member_names import ITEM, Members, Place, members_of
from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.conversions import conversions
from toolweave.tools.inner_keys import is_meant
from toolweave.tools.key_meaning import containing, longer_or_shorter, shortened
from toolweave.tools.keywords import TYPES
from toolweave.tools.meaning import meant
from toolweave.tools.misspelling import misspelt
from toolweave.tools.other_names import names_of
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table

_MAX_ITEMS = 20
_RELATIVE = pattern(r"[\w.~-]+(?:/[\w.~-]+)*")
_PERCENT = pattern(r"(\d{1,3}(?:\.\d+)?)\s*%")


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield members that have another name, type or value in this node."""
    for facts in node_table(case).nested:
        spec = facts.spec
        if spec is None or spec.origin is not None:
            continue
        for part, given, make in (
            ("configurations", facts.settings, _of_settings),
            ("inputParams", facts.inputs, _of_inputs),
        ):
            if not any(one and isinstance(one, dict | list) for one in given.values()):
                continue
            known = case.made.of_spec(make, spec)
            # What the specification lists itself is checked by `object_members`.
            fields = (*spec.configurations, *spec.inputs)
            roots = {at[0] for at in known} - {one.name for one in fields if one.members}
            for name, value in given.items():
                if name in roots:
                    place = f"{facts.place}/{part}{pointer(name)}"
                    yield from _walk(value, (name,), place, known, spec.ref)


def _of_settings(spec: NodeSpec) -> dict[Place, Members]:
    return members_of(spec, is_input=False)


def _of_inputs(spec: NodeSpec) -> dict[Place, Members]:
    return members_of(spec, is_input=True)


def _walk(
    value: Json, at: Place, place: str, known: dict[Place, Members], ref: str
) -> Iterator[Problem]:
    if isinstance(value, list):
        for index, item in enumerate(value[:_MAX_ITEMS]):
            yield from _walk(item, (*at, ITEM), f"{place}/{index}", known, ref)
    elif isinstance(value, dict) and at in known:
        members = known[at]
        if len(at) == 1 and members.are_types:
            yield from _types(value, place)
        if members.is_own:
            if not value.keys() <= members.samples.keys() | members.said:
                yield from _misnamed(value, members, place, ref, is_item=ITEM in at)
            yield from _values(value, members, place)
        for key, inner in value.items():
            if inner and isinstance(inner, dict | list):
                yield from _walk(inner, (*at, key), place + pointer(key), known, ref)


def _misnamed(
    value: JsonObject, members: Members, place: str, ref: str, *, is_item: bool
) -> Iterator[Problem]:
    free = sorted(members.samples.keys() - value.keys())
    for key in sorted(value.keys() - members.samples.keys() - members.said):
        called = [one for one in names_of(ref).members.meant(key) if one in members.samples]
        if called and called[0] not in free:
            continue  # it is set as well
        found = called or [one for one in free if is_meant(key, one)] or containing(key, free)
        usual = [one for one in free if members.is_usual(one)]
        found = found or longer_or_shorter(key, usual)
        if len(found) > 1:
            # A shorter form says more than a word for the same, if the value is of its form.
            found = [one for one in found if shortened(key, [one])]
            found = [one for one in found if _has_form(value[key], members.samples[one])]
        if len(found) != 1:
            continue
        # What the samples of items show by chance is only meant by its own letters.
        is_chance = is_item and not called and not members.is_certain(found[0])
        if is_chance and misspelt(key, free) != found[0]:
            continue
        move = {"op": "move", "from": place + pointer(key), "path": place + pointer(found[0])}
        yield Problem(
            "FIELD_UNKNOWN",
            place + pointer(key),
            f"{shown(key)} is unknown here and has no effect",
            hint=f"did you mean {found[0]!r}?",
            severity="warning",
            patch=(move,),
        )


def _has_form(value: Json, samples: list[Json]) -> bool:
    """Whether a text is a path or an address like the samples, or no such thing like them."""
    texts = [one for one in samples if isinstance(one, str)]
    if not isinstance(value, str) or not texts:
        return True
    return any(("/" in value) == ("/" in one) for one in texts)


def _values(value: JsonObject, members: Members, place: str) -> Iterator[Problem]:
    for key, given in value.items():
        if not isinstance(given, str) or "{{" in given or "${" in given:
            continue
        options = members.options.get(key, ())
        if options and given not in options:
            slip = misspelt(given, options)
            found: list[Json] = [slip] if slip else [*meant(given, options, key)]
            expected = f"one of {', '.join(options)}"
        else:
            found = _as_sample(given, members.samples.get(key, ()), key)
            expected = shown(found[0]) if found else ""
        if len(found) == 1:
            yield Problem(
                "FIELD_TYPE_INVALID" if not options else "FIELD_OPTION_INVALID",
                place + pointer(key),
                f"{key!r} is {shown(given)}; expected {expected}",
                hint=f"use {shown(found[0])}",
                severity="warning",
                patch=({"op": "replace", "path": place + pointer(key), "value": found[0]},),
            )


def _types(value: JsonObject, place: str) -> Iterator[Problem]:
    """Yield names of types of a programming language, in an object of names and types."""
    for key, given in value.items():
        if isinstance(given, dict) and given.keys() == {"type"} and given["type"] in TYPES:
            at = place + pointer(key)
            message = f"{key!r} is {shown(given)}; its type alone is enough"
            patch = ({"op": "replace", "path": at, "value": given["type"]},)
            hint = f"use {given['type']!r}"
            yield Problem("FIELD_FORM_UNUSUAL", at, message, hint, "warning", patch)
            continue
        found = meant(given, TYPES) if isinstance(given, str) and given not in TYPES else []
        if len(found) == 1:
            at = place + pointer(key)
            message = f"{key!r} is {shown(given)}; expected {found[0]}"
            patch = ({"op": "replace", "path": at, "value": found[0]},)
            hint = f"use {found[0]!r}"
            yield Problem("FIELD_OPTION_INVALID", at, message, hint, "warning", patch)


def _as_sample(given: str, samples: "list[Json] | tuple[()]", key: str) -> list[Json]:
    """The number or the switch that a text is, where all samples are such."""
    if not samples:
        return []
    if all(isinstance(one, str) and one.startswith("/") for one in samples):
        return [f"/{given}"] if _RELATIVE.fullmatch(given) else []
    if all(isinstance(one, bool) for one in samples):
        return list(conversions(given, ["boolean"], key))[:1]
    if any(isinstance(one, bool) or not isinstance(one, int | float) for one in samples):
        return []
    if (percent := _PERCENT.fullmatch(given.strip())) is not None:
        is_percent = all(isinstance(one, int | float) and one > 1 for one in samples)
        number = float(percent[1])
        return [int(number) if number.is_integer() else number] if is_percent else []
    kinds: list[Json] = ["integer"] if all(isinstance(one, int) for one in samples) else ["number"]
    return list(conversions(given, kinds, key))[:1]
