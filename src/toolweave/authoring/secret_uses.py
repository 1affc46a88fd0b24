"""Where a secret or a credential of the vault is used: in stored workflows and by servers."""

from collections.abc import Iterator
from typing import Literal

from toolweave.access.references import references
from toolweave.cel.templates import texts_in
from toolweave.home import Home
from toolweave.json_record import JsonRecord
from toolweave.json_text import Json
from toolweave.nodes.services._vendors import KNOWN
from toolweave.workflow.model import Node


class SecretUse(JsonRecord):
    """A workflow with its nodes, or a server, that refers to a secret."""

    kind: Literal["workflow", "server"]
    name: str
    nodes: list[str]


async def secret_uses(home: Home, name: str) -> list[SecretUse]:
    """Return what refers to a secret by its name, workflows first."""
    found: list[SecretUse] = []
    for stored in await home.workflows.list():
        nodes = [node.name or node.id for node in stored.workflow.nodes if _uses(node, name)]
        if nodes:
            found.append(SecretUse(kind="workflow", name=stored.name, nodes=nodes))
    for server in await home.registry.list():
        if name in _names_in(server.definition.model_dump(mode="json")):
            found.append(SecretUse(kind="server", name=server.name, nodes=[]))
    return found


def _uses(node: Node, name: str) -> bool:
    named = set(_names_in(node.data))
    # A node of a service without a credential uses the one that is named after the service.
    return name in named or (not named and name in KNOWN and _service_of(node) == name)


def _names_in(value: Json) -> Iterator[str]:
    for _, text in texts_in(value, ""):
        yield from (one.name for one in references(text) if one.kind == "vault")


def _service_of(node: Node) -> str | None:
    category, _, subtype = (node.ref or "").lower().partition(".")
    if category == "trigger":
        return None
    kinds = [kind for kind in KNOWN if subtype == kind or subtype.startswith(f"{kind}_")]
    return max(kinds, key=len, default=None)
