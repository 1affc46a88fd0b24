"""Model prices in US dollars per million tokens, as published by the providers.

A model that is not listed has no price.
"""

from toolweave.catalog.resources.model import TokenUsage

MILLION = 1_000_000
# By prefix of the model's name: input, cached input, output.
PRICES: dict[str, dict[str, tuple[float, float, float]]] = {
    "anthropic": {
        "claude-opus-4-5": (5.0, 0.5, 25.0),
        "claude-opus-4": (15.0, 1.5, 75.0),
        "claude-sonnet-4": (3.0, 0.3, 15.0),
        "claude-haiku-4-5": (1.0, 0.1, 5.0),
        "claude-3-5-haiku": (0.8, 0.08, 4.0),
    },
    "openai": {
        "gpt-5-nano": (0.05, 0.005, 0.4),
        "gpt-5-mini": (0.25, 0.025, 2.0),
        "gpt-5": (1.25, 0.125, 10.0),
        "gpt-4.1-nano": (0.1, 0.025, 0.4),
        "gpt-4.1-mini": (0.4, 0.1, 1.6),
        "gpt-4.1": (2.0, 0.5, 8.0),
        "gpt-4o-mini": (0.15, 0.075, 0.6),
        "gpt-4o": (2.5, 1.25, 10.0),
    },
    "gemini": {
        "gemini-2.5-pro": (1.25, 0.125, 10.0),
        "gemini-2.5-flash-lite": (0.1, 0.01, 0.4),
        "gemini-2.5-flash": (0.3, 0.03, 2.5),
    },
}


def cost_usd(provider: str, model: str, usage: TokenUsage) -> float | None:
    """Return the cost of an answer; `None` if the price is unknown."""
    # `gpt-5-mini-2025-08-07` is a `gpt-5-mini`, `gpt-5.1` is not a `gpt-5`.
    known = PRICES.get(provider, {})
    names = [name for name in known if model == name or model.startswith(f"{name}-")]
    if not names:
        return None
    fresh, cached, output = known[max(names, key=len)]
    paid = (usage.input_tokens - usage.cached_tokens) * fresh + usage.cached_tokens * cached
    return (paid + usage.output_tokens * output) / MILLION
