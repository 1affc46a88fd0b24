"""Questions by mail and the replies to them: by SMTP and IMAP, or the API of Gmail or Microsoft."""

import base64
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from urllib.parse import quote

from toolweave.catalog.node import NodeContext, NodeInput
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._buttons import THANKS
from toolweave.nodes.human._question import Nudge, Port, content_of
from toolweave.nodes.services._attachments import attached
from toolweave.nodes.services._operation import RequestPart, ServiceCall
from toolweave.nodes.services.mail.account import Account
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
