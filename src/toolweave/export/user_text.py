"""The user's words inside Markdown: fenced, as code or as prose, and never able to break out.

Control and invisible characters are spelt out. What Claude Code would run while it reads a file
(an exclamation mark beside a backtick) or fill in (`$1`, `$ARGUMENTS`) is taken apart by a blank.
"""

import json
import re

from toolweave.json_text import Json, write
from toolweave.patterns import pattern

# Control, direction and other invisible characters, and what no UTF-8 file can hold; not line
# ends and tabs, nor the joiners that scripts and emoji need.
ACTING = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
_BACKTICKS = pattern("`+")
_SPACE = pattern(r"\s+")
_RUN = pattern("  +")
_ESCAPED = pattern(rf"[^\S ]|{ACTING.pattern}")
_PROSE = str.maketrans({"<": "&lt;", "`": "\\`", "\\": "\\\\"})
# What agents replace in a skill or command by the arguments of its call, or by values of their own.
_FILLED_IN = pattern(r"(\\?)\$(?=([0-9]|ARGUMENTS)|\{(?:[0-9]|ARGUMENTS|CLAUDE_))")
LEAST_FENCE = 3


def plain(text: str) -> str:
    """`text` with plain line ends, and what would act on a reader spelt out."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return ACTING.sub(lambda found: f"<U+{ord(found[0]):04X}>", lines)


def one_line(text: str, limit: int | None = None) -> str:
    """`text` on one line; cut with an ellipsis where it is longer than `limit`."""
    line = plain(_SPACE.sub(" ", text)).strip()
    if limit is None or len(line) <= limit:
        return line
    return line[: limit - 1].rstrip() + "…"


def exact_json(value: Json) -> str:
    """`value` as JSON on one line, with every character that `one_line` would change escaped."""
    return _ESCAPED.sub(lambda found: json.dumps(found[0])[1:-1], _spaced(write(value)))


def _spaced(text: str) -> str:
    return _RUN.sub(lambda found: " " + "\\u0020" * (len(found[0]) - 1), text)


def fenced(text: str, language: str = "text") -> str:
    """`text` as a block of code, in a fence longer than any in it."""
    words = plain(text)
    runs = (len(run) for run in _BACKTICKS.findall(words))
    fence = "`" * max(LEAST_FENCE, 1 + max(runs, default=0))
    return f"{fence}{language}\n{words}\n{fence}"


def code(text: str) -> str:
    """`text` as code in a line."""
    words = one_line(text) or " "
    runs = (len(run) for run in _BACKTICKS.findall(words))
    tick = "`" * (1 + max(runs, default=0))
    pad = " " if words[0] == "`" or words[-1] == "`" else ""
    return f"{tick}{pad}{words}{pad}{tick}"


def prose(text: str) -> str:
    """`text` in a sentence or a list: one line that begins no code, tag or comment."""
    return one_line(text).translate(_PROSE)


def disarmed(text: str) -> str:
    """`text` in which no agent finds a command to run while it loads the file."""
    return text.replace("!`", "! `").replace("`!", "` !")


def without_arguments(text: str, *, can_escape: bool = False) -> str:
    """`text` of a skill or command in which no agent finds a place to fill in.

    One that knows an escape for its arguments shows them as they were written.
    """

    def kept(found: re.Match[str]) -> str:
        is_escaped = can_escape and not found[1] and found[2]
        return r"\$" if is_escaped else f"{found[1]}$ "

    return _FILLED_IN.sub(kept, text)
