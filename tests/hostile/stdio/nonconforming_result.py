"""Answers a call with a result of the wrong shape; the argument `shape` says which."""

from wellbehaved import Message, Server

SHAPES: dict[str, object] = {
    "content_is_text": {"content": "just text"},
    "content_is_missing": {"answer": 42},
    "blocks_are_wrong": {"content": [7, {"type": "text"}, {"type": "image", "data": 1}]},
    "block_is_unknown": {"content": [{"type": "hologram", "light": 1}]},
    "result_is_a_list": [1, 2, 3],
    "result_is_null": None,
}


class NonconformingResult(Server):
    """Makes up its own protocol."""

    def misbehave(self, request: Message) -> None:
        """The wrong result asked for."""
        shape = request["params"].get("arguments", {}).get("shape", "content_is_text")
        self.reply(request, SHAPES[shape])


NonconformingResult().run()
