"""From a syntax tree to a function that computes its value within a budget.

Our own instead of Google's, because theirs has no bound on memory (a `map` over 9,000
items took 1.6 GB, thirty nested concatenations or two `replace` all there was), copies all data in,
cuts the texts in it at NUL, gives maps in another order on every start, and cannot say where it
failed. Tests hold both to the same answers.
"""

from toolweave.cel import operators
from toolweave.cel.closures import (
    LOOPS,
    Computed,
    applied,
    asked,
    bound_value,
    chosen,
    either,
    inner,
    let,
    new_key,
    or_else,
    selected,
)
from toolweave.cel.functions import function_of
from toolweave.cel.syntax import (
    Comprehension,
    FunctionCall,
    Let,
    ListLiteral,
    Literal,
    MapLiteral,
    Member,
    Name,
    Term,
    count,
)
from toolweave.cel.values import (
    KIND_NAMES,
    BuiltList,
    BuiltMap,
    Cel,
    CelType,
    Evaluation,
    Failed,
    is_list,
    is_map,
    keys_of,
    kind_of,
)
from toolweave.problems import did_you_mean


class Compiler:
    """Turns terms into functions; each macro's variable gets a slot of its own."""

    def __init__(self) -> None:
        self.slots = 0
        self._scope: dict[str, int] = {}
        self._lazy: frozenset[int] = frozenset()

    def computed(self, term: Term) -> Computed:
        """The function that computes a term."""
        match term:
            case Literal():
                value = term.value
                return lambda _run: value
            case Name():
                return self._name(term)
            case Member():
                return (
                    asked(self.computed(term.of), term)
                    if term.is_test
                    else selected(self.computed(term.of), term)
                )
            case FunctionCall():
                return self._call(term)
            case ListLiteral():
                return self._items(term)
            case MapLiteral():
                return self._entries(term)
            case Comprehension():
                return self._loop(term)
            case Let():
                start = self.computed(term.value)
                self._lazy |= {self.slots}
                slot, [within] = self._bound(term.variable, term.body)
                return let(start, slot, within)

    def _name(self, term: Name) -> Computed:
        name, at = term.name, term.at
        if name in self._scope and not term.is_outermost:
            slot = self._scope[name]
            return bound_value(slot) if slot in self._lazy else lambda run: run.slots[slot]
        known = CelType(name) if name in KIND_NAMES else None

        def look_up(run: Evaluation) -> Cel:
            try:
                return run.variables[name]
            except KeyError:
                if known is not None:
                    return known
                close = did_you_mean(name, run.variables)
                raise Failed(f"there is no {name!r} here", hint=close, at=at) from None

        return look_up

    def _call(self, term: FunctionCall) -> Computed:
        arguments = [self.computed(argument) for argument in term.arguments]
        match term.function, arguments:
            case "_&&_" | "_||_" as function, _:
                return either(arguments, decisive=function == "_||_", at=term.at)
            case "_?_:_", [condition, one, two]:
                return chosen(condition, one, two, term.at)
            case "or" | "orValue", [one, two] if term.is_method:
                return or_else(one, two, term)
            case _:
                return applied(function_of(term), arguments, term.at)

    def _items(self, term: ListLiteral) -> Computed:
        items = [self.computed(item) for item in term.items]
        optional, room = term.optional, operators.MEMBER_SIZE * len(items)

        def build(run: Evaluation) -> BuiltList:
            run.grow(room)
            if not optional:
                return BuiltList([item(run) for item in items])
            built = BuiltList()
            for place, item in enumerate(items):
                value = item(run)
                built.extend(inner(value, term.at) if place in optional else (value,))
            return built

        return build

    def _entries(self, term: MapLiteral) -> Computed:
        entries = [
            (self.computed(entry.key), self.computed(entry.value), entry.is_optional, entry.key.at)
            for entry in term.entries
        ]
        room = 4 * operators.MEMBER_SIZE * len(entries)

        def build(run: Evaluation) -> BuiltMap:
            run.grow(room)
            built = BuiltMap()
            for key, value, is_optional, at in entries:
                held = new_key(key(run), built, at)
                found = value(run)
                for one in inner(found, at) if is_optional else (found,):
                    built[held] = one
            return built

        return build

    def _loop(self, term: Comprehension) -> Computed:
        over = self.computed(term.over)
        bodies = [term.body] if term.keep is None else [term.body, term.keep]
        slot, functions = self._bound(term.variable, *bodies)
        weight = sum(count(one) for one in bodies) + 1

        def items(run: Evaluation) -> list[Cel]:
            value = over(run)
            if is_list(value):
                return value
            if is_map(value):
                run.grow(operators.MEMBER_SIZE * len(value))
                return list(keys_of(value))
            raise Failed(f"{kind_of(value)} has no items to go through", at=term.at)

        return LOOPS[term.macro](items, slot, weight, term.at, *functions)

    def _bound(self, name: str, *bodies: Term) -> tuple[int, list[Computed]]:
        """The functions of terms in which `name` is the next slot."""
        outer, slot = self._scope, self.slots
        self.slots += 1
        self._scope = {**outer, name: slot}
        functions = [self.computed(body) for body in bodies]
        self._scope = outer
        return slot, functions
