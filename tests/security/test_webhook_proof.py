"""A webhook that a run waits for needs proof, unless its author says that it needs none."""

from pathlib import Path
from typing import Any

import pytest
from tests.security.controls import Control
from tests.triggers.serving import serving
from tests.triggers.test_calling_in import waiting

pytestmark = pytest.mark.anyio

TOKEN = "a-token-of-the-test"
PROOF = {"authorization": f"Bearer {TOKEN}"}


def on_call(**more: Any) -> dict[str, Any]:
    return {"wait_type": "webhook", "webhook_config": {"endpoint_path": "/paid", **more}}


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"auth_token": "${vault:own}"},
        {"auth_token": "${vault:own}", "authentication_required": False},
        {"authentication_required": "no"},
        {"authentication_required": None},
        {"authentication_required": True},
    ],
    ids=str,
)
async def test_a_call_without_proof_is_refused(
    tmp_path: Path, config: dict[str, Any], control: Control
) -> None:
    async with serving(tmp_path / "home") as served:
        for name in ("own", "wait-webhook-token"):
            await served.host.home.vault.put(name, TOKEN)
        await waiting(served.host, **on_call(**config))
        assert (await served.post("/paid", json={})).status_code == 403
        guess = {"authorization": "Bearer guess"}
        assert (await served.post("/paid", json={}, headers=guess)).status_code == 403
        proven = await served.post("/paid", json={}, headers=PROOF)
        control("a call with proof continues the run", proven.status_code == 202)


async def test_only_an_explicit_no_needs_none(tmp_path: Path, control: Control) -> None:
    async with serving(tmp_path / "home") as served:
        await waiting(served.host, **on_call(authentication_required=False))
        called = await served.post("/paid", json={})
        control("a call without proof continues the run", called.status_code == 202)
        assert (await served.post("/unpaid", json={})).status_code == 404
