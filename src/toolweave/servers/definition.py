"""Server definitions: how to reach a server, as a tagged union, and its registry record.

A definition can start a program, so it is frozen, hashed and approved (approval.py).
Values of `env` and `headers` may contain `${VAR}` and `${vault:NAME}`; nothing is expanded here.
"""

from datetime import datetime
from functools import cached_property
from typing import Annotated, Literal, NewType, Self, cast
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from toolweave.errors import Invalid
from toolweave.servers.known_servers import facts_hash
from toolweave.settings import QUEUE_PATTERN

ServerId = NewType("ServerId", str)

Transport = Literal["stdio", "sse", "http"]
Deployment = Literal["managed", "external"]
Scope = Literal["local", "project", "user", "enterprise"]
RunnerName = Literal["plain", "bubblewrap", "docker"]

# A variable or a secret of the vault, by its name.
_REFERENCE = r"^\$\{[^{}]{1,200}\}$"


class FrozenModel(BaseModel):
    """An immutable value that rejects unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class CommandServer(FrozenModel):
    """A program on the user's machine that communicates over stdin and stdout."""

    kind: Literal["command"] = "command"
    command: str = Field(min_length=1)
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    cwd: str | None = None
    runner: Literal["plain", "bubblewrap"] = "plain"
    # Used by the bubblewrap runner only.
    writable_paths: tuple[str, ...] = ()
    network: bool = True

    @model_validator(mode="before")
    @classmethod
    def _sandboxed_without_network(cls, given: object) -> object:
        """A sandbox has no network unless the definition says that it does."""
        if not isinstance(given, dict):
            return given
        fields = cast("dict[str, object]", given)
        is_open = fields.get("runner") != "bubblewrap" or "network" in fields
        return fields if is_open else {**fields, "network": False}


class ContainerServer(FrozenModel):
    """A container image that Toolweave starts, watches and removes."""

    kind: Literal["container"] = "container"
    image: str = Field(min_length=1)
    container_name: str | None = None  # None = derived from the server's name
    command: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    ports: dict[str, int] = Field(default_factory=dict)
    memory_mb: int = Field(default=512, ge=16)
    pids: int = Field(default=256, ge=8)
    network: bool = True


def is_protected_url(url: str) -> bool:
    """Whether a token may be sent to an address: https, or this machine."""
    parts = urlsplit(url)
    is_here = parts.hostname in {"localhost", "127.0.0.1", "::1"}
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and is_here)
    )


class IdentityProvider(FrozenModel):
    """A company's identity provider, whose tokens give access to servers.

    `token` and `client_secret` are references such as `${vault:NAME}`, never the secret itself.
    """

    issuer: str = Field(max_length=2000)
    client_id: str = Field(min_length=1, max_length=2000)
    token: str = Field(pattern=_REFERENCE)
    token_type: Literal["id_token", "refresh_token"] = "id_token"
    client_secret: str | None = Field(default=None, pattern=_REFERENCE)

    @model_validator(mode="after")
    def _is_protected(self) -> Self:
        if not is_protected_url(self.issuer):
            raise ValueError("the address of the identity provider has to begin with https://")
        return self


class SignInClient(FrozenModel):
    """The client to sign in with, where the default one does not do.

    `client_id` is one registered by hand, or the https address of a document that describes the
    client. Secrets are references such as `${vault:NAME}`, never the secret itself.
    """

    client_id: str | None = Field(default=None, min_length=1, max_length=2000)
    client_secret: str | None = Field(default=None, pattern=_REFERENCE)
    private_key: str | None = Field(default=None, pattern=_REFERENCE)
    # `client_credentials`: the program signs in by itself, with its secret or key.
    # `identity_assertion`: by what a company's identity provider says about the person.
    grant: Literal["authorization_code", "client_credentials", "identity_assertion"] = (
        "authorization_code"
    )
    # The only authorization server that may get these credentials.
    issuer: str | None = Field(default=None, pattern=r"^https?://")
    scopes: tuple[str, ...] = ()
    callback_port: int | None = Field(default=None, ge=1, le=65535)
    identity: IdentityProvider | None = None

    @model_serializer(mode="wrap")
    def _without_absent_identity(
        self, serialize: SerializerFunctionWrapHandler
    ) -> dict[str, object]:
        # Definitions that were approved before there was this field keep their hash.
        fields: dict[str, object] = serialize(self)
        if self.identity is None:
            fields.pop("identity", None)
        return fields

    @property
    def is_alone(self) -> bool:
        """Whether it signs in without a person."""
        return self.grant != "authorization_code"

    @model_validator(mode="after")
    def _has_credentials(self) -> Self:
        has_key = self.client_secret is not None or self.private_key is not None
        if has_key and self.client_id is None:
            raise ValueError("a client secret or key needs a client id")
        if self.grant == "client_credentials" and not has_key:
            raise ValueError("client credentials need a client id with a secret or a key")
        if self.private_key is not None and not self.is_alone:
            raise ValueError("a private key is for client credentials only")
        if (self.grant == "identity_assertion") != (self.identity is not None):
            raise ValueError("an identity provider goes with the grant identity_assertion")
        if self.identity is not None and not (has_key and self.issuer):
            raise ValueError(
                "with an identity provider, name the client id, its secret or key, and the issuer"
            )
        return self


class HttpServer(FrozenModel):
    """A server that uses streamable HTTP."""

    kind: Literal["http"] = "http"
    url: str = Field(pattern=r"^https?://")
    headers: dict[str, str] = Field(default_factory=dict)
    oauth: bool | SignInClient = False


class SseServer(FrozenModel):
    """An older server that uses HTTP with server-sent events."""

    kind: Literal["sse"] = "sse"
    url: str = Field(pattern=r"^https?://")
    headers: dict[str, str] = Field(default_factory=dict)
    oauth: bool | SignInClient = False


Definition = Annotated[
    CommandServer | ContainerServer | HttpServer | SseServer, Field(discriminator="kind")
]


def transport_of(definition: Definition) -> Transport:
    """The transport of the server."""
    match definition:
        case CommandServer() | ContainerServer():
            return "stdio"
        case HttpServer():
            return "http"
        case SseServer():
            return "sse"


def deployment_of(definition: Definition) -> Deployment:
    """Whether Toolweave starts the server."""
    return "managed" if isinstance(definition, CommandServer | ContainerServer) else "external"


def runner_of(definition: Definition) -> RunnerName | None:
    """The runner that starts it; `None` for a remote server."""
    match definition:
        case CommandServer():
            return definition.runner
        case ContainerServer():
            return "docker"
        case HttpServer() | SseServer():
            return None


def definition_hash(definition: Definition) -> str:
    """Return the hash an approval is bound to."""
    return facts_hash(definition.model_dump(mode="json"))


class Server(FrozenModel):
    """A registered server and its state."""

    id: ServerId
    name: str = Field(min_length=1, max_length=128)
    definition: Definition
    scope: Scope = "user"
    found_in: str | None = None  # which client's file it was imported from
    enabled: bool = False  # disabled until approved
    approved_hash: str | None = None
    # Unknown for approvals of earlier releases.
    approved_at: datetime | None = None
    approved_by: str | None = None
    failure_count: int = 0
    auto_disabled: bool = False
    last_connected_at: datetime | None = None
    last_failure: str | None = None
    # Calls at once and per second, of all processes together; None is unlimited.
    max_concurrent: int | None = None
    max_per_second: float | None = None
    # The queue whose workers start it and call its tools; None is every process.
    queue: str | None = Field(default=None, pattern=QUEUE_PATTERN)
    created_at: datetime

    @cached_property  # read for every call
    def is_approved(self) -> bool:
        """Whether the current definition is the approved one."""
        return self.approved_hash == definition_hash(self.definition)


def with_sign_in(server: Server) -> Server:
    """Return the server with a definition that signs in with OAuth.

    Raises `Invalid`: `SERVER_SIGN_IN_UNUSED`, it has no address.
    """
    definition = server.definition
    if not isinstance(definition, HttpServer | SseServer):
        message = f"server {server.name!r} has no address to sign in to"
        raise Invalid("SERVER_SIGN_IN_UNUSED", message, hint="only HTTP servers use OAuth")
    changed = definition.model_copy(update={"oauth": definition.oauth or True})
    fields = server.model_dump() | {"definition": changed}
    # Not by `model_copy`, which would keep what is cached of the old definition.
    return Server.model_validate(fields)
