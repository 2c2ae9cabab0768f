"""The scenes after HD00's figures A.2–A.5 are solved, and show what the figures show."""

from pathlib import Path

import numpy as np
import pytest

from lissom.scene import Scene
from lissom.simulation import Simulation

SCENES = sorted((Path(__file__).parents[2] / "examples" / "kinematic").glob("*.toml"))


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_scene_is_solved_near_its_rods(path: Path) -> None:
    scene = Scene.load(path)
    rods = scene
    for cable in scene.cables:
        assert cable.model == "kinematic"
        rods = rods.with_value(f"{cable.name}/model", "rod")
    ours, true = Simulation(scene), Simulation(rods)
    for simulation in (ours, true):
        report = simulation.solve()
        assert report.ok, report.reason
        assert not [note for k in report.cables.values() for note in k.warnings]
    for name in ours.cables:
        a, b = ours.cable(name), true.cable(name)
        x = np.stack([np.interp(a.s, b.s, b.positions[:, k]) for k in range(3)], axis=1)
        assert np.linalg.norm(a.positions - x, axis=1).max() < 2e-3 * a.length


def test_a_cable_without_mass_bends_and_one_without_springs_hangs() -> None:
    simulation = Simulation(Scene.load(SCENES[0].parent / "materials.toml"))
    simulation.solve()
    x = {name: simulation.cable(name).positions for name in simulation.cables}
    assert np.ptp(x["without springs"][:, 1]) < 1e-9
    assert simulation.cable("without springs").energy["bending"] == 0.0
    assert simulation.cable("without mass").energy["gravity"] == 0.0
    assert x["without springs"][:, 2].min() < x["cable"][:, 2].min()


def test_connected_cables_are_smooth_where_they_meet() -> None:
    simulation = Simulation(Scene.load(SCENES[0].parent / "connected-shifted.toml"))
    simulation.solve()
    result = simulation.cable("cables")
    k = int(np.argmin(np.abs(result.s - 0.5)))
    before, after = result.positions[k] - result.positions[k - 1], result.positions[k + 1] - result.positions[k]
    turn = np.arccos(before @ after / np.linalg.norm(before) / np.linalg.norm(after))
    assert turn < 0.1
    assert result.positions[k] == pytest.approx((0.3, 0.12, 0.18))
