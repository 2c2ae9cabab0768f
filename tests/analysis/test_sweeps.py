"""What a sweep found, and its files: worst values, hysteresis, going on after an interruption, the length needed."""

from __future__ import annotations

import csv
import io
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from lissom.analysis.needing import first_failure, length_needed
from lissom.analysis.sweepfiles import Request, SweepFolder, csv_text, run_sweep
from lissom.analysis.sweepplots import abscissa, plot_map
from lissom.analysis.sweepreport import print_swept, swept_json, write_swept
from lissom.analysis.sweeps import Swept
from lissom.scene import Scene
from lissom.simulation import Simulation
from tests.test_sweeping import ARCH, HOSE, recorded, rod

GRID = Request(grid={"steering": 3, "travel": 4})


def whole(scene: Scene, request: Request, folder: SweepFolder | None = None) -> Swept:
    *_, last = run_sweep(scene, request, folder)
    return last


def same(a: Swept, b: Swept, tolerance: float) -> None:
    """Two sweeps that found the same."""
    assert len(a.readings) == len(b.readings)
    for one, other in zip(a.readings, b.readings, strict=True):
        for key in ("number", "settings", "back", "status"):
            assert getattr(one, key) == getattr(other, key)
        assert len(one.snaps) == len(other.snaps)
        for name, cable in one.cables.items():
            assert cable.bend_radius == pytest.approx(other.cables[name].bend_radius, rel=1e-6)
            assert cable.twist == pytest.approx(other.cables[name].twist, abs=1e-6)
    for here, there in zip(a.shapes, b.shapes, strict=True):
        assert here.keys() == there.keys()
        for name, shape in here.items():
            assert np.abs(shape - there[name]).max() < tolerance


def test_the_worst_of_each_check_is_the_worst_of_all_positions() -> None:
    """Against solves of every position alone."""
    scene = Scene.from_toml(HOSE)
    swept = whole(scene, GRID)
    worst = {k.check.rule: k for k in swept.worst()}
    radii, tensions = {}, {}
    for reading in swept.readings:
        simulation = Simulation(scene)
        simulation.set_joints(reading.settings)
        assert simulation.solve().ok
        radii[reading.number] = simulation.cable("hose").min_bend_radius
        tensions[reading.number] = float(simulation.cable("hose").tension.max())
    tightest, hardest = min(radii, key=lambda k: radii[k]), max(tensions, key=lambda k: tensions[k])
    assert worst["bend_radius"].position.number == tightest
    assert worst["bend_radius"].check.value == pytest.approx(radii[tightest], rel=1e-3)
    assert worst["tension"].position.number == hardest
    assert worst["tension"].check.value == pytest.approx(tensions[hardest], rel=1e-3)
    assert worst["bend_radius"].failed == sum(k < 0.04 for k in radii.values())


@pytest.mark.parametrize("scene", [HOSE, rod(10, 0.0, 16.0)], ids=["hose", "rod of many turns"])
@pytest.mark.parametrize("stop", [1, 5])
def test_an_interrupted_sweep_goes_on_and_is_as_if_nothing_had_happened(tmp_path: Path, scene: str, stop: int) -> None:
    """Stopped in the middle, the files as they are on disk then; gone on with by a new process's objects."""
    described = Scene.from_toml(scene)
    request = Request(grid={described.joints[-1].name: 9}, back=True)
    folder = SweepFolder(tmp_path, described, request)
    swept = run_sweep(described, request, folder)
    for _ in itertools.islice(swept, stop):
        pass
    swept.close()  # type: ignore[attr-defined]
    assert (tmp_path / "resume.json").is_file()
    begun = SweepFolder(tmp_path, described, request).begun(described, request.goals(described))
    assert begun is not None
    assert len(begun[1].readings) == stop
    after = whole(described, request, SweepFolder(tmp_path, described, request))
    same(after, whole(described, request), 1e-6)
    assert not list(tmp_path.glob("resume*"))
    assert len((tmp_path / "positions.jsonl").read_text().splitlines()) == 1 + 17


def test_a_grid_shared_out_among_processes_is_the_grid() -> None:
    """Also where a snap makes the answer depend on the way: the arch keeps the branch of the piece before."""
    for text, grid in ((HOSE, {"steering": 3, "travel": 4}), (ARCH, {"tilt": 15})):
        scene = Scene.from_toml(text)
        *_, shared = run_sweep(scene, Request(grid=grid), processes=2)
        same(shared, whole(scene, Request(grid=grid)), 1e-6)


def test_what_another_sweep_left_is_not_gone_on_with(tmp_path: Path) -> None:
    scene = Scene.from_toml(HOSE)
    swept = run_sweep(scene, GRID, SweepFolder(tmp_path, scene, GRID))
    next(swept)
    swept.close()  # type: ignore[attr-defined]
    longer = scene.with_value("hose/length", 0.43)
    for other, request in ((longer, GRID), (scene, Request(grid={"steering": 3}))):
        assert SweepFolder(tmp_path, other, request).begun(other, request.goals(other)) is None


def test_another_recording_is_another_sweep(tmp_path: Path) -> None:
    recorded(tmp_path, [(0.2 + 0.001 * k, 0.0, 0.0) for k in range(4)])
    scene, request = Scene.load(tmp_path / "plug.toml"), Request(motion="path")
    swept = run_sweep(scene, request, SweepFolder(tmp_path / "out", scene, request))
    next(swept)
    swept.close()  # type: ignore[attr-defined]
    assert SweepFolder(tmp_path / "out", scene, request).begun(scene, request.goals(scene)) is not None
    recorded(tmp_path, [(0.2 + 0.002 * k, 0.0, 0.0) for k in range(4)])
    assert SweepFolder(tmp_path / "out", scene, request).begun(scene, request.goals(scene)) is None


def test_a_motion_of_two_joints_has_no_map_and_is_drawn_over_time() -> None:
    scene = Scene.from_toml(HOSE)
    for request, over in ((GRID, "position"), (Request(motion="lane change", frames=3, back=True), "time [s]")):
        swept = whole(scene, request)
        assert (plot_map(scene, swept, "hose") is None) == (over == "time [s]")
        assert abscissa(scene, swept)[1] == over


@pytest.mark.parametrize("damage", ["positions.jsonl", "shapes.f8", "resume.json"])
def test_files_that_were_damaged_are_begun_anew(tmp_path: Path, damage: str) -> None:
    scene = Scene.from_toml(HOSE)
    swept = run_sweep(scene, GRID, SweepFolder(tmp_path, scene, GRID))
    next(swept)
    swept.close()  # type: ignore[attr-defined]
    (tmp_path / damage).write_bytes(b"\x00{")
    assert len(whole(scene, GRID, SweepFolder(tmp_path, scene, GRID)).readings) == 12


def test_hysteresis_is_told_where_shapes_differ_and_nowhere_else() -> None:
    scene = Scene.from_toml(ARCH)
    swept = whole(scene, Request(grid={"tilt": 15}, back=True))
    told = {round(at_value(k.there.settings["tilt"]), 6) for k in swept.hysteresis()}
    assert told == {round(v, 6) for v in np.linspace(-1.4, 1.4, 15) if abs(v) < 0.5648}
    assert len(swept.snaps) == 3  # one on the way to the first position
    assert not whole(Scene.from_toml(HOSE), Request(grid={"steering": 5}, back=True)).hysteresis()


def at_value(value: object) -> float:
    assert isinstance(value, float)
    return value


def test_a_twisted_rod_has_hysteresis_though_it_is_straight_before_and_after() -> None:
    swept = whole(Scene.from_toml(rod(10, 0.0, 16.0)), Request(grid={"turn": 9}, back=True))
    loops = swept.hysteresis()
    assert loops
    assert max(k.twist for k in loops) > 6.0


def test_files_hold_the_table_the_document_and_both_shapes_of_a_snap(tmp_path: Path) -> None:
    scene = Scene.from_toml(ARCH)
    swept = whole(scene, Request(grid={"tilt": 8}, back=True))
    written = {path.name for path in write_swept(scene, swept, [], tmp_path, with_envelope=False)}
    assert {"sweep.json", "sweep.csv", "arch-sweep.png", "arch-snap-1.csv", "arch-snap-3.csv"} <= written
    told = json.loads((tmp_path / "sweep.json").read_text())
    assert len(told["positions"]) == 15
    assert told["certified"] == 15
    rows = list(csv.DictReader(io.StringIO(csv_text(swept))))
    assert [float(k["tilt"]) for k in rows] == pytest.approx([k["settings"]["tilt"] for k in told["positions"]])
    radii = [float(k["arch: bend radius (m)"]) for k in rows]
    assert radii == pytest.approx([k["cables"]["arch"]["bend_radius"] for k in told["positions"]], rel=1e-8)
    snap = list(csv.DictReader((tmp_path / "arch-snap-2.csv").open()))
    assert len(snap) == 65
    heights = [float(snap[32][k]) for k in ("z_before", "z_after")]
    assert abs(heights[0] - heights[1]) > 0.2
    assert "NaN" not in swept_json(scene, swept, [])


def test_the_length_needed_is_the_border_between_passing_and_failing() -> None:
    """A little shorter fails somewhere, the length itself passes everywhere: found again by other sweeps."""
    scene = Scene.from_toml(HOSE)
    found = length_needed(scene, GRID, "hose")
    assert found.length is not None
    assert "bend radius" in found.why
    assert whole(scene.with_value("hose/length", found.length), GRID).ok
    assert not whole(scene.with_value("hose/length", found.length - 1.5e-3 * 0.42), GRID).ok


def test_a_straight_pull_needs_the_distance() -> None:
    """A weightless wire without limits needs just what its ends are apart at the farthest position."""
    scene = Scene.from_toml(
        HOSE.replace("limits", "# limits")
        .replace("format = 1", "format = 1\ngravity = [0, 0, 0]")
        .replace('kind = "slide"\naxis = [0, 0, 1]', 'kind = "slide"\naxis = [0, 1, 0]')
        .replace("[0, 1, -0.3], roll = 0", "[0, 1, 0], roll = 0")
        .replace("[0.09, -0.04, 0.02], tangent = [-0.2, 1, 0.6]", "[0, 0, 0.15], tangent = [0, 1, 0]")
    )
    found = length_needed(scene, Request(grid={"travel": 5}), "hose")
    assert found.length == pytest.approx(0.38, abs=0.001)
    assert found.where == "travel 80 mm"


def test_a_part_on_its_way_is_held_back_by_the_cable_that_is_too_short(tmp_path: Path) -> None:
    """A plug goes 110 mm farther than its wire reaches: which wire, from where on, and how long it must be."""
    recorded(tmp_path, [(0.2 + 0.02 * k, 0.0, 0.0) for k in range(12)])
    scene = Scene.load(tmp_path / "plug.toml").with_value("wall/position", (0.2, 0.5, 0.0))
    swept = whole(scene, Request(motion="path"))
    assert swept.failed
    assert all(k.status == "infeasible" and k.reason.startswith("wire") for k in swept.failed)
    assert [k.number for k in swept.failed] == list(range(swept.failed[0].number, 12))
    assert 0.2 + 0.02 * swept.failed[0].number - 0.01 >= 0.3
    lacking = 0.2 + 0.02 * 11 - 0.01 - scene.cable("wire").length  # at the last one, not where it was first held back
    assert float(swept.failed[-1].reason.split(": ")[-1].split()[0]) == pytest.approx(lacking, rel=1e-5)
    need = length_needed(scene, Request(motion="path"), "wire")
    assert need.length == pytest.approx(0.41, rel=2e-3)
    assert need.where == "t = 11 s"


def test_a_jam_is_no_matter_of_length(tmp_path: Path) -> None:
    """The wall stops the plug; until there the wire is long enough, and that is all that is asked of it."""
    recorded(tmp_path, [(0.2, 0.01 * k, 0.0) for k in range(16)])
    scene = Scene.load(tmp_path / "plug.toml")
    swept = whole(scene, Request(motion="path"))
    assert [k.status for k in swept.readings] == ["converged"] * 9 + ["jammed"] * 7
    stream = io.StringIO()
    print_swept(scene, swept, [], Console(file=stream, width=200))
    told = stream.getvalue()
    assert "jams on the way to t = 9 s: plug stopped at wall, at (200, 85, 0) mm; 7 positions not reached" in told
    assert first_failure(scene, Request(motion="path")) == ("", "")
