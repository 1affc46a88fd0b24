"""Server approval: show what the approval covers, store it, pin the server's tools."""

import shlex
from dataclasses import dataclass
from typing import Any, Self

from toolweave.access.mask import Masker
from toolweave.access.references import references
from toolweave.json_record import JsonRecord, ProblemRecord
from toolweave.json_text import JsonObject
from toolweave.servers.definition import (
    CommandServer,
    ContainerServer,
    HttpServer,
    Server,
    SignInClient,
    SseServer,
    definition_hash,
    runner_of,
    transport_of,
)
from toolweave.servers.gate import Gate
from toolweave.servers.lockfile import Drift, Lockfile
from toolweave.servers.transport_factory import TransportFactory, templates_of
from toolweave.tools.tool import Tool
from toolweave.tools.wire import write_wire


@dataclass(frozen=True, slots=True)
class ApprovalFact:
    """One row of the approval screen: label, JSON key, value, and the text shown for it."""

    label: str
    key: str
    value: str | list[str] | None
    words: str


@dataclass(frozen=True, slots=True)
class ApprovedListing:
    """A server's current tools and how they differ from the approved ones."""

    tools: tuple[Tool, ...]
    description: str | None
    drift: list[Drift]
    is_first: bool
    offers: tuple[str, ...] = ()

    @property
    def definitions(self) -> dict[str, JsonObject]:
        """The definitions of the tools, by name."""
        return {tool.name: tool.raw for tool in self.tools}


async def list_current_tools(gate: Gate, name: str) -> ApprovedListing:
    """List the tools of an approved server. Raises `ToolweaveError` if it cannot be reached."""
    lockfile = gate.lockfile
    tools = await gate.tools(name)
    live = await gate.connections.use(await gate.registry.get(name))
    is_first = not lockfile.pins(name)
    drift = [] if is_first else lockfile.drift(name, tools)
    said = live.connection.description
    description = None if said is None else live.secrets.hide_text(said)
    return ApprovedListing(tools, description, drift, is_first, live.connection.offers)


def pin_tools(lockfile: Lockfile, name: str, listed: ApprovedListing) -> None:
    """Pin the tools that the server lists now."""
    is_same = (listed.description, listed.offers) == (
        lockfile.description(name),
        lockfile.offers(name),
    )
    if listed.is_first or listed.drift or not is_same:
        lockfile.pin(name, listed.tools, description=listed.description, offers=listed.offers)


async def approval_facts(transports: TransportFactory, server: Server) -> list[ApprovalFact]:
    """Return everything that decides what is started; secrets are masked."""
    definition = server.definition
    asked = [item.text for text in templates_of(server).values() for item in references(text)]
    asked = list(dict.fromkeys(asked))
    transport = transport_of(definition)
    return [
        ApprovalFact("server", "name", server.name, server.name),
        ApprovalFact("transport", "transport", transport, transport),
        *(
            await _process(transports, server)
            if isinstance(definition, CommandServer | ContainerServer)
            else _address(transports.masker, definition)
        ),
        ApprovalFact("fills in", "fillsIn", asked, ", ".join(asked) or "nothing"),
        ApprovalFact("found in", "foundIn", server.found_in, server.found_in or "added by you"),
        ApprovalFact("hash", "hash", definition_hash(definition), definition_hash(definition)),
    ]


async def _process(transports: TransportFactory, server: Server) -> list[ApprovalFact]:
    definition = server.definition
    assert isinstance(definition, CommandServer | ContainerServer)
    launch = await transports.launch(server)
    argv = list(transports.masker.mask_argv(launch.argv))
    numbered = "\n".join(f"[{index}] {part}" for index, part in enumerate(argv))
    runner = runner_of(definition)
    names = sorted(definition.env)
    return [
        ApprovalFact("runner", "runner", runner, runner or "-"),
        ApprovalFact("argv", "argv", argv, numbered),
        ApprovalFact("as typed", "asTyped", shlex.join(argv), shlex.join(argv)),
        ApprovalFact("environment", "environment", names, ", ".join(names) or "no variables"),
        ApprovalFact("directory", "directory", launch.cwd, launch.cwd or "the current one"),
    ]


def _address(masker: Masker, definition: HttpServer | SseServer) -> list[ApprovalFact]:
    address = masker.mask_text(definition.url)
    names = sorted(definition.headers)
    sign_in = "OAuth" if definition.oauth else None
    if isinstance(definition.oauth, SignInClient):
        sign_in = f"OAuth {_client(masker, definition.oauth)}"
    return [
        ApprovalFact("address", "address", address, address),
        ApprovalFact("headers", "headers", names, ", ".join(names) or "no headers"),
        ApprovalFact("sign-in", "signIn", sign_in, sign_in or "none"),
    ]


def _client(masker: Masker, client: SignInClient) -> str:
    """Describe who signs in, and where its credentials go."""
    parts = [f"as {client.client_id}"] if client.client_id else []
    parts += ["without a person"] if client.is_alone else []
    if client.identity is not None:
        parts += [f"by {client.identity.issuer} as {client.identity.client_id}"]
    parts += [f"at {client.issuer}"] if client.issuer else []
    parts += [f"for {' '.join(client.scopes)}"] if client.scopes else []
    parts += [f"on port {client.callback_port}"] if client.callback_port else []
    return masker.mask_text(" ".join(parts))


class ToolChangeRecord(JsonRecord):
    """A difference of a tool."""

    pointer: str
    message: str


class ToolDriftRecord(JsonRecord):
    """A tool that changed since its approval."""

    tool: str
    kind: str
    changes: list[ToolChangeRecord]


class ServerToolRecord(JsonRecord):
    """A tool of a server; `parameters` is its parameter tree, for forms."""

    server_id: str
    name: str
    description: str
    # Any: parameters and problems leave out what they do not have.
    parameters: list[dict[str, Any]]
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    problems: list[ProblemRecord]

    @classmethod
    def read(cls, tool: Tool) -> Self:
        """Read a tool with its parameters."""
        return cls(
            server_id=tool.server,
            name=tool.name,
            description=tool.description,
            parameters=[write_wire(parameter) for parameter in tool.parameters],
            input_schema=tool.input_schema,
            output_schema=tool.output_schema,
            problems=[ProblemRecord.of(problem.as_json()) for problem in tool.problems],
        )
