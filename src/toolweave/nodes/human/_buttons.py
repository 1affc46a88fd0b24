"""Buttons below a question in a chat: what they carry, and what comes back when one is pressed."""

import re
from dataclasses import dataclass

from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern

# What a button carries: which question, and what it says.
_PRESSED = pattern(r"tw:([0-9a-f]{16}):(.{1,40})", re.DOTALL)
LABELS = {"confirmed": "Approve", "rejected": "Decline"}
# Telegram takes no more.
MAX_BYTES = 64

THANKS: JsonObject = {
    "confirmed": "Thank you. Your approval is noted.",
    "rejected": "Thank you. It will not go ahead.",
    "unrelated": "Your reply was taken as neither yes nor no.",
    "timeout": "The time to answer is over.",
}
NOT_ASKED = "Thank you, but this does not count: the question is for somebody else."
NOT_COUNTED = "Thank you, but this does not count: it is no complete answer, or it came too late."
LATE = "Thank you, but this question is closed: it was answered, or the time to answer is over."


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button that somebody pressed."""

    question: str
    says: str

    @property
    def reply(self) -> Json:
        """The answer it stands for."""
        if self.says in LABELS:
            return {"answer": self.says, "label": LABELS[self.says]}
        return {"text": self.says}


def carried(question: str, says: str) -> str:
    """What the button of a question carries."""
    text = f"tw:{question}:{says}"
    return text.encode()[:MAX_BYTES].decode(errors="ignore")


def pressed(text: Json) -> Pressed | None:
    """The button of ours whose text came back; nothing for any other."""
    found = _PRESSED.fullmatch(text) if isinstance(text, str) else None
    return Pressed(found[1], found[2]) if found else None


def kept_credential(token: str) -> str:
    """A credential as it may stand in a record: a reference to the vault, else nothing."""
    return token if token.startswith("${vault:") else ""


def addressed(mention: str, text: str) -> str:
    """A message to somebody."""
    return f"{mention} {text}" if mention else text
