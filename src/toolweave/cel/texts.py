"""CEL's functions on texts; whatever they would build is paid for before it is built."""

import base64 as b64
import binascii
from collections.abc import Callable

from toolweave import json_text
from toolweave.cel.operators import MEMBER_SIZE
from toolweave.cel.values import (
    BuiltList,
    Cel,
    Evaluation,
    Failed,
    is_among,
    is_list,
    mismatch,
)
from toolweave.errors import Invalid
from toolweave.re2_patterns import compile_re2

MAX_PATTERN_CHARS = 1_000
MAX_REASON_CHARS = 80
# White space by Unicode, which is a little less than Python's: no separators of files and records.
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_UPPER = {lower: lower - 32 for lower in range(ord("a"), ord("z") + 1)}


def contains(run: Evaluation, text: Cel, part: Cel) -> bool:
    """`text.contains(part)`; as an extension, also whether a list contains an item."""
    if is_list(text):
        return is_among(run, part, text)
    _paid(run, "contains()", text, part)
    return part in text


def starts_with(run: Evaluation, text: Cel, part: Cel) -> bool:
    """`text.startsWith(part)`."""
    _paid(run, "startsWith()", text, part)
    return text.startswith(part)


def ends_with(run: Evaluation, text: Cel, part: Cel) -> bool:
    """`text.endsWith(part)`."""
    _paid(run, "endsWith()", text, part)
    return text.endswith(part)


def matches(run: Evaluation, text: Cel, pattern: Cel) -> bool:
    """`text.matches(pattern)`: whether RE2 finds the pattern anywhere."""
    _paid(run, "matches()", text, pattern)
    if len(pattern) > MAX_PATTERN_CHARS:
        raise Failed(f"a pattern has at most {MAX_PATTERN_CHARS} characters")
    compiled = compile_re2(pattern)
    if isinstance(compiled, str):
        raise Failed(f"the pattern cannot be used: {compiled[:MAX_REASON_CHARS]}")
    # The worst patterns found take 10 ns for each character and each instruction.
    run.spend(len(text) * compiled.programsize >> 4)
    try:
        return compiled.search(text) is not None
    except UnicodeEncodeError:
        raise Failed("the text is no valid Unicode") from None


def char_at(run: Evaluation, text: Cel, place: Cel) -> str:
    """`text.charAt(place)`; empty right behind the last."""
    return substring(run, text, place, place + 1 if place < len(text) else place)


def substring(run: Evaluation, text: Cel, start: Cel, end: Cel = None) -> str:
    """`text.substring(start, end)`."""
    end = len(text) if end is None else end
    if not 0 <= start <= end <= len(text):
        raise Failed(f"the text has no characters {start} to {end}; it has {len(text)}")
    run.grow(end - start)
    return text[start:end]


def index_of(run: Evaluation, text: Cel, part: Cel, start: Cel = 0) -> int:
    """`text.indexOf(part, start)`; -1 when it is nowhere."""
    _paid(run, "indexOf()", text, part)
    if not 0 <= start <= len(text):
        raise Failed(f"the text has no character {start}; it has {len(text)}")
    return text.find(part, start)


def last_index_of(run: Evaluation, text: Cel, part: Cel, start: Cel = None) -> int:
    """`text.lastIndexOf(part, start)`, of those that begin at `start` or before."""
    _paid(run, "lastIndexOf()", text, part)
    start = len(text) if start is None else start
    if not 0 <= start <= len(text):
        raise Failed(f"the text has no character {start}; it has {len(text)}")
    return text.rfind(part, 0, start + len(part))


def lower(run: Evaluation, text: Cel) -> str:
    """`text.lowerAscii()`."""
    run.grow(len(text))
    return text.translate(_LOWER)


def upper(run: Evaluation, text: Cel) -> str:
    """`text.upperAscii()`."""
    run.grow(len(text))
    return text.translate(_UPPER)


def trim(run: Evaluation, text: Cel) -> str:
    """`text.trim()`."""
    run.grow(len(text))
    return text.strip(_SPACE)


def reverse(run: Evaluation, text: Cel) -> str:
    """`text.reverse()`."""
    run.grow(len(text))
    return text[::-1]


def replace(run: Evaluation, text: Cel, old: Cel, new: Cel, most: Cel = -1) -> str:
    """`text.replace(old, new, most)`."""
    _paid(run, "replace()", text, old, new)
    found = text.count(old)
    times = found if most < 0 else min(found, most)
    run.grow(len(text) + times * (len(new) - len(old)))
    return text.replace(old, new, times)


def split(run: Evaluation, text: Cel, separator: Cel, most: Cel = -1) -> BuiltList:
    """`text.split(separator, most)`, into characters where the separator is empty."""
    _paid(run, "split()", text, separator)
    if most == 0:
        return BuiltList()
    if separator:
        pieces = text.count(separator) + 1
        run.grow(len(text) + pieces * MEMBER_SIZE)
        return BuiltList(text.split(separator, most - 1 if most > 0 else -1))
    run.grow(len(text) * (MEMBER_SIZE + 1))
    if 0 < most < len(text):
        return BuiltList([*text[: most - 1], text[most - 1 :]])
    return BuiltList(text or [""])


def join(run: Evaluation, pieces: Cel, separator: Cel = "") -> str:
    """`pieces.join(separator)`."""
    if not is_list(pieces) or not isinstance(separator, str):
        raise mismatch("join()", pieces, separator)
    run.spend(len(pieces))
    wrong = [piece for piece in pieces if not isinstance(piece, str)]
    if wrong:
        raise mismatch("join()", wrong[0])
    run.grow(sum(map(len, pieces)) + len(separator) * len(pieces))
    return separator.join(pieces)


def encode(run: Evaluation, data: Cel) -> str:
    """`base64.encode(data)`."""
    run.grow(len(data) * 2)
    return b64.b64encode(data).decode()


def decode(run: Evaluation, text: Cel) -> bytes:
    """`base64.decode(text)`, with or without the padding."""
    run.grow(len(text))
    try:
        return b64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise Failed("the text is no base64") from None


def parse_json(run: Evaluation, text: Cel) -> Cel:
    """`text.parseJson()`: the value that a JSON text stands for."""
    run.grow(len(text))
    run.spend(len(text) >> 4)
    try:
        return json_text.read(text)
    except Invalid as error:
        raise Failed(f"the text is {error.message}") from None


def _paid(run: Evaluation, name: str, *texts: Cel) -> None:
    if not all(isinstance(text, str) for text in texts):
        raise mismatch(name, *texts)
    run.spend(sum(map(len, texts)) >> 6)


def typed(function: Callable[..., Cel], name: str, *kinds: type) -> Callable[..., Cel]:
    """The function for arguments of these kinds; bool is no int here."""

    def checked(run: Evaluation, *arguments: Cel) -> Cel:
        if any(type(one) is not kind for one, kind in zip(arguments, kinds, strict=False)):
            raise mismatch(name, *arguments)
        return function(run, *arguments)

    return checked


TEXT_FUNCTIONS: dict[str, tuple[tuple[int, ...], Callable[..., Cel]]] = {
    "contains": ((2,), contains),
    "startsWith": ((2,), starts_with),
    "endsWith": ((2,), ends_with),
    "matches": ((2,), matches),
    "charAt": ((2,), typed(char_at, "charAt()", str, int)),
    "substring": ((2, 3), typed(substring, "substring()", str, int, int)),
    "indexOf": ((2, 3), typed(index_of, "indexOf()", str, str, int)),
    "lastIndexOf": ((2, 3), typed(last_index_of, "lastIndexOf()", str, str, int)),
    "lowerAscii": ((1,), typed(lower, "lowerAscii()", str)),
    "upperAscii": ((1,), typed(upper, "upperAscii()", str)),
    "trim": ((1,), typed(trim, "trim()", str)),
    "reverse": ((1,), typed(reverse, "reverse()", str)),
    "replace": ((3, 4), typed(replace, "replace()", str, str, str, int)),
    "split": ((2, 3), typed(split, "split()", str, str, int)),
    "join": ((1, 2), join),
    "parseJson": ((1,), typed(parse_json, "parseJson()", str)),
    "base64.encode": ((1,), typed(encode, "base64.encode()", bytes)),
    "base64.decode": ((1,), typed(decode, "base64.decode()", str)),
}
