"""The edits of one node that its schema allows, and which of them work."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject, canonical
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.conversions import listed_in
from toolweave.tools.durations import seconds_in
from toolweave.tools.inner_keys import is_meant
from toolweave.tools.key_meaning import shares_word
from toolweave.tools.key_repair import takes
from toolweave.tools.name_words import singular
from toolweave.tools.other_names import names_of
from toolweave.tools.reshaping import reshaped
from toolweave.tools.schema import compile_schema
from toolweave.tools.unit_names import has_unit_beside, is_in_other_unit
from toolweave.tools.value_preview import shown
from toolweave.tools.violations import Explainer, TooManyJudgements
from toolweave.workflow.checks import check_workflow
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.corrected_nodes import corrected_specs
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.json_patch import apply_patch, steps_of
from toolweave.workflow.model import Node
from toolweave.workflow.node_slots import (
    NodeSlot,
    Steps,
    Stray,
    free_slots,
    slots_of,
    strays_in,
)
from toolweave.workflow.slot_evidence import CALLED, NAMED, ONLY, ranks

MAX_CHECKED = 2_000
MAX_EDITS = 12
_UNKNOWN = frozenset({"FIELD_UNKNOWN", "MCP_PARAMETER_UNKNOWN"})
_TYPES = frozenset({"FIELD_TYPE_INVALID", "MCP_PARAMETER_INVALID_TYPE", "VALUE_TYPE_MISFIT"})
_BELOW_DATA = 3
_NUMBER_AT_END = pattern(r"([A-Za-z_]+?)[_-]?\d{1,2}")
Operation = dict[str, Any]  # Any: part of a JSON Patch, as in `Problem`
# A document, and how often its problems have each code and each message.
_After = tuple[bytes, Counter[str], Counter[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class _Edit:
    patch: tuple[Operation, ...]
    said: str


class EditSearch:
    def __init__(self, case: CheckContext, problems: Sequence[Problem]) -> None:
        self._case = case
        self._document = convert(case.workflow, "toolweave")
        self._before = Counter(one.code for one in problems)
        self._said = Counter((one.code, one.message) for one in problems)
        self._left = MAX_CHECKED
        self._after: dict[bytes, _After | None] = {}

    def fixed(self, problem: Problem) -> Problem:
        """The problem with the patch of the only edit that removes it."""
        steps = steps_of(problem.pointer)
        index = int(steps[1]) if steps[1].isdecimal() else len(self._case.workflow.nodes)
        spec = (
            corrected_specs(self._case)[index] if index < len(self._case.workflow.nodes) else None
        )
        if spec is None:
            return problem
        node = self._case.workflow.nodes[index]
        slots = self._case.made.of_spec(slots_of, spec)
        at = tuple(steps[_BELOW_DATA:])
        try:
            edits = list(self._edits(problem, node, slots, at))[:MAX_EDITS]
        except TooManyJudgements:
            return problem
        placed = [replace(one, patch=_placed(one.patch, f"/nodes/{index}/data")) for one in edits]
        found: dict[bytes, _Edit] = {}
        for one in placed:
            if (after := self._tried(problem, one)) is not None:
                found.setdefault(after, one)
        if len(found) == 1:
            (edit,) = found.values()
            return replace(problem, patch=edit.patch, hint=edit.said)
        listed = " or ".join(one.said.rstrip("?") for one in found.values())
        return replace(problem, hint=listed) if listed else problem

    def _edits(
        self, problem: Problem, node: Node, slots: dict[Steps, NodeSlot], at: Steps
    ) -> Iterator[_Edit]:
        strays = strays_in(node, slots)
        free = free_slots(node, slots)
        yield from _numbered({one.steps: one for one in free}, strays)
        if problem.code in _UNKNOWN:
            strays_meant = [one for one in strays if one.steps == at]
        else:
            strays_meant = strays
        for stray in strays_meant:
            yield from _hoisted(stray.steps, stray.value, free, node.ref or "")
            yield from self._moves(problem, node, slots, stray, free, strays)
        if problem.code not in _UNKNOWN:
            yield from _gathered(node, slots, strays)
        if problem.code in _TYPES and (schema := _schema_at(slots, at)) is not None:
            value = _value_at(node.data, at)
            yield from _divided(node, at, value, slots, free)
            if "%" in str(value):
                return  # `80%` is 80 or 0.8, which the schema does not say
            # Whether a value is the only item of a list, the check of its type has asked already.
            made = reshaped(value, schema, _explainer(slots, at), at[-1])
            for one in [one for one in made if one != [value]]:
                patch: Operation = {"op": "replace", "path": pointer(*at), "value": one}
                yield _Edit((patch,), f"write {shown(one)}")

    def _moves(
        self,
        problem: Problem,
        node: Node,
        slots: dict[Steps, NodeSlot],
        stray: Stray,
        free: Sequence[NodeSlot],
        strays: Sequence[Stray],
    ) -> Iterator[_Edit]:
        """The moves of a value to the places that the strongest evidence speaks for."""
        for rank, meant in ranks(stray, free, strays, node.ref or "").items():
            # What is left over says where it belongs only if something is missing there.
            if not meant or (rank == ONLY and problem.code in _UNKNOWN):
                continue
            # Beside it is nearer than elsewhere.
            near = [one for one in meant if one.steps[:-1] == stray.steps[:-1]]
            for slot in near or meant:
                explainer = _explainer(slots, slot.steps)
                if _is_of_other_unit(stray, slot, strays):
                    continue
                if takes(explainer, slot.schema, stray.value):
                    yield _move(node, stray, slot)
                elif rank in {CALLED, NAMED} and not _fits_as_it_is(stray, free, slots):
                    # Another name, and the value in another form.
                    made = reshaped(stray.value, slot.schema, explainer, _about(slot))
                    for one in made if len(made) == 1 else ():
                        yield _move(node, stray, slot, one)
            return

    def _tried(self, problem: Problem, edit: _Edit) -> bytes | None:
        """The document after an edit that removes the problem and causes none; None otherwise."""
        key = canonical(list(edit.patch))
        if key not in self._after:
            self._after[key] = self._checked(edit)
        found = self._after[key]
        if found is None:
            return None
        document, codes, said = found
        name = problem.code, problem.message
        is_gone = said[name] < self._said[name]
        is_less = codes.total() < self._before.total()
        return document if is_gone and is_less and not codes - self._before else None

    def _checked(self, edit: _Edit) -> _After | None:
        self._left -= len(self._case.workflow.nodes)
        if self._left < 0:
            return None
        try:
            document = apply_patch(self._document, edit.patch)
        except Invalid:
            return None
        problems = check_workflow(read(document).workflow, self._case.known, self._case.format)
        codes = Counter(one.code for one in problems)
        return canonical(document), codes, Counter((one.code, one.message) for one in problems)


def _gathered(node: Node, slots: dict[Steps, NodeSlot], strays: Sequence[Stray]) -> Iterator[_Edit]:
    """The moves of all unknown names of a part into an object with names of the author."""
    for slot in slots.values():
        inner = [one for one in strays if one.steps[:-1] == slot.steps[:1] and len(slot.steps) == 2]
        held = _value_at(node.data, slot.steps)
        is_open = slot.schema.get("type") == "object" and "properties" not in slot.schema
        # A name that means a setting is none of the author's own, and nor is one of a list.
        meant = names_of(node.ref or "").settings.meant
        if any(
            isinstance(one.value, list)
            or meant(one.name, node.ref or "")
            or any(is_meant(one.name, other.name) for other in _free_near(node, slots, one))
            for one in inner
        ):
            continue
        if not inner or not is_open or not (held is None or isinstance(held, dict)):
            continue
        if isinstance(held, dict) and any(one.name in held for one in inner):
            continue
        empty: list[Operation] = [{"op": "add", "path": pointer(*slot.steps), "value": {}}]
        made = [] if held else empty
        moves: list[Operation] = [
            {"op": "move", "from": pointer(*one.steps), "path": pointer(*slot.steps, one.name)}
            for one in inner
        ]
        listed = ", ".join(repr(one.name) for one in inner)
        yield _Edit((*made, *moves), f"move {listed} to {'.'.join(slot.steps)}")


def _is_of_other_unit(stray: Stray, slot: NodeSlot, strays: Sequence[Stray]) -> bool:
    """Whether a name says another unit than the place has, or one stands beside it."""
    near = (one.name for one in strays if one.steps[:-1] == stray.steps[:-1] and one != stray)
    is_time = seconds_in(_about(slot)) is not None
    is_counted = isinstance(stray.value, int | float) and is_time and has_unit_beside(near)
    return is_counted or is_in_other_unit(stray.name, slot.name, {slot.name: slot.schema})


def _fits_as_it_is(stray: Stray, free: Sequence[NodeSlot], slots: dict[Steps, NodeSlot]) -> bool:
    """Whether another place with a word of the name takes the value in its own form."""
    return any(
        one.steps[:-1] == stray.steps[:-1]
        and shares_word(stray.name, one.name)
        and takes(_explainer(slots, one.steps), one.schema, stray.value)
        for one in free
    )


def _free_near(node: Node, slots: dict[Steps, NodeSlot], stray: Stray) -> Iterator[NodeSlot]:
    for one in free_slots(node, slots):
        if one.steps[:-1] == stray.steps[:-1]:
            yield one


def _numbered(slots: dict[Steps, NodeSlot], strays: Sequence[Stray]) -> Iterator[_Edit]:
    """One list for names with numbers: `case_0` and `case_1` are `cases`."""
    for slot in slots.values():
        if slot.schema.get("type") != "array":
            continue
        found: JsonObject = {
            one.name: one.value
            for one in strays
            if one.steps[:-1] == slot.steps[:-1]
            and (match := _NUMBER_AT_END.fullmatch(one.name))
            and singular(match[1]) == singular(slot.name)
        }
        listed = listed_in(found)
        made = reshaped(listed, slot.schema, _explainer(slots, slot.steps)) if listed else []
        if len(made) == 1:
            removed: list[Operation] = [
                {"op": "remove", "path": pointer(*slot.steps[:-1], name)} for name in found
            ]
            add: Operation = {"op": "add", "path": pointer(*slot.steps), "value": made[0]}
            yield _Edit((*removed, add), f"write {', '.join(found)} as items of {slot.name!r}")


def _hoisted(steps: Steps, inner: Json, free: Sequence[NodeSlot], ref: str) -> Iterator[_Edit]:
    """The members of an object that is one level too deep, if each is one setting one level up.

    `sort: {"field": …}` is `sort_field`; a member with an option of the setting itself is it.
    """
    owner, name = steps[:-1], steps[-1]
    if not isinstance(inner, dict) or not inner:
        return
    near = {one.name: one for one in free if one.steps[:-1] == owner}
    places: dict[str, str] = {}
    for key in inner:
        meant = [one for one in (key, f"{name}_{key}") if one in near]
        called = [one for one in names_of(ref).settings.meant(key, ref) if one in near]
        ending = [one for one in near if one.endswith(f"_{key}")]
        found = meant[:1] or called or ending
        if len(found) != 1:
            return
        places[key] = found[0]
    if len({*places.values()}) == len(places):
        removed: list[Operation] = [{"op": "remove", "path": pointer(*steps)}]
        added: list[Operation] = [
            {"op": "add", "path": pointer(*owner, places[key]), "value": one}
            for key, one in inner.items()
        ]
        listed = ", ".join(places.values())
        yield _Edit((*removed, *added), f"write the members of {name!r} as {listed}")


def _divided(
    node: Node, at: Steps, value: Json, slots: dict[Steps, NodeSlot], free: Sequence[NodeSlot]
) -> Iterator[_Edit]:
    """An object with the option of a setting, and beside it values of other settings."""
    options = slots[at].schema.get("enum") if at in slots else None
    if not isinstance(value, dict) or not isinstance(options, list):
        return
    own = [key for key, one in value.items() if one in options]
    rest: JsonObject = {key: one for key, one in value.items() if key not in own}
    for edit in _hoisted(at, rest, free, node.ref or "") if len(own) == 1 else ():
        kept: Operation = {"op": "add", "path": pointer(*at), "value": value[own[0]]}
        yield replace(edit, patch=(*edit.patch, kept))


def _about(slot: NodeSlot) -> str:
    return f"{slot.name}\n{slot.description}"


def _move(node: Node, stray: Stray, slot: NodeSlot, value: Json = None) -> _Edit:
    made: list[Operation] = []
    owner: Json = node.data
    for at, step in enumerate(slot.steps[:-1]):
        owner = owner.get(step) if isinstance(owner, dict) else None
        if owner is None:
            made.append({"op": "add", "path": pointer(*slot.steps[: at + 1]), "value": {}})
    move: Operation = {"op": "move", "from": pointer(*stray.steps), "path": pointer(*slot.steps)}
    around = stray.steps[:-1]
    if len(around) > 1 and around != slot.steps[: len(around)]:
        # What held nothing else goes with it.
        is_empty = _value_at(node.data, around) == {stray.name: stray.value}
        emptied: list[Operation] = [{"op": "remove", "path": pointer(*around)}] if is_empty else []
    else:
        emptied = []
    if value is not None:
        remove: Operation = {"op": "remove", "path": pointer(*stray.steps)}
        add: Operation = {"op": "add", "path": pointer(*slot.steps), "value": value}
        return _Edit((*made, remove, add, *emptied), f"write {slot.name!r} as {shown(value)}")
    if stray.steps[:-1] == slot.steps[:-1]:
        said = f"rename {stray.name!r} to {slot.name!r}?"
    else:
        said = f"move it to {'.'.join(slot.steps)}"
    return _Edit((*made, move, *emptied), said)


def _placed(patch: Sequence[Operation], place: str) -> tuple[Operation, ...]:
    return tuple(
        {key: place + one if key in {"path", "from"} else one for key, one in step.items()}
        for step in patch
    )


def _schema_at(slots: dict[Steps, NodeSlot], at: Steps) -> JsonObject | None:
    """The schema of a place; of an item that of the items of its list."""
    for size in range(len(at), 1, -1):
        if at[:size] in slots:
            schema: Json = slots[at[:size]].schema
            for step in at[size:]:
                schema = (
                    schema.get("items") if isinstance(schema, dict) and step.isdecimal() else None
                )
            return schema if isinstance(schema, dict) else None
    return None


def _explainer(slots: dict[Steps, NodeSlot], at: Steps) -> Explainer:
    """For the schemas of a place: what they refer to is in that of its setting or input."""
    return Explainer(compile_schema(slots[at[:2]].schema))


def _value_at(owner: Json, at: Steps) -> Json:
    for step in at:
        if isinstance(owner, list) and step.isdecimal() and int(step) < len(owner):
            owner = owner[int(step)]
        else:
            owner = owner.get(step) if isinstance(owner, dict) else None
    return owner
