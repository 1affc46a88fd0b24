"""The words of a request, with its quoted passages as one word each."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from toolweave.assistant.extraction.english import irregular_forms, words
from toolweave.patterns import pattern

# A quoted passage; a single quote only where it cannot be an apostrophe.
_QUOTED = pattern(
    r'"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|`([^`]+)`'
    r"|(?<!\w)'((?:[^']|'(?=\w))+)'(?!\w)|(?<!\w)\u2018((?:[^\u2019]|\u2019(?=\w))+)\u2019(?!\w)"
)
_PIECE = pattern(r"\S+")
_ARROW = pattern(r"[-=\u2013\u2014]*[>\u2192\u21d2]|[-\u2013\u2014]+")
_PART = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LETTERS = pattern(r"\w+")
_WORD = pattern(r"[^\W_]+")
_OPENING, _CLOSING = "([{<\"'“\u2018„«", ")]}>\"'”\u2019»,;:.!?…"
_ENDS = frozenset(".!?…")
_TITLES = words("titles")
STOP_WORDS = words("stop")
_IRREGULAR = irregular_forms()
_SUFFIXES = ("ings", "ing", "ies", "ied", "es", "ed", "ly", "s", "e", "y")
MIN_STEM = 3
# Words that share their first letters are forms of one: `standardize`, `standardization`.
MIN_PREFIX = 4


@dataclass(frozen=True, slots=True)
class RequestToken:
    """A word, or a quoted passage, at its place in the request."""

    text: str
    start: int
    end: int
    is_quoted: bool = False
    # Punctuation that follows it, such as a comma.
    after: str = ""
    starts_sentence: bool = False

    @property
    def word(self) -> str:
        """The word in lower case; empty for a quoted passage."""
        return "" if self.is_quoted else self.text.lower().replace("\u2019", "'")

    @property
    def is_capitalized(self) -> bool:
        """Whether it may be (part of) a name."""
        return not self.is_quoted and self.text[:1].isupper()

    @property
    def ends_sentence(self) -> bool:
        """Whether a sentence ends after it."""
        return bool(set(self.after) & _ENDS)


def tokens_of(request: str) -> list[RequestToken]:
    """Return the words of a request in their order."""
    found: list[RequestToken] = []
    at = 0
    for match in _QUOTED.finditer(request):
        found += _plain(request, at, match.start())
        text = next(group for group in match.groups() if group is not None)
        found.append(RequestToken(text, match.start(), match.end(), is_quoted=True))
        at = match.end()
    found += _plain(request, at, len(request))
    return list(_placed(_joined(found)))


def _plain(request: str, start: int, end: int) -> list[RequestToken]:
    found: list[RequestToken] = []
    for match in _PIECE.finditer(request, start, end):
        piece = match[0]
        if _ARROW.fullmatch(piece):
            is_arrow = len(piece) > 1 or piece in "\u2192\u21d2"
            text, after = ("to", "") if is_arrow else ("", piece)
            found.append(RequestToken(text, match.start(), match.end(), after=after))
            continue
        text = piece.lstrip(_OPENING)
        begin = match.start() + len(piece) - len(text)
        bare = text.rstrip(_CLOSING)
        after = text[len(bare) :]
        if after.startswith(".") and (bare.lower() in _TITLES or _is_initial(bare)):
            bare, after = f"{bare}.", after[1:]
        if "'s" in bare[-2:] or "\u2019s" in bare[-2:]:
            bare, after = bare[:-2], after or "'s"
        found.append(RequestToken(bare, begin, begin + len(bare), after=after))
    return found


def _is_initial(text: str) -> bool:
    return len(text) == 1 and text.isupper() and text != "I"


def _joined(tokens: Iterable[RequestToken]) -> list[RequestToken]:
    """Move punctuation that stands alone, as after a quote, to the word before it."""
    found: list[RequestToken] = []
    for token in tokens:
        if token.text:
            found.append(token)
        elif found:
            last = found[-1]
            found[-1] = replace(last, after=last.after + token.after)
    return found


def _placed(tokens: list[RequestToken]) -> Iterable[RequestToken]:
    is_start = True
    for token in tokens:
        yield replace(token, starts_sentence=is_start)
        is_start = token.ends_sentence


def stem(word: str) -> str:
    """Return a word without its ending, so that forms of one word are equal."""
    lower = _IRREGULAR.get(word.lower(), word.lower())
    for suffix in _SUFFIXES:
        if lower.endswith(suffix) and len(lower) - len(suffix) >= MIN_STEM:
            lower = lower.removesuffix(suffix)
            break
    return lower[:-1] if len(lower) > MIN_STEM and lower[-1:] == lower[-2:-1] else lower


def stems_of(text: str) -> set[str]:
    """Return the stems of the words of a text that say something."""
    found = (match[0].lower() for match in _WORD.finditer(text))
    return {stem(word) for word in found if word not in STOP_WORDS and not word.isdigit()}


def quoted_in(text: str) -> list[str]:
    """Return the quoted passages of a text."""
    return [token.text for token in tokens_of(text) if token.is_quoted]


def without_quotes(text: str) -> str:
    """Return a text without its quoted passages, such as examples."""
    return _QUOTED.sub(" ", text)


def is_among(word: str, stems: Collection[str]) -> bool:
    """Whether a word, or a longer or shorter form of it, is among stems."""
    own = stem(word)
    if own in stems:
        return True
    return len(own) >= MIN_PREFIX and any(
        len(one) >= MIN_PREFIX and (own.startswith(one) or one.startswith(own)) for one in stems
    )


def outline_of(text: str) -> str:
    """Return how a word is put together: `w/w` of `owner/name`."""
    return _LETTERS.sub("w", text)


def name_parts(name: str) -> list[str]:
    """Return the words of an identifier: `stepDelay_s` is `step`, `delay`, `s`."""
    return [match[0].lower() for match in _PART.finditer(name)]
