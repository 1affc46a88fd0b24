"""The table of faults believes no line that could not have found anything."""

import os
import re
from random import Random

import pytest
from bench import faults
from bench.fault_rows import Found, Part, Work, row, table


def does(found: Found | Exception) -> Work:
    async def work(_dice: Random) -> Found:
        if isinstance(found, Exception):
            raise found
        return found

    return work


@pytest.mark.parametrize(
    ("found", "control", "reason"),
    [
        (Found(runs=2, faults=3, uncertain=1), Found(lost=1), None),
        (Found(runs=2, faults=3, uncertain=1), Found(wrong=["too much"]), None),
        (Found(runs=2, faults=3, uncertain=1, lost=1), Found(lost=1), "1 lost"),
        (Found(runs=2, faults=3, uncertain=1, twice=2), Found(lost=1), "2 twice"),
        (Found(runs=2, faults=3, uncertain=1, wrong=["odd"]), Found(lost=1), "odd"),
        (Found(runs=2, faults=2, uncertain=1), Found(lost=1), "2 faults of 3"),
        (Found(runs=2, faults=3), Found(lost=1), "nothing was uncertain"),
        (Found(runs=2, faults=3, uncertain=1), Found(), "the control found nothing"),
        (AssertionError("it stopped"), Found(lost=1), "AssertionError: it stopped"),
    ],
)
def test_a_line_fails_for_what_it_found_and_for_what_it_could_not_find(
    found: Found | Exception, control: Found, reason: str | None
) -> None:
    part = Part("killed", does(found), does(control), faults=3, has_uncertain=True)
    done = row(part, 1)
    assert any((reason or "") in one for one in done.reasons) == (reason is not None)
    assert ("FAILED" in table([done])) == (reason is not None)


@pytest.mark.parametrize(("is_good", "code"), [(True, 0), (False, 1)])
def test_it_tells_its_seed_and_ends_with_1_if_a_line_failed(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    is_good: bool,
    code: int,
) -> None:
    seeds: list[float] = []

    async def work(dice: Random) -> Found:
        seeds.append(dice.random())
        return Found(lost=not is_good)

    part = Part("killed", work, does(Found(twice=1)), faults=0)

    def chosen(*, quick: bool) -> list[Part]:
        return [part] if quick else []

    monkeypatch.setattr(faults, "parts", chosen)
    monkeypatch.setattr("sys.argv", ["faults", "--quick", "--seed", "7"])
    with pytest.raises(SystemExit) as ended:
        faults.main()
    assert int(ended.value.code or 0) == code
    assert capsys.readouterr().out.startswith("seed 7\n")
    assert seeds == [Random(7).random()]


def test_the_short_form_has_every_line_of_the_long_one() -> None:
    def names(*, quick: bool) -> list[str]:
        return [re.sub(r"[\d,]+", "n", part.what) for part in faults.parts(quick=quick)]

    assert sorted(names(quick=True)) == sorted(names(quick=False))
    assert len({part.what for part in faults.parts(quick=False)}) == len(names(quick=False))


def test_lines_at_once_are_all_in_the_table_and_a_line_that_dies_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def die(_dice: Random) -> Found:
        os._exit(1)

    good = [Part(f"good {one}", does(Found()), does(Found(lost=1)), faults=0) for one in range(3)]

    def ended(parts: list[Part]) -> int:
        def chosen(*, quick: bool) -> list[Part]:
            return [] if quick else parts

        monkeypatch.setattr(faults, "parts", chosen)
        monkeypatch.setattr("sys.argv", ["faults", "--lanes", "2"])
        with pytest.raises(SystemExit) as end:
            faults.main()
        return int(end.value.code or 0)

    assert ended(good) == 0
    shown = capfd.readouterr().out
    assert all(part.what in shown for part in good)
    assert ended([*good, Part("bad", die, does(Found(lost=1)), faults=0)]) == 1
    assert "good 2" in capfd.readouterr().out
