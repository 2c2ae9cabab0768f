"""Cables and clips that come and go: nothing jumps, nothing twists, everything can be saved."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.scene import Scene, SceneError
from lissom.simulation import Simulation

Array = NDArray[np.float64]

HOSE: dict[str, Any] = {
    "name": "hose",
    "length": 0.42,
    "points": 65,
    "stiffness": {"bending": 0.035, "torsion": 0.025},
    "mass_per_length": 0.107,
    "start": {"position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.0]},
    "end": {"position": [0.2, 0.14, -0.12], "tangent": [0.0, 0.6, -0.8]},
}


def solved(**fields: Any) -> Simulation:
    sim = Simulation(Scene.from_dict({"cables": [{**HOSE, **fields}]}))
    sim.solve().raise_if_failed()
    return sim


def curve(sim: Simulation, name: str = "hose") -> Array:
    """The centre line at even places, whatever the grid."""
    from scipy.interpolate import CubicHermiteSpline

    found = sim.cable(name)
    line = CubicHermiteSpline(found.s, found.positions, found.tangents)
    return np.asarray(line(np.linspace(0.0, found.length, 301)))


def moved(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max())


@pytest.mark.parametrize("kind", ["clamp", "swivel", "ball", "ring", "sleeve"])
@pytest.mark.parametrize("at", [0.25, 0.37])
def test_a_new_clip_moves_nothing(kind: str, at: float) -> None:
    sim = solved(twist=2.0)
    before, torsion = curve(sim), sim.cable("hose").total_torsion
    path = sim.add_clip("hose", at=at, kind=kind)
    report = sim.solve()
    assert path == "hose/clip 1"
    assert report.ok
    assert moved(curve(sim), before) < 2e-7 * 0.42  # the grid has a point more
    assert sim.cable("hose").total_torsion == pytest.approx(torsion, abs=1e-5)
    assert np.linalg.norm(sim.cable("hose").reactions["clip 1"].force) < 1e-4
    assert sim.scene.cable("hose").clip("clip 1").kind == kind


@pytest.mark.parametrize("twist", [0.0, 3.0, 9.0])
def test_a_cold_solve_with_the_new_clamp_finds_the_same_shape(twist: float) -> None:
    """The scene says everything: frames in full, turns counted."""
    sim = solved(twist=twist)
    before = sim.cable("hose").total_torsion
    sim.add_clip("hose", at=0.5)
    cold = Simulation(sim.scene)
    cold.solve().raise_if_failed()
    assert cold.cable("hose").total_torsion == pytest.approx(before, abs=1e-3)
    if twist < 5.0:  # with more, the lonely spans may find another of their shapes
        assert moved(curve(cold), curve(sim)) < 1e-6


def test_a_clip_off_again_gives_the_first_shape_back() -> None:
    sim = solved(twist=1.0)
    before, end = curve(sim), sim.cable("hose").quaternions[-1]
    sim.add_clip("hose", at=0.4)
    sim.add_clip("hose", at=0.7, kind="ball")
    sim.remove("hose/clip 1")
    sim.remove("hose/clip 2")
    sim.solve().raise_if_failed()
    assert moved(curve(sim), before) < 2e-7 * 0.42
    assert abs(float(sim.cable("hose").quaternions[-1] @ end)) == pytest.approx(1.0, abs=1e-9)
    assert sim.scene.cable("hose").clips == ()
    cold = Simulation(sim.scene)
    cold.solve().raise_if_failed()
    assert moved(curve(cold), before) < 2e-7 * 0.42


@pytest.mark.parametrize("count", [1, 3])
def test_clips_are_spaced_evenly_where_the_cable_is(count: int) -> None:
    sim = solved()
    before = curve(sim)
    paths = sim.space_clips("hose", count)
    sim.solve().raise_if_failed()
    assert paths == tuple(f"hose/clip {k}" for k in range(1, count + 1))
    assert [clip.at for clip in sim.scene.cable("hose").clips] == pytest.approx(
        [k / (count + 1) for k in range(1, count + 1)]
    )
    assert moved(curve(sim), before) < 2e-7 * 0.42
    sim.space_clips("hose", count + 1, kind="ball")
    assert len(sim.scene.cable("hose").clips) == count + 1
    sim.space_clips("hose", 0)
    sim.solve().raise_if_failed()
    assert moved(curve(sim), before) < 1e-6


def test_a_clip_that_was_added_can_be_moved_and_saved(tmp_path: Path) -> None:
    sim = solved()
    path = sim.add_clip("hose", at=0.5)
    here = np.array(sim.scene.cable("hose").clip("clip 1").position)
    sim.move(path, position=here + np.array([0.005, 0.005, -0.01]))
    sim.solve().raise_if_failed()
    sim.save(tmp_path / "a.toml")
    again = Simulation.open(tmp_path / "a.toml")
    assert again.notes == []
    assert again.scene == sim.scene
    assert moved(curve(again), curve(sim)) < 1e-7


def test_an_old_clip_keeps_its_frame_when_one_is_put_before_it() -> None:
    """It said only a tangent, and was mounted untwisted on the start."""
    clip = {"name": "late", "at": 0.6, "position": [0.12, 0.07, -0.02], "tangent": [1, 1, -0.3]}
    sim = solved(clips=[clip])
    before = curve(sim)
    sim.add_clip("hose", at=0.3)
    sim.solve().raise_if_failed()
    assert moved(curve(sim), before) < 2e-7 * 0.42
    late = sim.scene.cable("hose").clip("late")
    assert late.quaternion is not None
    sim.remove("hose/clip 1")
    sim.solve().raise_if_failed()
    assert moved(curve(sim), before) < 2e-7 * 0.42


def test_clips_that_cannot_be() -> None:
    sim = solved()
    sim.add_clip("hose", at=0.5)
    with pytest.raises(ValueError, match="already held"):
        sim.add_clip("hose", at=0.5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        sim.add_clip("hose", at=1.0)
    with pytest.raises(ValueError, match="must be one of clamp"):
        sim.add_clip("hose", at=0.2, kind="glue")
    with pytest.raises(SceneError, match="another name"):
        sim.add_clip("hose", at=0.2, clip="clip 1")
    with pytest.raises(SceneError, match='did you mean "clip 1"'):
        sim.remove("hose/clip 2")
    with pytest.raises(ValueError, match="whole number"):
        sim.space_clips("hose", -1)
    assert sim.solve().ok


# ---- cables ------------------------------------------------------------------------------------------------------


def test_a_new_cable_between_two_poses_finds_its_length() -> None:
    sim = Simulation(Scene.from_dict({}))
    report = sim.add_cable(
        "hose",
        type="library:brake-hose-epdm",
        start={"position": [0, 0, 0], "tangent": [1, 0, 0]},
        end={"position": [0.2, 0.1, 0.0], "tangent": [0, 1, 0]},
    )
    assert report.ok
    length = sim.scene.cable("hose").length
    assert math.hypot(0.2, 0.1) < length < 1.3 * math.hypot(0.2, 0.1)
    assert sim.cable("hose").length == length
    with sim.soften("hose") as mode:
        sim.solve().raise_if_failed()
        assert mode.length == pytest.approx(length, rel=1e-6)


def test_a_new_cable_of_a_given_length_leaves_the_others_alone() -> None:
    sim = solved()
    before = curve(sim)
    start = {"position": [0, 0.5, 0], "tangent": [1, 0, 0]}
    end = {"position": [0.2, 0.5, 0], "tangent": [1, 0, 0]}
    report = sim.add_cable("other", start=start, end=end, length="300 mm", stiffness=HOSE["stiffness"],
                           mass_per_length=0.1, radius=0.004)  # fmt: skip
    assert report.ok
    assert list(sim.cables) == ["hose", "other"]
    assert moved(curve(sim), before) < 1e-6
    sim.remove("other")
    assert sim.solve().ok
    assert list(sim.cables) == ["hose"]


def test_cables_that_cannot_be() -> None:
    sim = solved()
    here = {"position": [0, 0, 0], "tangent": [1, 0, 0]}
    with pytest.raises(SceneError, match="new/length: is missing"):
        sim.add_cable("new", start=here, end=here, type="library:brake-hose-epdm")
    with pytest.raises(SceneError, match="must be unique"):
        sim.add_cable("hose", start=here, end={"position": [1, 0, 0]}, type="library:brake-hose-epdm")
    with pytest.raises(SceneError, match="no cable of this name"):
        sim.remove("hoze")
    assert sim.cables == ("hose",)


def test_a_joined_end_says_no_twist() -> None:
    """Turning the start of a cable whose end is joined used to write a twist that the scene refuses."""
    sim = Simulation(Scene.load(Path(__file__).parents[1] / "examples/harness.toml"))
    sim.move("trunk/start", tangent=(1.0, 0.05, 0.0))
    assert sim.scene.cable("trunk").twist is None
    assert sim.scene.cable("trunk").start is not None
    sim.solve().raise_if_failed()
    path = sim.add_clip("trunk", at=0.2)
    assert sim.solve().ok
    sim.remove(path)
    assert sim.solve().ok
