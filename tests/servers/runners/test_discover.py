"""A runner is found by being in the folder."""

from typing import get_args

from toolweave.servers.definition import RunnerName
from toolweave.servers.runners import discover


def test_every_runner_a_definition_can_name_is_found() -> None:
    found = discover()
    assert set(found) == set(get_args(RunnerName))
    assert all(runner.name == name for name, runner in found.items())


def test_a_process_can_be_started_on_every_machine() -> None:
    assert discover()["plain"].missing() is None
