"""The judged queries can be measured: many in each language, and every right answer is a node."""

from collections import Counter

from tests.catalog.measure_judged import judged, table

from toolweave.authoring.live_catalog import LiveCatalog


def test_queries_are_many_and_name_nodes() -> None:
    counts = Counter(one.language for one in judged())
    assert counts.pop("en") >= 120
    assert counts.keys() == {"de", "fr", "es", "pt", "ja", "zh"}
    assert min(counts.values()) >= 25
    types = LiveCatalog(None).knowledge.types()
    nodes = {f"{type}.{subtype}" for type, subtypes in types.items() for subtype in subtypes}
    assert {name for one in judged() for name in one.accept} <= nodes


def test_the_table_has_a_line_for_each_language() -> None:
    assert len(table().splitlines()) == 8
    assert any(one.is_hit(1) for one in judged())
    assert all(len(one.found) <= 5 for one in judged())


# The least share of queries whose right answer is among the first five.
LEAST = {"en": 0.97, "de": 0.95, "fr": 0.95, "es": 0.95, "pt": 0.95, "ja": 0.95, "zh": 0.95}


def test_right_nodes_are_among_the_first_five_in_every_language() -> None:
    asked, hits = Counter[str](), Counter[str]()
    for one in judged():
        asked[one.language] += 1
        hits[one.language] += one.is_hit(5)
    rates = {language: hits[language] / asked[language] for language in asked}
    assert {language for language in LEAST if rates[language] < LEAST[language]} == set()
