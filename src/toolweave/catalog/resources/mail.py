"""Mail servers that nodes send through and read from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from toolweave.json_text import JsonObject

Security = Literal["starttls", "tls", "none"]
Provider = Literal["gmail", "outlook"]


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """A server that sends mail, and its login; `password` may refer to the vault."""

    host: str
    port: int = 587
    security: Security = "starttls"
    username: str = ""
    password: str = field(default="", repr=False)
    # The password is an OAuth access token.
    by_oauth: bool = False


@dataclass(frozen=True, slots=True)
class ImapServer:
    """A mailbox to read, and its login; `password` may refer to the vault."""

    host: str
    port: int = 993
    uses_tls: bool = True
    username: str = ""
    password: str = field(default="", repr=False)
    folder: str = "INBOX"


class Mailer(Protocol):
    """Sends mail by SMTP."""

    async def send(
        self,
        server: SmtpServer,
        mail: bytes,
        *,
        sender: str,
        recipients: Sequence[str],
        timeout_s: float,
    ) -> Mapping[str, str]:
        """Send a mail; return the rejected recipients and why, if others were accepted.

        Raises:
            Denied: `HTTP_ADDRESS_DENIED`, `SERVICE_CREDENTIAL_REFUSED`, `SERVICE_DENIED`.
            Invalid: `SERVICE_REFUSED`.
            Limited: `SERVICE_LIMITED` where the server asks to retry later.
            Unavailable: `SERVICE_UNAVAILABLE`.
            TimedOut: `HTTP_TIMED_OUT`.
        """
        ...


class Mailboxes(Protocol):
    """Reads mail by IMAP."""

    async def replies(self, server: ImapServer, message_id: str) -> Sequence[bytes]:
        """Return the raw mails that reply to a message. Raises `EMAIL_UNREACHABLE`."""
        ...


class MailTokens(Protocol):
    """Access tokens for mail providers."""

    async def token(self, provider: Provider, credentials: JsonObject) -> str:
        """Return the token in `credentials`, or a new one. Raises `SERVICE_SIGN_IN_NEEDED`."""
        ...
