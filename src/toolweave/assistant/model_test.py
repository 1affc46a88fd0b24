"""One small question, to see whether a model answers at all."""

import time
from dataclasses import dataclass

from toolweave.json_text import JsonObject
from toolweave.nodes.model import ModelCaller, ModelQuestion, Said

# Some models think before they answer, and count that.
MAX_TOKENS = 400
DEADLINE_S = 60.0


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it."""

    model: str
    provider: str
    text: str
    took_ms: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None

    def as_json(self) -> JsonObject:
        """As every door shows it."""
        return {
            "model": self.model,
            "provider": self.provider,
            "text": self.text,
            "tookMs": self.took_ms,
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
            "costUsd": self.cost_usd,
        }


async def try_model(caller: ModelCaller, name: str | None) -> Trial:
    """Ask for one word.

    Raises:
        ToolweaveError: whatever asking raises.
    """
    question = ModelQuestion(
        messages=(Said(text="Answer with the one word: ready"),),
        provider=name,
        max_tokens=MAX_TOKENS,
        deadline_s=DEADLINE_S,
    )
    began = time.perf_counter()
    reply = await caller.ask(question)
    usage = reply.usage
    return Trial(
        reply.model,
        reply.provider,
        reply.message.text.strip()[:200],
        round((time.perf_counter() - began) * 1000),
        usage.input_tokens,
        usage.output_tokens,
        usage.cost_usd,
    )
