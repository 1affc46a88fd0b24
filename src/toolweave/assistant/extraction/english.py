"""English words by what they do in a request; they are data, in `english.json`."""

from functools import cache
from importlib.resources import files
from typing import Any

from toolweave import json_text


def words(group: str) -> frozenset[str]:
    """Return the words of a group."""
    return frozenset(word_list(group))


def word_list(group: str) -> list[str]:
    """Return the words of a group in their order."""
    given = _data()["words"][group]
    return (given if isinstance(given, str) else " ".join(given)).split()


def roles() -> dict[str, frozenset[str]]:
    """Return what the preposition before a value says about the name of its parameter."""
    return {word: frozenset(names.split()) for word, names in _data()["roles"].items()}


def classes() -> dict[str, frozenset[str]]:
    """Return what a word of a parameter's name says about how its values look."""
    return {
        word: frozenset({name}) if name != "path" else frozenset({"path", "url"})
        for name, group in _data()["classes"].items()
        for word in group.split()
    }


def bounds() -> dict[str, frozenset[str]]:
    """Return the words before a number, and in a name, that say upper or lower bound."""
    return {name: frozenset(group.split()) for name, group in _data()["bounds"].items()}


def irregular_forms() -> dict[str, str]:
    """Return words with the form that they are compared in."""
    return dict(_data()["irregular"])


@cache
# Any: JSON of this package.
def _data() -> dict[str, Any]:
    text = files("toolweave.assistant.extraction").joinpath("english.json").read_text("utf-8")
    data = json_text.read(text)
    assert isinstance(data, dict)
    return data
