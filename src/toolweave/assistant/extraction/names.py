"""Names of people and places in a request."""

from collections.abc import Collection, Sequence

from toolweave.assistant.extraction.tokens import RequestToken


def is_address(words: Sequence[RequestToken]) -> bool:
    """Whether words are `Naples, Florida`."""
    return (
        all(
            (one.is_capitalized or one.text[0].isdigit()) and one.after in {"", ","}
            for one in words[:-1]
        )
        and words[-1].is_capitalized
    )


def is_name_part(
    tokens: Sequence[RequestToken],
    verbs: Collection[int],
    begin: int,
    end: int,
    *,
    is_first: bool,
) -> bool:
    """Whether words are the first word, or the others, of a name of several."""
    before = tokens[begin - 1] if begin else None
    follows = before is not None and not before.after and before.is_capitalized
    follows = follows and begin - 1 not in verbs
    if is_first:
        return not follows and end - begin == 1
    goes_on = end < len(tokens) and not tokens[end - 1].after and tokens[end].is_capitalized
    return follows and not goes_on
