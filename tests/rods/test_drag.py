"""A hose dragged over a sheet-metal bracket, with jumps: never through it, never into it."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.bracket import bracket
from numpy.typing import NDArray

from lissom import Simulation
from lissom.geometry.clearance import clearance, crossed
from lissom.geometry.solids import mesh_solid
from lissom.rods import assembly
from lissom.rods.assembly import Assembly
from lissom.rods.outcome import WARM_TOLERANCE, RodReport
from lissom.rods.slides import restore
from lissom.rods.stepping import Trial
from lissom.rods.system import Settled, System
from lissom.scene import Scene
from tests.exchange.conftest import stl

Array = NDArray[np.float64]

START = np.array([-0.14, 0.02, 0.05])
LENGTH, RADIUS = 0.5, 0.005


def scene(folder: Path, triangles: int) -> Scene:
    (folder / "bracket.stl").write_bytes(stl(*bracket(triangles)))
    text = f"""
    [[parts]]
    name = "bracket"
    mesh = "bracket.stl"
    units = "m"
    [[cables]]
    name = "hose"
    length = {LENGTH}
    points = 101
    section = {{ diameter = {2 * RADIUS} }}
    material = {{ youngs_modulus = "8 MPa", poisson = 0.49, density = 1200 }}
    start = {{ position = {START.tolist()}, tangent = [1, 0, 0], roll = 0 }}
    end = {{ position = [0.18, -0.1, 0.1], tangent = [1, 0, 0], roll = 0 }}
    """
    (folder / "scene.toml").write_text(text)
    return Scene.load(folder / "scene.toml")


class Watched:
    """Follows every motion of the cable that the solver accepts, and notes those that pass through the sheet."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.passed: list[tuple[Array, Array]] = []
        self.moves = 0
        take, settle, by_core = System._take, System.settle, Assembly._by_core

        def watched_core(found: Assembly, before: list[Array], began: float) -> dict[str, RodReport] | None:
            reports = by_core(found, before, began)
            if reports is not None:
                self.note(found.surroundings, before, [k.positions() for k in found.solvers.values()])
            return reports

        def watched_take(system: System, trial: Trial, before: object) -> None:
            self.note(system.touching, [k.x for k in system.links], trial.points)
            take(system, trial, before)  # type: ignore[arg-type]

        def watched_settle(system: System, *limits: float) -> Settled:
            for link in system.links:
                link.aim()
                if np.any(link.x):  # supports were moved: what hangs on them went along
                    self.note(system.touching, [link.x], [link.locate(link.q, link.nu)])
            return settle(system, *limits)  # type: ignore[arg-type]

        def watched_restore(system: System, *before: object) -> None:
            restore(system, *before)  # type: ignore[arg-type]
            for link in system.links:  # going back to a state of before is no motion
                link.x = link.locate(link.q, link.nu)

        monkeypatch.setattr(Assembly, "_by_core", watched_core)
        monkeypatch.setattr(assembly, "restore", watched_restore)
        monkeypatch.setattr(System, "_take", watched_take)
        monkeypatch.setattr(System, "settle", watched_settle)

    def note(self, things: object, before: list[Array], after: list[Array]) -> None:
        (sheet,) = things.obstacles  # type: ignore[attr-defined]
        for x, y in zip(before, after, strict=True):
            self.moves += 1
            for a, b in zip(x, y, strict=True):
                if crossed(sheet.solid, sheet.rotation, sheet.position, a, b) <= 1.0:
                    self.passed.append((a, b))


def path(frames: int, seed: int) -> list[Array]:
    """Where the end is to be: a shaky hand, and every 25th frame a jump to anywhere that is not behind the sheet."""
    generator = np.random.default_rng(seed)
    sheet = mesh_solid(*bracket(2000), closed=False)
    place = np.array([0.18, -0.1, 0.1])
    found: list[Array] = []
    while len(found) < frames:
        if len(found) % 25 == 24:
            wish = generator.uniform([0.0, -0.14, 0.02], [0.2, 0.14, 0.14])
        else:
            wish = place + generator.normal(0.0, 0.004, 3)
        way = np.array([place, wish])
        clear, *_ = clearance(sheet, np.eye(3), np.zeros(3), way, np.ones(2, dtype=np.int64))
        if clear > 3.0 * RADIUS and np.linalg.norm(wish - START) < 0.36:
            place = wish
            found.append(place)
    return found


@pytest.mark.parametrize(
    ("frames", "seed"),
    [(75, 3), pytest.param(2000, 3, marks=pytest.mark.soak), pytest.param(2000, 8, marks=pytest.mark.soak)],
)
def test_a_hose_dragged_over_a_bracket(frames: int, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(scene(tmp_path, 6000))
    simulation.solve().raise_if_failed()
    watched = Watched(monkeypatch)
    depth = max(1e-4 * RADIUS, 1e-7 * LENGTH)
    held: list[str] = []
    touched = 0
    for k, place in enumerate(path(frames, seed)):
        before = simulation.cable("hose").positions
        simulation.move("hose/end", position=place)
        report = simulation.solve()
        if report.ok:
            assert report.cables["hose"].penetration <= depth
            bulge = 5e-3 * RADIUS  # between its points a smooth hose is nearer to the sheet than the polyline
            assert min(c.distance for c in simulation.clearances) > -bulge
            assert np.linalg.norm(simulation.cable("hose").positions[-1] - place) < WARM_TOLERANCE * LENGTH
            touched += bool(simulation.contacts)
        else:
            held.append(f"frame {k}: {report.reason}")
            assert report.reason
            assert np.array_equal(simulation.cable("hose").positions, before)
    assert watched.moves >= touched
    assert not watched.passed
    assert touched > 0.3 * frames
    assert len(held) <= 0.005 * frames, held


def test_the_watch_sees_a_hose_put_through_the_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its limits on the step the solver does pass: the check above can fail."""
    simulation = Simulation(scene(tmp_path, 6000))
    simulation.solve().raise_if_failed()
    watched = Watched(monkeypatch)
    monkeypatch.setattr(System, "_clear", lambda system, trial: 1.0)
    monkeypatch.setattr(Assembly, "_first_step", lambda *_: 1.0)
    for place in path(75, 3)[24::25]:
        simulation.move("hose/end", position=place * [1.0, 1.0, -1.0])
        simulation.solve()
    assert watched.passed
