"""The resource `mailer`: sends mails by SMTP, in a thread, because the client blocks.

The name is resolved once, every address is checked, and the connection goes to that address.
"""

import base64
import smtplib
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import anyio
import anyio.to_thread
from anyio import CapacityLimiter

from toolweave.access.references import vault_name_in
from toolweave.access.secret_destinations import to_host
from toolweave.access.secret_text import ExpandedText, SecretTexts
from toolweave.catalog.resources.mail import SmtpServer
from toolweave.errors import (
    Denied,
    Invalid,
    Limited,
    TimedOut,
    ToolweaveError,
    Unavailable,
)
from toolweave.network.allowed_address import allowed_address
from toolweave.network.client import Resolve, default_tls, resolve_name
from toolweave.resources.http import PRIVATE_SETTING, any_host

DEADLINE_S = 60.0
THREADS = 4
# Sent in the greeting instead of this machine's name, which is private and slow to find.
OUR_NAME = "localhost"


@dataclass(frozen=True, slots=True)
class _Job:
    server: SmtpServer
    address: str
    mail: bytes
    sender: str
    recipients: Sequence[str]
    timeout_s: float
    tls: ssl.SSLContext | None


# Renews the OAuth token of a credential that is about to expire.
RefreshToken = Callable[[str], Awaitable[None]]


class SmtpMailer:
    """A `Mailer`; private addresses are refused unless `allow_private`."""

    def __init__(
        self,
        secrets: SecretTexts,
        refresh: RefreshToken | None = None,
        *,
        allow_private: bool = False,
        tls: ssl.SSLContext | None = None,
        resolve: Resolve | None = None,
    ) -> None:
        self._secrets = secrets
        self._refresh = refresh
        self._allow = any_host(allow_private=allow_private)
        self._tls = tls
        self._resolve = resolve or resolve_name
        self._threads = CapacityLimiter(THREADS)

    async def send(
        self,
        server: SmtpServer,
        mail: bytes,
        *,
        sender: str,
        recipients: Sequence[str],
        timeout_s: float,
    ) -> Mapping[str, str]:
        """Send a mail; see `Mailer`."""
        await self._renew(server)
        filled = await self._secrets.fill(
            {"as": server.username, "by": server.password}, to_host(server.host)
        )
        ready = replace(server, username=filled.texts["as"], password=filled.texts["by"])
        within_s = min(timeout_s, DEADLINE_S)
        address = await self._checked(server)
        tls = None if server.security == "none" else self._tls or default_tls()
        job = _Job(ready, address, mail, sender, recipients, within_s, tls)
        try:
            with anyio.fail_after(within_s):
                return await anyio.to_thread.run_sync(
                    _hand_in, job, abandon_on_cancel=True, limiter=self._threads
                )
        except TimeoutError:
            message = f"the mail server {server.host!r} was not done in {within_s:g} s"
            raise TimedOut("HTTP_TIMED_OUT", message) from None
        except (smtplib.SMTPException, OSError) as error:
            raise _explained(server, error, filled) from None

    async def _renew(self, server: SmtpServer) -> None:
        name = vault_name_in(server.password)
        if server.by_oauth and name is not None and self._refresh is not None:
            await self._refresh(name)

    async def _checked(self, server: SmtpServer) -> str:
        """Return an allowed address of the server."""
        try:
            address = await allowed_address(server.host, server.port, self._allow, self._resolve)
        except (OSError, UnicodeError):
            message = f"there is no address for the mail server {server.host!r}"
            raise Unavailable("SERVICE_UNAVAILABLE", message) from None
        if address is not None:
            return address
        raise Denied(
            "HTTP_ADDRESS_DENIED",
            f"the mail server {server.host!r} is not at a public address",
            hint=f"set {PRIVATE_SETTING}=1 to let workflows reach private and local addresses",
        )


class _Plain(smtplib.SMTP):
    """Connects to the checked address; the certificate must still match the name."""

    def __init__(self, address: str, name: str, timeout_s: float) -> None:
        self._address = address
        super().__init__(local_hostname=OUR_NAME, timeout=timeout_s)
        self._host = name

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return socket.create_connection((self._address, port), timeout)


class _Tls(smtplib.SMTP_SSL):
    """The same over TLS from the first byte."""

    def __init__(self, address: str, timeout_s: float, tls: ssl.SSLContext, name: str) -> None:
        self._address = address
        self._name = name
        self._made = tls
        super().__init__(local_hostname=OUR_NAME, timeout=timeout_s, context=tls)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        plain = socket.create_connection((self._address, port), timeout)
        try:
            return self._made.wrap_socket(plain, server_hostname=self._name)
        except BaseException:
            plain.close()
            raise


def _hand_in(job: _Job) -> dict[str, str]:
    client = _opened(job)
    try:
        client.connect(job.server.host, job.server.port)
        if job.server.security == "starttls":
            client.starttls(context=job.tls)
        client.ehlo_or_helo_if_needed()
        _sign_in(client, job.server)
        refused = client.sendmail(job.sender, list(job.recipients), job.mail)
        # The mail was accepted: whatever the server says afterwards, it was sent.
        with suppress(smtplib.SMTPException, OSError):
            client.docmd("QUIT")
    finally:
        client.close()
    return {one: _words(code, text) for one, (code, text) in refused.items()}


def _opened(job: _Job) -> smtplib.SMTP:
    if job.server.security == "tls":
        assert job.tls is not None
        return _Tls(job.address, job.timeout_s, job.tls, job.server.host)
    return _Plain(job.address, job.server.host, job.timeout_s)


def _sign_in(client: smtplib.SMTP, server: SmtpServer) -> None:
    if not server.username:
        return
    if not server.by_oauth:
        client.login(server.username, server.password)
        return
    proof = f"user={server.username}\x01auth=Bearer {server.password}\x01\x01"
    code, text = client.docmd("AUTH", "XOAUTH2 " + base64.b64encode(proof.encode()).decode())
    if code == 334:  # the reasons as JSON; the final reply comes after an empty line
        code, text = client.docmd("")
    if code != 235:
        raise smtplib.SMTPAuthenticationError(code, text)


def _explained(server: SmtpServer, error: Exception, filled: ExpandedText) -> ToolweaveError:
    where = f"the mail server {server.host!r}"
    match error:
        case smtplib.SMTPAuthenticationError():
            words = filled.hide(_words(error.smtp_code, error.smtp_error))
            message = f"{where} does not accept the user name or password: {words}"
            return Denied("SERVICE_CREDENTIAL_REFUSED", message)
        case smtplib.SMTPRecipientsRefused():
            code, text = next(iter(error.recipients.values()))
            return _refused(where, code, filled.hide(_words(code, text)))
        case smtplib.SMTPResponseException():
            words = filled.hide(_words(error.smtp_code, error.smtp_error))
            return _refused(where, error.smtp_code, words)
        case smtplib.SMTPNotSupportedError():
            return Denied("SERVICE_DENIED", f"{where} does not offer what is wanted: {error}")
        case ssl.SSLCertVerificationError():
            message = f"{where} has a certificate that is not trusted: {error.verify_message}"
            return Denied("SERVICE_DENIED", message)
        case _:
            message = f"{where} cannot be used: {type(error).__name__}"
            return Unavailable("SERVICE_UNAVAILABLE", message)


def _refused(where: str, code: int, words: str) -> ToolweaveError:
    message = f"{where} refused the mail: {words}"
    if 400 <= code < 500:  # try again later; nothing was accepted
        return Limited("SERVICE_LIMITED", message)
    return Invalid("SERVICE_REFUSED", message)


def _words(code: int, text: bytes | str) -> str:
    plain = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return f"{code} {' '.join(plain.split())[:300]}"
