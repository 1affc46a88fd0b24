"""Moves the values of a call or a result from an old schema to a new one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from toolweave.json_text import Json, JsonObject
from toolweave.recording.migration.schema_comparison import (
    Match,
    SchemaComparison,
    compare_schemas,
)
from toolweave.recording.migration.schema_view import (
    ITEMS,
    Certainty,
    SchemaPath,
    SchemaProperty,
    accepts,
    description_of,
    is_described_anew,
    kind_of,
    options_of,
)
from toolweave.recording.migration.template_conversion import convert_template
from toolweave.recording.migration.value_conversion import (
    ConvertedValue,
    UnknownValue,
    convert_value,
)
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.compiled_schemas import CompiledSchemas
from toolweave.workflow.checks.templated_values import check_values, has_template

Place = tuple[str | int, ...]
ValueChangeKind = Literal["renamed", "moved", "exchanged", "converted", "added", "removed"]


@dataclass(frozen=True, slots=True)
class ValueChange:
    """One change of a value: where it was and is, and why."""

    kind: ValueChangeKind
    old: Place | None
    new: Place | None
    certainty: Certainty
    reason: str
    # Whether the call is refused or loses a value without it; else it only means the same again.
    is_needed: bool = True


@dataclass(frozen=True, slots=True)
class ValueQuestion:
    """A place where the definitions do not say what is right now."""

    at: Place
    reason: str
    # Whether the value is refused now; else it is accepted and may mean something else.
    is_refused: bool = True


@dataclass(slots=True)
class MigratedValues:
    """The new values with every change, and what could not be decided."""

    values: JsonObject = field(default_factory=dict[str, Json])
    changes: list[ValueChange] = field(default_factory=list[ValueChange])
    questions: list[ValueQuestion] = field(default_factory=list[ValueQuestion])

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to decide."""
        return not self.questions

    @property
    def certainty(self) -> Certainty:
        """Certain if every change is."""
        return "certain" if all(one.certainty == "certain" for one in self.changes) else "likely"


def migrate_arguments(old: Json, new: Json, values: JsonObject) -> MigratedValues:
    """Return the arguments of a call for a tool with another input schema."""
    comparison = compare_schemas(old, new)
    found = MigratedValues()
    _Mover(comparison, found, is_call=True).move_members(values, (), (), (), ())
    _Completion(comparison, found).complete(values)
    if comparison.is_cut:
        reason = "the schema is too large to compare all of it"
        found.questions.append(ValueQuestion((), reason, is_refused=False))
    schema = new if isinstance(new, dict) else {}
    asked = {question.at for question in found.questions if question.at}
    for problem in check_values(CompiledSchemas(schema), found.values):
        place = tuple(problem.pointer.split("/")[1:])
        if problem.severity == "error" and not any(_touches(place, at) for at in asked):
            found.questions.append(ValueQuestion(place, problem.message))
    return found


def migrate_result(comparison: SchemaComparison, value: JsonObject) -> MigratedValues:
    """Return a structured result as the tool with the other output schema would give it."""
    found = MigratedValues()
    _Mover(comparison, found, is_call=False).move_members(value, (), (), (), ())
    return found


def _touches(place: Place, at: Place) -> bool:
    shorter = min(len(place), len(at))
    return [str(one) for one in place[:shorter]] == [str(one) for one in at[:shorter]]


@dataclass(slots=True)
class _Mover:
    """Walks over the old value and puts each part where it belongs now."""

    comparison: SchemaComparison
    found: MigratedValues
    is_call: bool

    def move_members(
        self, value: JsonObject, path: SchemaPath, at: Place, new_path: SchemaPath, new_at: Place
    ) -> None:
        for name, inner in value.items():
            self._move(inner, (*path, name), (*at, name), (*new_path, name), (*new_at, name))

    def _move(
        self, value: Json, path: SchemaPath, at: Place, new_path: SchemaPath, new_at: Place
    ) -> None:
        comparison = self.comparison
        if pair := comparison.pairs.get(path):
            new_path, new_at = pair.new.path, _concrete(pair.new.path, new_at)
            self._note(pair.kind, at, new_at, pair.certainty, pair.reason)
            self._fitted(value, (pair.old, pair.new), at, new_at)
        elif path in comparison.removed:
            self._removed(path, at)
        elif matched := comparison.kept.get(path):
            if is_described_anew(matched[0].schema, matched[1].schema):
                reason = f"{path[-1]!r} is described as something else now"
                self.found.questions.append(ValueQuestion(at, reason, is_refused=False))
            self._fitted(value, matched, at, new_at)
        elif isinstance(value, dict) and self._has_moved_parts(path):
            # The object is gone; its parts are at other places.
            self.move_members(value, path, at, new_path, new_at)
        elif self._has_moved_parts(path):
            reason = f"the parts of {path[-1]!r} are at different places now"
            self.found.questions.append(ValueQuestion(at, reason))
        else:
            _put(self.found.values, new_at, value)

    def _has_moved_parts(self, path: SchemaPath) -> bool:
        return any(one[: len(path)] == path for one in self.comparison.pairs)

    def _fitted(
        self,
        value: Json,
        matched: Match,
        at: Place,
        new_at: Place,
    ) -> None:
        """Put a value at its place, converted, or part by part if it is an object or a list."""
        old, new = matched
        kinds = kind_of(old.schema), kind_of(new.schema)
        if isinstance(value, dict) and kinds == ("object", "object"):
            _put(self.found.values, new_at, {})
            self.move_members(value, old.path, at, new.path, new_at)
            return
        if isinstance(value, list) and kinds == ("array", "array") and _has_properties(old):
            _put(self.found.values, new_at, [])
            for index, item in enumerate(value):
                self._item(item, matched, (*at, index), (*new_at, index))
            return
        if isinstance(value, str) and "{{" in value:
            is_refused = False
            conversion = convert_template(value, old.schema, new.schema)
        else:
            is_refused = not accepts(new.schema, value)
            is_done = is_refused and has_template(value) and _fits_loosely(new.schema, value)
            conversion = None if is_done else convert_value(value, old.schema, new.schema)
        match conversion:
            case ConvertedValue():
                self._note("converted", at, new_at, conversion.certainty, conversion.reason)
                value = conversion.value
            case UnknownValue():
                self.found.questions.append(ValueQuestion(at, conversion.reason, is_refused))
            case None:
                pass
        _put(self.found.values, new_at, value)

    def _item(
        self,
        item: Json,
        matched: Match,
        at: Place,
        new_at: Place,
    ) -> None:
        old, new = ((*one.path, ITEMS) for one in matched)
        if isinstance(item, dict):
            _put(self.found.values, new_at, {})
            self.move_members(item, old, at, new, new_at)
        else:
            _put(self.found.values, new_at, item)

    def _removed(self, path: SchemaPath, at: Place) -> None:
        candidates = self.comparison.unclear.get(path) or self._unnamed(path)
        if candidates and self.is_call:
            names = " or ".join(repr(".".join(one)) for one in candidates)
            reason = f"{path[-1]!r} is gone and may be {names} now"
            self.found.questions.append(ValueQuestion(at, reason))
        self._note("removed", at, None, "likely", f"the tool no longer has {path[-1]!r}")

    def _unnamed(self, path: SchemaPath) -> tuple[SchemaPath, ...]:
        """Return new properties of the same type that do not say what they are."""
        kind = kind_of(self.comparison.removed[path].schema)
        return tuple(
            one.path
            for one in self.comparison.added.values()
            if one.path[:-1] == path[:-1]
            and kind_of(one.schema) == kind
            and not description_of(one.schema)
        )

    def _note(
        self,
        kind: ValueChangeKind,
        at: Place,
        new_at: Place | None,
        certainty: Certainty,
        reason: str,
    ) -> None:
        self.found.changes.append(ValueChange(kind, at, new_at, certainty, reason))


def _fits_loosely(schema: JsonObject, value: Json) -> bool:
    """Whether a value with templates fits as far as that can be known."""
    whole: JsonObject = {"type": "object", "properties": {"value": schema}}
    return not any(check_values(CompiledSchemas(whole), {"value": value}))


def _has_properties(one: SchemaProperty) -> bool:
    items = one.schema.get("items")
    return isinstance(items, dict) and kind_of(items) == "object"


@dataclass(slots=True)
class _Completion:
    """Adds what the new schema requires, and keeps defaults that are others now."""

    comparison: SchemaComparison
    found: MigratedValues

    def complete(self, values: JsonObject) -> None:
        for one in self.comparison.added.values():
            if one.is_required:
                self._add(one)
        for old, new in self.comparison.matched():
            if not _is_given(values, old.path):
                self._keep_default(old, new)

    def _add(self, one: SchemaProperty) -> None:
        options = options_of(one.schema)
        for at in _places(self.found.values, one.path):
            if options is not None and len(options) == 1:
                self._put(at, options[0], "certain", f"{one.name!r} is required and has one option")
            elif "default" in one.schema and accepts(one.schema, one.schema["default"]):
                value = one.schema["default"]
                rivals = any(
                    change.kind == "removed" and self._is_alike(change, one)
                    for change in self.found.changes
                )
                reason = f"{one.name!r} is required now; its default is {shown(value)}"
                self._put(at, value, "likely" if rivals else "certain", reason)
            else:
                reason = f"{one.name!r} is new and required, and has no default"
                self.found.questions.append(ValueQuestion(at, reason))

    def _is_alike(self, change: ValueChange, one: SchemaProperty) -> bool:
        path = tuple(str(step) for step in change.old or ())
        old = self.comparison.removed.get(path)
        return old is not None and kind_of(old.schema) == kind_of(one.schema)

    def _keep_default(self, old: SchemaProperty, new: SchemaProperty) -> None:
        before, after = old.schema.get("default"), new.schema.get("default")
        is_new_demand = new.is_required and not old.is_required
        is_other = before is not None and before != after
        for at in _places(self.found.values, new.path):
            if before is not None and accepts(new.schema, before):
                if is_new_demand:
                    is_same = description_of(old.schema) == description_of(new.schema)
                    is_sure = is_same and (after is None or after == before)
                    reason = f"{new.name!r} is required now; its default was {shown(before)}"
                    self._put(at, before, "certain" if is_sure else "likely", reason)
                elif is_other:
                    reason = (
                        f"the default of {new.name!r} was {shown(before)} and is "
                        f"{'not given' if after is None else shown(after)} now"
                    )
                    self._put(at, before, "likely", reason, is_needed=False)
            elif is_new_demand and after is not None and accepts(new.schema, after):
                reason = f"{new.name!r} is required now; its default is {shown(after)}"
                self._put(at, after, "likely", reason)
            elif is_new_demand:
                reason = f"{new.name!r} is required now and has no default"
                self.found.questions.append(ValueQuestion(at, reason))

    def _put(
        self, at: Place, value: Json, certainty: Certainty, reason: str, *, is_needed: bool = True
    ) -> None:
        _put(self.found.values, at, value)
        change = ValueChange("added", None, at, certainty, reason, is_needed)
        self.found.changes.append(change)


def _is_given(values: JsonObject, path: SchemaPath) -> bool:
    """Whether a value stands at a path; for the items of a list, in all of them."""
    found: list[Json] = [values]
    for step in path:
        if step == ITEMS:
            found = [item for one in found if isinstance(one, list) for item in one]
        elif all(isinstance(one, dict) and step in one for one in found):
            found = [one[step] for one in found if isinstance(one, dict)]
        else:
            return False
    return True


def _places(values: JsonObject, path: SchemaPath) -> Iterator[Place]:
    """Yield where a property is missing in an object that is there."""
    waiting: list[tuple[Place, Json]] = [((), values)]
    for step in path[:-1]:
        following: list[tuple[Place, Json]] = []
        for at, value in waiting:
            if step == ITEMS and isinstance(value, list):
                following += [((*at, index), item) for index, item in enumerate(value)]
            elif isinstance(value, dict) and step in value:
                following.append(((*at, step), value[step]))
        waiting = following
    for at, value in waiting:
        if isinstance(value, dict) and path[-1] not in value:
            yield (*at, path[-1])


def _concrete(path: SchemaPath, at: Place) -> Place:
    """Return a path of a schema with the indexes of the place that it is reached from."""
    indexes = iter([step for step in at if isinstance(step, int)])
    return tuple(next(indexes, 0) if step == ITEMS else step for step in path)


def _put(values: JsonObject, at: Place, value: Json) -> None:
    holder: Json = values
    for step, following in pairwise(at):
        fresh: Json = [] if isinstance(following, int) else {}
        if isinstance(holder, dict):
            holder = holder.setdefault(str(step), fresh)
        elif isinstance(holder, list) and isinstance(step, int):
            if step >= len(holder):
                holder.append(fresh)
            holder = holder[step]
    last = at[-1]
    if isinstance(holder, dict):
        holder[str(last)] = value
    elif isinstance(holder, list) and isinstance(last, int):
        if last < len(holder):
            holder[last] = value
        else:
            holder.append(value)
