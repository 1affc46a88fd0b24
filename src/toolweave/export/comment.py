"""JSON inside an HTML comment that nothing in it can end, and that reads back as it was."""

import re

from toolweave import json_text
from toolweave.export.user_text import ACTING
from toolweave.json_text import Json

# `<`, `>` and `&` are markup; backtick, `$` and `@` make agents run, fill in or fetch something.
_ESCAPED = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&`$@"})


def comment(label: str, value: Json) -> str:
    """`<!-- label: {json} -->` on one line."""
    return f"<!-- {label}: {safe_json(value)} -->"


def comments_in(text: str, label: str) -> list[str]:
    """Yield the JSON text of every comment with this label on its own line."""
    return re.findall(rf"^<!-- {re.escape(label)}: (.*) -->$", text, re.MULTILINE)


def safe_json(value: Json) -> str:
    """`value` as JSON that holds no markup, no two hyphens in a row and nothing invisible."""
    # Outside of its strings JSON has none of these characters.
    text = json_text.write(value).translate(_ESCAPED).replace("--", "-\\u002d")
    return ACTING.sub(_units, text)


def _units(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
