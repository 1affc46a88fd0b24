"""The mark `exercises`: which fields of nodes a test tries, checked while it runs.

    @pytest.mark.exercises("ACTION.HTTP_REQUEST.method=GET|POST", "ACTION.HTTP_REQUEST.headers")

A field is named alone, or with the values of it that are tried; an input as `inputs.NAME`. Where a
node runs is watched for the time of the test: one that claims what it does not do fails. Of a test
with parameters each case must do at least one thing that is claimed.
"""

from collections.abc import Callable, Generator, Iterator
from functools import wraps
from typing import Any

import pytest

from toolweave.catalog.node import NodeContext, NodeInput
from toolweave.json_text import Json, JsonObject
from toolweave.nodes import discover
from toolweave.nodes.services.github import trigger as github
from toolweave.nodes.services.mail import trigger as email
from toolweave.nodes.services.slack import trigger as slack
from toolweave.nodes.trigger import webhook, workflow_failed
from toolweave.triggers import active_triggers as board

MARK = "exercises"
TRIGGERS = (email, github, slack, webhook, workflow_failed)


def claims_of(written: str) -> frozenset[str]:
    """`A.B.c=x|y` as `A.B.c`, `A.B.c=x` and `A.B.c=y`."""
    name, _, values = written.partition("=")
    return frozenset({name, *(f"{name}={value}" for value in values.split("|") if value)})


def _claims(item: pytest.Item) -> frozenset[str]:
    written = [str(one) for mark in item.iter_markers(MARK) for one in mark.args]
    return frozenset[str]().union(*map(claims_of, written))


def _told(ref: str, config: JsonObject, inputs: JsonObject) -> Iterator[str]:
    named: dict[str, Json] = {**config, **{f"inputs.{name}": one for name, one in inputs.items()}}
    for name, value in named.items():
        yield f"{ref}.{name}"
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str):
                yield f"{ref}.{name}={one}"


def _watched(patch: pytest.MonkeyPatch, ref: str, code: object, seen: set[str]) -> None:
    """Note what a node is given, whichever way it is run."""
    kind = type(code)

    def noting(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def noted(self: object, about: NodeInput | NodeContext, *more: Any) -> Any:
            given = about if isinstance(about, NodeInput) else about.given
            seen.update(_told(ref, given.config, given.inputs))
            return method(self, about, *more)

        return noted

    for name in ("compute", "run", "items"):
        if hasattr(kind, name):
            patch.setattr(kind, name, noting(getattr(kind, name)))


def _asked(ref: str, module: Any, name: str, seen: set[str]) -> Callable[..., Any]:
    asks: Callable[..., Any] = getattr(module, name)

    def noted(config: JsonObject, *more: Any, **named: Any) -> Any:
        seen.update(_told(ref, config, {}))
        return asks(config, *more, **named)

    return noted


def _watch_triggers(patch: pytest.MonkeyPatch, seen: set[str]) -> None:
    """A trigger that is switched on is read by the board; its filters are asked by themselves."""
    for module in TRIGGERS:
        for name in ("accepts", "accepts_mail"):
            if hasattr(module, name):
                patch.setattr(module, name, _asked(module.node.spec.ref, module, name, seen))
    read = board.ActiveTriggers._read  # pyright: ignore[reportPrivateUsage]  its only way in

    def noted(self: board.ActiveTriggers, stored: Any, row: Any) -> Any:
        active = read(self, stored, row)
        if active is not None:
            seen.update(_told(row.ref, active.config, {}))
        return active

    patch.setattr(board.ActiveTriggers, "_read", noted)


@pytest.fixture(autouse=True)
def exercised(request: pytest.FixtureRequest) -> Generator[None]:
    """Holds a test to what it claims."""
    claimed = _claims(request.node)
    if not claimed:
        yield
        return
    refs = {".".join(one.split(".")[:2]) for one in claimed}
    seen: set[str] = set()
    with pytest.MonkeyPatch.context() as patch:
        for node in discover():
            if node.spec.ref in refs:
                _watched(patch, node.spec.ref, node, seen)
        _watch_triggers(patch, seen)
        yield
    missing = claimed - seen
    is_case = hasattr(request.node, "callspec")
    is_shown = bool(claimed & seen) if is_case else not missing
    assert is_shown, f"{request.node.name} does not do what it claims: {sorted(missing)}"
