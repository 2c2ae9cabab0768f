"""Random scenes with parts: every answer is certified, and the certificate is true; or it is refused, with a reason.

What is checked of every certified frame, with other code than the solver's (`part_checks.py`): the smooth cable is in
nothing deeper than promised, contacts push and lie where cable and part touch, friction stays in its cone, forces and
moments on every cable, junction and free part add up to nothing, supports are where the scene has them, and nothing got
to the other side of a sheet or a bar. Of every refusal: it says why, leaves the last good shape as it was, and the way
back is open. And it is honest: what is refused has something in the way that can be seen without a solver (a support
inside a part, a cable that is too short, a part in the straight way of a support). A sample in every run, all 300 in
`make soak`.
"""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from lissom import Simulation
from lissom.reports import Report, SolveError
from tests.rods.part_checks import Frame, distances_of, excuses, passed_through, way_excuses
from tests.rods.random_parts import Move, drawn

STATUSES = {"converged", "not_converged", "infeasible", "under_resolved", "unstable"}
LONGEST = 60.0  # s, of one solve
# What a refusal says, in one of these words: what is in the way, and where, or what is missing.
REASONS = (
    "too short|inside|pressed against|jammed against|slides out|do not settle|driven along|from where|would not stay|"
    "no equilibrium|out of balance|too tight|use more points|for want of points|passed through"
)


@dataclass
class Outcome:
    """What came of a scene and its moves."""

    seed: int
    kind: str
    solves: int = 0
    certified: int = 0
    excused: list[str] = field(default_factory=list)  # refusals with the independent reason
    refused: list[str] = field(default_factory=list)  # refusals without one
    coarse: list[str] = field(default_factory=list)  # for want of points
    faults: list[str] = field(default_factory=list)


def play(seed: int, folder: Path) -> Outcome:
    """Solves a scene, then makes its moves one by one; a move that is refused is taken back."""
    d = drawn(seed, folder)
    out = Outcome(seed, d.kind)
    scene = d.scene
    distances = distances_of(scene)
    simulation = Simulation(scene)
    report = solved(simulation, out, "cold")
    if not report.ok:
        judge(report, out, "cold", excuses(scene, simulation, distances))
        out.faults += [f"cold: {text}" for text in kept_nothing(simulation, report)]
        return out
    good = Frame(simulation, distances)
    out.faults += [f"cold: {text}" for text in good.faults()]
    where = poses(simulation)
    for number, move in enumerate(d.moves, start=1):
        what = f"move {number} ({move.path})"
        before = where[move.path]
        simulation.move(move.path, position=move.position, quaternion=move.quaternion)
        report = solved(simulation, out, what)
        if report.ok:
            frame = Frame(simulation, distances)
            out.faults += [f"{what}: {text}" for text in frame.faults() + passed_through(good, frame)]
            good, where = frame, poses(simulation)
            continue
        reasons = excuses(simulation.scene, simulation, distances)
        reasons += way_excuses(
            simulation.scene, good.poses, simulation.state().parts, move.path,
            np.array(before[0]), np.array(move.position), distances,
        )  # fmt: skip
        judge(report, out, what, reasons)
        if report.status != "unstable":  # that is an equilibrium, and shown
            out.faults += [f"{what}: {text}" for text in changed(simulation, good)]
        back(simulation, move, before)
        report = solved(simulation, out, f"{what} taken back")
        if not report.ok:
            out.faults.append(f"{what}: cannot be taken back: {report.status}, {report.reason}")
            break
        frame = Frame(simulation, distances)
        out.faults += [f"{what} taken back: {text}" for text in frame.faults() + passed_through(good, frame)]
        good = frame
    return out


def solved(simulation: Simulation, out: Outcome, what: str) -> Report:
    began = time.process_time()  # of this process alone: others may share the machine
    report = simulation.solve()
    out.solves += 1
    out.certified += report.ok
    if report.status not in STATUSES:
        out.faults.append(f"{what}: status {report.status}")
    if time.process_time() - began > LONGEST:
        out.faults.append(f"{what}: took {time.process_time() - began:.0f} s")
    return report


def poses(simulation: Simulation) -> dict[str, tuple[tuple[float, ...], tuple[float, ...] | None]]:
    """Where everything that can be moved is, by its path."""
    state = simulation.state()
    found: dict[str, tuple[tuple[float, ...], tuple[float, ...] | None]] = {**state.parts, **state.junctions}
    for c in simulation.scene.cables:
        for name, end in (("start", c.start), ("end", c.end)):
            if end is not None and end.position is not None:
                found[f"{c.name}/{name}"] = (end.position, None)
    return found


def back(simulation: Simulation, move: Move, before: tuple[tuple[float, ...], tuple[float, ...] | None]) -> None:
    simulation.move(move.path, position=before[0], quaternion=before[1] if move.quaternion is not None else None)


def judge(report: Report, out: Outcome, what: str, reasons: list[str]) -> None:
    """A refusal says why; and there is an independent reason for it."""
    text = f"{what}: {report.status}: {report.reason}"
    named = any(name in report.reason for name in report.cables)
    if not named or not re.search(r"\d", report.reason) or not re.search(REASONS, report.reason):
        out.faults.append(f"says nothing useful: {text}")
    unexcused = out.coarse if report.status == "under_resolved" else out.refused
    (out.excused if reasons else unexcused).append(f"{text} [{'; '.join(reasons)}]" if reasons else text)


def kept_nothing(simulation: Simulation, report: Report) -> list[str]:
    """After a first solve that failed there is no shape to show, unless it is an equilibrium that would not stay."""
    found = []
    for name in report.cables:
        try:
            x = simulation.cable(name).positions
        except SolveError:
            continue
        if not np.isfinite(x).all():
            found.append(f"NaN: {name}")
    return found


def changed(simulation: Simulation, good: Frame) -> list[str]:
    """A refused move leaves the shapes and contacts of the last certified frame."""
    found = []
    for name, result in good.results.items():
        off = float(np.abs(simulation.cable(name).positions - result.positions).max())
        if not off <= 1e-12 * result.length:
            found.append(f"kept: {name} is {off:.1e} m from its last good shape")
    if [c.pressure for c in simulation.contacts] != [c.pressure for c in good.contacts]:
        found.append("kept: other contacts than in the last good shape")
    return found


# What went wrong once, and is quick: a slide that rubs next to what it touches (30), parts that touch parts (41), a dip
# in the outer half of a segment (45), a connector in the floor (67), contacts beside a rim (101) and beside an edge
# (148, 160), a cable that dips between the points a rough thing holds (151), an end led past a bar so near that the
# cable slipped through it where it is held (100), a way out of a saddle right through a bar (280).
MENDED = (30, 41, 45, 67, 100, 101, 148, 151, 160, 280)
# Of all solves, the part that may be refused, with the reason said, though nothing here shows why it must be. Measured:
# 1.3 % of the solves of all 300 seeds (17 of 1,260).
UNEXCUSED = 0.02
# and the part that may be refused for want of points. Measured: 2.1 %.
COARSE = 0.03


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(15), id="15"),
        pytest.param(MENDED, id="mended"),
        pytest.param(range(300), id="300", marks=pytest.mark.soak),
    ],
)
def test_certified_or_honestly_refused(seeds: Sequence[int], tmp_path: Path) -> None:
    play(seeds[0], tmp_path)  # kernels are compiled: that is not counted as a solve that takes long
    outcomes = [play(seed, tmp_path) for seed in seeds]
    assert not {k.seed: k.faults for k in outcomes if k.faults}
    refused = {k.seed: k.refused for k in outcomes if k.refused}
    assert sum(len(k) for k in refused.values()) <= UNEXCUSED * sum(k.solves for k in outcomes), refused
    coarse = {k.seed: k.coarse for k in outcomes if k.coarse}
    assert sum(len(k) for k in coarse.values()) <= max(COARSE * sum(k.solves for k in outcomes), 1.0), coarse
    assert sum(k.certified for k in outcomes) > 0.6 * sum(k.solves for k in outcomes)
