"""What a reply means, by its words alone: yes, no or neither, in many languages and signs.

Conservative: a reply that says both, or that addresses the reader instead of
answering, means neither.
"""

import re
import unicodedata
from importlib.resources import files
from typing import Literal, TypeAlias, cast

from toolweave import json_text
from toolweave.patterns import pattern

Meaning: TypeAlias = Literal["confirmed", "rejected", "unrelated"]

# A decision comes early in a reply; what follows are reasons.
EARLY = 4
SHORT = 8
MAX_CHARS = 20_000

_WORDS = cast(
    "dict[str, list[str]]",
    json_text.read(files("toolweave.nodes.human").joinpath("words.json").read_bytes()),
)
_YES, _NO = frozenset(_WORDS["yes"]), frozenset(_WORDS["no"])
_PHRASES: dict[str, Meaning] = {
    "no problem": "confirmed",
    "no objection": "confirmed",
    "no objections": "confirmed",
    "no concerns": "confirmed",
    "no worries": "confirmed",
    "why not": "confirmed",
    "go ahead": "confirmed",
    "ship it": "confirmed",
    "kein problem": "confirmed",
    "pas de problème": "confirmed",
    "d accord": "confirmed",
    "de acuerdo": "confirmed",
    "va bene": "confirmed",
    "kein ok": "rejected",
    "no way": "rejected",
    "no go": "rejected",
    "hold off": "rejected",
    "auf keinen fall": "rejected",
    "pas d accord": "rejected",
    "no good": "rejected",
    "absolutely not": "rejected",
    "definitely not": "rejected",
    "certainly not": "rejected",
    "of course not": "rejected",
}
_NEGATIONS = frozenset(_WORDS["not"])
# Who agrees on a condition has not agreed yet.
_CONDITIONS = frozenset({"if", "unless", "but", "once", "after", "wenn", "aber", "sobald", "mais"})
_YES_SIGNS = frozenset("👍✅✔☑🆗👌💯🙆🟢⬆")
_NO_SIGNS = frozenset("👎❌✖✗✘🚫⛔🙅🛑🔴⬇")
# Names that services give to reactions.
_SIGN_NAMES = {
    **dict.fromkeys(("+1", "thumbsup", "white_check_mark", "heavy_check_mark", "ok_hand"), "👍"),
    **dict.fromkeys(("-1", "thumbsdown", "x", "no_entry", "no_entry_sign", "octagonal_sign"), "👎"),
}
# Texts that speak to the reader of replies, not to the one who asked.
_INSTRUCTIONS = pattern(
    r"\b(ignore|disregard|forget|override)\b.{0,40}\b(instruction|prompt|rule|previous|above|system)"
    r"|\b(system|developer)\s+(prompt|message)\b"
    r"|\b(classify|classification|respond|reply|answer|output|return)\b.{0,30}"
    r"\b(confirmed|rejected|unrelated)\b"
    r"|\byou are (now|an? (ai|assistant|language model))\b"
    r"|\bapprove (everything|all (requests|questions))\b",
    re.IGNORECASE | re.DOTALL,
)
_QUOTED = pattern(
    r"^(>.*|On .{0,200}wrote:|Am .{0,200}schrieb.{0,100}:|Le .{0,200}a écrit\s?:"
    r"|-{2,}\s*Original Message\s*-{2,}|_{10,}|From: .*|Von: .*)$",
    re.IGNORECASE,
)


def plain_reply(text: str) -> str:
    """A reply without what it quotes and without mentions."""
    kept: list[str] = []
    for line in text[:MAX_CHARS].splitlines():
        stripped = line.strip()
        if _QUOTED.match(stripped):
            if stripped.startswith(">"):
                continue
            break  # what stands below is the mail that is answered
        if stripped == "--":
            break
        kept.append(stripped)
    return re.sub(r"<@[!&]?\w+>|(?<!\w)@[\w.]+", " ", "\n".join(kept)).strip()


def gives_instructions(text: str) -> bool:
    """Whether a text tries to tell its reader what to do instead of answering."""
    return _INSTRUCTIONS.search(text) is not None


def meaning_of(text: str) -> Meaning:
    """What a reply means by its words."""
    reply = plain_reply(text)
    if not reply or gives_instructions(reply):
        return "unrelated"
    signs = _signs(reply)
    words = _words(reply)
    if not words:
        return signs or "unrelated"
    asks_back = reply.endswith(("?", "\uff1f")) and words[0] not in _YES | _NO
    said = "unrelated" if asks_back else _said(words)
    if signs and said != "unrelated" and signs != said:
        return "unrelated"
    return said if said != "unrelated" else (signs or "unrelated")


def _signs(text: str) -> Meaning | None:
    named = "".join(_SIGN_NAMES.get(name, "") for name in re.findall(r":([\w+-]+):", text))
    found = set(text + named)
    yes, no = bool(found & _YES_SIGNS), bool(found & _NO_SIGNS)
    if yes == no:
        return None
    return "confirmed" if yes else "rejected"


def _words(text: str) -> list[str]:
    text = unicodedata.normalize("NFC", re.sub(r":[\w+-]+:", " ", text)).casefold()
    text = text.replace("\u2019", "'")
    return re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.replace("d'", "d "))


def _said(words: list[str]) -> Meaning:
    early = words if len(words) <= SHORT else words[:EARLY]
    line = f" {' '.join(early)} "
    found: set[Meaning] = set()
    for phrase, meaning in _PHRASES.items():
        if f" {phrase} " in line:
            found.add(meaning)
            line = line.replace(f" {phrase} ", " ")
    left = line.split()
    if found != {"rejected"} and _CONDITIONS & set(left):
        return "unrelated"
    for at, word in enumerate(left):
        is_negated = any(before in _NEGATIONS for before in left[max(at - 2, 0) : at])
        if word in _YES:
            found.add("rejected" if is_negated else "confirmed")
        elif word in _NO and not (is_negated or word in _NEGATIONS):
            found.add("rejected")
    return found.pop() if len(found) == 1 else "unrelated"
