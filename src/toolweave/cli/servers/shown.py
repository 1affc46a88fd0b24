"""What a person is shown before a server may be started: every fact its approval is bound to."""

import shlex
from dataclasses import dataclass
from typing import Any

from toolweave.access.expand import references
from toolweave.app.studio import Studio
from toolweave.cli.terminal import print_table, say
from toolweave.cli.visible import visible
from toolweave.servers.definition import (
    Command,
    Container,
    Http,
    Server,
    Sse,
    definition_hash,
    runner_of,
    transport_of,
)
from toolweave.servers.lockfile import Drift
from toolweave.servers.opening import templates_of
from toolweave.tools.tool import Tool

SHOWN_TOOLS = 40
SHOWN_CHARS = 200
LABEL_WIDTH = 12


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of what is shown: its label, its key in JSON, its value and how that is said."""

    label: str
    key: str
    value: str | list[str] | None
    words: str


async def facts_of(studio: Studio, server: Server) -> list[Fact]:
    """Everything that decides what runs; secrets are masked."""
    definition = server.definition
    asked = [item.text for text in templates_of(server).values() for item in references(text)]
    asked = list(dict.fromkeys(asked))
    transport = transport_of(definition)
    return [
        Fact("server", "name", server.name, server.name),
        Fact("transport", "transport", transport, transport),
        *(
            await _process(studio, server)
            if isinstance(definition, Command | Container)
            else _address(studio, definition)
        ),
        Fact("fills in", "fillsIn", asked, ", ".join(asked) or "nothing"),
        Fact("found in", "foundIn", server.found_in, server.found_in or "added by you"),
        Fact("hash", "hash", definition_hash(definition), definition_hash(definition)),
    ]


async def _process(studio: Studio, server: Server) -> list[Fact]:
    definition = server.definition
    assert isinstance(definition, Command | Container)
    launch = await studio.opener.launch(server)
    argv = list(studio.ground.masker.mask_argv(launch.argv))
    numbered = "\n".join(f"[{index}] {part}" for index, part in enumerate(argv))
    runner = runner_of(definition)
    names = sorted(definition.env)
    return [
        Fact("runner", "runner", runner, runner or "-"),
        Fact("argv", "argv", argv, numbered),
        Fact("as typed", "asTyped", shlex.join(argv), shlex.join(argv)),
        Fact("environment", "environment", names, ", ".join(names) or "nothing of its own"),
        Fact("directory", "directory", launch.cwd, launch.cwd or "the current one"),
    ]


def _address(studio: Studio, definition: Http | Sse) -> list[Fact]:
    address = studio.ground.masker.mask_text(definition.url)
    names = sorted(definition.headers)
    sign_in = "OAuth" if definition.oauth else None
    return [
        Fact("address", "address", address, address),
        Fact("headers", "headers", names, ", ".join(names) or "none of its own"),
        Fact("sign-in", "signIn", sign_in, sign_in or "none"),
    ]


def show_facts(facts: list[Fact]) -> None:
    """Print them as a column of labels and a column of words."""
    for fact in facts:
        first, *rest = fact.words.split("\n")
        say((f"{fact.label:>{LABEL_WIDTH}}", "bold"), f"  {first}")
        for line in rest:
            say(" " * LABEL_WIDTH + f"  {line}")


def show_tools(tools: tuple[Tool, ...], path: str) -> None:
    """Print what was pinned, and what is odd about it."""
    say(f"Pinned {len(tools)} tools in {path}:")
    print_table(("", ""), [_tool_row(tool) for tool in tools[:SHOWN_TOOLS]], indent=2)
    if len(tools) > SHOWN_TOOLS:
        say(f"  … and {len(tools) - SHOWN_TOOLS} more")
    for tool in tools:
        for problem in tool.problems:
            name = visible(tool.name, one_line=True)
            say((f"! {name}: ", "yellow"), f"{problem.message}  [{problem.code}]")


def _tool_row(tool: Tool) -> tuple[str, str]:
    return tool.name, tool.description.strip().split("\n")[0][:SHOWN_CHARS]


def show_drift(drift: list[Drift]) -> None:
    """Print how tools differ from what was approved."""
    say(f"{len(drift)} of its tools changed since they were approved:")
    for change in drift:
        kind = change.kind.replace("_", " ")
        say((visible(change.tool, one_line=True), "bold"), f"  {kind}", indent=2)
        for line in change.changes:
            say(f"{line.pointer or '/'}: {line.message}", indent=6)


def drift_as_json(drift: list[Drift]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {
            "tool": change.tool,
            "kind": change.kind,
            "changes": [
                {"pointer": line.pointer, "message": line.message} for line in change.changes
            ],
        }
        for change in drift
    ]
