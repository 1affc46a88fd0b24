"""Fixes for violations: a hint, and a JSON Patch where the fix is certain.

A patch is only offered if its result is valid and no part of the value is lost.
"""

from dataclasses import dataclass
from itertools import islice

from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import pointer
from toolweave.tools.colours import colour_of
from toolweave.tools.conversions import as_range, conversions
from toolweave.tools.document import Steps
from toolweave.tools.flag_keys import flagged
from toolweave.tools.idle_keys import asks_for_nothing, is_empty
from toolweave.tools.iso_codes import code_of
from toolweave.tools.key_meaning import (
    containing,
    is_decoration,
    is_related,
    renamed,
    says_when,
    shares_word,
)
from toolweave.tools.key_repair import (
    is_member,
    only_fitting,
    only_place,
    only_values,
    other_names,
    related_keys,
    required_in,
    takes,
)
from toolweave.tools.meaning import meant as meant_options
from toolweave.tools.misspelling import MAX_COMPARED, closest, letters_of, misspelt
from toolweave.tools.name_words import alike, singular
from toolweave.tools.option_meaning import (
    option_as_written,
    option_of,
    options_meant,
    plain_text,
)
from toolweave.tools.reshaping import may_be_several, reshaped
from toolweave.tools.special_keys import inward, negated, nested, numbered
from toolweave.tools.spelling_of_values import in_another_unit, respelt
from toolweave.tools.spilled_members import PARTS, gathered, members_of_one
from toolweave.tools.text_variants import variants
from toolweave.tools.unions import kind_of
from toolweave.tools.unit_names import by_unit, is_in_other_unit, measured
from toolweave.tools.value_preview import shown
from toolweave.tools.violations import Explainer, Violation

MAX_TEXT = 500
MAX_LISTED = 8
UNFIT = "It does not take this value."
UNCLEAR = "They may be different things."
_TELLING = pattern(r"[:/]|\d{4}-\d")

Operation = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Repair:
    """A hint and the operations that apply it."""

    hint: str | None = None
    patch: tuple[Operation, ...] | None = None


NONE = Repair()


def repair(fault: Violation, whole: Json, explainer: Explainer) -> Repair:
    """Return the fix for one `fault` of the `whole` value, if there is one."""
    match fault.keyword:
        case "required":
            return _missing(fault, explainer)
        case "additionalProperties":
            return _unknown(fault, whole, explainer)
        case "enum" | "const":
            return _option(fault, explainer)
        case "type":
            return _kind(fault, whole, explainer)
        case "pattern":
            return _spelling(fault, explainer)
        case "maximum":
            return Repair(_share(fault))
        case _:
            return NONE


def _share(fault: Violation) -> str | None:
    """What a number above 1 may be in place of a share, as others give it in per cent.

    Without a patch: a number above a limit may be a slip as well.
    """
    value = fault.value
    if not isinstance(value, int) or not 10 <= value <= 100 or fault.expected != 1:
        return None
    return f"a share from 0 to 1; {value} per cent is {value / 100:g}"


def _missing(fault: Violation, explainer: Explainer) -> Repair:
    name, given = str(fault.expected), _object(fault.value)
    known = explainer.properties(fault.schema)
    at = pointer(*fault.path, name)
    strange = [key for key in given if key not in known and key not in PARTS]
    free = [key for key in known if key not in given]
    slips = [
        key
        for key in strange[:MAX_COMPARED]
        if misspelt(key, free) == name and not other_names(key, known, explainer)
    ]
    slips = slips or [
        key
        for key in strange[:MAX_COMPARED]
        if only_fitting(key, given[key], known, free, explainer) == name
    ]
    slips = slips or related_keys(name, given, strange, known, explainer)
    slips = slips or only_place(name, given, strange, known, explainer)
    dotted = [
        key
        for key in strange
        if key.startswith(f"{name}.") and key.rpartition(".")[2].isidentifier()
    ]
    if dotted:
        return Repair(f"write {', '.join(map(shown, dotted[:MAX_LISTED]))} as members of {name!r}")
    # A key that is closer to another field is not meant as this one.
    likely = [key for key in strange[:MAX_COMPARED] if closest(key, free) == name]
    meant = slips[0] if slips else closest(name, likely)
    if meant is not None:
        move: Operation = {"op": "move", "from": pointer(*fault.path, meant), "path": at}
        is_same = takes(explainer, known.get(name, True), given[meant])
        if is_same and is_in_other_unit(meant, name, known):
            return Repair(f"write what {meant!r} says in the unit of {name!r}")
        if [meant] == slips and is_same:
            return Repair(f"rename {meant!r} to {name!r}?", (move,))
        return Repair(f"rename {meant!r} to {name!r}? {UNFIT if slips else UNCLEAR}")
    if (made := gathered(fault, name, strange, known, explainer)) is not None:
        return Repair(*made)
    for value in only_values(known.get(name, True), explainer):
        add: Operation = {"op": "add", "path": at, "value": value}
        # An unknown key that is no typo of another field may be meant as this one.
        is_clear = all(misspelt(key, free) for key in strange[:MAX_COMPARED])
        return Repair(f"add {name!r} as {shown(value)}", (add,) if is_clear else None)
    return NONE


def _unknown(fault: Violation, whole: Json, explainer: Explainer) -> Repair:
    parent, names = _object(_at(whole, fault.path[:-1])), fault.expected
    known_names = [str(name) for name in names] if isinstance(names, list) else []
    free = [name for name in known_names if name not in parent]
    wrong = str(fault.path[-1])
    known = explainer.properties(fault.schema)
    taken = [name for name in known_names if name in parent]
    named = other_names(wrong, known, explainer)
    if len(named) > 1:
        return Repair(f"choose one of {', '.join(map(shown, named))}")
    if (spilled := members_of_one(fault, parent, known, explainer)) is not None:
        return Repair(*spilled)
    slip = None if named else misspelt(wrong, free)
    twin = next((one for one in named if one in taken), None) or _twin(wrong, taken)
    if slip is None and twin is not None:
        return Repair(f"{twin!r} is set as well; remove one of them")
    slip = slip or only_fitting(wrong, fault.value, known, free, explainer)
    slip = slip or _only_free(fault, parent, free, explainer)
    if (unit := _unit(fault, free, known, explainer)) is not None:
        return unit
    # A name that fits here by its letters comes before one at another level.
    for special in (measured, negated, flagged, nested, numbered) + (() if slip else (inward,)):
        if (found := special(fault, parent, known, explainer)) is not None:
            hint, operations = found
            return Repair(hint, operations or None)
    if slip is None and (changed := _converted(fault, free, known, explainer)) is not None:
        return changed
    meant = slip or closest(wrong, free)
    if meant is None:
        return _without(fault, free, known, explainer)
    if slip is None:
        # A hint that names one answer promises its patch.
        others = [name for name in free if name != meant]
        return Repair(f"available: {', '.join(map(shown, [meant, *others][:MAX_LISTED]))}")
    return _renamed(fault, meant, parent, known, explainer)


def _renamed(
    fault: Violation, meant: str, parent: JsonObject, known: JsonObject, explainer: Explainer
) -> Repair:
    """The rename to what is meant, unless it may be another that is needed."""
    if not takes(explainer, known.get(meant, True), fault.value):
        return Repair(f"did you mean {meant!r}? {UNFIT}")
    if is_in_other_unit(str(fault.path[-1]), meant, known):
        return Repair(f"available: {shown(meant)}, which is in another unit")
    if needed := _needed_instead(fault, meant, parent, known, explainer):
        return Repair(f"choose one of {', '.join(map(shown, [*needed, meant]))}")
    to = pointer(*fault.path[:-1], meant)
    move: Operation = {"op": "move", "from": pointer(*fault.path), "path": to}
    return Repair(f"did you mean {meant!r}?", (move,))


def _needed_instead(
    fault: Violation, meant: str, parent: JsonObject, known: JsonObject, explainer: Explainer
) -> list[str]:
    """The missing names of an inner object that may be meant instead of one that is not needed."""
    needed = [one for one in required_in(fault.schema) if one not in parent]
    wrong = str(fault.path[-1])
    strange = [one for one in parent if one not in known]
    if len(fault.path) < 2 or meant in needed or len(strange) > 1 or misspelt(wrong, [meant]):
        return []
    return [one for one in needed if takes(explainer, known.get(one, True), fault.value)]


def _only_free(
    fault: Violation, parent: JsonObject, free: list[str], explainer: Explainer
) -> str | None:
    """The only name that is left to be set, if the object needs it."""
    if len(free) != 1 or free[0] not in required_in(fault.schema):
        return None
    known = explainer.properties(fault.schema)
    strange = [key for key in parent if key not in known]
    return free[0] if only_place(free[0], parent, strange, known, explainer) else None


def _twin(wrong: str, taken: list[str]) -> str | None:
    """A name that is set and means the same."""
    found = misspelt(wrong, taken)
    return found or next(iter([*renamed(wrong, taken), *alike(wrong, taken)]), None)


def _unit(
    fault: Violation, free: list[str], known: JsonObject, explainer: Explainer
) -> Repair | None:
    """Rename a duration in another unit and convert it."""
    wrong, value = str(fault.path[-1]), fault.value
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    if any(letters_of(wrong) == letters_of(name) for name in free):
        return None  # the name itself, in another case
    factors = {name: in_another_unit(wrong, name) for name in free}
    found = [(name, value * factor) for name, factor in factors.items() if factor is not None]
    if not found and (named := by_unit(wrong, value, free, known, explainer)) is not None:
        found = [named]
    if len(found) > 1:
        # The limit that every node has is meant by its own name, and the number cannot be in
        # the unit of the other one.
        found = [
            one
            for one in found
            if one[0] != "timeout" and not explainer.fits(known.get(one[0], True), value)
        ]
    if len(found) != 1:
        return None
    name, converted = found[0]
    whole = int(converted) if converted == int(converted) else converted
    if not explainer.fits(known.get(name, True), whole):
        return Repair(f"did you mean {name!r}?")
    at = pointer(*fault.path[:-1], name)
    remove: Operation = {"op": "remove", "path": pointer(*fault.path)}
    return Repair(
        f"write {name!r} as {shown(whole)}", (remove, {"op": "add", "path": at, "value": whole})
    )


def _spelling(fault: Violation, explainer: Explainer) -> Repair:
    """The only other spelling of a text that the schema accepts."""
    if not isinstance(fault.value, str) or len(fault.value) > MAX_TEXT or not fault.value.strip():
        return NONE
    field = _field(fault.path)
    code = code_of(fault.value, field) or colour_of(fault.value, field)
    if code is not None and explainer.fits(fault.schema, code):
        return Repair(f"write {shown(code)}", (_replace(fault.path, code),))
    found = [one for one in respelt(fault.value) if explainer.fits(fault.schema, one)]
    if not found:
        found = [one for one in variants(fault.value) if explainer.fits(fault.schema, one)]
    if len(found) != 1:
        return NONE
    return Repair(f"write {shown(found[0])}", (_replace(fault.path, found[0]),))


def _without(fault: Violation, free: list[str], known: JsonObject, explainer: Explainer) -> Repair:
    """Remove a plain value that asks for nothing: it has no effect, and a run is the same.

    What asks for something that the node does not do is kept: its author has to know.
    """
    wrong, value = str(fault.path[-1]), fault.value
    if is_empty(value):
        return Repair("remove it", ({"op": "remove", "path": pointer(*fault.path)},))
    # Where there is no setting at all, none can be meant.
    is_plain = isinstance(value, bool | int | float | str | None) and (
        not known or asks_for_nothing(wrong, value)
    )
    is_plain = is_plain and not (isinstance(value, str) and _says_what(value, known))
    # Many fields take any text; a text, and what an object of options takes, may belong there.
    takes = [name for name in free if explainer.fits(known.get(name, True), value)]
    if len(named := {*other_names(wrong, known, explainer), *renamed(wrong, free)} & {*free}) == 1:
        return Repair(f"did you mean {named.pop()!r}? {UNFIT}")
    is_taken = bool(takes) and isinstance(value, str)
    is_taken = is_taken or any(_holds_options(name, known.get(name)) for name in free)
    taken = [name for name in known if name not in free]
    if (twin := misspelt(wrong, taken) or closest(wrong, taken)) is not None:
        return Repair(f"{twin!r} is set as well; remove one of them")
    is_read = isinstance(value, str) and value.startswith(("data.", "trigger.", "item."))
    # What is alone, or where something is missing, may be what is meant.
    is_alone = bool(known) and len(taken) == 0
    is_meant = is_taken or is_read or is_alone or not {*required_in(fault.schema)}.isdisjoint(free)
    is_idle = is_plain and not (is_meant or says_when(wrong) or is_related(wrong, known))
    is_idle = is_idle and not is_member(wrong, explainer)
    if is_idle or (is_decoration(wrong) and not isinstance(value, dict | list)):
        return Repair("remove it", ({"op": "remove", "path": pointer(*fault.path)},))
    listed = ", ".join(shown(name) for name in free[:8])
    return Repair(f"available: {listed}" if listed else "there is no setting for it here")


def _holds_options(name: str, schema: Json) -> bool:
    """Whether a field is an object of further options, whatever they are called."""
    is_open = isinstance(schema, dict) and schema.get("type") == "object"
    return is_open and "properties" not in _object(schema) and singular(name).endswith("option")


def _says_what(value: str, known: JsonObject) -> bool:
    """Whether a word is an address, a date, or means an option of another setting."""
    if _TELLING.search(value) is not None:
        return True
    listed = (_object(one).get("enum") for one in known.values())
    texts = ([it for it in one if isinstance(it, str)] for one in listed if isinstance(one, list))
    return any(meant_options(value, one) for one in texts)


def _converted(
    fault: Violation, free: list[str], known: JsonObject, explainer: Explainer
) -> Repair | None:
    """Rename a value that its field takes in another form, such as the only item of a list."""
    wrong, value = str(fault.path[-1]), fault.value
    names = [one for one in other_names(wrong, known, explainer) if one in free]
    names = names or [*renamed(wrong, free), *alike(wrong, free), *containing(wrong, free)]
    if any(shares_word(wrong, one) and explainer.fits(known.get(one, True), value) for one in free):
        return None  # as it is, it fits another of these
    found: dict[str, Json] = {}
    for name in dict.fromkeys(names):
        schema = known.get(name)
        kind = schema.get("type") if isinstance(schema, dict) else None
        for one in islice(conversions(value, [kind], name), 3) if isinstance(kind, str) else ():
            if explainer.fits(schema, one):
                found.setdefault(name, one)
        if name not in found and (option := option_of(fault, name, schema, explainer)) is not None:
            found[name] = option
    if len(found) != 1:
        return None
    ((name, converted),) = found.items()
    at = pointer(*fault.path[:-1], name)
    remove: Operation = {"op": "remove", "path": pointer(*fault.path)}
    add: Operation = {"op": "add", "path": at, "value": converted}
    return Repair(f"write {name!r} as {shown(converted)}", (remove, add))


def _option(fault: Violation, explainer: Explainer) -> Repair:
    asked = fault.expected
    options = asked if isinstance(asked, list) and fault.keyword == "enum" else [asked]
    text = plain_text(fault.value)
    if text is None:
        return NONE
    if (same := option_as_written(fault.value, options)) is not None:
        return Repair(f"write {shown(same)}", (_replace(fault.path, same),))
    texts = [option for option in options if isinstance(option, str)]
    return _one_of(fault, options_meant(fault, text, texts, _field(fault.path), explainer))


def _one_of(fault: Violation, found: list[str]) -> Repair:
    if len(found) == 1:
        return Repair(f"did you mean {found[0]!r}?", (_replace(fault.path, found[0]),))
    if found:
        return Repair(f"choose one of {', '.join(shown(one) for one in found[:MAX_LISTED])}")
    return NONE


def _field(path: Steps) -> str:
    """The name of the field that a path leads to, of a list's item the list's."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _kind(fault: Violation, whole: Json, explainer: Explainer) -> Repair:
    kinds = fault.expected if isinstance(fault.expected, list) else []
    described = fault.schema.get("description")
    about = f"{_field(fault.path)}\n{described if isinstance(described, str) else ''}"
    outer = _at(whole, fault.path[:-1]) if fault.path else None
    is_row = isinstance(outer, list) and len(outer) > 1 and not isinstance(fault.value, list | dict)
    if is_row and kinds == ["array"]:
        return Repair("one list of all of them, or a list for each?")
    for value in conversions(fault.value, kinds, about):
        if takes(explainer, fault.schema, value) and not may_be_several(
            fault.value, value, fault.schema
        ):
            came = f"{shown(fault.value)} is {with_article(kind_of(fault.value))}"
            return Repair(f"{came}; {shown(value)} is expected", (_replace(fault.path, value),))
    is_listed = "array" in kinds and bool(fault.value)
    made = reshaped(fault.value, fault.schema, explainer, about) if is_listed else []
    if len(made) == 1 and "%" not in str(fault.value) and made != [[fault.value]]:
        return Repair(f"write {shown(made[0])}", (_replace(fault.path, made[0]),))
    sample = fault.schema.get("default")
    ranged = as_range(fault.value, sample) if "object" in kinds else None
    if ranged is not None and explainer.fits(fault.schema, ranged):
        return Repair(f"write {shown(ranged)}", (_replace(fault.path, ranged),))
    if (flat := _unwrapped(fault, whole, explainer)) is not None:
        path = fault.path[:-1]
        return Repair("write one list instead of a list in a list", (_replace(path, flat),))
    if fault.value is None:
        # The last item of a list: the places of the others stay.
        outer = _at(whole, fault.path[:-1]) if fault.path else None
        is_last = isinstance(outer, list) and len(outer) > 1 and fault.path[-1] == len(outer) - 1
        remove: Operation = {"op": "remove", "path": pointer(*fault.path)}
        return Repair("leave it out if there is no value", (remove,) if is_last else None)
    return NONE


def _unwrapped(fault: Violation, whole: Json, explainer: Explainer) -> Json:
    """The items of a list that is the only item of another one."""
    outer = _at(whole, fault.path[:-1]) if fault.path else None
    is_only = isinstance(outer, list) and len(outer) == 1
    if not is_only or not isinstance(fault.value, list) or not fault.value:
        return None
    fits = all(explainer.fits(fault.schema, one) for one in fault.value)
    return fault.value if fits else None


def with_article(kind: str) -> str:
    """`a string`, `an integer`."""
    return kind if kind == "null" else f"{'an' if kind[:1] in 'aio' else 'a'} {kind}"


def _replace(path: Steps, value: Json) -> Operation:
    return {"op": "replace", "path": pointer(*path), "value": value}


def _at(value: Json, path: Steps) -> Json:
    for step in path:
        if isinstance(value, list) and isinstance(step, int):
            value = value[step]
        else:
            value = _object(value).get(str(step))
    return value


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
