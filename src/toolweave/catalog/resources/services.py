"""Third-party services with a web API, and access to them with stored credentials."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from toolweave.catalog.resources.http import Response
from toolweave.json_text import Json

_AUTHORIZATION: Mapping[str, str] = {"authorization": "Bearer {token}"}


@dataclass(frozen=True, slots=True)
class Failure:
    """An error a service reported; `status` is the equivalent HTTP status."""

    status: int
    words: str
    retry_after_s: float | None = None


# Returns the error in a response, or None where the call succeeded.
Reader = Callable[[Response, Json], Failure | None]


@dataclass(frozen=True, slots=True)
class Service:
    """A service: its address, unless a credential sets another one, and how to authenticate."""

    kind: str
    title: str
    address: str
    failure: Reader
    # `{token}` is replaced by the credential.
    headers: Mapping[str, str] = field(default_factory=lambda: _AUTHORIZATION)
    # Inserted between the address and the path of each call: Telegram expects the token there.
    prefix: str = ""
    # A read-only call that returns the owner of a credential, and the path to it in the response.
    whoami: tuple[str, str] = ("GET", "/")
    who: tuple[str, ...] = ()
    # Hosts beside that of the address that get the credential.
    more_hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """The address of a service and its credential, whose vault references are filled on use."""

    address: str
    token: str


class ServiceAccess(Protocol):
    """Resolves the credential that a node's configuration names."""

    async def access(self, service: Service, token: str, *, prefers_oauth: bool = False) -> Access:
        """Return the access to a service; an OAuth credential close to expiry is refreshed first.

        `token` is `${vault:NAME}`, a token itself, or empty for the credential named after the
        service. The address belongs to the credential: no workflow can send it elsewhere.

        Raises `NotFound`: `SERVICE_CREDENTIAL_MISSING`; `Denied`: `SERVICE_SIGN_IN_NEEDED` where an
        OAuth credential cannot be refreshed.
        """
        ...

    async def renew(self, service: Service, refresh_token: str) -> str:
        """Return a new access token for the refresh token in a node's configuration.

        Raises `NotFound`: `SERVICE_CREDENTIAL_MISSING` where no OAuth client of this service is
        stored; `Denied`: `SERVICE_SIGN_IN_NEEDED`.
        """
        ...
