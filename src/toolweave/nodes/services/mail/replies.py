"""Reads answers to a mail as replies to its question."""

import base64
from email.utils import parseaddr
from urllib.parse import quote

from toolweave.catalog.node import NodeContext
from toolweave.catalog.resources.mail import Provider
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._incoming_reply import IncomingReply
from toolweave.nodes.services._operation import ServiceCall
from toolweave.nodes.services.mail.account import Account
from toolweave.nodes.services.mail.incoming import read_mail
from toolweave.patterns import pattern

_TAGS = pattern(r"<[^>]{0,1000}>")


async def from_gmail(context: NodeContext, thread: JsonObject) -> list[IncomingReply]:
    """The replies to a question that was asked from a Gmail account."""
    account = _account("gmail", thread)
    if account.is_smtp:
        return await _by_imap(context, account, thread)
    gmail = await account.caller(context)
    path = f"/users/me/threads/{quote(str(thread.get('conversation')), safe='')}"
    told = (
        await gmail.send("threads.get", ServiceCall("GET", path, (("format", "minimal"),)))
    ).record
    listed = told.get("messages")
    found: list[IncomingReply] = []
    for one in listed if isinstance(listed, list) else []:
        if not isinstance(one, dict):
            continue
        where = f"/users/me/messages/{quote(str(one.get('id')), safe='')}"
        mail = (
            await gmail.send("messages.get", ServiceCall("GET", where, (("format", "raw"),)))
        ).record
        raw = base64.urlsafe_b64decode(str(mail.get("raw", "")) + "===")
        found += _read(raw, account, thread)
    return found


async def from_outlook(context: NodeContext, thread: JsonObject) -> list[IncomingReply]:
    """The replies to a question that was asked from an Outlook account."""
    account, folder = _account("outlook", thread), str(thread.get("folder") or "INBOX")
    if account.is_smtp:
        return await _by_imap(context, account, thread)
    graph = await account.caller(context)
    base = f"/users/{quote(account.sender, safe='@')}/mailFolders"
    if folder != "INBOX":
        same = (("$filter", f"displayName eq '{_quoted(folder)}'"),)
        listed = (await graph.send("list folders", ServiceCall("GET", base, same))).record.get(
            "value"
        )
        first = listed[0] if isinstance(listed, list) and listed else None
        folder = str(first.get("id")) if isinstance(first, dict) else "inbox"
    query = (
        ("$filter", f"conversationId eq '{_quoted(str(thread.get('conversation')))}'"),
        ("$select", "id,from,body,internetMessageId,internetMessageHeaders"),
    )
    path = f"{base}/{quote(folder.lower() if folder == 'INBOX' else folder, safe='')}/messages"
    headers = {"prefer": 'outlook.body-content-type="text"'}
    call = ServiceCall("GET", path, query, headers=headers)
    value = (await graph.send("list messages", call)).record.get("value")
    mails = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return [one for mail in mails if (one := _graph_reply(mail, account, thread)) is not None]


async def _by_imap(
    context: NodeContext, account: Account, thread: JsonObject
) -> list[IncomingReply]:
    mailboxes = context.resources.mailboxes
    server = account.imap(str(thread.get("folder") or "INBOX"))
    mails = await mailboxes.replies(server, str(thread["message_id"]))
    return [one for raw in mails for one in _read(raw, account, thread)]


def _account(provider: Provider, thread: JsonObject) -> Account:
    kept = thread.get("account")
    return Account(provider, str(thread.get("sender")), kept if isinstance(kept, dict) else {})


def _read(raw: bytes, account: Account, thread: JsonObject) -> list[IncomingReply]:
    mail = read_mail(raw)
    headers = mail["email_headers"]
    named = headers if isinstance(headers, dict) else {}
    who = parseaddr(str(mail["sender"]))[1]
    text = str(mail["body_text"]) or _TAGS.sub(" ", str(mail["body_html"]))
    identity = str(named.get("message-id") or mail["email_id"])
    return _heard(account, thread, who, text, identity, named)


def _graph_reply(mail: JsonObject, account: Account, thread: JsonObject) -> IncomingReply | None:
    sender, body = mail.get("from"), mail.get("body")
    address = sender.get("emailAddress") if isinstance(sender, dict) else None
    who = str(address.get("address")) if isinstance(address, dict) else ""
    text = str(body.get("content", "")) if isinstance(body, dict) else ""
    listed = mail.get("internetMessageHeaders")
    headers: dict[str, Json] = {}
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict):
            headers[str(one.get("name")).lower()] = one.get("value")
    found = _heard(account, thread, who, text, str(mail.get("internetMessageId")), headers)
    return found[0] if found else None


def _heard(
    account: Account,
    thread: JsonObject,
    who: str,
    text: str,
    identity: str,
    headers: JsonObject,
) -> list[IncomingReply]:
    """A reply of a person; our own mails and out-of-office notes are none."""
    is_own = who.casefold() == account.sender.casefold() or identity == thread["message_id"]
    automatic = str(headers.get("auto-submitted", "no")).strip().lower()
    if is_own or not who or automatic != "no" or "x-autoreply" in headers:
        return []
    place: JsonObject = {"message_id": thread["message_id"]}
    return [IncomingReply(account.provider, identity, who, {"text": text}, None, place)]


def _quoted(text: str) -> str:
    return text.replace("'", "''")
