"""Mask secrets in output, logs, history and exports.

Known secret values are found anywhere, in plain text and in common encodings;
values with a sensitive name (`API_KEY`, `Authorization: `, `?token=`) are always masked.
"""

import base64
import json
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from html import escape
from urllib.parse import quote, quote_plus

from toolweave.json_text import Json
from toolweave.patterns import pattern

MASK = "***"
# Shorter values would match by chance inside words.
LEAST_CHARACTERS = 6
_LEAST_LINE = 16

_WORD = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TELLING = pattern(
    r"(?:(?:access|api|auth|private|secret)key|authorization|cookies?|credentials?|jwt"
    r"|pass(?:code|phrase|wd|words?)|secrets?|token)$"
)
# What makes a `key` or a `token` an ordinary word: `primary_key`, `pageToken`, `token_count`.
_PLAIN_BEFORE = pattern(
    r"cache|continuation|foreign|idempotency|next|object|page|partition|previous|primary|progress"
    r"|public|row|sort|sync"
)
_PLAIN_AFTER = pattern(
    r"budget|count|endpoint|expires|expiry|length|limit|names?|type|uri|url|usage"
)
_TELLING_IN_QUERIES = frozenset({"code", "key", "sig", "signature"})

# `name=value`, `name: value`, `"name": "value"`; hostile text is read in linear time, because a
# name is bounded and a match is never scanned again.
_NAMED = pattern(
    r"(?<![A-Za-z0-9_.])(?<![A-Za-z0-9_]-)([A-Za-z_][A-Za-z0-9_.-]{0,63})"
    r"\\?[\"']?[ \t]{0,4}[=:][ \t]{0,4}"
)
# In escaped quotes, in quotes of either kind, or up to the next separator.
_VALUE = pattern(
    r"(?:(?i:basic|bearer|token)[ ]{1,4})?(?:"
    r"(\\\")[^\"\\\n]*(?:\\[^\"][^\"\\\n]*)*(?:\\\")?"
    r"|(\")[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"?"
    r"|(')[^'\\\n]*(?:\\.[^'\\\n]*)*'?"
    r"|[^\s\"'&,;)}\]]+)"
)
_OPTION = pattern(r"--?([A-Za-z][A-Za-z0-9_.-]{0,63})")
_ARGUMENT = pattern(r"-{0,2}([A-Za-z_][A-Za-z0-9_.-]{0,63})(?:=|:\s{0,4})(?=.)(?!//)")
_HEADER = pattern(
    r"(\b(?i:(?:proxy-)?authorization|(?:set-)?cookie)[ ]{0,4}:[ ]{0,4})"
    r"[^\s\"'][^\r\n\"']*"
)
_USERINFO = pattern(r"(?<=://)[^\s/?#\"'<>]+@")
_ESCAPE = pattern(r"%[0-9A-F]{2}")


class Masker:
    """Masks known secret values and the values of sensitive fields."""

    def __init__(self, secrets: Iterable[str] = (), *, names: Iterable[str] = ()) -> None:
        self._names = frozenset(name.casefold() for name in names)
        self._known: frozenset[str] = frozenset()
        self._forms: tuple[str, ...] = ()
        if secrets:
            self.learn(secrets)

    def __repr__(self) -> str:
        return f"Masker({len(self._known)} secrets)"

    def learn(self, secrets: Iterable[str]) -> None:
        """Mask these values too, wherever they appear."""
        secrets = list(secrets)
        in_use = _IN_USE.get()
        if in_use is not None and in_use is not self:
            in_use.learn(secrets)
        new = {value for value in secrets if value.strip("*")} - self._known
        if not new:
            return
        self._known |= new
        forms = {form for value in self._known for form in _forms(value)}
        # Longest first: a secret may be part of another.
        self._forms = tuple(sorted(forms, key=lambda form: (-len(form), form)))

    @property
    def knows_any(self) -> bool:
        """Whether it knows any secret."""
        return bool(self._forms)

    def is_sensitive(self, name: str) -> bool:
        """Whether values of this name are masked: by the name itself, or because it was marked."""
        return is_sensitive(name) or name.casefold() in self._names

    def mask_text(self, text: str) -> str:
        """Mask known secrets, URL credentials, and values after sensitive names in `text`."""
        text = self.hide_text(text)
        text = _USERINFO.sub(f"{MASK}@", text)
        text = _HEADER.sub(rf"\1{MASK}", text)
        return self._mask_named(text)

    def hide(self, value: Json) -> Json:
        """Replace known secrets in `value` and nothing else: results are data that runs use."""
        if not self._forms:
            return value
        match value:
            case str():
                return self.hide_text(value)
            case list():
                return [self.hide(item) for item in value]
            case dict():
                return {self.hide_text(key): self.hide(item) for key, item in value.items()}
            case bool() | None:
                return value
            case int() | float():
                return MASK if str(value) in self._known else value

    def hide_text(self, text: str) -> str:
        """Replace known secrets in `text`."""
        # Measured: for up to hundreds of secrets this is as fast as one compiled pattern.
        for form in self._forms:
            if form in text:
                text = text.replace(form, MASK)
        return text

    def longest_beginning(self, text: str) -> int:
        """Return how many characters at the end of `text` may be the beginning of a secret."""
        found = 0
        for form in self._forms:
            for size in range(min(len(form) - 1, len(text)), found, -1):
                if text.endswith(form[:size]):
                    found = size
                    break
        return found

    def hide_bytes(self, data: bytes) -> bytes:
        """Replace known secrets in `data`."""
        for form in self._forms:
            data = data.replace(form.encode("utf-8", "surrogatepass"), MASK.encode())
        return data

    def mask_json(self, value: Json) -> Json:
        """Mask secrets in every string, key and sensitive field of `value`."""
        match value:
            case str():
                return self.mask_text(value)
            case list():
                return [self.mask_json(item) for item in value]
            case dict():
                return {
                    self.mask_text(key): (
                        self._hide(item) if self.is_sensitive(key) else self.mask_json(item)
                    )
                    for key, item in value.items()
                }
            case bool() | None:
                return value
            case int() | float():
                return MASK if str(value) in self._known else value

    def mask_argv(self, argv: Sequence[str]) -> list[str]:
        """Mask secrets in a command line: `--token X`, `--token=X`, `-e API_KEY=X`."""
        shown: list[str] = []
        hide_next = False
        for argument in argv:
            if hide_next and not argument.startswith("--"):
                shown.append(MASK)
                hide_next = False
                continue
            option = _OPTION.fullmatch(argument)
            hide_next = option is not None and self.is_sensitive(option[1])
            named = _ARGUMENT.match(argument)
            if named and self.is_sensitive(named[1]):
                shown.append(named[0] + MASK)
            else:
                shown.append(self.mask_text(argument))
        return shown

    def _hide(self, value: Json) -> Json:
        match value:
            case dict():
                return {self.mask_text(key): self._hide(item) for key, item in value.items()}
            case list():
                return [self._hide(item) for item in value]
            case None | bool() | "":
                return value
            case _:
                return MASK

    def _mask_named(self, text: str) -> str:
        """Mask the value after a sensitive name; other values are searched like the rest."""
        pieces: list[str] = []
        done = 0
        for named in _NAMED.finditer(text):
            if named.start() < done or not self._tells(named):
                continue
            value = _VALUE.match(text, named.end())
            if value:
                quotes = value[1] or value[2] or value[3] or ""
                pieces += (text[done : named.end()], quotes, MASK, quotes)
                done = value.end()
        return "".join(pieces) + text[done:] if pieces else text

    def _tells(self, named: re.Match[str]) -> bool:
        before = named.string[max(named.start() - 1, 0) : named.start()]
        in_query = before in {"?", "&"} and named[1].lower() in _TELLING_IN_QUERIES
        return in_query or self.is_sensitive(named[1])


class MaskedStream:
    """Hides secrets in a text that arrives in pieces, wherever it is cut."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._held = ""

    def masked(self, piece: str) -> str:
        """Return what may be shown now; what may be the beginning of a secret is held back."""
        text = self._masker.hide_text(self._held + piece)
        keep = self._masker.longest_beginning(text)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def rest(self) -> str:
        """Return what was held back, at the end of the text."""
        held, self._held = self._held, ""
        return held


# The secrets that the current step or connection uses.
_IN_USE: ContextVar[Masker | None] = ContextVar("secrets_in_use", default=None)


@contextmanager
def secrets_in_use() -> Generator[Masker]:
    """Collect what any masker learns in this task and its child tasks.

    A server or service may repeat what it was given: results are cleaned with exactly these.
    """
    used = Masker()
    token = _IN_USE.set(used)
    try:
        yield used
    finally:
        _IN_USE.reset(token)


def hide_in_use(text: str) -> str:
    """Replace the secrets of `secrets_in_use` in `text`."""
    used = _IN_USE.get()
    return text if used is None else used.hide_text(text)


def hide_json_in_use(value: Json) -> Json:
    """Replace the secrets of `secrets_in_use` in `value`."""
    used = _IN_USE.get()
    return value if used is None else used.hide(value)


@lru_cache(maxsize=4096)
def is_sensitive(name: str) -> bool:
    """Whether a variable, header or field of this name probably contains a secret."""
    words = [word.lower() for word in _WORD.findall(name)]
    if not words or _PLAIN_AFTER.fullmatch(words[-1]):
        return False
    for before, word in zip(["", *words], words, strict=False):
        if _TELLING.search(word) and not _PLAIN_BEFORE.fullmatch(before):
            return True
    # A lone `key` is mostly a map key, and `PWD` is the working directory.
    is_named = len(words) > 1 and not _PLAIN_BEFORE.fullmatch(words[-2])
    return is_named and words[-1] in {"key", "pwd"}


def _forms(secret: str) -> Iterator[str]:
    """Return the encodings of a secret: plain, JSON, HTML, URL, hex, base64, line by line."""
    written = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    written |= {escape(secret), escape(secret, quote=False)}
    data = secret.encode("utf-8", "surrogatepass")
    written |= {data.hex(), data.hex().upper()}
    for escaped in (quote(data, safe=""), quote(data), quote_plus(data)):
        written |= {escaped, _ESCAPE.sub(lambda code: code[0].lower(), escaped)}
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        written.add(encode(data).decode().rstrip("="))
        written |= {_inside_base64(encode(b"\0" * shift + data), shift, data) for shift in range(3)}
    yield from (form for form in written if len(form) >= LEAST_CHARACTERS)
    lines = secret.splitlines()
    if len(lines) > 1:
        yield from (line for line in lines if len(line) >= _LEAST_LINE)


def _inside_base64(encoded: bytes, shift: int, data: bytes) -> str:
    """Return the part of the base64 that does not depend on the text around `data`."""
    first = -(-shift * 8 // 6)
    return encoded[first : (shift + len(data)) * 8 // 6].decode()
