"""The other names of a node's settings, options, outputs and ports, as other systems have them.

The data is in `node_names`, one file for a type of nodes, read when a name is unknown. It is
written node by node from what other systems call the same thing, never from single faults.
"""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from toolweave.tools.meaning import plain_word
from toolweave.tools.name_words import singular, words_in

_FOLDER = Path(__file__).with_name("node_names")
_EVERY = "@every"
NONE = "-"

# The lines of a section: `name`, `name=option`, `.member`, `>output` or `^port`, each with its
# other names.
Lines = dict[str, tuple[str, ...]]


@dataclass(slots=True)
class Names:
    """What each word means among the names of one kind."""

    real: dict[str, str] = field(default_factory=dict[str, str])
    exact: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    # The words of those other names that have several.
    phrases: dict[frozenset[str], set[str]] = field(default_factory=dict[frozenset[str], set[str]])

    def meant(self, wrong: str, about: str = "") -> tuple[str, ...]:
        """The names that a word stands for; several if nothing says which."""
        forms = (wrong, *_without(wrong, about))
        for one in forms:
            if found := self.exact.get(plain_word(one)):
                return found
        for one in forms:
            if found := self._by_number(_singular(one)):
                return found
        return ()

    def phrased(self, wrong: str) -> tuple[str, ...]:
        """The one name that a word means which has more words of the name than another name of it.

        `update_topic` is `set_channel_topic`, and so is `update_channel_topic`.
        """
        given = _words(wrong)
        found = {
            name
            for phrase, names in self.phrases.items()
            for name in names
            if phrase < given and given - phrase <= _words(name)
        }
        return tuple(found) if len(found) == 1 else ()

    def _by_number(self, wrong: str) -> tuple[str, ...]:
        """The one name that a word means which stands for one thing instead of several."""
        if any(_singular(one) == wrong for one in self.real):
            return ()
        found = {names for word, names in self.exact.items() if _singular(word) == wrong}
        return found.pop() if len(found) == 1 else ()


@dataclass(frozen=True, slots=True)
class NamesOfNode:
    """The other names in one node."""

    settings: Names = field(default_factory=Names)
    outputs: Names = field(default_factory=Names)
    ports: Names = field(default_factory=Names)
    # Of all objects in the settings; one word may mean another member in each of them.
    members: Names = field(default_factory=Names)
    # By the setting.
    options: dict[str, Names] = field(default_factory=dict[str, Names])


@cache
def names_of(ref: str) -> NamesOfNode:
    """The other names of a node such as `FLOW.IF`; none of a node that is not in the data."""
    found = NamesOfNode()
    for lines in layers(ref):
        taken = {kind: {*names.exact, *names.real} for kind, names in _kinds(found).items()}
        for head in lines:
            kind, name = split_head(head)
            if not name.startswith("?"):
                _of_kind(found, kind).real[plain_word(name)] = name
        for head, words in lines.items():
            kind, name = split_head(head)
            names = _of_kind(found, kind)
            for one in words:
                if len(phrase := _words(one)) > 1 and not name.startswith("?"):
                    names.phrases.setdefault(phrase, set()).add(name)
            for word, meant in _meanings(name, words):
                # What the node itself says comes before what several nodes have in common.
                is_taken = word in taken.get(kind, ()) or word in names.real
                if kind == "." or not is_taken:
                    names.exact[word] = tuple(dict.fromkeys((*names.exact.get(word, ()), *meant)))
    return found


def _meanings(name: str, words: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    if name.startswith("?"):
        return [(plain_word(name[1:]), words)]
    return [(plain_word(word), (name,)) for word in words if word != NONE]


def split_head(head: str) -> tuple[str, str]:
    """The kind of a line (`>`, `^`, `.`, a setting with `=`, or nothing) and its name."""
    if head[0] in ">^.":
        return head[0], head[1:]
    setting, equals, option = head.partition("=")
    return (f"{setting}=", option) if equals else ("", setting)


def _of_kind(found: NamesOfNode, kind: str) -> Names:
    if kind.endswith("="):
        return found.options.setdefault(kind[:-1], Names())
    return _kinds(found)[kind]


def _kinds(found: NamesOfNode) -> dict[str, Names]:
    options = {f"{setting}=": names for setting, names in found.options.items()}
    plain = {"": found.settings, ">": found.outputs, "^": found.ports, ".": found.members}
    return {**plain, **options}


def layers(ref: str) -> list[Lines]:
    """The lines of a node: its own, those that it shares with others, those of every node."""
    sections = _sections(ref.partition(".")[0].lower())
    if ref not in sections:
        return []
    shared, own = sections[ref]
    left_out = {one[1:] for one in shared if one.startswith("-")}
    blocks: Lines = {}
    for one in shared:
        if one.startswith("@"):
            blocks |= {
                head: words
                for head, words in sections[one][1].items()
                if head not in own and head.partition("=")[0] not in left_out
            }
    every = {
        head: words
        for head, words in _sections("every")[_EVERY][1].items()
        if head not in own and head not in blocks
    }
    return [own, blocks, every]


@cache
def _sections(file: str) -> dict[str, tuple[tuple[str, ...], Lines]]:
    """The sections of a file by their names, each with the names of those that it shares."""
    place = _FOLDER / f"{file}.txt"
    found: dict[str, tuple[tuple[str, ...], Lines]] = {}
    lines: Lines = {}
    for line in place.read_text(encoding="utf-8").splitlines() if place.exists() else ():
        if line.startswith(("[", "@")):
            name, *shared = line.replace("[", "").replace("]", "").split()
            lines = {}
            found[name] = (tuple(shared), lines)
        elif line and not line.startswith("#"):
            head, _, words = line.partition(": ")
            lines[head] = tuple(words.split())
    return found


def _without(wrong: str, about: str) -> tuple[str, ...]:
    """A name without the words of what it belongs to, before it or after it."""
    given, owner = words_in(wrong), {singular(one) for one in words_in(about)}
    start, end = 0, len(given)
    while start < end and singular(given[start]) in owner:
        start += 1
    while end > start and singular(given[end - 1]) in owner:
        end -= 1
    forms = ("_".join(given[start:]), "_".join(given[:end]), "_".join(given[start:end]))
    return tuple(one for one in forms if one and one != "_".join(given))


def _words(name: str) -> frozenset[str]:
    return frozenset(singular(one) for one in words_in(name))


def _singular(word: str) -> str:
    return "".join(singular(one) for one in words_in(word)) or plain_word(word)
