"""Map tool names to names all providers accept: 1 to 64 letters, digits, `_` and `-`."""

import hashlib
from dataclasses import dataclass

from toolweave.catalog.resources.model import Called, Message, ModelQuestion, ModelReply, ToolAnswer
from toolweave.patterns import pattern

_FITS = pattern(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_ODD = pattern(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class ToolNames:
    """The name mapping of one request."""

    sent: dict[str, str]

    @classmethod
    def of(cls, question: ModelQuestion) -> "ToolNames":
        """Create names for all tools that are offered or were called before."""
        names = [one.name for one in question.tools]
        for message in question.messages:
            if isinstance(message, ToolAnswer):
                names += [one.name for one in message.wanted]
            elif isinstance(message, Called):
                names.append(message.name)
        fitting = {name for name in names if _FITS.fullmatch(name)}
        sent = {name: name for name in fitting}
        for name in names:
            if name not in sent:
                sent[name] = _fitted(name, set(sent.values()))
        return cls(sent)

    def out(self, question: ModelQuestion) -> ModelQuestion:
        """Return the request with encoded tool names."""
        if all(name == other for name, other in self.sent.items()):
            return question
        tools = [one.model_copy(update={"name": self.sent[one.name]}) for one in question.tools]
        messages = tuple(self._message(one) for one in question.messages)
        return question.model_copy(update={"tools": tuple(tools), "messages": messages})

    def back(self, reply: ModelReply) -> ModelReply:
        """Return the reply with the original names; an unknown one is unchanged."""
        given = {other: name for name, other in self.sent.items()}
        wanted = tuple(
            one.model_copy(update={"name": given.get(one.name, one.name)})
            for one in reply.message.wanted
        )
        message = reply.message.model_copy(update={"wanted": wanted})
        return reply.model_copy(update={"message": message})

    def _message(self, message: Message) -> Message:
        match message:
            case ToolAnswer():
                wanted = [
                    one.model_copy(update={"name": self.sent[one.name]}) for one in message.wanted
                ]
                return message.model_copy(update={"wanted": tuple(wanted)})
            case Called():
                return message.model_copy(update={"name": self.sent[message.name]})
            case _:
                return message


def _fitted(name: str, taken: set[str]) -> str:
    plain = _ODD.sub("_", name) or "_"
    fitted = plain if _FITS.fullmatch(plain) else f"_{plain}"[:64]
    if fitted not in taken:
        return fitted
    return f"{fitted[:55]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"
