"""How a registered server is started or reached: expand variables and choose the runner.

Loads no SDK: `transport` opens what is prepared here.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

import anyio.to_thread

from toolweave.access.mask import Masker
from toolweave.access.references import resolve_all
from toolweave.access.secret_destinations import to_server
from toolweave.access.vault import Vault
from toolweave.errors import Denied, Invalid, Unavailable
from toolweave.patterns import pattern
from toolweave.servers import runners
from toolweave.servers.definition import (
    CommandServer,
    ContainerServer,
    Definition,
    IdentityProvider,
    Server,
    SignInClient,
)
from toolweave.servers.guardian import Guardian
from toolweave.servers.runners.runner import Launch
from toolweave.settings import Limits

PLAIN_NAME = pattern(r"[A-Za-z0-9_.@-]{1,80}")
EXPANDED = ("command", "cwd", "url", "args", "env", "headers")
EXPANDED_OF_CLIENT = ("client_id", "client_secret", "private_key")
EXPANDED_OF_IDENTITY = ("client_id", "client_secret", "token")


def require_approved(server: Server) -> None:
    """Raise `Denied` (`SERVER_NOT_APPROVED`) unless this exact definition is approved."""
    if server.is_approved:
        return
    changed = server.approved_hash is not None
    raise Denied(
        "SERVER_NOT_APPROVED",
        f"server {server.name!r} "
        + ("changed after it was approved" if changed else "is not approved"),
        hint=f"run `toolweave servers approve {server.name}` to review and approve it",
    )


@dataclass(frozen=True, slots=True)
class TransportFactory:
    """Prepares transports."""

    environ: Mapping[str, str]
    vault: Vault
    guardian: Guardian
    masker: Masker
    limits: Limits
    # The document that describes this studio as an OAuth client.
    client_url: str | None = None

    async def launch(self, server: Server) -> Launch:
        """Return the exact process of a managed server, with `${…}` expanded."""
        definition = server.definition
        assert isinstance(definition, CommandServer | ContainerServer)
        name = "docker" if isinstance(definition, ContainerServer) else definition.runner
        runner = runners.discover()[name]
        # Querying a daemon or testing a sandbox may take seconds.
        if reason := await anyio.to_thread.run_sync(runner.missing):
            raise Unavailable("RUNNER_MISSING", f"server {server.name!r}: {reason}")
        ready = await self.expanded(server)
        assert isinstance(ready, CommandServer | ContainerServer)
        return runner.launch(ready, server_name=server.name, env=ready.env)

    async def expanded(self, server: Server) -> Definition:
        """Return the definition with `${…}` expanded; register its secrets with the masker."""
        definition = server.definition
        fields = definition.model_dump()
        templates = templates_of(server)
        resolved = await resolve_all(templates, self.environ, self.vault, to=to_server(server.name))
        self.masker.learn(resolved.secrets)
        missing = [one for one in resolved.problems if one.code == "SECRET_NOT_FOUND"]
        if missing:
            raise Invalid(
                "SERVER_SECRET_MISSING",
                f"server {server.name!r} refers to secrets that are not in the vault",
                problems=missing,
                hint="store a secret with `toolweave secrets set NAME`",
            )
        changes = {
            name: _filled(name, fields[name], resolved.values)
            for name in EXPANDED
            if fields.get(name) is not None
        }
        if (client := _oauth_client(definition)) is not None:
            changes["oauth"] = _filled_client(client, resolved.values)
        return definition.model_copy(update=changes)


def templates_of(server: Server) -> dict[str, str]:
    """Return every text of the definition in which `${…}` is expanded, by its path.

    A VS Code `${input:id}` is stored under the server's own name, so that no project's file
    can read a value that was entered for another server.
    """
    fields = server.definition.model_dump()
    own = _vault_name(server.name)
    texts = [found for name in EXPANDED for found in _texts(name, fields.get(name))]
    if (client := _oauth_client(server.definition)) is not None:
        texts += _texts_of(client, "oauth", EXPANDED_OF_CLIENT)
        if client.identity is not None:
            texts += _texts_of(client.identity, "oauth/identity", EXPANDED_OF_IDENTITY)
    return {place: text.replace("${input:", f"${{vault:input:{own}:") for place, text in texts}


def _oauth_client(definition: Definition) -> SignInClient | None:
    client = getattr(definition, "oauth", None)
    return client if isinstance(client, SignInClient) else None


def _texts_of(
    record: SignInClient | IdentityProvider, place: str, names: tuple[str, ...]
) -> list[tuple[str, str]]:
    values = ((name, getattr(record, name)) for name in names)
    return [(f"{place}/{name}", text) for name, text in values if text is not None]


def _filled_client(client: SignInClient, values: Mapping[str, str]) -> SignInClient:
    names = (place for place, _ in _texts_of(client, "oauth", EXPANDED_OF_CLIENT))
    changes: dict[str, object] = {place.rpartition("/")[2]: values[place] for place in names}
    if (identity := client.identity) is not None:
        own = (place for place, _ in _texts_of(identity, "oauth/identity", EXPANDED_OF_IDENTITY))
        changed = {place.rpartition("/")[2]: values[place] for place in own}
        changes["identity"] = identity.model_copy(update=changed)
    return client.model_copy(update=changes)


def _vault_name(server: str) -> str:
    """Return a valid vault name, different for every server."""
    if PLAIN_NAME.fullmatch(server):
        return server
    readable = re.sub(r"[^A-Za-z0-9_.@-]+", "-", server)[:60]
    return f"{readable}+{hashlib.sha256(server.encode()).hexdigest()[:16]}"


def _texts(name: str, value: object) -> list[tuple[str, str]]:
    """Return the texts below a field, each with its path: `env/TOKEN`, `args/0`."""
    match value:
        case str():
            return [(name, value)]
        case dict():
            return [(f"{name}/{key}", str(text)) for key, text in value.items()]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # a model's dump
        case tuple():
            return [(f"{name}/{index}", str(text)) for index, text in enumerate(value)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # a model's dump
        case _:
            return []


def _filled(name: str, value: object, values: Mapping[str, str]) -> object:
    places = [place for place, _ in _texts(name, value)]
    if isinstance(value, str):
        return values[name]
    if isinstance(value, dict):
        return {place.partition("/")[2]: values[place] for place in places}
    return tuple(values[place] for place in places)
