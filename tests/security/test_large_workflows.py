"""Saving, showing and converting a large workflow leaves the event loop free."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.security.controls import Control

from rest.drawn import greeting
from rest.house import house_in
from toolweave.authoring import authoring
from toolweave.rest.routes import workflows as routes
from toolweave.workflow import store

pytestmark = pytest.mark.anyio

LARGE = "x" * 200_000
PARTS: dict[str, tuple[Any, Callable[[Any], bool]]] = {
    "understand": (routes, lambda document: LARGE in str(document)),
    "convert": (routes, lambda workflow: LARGE in str(workflow.description)),
    "document_in": (routes, lambda workflow: LARGE in str(workflow.description)),
    "to_store": (authoring, lambda workflow: LARGE in str(workflow.description)),
    "dump": (store, lambda workflow: LARGE in str(workflow.description)),
    "load": (store, lambda data: LARGE.encode() in data),
}


async def test_a_large_workflow_leaves_the_event_loop_free(
    tmp_path: Path, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, on_loop = threading.get_ident(), dict[str, set[bool]]()

    def watched(name: str) -> None:
        module, is_large = PARTS[name]
        real = getattr(module, name)

        def noted(given: Any, *others: Any, **more: Any) -> Any:
            if is_large(given):
                on_loop.setdefault(name, set()).add(threading.get_ident() == loop)
            return real(given, *others, **more)

        monkeypatch.setattr(module, name, noted)

    for part in PARTS:
        watched(part)
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        key = await house.key()
        document = {**greeting("large"), "description": LARGE}
        saved = await house.client.put(
            "/api/v1/workflows/large", json={"document": document}, headers=key
        )
        control("it is saved", saved.status_code == 201)
        for path in ("workflows/large", "workflows"):
            shown = await house.client.get(f"/api/v1/{path}", headers=key)
            control("it is shown", shown.status_code == 200)
        asked = {"document": document, "to": "ccwf"}
        made = await house.client.post("/api/v1/workflows/convert", json=asked, headers=key)
        control("it is converted", made.status_code == 200)
    assert on_loop == {part: {False} for part in PARTS}
