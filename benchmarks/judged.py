"""What the judge costs, beside the frames that it judges, in the same run."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from tests.rods.reference_scenes import CABLE, make

from benchmarks.dragged import CASE, END, at_most, path, percentiles, solved, timed
from benchmarks.table import Row
from lissom import Scene, Simulation
from lissom.rods.judge.certificate import Certificate
from lissom.rods.judge.verdict import Case, Judge

GROUP = "the judge"
LYING = """
format = 1
[[cables]]
name = "hose"
length = 0.5
points = 101
radius = 0.004
stiffness = { bending = 0.01, torsion = 0.008 }
mass_per_length = 0.05
start = { position = [-0.22, 0, 0.02], tangent = [1, 0, 0] }
end = { position = [0.22, 0, 0.02], tangent = [1, 0, 0] }
[[parts]]
name = "ball"
shape = { kind = "sphere", radius = 0.05 }
position = [0, 0, -0.05]
"""


@contextmanager
def listening(heard: list[tuple[Case, float]]) -> Iterator[None]:
    """Notes the cases that are judged in the block, and what that took (ms)."""
    plain = Judge.verdict

    def verdict(self: Judge, case: Case) -> dict[str, Certificate]:
        began = time.perf_counter()
        found = plain(self, case)
        heard.append((case, 1e3 * (time.perf_counter() - began)))
        return found

    Judge.verdict = verdict  # type: ignore[method-assign]
    try:
        yield
    finally:
        Judge.verdict = plain  # type: ignore[method-assign]


def judge(rounds: int) -> Iterator[Row]:
    """Alone, without self-contact, turns and error; each of these apart; in contact."""
    simulation = solved(make(CASE, 101))
    heard: list[tuple[Case, float]] = []
    frame = percentiles(moved(simulation, rounds))
    with listening(heard):
        moved(simulation, rounds)
    plain, winding, itself = [], [], []
    bare, turns, touching = Judge(), Judge(), Judge()
    for case, _ in heard:
        given = case.cables[CABLE]
        lonely = replace(given, collide=False, since=None)
        plain.append(timed(lambda: bare.verdict(case._replace(cables={CABLE: lonely}))))  # noqa: B023
        winding.append(timed(lambda: turns.verdict(case._replace(cables={CABLE: replace(given, collide=False)}))))  # noqa: B023
        itself.append(timed(lambda: touching.verdict(case._replace(cables={CABLE: replace(given, since=None)}))))  # noqa: B023
    p = percentiles(plain)
    share = p["p50"] / frame["p50"]
    yield Row(GROUP, "a lone hose", 101, note=f"{100 * share:.0f} % of a frame", **p, **at_most(share, 0.2, "≤ 20 %"))
    for job, times in (("… turns", winding), ("… self-contact", itself)):
        more = float(np.median(times)) - p["p50"]
        yield Row(GROUP, job, 101, p50=max(more, 0.0), note=f"{100 * max(more, 0.0) / frame['p50']:.0f} % more")
    times = []
    for place in path():
        simulation.move(END, position=place)
        simulation.solve()
        result = simulation.cable(CABLE)
        times.append(timed(lambda: result.error))  # noqa: B023
    yield Row(GROUP, "the estimate of the error, when asked for", 101, **percentiles(times))
    yield contact(rounds)


def moved(simulation: Simulation, rounds: int) -> list[float]:
    """Times of frames, ms."""
    times = []
    for place in np.tile(path(), (rounds, 1)):
        began = time.perf_counter()
        simulation.move(END, position=place)
        simulation.solve()
        times.append(1e3 * (time.perf_counter() - began))
    return times


def contact(rounds: int) -> Row:
    """A hose that lies on a ball, dragged 5 mm a frame."""
    simulation = Simulation(Scene.from_toml(LYING))
    simulation.solve().raise_if_failed()
    heard: list[tuple[Case, float]] = []
    times = []
    with listening(heard):
        for k in range(30 * rounds):
            began = time.perf_counter()
            simulation.move("hose/end", position=(0.22 + 0.005 * np.sin(k), 0.005 * np.cos(1.3 * k), 0.02))
            simulation.solve()
            times.append(1e3 * (time.perf_counter() - began))
    p = percentiles([took for _, took in heard])
    share = p["p50"] / float(np.median(times))
    return Row(GROUP, "in contact", 101, note=f"{100 * share:.0f} % of a frame", **p, **at_most(share, 0.1, "≤ 10 %"))
