"""The probabilities of a text's next token, from llama.cpp's plain completions."""

from toolweave.assistant.provider import Request, Stream, StructuredOutput, Target
from toolweave.assistant.providers._chat import ChatCompletions
from toolweave.assistant.response_fields import Unreadable, read_count, read_list, read_part
from toolweave.catalog.resources.model import ModelQuestion, ModelReply, TokenUsage, ToolAnswer
from toolweave.json_text import Json, JsonObject

# Labels are rarely further down; what is missing counts as less likely than all of these.
LISTED_TOKENS = 3_000
_CHAT = ChatCompletions("local", "Local model", None, None, None, "max_tokens")


class NextToken:
    """The last message is the text; the reply's value has the logarithm for each token."""

    name = _CHAT.name
    title = _CHAT.title
    base_url: str | None = None
    model: str | None = None
    key_variable: str | None = None
    structured_output: StructuredOutput | None = "json_schema"

    def request(self, question: ModelQuestion, target: Target, *, streams: bool) -> Request:
        """Encode a request for one token."""
        del streams
        headers = _CHAT.request(question, target, streams=False).headers
        body: JsonObject = {
            "model": target.model,
            "prompt": question.messages[-1].text,
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": LISTED_TOKENS,
        }
        return Request(target.base_url.rstrip("/") + "/completions", headers, body)

    def stream(self) -> Stream:
        """Return an assembler for one streamed response."""
        return _CHAT.stream()

    def read(self, answer: JsonObject, question: ModelQuestion) -> ModelReply:
        """Decode a plain response."""
        del question
        choices = read_list(answer.get("choices"), "choices")
        logs = read_part(read_part(choices[0] if choices else None).get("logprobs"))
        places = read_list(logs.get("content"), "content")
        listed = read_list(read_part(places[0] if places else None).get("top_logprobs"), "tokens")
        value: dict[str, Json] = {
            str(read_part(one).get("token")): read_part(one).get("logprob") for one in listed
        }
        if not value:
            raise Unreadable("it has no probabilities")
        usage = read_part(answer.get("usage"))
        return ModelReply(
            message=ToolAnswer(),
            model=str(answer.get("model") or ""),
            provider=self.name,
            stopped="end",
            usage=TokenUsage(
                input_tokens=read_count(usage.get("prompt_tokens")),
                output_tokens=read_count(usage.get("completion_tokens")),
            ),
            value=value,
        )


NEXT_TOKEN = NextToken()
