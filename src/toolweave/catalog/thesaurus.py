"""Words that mean the same thing in workflows, so that a node is found by other words for it.

Each line is one meaning, in the everyday words of people and of other workflow products. It is
data to edit by meaning, not by query: `tests/catalog/judged.py` measures what it is worth.
"""

import re
from collections.abc import Iterable, Iterator

from toolweave.patterns import pattern

_MEANINGS = """
notify alert inform ping announce message
send post publish write deliver share upload
fetch get download retrieve request pull
remove delete drop discard strip exclude omit
create add new make open insert
change update edit modify
find search lookup query locate discover
image picture photo vision screenshot
email mail inbox mailbox
meeting appointment event booking book slot
repository repo
chat messenger messaging
person human people someone somebody reviewer manager colleague
approve approval sign-off permission accept consent authorize authorise confirm confirmation
llm model ai gpt assistant chatbot
translate summarise summarize rewrite draft classify categorise categorize sentiment generate
average mean aggregate sum total count statistics
item row record entry element
list array collection
field column property attribute key
schedule cron recurring recurrence periodic daily nightly weekly hourly monthly timetable
condition if branch decision switch router
loop iterate iterator foreach repeat batch
wait pause hold until poll sensor
delay sleep timer throttle
merge join combine concatenate union
filter keep select where exclude
sort order rank arrange
cache store remember persist state memory
website site web page browse browsing internet
scrape crawl extract spider
vector embedding semantic rag similarity
transform convert reshape map pivot
script code javascript python expression custom
trigger start launch begin kick
manual button hand click
webhook hook callback endpoint
api rest http
file document attachment
table database spreadsheet
issue ticket bug
conversation dialogue history chat
team group channel community
tool mcp function
"""

_PHRASES = {
    "take only": "filter",
    "keep only": "filter",
    "only the": "filter",
    "language model": "llm",
    "key value": "key",
    "sign off": "approval",
    "pull request": "github",
    "office 365": "outlook",
    "each time": "trigger",
    "every time": "trigger",
    "as soon as": "trigger",
}
# What follows these words is what starts a workflow.
_STARTS = pattern(
    r"^\W*(when|whenever|on (a|an|each|every|new))\b|\bwhen(ever)? (a|an|new|some\w+)\b",
    re.IGNORECASE,
)

_ENDINGS = ("ing", "ies", "es", "ed", "s", "d", "ly")


def _related() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in _MEANINGS.split("\n"):
        group = line.split()
        for word in group:
            others = found.setdefault(word, {})
            others.update(dict.fromkeys(other for other in group if other != word))
    return {word: tuple(others) for word, others in found.items()}


_RELATED = _related()


def related(words: Iterable[str], text: str) -> Iterator[str]:
    """Other words for what is asked, none of those asked."""
    asked = set(words)
    found: dict[str, None] = {}
    folded = text.casefold()
    for phrase, meaning in _PHRASES.items():
        if phrase in folded:
            found[meaning] = None
            found.update(dict.fromkeys(_RELATED.get(meaning, ())))
    if _STARTS.search(text):
        found["trigger"] = None
    for word in words:
        for form in _forms(word):
            if form in _RELATED:
                found.update(dict.fromkeys((form, *_RELATED[form])))
                break
    yield from (word for word in found if word not in asked)


def _forms(word: str) -> Iterator[str]:
    yield word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word.removesuffix(ending)
            yield from (stem, f"{stem}e", f"{stem}y", stem[:-1] if stem[-1] == stem[-2] else stem)
