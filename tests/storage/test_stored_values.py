"""Which values reach a database, in either dialect, and in which form."""

from enum import IntEnum

import pytest

from toolweave.errors import Invalid
from toolweave.storage.database import Value, check_values


class _Level(IntEnum):
    HIGH = 3


@pytest.mark.parametrize("plain", ["text", "", 7, -(2**63), 2**63 - 1, 1.5, b"\0", None, "ä"])
def test_plain_values_are_stored_as_they_are(plain: Value) -> None:
    assert check_values([plain]) == (plain,)


def test_every_whole_number_is_stored_as_an_integer() -> None:
    found = check_values([True, False, _Level.HIGH, 4])
    assert [(type(one), one) for one in found] == [(int, 1), (int, 0), (int, 3), (int, 4)]


@pytest.mark.parametrize("refused", ["a\0", "ä\0", "\ud800", 2**63, -(2**63) - 1, 2**80])
def test_value_that_no_database_stores_is_refused_beside_plain_ones(refused: Value) -> None:
    with pytest.raises(Invalid) as caught:
        check_values(["plain", 1, refused, None])
    assert caught.value.code == "STORAGE_VALUE_INVALID"
