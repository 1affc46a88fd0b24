"""The setting that says who drives runs: what is refused, and what the message proposes."""

import sys
from pathlib import Path

import pytest
from tests.cli.driving import Commands

from toolweave.engine.backend_choice import choose_backend
from toolweave.engine.temporal.address import TemporalAddress, parse_address
from toolweave.errors import Invalid

FLEET = "temporal://localhost:7233/default"


@pytest.fixture
def tw(tmp_path: Path) -> Commands:
    return Commands(tmp_path, tmp_path)


def test_a_backend_is_chosen_by_name_and_an_unknown_one_is_refused(tw: Commands) -> None:
    assert tw.ok("runs", "resume", "--all", TOOLWEAVE_BACKEND="local").lines == [
        "No runs to resume."
    ]
    ran = tw("runs", "resume", "--all", TOOLWEAVE_BACKEND="temporel://localhost/default")
    assert ran.code == 1
    assert "there is no run backend 'temporel'; there are local, temporal" in ran.err


@pytest.mark.parametrize("command", ["worker", "serve"])
def test_a_fleet_needs_a_database_server(tw: Commands, command: str) -> None:
    options = ["--port", "0", "--no-browser"] if command == "serve" else []
    ran = tw(command, *options, "--backend", FLEET)
    assert ran.code == 1
    assert "--database postgresql://" in ran.err


def test_without_the_package_the_message_names_the_extra(
    tw: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert choose_backend(FLEET).is_shared
    for name in list(sys.modules):
        if name.partition(".")[0] == "temporalio":
            monkeypatch.setitem(sys.modules, name, None)
        if name.startswith(("toolweave.engine.temporal", "toolweave.engine.backends.temporal")):
            monkeypatch.delitem(sys.modules, name)
    ran = tw("worker", "--backend", FLEET)
    assert ran.code == 1
    assert "pip install 'toolweave[temporal]'" in ran.err


def test_an_address_has_a_host_a_namespace_and_options() -> None:
    assert parse_address("temporal://example.org") == TemporalAddress("example.org:7233")
    found = parse_address("temporal://[::1]:17233/mine?queue=gpu&tls=true&lease=30&runs=4")
    assert found == TemporalAddress("[::1]:17233", "mine", "gpu", True, lease_s=30, max_runs=4)
    assert found.task_queue() == "gpu-default"


@pytest.mark.parametrize(
    "text",
    [
        "temporal://",
        "temporal:///mine",
        "temporal://host:port/mine",
        "temporal://host/mine/other",
        "temporal://user@host/mine",
        "temporal://host/mine?tsl=true",
        "temporal://host/mine?tls=1",
        "temporal://host/mine?lease=0",
        "temporal://host/mine?lease=soon",
        "temporal://host/mine?cert=mine.pem",
    ],
)
def test_an_address_that_says_something_else_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse_address(text)
    assert refused.value.code == "SETTING_INVALID"
