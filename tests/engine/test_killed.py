"""A process is killed in the middle of a run, at every write and at any time; another goes on.

A graph of 30 nodes with parallel branches whose effects take 5 ms. With `hasty`, the journal
leaves out that a step begins: the same harness must then see steps happen twice. With `careless`,
the one who decides about uncertain steps says that they happened: it must see them lost.
"""

import json
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import IO

import pytest
from tests.engine.victim import Effects, graph

ROOT = Path(__file__).parents[2]
KILLED = -9
ONCE = {node.id for node in graph().nodes if node.type == "once"}
KEYED = {node.id for node in graph().nodes if node.type == "keyed"}


class Victim:
    """The process that is forked for each order."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._orders: IO[str] = process.stdin
        self._answers: IO[str] = process.stdout

    def order(self, folder: Path, mode: str, journal: str = "honest", **dies: object) -> int:
        """Run it; the exit code, or `KILLED`."""
        order = {"folder": str(folder), "mode": mode, "journal": journal, **dies}
        self._orders.write(json.dumps(order) + "\n")
        self._orders.flush()
        return int(self._answers.readline())


@pytest.fixture(scope="module")
def victim() -> Generator[Victim]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.engine.victim", "--tables"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Victim(process)
        assert process.stdin is not None
        process.stdin.close()


def rows(folder: Path) -> list[tuple[str, str]]:
    """Kind and key of all that was journaled, read without the engine."""
    database = folder / "runs.db"
    if not database.exists():
        return []
    connection = sqlite3.connect(database)
    try:
        text = "coalesce(body, (SELECT text FROM blobs WHERE hash = blob))"
        found = connection.execute(f"SELECT kind, {text} FROM journal ORDER BY seq").fetchall()
    except sqlite3.OperationalError:  # killed before there was a table
        return []
    finally:
        connection.close()
    return [(kind, str(json.loads(body).get("key"))) for kind, body in found]


def keys(found: list[tuple[str, str]], *kinds: str) -> set[str]:
    return {key for kind, key in found if kind in kinds}


def begun_without_outcome(found: list[tuple[str, str]]) -> set[str]:
    """Steps of which nobody knows, or somebody knew and has not been told yet."""
    begun: set[str] = set()
    for kind, key in found:
        if kind == "step_started":
            begun.add(key)
        elif kind in {"step_finished", "resolved"}:
            begun.discard(key)
    return begun


def goes_on(victim: Victim, folder: Path, journal: str = "honest") -> Counter[str]:
    """Resume to the end, and hold what must hold; what happened in the world."""
    effects = Effects(folder / "effects")
    found, before = rows(folder), effects.marks()
    told = Path(folder, "uncertain")
    told.unlink(missing_ok=True)
    open_steps = begun_without_outcome(found)
    assert victim.order(folder, "start", journal) == 0
    after = effects.marks()
    for key in keys(found, "step_finished"):
        assert after[f"begin {key}"] == before[f"begin {key}"], f"{key} was finished, and repeated"
    if journal == "honest":
        uncertain = told.read_text(encoding="utf-8").split() if told.exists() else []
        assert sorted(uncertain) == sorted(open_steps & ONCE)
        assert {key for key in ONCE if before[f"begin {key}"]} <= keys(found, "step_started")
    with closing(sqlite3.connect(folder / "runs.db")) as connection:
        status = connection.execute("SELECT status FROM runs").fetchall()
    assert status == [("success",)]
    return after


def repeated(marks: Counter[str]) -> list[str]:
    """Steps that must happen once, and happened otherwise."""
    assert all(marks[f"end {key}"] for key in ONCE | KEYED), "a step was lost"
    return [key for key in ONCE if marks[f"end {key}"] != 1]


def longest_way() -> int:
    """How many steps with effects stand one behind the other."""
    effects = ONCE | KEYED
    following: dict[str, list[str]] = {}
    for edge in graph().edges:
        following.setdefault(edge.source, []).append(edge.target)

    def from_here(node: str) -> int:
        behind = max((from_here(next_one) for next_one in following.get(node, [])), default=0)
        return (node in effects) + behind

    return max(from_here(node.id) for node in graph().nodes)


def writes_of(victim: Victim, folder: Path) -> int:
    folder.mkdir()
    assert victim.order(folder, "start") == 0
    assert repeated(Effects(folder / "effects").marks()) == []
    return int((folder / "writes").read_text(encoding="utf-8"))


def test_the_graph_is_of_thirty_nodes() -> None:
    assert len(graph().nodes) == 30


@pytest.mark.parametrize("when", ["inside", "after"])
def test_killed_at_every_write_nothing_is_lost_or_repeated(
    victim: Victim, tmp_path: Path, when: str
) -> None:
    writes = writes_of(victim, tmp_path / "whole")
    # Branches share commits as they come; one step after the other each has its own.
    assert writes >= longest_way() + 2  # and that it begins, and that it is taken
    killed = 0
    for number in range(1, writes + 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        killed += victim.order(folder, "start", at=number, when=when) == KILLED
        assert repeated(goes_on(victim, folder)) == []
    assert killed >= longest_way()


def test_killed_at_any_time_and_again_nothing_is_lost_or_repeated(
    victim: Victim, tmp_path: Path
) -> None:
    writes_of(victim, tmp_path / "warm")
    began = time.monotonic()
    writes_of(victim, tmp_path / "whole")
    whole_s = time.monotonic() - began
    dice = random.Random(20261116)
    killed = 0
    for number in range(30):
        folder = tmp_path / str(number)
        folder.mkdir()
        for _ in range(2):
            after_s = dice.uniform(0, whole_s)
            killed += victim.order(folder, "start", after_s=after_s) == KILLED
        assert repeated(goes_on(victim, folder)) == []
    assert killed > 15


def test_a_journal_that_leaves_out_the_start_repeats_steps(victim: Victim, tmp_path: Path) -> None:
    """The positive control: this harness sees a step that happens twice."""
    seen: list[str] = []
    for number in range(4, 10):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert victim.order(folder, "start", "hasty", at=number, when="before") == KILLED
        seen += repeated(goes_on(victim, folder, "hasty"))
    assert seen


def test_whoever_says_that_steps_happened_which_did_not_loses_them(
    victim: Victim, tmp_path: Path
) -> None:
    """The positive control: this harness sees a step that never happens."""
    # Its first steps were written down to begin, and no effect had begun.
    assert victim.order(tmp_path, "start", at=3, when="after") == KILLED
    with pytest.raises(AssertionError, match="lost"):
        repeated(goes_on(victim, tmp_path, "careless"))
