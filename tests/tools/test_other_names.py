"""Every name of a node has its other names, and none of them means two things."""

import re
from collections.abc import Iterator

import pytest
from tests.catalog.builders import our_catalog

from toolweave.catalog.member_names import members_of
from toolweave.catalog.spec import COMMON_CONFIGURATIONS, NodeSpec
from toolweave.tools.meaning import plain_word
from toolweave.tools.name_words import words_in
from toolweave.tools.other_names import NONE, layers, names_of, split_head
from toolweave.workflow.node_slots import slots_of

SPECS = sorted((one for one in our_catalog() if one.origin is None), key=lambda one: one.ref)
LEAST = 2


def objects(spec: NodeSpec) -> list[set[str]]:
    """The names of the members of each object in a node's settings."""
    found: dict[tuple[str, ...], set[str]] = {}
    for steps in slots_of(spec):
        if len(steps) > 2:
            found.setdefault(steps[:-1], set()).add(steps[-1])
    for is_input in (False, True):
        for place, members in members_of(spec, is_input=is_input).items():
            if members.is_own:
                found.setdefault(place, set()).update(members.samples)
    return list(found.values())


def heads(spec: NodeSpec) -> set[str]:
    """The lines that the data of a node must have."""
    found: set[str] = set()
    for one in (*spec.configurations, *spec.inputs, *COMMON_CONFIGURATIONS):
        closed = () if one.is_open else one.options
        found |= {one.name, *(f"{one.name}={option}" for option in closed)}
    found |= {f">{one.name}" for one in spec.outputs}
    found |= {f".{name}" for names in objects(spec) for name in names}
    # Numbered ports are named by rule; `output` and `input` are those of every node.
    ports = [port.name for port in spec.output_ports if not port.name[-1].isdecimal()]
    return found | {f"^{name}" for name in ports if len(spec.output_ports) > 1}


def needed_members(spec: NodeSpec) -> set[str]:
    """The lines that the data may have: members that an object needs, also one in a list."""
    fields = (*spec.configurations, *spec.inputs)
    return {f".{name}" for one in fields for name in re.findall(r"(\w+)\*", one.members or "")}


def lines(spec: NodeSpec) -> dict[str, tuple[str, ...]]:
    return {head: words for layer in reversed(layers(spec.ref)) for head, words in layer.items()}


def own_words(layer: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, str, str]]:
    for head, words in layer.items():
        kind, name = split_head(head)
        if name.startswith("?"):
            yield kind, plain_word(name[1:]), name
        else:
            yield from ((kind, plain_word(word), name) for word in words if word != NONE)


@pytest.mark.parametrize("spec", SPECS, ids=lambda one: one.ref)
def test_every_name_of_a_node_has_other_names(spec: NodeSpec):
    given = {head: words for head, words in lines(spec).items() if "?" not in head}
    assert heads(spec) - given.keys() == set()
    inner = {head for head in given if "." in head.partition("=")[0].lstrip(".")}
    assert given.keys() - heads(spec) - inner - needed_members(spec) == set()
    assert {head.partition("=")[0].rpartition(".")[2] for head in inner} <= {
        name for names in objects(spec) for name in names
    } | {"method", "callback_data"}
    assert {
        head: words for head, words in given.items() if len(words) < LEAST and words != (NONE,)
    } == {}


@pytest.mark.parametrize("spec", SPECS, ids=lambda one: one.ref)
def test_no_other_name_means_two_things_or_is_a_real_name(spec: NodeSpec):
    real = {(kind, plain_word(name)) for head in heads(spec) for kind, name in [split_head(head)]}
    for layer in layers(spec.ref)[:2]:
        meant: dict[tuple[str, str], str] = {}
        for kind, word, name in own_words(layer):
            if kind == ".":
                continue  # the same word may mean another member in another object
            if layer is layers(spec.ref)[0]:
                assert (kind, word) not in real, f"{kind}{word} of {name}"
            assert meant.setdefault((kind, word), name) == name, f"{kind}{word}"
    for kind, names in {"": names_of(spec.ref).settings}.items():
        assert not {(kind, word) for word in names.exact} & real
        several = {word for word, found in names.exact.items() if len(found) > 1}
        assert all(f"{kind}?" in "".join(lines(spec)) for _ in several)


@pytest.mark.parametrize("spec", SPECS, ids=lambda one: one.ref)
def test_an_ambiguous_name_means_names_of_the_node(spec: NodeSpec):
    for head, words in lines(spec).items():
        kind, name = split_head(head)
        if name.startswith("?"):
            assert len(words) > 1
            assert {f"{kind}{word}" for word in words} <= heads(spec)


@pytest.mark.parametrize("spec", SPECS, ids=lambda one: one.ref)
def test_no_other_name_means_two_members_of_an_object(spec: NodeSpec):
    for names in objects(spec):
        meant = {
            word: {one for one in found if one in names}
            for word, found in names_of(spec.ref).members.exact.items()
            if word not in {plain_word(name) for name in names}
        }
        assert {word: found for word, found in meant.items() if len(found) > 1} == {}


@pytest.mark.parametrize("spec", SPECS, ids=lambda one: one.ref)
def test_a_word_that_several_options_or_outputs_contain_means_none_of_them(spec: NodeSpec):
    found = names_of(spec.ref)
    for names in (found.outputs, *found.options.values()):
        for word, meant in names.exact.items():
            inside = [name for name in names.real.values() if word in words_in(name)]
            # `scrape` is `firecrawl_scrape` in the node FIRECRAWL.
            own = [one for one in words_in(meant[0]) if one not in words_in(spec.subtype)]
            assert len(inside) < 2 or len(meant) > 1 or own == [word], word
