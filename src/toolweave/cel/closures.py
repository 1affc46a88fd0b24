"""The small functions an expression is made of: calls, choices, members and loops.

Each takes the functions of its parts and gives one that computes the whole; a failure gets the
place of the innermost part that has one.
"""

from collections.abc import Callable
from typing import TypeAlias

from toolweave.cel import operators
from toolweave.cel.functions import Function
from toolweave.cel.syntax import FunctionCall, LoopMacro, Member
from toolweave.cel.values import (
    BuiltList,
    BuiltMap,
    Cel,
    Evaluation,
    Failed,
    Maybe,
    is_map,
    key_of,
    kind_of,
    mismatch,
)

Computed: TypeAlias = Callable[[Evaluation], Cel]
# What a loop goes through.
Items: TypeAlias = Callable[[Evaluation], list[Cel]]


def applied(function: Function, arguments: list[Computed], at: int) -> Computed:
    """The call, which puts its place on a failure that has none."""
    if len(arguments) == 2:
        one, two = arguments

        def call_with_two(run: Evaluation) -> Cel:
            first, second = one(run), two(run)
            try:
                return function(run, first, second)
            except Failed as failed:
                raise placed(failed, at) from None

        return call_with_two

    def call(run: Evaluation) -> Cel:
        values = [argument(run) for argument in arguments]
        try:
            return function(run, *values)
        except Failed as failed:
            raise placed(failed, at) from None

    return call


def placed(failed: Failed, at: int) -> Failed:
    if failed.at is None:
        failed.at = at
    return failed


def selected(of: Computed, term: Member) -> Computed:
    key, at = term.key, term.at

    def select(run: Evaluation) -> Cel:
        value = of(run)
        if is_map(value):
            try:
                return operators.member(value, key)
            except Failed as failed:
                raise placed(failed, at) from None
        if isinstance(value, Maybe):
            return operators.find(run, value, key)
        raise Failed(
            f"{kind_of(value)} has no {key!r}",
            hint="a value is null; use .? to skip it" if value is None else None,
            at=at,
        )

    return select


def asked(of: Computed, term: Member) -> Computed:
    key, at = term.key, term.at

    def ask(run: Evaluation) -> bool:
        value = of(run)
        if is_map(value):
            return key in value
        if isinstance(value, Maybe):
            return bool(operators.find(run, value, key).inner)
        raise Failed(f"{kind_of(value)} has no {key!r} to ask for", at=at)

    return ask


def either(parts: list[Computed], *, decisive: bool, at: int) -> Computed:
    """`&&` and `||`: the decisive value of any part wins, even over a failure."""
    name = "||" if decisive else "&&"

    def decide(run: Evaluation) -> bool:
        failure: Failed | None = None
        for part in parts:
            try:
                value = part(run)
            except Failed as failed:
                failure = failure or failed
                continue
            if value is decisive:
                return decisive
            if value is not True and value is not False:
                failure = failure or placed(mismatch(name, value), at)
        if failure is not None:
            raise failure
        return not decisive

    return decide


def chosen(condition: Computed, one: Computed, two: Computed, at: int) -> Computed:
    def choose(run: Evaluation) -> Cel:
        found = condition(run)
        if found is True:
            return one(run)
        if found is False:
            return two(run)
        raise placed(mismatch("? :", found), at)

    return choose


def or_else(one: Computed, two: Computed, term: FunctionCall) -> Computed:
    gives_value = term.function == "orValue"

    def either(run: Evaluation) -> Cel:
        maybe = one(run)
        if not isinstance(maybe, Maybe):
            raise placed(mismatch(f"{term.function}()", maybe), term.at)
        if not maybe.inner:
            return two(run)
        return maybe.inner[0] if gives_value else maybe

    return either


def inner(value: Cel, at: int) -> tuple[Cel, ...]:
    if isinstance(value, Maybe):
        return value.inner
    raise Failed(f"an optional is expected after ?, not {kind_of(value)}", at=at)


def new_key(key: Cel, built: BuiltMap, at: int) -> Cel:
    held = None if isinstance(key, float) else key_of(key)
    if held is None:
        hint = "write a name in quotes: {'name': value}"
        raise Failed(f"{kind_of(key)} cannot be a key", hint=hint, at=at)
    if held in built:
        raise Failed("the map has the same key twice", at=at)
    return held


def let(value: Computed, slot: int, body: Computed) -> Computed:
    """`cel.bind`: a failing value does no harm until it is used."""

    def bind(run: Evaluation) -> Cel:
        try:
            run.slots[slot] = value(run)
        except Failed as failed:
            run.slots[slot] = failed
        return body(run)

    return bind


def bound_value(slot: int) -> Computed:
    def look_at(run: Evaluation) -> Cel:
        value = run.slots[slot]
        if isinstance(value, Failed):
            raise value
        return value

    return look_at


def collected(
    items: Items,
    slot: int,
    weight: int,
    at: int,
    element: Computed,
    keep: Computed | None = None,
) -> Computed:
    """`map` and `filter`."""

    def collect(run: Evaluation) -> BuiltList:
        built = BuiltList()
        for item in items(run):
            run.spend(weight)
            run.slots[slot] = item
            if keep is None or _holds(keep(run), at):
                run.grow(operators.MEMBER_SIZE)
                built.append(element(run))
        return built

    return collect


def counted(items: Items, slot: int, weight: int, at: int, predicate: Computed) -> Computed:
    """`exists_one`."""

    def counted(run: Evaluation) -> bool:
        found = 0
        for item in items(run):
            run.spend(weight)
            run.slots[slot] = item
            found += _holds(predicate(run), at)
        return found == 1

    return counted


def _holds(value: Cel, at: int) -> bool:
    if value is True or value is False:
        return value
    raise placed(mismatch("a condition", value), at)


def quantified(decisive: bool) -> Callable[..., Computed]:
    """`all` and `exists`: the decisive value of any item wins, even over failures."""

    def loop(items: Items, slot: int, weight: int, at: int, predicate: Computed) -> Computed:
        def quantify(run: Evaluation) -> bool:
            failure: Failed | None = None
            for item in items(run):
                run.spend(weight)
                run.slots[slot] = item
                try:
                    if _holds(predicate(run), at) is decisive:
                        return decisive
                except Failed as failed:
                    failure = failure or failed
            if failure is not None:
                raise failure
            return not decisive

        return quantify

    return loop


LOOPS: dict[LoopMacro, Callable[..., Computed]] = {
    "map": collected,
    "filter": collected,
    "all": quantified(decisive=False),
    "exists": quantified(decisive=True),
    "exists_one": counted,
}
