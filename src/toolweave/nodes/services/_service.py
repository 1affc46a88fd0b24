"""A service outside as it is spoken to, and what `app` provides to reach it with a credential."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from toolweave.json_text import Json
from toolweave.nodes.action._http import Response

# The name under which a node finds its `Services`.
SERVICES = "services"

_AUTHORIZATION: Mapping[str, str] = {"authorization": "Bearer {token}"}


@dataclass(frozen=True, slots=True)
class Failure:
    """What a service says went wrong; `status` is the HTTP status that says the same."""

    status: int
    words: str
    retry_after_s: float | None = None


# What an answer says that went wrong; nothing where it is a good one.
Reader = Callable[[Response, Json], Failure | None]


@dataclass(frozen=True, slots=True)
class Service:
    """A kind of service: its address unless a credential says another, and how it is spoken to."""

    kind: str
    title: str
    address: str
    failure: Reader
    # `{token}` stands for the credential.
    headers: Mapping[str, str] = field(default_factory=lambda: _AUTHORIZATION)
    # What stands between the address and the path of each call: Telegram has the token there.
    prefix: str = ""
    # One call that changes nothing and says whose credential it is, and where in its answer.
    whoami: tuple[str, str] = ("GET", "/")
    who: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """Where a service is, and its credential: a text whose vault references are filled on use."""

    address: str
    token: str


class ServiceAccess(Protocol):
    """Credentials of services, by what a node's configuration says."""

    async def access(self, service: Service, token: str, *, prefers_oauth: bool = False) -> Access:
        """How to reach a service; an OAuth credential is renewed first where it is due.

        `token` is `${vault:NAME}`, a token itself, or empty for the credential that is named like
        the service. The address belongs to the credential: no workflow can send it elsewhere.

        Raises:
            NotFound: `SERVICE_CREDENTIAL_MISSING`.
            Denied: `SERVICE_SIGN_IN_NEEDED` where an OAuth credential cannot be renewed.
        """
        ...

    async def renew(self, service: Service, refresh_token: str) -> str:
        """A new access token for a refresh token that a node was given.

        Raises:
            NotFound: `SERVICE_CREDENTIAL_MISSING` where no OAuth client of this service is known.
            Denied: `SERVICE_SIGN_IN_NEEDED`.
        """
        ...
