"""Keys that say the same as a known one in another form: `no_x` for `x`, `a.b` for `a: {b}`."""

from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import pointer
from toolweave.tools.name_words import words_in
from toolweave.tools.reshaping import reshaped
from toolweave.tools.value_preview import shown
from toolweave.tools.violations import Explainer, Violation

_NEGATED = pattern(
    r"(?:disable|disabled|no|not|dont|do_not|without|skip|suppress|ignore|hide|non)[_-]?(.+)",
)
_CAMEL = pattern(r"(?:disable|no|not|dont|skip|suppress|ignore|hide|without)([A-Z]\w*)")
_NUMBERED = pattern(r"([A-Za-z_]+?)[_-]?(\d{1,2})")
# Switches of other systems for what follows an error; one of the others is its opposite.
_GOING_ON = frozenset(
    {"continue_on_error", "continue_on_fail", "continue_on_failure", "ignore_errors", "keep_going"}
    | {"skip_errors", "continue_if_error", "tolerate_errors", "allow_failure", "proceed_on_error"}
)
_STOPPING = frozenset(
    {"break_on_error", "stop_on_error", "fail_fast", "abort_on_error", "exit_on_error"}
    | {"halt_on_error", "fail_on_error", "stop_on_failure", "break_on_failure", "bail"}
)

Fix = tuple[str, tuple[dict[str, Json], ...]]


def negated(
    fault: Violation, parent: JsonObject, known: JsonObject, explainer: Explainer
) -> Fix | None:
    """`x: false` for `disable_x: true`."""
    wrong, value = str(fault.path[-1]), fault.value
    if not isinstance(value, bool):
        return None
    names = [one for one in _opposites(wrong, known) if one not in parent]
    if len(names) != 1 or not _is_switch(known[names[0]]):
        return None
    name = names[0]
    if not explainer.fits(known[name], not value):
        return None
    at = pointer(*fault.path[:-1], name)
    patch: tuple[dict[str, Json], ...] = (
        {"op": "remove", "path": pointer(*fault.path)},
        {"op": "add", "path": at, "value": not value},
    )
    return f"write {name!r} as {shown(not value)}", patch


def _opposites(wrong: str, known: JsonObject) -> list[str]:
    """The names that say the opposite: `x` of `disable_x`, `continue_on_error` of `fail_fast`."""
    words = "_".join(words_in(wrong))
    for one, other in ((_GOING_ON, _STOPPING), (_STOPPING, _GOING_ON)):
        if words in one:
            return [name for name in known if name in other]
    match = _NEGATED.fullmatch(wrong) or _CAMEL.fullmatch(wrong)
    if match is None:
        return []
    letters = _letters(match[1])
    forms = (letters, f"enable{letters}", f"use{letters}", f"is{letters}")
    return [one for one in known if _letters(one) in forms]


def nested(
    fault: Violation, parent: JsonObject, known: JsonObject, explainer: Explainer
) -> Fix | None:
    """`a: {b: 1}` for `a.b: 1`; the first of several such keys carries the fix of all."""
    outer, dot, inner = str(fault.path[-1]).partition(".")
    if not dot or not inner or "." in inner or outer not in known:
        return None
    dotted = [key for key in parent if key.startswith(f"{outer}.")]
    given = parent.get(outer, {})
    members: JsonObject = {key.removeprefix(f"{outer}."): parent[key] for key in dotted}
    if not isinstance(given, dict) or members.keys() & given.keys():
        return None
    whole: JsonObject = {**given, **members}
    if not explainer.fits(known[outer], whole):
        return None
    hint = f"write {', '.join(map(shown, dotted[:8]))} as members of {outer!r}"
    if dotted[0] != fault.path[-1]:
        return hint, ()
    before = fault.path[:-1]
    patch: list[dict[str, Json]] = [
        {"op": "remove", "path": pointer(*before, key)} for key in dotted
    ]
    patch.append({"op": "add", "path": pointer(*before, outer), "value": whole})
    return hint, tuple(patch)


def inward(
    fault: Violation, parent: JsonObject, known: JsonObject, explainer: Explainer
) -> Fix | None:
    """A member that stands beside the only object that lacks it: `address: {city}` for `city`."""
    name = str(fault.path[-1])
    outer = [
        one
        for one, given in parent.items()
        if isinstance(given, dict)
        and isinstance(schema := known.get(one), dict)
        and name not in given
        and name in (inner := explainer.properties(schema))
        and explainer.fits(inner[name], fault.value)
    ]
    if len(outer) != 1:
        return None
    target = pointer(*fault.path[:-1], outer[0], name)
    move: dict[str, Json] = {"op": "move", "from": pointer(*fault.path), "path": target}
    return f"write {name!r} as a member of {outer[0]!r}", (move,)


def numbered(
    fault: Violation, parent: JsonObject, known: JsonObject, explainer: Explainer
) -> Fix | None:
    """`labels: [a, b]` for `label_0: a, label_1: b`; the first carries the fix of all."""
    match = _NUMBERED.fullmatch(str(fault.path[-1]))
    if match is None:
        return None
    stem = match[1]
    lists = [one for one in known if one in (f"{stem}s", f"{stem}es", stem) and one not in parent]
    matches = [one for key in parent if (one := _NUMBERED.fullmatch(key)) and one[1] == stem]
    found = [(one[2], one[0]) for one in matches]
    found.sort(key=lambda one: int(one[0]))
    first = int(found[0][0])
    is_counted = [int(one) for one, _ in found] == list(range(first, first + len(found)))
    if len(lists) != 1 or first > 1 or not is_counted:
        return None
    values: Json = [parent[key] for _, key in found]
    made = reshaped(values, known[lists[0]], explainer, lists[0])
    if len(made) != 1:
        return None
    values = made[0]
    hint = f"write {', '.join(shown(key) for _, key in found[:8])} as items of {lists[0]!r}"
    if fault.path[-1] != found[0][1]:
        return hint, ()
    before = fault.path[:-1]
    patch: list[dict[str, Json]] = [
        {"op": "remove", "path": pointer(*before, key)} for _, key in found
    ]
    patch.append({"op": "add", "path": pointer(*before, lists[0]), "value": values})
    return hint, tuple(patch)


def _is_switch(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "boolean"


def _letters(name: str) -> str:
    return "".join(one for one in name.casefold() if one.isalnum())
