"""Test a model with one small request."""

import time
from dataclasses import dataclass

from toolweave.catalog.resources.model import ModelCaller, ModelQuestion, Said
from toolweave.json_text import JsonObject

# Some models count reasoning tokens before the answer.
MAX_TOKENS = 400
DEADLINE_S = 60.0


@dataclass(frozen=True, slots=True)
class ModelTestResult:
    """The result of a test."""

    model: str
    provider: str
    text: str
    took_ms: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None

    def as_json(self) -> JsonObject:
        """Return the result as JSON."""
        return {
            "model": self.model,
            "provider": self.provider,
            "text": self.text,
            "tookMs": self.took_ms,
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
            "costUsd": self.cost_usd,
        }


async def check_model(caller: ModelCaller, name: str | None) -> ModelTestResult:
    """Request one word. Raises `ToolweaveError`: the model request failed."""
    question = ModelQuestion(
        messages=(Said(text="Answer with the one word: ready"),),
        provider=name,
        max_tokens=MAX_TOKENS,
        deadline_s=DEADLINE_S,
    )
    began = time.perf_counter()
    reply = await caller.ask(question)
    usage = reply.usage
    return ModelTestResult(
        reply.model,
        reply.provider,
        reply.message.text.strip()[:200],
        round((time.perf_counter() - began) * 1000),
        usage.input_tokens,
        usage.output_tokens,
        usage.cost_usd,
    )
