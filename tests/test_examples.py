"""Every example runs: scenes solve and keep their limits, scripts write their figure."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from lissom.analysis.report import findings
from lissom.analysis.sweepfiles import Request, run_sweep
from lissom.scene import Scene
from lissom.simulation import Simulation

ROOT = Path(__file__).parents[1]
SCENES = sorted((ROOT / "examples").glob("*.toml"))
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
FIGURES = ROOT / "docs" / "figures"


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_scene_is_certified_and_within_its_limits(path: Path) -> None:
    simulation = Simulation(Scene.load(path))
    found = findings(simulation, simulation.solve())
    assert found.report.ok, found.report.reason
    assert not found.failed_checks
    assert not [note for report in found.report.cables.values() for note in report.warnings]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_script_writes_its_figure(path: Path, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = module.main(tmp_path)
    assert written.read_bytes().startswith(b"\x89PNG")
    assert (FIGURES / written.name).exists()


def test_figures_are_shown_and_small() -> None:
    page = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    for figure in FIGURES.glob("*.png"):
        assert f"figures/{figure.name}" in page
        assert figure.stat().st_size < (400_000 if figure.name == "studio.png" else 150_000)  # a screen is no plot


SWEEPS = [
    ("steered-brake-hose", Request(grid={"steering": 9, "travel": 9})),
    ("steered-brake-hose", Request(motion="pothole in a bend", frames=21)),
    ("robot-wrist", Request(motion="pick and place", frames=31, back=True)),
    ("tailgate", Request(grid={"opening": 19}, back=True)),
]


@pytest.mark.parametrize(("name", "request_"), SWEEPS, ids=[f"{k[0]}, {k[1].motion or 'grid'}" for k in SWEEPS])
def test_every_position_is_certified_and_within_limits_whatever_the_direction(name: str, request_: Request) -> None:
    scene = Scene.load(ROOT / "examples" / f"{name}.toml")
    *_, swept = run_sweep(scene, request_)
    assert [(k.number, k.status, k.reason) for k in swept.failed] == []
    assert [(k.check.rule, k.check.cable, k.failed) for k in swept.worst() if k.failed] == []
    assert swept.snaps == []
    assert swept.hysteresis() == []


def test_the_steered_brake_hose_from_cold_starts_in_random_order_is_the_one_of_the_sweep() -> None:
    """Or the other equilibrium is named: one of the energy that the sweep has there."""
    scene = Scene.load(ROOT / "examples" / "steered-brake-hose.toml")
    simulation = Simulation(scene)
    grid = {"steering": 9, "travel": 9}
    visits = [
        (k.goal.settings, k.shapes["hose"], simulation.cable("hose").energy["total"])
        for k in simulation.sweep(grid=grid)
    ]
    cold = Simulation(scene)
    assert len(visits) == 81
    for number in np.random.default_rng(7).permutation(len(visits)):
        settings, shape, energy = visits[number]
        cold.set_joints(settings)
        report = cold.solve(cold=True)
        assert report.ok, report.reason
        if np.abs(cold.cable("hose").positions - shape).max() > 1e-5:
            energies = [k.energy for k in report.cables["hose"].others]
            assert any(abs(k - energy) < 1e-6 * max(abs(energy), 1.0) for k in energies), (settings, energies, energy)
