"""EXTERNAL_ACTION.EMAIL: what a real SMTP conversation carries, and what is refused before it."""

import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.nodes.action.trying import Secrets, code_of
from tests.nodes.services.acting import Bench, bench
from tests.nodes.services.smtp_server import Postbox, serving_smtp

from toolweave.access.mask import Masker
from toolweave.access.secret_text import SecretTexts
from toolweave.errors import Denied, Invalid, Limited, ToolweaveError, Unavailable
from toolweave.json_text import JsonObject
from toolweave.nodes.services.mail.action import node
from toolweave.resources.mailer import SmtpMailer

pytestmark = pytest.mark.anyio

PASSWORD = "app pass word 42"
MAIL: JsonObject = {"to": ["ada@example.com"], "subject": "Hi", "text": "Words"}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for this machine that only itself vouches for, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mail")])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file = tmp_path_factory.mktemp("tls") / "mail.pem"
    file.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return file


def served_by(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def config_of(postbox: Postbox, **more: str) -> JsonObject:
    return {
        "smtp_host": "127.0.0.1",
        "smtp_port": postbox.port,
        "security": "none",
        "username": "robot@example.com",
        "password": "${vault:smtp}",
        "from_address": "Robot <robot@example.com>",
        **more,
    }


def mailer(trusts: Path | None = None, *, allow_private: bool = True) -> SmtpMailer:
    tls = ssl.create_default_context(cafile=str(trusts)) if trusts else None
    secrets = SecretTexts(Secrets(smtp=PASSWORD), Masker())
    return SmtpMailer(secrets, allow_private=allow_private, tls=tls)


async def send(
    config: JsonObject,
    inputs: JsonObject,
    *,
    trusts: Path | None = None,
    folder: Path | None = None,
    allow_private: bool = True,
) -> JsonObject:
    made = mailer(trusts, allow_private=allow_private)
    async with bench(folder=folder, mailer=made) as here:
        return await _result(here, config, inputs)


async def _result(here: Bench, config: JsonObject, inputs: JsonObject) -> JsonObject:
    return await here.result(node, config, inputs)


def read(postbox: Postbox) -> EmailMessage:
    mail = message_from_bytes(postbox.mails[-1], policy=policy.default)
    assert isinstance(mail, EmailMessage)
    return mail


async def test_a_mail_has_both_forms_its_files_and_every_recipient(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_bytes(b"a,b\n")
    inputs: JsonObject = {
        **MAIL,
        "to": ["Ada Lovelace <ada@example.com>", "grace@example.com"],
        "cc": ["copy@example.com"],
        "bcc": ["hidden@example.com"],
        "subject": "Größe: 42",
        "html": "<p>Words</p>",
        "attachments": [{"path": "sales.csv"}, {"filename": "n.txt", "content": "note"}],
        "headers": {"X-Ticket": "42"},
        "in_reply_to": "<1@example.com>",
    }
    with serving_smtp() as postbox:
        config: JsonObject = config_of(postbox, reply_to="help@example.com", from_name="Ünï")
        found = await send(config, inputs, folder=tmp_path)
    mail = read(postbox)
    assert postbox.envelopes == [
        *("ada@example.com", "grace@example.com", "copy@example.com", "hidden@example.com")
    ]
    assert mail["From"] == "Ünï <robot@example.com>"
    assert mail["To"] == "Ada Lovelace <ada@example.com>, grace@example.com"
    assert mail["Cc"] == "copy@example.com"
    assert mail["Bcc"] is None
    assert mail["Subject"] == "Größe: 42"
    assert mail["Reply-To"] == "help@example.com"
    assert mail["In-Reply-To"] == "<1@example.com>"
    assert mail["X-Ticket"] == "42"
    assert mail["Message-ID"] == found["message_id"]
    text, html = mail.get_body(("plain",)), mail.get_body(("html",))
    assert text is not None
    assert html is not None
    assert text.get_content().strip() == "Words"
    assert html.get_content().strip() == "<p>Words</p>"
    files = [(one.get_filename(), one.get_content()) for one in mail.iter_attachments()]
    assert files == [("sales.csv", "a,b\n"), ("n.txt", "note")]
    assert found["success"] is True
    assert found["accepted"] == postbox.envelopes
    assert PASSWORD not in str(found)


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_private_connection_is_made_to_a_server_that_is_trusted(
    certificate: Path, security: str
) -> None:
    with serving_smtp(served_by(certificate), is_private=security == "tls") as postbox:
        await send(config_of(postbox, security=security), MAIL, trusts=certificate)
    assert postbox.private == [True]


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_certificate_nobody_vouches_for_is_refused(
    certificate: Path, security: str
) -> None:
    with serving_smtp(served_by(certificate), is_private=security == "tls") as postbox:
        with pytest.raises(Denied) as caught:
            await send_denied(config_of(postbox, security=security))
        assert not any(one.startswith("AUTH") for one in postbox.commands)
    assert code_of(caught) == "SERVICE_DENIED"


async def send_denied(config: JsonObject) -> None:
    """Send with the system's own certificates."""
    made = mailer()
    async with bench(mailer=made) as here:
        try:
            await here.act(node, config, MAIL)
        except ToolweaveError as error:
            failed = error
        else:
            return
    raise failed


async def test_a_password_is_not_sent_where_starttls_is_not_offered() -> None:
    with serving_smtp() as postbox:
        postbox.offers_starttls = False
        with pytest.raises(Denied) as caught:
            await send_denied(config_of(postbox, security="starttls"))
        assert not any(one.startswith("AUTH") for one in postbox.commands)
    assert code_of(caught) == "SERVICE_DENIED"


async def test_oauth_signs_in_with_the_token() -> None:
    with serving_smtp() as postbox:
        await send(config_of(postbox, authentication="oauth"), MAIL)
        assert len(postbox.mails) == 1
        postbox.password = "another"
        with pytest.raises(Denied) as caught:
            await send_denied(config_of(postbox, authentication="oauth"))
    assert code_of(caught) == "SERVICE_CREDENTIAL_REFUSED"
    assert PASSWORD not in str(caught.value.as_json())


async def test_nobody_signs_in_where_no_name_is_given() -> None:
    with serving_smtp() as postbox:
        await send(config_of(postbox, username="", password=""), {**MAIL, "text": "", "html": "x"})
        assert not any(one.startswith("AUTH") for one in postbox.commands)
    assert read(postbox).get_content_type() == "text/html"


async def test_whom_the_server_refuses_is_told_beside_those_it_takes() -> None:
    with serving_smtp() as postbox:
        postbox.refused["gone@example.com"] = "550 no such mailbox"
        to: JsonObject = {"to": ["ada@example.com", "gone@example.com"]}
        found = await send(config_of(postbox), {**MAIL, **to})
    assert found["accepted"] == ["ada@example.com"]
    assert found["rejected"] == [{"address": "gone@example.com", "reason": "550 no such mailbox"}]
    assert found["error_message"] == "gone@example.com: 550 no such mailbox"


@pytest.mark.parametrize(
    ("refused", "says", "kind", "code"),
    [
        ("550 no", "250 ok", Invalid, "SERVICE_REFUSED"),
        ("450 greylisted", "250 ok", Limited, "SERVICE_LIMITED"),
        ("250 ok", "554 spam", Invalid, "SERVICE_REFUSED"),
        ("250 ok", "451 later", Limited, "SERVICE_LIMITED"),
    ],
)
async def test_a_refused_mail_is_a_failure_in_the_servers_words(
    refused: str, says: str, kind: type[ToolweaveError], code: str
) -> None:
    with serving_smtp() as postbox:
        postbox.refused["ada@example.com"] = refused
        postbox.says_to_data = says
        with pytest.raises(kind) as caught:
            await send_denied(config_of(postbox))
    assert code_of(caught) == code
    words = says if refused.startswith("250") else refused
    assert words in caught.value.message
    assert postbox.mails == []


HOSTILE: Sequence[tuple[JsonObject, JsonObject]] = [
    ({}, {"subject": "Hi\r\nBcc: evil@example.com"}),
    ({}, {"subject": "Hi\nBcc: evil@example.com"}),
    ({}, {"to": ["ada@example.com\r\nRCPT TO:<evil@example.com>"]}),
    ({}, {"to": ["ada@example.com, evil@example.com"]}),
    ({}, {"to": ["not an address"]}),
    ({}, {"cc": ["<x@y>\x00"]}),
    ({}, {"bcc": ["a b"]}),
    ({}, {"headers": {"Bcc": "evil@example.com"}}),
    ({}, {"headers": {"X-A\r\nBcc": "evil@example.com"}}),
    ({}, {"headers": {"X-A": "1\r\nBcc: evil@example.com"}}),
    ({}, {"headers": {"Content-Type": "text/html"}}),
    ({}, {"headers": {"X-A": 1}}),
    ({}, {"in_reply_to": "<1@x>\r\nBcc: evil@example.com"}),
    ({}, {"attachments": [{"filename": "a\r\nBcc: x", "content": "x"}]}),
    ({}, {"attachments": ["a"]}),
    ({}, {"to": [7]}),
    ({}, {"to": [f"a{at}@example.com" for at in range(101)]}),
    ({}, {"subject": ""}),
    ({}, {"text": ""}),
    ({}, {"to": []}),
    ({"from_address": "nobody"}, {}),
    ({"from_name": "A\r\nBcc: x"}, {}),
    ({"reply_to": "x\r\ny"}, {}),
]


@pytest.mark.parametrize(("more", "inputs"), HOSTILE, ids=lambda one: str(one)[:50])
async def test_what_cannot_stand_in_a_mail_is_refused_before_anything_is_sent(
    more: JsonObject, inputs: JsonObject
) -> None:
    config: JsonObject = {
        "smtp_host": "127.0.0.1",
        "smtp_port": 9,
        "from_address": "robot@example.com",
        **more,
    }
    with pytest.raises(Invalid) as caught:
        await refused(config, {**MAIL, **inputs})
    assert code_of(caught) in {"SERVICE_FIELD_INVALID", "SERVICE_FIELD_MISSING"}


async def refused(config: JsonObject, inputs: JsonObject) -> None:
    async with bench(mailer=mailer()) as here:
        try:
            await here.act(node, config, inputs)
        except ToolweaveError as error:
            failed = error
        else:
            return
    raise failed


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "[::1]"])
async def test_a_private_server_is_not_dialled_unless_it_is_allowed(host: str) -> None:
    made = mailer(allow_private=False)
    async with bench(mailer=made) as here:
        config: JsonObject = {"smtp_host": host, "from_address": "robot@example.com"}
        with pytest.raises(ToolweaveError) as caught:
            await here.act(node, config, MAIL)
    assert code_of(caught) in {"HTTP_ADDRESS_DENIED", "SERVER_ADDRESS_DENIED"}


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    with serving_smtp() as postbox:
        gone = config_of(postbox)
    with pytest.raises(Unavailable) as caught:
        await send_denied(gone)
    assert code_of(caught) == "SERVICE_UNAVAILABLE"
