"""Questions by mail and the replies to them: by SMTP and IMAP, or the API of Gmail or Microsoft."""

import base64
from dataclasses import dataclass
from email.utils import parseaddr
from hashlib import sha256
from html import escape
from urllib.parse import quote

from toolweave.catalog.node import NodeContext, NodeInput
from toolweave.catalog.resources.mail import Provider
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._buttons import THANKS
from toolweave.nodes.human._incoming_reply import IncomingReply
from toolweave.nodes.human._question import Nudge, Port, content_of
from toolweave.nodes.services._attachments import attached
from toolweave.nodes.services._operation import RequestPart, ServiceCall
from toolweave.nodes.services.mail.account import Account
from toolweave.nodes.services.mail.incoming import read_mail
from toolweave.nodes.services.mail.outgoing import MailDraft, write_mail
from toolweave.patterns import pattern
from toolweave.workflow.question import Question

_IMPORTANCE = {"low": "5", "high": "1"}
_MARKDOWN = (
    (pattern(r"`([^`\n]+)`"), r"<code>\1</code>"),
    (pattern(r"\*\*([^*\n]+)\*\*"), r"<strong>\1</strong>"),
    (pattern(r"(?<!\*)\*([^*\n]+)\*(?!\*)"), r"<em>\1</em>"),
    (pattern(r"\[([^\]\n]+)\]\((https?://[^)\s]+)\)"), r'<a href="\2">\1</a>'),
)


@dataclass(frozen=True, slots=True)
class MailMessages:
    """Asks as one account, as a node's settings say."""

    account: Account
    given: NodeInput

    async def ask(self, context: NodeContext, question: Question) -> JsonObject | None:
        """Send the question; what replies refer to."""
        given = self.given
        mention = given.text("user_mention")
        text = f"{mention},\n\n{question.text}" if mention else question.text
        draft = MailDraft(
            sender=self.account.sender,
            to=tuple(map(str, given.listing("recipient_emails"))),
            subject=given.text("email_subject"),
            text=text,
            html=as_html(text) if given.flag("use_rich_formatting") else "",
            headers=self._headers(),
            attachments=await self._files(context),
        )
        domain = self.account.sender.rpartition("@")[2].strip("> ")
        message_id = f"<tw.{question.id}@{domain}>"
        sent = await self._send(context, draft, message_id)
        return {
            "message_id": message_id,
            **sent,
            "sender": self.account.sender,
            "account": self.account.kept,
            "folder": self._folder(),
        }

    async def nudge(self, context: NodeContext, thread: JsonObject, nudge: Nudge) -> None:
        """Remind everybody who was asked."""
        await self._answer(context, thread, nudge.text, self.given.listing("recipient_emails"))

    async def tell(self, context: NodeContext, thread: JsonObject, port: Port, reply: Json) -> None:
        """Send the outcome to the person who answered; after a timeout, to everyone."""
        if not self.given.flag("auto_reply_enabled"):
            return
        words = {**THANKS, **self.given.record("confirmation_messages")}
        who = context.resumed.who if context.resumed is not None else None
        asked = self.given.listing("recipient_emails")
        to = [one for one in asked if str(one).casefold() == (who or "").casefold()] or asked
        await self._answer(context, thread, str(words.get(port) or ""), to)

    async def _answer(
        self, context: NodeContext, thread: JsonObject, text: str, to: list[Json]
    ) -> None:
        if not text:
            return
        refers = str(thread["message_id"])
        draft = MailDraft(
            sender=self.account.sender,
            to=tuple(map(str, to)),
            subject=f"Re: {self.given.text('email_subject')}",
            text=text,
            in_reply_to=refers,
        )
        told = sha256(f"{context.key}/{text}".encode()).hexdigest()[:16]
        message_id = f"<tw.{told}.{refers.strip('<>')}>"
        await self._send(context, draft, message_id)

    async def _send(self, context: NodeContext, draft: MailDraft, message_id: str) -> JsonObject:
        if not self.account.is_smtp and self.account.provider == "outlook":
            return await self._by_graph(context, draft)
        mail = write_mail(draft, message_id=message_id, at=context.now())
        if not self.account.is_smtp:
            gmail = await self.account.caller(context)
            raw = base64.urlsafe_b64encode(mail).decode()
            call = ServiceCall("POST", "/users/me/messages/send", body={"raw": raw})
            said = (await gmail.send("messages.send", call)).record
            return {"conversation": said.get("threadId")}
        mailer = context.resources.mailer
        await mailer.send(
            self.account.smtp(),
            mail,
            sender=draft.sender,
            recipients=draft.recipients,
            timeout_s=self.given.number("timeout"),
        )
        return {}

    async def _by_graph(self, context: NodeContext, draft: MailDraft) -> JsonObject:
        graph = await self.account.caller(context)
        base = f"/users/{quote(self.account.sender, safe='@')}/messages"
        body = _graph_mail(draft, self.given)
        made = (await graph.send("create message", ServiceCall("POST", base, body=body))).record
        path = f"{base}/{quote(str(made.get('id')), safe='')}/send"
        await graph.send("send message", ServiceCall("POST", path))
        told = made.get("internetMessageId")
        found: JsonObject = {"conversation": made.get("conversationId")}
        return {**found, "message_id": told} if told else found

    def _headers(self) -> dict[str, Json]:
        given = self.given
        headers: dict[str, Json] = {}
        if (level := _IMPORTANCE.get(given.text("priority_level"))) is not None:
            headers["X-Priority"] = level
            headers["Importance"] = given.text("priority_level")
        if given.flag("read_receipt"):
            headers["Disposition-Notification-To"] = self.account.sender
        if given.flag("delivery_receipt"):
            headers["X-Confirm-Delivery-To"] = self.account.sender
        return headers

    def _folder(self) -> str:
        where = self.given.record("folder_monitoring")
        own = where.get("folder_name")
        if where.get("monitor_specific_folder") is True and isinstance(own, str) and own:
            return own
        return "INBOX"

    async def _files(self, context: NodeContext) -> tuple[RequestPart, ...]:
        content = content_of(self.given)
        listed = content.get("attachments") if isinstance(content, dict) else None
        if not self.given.flag("include_attachments") or not isinstance(listed, list):
            return ()
        found = [one for one in listed if isinstance(one, dict)]
        return tuple([await attached(context, one, "attachments") for one in found])


def as_html(text: str) -> str:
    """Plain Markdown as HTML: paragraphs, bold, italic, code, links; nothing else gets through."""
    made = escape(text, quote=False)
    for expression, becomes in _MARKDOWN:
        made = expression.sub(becomes, made)
    paragraphs = (one.strip().replace("\n", "<br>\n") for one in made.split("\n\n"))
    return "\n".join(f"<p>{one}</p>" for one in paragraphs if one)


def _graph_mail(draft: MailDraft, given: NodeInput) -> JsonObject:
    to: list[Json] = [{"emailAddress": {"address": one}} for one in draft.to]
    files: list[Json] = [
        {
            "@odata.type": "#microsoft.graph.fileAttachment",
            "name": part.filename,
            "contentType": part.media_type,
            "contentBytes": base64.b64encode(part.data).decode(),
        }
        for part in draft.attachments
    ]
    kind = "HTML" if draft.html else "Text"
    return {
        "subject": draft.subject,
        "body": {"contentType": kind, "content": draft.html or draft.text},
        "toRecipients": to,
        "importance": given.text("priority_level") or "normal",
        "isDeliveryReceiptRequested": given.flag("delivery_receipt"),
        "isReadReceiptRequested": given.flag("read_receipt"),
        **({"attachments": files} if files else {}),
    }


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
