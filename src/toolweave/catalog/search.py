"""Search for nodes by task: full-text ranking, spelling correction, synonyms.

An in-memory FTS5 index (the one place of this room that touches sqlite3); names and keywords
weigh most, field names and guidance least.
"""

import re
import sqlite3
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import log
from typing import Protocol, TypeAlias

from rapidfuzz import process
from rapidfuzz.distance import OSA

from toolweave.catalog.intents import intended
from toolweave.catalog.names import skeleton, words_of
from toolweave.catalog.spec import NODE_TYPES, Field, NodeSpec
from toolweave.catalog.thesaurus import related
from toolweave.catalog.translations import in_text, is_idle, of_word
from toolweave.patterns import pattern

# subtype words, keywords, summary, tags and type, fields and guidance
WEIGHTS = (8.0, 6.0, 3.0, 2.0, 1.0)
RELATED_WEIGHT = 0.3
# More than any ranking gives: a name that is the whole query comes first.
EXACT = 1_000.0
# So does a node with a field of that name: `attachment_types`.
OF_FIELD = 100.0
# Of a node that needs an account of a service that the query does not name.
UNNAMED_SERVICE = 0.8
# A node of the same meaning as the query counts like the best one by words.
MEANING_WEIGHT = 1.0
LEAST_SIMILARITY = 0.15
MAX_WORDS = 24
MAX_TERMS = 1_000
MAX_RANKED = 100
MANY = 500
# The part of a description that is indexed; descriptions of tools may be long.
SEARCHED_TEXT = 400

_Texts: TypeAlias = tuple[str, str, str, str, str]

_SERVICES = frozenset(
    {"slack", "gmail", "outlook", "discord", "telegram", "github", "notion", "google", "firecrawl"}
)
_WORD = pattern(r"[^\W_]+")
_STOP_WORDS = frozenset(
    _WORD.findall(
        "a an and are as at be before but by can comes do does for from has have how i if in into "
        "is it its just let me must my node nodes of on or our please should so some someone "
        "something step that the their them then there this to us use using want was we what when "
        "where which who will with would you your need"
    )
)
_TYPE_PHRASES = [
    (phrase, pattern(rf"\b{phrase}s?\b", re.IGNORECASE))
    for phrase in (kind.casefold().replace("_", " ") for kind in NODE_TYPES if "_" in kind)
]


@dataclass(frozen=True, slots=True)
class Hit:
    """One node found, with how well it fits (higher is better)."""

    spec: NodeSpec
    score: float


class Meaning(Protocol):
    """Compares a query with nodes by meaning, where words do not tell."""

    def similarities(self, text: str, specs: Sequence[NodeSpec]) -> Sequence[float]:
        """Return how close each node is to a text, from 0 to 1."""
        ...


class _Table:
    def __init__(self, rows: Iterable[tuple[int, *_Texts]]) -> None:
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute(
            "CREATE VIRTUAL TABLE nodes USING fts5 (name, keywords, summary, tags, fields, "
            "content = '', tokenize = 'porter unicode61')"
        )
        weights = ", ".join(map(str, WEIGHTS))
        self._database.execute(
            f"INSERT INTO nodes (nodes, rank) VALUES ('rank', 'bm25({weights})')"
        )
        self._database.executemany(
            "INSERT INTO nodes (rowid, name, keywords, summary, tags, fields) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )
        self._of_term = lru_cache(MAX_TERMS)(self._term_rows)

    def sums(self, terms: Iterable[str]) -> Mapping[int, float]:
        """The rows that have one of `terms`: BM25 adds up over terms, so each is asked for once."""
        found = defaultdict[int, float](float)
        for term in terms:
            for number, score in self._of_term(term):
                found[number] += score
        return found

    def _term_rows(self, term: str) -> tuple[tuple[int, float], ...]:
        return tuple(self.ranked([term]))

    def ranked(self, terms: Iterable[str]) -> Iterator[tuple[int, float]]:
        """Every row that has one of `terms`, the best first."""
        if query := " OR ".join(terms):
            rows = self._database.execute(
                "SELECT rowid, rank FROM nodes WHERE nodes MATCH ? ORDER BY rank", (query,)
            )
            yield from ((int(number), -float(rank)) for number, rank in rows)


class SearchIndex:
    """Built once per catalog; `usage` only decides between nodes that fit equally well."""

    def __init__(
        self,
        specs: Iterable[NodeSpec],
        usage: Mapping[str, int] | None = None,
        meaning: Meaning | None = None,
    ) -> None:
        self._specs = list(specs)
        self._meaning = meaning
        self._usage = usage or {}
        self._seen: Counter[str] = Counter()
        self._all = _Table(self._rows())
        self._vocabulary: dict[str, list[str]] = {}
        for word in sorted(self._seen):
            self._vocabulary.setdefault(word[0], []).append(word)
        # Other words are looked for among our own nodes only: what servers write is wordy enough,
        # and of many thousand tools nearly all would have one of them.
        ours = [(n, *_texts(spec)) for n, spec in enumerate(self._specs) if spec.origin is None]
        self._ours = _Table(ours)
        self._by_name: dict[str, list[int]] = {}
        for number, spec in enumerate(self._specs):
            name = spec.origin.tool if spec.origin else spec.subtype
            self._by_name.setdefault(skeleton(words_of(name)), []).append(number)
        self._by_field: dict[str, list[int]] = {}
        for number, spec in enumerate(self._specs):
            for field in {one.name for one in _fields(spec) if "_" in one.name}:
                self._by_field.setdefault(field, []).append(number)
        self._services = [_service_words(spec) for spec in self._specs]
        self._related_weight = RELATED_WEIGHT * log(2 + len(self._specs)) / log(2 + len(ours))

    def search(
        self,
        text: str,
        *,
        node_type: str | None = None,
        tag: str | None = None,
        limit: int = 10,
    ) -> list[Hit]:
        """The nodes that fit `text` best; all that pass the filters when there are no words."""
        passes = _filter(node_type, tag)
        asked = list(islice(self._asked(text), MAX_WORDS))
        if not asked:
            scores = {n: 0.0 for n, spec in enumerate(self._specs) if passes(spec)}
            return self._best(scores, limit)
        scores = defaultdict[int, float](float)
        ranked = self._all.ranked(map(self._term, self._telling(asked)))
        fitting = ((n, score) for n, score in ranked if passes(self._specs[n]))
        for number, score in islice(fitting, max(MAX_RANKED, limit)):
            scores[number] += score
        self._add_related(scores, asked, text, passes)
        self._add_meaning(scores, text, passes)
        for number in scores:
            services = self._services[number]
            if services and services.isdisjoint(asked):
                scores[number] *= UNNAMED_SERVICE
        for number in self._named(text):
            if passes(self._specs[number]):
                scores[number] += EXACT
        for number in self._by_field.get(text.strip(), []):
            if passes(self._specs[number]):
                scores[number] += OF_FIELD
        return self._best(scores, limit)

    def _add_related(
        self,
        scores: dict[int, float],
        asked: list[str],
        text: str,
        passes: Callable[[NodeSpec], bool],
    ) -> None:
        for number, score in self._ours.sums(map(self._term, related(asked, text))).items():
            if passes(self._specs[number]):
                scores[number] += self._related_weight * score

    def _add_meaning(
        self, scores: dict[int, float], text: str, passes: Callable[[NodeSpec], bool]
    ) -> None:
        """Add how close our own nodes are in meaning, in terms of the best score by words."""
        if self._meaning is None:
            return
        ours = [n for n, spec in enumerate(self._specs) if spec.origin is None and passes(spec)]
        best = max(scores.values(), default=0.0) or 1.0
        close = self._meaning.similarities(text, [self._specs[number] for number in ours])
        for number, similarity in zip(ours, close, strict=True):
            if similarity > LEAST_SIMILARITY:
                scores[number] += MEANING_WEIGHT * best * similarity

    def listed(self, *, node_type: str | None = None, tag: str | None = None) -> Iterator[NodeSpec]:
        """All nodes that pass the filters, in the catalog's order."""
        return filter(_filter(node_type, tag), self._specs)

    def _named(self, text: str) -> list[int]:
        """The nodes whose name is the whole query: `if`, `notion`, `merge`."""
        return self._by_name.get(skeleton(words_of(text)), [])

    def _rows(self) -> Iterator[tuple[int, *_Texts]]:
        for number, spec in enumerate(self._specs):
            texts = _texts(spec)
            # Of a live tool, what its fields are called is no place to learn spelling from.
            self._seen.update(set(_WORD.findall(" ".join(texts[:4] if spec.origin else texts))))
            yield number, *texts

    def _telling(self, asked: list[str]) -> list[str]:
        """Without the words that very many tools have, if others are left: they cost the most."""
        most = max(MANY, len(self._specs) // 8)
        return [word for word in asked if self._count(word) <= most] or asked

    def _count(self, word: str) -> int:
        return max(self._seen[word], self._seen[word.rstrip("s")])

    def _term(self, word: str) -> str:
        """A quoted term; of a word that is not known as it is, what begins with it."""
        return f'"{word}"' if word in self._seen or len(word) < 4 else f'"{word}"*'

    def _best(self, scores: Mapping[int, float], limit: int) -> list[Hit]:
        def place(number: int) -> tuple[float, int, bool, int]:
            spec = self._specs[number]
            used = self._usage.get(spec.ref, 0)
            return -round(scores[number], 6), -used, spec.origin is not None, number

        best = sorted(scores, key=place)[:limit]
        return [Hit(self._specs[number], scores[number]) for number in best]

    def _asked(self, text: str) -> Iterator[str]:
        """Return the distinct search terms without stop words, with corrected spelling."""
        plain = " ".join(_WORD.findall(text))
        # A type matches by its whole name: `human in the loop` is not a loop.
        for phrase, expression in _TYPE_PHRASES:
            if expression.search(plain):
                yield phrase
                plain = expression.sub(" ", plain)
        found = plain.split()
        useful = [word for word in found if not is_stop_word(word)] or found
        parts = [part for word in useful for part in self._known_parts(word)]
        english = (*in_text(text), *parts)
        # A text of another language is understood by its English words.
        is_other = any(part not in plain.casefold() for part in english)
        meant = (*intended(text), *(intended(" ".join(english)) if is_other else ()))
        yield from dict.fromkeys((*meant, *english))

    def _known_parts(self, word: str) -> list[str]:
        folded = word.casefold()
        if folded in self._seen or self._begins(folded):
            return [folded]
        if english := of_word(folded):
            return list(english)
        if is_idle(folded):
            return []
        parts = [part.casefold() for part in words_of(word)]
        return [self._repaired(part) for part in (parts if len(parts) > 1 else [folded])]

    def _repaired(self, word: str) -> str:
        """The known word that `word` misspells: a letter off, in long words two."""
        if len(word) < 4 or word in self._seen:
            return word
        allowed = 1 if len(word) < 8 else 2
        close = process.extract(
            word,
            self._vocabulary.get(word[0], []),
            scorer=OSA.distance,
            score_cutoff=allowed,
            limit=5,
        )
        return min(close, key=lambda found: (found[1], -self._seen[found[0]]))[0] if close else word

    def _begins(self, word: str) -> bool:
        words = self._vocabulary.get(word[0], [])
        at = bisect_left(words, word)
        return len(word) >= 4 and at < len(words) and words[at].startswith(word)


def is_stop_word(word: str) -> bool:
    """Whether it says nothing; `IF` in capitals is a name."""
    return word.casefold() in _STOP_WORDS and not (len(word) > 1 and word.isupper())


def _filter(node_type: str | None, tag: str | None) -> Callable[[NodeSpec], bool]:
    wanted = tag.casefold() if tag is not None else None
    return lambda spec: node_type in {None, spec.type} and (wanted is None or wanted in spec.tags)


def _texts(spec: NodeSpec) -> _Texts:
    """The indexed text by column; guidance mentions other nodes, so it has the least weight."""
    if spec.origin is not None:
        tool = spec.origin.tool
        name = f"{tool} {' '.join(words_of(tool))} {spec.origin.server}"
        fields = " ".join(given.name for given in spec.inputs)
        tags = ""  # that it is a tool of an MCP server it shares with all of them
    else:
        name = spec.subtype
        fields = f"{' '.join(_field_texts(spec))} {spec.guidance or ''}"
        tags = f"{' '.join(spec.tags)} {spec.type}"
    return (
        _plain(name),
        _plain(" ".join(spec.keywords)),
        _plain(spec.summary[:SEARCHED_TEXT]),
        _plain(tags),
        _plain(fields),
    )


def _service_words(spec: NodeSpec) -> frozenset[str]:
    """The services whose account a node needs; their own models are asked for by any name."""
    if spec.origin is not None or spec.type == "AI_AGENT":
        return frozenset()
    return _SERVICES.intersection(_plain(spec.subtype).split())


def _fields(spec: NodeSpec) -> tuple[Field, ...]:
    return (*spec.configurations, *spec.inputs, *spec.outputs)


def _field_texts(spec: NodeSpec) -> Iterator[str]:
    for given in _fields(spec):
        yield f"{given.name} {given.description} {' '.join(given.options)}"
    for port in (*spec.input_ports, *spec.output_ports):
        yield f"{port.name} {port.description}"


def _plain(text: str) -> str:
    return text.replace("_", " ").casefold()
