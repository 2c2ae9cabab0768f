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
from lissom.analysis.sweepfiles import Request, SweepFolder, clear_results, csv_text, run_sweep
from lissom.analysis.sweepplots import Course, plot_map
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
    for request, over in ((GRID, "travel [mm]"), (Request(motion="lane change", frames=3, back=True), "time [s]")):
        swept = whole(scene, request)
        assert (plot_map(scene, swept, "hose") is None) == (over == "time [s]")
        assert Course.of(scene, swept).label == over


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


ROUND = ARCH.replace("bending = [1000.0, 1.0], torsion = 1000.0", "bending = 1.0, torsion = 0.8")


def test_a_rod_that_turns_without_effort_has_no_hysteresis() -> None:
    """Weightless and round between clamps in line: it lies anywhere around that line, wherever the way left it.

    Twisted there and back it comes back elsewhere around it, with the same energy: nothing was lost on the way.
    """
    text = ROUND.replace("axis = [0, 1, 0]", "axis = [1, 0, 0]").replace("[-1.4, 1.4]", "[-6, 6]")
    scene = Scene.from_toml(text)
    swept = whole(scene, Request(grid={"tilt": 9}, back=True))
    assert not swept.snaps
    assert swept.hysteresis() == []
    loops = swept.loops()
    assert loops
    for loop in loops:
        there, back = (swept.shapes[k.number]["arch"] for k in (loop.there, loop.back))
        assert loop.distance > 0.01
        assert np.allclose(np.hypot(there[:, 1], there[:, 2]), np.hypot(back[:, 1], back[:, 2]), atol=1e-4)
    stream = io.StringIO()
    print_swept(scene, swept, [], Console(file=stream, width=200))
    assert f"at {len(loops)} positions, of the same energy: no effort, no hysteresis" in stream.getvalue()
    document = json.loads(swept_json(scene, swept, []))
    assert (len(document["neutral"]), document["hysteresis"]) == (len(loops), [])


def test_an_arch_that_only_swings_over_releases_nothing_and_one_that_snaps_does() -> None:
    """Round, it swings over where its clamps are in line, and back there: both shapes have the same energy."""
    for text, swings in ((ROUND, True), (ARCH, False)):
        scene = Scene.from_toml(text)
        swept = whole(scene, Request(grid={"tilt": 5}, back=True))
        assert bool(swept.hysteresis()) != swings
        assert swept.snaps
        stream = io.StringIO()
        print_swept(scene, swept, [], Console(file=stream, width=200))
        assert ("releases no energy: it only swings over" in stream.getvalue()) == swings
        for reading in swept.readings:
            for snap in reading.snaps:
                assert (snap.released > 0.01 * reading.cables["arch"].effort) != swings


def test_a_twisted_rod_has_hysteresis_though_it_is_straight_before_and_after() -> None:
    swept = whole(Scene.from_toml(rod(10, 0.0, 16.0)), Request(grid={"turn": 9}, back=True))
    loops = swept.hysteresis()
    assert loops
    assert max(k.twist for k in loops) > 6.0


def test_files_hold_the_table_the_document_and_both_shapes_of_a_snap(tmp_path: Path) -> None:
    scene = Scene.from_toml(ARCH)
    swept = whole(scene, Request(grid={"tilt": 8}, back=True))
    written = {path.name for path in write_swept(scene, swept, tmp_path)}
    assert {"sweep.json", "sweep.csv", "arch-sweep.png", "arch-snap-1.csv", "arch-snap-3.csv"} <= written
    told = json.loads((tmp_path / "sweep.json").read_text())
    assert len(told["positions"]) == 15
    assert told["certified"] == 15
    rows = list(csv.DictReader(io.StringIO(csv_text(scene, swept))))
    assert [float(k["tilt (rad)"]) for k in rows] == pytest.approx([k["settings"]["tilt"] for k in told["positions"]])
    radii = [float(k["arch: bend radius (m)"]) for k in rows]
    assert radii == pytest.approx([k["cables"]["arch"]["bend_radius"] for k in told["positions"]], rel=1e-8)
    snap = list(csv.DictReader((tmp_path / "arch-snap-2.csv").open()))
    assert len(snap) == 65
    heights = [float(snap[32][k]) for k in ("z before (m)", "z after (m)")]
    assert abs(heights[0] - heights[1]) > 0.2
    assert "NaN" not in swept_json(scene, swept, [])


def test_the_table_says_in_which_unit_and_where_recorded_parts_were(tmp_path: Path) -> None:
    """Slides in m, hinges in rad, ball joints as a rotation vector, poses of recorded parts."""
    recorded(tmp_path, [(0.2 + 0.01 * k, 0.0, 0.0) for k in range(4)], [0.1 * k for k in range(4)])
    scene = Scene.load(tmp_path / "plug.toml")
    rows = list(csv.DictReader(io.StringIO(csv_text(scene, whole(scene, Request(motion="path"))))))
    assert [float(k["plug: x (m)"]) for k in rows] == pytest.approx([0.2, 0.21, 0.22, 0.23])
    assert [float(k["plug: qx"]) for k in rows] == pytest.approx(np.sin([0.0, 0.05, 0.1, 0.15]))
    assert [float(k["time (s)"]) for k in rows] == [0.0, 1.0, 2.0, 3.0]
    text = HOSE.replace('kind = "hinge"', 'kind = "ball"').replace('axis = [0, 0, 1]\nrange = ["-35', 'range = ["0')
    text = text[: text.index("[positions]")] + '[positions]\na = { steering = [0, 0, 0.1], travel = "10 mm" }\n'
    scene = Scene.from_toml(text)
    rows = list(csv.DictReader(io.StringIO(csv_text(scene, whole(scene, Request(positions="all"))))))
    assert [float(rows[0][f"steering: {k} (rad)"]) for k in "xyz"] == [0.0, 0.0, 0.1]
    assert float(rows[0]["travel (m)"]) == 0.01


def test_cables_whose_names_make_the_same_file_name_have_files_of_their_own(tmp_path: Path) -> None:
    scene = Scene.from_toml(
        HOSE[: HOSE.index("[[cables]]")]
        + "".join(
            f'[[cables]]\nname = "{name}"\ntype = "hose"\nlength = "420 mm"\npoints = 9\n'
            f"start = {{ position = [0, {y}, 0], tangent = [0, 1, 0] }}\n"
            for name, y in (("hose: a", 0.0), ("hose; a", 0.2))
        )
        + '[[parts]]\nname = "p"\nmotion = "driven"\n[[joints]]\nname = "j"\npart = "p"\nkind = "hinge"\n'
        + "axis = [0, 0, 1]\nrange = [0, 1]\n"
    )
    swept = whole(scene, Request(grid={"j": 2}))
    written = [path.name for path in write_swept(scene, swept, tmp_path)]
    assert len(set(written)) == len(written)
    assert {"hose- a-sweep.png", "hose- a 2-sweep.png"} <= set(written)


def test_what_an_earlier_sweep_left_in_the_folder_is_taken_away_and_nothing_else(tmp_path: Path) -> None:
    """Shapes of a snap of the arch would be taken for those of the hose's sweep."""
    arch, hose = Scene.from_toml(ARCH), Scene.from_toml(HOSE)
    (tmp_path / "arch-snap-99.csv").write_text("mine")
    for path in write_swept(arch, whole(arch, Request(grid={"tilt": 8})), tmp_path):
        assert path.is_file()
    assert (tmp_path / "arch-snap-1.csv").is_file()
    request = Request(grid={"steering": 2})
    swept = run_sweep(hose, request, SweepFolder(tmp_path, hose, request))
    next(swept)  # from its beginning on
    assert sorted(k.name for k in tmp_path.glob("*.*") if "resume" not in k.name) == [
        "arch-snap-99.csv",
        "positions.jsonl",
        "shapes.f8",
    ]


def test_a_document_that_names_files_elsewhere_takes_none_away(tmp_path: Path) -> None:
    """Files are hostile: sweep.json may come from anywhere."""
    (tmp_path / "kept.csv").write_text("kept")
    folder = tmp_path / "out"
    (folder / "sub").mkdir(parents=True)
    for named in (["../kept.csv", "sub", "..", str(tmp_path / "kept.csv")], "..", 7, [7], None):
        (folder / "sweep.json").write_text(json.dumps({"files": named}))
        clear_results(folder)
        assert (tmp_path / "kept.csv").is_file()
        assert (folder / "sub").is_dir()


def test_the_length_needed_is_the_border_between_passing_and_failing() -> None:
    """A little shorter fails somewhere, the length itself passes everywhere: found again by other sweeps."""
    scene = Scene.from_toml(HOSE)
    found = length_needed(scene, GRID, "hose")
    assert found.length is not None
    assert "bend radius" in found.why
    assert whole(scene.with_value("hose/length", found.length), GRID).ok
    assert not whole(scene.with_value("hose/length", found.length - 1.5e-3 * 0.42), GRID).ok


TWO_HOSES = HOSE.replace(
    "[[parts]]",
    """\
[[cables]]
name = "other"
type = "hose"
length = "{length}"
points = 17
limits = {{ bend_radius = "{radius}" }}
start = {{ position = [0, 0, 0.5], tangent = [0, 1, 0], roll = 0 }}
end = {{ position = [0, 0.3, 0.5], tangent = [0, 1, 0], roll = 0 }}
[[parts]]""".replace("{{", "{").replace("}}", "}"),
    1,
)


@pytest.mark.parametrize(("length", "radius"), [("400 mm", "900 mm"), ("250 mm", "1 mm")], ids=["bent", "too short"])
def test_what_another_cable_fails_is_not_asked_of_this_one(length: str, radius: str) -> None:
    """Forty lengths were tried of the one though the other was to blame, whatever its length."""
    scene = Scene.from_toml(TWO_HOSES.replace("{length}", length).replace("{radius}", radius))
    request = Request(grid={"travel": 3})
    told: list[str] = []
    found = length_needed(scene, request, "hose", None, told.append)
    alone = length_needed(Scene.from_toml(HOSE), request, "hose")
    assert len(told) < 20
    assert found.length == pytest.approx(alone.length)
    assert (found.why, found.where) == (alone.why, alone.where)


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
    said, unit, *_ = swept.failed[-1].reason.split(": ")[-1].split()
    assert float(said) == pytest.approx(1000.0 * lacking, rel=1e-5)
    assert unit == "mm"  # as everything else that is read
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
    assert first_failure(scene, swept.readings) == ("", "")
