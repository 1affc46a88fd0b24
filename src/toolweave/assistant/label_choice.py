"""Labels of a text by a small model: how likely each is to follow the text.

A small model that writes JSON names the label it saw last. Asked how a sentence about the text goes
on, it is better; what each label has without a text is taken off, so that common words do not win.
"""

import math
from collections.abc import Awaitable, Callable, Collection, Sequence

from toolweave.json_text import JsonObject

# The logarithms of the probabilities of the tokens that may follow a text.
NextTokens = Callable[[str], Awaitable[dict[str, float]]]
_SENTENCES = (
    "Text: {text}\nThis text is about",
    "Text: {text}\nCategory:",
    '"{text}"\nThis is an example of',
)
_NO_TEXT = "N/A"
MAX_TEXT_CHARS = 4_000
# Shorter ones, such as ` a`, begin many words.
MIN_TOKEN_CHARS = 3
REASON = "Chosen by how likely the model is to go on from the text with each label."


async def chosen_label(text: str, labels: Sequence[str], next_tokens: NextTokens) -> JsonObject:
    """Return the most likely label, its share of the probability, and how it was found."""
    shown = " ".join(text.split())[:MAX_TEXT_CHARS]
    gained = [0.0] * len(labels)
    for sentence in _SENTENCES:
        with_text = await _scores(sentence.format(text=shown), labels, next_tokens)
        without = await _scores(sentence.format(text=_NO_TEXT), labels, next_tokens)
        for at, (one, usual) in enumerate(zip(with_text, without, strict=True)):
            gained[at] += (one - usual) / len(_SENTENCES)
    best = max(range(len(labels)), key=gained.__getitem__)
    total = sum(math.exp(one - gained[best]) for one in gained)
    return {"label": labels[best], "confidence": round(1 / total, 3), "reason": REASON}


async def _scores(prompt: str, labels: Sequence[str], next_tokens: NextTokens) -> list[float]:
    """Return how likely each label follows a prompt, as far as that tells them apart."""
    return await _continued(prompt, [f" {label.lower()}" for label in labels], next_tokens)


async def _continued(prompt: str, texts: Sequence[str], next_tokens: NextTokens) -> list[float]:
    known = await next_tokens(prompt)
    least = min(known.values()) - 1
    firsts = [_first_token(text, known) for text in texts]
    scores = [known.get(first, least) for first in firsts]
    for first in {one for one in firsts if one and firsts.count(one) > 1}:
        places = [at for at, one in enumerate(firsts) if one == first]
        rests = [texts[at].removeprefix(first) for at in places]
        if all(rests):
            more = await _continued(prompt + first, rests, next_tokens)
            for at, score in zip(places, more, strict=True):
                scores[at] += score
    return scores


def _first_token(text: str, known: Collection[str]) -> str:
    """Return the token that a text begins with; nothing if only a letter of it is known."""
    found = [one for one in known if one.strip() and text.startswith(one)]
    longest = max(found, key=len, default="")
    return longest if len(longest) >= MIN_TOKEN_CHARS or longest == text else ""
