"""A sandbox has no network of the machine unless that was asked for."""

from tests.security.controls import Control

from toolweave.servers.definition import CommandServer
from toolweave.servers.runners.bubblewrap import BubblewrapRunner
from toolweave.servers.runners.plain import PlainRunner


def launched(definition: CommandServer) -> tuple[str, ...]:
    runner = BubblewrapRunner(PlainRunner({"PATH": "/usr/bin:/bin"}), is_root=False)
    return runner.launch(definition, server_name="boxed", env={}).argv


def test_a_sandboxed_definition_that_says_nothing_has_no_network(control: Control) -> None:
    asked = CommandServer(command="env", runner="bubblewrap", network=True)
    control("a sandbox has a network when asked for", "--unshare-net" not in launched(asked))
    control("a plain command has the network", CommandServer(command="env").network)
    read = CommandServer.model_validate({"command": "env", "runner": "bubblewrap"})
    assert "--unshare-net" in launched(read)
    assert "--unshare-net" in launched(CommandServer(command="env", runner="bubblewrap"))


def test_a_stored_definition_keeps_what_was_approved(control: Control) -> None:
    approved = CommandServer(command="env", runner="bubblewrap", network=True)
    again = CommandServer.model_validate(approved.model_dump(mode="json"))
    control("an approved network stays", again == approved)
    closed = CommandServer(command="env", runner="bubblewrap")
    assert not CommandServer.model_validate(closed.model_dump(mode="json")).network
