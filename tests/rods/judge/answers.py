"""Solved cables as a judge gets to see them."""

from lissom.rods.judge.answer import Answer
from lissom.rods.result import CableResult


def answer_of(result: CableResult) -> Answer:
    sides = result._resultants
    return Answer(
        s=result.s,
        positions=result.positions,
        quaternions=result.quaternions,
        force_before=sides.force_before,
        force_after=sides.force_after,
        moment_before=sides.moment_before,
        moment_after=sides.moment_after,
    )
