"""Verbs change a simulation wholly or not at all: what the caller got wrong is raised, an error inside is a report."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import Scene, SceneError, Simulation, SolveError, sweeping
from lissom.batch import _Moved
from lissom.cables import Cables
from lissom.rods.solver import RodSolver

HOSE = """
format = 1
[[cables]]
name = "hose"
length = 0.5
stiffness = { bending = 0.02, torsion = 0.015 }
mass_per_length = 0.1
radius = 0.004
start = { position = [0, 0, 0], tangent = [1, 0, 0] }
end = { position = [0.35, 0, 0], tangent = [1, 0, 0] }
clips = [{ name = "clip 1", at = 0.5, position = [0.15, 0.02, -0.12] }]
"""
PLUG = """
[[parts]]
name = "plug"
motion = "held"
position = [0.35, 0, 0]
collide = false
"""
CAR = (
    HOSE.replace("end = { position = [0.35, 0, 0], tangent", 'end = { on = "plug", position = [0, 0, 0], tangent')
    + PLUG
    + """
[[joints]]
name = "travel"
part = "plug"
kind = "slide"
axis = [0, 0, 1]
range = [0.0, 0.1]
"""
)


def broken(*_: Any, **__: Any) -> Any:
    """An error of numpy's, in the middle: of the kind that callers' own mistakes have."""
    return np.zeros(3) + np.zeros(4)


@contextlib.contextmanager
def breaking(owner: type, name: str, monkeypatch: pytest.MonkeyPatch, at: int | None = 1) -> Iterator[None]:
    """The `at`-th call breaks, or every one; what is broken inside is no error of tests here."""
    own, calls = getattr(owner, name), [0]

    def now(*args: Any, **kwargs: Any) -> Any:
        calls[0] += 1
        return broken() if at in (None, calls[0]) else own(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, now)
        patch.delenv("PYTEST_CURRENT_TEST")
        yield


def solved(text: str = HOSE) -> Simulation:
    simulation = Simulation(Scene.from_toml(text))
    simulation.solve().raise_if_failed()
    return simulation


SILENT: list[tuple[str, str, int, Callable[[Simulation], object]]] = [
    ("move an end", "hold", 1, lambda k: k.move("hose/end", position=(0.3, 0.0, 0.0))),
    ("move a part", "follow", 1, lambda k: k.move("plug", position=(0.3, 0.0, 0.0))),
    ("joints", "follow", 1, lambda k: k.set_joints(travel=0.05)),
    ("edit", "rebuild", 1, lambda k: k.edit("hose", length=0.6)),
    ("rename", "restore", 1, lambda k: k.rename("hose", "tube")),
    ("remove", "forget_assembly", 1, lambda k: k.remove("hose/clip 1")),
    ("lengthen", "rebuild", 1, lambda k: k.lengthen("hose", by=0.02)),
    ("add a part", "look_around", 1, lambda k: k.add_part("ball", shape={"kind": "sphere", "radius": 0.01})),
]


@pytest.mark.parametrize(("owner", "at", "verb"), [k[1:] for k in SILENT], ids=[k[0] for k in SILENT])
def test_an_error_inside_a_verb_is_said_by_the_next_solve(
    owner: str, at: int, verb: Callable[[Simulation], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    simulation = solved(CAR)
    scene, before = simulation.scene, simulation.cable("hose").positions
    with breaking(Cables, owner, monkeypatch, at), contextlib.suppress(SolveError):
        verb(simulation)
    if simulation._broken is not None:
        report = simulation.solve()
        assert report.status == "error"
        assert "ValueError" in report.reason
        assert "report it" in report.reason
    assert simulation.scene == scene
    assert simulation.solve().ok
    assert simulation.cable("hose").valid
    assert np.abs(simulation.cable("hose").positions - before).max() < 1e-9


def test_every_silent_verb_above_really_broke(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, owner, at, verb in SILENT:
        simulation = solved(CAR)
        told = False
        with breaking(Cables, owner, monkeypatch, at):
            try:
                verb(simulation)
            except SolveError as said:
                told = str(said).startswith("error")
        assert told or simulation._broken is not None, name


def test_a_verb_that_gives_a_report_gives_that_of_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = solved()
    grip = simulation.grip("hose", at=0.8)
    before = grip.position
    with breaking(Cables, "hold", monkeypatch, at=3):  # two of the steps are done by then
        report = grip.move(position=before + np.array([0.0, 0.0, 0.01]), max_step=0.002)
    assert report.status == "error"
    assert np.array_equal(grip.position, before)
    assert simulation.solve().ok
    with breaking(RodSolver, "begin_from", monkeypatch):
        report = simulation.add_cable(
            "two",
            start={"position": [0, 0.1, 0], "tangent": [1, 0, 0]},
            end={"position": [0.3, 0.1, 0]},
            stiffness={"bending": 0.02, "torsion": 0.015},
            mass_per_length=0.1,
        )
    assert report.status in ("error", "converged")
    assert simulation.solve().ok


def test_a_verb_that_gives_something_else_raises_what_happened(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = solved()
    scene = simulation.scene
    with breaking(Cables, "rebuild", monkeypatch), pytest.raises(SolveError, match="error inside lissom"):
        simulation.add_clip("hose", at=0.7)
    assert simulation.scene == scene
    assert simulation.solve().ok
    with breaking(Cables, "rebuild", monkeypatch), pytest.raises(SolveError, match="error inside lissom"):
        simulation.grip("hose", at=0.7)
    assert [k.name for k in simulation.supports("hose")] == ["start", "clip 1", "end"]


def test_what_callers_get_wrong_is_raised_and_changes_nothing() -> None:
    simulation = solved(CAR)
    simulation.move("plug", position=(0.33, 0.0, 0.0))  # not solved yet
    for wrong in (
        lambda: simulation.move("hose/clip 1", position="abc"),  # type: ignore[arg-type]
        lambda: simulation.move("hose/clip 1", position=(1.0, None, 0.0)),  # type: ignore[arg-type]
        lambda: simulation.move("plug", quaternion=(1.0, "x", 0.0, 0.0)),  # type: ignore[arg-type]
        lambda: simulation.move("hose/clip 1", position=(2e6, 0.0, 0.0)),  # it was moved, and could not be written
        lambda: simulation.move("hose/clip 7", position=(0.0, 0.0, 0.0)),
        lambda: simulation.edit("hose", length=-1.0),
        lambda: simulation.add_clip("hose", at=0.5),
    ):
        with pytest.raises((ValueError, SceneError)):
            wrong()
    with pytest.raises(TypeError):
        simulation.move("plug", nowhere=3)  # type: ignore[call-arg]
    assert simulation.solve().ok
    assert simulation.pose("plug")[0] == (0.33, 0.0, 0.0)
    assert np.abs(simulation.cable("hose").positions[-1] - (0.33, 0.0, 0.0)).max() < 1e-9


def test_under_tests_an_error_inside_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = solved()
    monkeypatch.setattr(Cables, "hold", broken)
    with pytest.raises(ValueError, match="broadcast"):
        simulation.move("hose/end", position=(0.3, 0.0, 0.0))


def test_a_sweep_goes_on_past_a_position_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = solved(CAR)
    own = sweeping.travel

    def travel(simulation: Simulation, scene: Scene, a: Any, b: Any) -> Any:
        done = own(simulation, scene, a, b)
        return broken() if b.settings["travel"] == pytest.approx(0.01) else done

    monkeypatch.setattr(sweeping, "travel", travel)
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    visits = list(simulation.sweep(grid={"travel": [0.005, 0.01, 0.015]}))
    assert [k.report.status for k in visits] == ["converged", "error", "converged"]
    assert "ValueError" in visits[1].report.reason
    assert visits[1].here.settings["travel"] == pytest.approx(0.005)  # everything as it was before


def test_reach_tells_of_an_error_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    with breaking(Cables, "follow", monkeypatch, at=None):
        found = lissom.reach(Scene.from_toml(CAR), "plug", to=(0.3, 0.0, 0.0))
    assert not found.reached
    assert "ValueError" in found.reason


@pytest.mark.parametrize(
    ("path", "owner", "name"), [("hose/end.position", _Moved, "_one"), ("hose/length", RodSolver, "solve")]
)
def test_solve_many_tells_which_variants_met_an_error(
    path: str, owner: type, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values: Any = [[0.3, 0.0, 0.01 * k] for k in range(4)] if path.endswith("position") else [0.5, 0.51, 0.52]
    monkeypatch.setattr(_Moved, "_sweep", lambda self, block: block)  # what the kernel leaves
    with breaking(owner, name, monkeypatch):
        found = lissom.solve_many(Scene.from_toml(HOSE), {path: np.array(values)}, workers=1)
    assert sorted(found.status) == ["converged"] * (len(values) - 1) + ["error"]
    for status, reason in zip(found.status, found.reason, strict=True):
        assert (status == "error") == ("ValueError" in reason)
