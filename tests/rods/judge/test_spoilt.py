"""The judge notices what is spoilt (`python -m tests.rods.judge.spoilt` tries 200 answers)."""

import pytest

from tests.rods.judge.spoilt import KINDS, certified, missed


def test_every_number_that_is_spoilt_is_noticed() -> None:
    wrong = [
        (seed, name) for seed, case in certified(8, 5000) for name, kind in KINDS.items() if missed(case, kind, seed)
    ]
    assert not wrong


@pytest.mark.soak
def test_every_number_of_two_hundred_answers_that_is_spoilt_is_noticed() -> None:
    wrong = [
        (seed, name) for seed, case in certified(200, 6000) for name, kind in KINDS.items() if missed(case, kind, seed)
    ]
    assert not wrong
