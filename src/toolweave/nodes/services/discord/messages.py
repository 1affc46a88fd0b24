"""Questions in Discord: a message with two buttons; replies refer to it."""

from dataclasses import dataclass
from urllib.parse import quote

from toolweave.catalog.node import NodeContext
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._buttons import LABELS, THANKS, addressed, carried
from toolweave.nodes.human._question import Nudge, Port
from toolweave.nodes.services._client import calling
from toolweave.nodes.services._operation import ServiceCall
from toolweave.nodes.services.discord.api import DISCORD
from toolweave.workflow.question import Question

MAX_CONTENT = 2_000
# Kinds and styles of Discord's components.
_ROW, _BUTTON = 1, 2
_STYLES = {"confirmed": 3, "rejected": 4}


@dataclass(frozen=True, slots=True)
class DiscordMessages:
    """Asks as the bot of the credential `discord`."""

    server: str
    channel: str
    mention: str = ""

    async def ask(self, context: NodeContext, question: Question) -> JsonObject | None:
        """Post the question; where it stands."""
        discord = await calling(context, DISCORD, "")
        path = f"/channels/{quote(self.channel, safe='')}"
        found = (await discord.send("get channel", ServiceCall("GET", path))).record
        if str(found.get("guild_id")) != self.server:
            message = f"channel {self.channel!r} is not of server {self.server!r}"
            raise Invalid("DISCORD_CHANNEL_ELSEWHERE", message, hint="check both ids")
        buttons: list[Json] = [
            {
                "type": _BUTTON,
                "style": _STYLES[port],
                "label": label,
                "custom_id": carried(question.id, port),
            }
            for port, label in LABELS.items()
        ]
        body: JsonObject = {
            "content": addressed(self.mention, question.text)[:MAX_CONTENT],
            "components": [{"type": _ROW, "components": buttons}],
        }
        said = (
            await discord.send("send message", ServiceCall("POST", f"{path}/messages", body=body))
        ).record
        return {"channel": self.channel, "message": said.get("id"), "server": self.server}

    async def nudge(self, context: NodeContext, thread: JsonObject, nudge: Nudge) -> None:
        """Remind below the question."""
        await self._say(context, thread, nudge.text)

    async def tell(self, context: NodeContext, thread: JsonObject, port: Port, reply: Json) -> None:
        """Say below the question what came of it."""
        await self._say(context, thread, str(THANKS[port]))

    async def _say(self, context: NodeContext, thread: JsonObject, text: str) -> None:
        discord = await calling(context, DISCORD, "")
        refers: JsonObject = {"message_id": thread["message"], "fail_if_not_exists": False}
        body: JsonObject = {"content": text[:MAX_CONTENT], "message_reference": refers}
        path = f"/channels/{quote(str(thread['channel']), safe='')}/messages"
        await discord.send("send message", ServiceCall("POST", path, body=body))
