"""Damaged texts: every parser answers or refuses them; `bench/fault_fuzz.py` has the long form."""

from random import Random

import pytest
from bench.fault_fuzz import TARGETS, breaks_on_nul, faults_of
from tests.security.controls import Control

TEXTS = 400


@pytest.mark.parametrize("parser", TARGETS)
def test_a_damaged_text_is_parsed_or_refused(parser: str, control: Control) -> None:
    control("a fault is found", list(faults_of(breaks_on_nul, Random(1), 400)))
    assert list(faults_of(TARGETS[parser], Random(1), TEXTS)) == []
