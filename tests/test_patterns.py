"""A pattern is compiled with its first use; every pattern of the package can be."""

import importlib
import pkgutil
import re

import pytest

import toolweave
from toolweave.patterns import pattern


def test_a_pattern_works_as_a_compiled_one() -> None:
    text, compiled = "one two  three", re.compile(r"\w+", re.IGNORECASE)
    later = pattern(r"\w+", re.IGNORECASE)
    for _ in range(2):
        assert later.findall(text) == compiled.findall(text)
        assert later.sub("x", text) == compiled.sub("x", text)
        assert later.fullmatch(text) is None
        assert [found.span() for found in later.finditer(text)] == [(0, 3), (4, 7), (9, 14)]
    assert (later.pattern, later.flags) == (compiled.pattern, compiled.flags)


def test_a_pattern_is_compiled_once_and_late() -> None:
    wrong = pattern("(")
    with pytest.raises(re.error):
        wrong.match("a")
    later = pattern("a+")
    assert later.match == later.match
    assert later.match("aa")


def test_every_pattern_of_the_package_can_be_compiled() -> None:
    names = [one.name for one in pkgutil.walk_packages(toolweave.__path__, "toolweave.")]
    found = [
        value
        for name in names
        for value in vars(importlib.import_module(name)).values()
        if type(value) is type(pattern(""))
    ]
    assert len(found) > 100
    for one in found:
        assert re.compile(one.pattern, one.flags)
