"""An account that asks by mail: how it sends, how its mail is read, and what may be kept of it."""

from dataclasses import dataclass, field
from typing import cast

from toolweave.catalog.node import NodeContext
from toolweave.catalog.node_input import refuse_all, refused_at
from toolweave.catalog.resources.http import Response
from toolweave.catalog.resources.mail import ImapServer, Provider, Security, SmtpServer
from toolweave.catalog.resources.services import Failure, Service
from toolweave.json_text import JsonObject
from toolweave.nodes.services._client import ServiceClient, calling
from toolweave.nodes.services._failures import http_failure

# What of an account is no secret, and is needed to find replies later.
_KEPT = ("username", "imap_host", "imap_port", "smtp_host", "smtp_port", "security")
_HOSTS = {
    "gmail": ("smtp.gmail.com", "imap.gmail.com"),
    "outlook": ("smtp.office365.com", "outlook.office365.com"),
}


def _failure(response: Response, value: object) -> Failure | None:
    error = cast("JsonObject", value).get("error") if isinstance(value, dict) else None
    words = str(error.get("message", "")) if isinstance(error, dict) else ""
    return http_failure(response, words)


SERVICES: dict[Provider, Service] = {
    "gmail": Service(
        kind="google",
        title="Gmail",
        address="https://gmail.googleapis.com/gmail/v1",
        failure=_failure,
        whoami=("GET", "/users/me/profile"),
        who=("emailAddress",),
    ),
    "outlook": Service(
        kind="microsoft",
        title="Outlook",
        address="https://graph.microsoft.com/v1.0",
        failure=_failure,
        whoami=("GET", "/me"),
        who=("mail", "userPrincipalName"),
    ),
}


# What each way of reading or sending mail needs to sign in.
_NEEDED = {
    "imap": ("username", "password"),
    "webhook": ("secret",),
    # Some clients of Google have no secret.
    "gmail": ("client_id", "refresh_token"),
    "outlook": ("tenant_id", "client_id", "client_secret"),
}
_RENEWED = ("client_id",)


def check_access(credentials: JsonObject, way: str, field_name: str) -> None:
    """Whether credentials are complete. Raises `Invalid`: `EMAIL_CONFIG_INVALID`.

    An API takes an access token as well, and without any the one that is stored for the service.
    """
    service = way.removesuffix("_api")
    needed = _NEEDED.get(service, ())
    if service in SERVICES:
        if not credentials or credentials.get("access_token") or credentials.get("password"):
            return
        if service == "outlook" and credentials.get("refresh_token"):
            needed = _RENEWED
    refuse_all(
        refused_at(
            (field_name, name),
            "EMAIL_CONFIG_INVALID",
            f"{field_name!r} has no {name!r}, which is needed to sign in",
            hint=f"add {name} as ${{vault:NAME}}",
        )
        for name in needed
        if not credentials.get(name)
    )


@dataclass(frozen=True, slots=True)
class Account:
    """One account of one provider."""

    provider: Provider
    sender: str
    credentials: JsonObject = field(repr=False)

    @property
    def is_smtp(self) -> bool:
        """Whether it is reached by SMTP and IMAP, with a password."""
        return bool(self.credentials.get("password"))

    @property
    def kept(self) -> JsonObject:
        """What may stand in a record: references to the vault, hosts, the user's name."""
        return {
            name: value
            for name, value in self.credentials.items()
            if name in _KEPT or (isinstance(value, str) and value.startswith("${vault:"))
        }

    def smtp(self) -> SmtpServer:
        """Where it sends. Raises `Invalid`: `EMAIL_CONFIG_INVALID`."""
        host, port = self._place("smtp", 0, 587)
        security = str(self.credentials.get("security") or ("tls" if port == 465 else "starttls"))
        if security not in {"tls", "starttls", "none"}:
            at = (f"{self.provider}_credentials", "security")
            message = "'security' must be tls, starttls or none"
            raise refused_at(at, "EMAIL_CONFIG_INVALID", message)
        given = self.credentials
        user, password = str(given.get("username") or self.sender), str(given["password"])
        return SmtpServer(host, port, cast("Security", security), user, password)

    def imap(self, folder: str = "INBOX") -> ImapServer:
        """Where its mail is read."""
        host, port = self._place("imap", 1, 993)
        given = self.credentials
        user, password = str(given.get("username") or self.sender), str(given.get("password"))
        return ImapServer(host, port, given.get("security") != "none", user, password, folder)

    async def caller(self, context: NodeContext) -> ServiceClient:
        """Its provider's API."""
        tokens = context.resources.mail_tokens
        token = await tokens.token(self.provider, self.credentials)
        return await calling(context, SERVICES[self.provider], token)

    def _place(self, kind: str, number: int, usual: int) -> tuple[str, int]:
        given = self.credentials
        port = given.get(f"{kind}_port")
        host = str(given.get(f"{kind}_host") or _HOSTS[self.provider][number])
        return host, port if isinstance(port, int) else usual
