"""References of other systems: `$json.x`, `$('Node').item.json.x`, `$.x`, `body('Node')`."""

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from toolweave.cel.paths import Path
from toolweave.workflow.formats.foreign.tree import (
    Call,
    Constant,
    FieldAccess,
    ForeignName,
    ItemAccess,
    NotReadable,
    Tree,
)


class SystemReference(NamedTuple):
    """The path that the beginning of a chain means, and the steps after it."""

    path: Path
    rest: tuple[Tree, ...]
    # Whether it is a JSONPath into the input, whichever that is.
    is_json_path: bool = False


# Parts of n8n's references between a node and its data.
_ITEMS = frozenset({"item", "first", "last", "itemMatching"})
_OF_NODE = frozenset({"$node", "$nodes", "$items"})
_TRIGGERS = frozenset({"triggerBody", "triggerOutputs"})
_ACTIONS = frozenset({"body", "outputs", "actions", "actionBody", "actionOutputs"})


def referenced(tree: Tree, names: Collection[str]) -> SystemReference | None:
    """The path of a chain that begins with a name of another system; None for other chains."""
    root, steps = _flat(tree)
    match root:
        case "$item":
            is_item = "item" not in names and bool(steps) and _key(steps[0]) != "json"
            return SystemReference(("item" if is_item else "data",), steps)
        case "$json":
            return SystemReference(("data",), steps)
        case "$input":
            return SystemReference(("data",), _after_items(steps, is_needed=True))
        case "ti" | "task_instance":
            return _pulled(steps)
        case "$$":
            return SystemReference(("trigger",), _after_words(steps, ("execution", "input")))
        case "$trigger" | "$execution":
            return SystemReference(("trigger" if root == "$trigger" else "run",), steps)
        case "$":
            return _dollar(steps, names)
        case _ if root in _OF_NODE:
            name, rest = _named(steps)
            return SystemReference(("nodes", name, "output"), _after_items(rest))
        case _:
            return _called(root, steps)


def _called(root: str, steps: tuple[Tree, ...]) -> SystemReference | None:
    """`triggerBody()` and `body('Node')` of Power Automate."""
    if root in _TRIGGERS and steps and _is_bare_call(steps[0]):
        rest = steps[1:]
        is_body = bool(rest) and _key(rest[0]) == "body" and root == "triggerOutputs"
        return SystemReference(("trigger",), _plain_steps(rest[is_body:]))
    if root in _ACTIONS and steps and isinstance(steps[0], Call):
        name, rest = _named(steps)
        is_body = bool(rest) and _key(rest[0]) == "body"
        return SystemReference(("nodes", name, "output"), _plain_steps(rest[is_body:]))
    return None


def _pulled(steps: tuple[Tree, ...]) -> SystemReference:
    """`ti.xcom_pull(task_ids='load', key='rows')` of Airflow."""
    match steps[:2]:
        case (FieldAccess(key="xcom_pull"), Call() as call):
            named = dict(call.named)
            listed = (*call.arguments, *(named[one] for one in ("task_ids",) if one in named))
            key = named.get("key", Constant("''", "return_value"))
        case _:
            raise NotReadable
    match listed, key:
        case ((Constant(text=str() as name),), Constant(text=str() as field)):
            path = () if field == "return_value" else (field,)
            return SystemReference(("nodes", name, "output", *path), steps[2:])
        case _:
            raise NotReadable


def _after_words(steps: tuple[Tree, ...], words: tuple[str, ...]) -> tuple[Tree, ...]:
    """The steps after these words, in any case."""
    found = tuple((_key(step) or "").lower() for step in steps[: len(words)])
    if found != words:
        raise NotReadable
    return steps[len(words) :]


def _dollar(steps: tuple[Tree, ...], names: Collection[str]) -> SystemReference:
    """`$('Node')` of n8n, or the root of a JSONPath."""
    if steps and isinstance(steps[0], Call):
        name, rest = _named(steps)
        return SystemReference(("nodes", name, "output"), _after_items(rest))
    first = _key(steps[0]) if steps else None
    if first is not None and first in names:
        return SystemReference((first,), steps[1:])
    return SystemReference(("data",), steps, is_json_path=True)


def _named(steps: tuple[Tree, ...]) -> tuple[str, tuple[Tree, ...]]:
    """The node that the first step names."""
    match steps[:1]:
        case (Call(arguments=(Constant(text=str() as name), *_)),):
            return name, steps[1:]
        case (FieldAccess(key=name),) | (ItemAccess(index=Constant(text=str() as name)),):
            return name, steps[1:]
        case _:
            raise NotReadable


def _after_items(steps: tuple[Tree, ...], *, is_needed: bool = False) -> tuple[Tree, ...]:
    """The steps after `.item.json`, `.first().json`, `[0].json` or `.json`."""
    rest = steps
    if rest and _key(rest[0]) in _ITEMS:
        rest = rest[1:]
        if rest and isinstance(rest[0], Call):
            rest = rest[1:]
    elif rest and isinstance(rest[0], ItemAccess) and rest[0].index == Constant("0"):
        rest = rest[1:]
    if rest and _key(rest[0]) == "json":
        return rest[1:]
    if is_needed or rest != steps or (rest and _key(rest[0]) in {"all", "params", "binary"}):
        raise NotReadable
    return rest


def _plain_steps(steps: tuple[Tree, ...]) -> tuple[Tree, ...]:
    """The steps without `?`, which Power Automate writes everywhere."""
    return tuple(
        replace(step, is_optional=False) if isinstance(step, FieldAccess | ItemAccess) else step
        for step in steps
    )


def _is_bare_call(step: Tree) -> bool:
    return isinstance(step, Call) and not step.arguments


def _key(step: Tree) -> str | None:
    match step:
        case FieldAccess():
            return step.key
        case ItemAccess(index=Constant(text=str() as key)):
            return key
        case _:
            return None


def _flat(tree: Tree) -> tuple[str, tuple[Tree, ...]]:
    """The variable that a chain begins with, and its steps; a method call is one of them."""
    steps: list[Tree] = []
    while not isinstance(tree, ForeignName):
        match tree:
            case FieldAccess() | ItemAccess() | Call():
                steps.append(tree)
                tree = tree.of
            case _:
                return "", ()
    return tree.name, tuple(reversed(steps))
