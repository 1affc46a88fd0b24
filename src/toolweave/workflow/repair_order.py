"""Which patches have to wait because the fix of another problem decides what they should be."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.problems import Problem

FIRST = "fix the other problems first, then validate again"

_OF_DATA = frozenset(
    {"EXPRESSION_TYPE", "EXPRESSION_NOT_CONDITION", "INPUT_MISSING", "NODE_INPUT_INVALID"}
    | {"VALUE_TYPE_MISFIT"}
)
_OF_TYPES = frozenset({"NODE_UNKNOWN", "NODE_TYPE_UNKNOWN"})
_OF_NAMES = frozenset({"FIELD_REQUIRED", "FIELD_UNKNOWN"})
_PART = pattern(r"/nodes/\d+/data/(?:configurations|inputParams)")
_DATA = pattern(r"/nodes/\d+/data/(?:configurations|inputParams)/[^-]")
_Early = Callable[[Problem], bool]


def decided(problems: list[Problem]) -> list[Problem]:
    """Take away patches that depend on what the fix of another problem decides.

    A reference means something else once the type of a node is corrected or its text translated,
    and a name that nothing has may be that of the missing trigger.
    """
    asked = (
        _of_divided_nodes(problems),
        _of_taken_places(problems),
        _of_other_names(problems),
        _of_contradicted_values(problems),
        _of_unclear_types(problems),
        _of_references(problems),
    )
    return [
        replace(one, patch=None, hint=FIRST)
        if one.patch is not None and any(is_early(one) for is_early in asked)
        else one
        for one in _of_several_sources(problems)
    ]


def _of_several_sources(problems: list[Problem]) -> list[Problem]:
    """Several names that would become one: none is meant, unless it has that name itself."""
    sources: dict[str, dict[str, None]] = {}
    for one in problems:
        source, target = _rename(one)
        if target:
            sources.setdefault(target, {})[source] = None
    several = {target: [*names] for target, names in sources.items() if len(names) > 1}
    found: list[Problem] = []
    for one in problems:
        source, target = _rename(one)
        names = several.get(target, []) if _last(source) != _last(target) else []
        listed = " and ".join(repr(_last(name)) for name in names)
        hint = f"{listed} may all be {_last(target)!r}: keep one of them"
        found.append(replace(one, patch=None, hint=hint) if names else one)
    return found


def _of_taken_places(problems: list[Problem]) -> _Early:
    """A value that is only added, where another patch moves a value of the author to."""
    moved = {target: source for source, target in map(_rename, problems) if target}

    def is_early(problem: Problem) -> bool:
        source, target = _rename(problem)
        added = {str(one["path"]) for one in problem.patch or () if one["op"] == "add"}
        return any(place in moved and moved[place] != source for place in added - {target})

    return is_early


def _rename(problem: Problem) -> tuple[str, str]:
    """The one place in a node's data from which a value goes, and that to which it goes."""
    steps: tuple[dict[str, Any], ...] = problem.patch or ()  # Any: part of a JSON Patch
    gone = {str(one["path"]) for one in steps if one["op"] == "remove"}
    gone |= {str(one["from"]) for one in steps if "from" in one}
    comes = (one for one in steps if one["op"] in {"add", "move"} and not _is_made(one))
    come = {str(one["path"]) for one in comes}
    if len(gone) != 1 or len(come) != 1:
        return "", ""
    ((source,), (target,)) = gone, come
    is_named = _DATA.match(target) is not None and not _last(target).isdecimal()
    return (source, target) if is_named and source != target else ("", "")


def _last(place: str) -> str:
    return place.rpartition("/")[2]


def is_of_data(problem: Problem) -> bool:
    """Whether it is about the flow of data, which other problems may be the reason of."""
    return problem.code.startswith("REFERENCE_") or problem.code in _OF_DATA


def _of_divided_nodes(problems: list[Problem]) -> _Early:
    """What the settings and the inputs of a node are decides what is missing in them."""
    divided = {_node_of(one): one.patch for one in problems if _moves_part(one)}

    def is_early(problem: Problem) -> bool:
        patch = divided.get(_node_of(problem), problem.patch)
        return patch != problem.patch and not _moves_part(problem)

    return is_early


def _of_other_names(problems: list[Problem]) -> _Early:
    """A name that an object does not know says more than one that it has.

    What is there under another name is moved, not added a second time.
    """
    strange = {one.pointer for one in problems if one.code == "FIELD_UNKNOWN" and one.patch}
    owners = {_owner(one) for one in strange}
    moving = {one.pointer for one in problems if any("from" in it for it in one.patch or ())}
    renamed = {_node_of(one) for one in problems if one.patch and one.code in _OF_NAMES}

    def is_early(problem: Problem) -> bool:
        steps = problem.patch or ()
        taken = {str(step["from"]) for step in steps if "from" in step}
        if taken and not taken & strange and {_owner(one) for one in taken} <= owners:
            return True
        if problem.pointer in moving and all(one["op"] == "add" for one in steps):
            return True
        # What goes into a node may be given under a name that another fix corrects.
        return problem.code == "NODE_INPUT_INVALID" and _node_of(problem) in renamed

    return is_early


def _of_contradicted_values(problems: list[Problem]) -> _Early:
    """What is no such value as the whole is no such item of a list either."""
    unlike = {one.pointer for one in problems if one.code == "FIELD_FORM_UNUSUAL" and not one.patch}
    # A translation does not help where the value does not fit the field.
    misfits = {one.pointer for one in problems if one.code == "VALUE_TYPE_MISFIT" and not one.patch}
    crowded = {_owner(one.pointer) for one in problems if one.code == "CHOICES_TOO_MANY"}

    def is_early(problem: Problem) -> bool:
        if problem.pointer.endswith("/outputPorts"):
            return _owner(problem.pointer) in crowded
        if problem.code == "EXPRESSION_OLDER_SYNTAX":
            return problem.pointer in misfits
        is_type = problem.code == "FIELD_TYPE_INVALID" and problem.pointer in unlike
        return is_type and all(_is_single(step.get("value")) for step in problem.patch or ())

    return is_early


def _of_unclear_types(problems: list[Problem]) -> _Early:
    """Which types there are decides whether a workflow needs a start or an end."""
    codes = {problem.code for problem in problems if problem.patch is not None}
    has_unknown_name = any(one.code == "REFERENCE_NAME_UNKNOWN" for one in problems)

    def is_early(problem: Problem) -> bool:
        if problem.code == "START_MISSING":
            return has_unknown_name
        return problem.code == "END_MISSING" and bool(codes & _OF_TYPES)

    return is_early


def _of_references(problems: list[Problem]) -> _Early:
    codes = {problem.code for problem in problems if problem.patch is not None}
    translated = {one.pointer for one in problems if one.code == "EXPRESSION_OLDER_SYNTAX"}
    # Without a name for the item of a loop, an unknown name may be that.
    has_lost_item = any(one.pointer.endswith("/iteration_variable") for one in problems)

    def is_early(problem: Problem) -> bool:
        if problem.code == "REFERENCE_NAME_UNKNOWN" and has_lost_item:
            return True
        is_reference = problem.code.startswith("REFERENCE_")
        return is_reference and ("NODE_UNKNOWN" in codes or problem.pointer in translated)

    return is_early


def _moves_part(problem: Problem) -> bool:
    """Whether its patch makes the settings or the inputs of a node another whole."""
    steps: tuple[dict[str, Any], ...] = problem.patch or ()  # Any: part of a JSON Patch
    return any(_PART.fullmatch(str(step["path"])) and not _is_made(step) for step in steps)


def _is_made(step: Mapping[str, Any]) -> bool:
    """Whether it makes a part that was missing, for a value that is moved there."""
    return step["op"] == "add" and step.get("value") == {}


def _is_single(value: Json) -> bool:
    return isinstance(value, list) and len(value) == 1


def _node_of(problem: Problem) -> str:
    return "/".join(problem.pointer.split("/")[:3])


def _owner(place: str) -> str:
    return place.rpartition("/")[0]
