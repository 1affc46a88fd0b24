"""The template gallery: complete workflows to start from, found by words.

A file holds the workflow, inputs to try it with, and sample outputs of its nodes with effects.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from math import log

import orjson

from toolweave.catalog.budget import fit_list
from toolweave.catalog.search import is_stop_word
from toolweave.catalog.thesaurus import related
from toolweave.errors import NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.problems import did_you_mean

ENDING = ".json"
# How much a word counts where it is found, and a word of the same meaning.
_TITLE, _TAG, _SUMMARY, _NODE, _RELATED = 4.0, 3.0, 2.0, 1.0, 0.4
# The share of the best score below which a template is left out.
_LEAST = 0.25


@dataclass(frozen=True, slots=True)
class GalleryTemplate:
    """A complete workflow to start from."""

    name: str
    title: str
    summary: str
    tags: tuple[str, ...]
    inputs: JsonObject
    samples: JsonObject
    workflow: JsonObject

    @property
    def nodes(self) -> tuple[str, ...]:
        """The kinds of its nodes: `FLOW.IF`."""
        listed = self.workflow["nodes"]
        nodes = listed if isinstance(listed, list) else []
        refs = (f"{one['type']}.{one['subtype']}" for one in nodes if isinstance(one, dict))
        return tuple(dict.fromkeys(refs))

    def as_json(self) -> JsonObject:
        """The entry of a list."""
        return {
            "name": self.name,
            "title": self.title,
            "summary": self.summary,
            "tags": list[Json](self.tags),
            "nodes": list[Json](self.nodes),
        }


@lru_cache(1)
def templates() -> dict[str, GalleryTemplate]:
    """Every template by its name."""
    files = sorted(resources.files("toolweave.templates").iterdir(), key=lambda file: file.name)
    found = [
        _read(file.name.removesuffix(ENDING), file.read_bytes())
        for file in files
        if file.name.endswith(ENDING)
    ]
    return {template.name: template for template in found}


def template(name: str) -> GalleryTemplate:
    """One template. Raises `NotFound`: `TEMPLATE_UNKNOWN`."""
    known = templates()
    if name not in known:
        hint = did_you_mean(name, known) or "search for one: give `query`"
        raise NotFound("TEMPLATE_UNKNOWN", f"there is no template {name[:100]!r}", hint=hint)
    return known[name]


def search(query: str) -> list[GalleryTemplate]:
    """The templates that fit, the best first; all of them without words."""
    said = query.casefold().replace("-", " ").split()
    words = [word for word in said if not is_stop_word(word)] or said
    if not words:
        return list(templates().values())
    others = set(related(words, query)) - set(words)
    scored = [(_score(one, words, others), one) for one in templates().values()]
    best = max(score for score, _ in scored)
    ordered = sorted(scored, key=lambda pair: -pair[0])
    return [one for score, one in ordered if score > 0 and score >= best * _LEAST]


def template_answer(name: str, query: str, max_tokens: int) -> JsonObject:
    """What `get_template` answers: one template, or those that fit. Raises `TEMPLATE_UNKNOWN`."""
    if name:
        found = template(name)
        return {**found.as_json(), "inputs": found.inputs, "workflow": found.workflow}
    return fit_list(
        [
            {"name": one.name, "summary": one.summary, "nodes": list[Json](one.nodes)}
            for one in search(query)
        ],
        max_tokens,
        key="templates",
        again="get_template with a narrower query",
        details=("nodes",),
    )


def _score(one: GalleryTemplate, words: list[str], others: set[str]) -> float:
    places = list(_places(one))
    direct = sum(_rarity(word) * _weight(word, places) for word in words)
    meant = sum(_rarity(word) * _weight(word, places) for word in others)
    return direct + _RELATED * meant


def _weight(word: str, places: list[tuple[float, set[str]]]) -> float:
    return sum(weight for weight, text in places if _is_in(word, text))


@lru_cache(1_024)
def _rarity(word: str) -> float:
    """How much a word tells: little if most templates have it."""
    all_places = [list(_places(one)) for one in templates().values()]
    having = sum(_weight(word, places) > 0 for places in all_places)
    return log(1 + len(all_places) / having) if having else 0.0


def _places(one: GalleryTemplate) -> Iterator[tuple[float, set[str]]]:
    yield _TITLE, _words(f"{one.title} {one.name}")
    yield _TAG, _words(" ".join(one.tags))
    yield _SUMMARY, _words(one.summary)
    yield _NODE, _words(" ".join(one.nodes))


def _words(text: str) -> set[str]:
    for mark in "._-,":
        text = text.replace(mark, " ")
    return set(text.casefold().split())


def _is_in(word: str, words: set[str]) -> bool:
    return word in words or word.removesuffix("s") in words or f"{word}s" in words


def _read(name: str, data: bytes) -> GalleryTemplate:
    body: JsonObject = orjson.loads(data)
    tags, workflow = body["tags"], body["workflow"]
    inputs, samples = body["inputs"], body["samples"]
    assert isinstance(tags, list)
    assert isinstance(workflow, dict)
    assert isinstance(inputs, dict)
    assert isinstance(samples, dict)
    title, summary = str(body["title"]), str(body["summary"])
    return GalleryTemplate(name, title, summary, tuple(map(str, tags)), inputs, samples, workflow)
