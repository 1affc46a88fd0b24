"""Settings from the environment: defaults, values, and what cannot be read."""

from pathlib import Path

import pytest

from toolweave.errors import Invalid
from toolweave.settings import from_environment


def test_the_defaults_are_those_of_the_seed() -> None:
    limits = from_environment({}).limits
    assert limits.call_deadline_s == 30
    assert limits.concurrent_calls == 25
    assert limits.calls_per_session == 25


def test_every_limit_can_be_set(tmp_path: Path) -> None:
    settings = from_environment(
        {
            "TOOLWEAVE_HOME": str(tmp_path),
            "TOOLWEAVE_CALLS_PER_SESSION": "-1",
            "TOOLWEAVE_CALL_DEADLINE_S": "1.5",
            "TOOLWEAVE_DATABASE": "postgresql://localhost/x",
        }
    )
    assert settings.home == tmp_path
    assert settings.limits.calls_per_session == -1
    assert settings.limits.call_deadline_s == 1.5
    assert settings.database == "postgresql://localhost/x"


@pytest.mark.parametrize("value", ["many", "-2", "nan", "1e5", " 3"])
def test_a_value_that_cannot_be_read_is_refused_by_name(value: str) -> None:
    with pytest.raises(Invalid) as refusal:
        from_environment({"TOOLWEAVE_CALLS_PER_SESSION": value})
    assert refusal.value.code == "SETTING_INVALID"
    assert "TOOLWEAVE_CALLS_PER_SESSION" in refusal.value.message
