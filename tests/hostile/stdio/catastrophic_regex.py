"""Declares the output pattern `(a+)+$` and answers with 41 characters that a backtracking
matcher needs 2^40 steps to refuse."""

from wellbehaved import ECHO, MISBEHAVE, Message, Server

OUTPUT: Message = {
    "type": "object",
    "properties": {"answer": {"type": "string", "pattern": "(a+)+$"}},
    "required": ["answer"],
}
ANSWER = "a" * 40 + "!"


class CatastrophicRegex(Server):
    """Keeps its reader thinking."""

    def __init__(self) -> None:
        super().__init__()
        self.tools = [ECHO, MISBEHAVE | {"outputSchema": OUTPUT}]

    def misbehave(self, request: Message) -> None:
        """A short reply that does not match."""
        content = [{"type": "text", "text": ANSWER}]
        self.reply(request, {"content": content, "structuredContent": {"answer": ANSWER}})


CatastrophicRegex().run()
