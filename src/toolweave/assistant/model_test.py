"""Test a model with one small request."""

import time

from toolweave.catalog.resources.model import ModelCaller, ModelQuestion, Said
from toolweave.json_record import JsonRecord

# Some models count reasoning tokens before the answer.
MAX_TOKENS = 400
DEADLINE_S = 60.0


class ModelTestResult(JsonRecord):
    """The result of a test request."""

    model: str
    provider: str
    text: str
    took_ms: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


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
        model=reply.model,
        provider=reply.provider,
        text=reply.message.text.strip()[:200],
        took_ms=round((time.perf_counter() - began) * 1000),
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
    )
