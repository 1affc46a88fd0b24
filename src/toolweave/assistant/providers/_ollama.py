"""Ollama's own chat API, for its `format`: the JSON Schema of the answer."""

from toolweave.assistant.provider import Request, Stopped, Stream, StructuredOutput, Target
from toolweave.assistant.providers._chat import ChatCompletions
from toolweave.assistant.response_fields import Unreadable, read_count, read_part, read_text
from toolweave.catalog.resources.model import ModelQuestion, ModelReply, TokenUsage, ToolAnswer
from toolweave.json_text import Json, JsonObject

_STOPPED: dict[str, Stopped] = {"stop": "end", "length": "length"}
_CHAT = ChatCompletions("compatible", "OpenAI-compatible", None, None, None, "num_predict")


class OllamaChat:
    """The same models under Ollama's own address; answers are not streamed."""

    name = _CHAT.name
    title = "Ollama"
    base_url: str | None = None
    model: str | None = None
    key_variable: str | None = None
    structured_output: StructuredOutput | None = "format"

    def request(self, question: ModelQuestion, target: Target, *, streams: bool) -> Request:
        """Encode a request without tools for this provider."""
        del streams
        plain = question.model_copy(update={"tools": (), "shape": None, "extra": {}})
        chat = _CHAT.request(plain, target, streams=False)
        options: dict[str, Json] = {
            name: chat.body[name]
            for name in ("num_predict", "temperature", "top_p")
            if name in chat.body
        }
        body: JsonObject = {
            "model": target.model,
            "messages": chat.body["messages"],
            "stream": False,
            "options": options,
        }
        if question.shape is not None:
            body["format"] = question.shape
        url = target.base_url.rstrip("/").removesuffix("/v1") + "/api/chat"
        return Request(url, chat.headers, body)

    def stream(self) -> Stream:
        """Return an assembler for one streamed response."""
        return _CHAT.stream()

    def read(self, answer: JsonObject, question: ModelQuestion) -> ModelReply:
        """Decode a plain response."""
        del question
        message = answer.get("message")
        if not isinstance(message, dict):
            raise Unreadable("it has no message")
        return ModelReply(
            message=ToolAnswer(text=read_text(read_part(message).get("content"), "content")),
            model=read_text(answer.get("model"), "model"),
            provider=self.name,
            stopped=_STOPPED.get(read_text(answer.get("done_reason"), "done_reason"), "other"),
            usage=TokenUsage(
                input_tokens=read_count(answer.get("prompt_eval_count")),
                output_tokens=read_count(answer.get("eval_count")),
            ),
        )


OLLAMA = OllamaChat()
