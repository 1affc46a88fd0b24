"""What a step learned as a secret is masked before the journal, whatever the step makes of it."""

from pathlib import Path

import pytest
from tests.engine.building import Behaviour, EchoTools, Kinds, workflow
from tests.security.controls import Control

from toolweave.access.mask import MASK, Masker
from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid
from toolweave.problems import Problem
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked

pytestmark = pytest.mark.anyio

SECRET = "planted-50021-Qw-7781"
LINE = workflow({"s": "start", "a": "once", "e": "end"}, ["s > a", "a > e"])


def repeating(way: str, text: str) -> Behaviour:
    """A step that gets a secret, as from the vault, and repeats `text`."""

    async def behave(_: NodeContext) -> Outcome | Wait:
        Masker().learn([SECRET])
        match way:
            case "result":
                return Outcome({"said": text, text: 1})
            case "question":
                return Wait(None, {"text": text}, memory={"kept": text})
            case _:
                problem = Problem("TEST_FAILED", "/a", text, None)
                raise Invalid("TEST_FAILED", text, hint=text, problems=[problem])

    return behave


async def stored(file: Path, behaviour: Behaviour) -> tuple[str, bytes]:
    """Run the step; return how its run stands, and the bytes of the database."""
    clock = FakeClock()
    async with open_database(file) as database:
        await migrate(database)
        engine = Engine(
            database,
            Journal(database, clock),
            Kinds(a=behaviour),
            services=EngineServices(EchoTools(), clock),
            checker=Unchecked(),
        )
        async with engine.running():
            status = await engine.advance(await engine.runs.start(RunRequest(LINE, {})))
    return status, written(file)


def written(file: Path) -> bytes:
    """What a database and the files beside it contain."""
    return b"".join(one.read_bytes() for one in file.parent.glob(f"{file.name}*"))


@pytest.mark.parametrize(
    ("way", "expected"), [("result", "success"), ("question", "waiting"), ("failure", "failed")]
)
async def test_a_secret_that_a_step_repeats_is_masked_before_the_journal(
    way: str, expected: str, tmp_path: Path, control: Control
) -> None:
    status, plain = await stored(tmp_path / "plain.db", repeating(way, "an ordinary text"))
    control(
        "an ordinary text is stored", (status, b"an ordinary text" in plain) == (expected, True)
    )
    status, masked = await stored(tmp_path / "masked.db", repeating(way, f"the key {SECRET}."))
    control("a mask stands where it stood", (status, MASK.encode() in masked) == (expected, True))
    assert SECRET.encode() not in masked
