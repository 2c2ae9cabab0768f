"""Sweeps: the way through the positions, what snaps on it, what stops it (lissom.sweeping)."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lissom.exchange.courses import Goal
from lissom.scene import Scene, SceneError
from lissom.simulation import Simulation
from lissom.sweeping import goals_of, present, serpentine, sweep, travel

REFERENCES = Path(__file__).parent / "data" / "references"

HOSE = """\
format = 1
[types.hose]
section = { diameter = "10.5 mm", inner_diameter = "3.2 mm" }
material = { youngs_modulus = "7.5 MPa", poisson = 0.49, density = 1230 }
limits = { bend_radius = "40 mm", tension = "40 N" }
[[cables]]
name = "hose"
type = "hose"
length = "420 mm"
points = 33
start = { position = [0, 0, 0], tangent = [0, 1, -0.3], roll = 0 }
end = { on = "carrier", frame = "banjo" }
[[parts]]
name = "strut"
motion = "driven"
[[parts]]
name = "carrier"
parent = "strut"
motion = "driven"
position = [0, 0.3, -0.15]
frames.banjo = { position = [0.09, -0.04, 0.02], tangent = [-0.2, 1, 0.6] }
[[joints]]
name = "travel"
part = "strut"
kind = "slide"
axis = [0, 0, 1]
range = ["-80 mm", "80 mm"]
[[joints]]
name = "steering"
part = "carrier"
kind = "hinge"
origin = [0, 0.3, -0.15]
axis = [0, 0, 1]
range = ["-35 deg", "35 deg"]
[positions]
left = { steering = "35 deg" }
bump = { steering = "-10 deg", travel = "80 mm" }
[[motions]]
name = "lane change"
keyframes = [
  { time = 0, joints = { steering = 0 } },
  { time = 1, joints = { steering = "20 deg", travel = "10 mm" } },
  { time = 2, joints = { steering = 0 } },
]
"""

ROD = """\
format = 1
gravity = [0, 0, 0]
[[cables]]
name = "rod"
stiffness = {{ bending = 1.0, torsion = 0.8 }}
mass_per_length = 1e-3
length = 1.0
points = 101
start = {{ position = [0, 0, 0], tangent = [0, 0, 1] }}
end = {{ on = "chuck", frame = "jaw", free = ["z"] }}
loads = [{{ at = 1.0, force = [0, 0, {tension}] }}]
[[parts]]
name = "chuck"
motion = "driven"
position = [0, 0, 1]
frames.jaw = {{ position = [0, 0, 0], tangent = [0, 0, 1] }}
[[joints]]
name = "turn"
part = "chuck"
kind = "hinge"
axis = [0, 0, 1]
range = [{low}, {high}]
"""


def rod(tension: float, low: float, high: float) -> str:
    """Straight and weightless, pulled along z, its far end in a chuck that turns."""
    return ROD.format(tension=tension, low=low, high=high)


def at(goal: Goal, joint: str) -> float:
    value = goal.settings[joint]
    assert isinstance(value, float)
    return value


def hose() -> Simulation:
    return Simulation(Scene.from_toml(HOSE))


# ---- what sits on moving parts follows --------------------------------------------------------------------------


def test_a_cable_on_a_chain_of_joints_is_where_the_matrices_say() -> None:
    simulation = hose()
    simulation.set_joints(travel="30 mm", steering="25 deg")
    assert simulation.solve().ok
    x = np.array([0, 0.3, -0.12]) + Rotation.from_euler("z", 25, degrees=True).apply([0.09, -0.04, 0.02])
    assert np.allclose(simulation.cable("hose").positions[-1], x, atol=1e-9)


def test_a_clamp_without_a_roll_turns_with_its_part() -> None:
    """It is mounted untwisted once; a chuck that turns by 1 rad twists a straight rod by 1 rad, not by 0."""
    simulation = Simulation(Scene.from_toml(rod(10, -9, 9)))
    simulation.solve()
    for angle in (0.5, 1.0, -2.0):
        simulation.set_joints(turn=angle)
        assert simulation.solve().ok
        assert simulation.cable("rod").total_torsion == pytest.approx(angle, abs=1e-9)


def test_whole_turns_of_a_joint_count_however_they_are_said() -> None:
    """7 rad are not 7 − 2π: at once, in a scene that stands there, in a saved one, and after going back."""
    scene = Scene.from_toml(rod(10, -9, 9))
    simulation = Simulation(scene)
    simulation.solve()
    simulation.set_joints(turn=7.0)
    turned = simulation.supports("rod")[-1].turn
    assert turned == pytest.approx(7.0, abs=1e-9)
    for other in (Simulation(scene.with_value("turn.value", 7.0)), Simulation(simulation.scene)):
        assert other.supports("rod")[-1].turn == pytest.approx(7.0, abs=1e-9)
        other.set_joints(turn=0.0)
        assert other.supports("rod")[-1].turn == pytest.approx(0.0, abs=1e-9)


def test_an_equilibrium_depends_on_the_joints_not_on_the_way() -> None:
    """Opened at a setting, or moved there: the same shape and the same twist."""
    simulation = hose()
    simulation.solve()
    for steering in (0.2, 0.4, 0.6):
        simulation.set_joints(steering=steering, travel=-0.05)
        simulation.solve()
    opened = Simulation(Scene.from_toml(HOSE).with_values({"steering.value": 0.6, "travel.value": -0.05}))
    assert opened.solve().ok
    assert np.abs(opened.cable("hose").positions - simulation.cable("hose").positions).max() < 1e-6
    assert opened.cable("hose").total_torsion == pytest.approx(simulation.cable("hose").total_torsion, abs=1e-6)
    assert abs(opened.cable("hose").total_torsion) > 0.05


def test_going_back_to_a_checkpoint_undoes_joints_shapes_and_turns() -> None:
    simulation = hose()
    simulation.set_joints(steering=0.2)
    simulation.solve()
    mark, shape, scene = simulation.checkpoint(), simulation.cable("hose").positions, simulation.scene
    simulation.set_joints(steering=-0.5, travel=0.05)
    simulation.solve()
    simulation.back_to(mark)
    assert simulation.joints == {"travel": 0.0, "steering": 0.2}
    assert np.array_equal(simulation.cable("hose").positions, shape)
    assert simulation.scene == scene
    assert simulation.solve().ok


def test_a_part_put_by_hand_keeps_the_value_of_its_joint() -> None:
    """Its joint goes on from there; the scene says the same when it is opened."""
    simulation = hose()
    simulation.set_joints(steering=0.3)
    x, q = simulation.pose("carrier")
    simulation.move("carrier", position=(x[0], x[1] + 0.01, x[2]), quaternion=q)
    assert np.allclose(Simulation(simulation.scene).pose("carrier")[0], (x[0], x[1] + 0.01, x[2]), atol=1e-12)
    simulation.set_joints(steering=0.0)
    opened = Simulation(simulation.scene)
    assert np.allclose(simulation.pose("carrier")[0], opened.pose("carrier")[0], atol=1e-12)
    assert np.allclose(simulation.pose("carrier")[1], (1, 0, 0, 0), atol=1e-12)


# ---- which positions --------------------------------------------------------------------------------------------


def test_a_grid_goes_from_neighbour_to_neighbour_and_leaves_none_out() -> None:
    for counts in ([3], [3, 4], [2, 3, 4]):
        steps = list(serpentine(counts))
        assert len(set(steps)) == math.prod(counts) == len(steps)
        for a, b in itertools.pairwise(steps):
            assert sum(abs(i - j) for i, j in zip(a, b, strict=True)) == 1


def test_a_grid_takes_ranges_and_values() -> None:
    goals = goals_of(Scene.from_toml(HOSE), None, {"steering": 3, "travel": ["-10 mm", 0.02]}, None)
    wanted = [(-35, -0.01), (-35, 0.02), (0, 0.02), (0, -0.01), (35, -0.01), (35, 0.02)]
    found = [(math.degrees(at(k, "steering")), at(k, "travel")) for k in goals]
    assert np.allclose(found, wanted, atol=1e-12)


def test_keyframes_go_straight_and_stand_before_and_after_what_names_them() -> None:
    goals = goals_of(Scene.from_toml(HOSE), "lane change", None, None, 5)
    assert [k.time for k in goals] == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert [math.degrees(at(k, "steering")) for k in goals] == pytest.approx([0, 10, 20, 10, 0])
    assert [at(k, "travel") for k in goals] == pytest.approx([0.01] * 5)


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({}, ValueError, "one of motion, grid and positions"),
        ({"grid": {"steering": 3}, "positions": "all"}, ValueError, "one of motion, grid and positions"),
        ({"grid": {"steerin": 3}}, SceneError, 'no joint of this name; did you mean "steering"'),
        ({"grid": {"steering": ["40 deg"]}}, ValueError, "must lie in the range of steering"),
        ({"grid": {"steering": [float("nan")]}}, ValueError, "must be finite"),
        ({"grid": {"steering": 0}}, ValueError, "must be 1 or more"),
        ({"grid": {}}, ValueError, "must name at least one joint"),
        ({"grid": {"steering": 3.0}}, ValueError, "must be how many values"),
        ({"grid": {"steering": "10 deg"}}, ValueError, "must be how many values"),
        ({"grid": {"steering": 10**12}}, ValueError, "1000000000000 positions"),
        ({"grid": {"steering": 2000, "travel": 2000}}, ValueError, "4000000 positions"),
        ({"positions": ["left", "rihgt"]}, SceneError, "no position of this name"),
        ({"motion": "lane"}, SceneError, "no motion of this name"),
    ],
)
def test_what_cannot_be_swept_is_said_before_anything_moves(asked: Any, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        sweep(hose(), **asked)


# ---- the way ----------------------------------------------------------------------------------------------------


def test_every_position_is_certified_whatever_the_direction() -> None:
    """There and back again, and along the other axis first: the same shapes."""
    simulation = hose()
    there = list(simulation.sweep(grid={"steering": 5, "travel": 5}, back=True))
    assert len(there) == 49
    assert all(k.ok and not k.snaps for k in there)
    assert [k.back for k in there] == [False] * 25 + [True] * 24
    other = list(sweep(hose(), grid={"travel": 5, "steering": 5}))
    shapes: dict[Any, np.ndarray] = {}
    for visit in [*there, *other]:
        key = (round(at(visit.goal, "steering"), 9), round(at(visit.goal, "travel"), 9))
        known = shapes.setdefault(key, visit.shapes["hose"])
        assert np.abs(known - visit.shapes["hose"]).max() < 1e-6 * 0.42
    assert len(shapes) == 25


def test_cold_starts_in_random_order_agree_or_name_the_other_equilibrium() -> None:
    """Where a cold start ends elsewhere, it names an equilibrium of the energy that the sweep has there."""
    simulation = hose()
    visits = [
        (k.goal, k.shapes["hose"], simulation.cable("hose").energy["total"])
        for k in simulation.sweep(grid={"steering": 5, "travel": 5})
    ]
    cold = hose()
    for number in np.random.default_rng(5).permutation(len(visits)):
        goal, shape, energy = visits[number]
        cold.set_joints(goal.settings)
        report = cold.solve(cold=True)
        assert report.ok
        if np.abs(cold.cable("hose").positions - shape).max() > 1e-5:
            energies = [k.energy for k in report.cables["hose"].others]
            assert any(abs(k - energy) < 1e-6 * max(abs(energy), 1.0) for k in energies), (goal, energies, energy)


def test_the_simulation_stands_at_each_position_as_it_is_given_out() -> None:
    simulation = hose()
    for visit in simulation.sweep(positions="all"):
        assert visit.goal.name in ("left", "bump")
        assert simulation.joints == visit.goal.settings
        assert np.array_equal(simulation.cable("hose").positions, visit.shapes["hose"])


def test_out_of_reach_is_named_and_the_rest_still_visited() -> None:
    """A shorter hose does not reach full droop: those positions fail, the others are as with any other order."""
    scene = Scene.from_toml(HOSE.replace('"420 mm"', '"335 mm"'))
    visits = list(sweep(Simulation(scene), grid={"travel": 9}))
    bad = [k for k in visits if not k.ok]
    assert 0 < len(bad) < 9
    assert all(k.status == "infeasible" and "hose" in k.reason for k in bad)
    assert {k.number for k in bad} == set(range(len(bad)))  # the lowest ones
    for visit in visits[len(bad) :]:
        fresh = Simulation(scene)
        fresh.set_joints(visit.goal.settings)
        assert fresh.solve().ok
        assert np.abs(fresh.cable("hose").positions - visit.shapes["hose"]).max() < 1e-5


# ---- snap-through -----------------------------------------------------------------------------------------------


def greenhill(tension: int) -> float:
    scalars = json.loads((REFERENCES / "greenhill_clamped.json").read_text())["reference"]["scalars"]
    return float(scalars[f"critical_end_rotation_times_C_over_B_TL2_over_B_{tension}"]["value"]) / 0.8


@pytest.mark.parametrize("tension", [-10, 10, 50])
def test_a_twisted_rod_snaps_at_greenhills_angle_and_comes_back_another_way(tension: int) -> None:
    """The straight rod is stable up to the critical angle; beyond it loses turns, and does not get them back."""
    critical = greenhill(tension)
    simulation = Simulation(Scene.from_toml(rod(tension, 0.0, 1.3 * critical)))
    twists: dict[bool, dict[float, float]] = {False: {}, True: {}}
    snaps = []
    for visit in simulation.sweep(grid={"turn": 14}, back=True):
        assert visit.ok
        snaps += [(visit.back, k) for k in visit.snaps]
        twists[visit.back][round(at(visit.goal, "turn"), 9)] = simulation.cable("rod").total_torsion
    back, snap = snaps[0]
    assert not back
    assert at(snap.before, "turn") == pytest.approx(critical, rel=0.01)
    assert 0.0 < at(snap.after, "turn") - at(snap.before, "turn") < 1e-4 * critical
    assert snap.shape_before.shape == snap.shape_after.shape == (101, 3)
    assert np.abs(snap.shape_before[:, :2]).max() < 1e-6  # straight until then
    below = [k for k in twists[False] if k < 0.99 * critical]
    assert len(below) == 10
    for angle in below:
        assert twists[False][angle] == pytest.approx(angle, abs=1e-6)
    assert all(abs(twists[True][angle] - angle) > 1.0 for angle in below[-3:])  # the loop is open there


ARCH = """\
format = 1
gravity = [0, 0, 0]
[[cables]]
name = "arch"
stiffness = { bending = [1000.0, 1.0], torsion = 1000.0 }
mass_per_length = 1e-3
length = 1.0
points = 65
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { on = "lever", frame = "eye" }
initial = { points = [[0, 0, 0], [0.45, 0, 0.2], [0.9, 0, 0]] }
[[parts]]
name = "lever"
motion = "driven"
position = [0.9, 0, 0]
frames.eye = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
[[joints]]
name = "tilt"
part = "lever"
kind = "hinge"
axis = [0, 1, 0]
range = [-1.4, 1.4]
"""


@pytest.mark.parametrize("count", [8, 15, 29])
def test_a_snapped_arch_stays_where_it_is_until_the_other_limit(count: int) -> None:
    """An arch that stays in its plane, one clamp turned: it snaps over, and back again only at the mirrored angle.

    The planar elastica is symmetric, so the two limits are ± one angle, whatever the steps. The step over the snap may
    be so long that the shape moves less than the clamp would explain.
    """
    visits = list(sweep(Simulation(Scene.from_toml(ARCH)), grid={"tilt": count}, back=True))
    assert all(k.ok for k in visits)
    snaps = [(k.back, s) for k in visits[1:] for s in k.snaps]  # the first position is reached by snapping, too
    assert [back for back, _ in snaps] == [False, True]
    there, back = (at(s.after, "tilt") for _, s in snaps)
    assert there == pytest.approx(-back, abs=2e-4)
    assert there == pytest.approx(0.56484, abs=2e-4)
    assert all(s.distance > 0.25 for _, s in snaps)
    heights = {(round(at(k.goal, "tilt"), 6), k.back): float(k.shapes["arch"][32, 2]) for k in visits}
    inside = [k for k, is_back in heights if not is_back and abs(k) < 0.35]
    assert inside
    for k in inside:
        assert heights[k, False] == pytest.approx(-heights[-k, True], abs=1e-6)
        assert heights[k, False] - heights[k, True] < -0.1


@pytest.mark.parametrize("count", [8, 9, 12])
def test_an_arch_that_flips_over_and_back_at_the_same_place_has_snapped(count: int) -> None:
    """A round arch whose clamps both turn through the straight line swings over there, and back there as well."""
    text = ARCH.replace("bending = [1000.0, 1.0], torsion = 1000.0", "bending = 1.0, torsion = 0.8")
    text = text.replace("start = { position", 'start = { on = "lug", position')
    text += """\
[[parts]]
name = "lug"
motion = "driven"
[[joints]]
name = "other"
part = "lug"
kind = "hinge"
axis = [0, -1, 0]
range = [-0.5, 0.5]
[[motions]]
name = "press"
keyframes = [{ time = 0, joints = { tilt = 0.4, other = 0.4 } }, { time = 1, joints = { tilt = -0.4, other = -0.4 } }]
"""
    visits = list(sweep(Simulation(Scene.from_toml(text)), motion="press", frames=count, back=True))
    assert all(k.ok for k in visits)
    snaps = [s for k in visits[1:] for s in k.snaps]
    assert len(snaps) == 2
    for snap in snaps:
        assert at(snap.after, "tilt") == pytest.approx(0.0, abs=1e-3)
        assert snap.shape_before[32, 2] == pytest.approx(-snap.shape_after[32, 2], abs=1e-3)
        assert snap.distance > 0.2


def test_an_arch_that_does_not_reach_its_limit_goes_the_same_way_back() -> None:
    scene = Scene.from_toml(ARCH.replace("[-1.4, 1.4]", "[-0.5, 0.5]"))
    visits = list(sweep(Simulation(scene), grid={"tilt": 9}, back=True))
    assert not any(k.snaps for k in visits)
    for there, back in zip(visits[:8], reversed(visits[9:]), strict=True):
        assert there.goal == back.goal
        assert np.abs(there.shapes["arch"] - back.shapes["arch"]).max() < 1e-6


def test_travel_halves_its_step_where_a_branch_ends_and_arrives_all_the_same() -> None:
    critical = greenhill(10)
    scene = Scene.from_toml(rod(10, 0.0, 1.3 * critical))
    simulation = Simulation(scene)
    simulation.solve()
    report, snaps, stopped = travel(simulation, scene, Goal({"turn": 0.0}), Goal({"turn": 1.1 * critical}))
    assert report.ok
    assert not stopped
    assert len(snaps) == 1
    assert at(snaps[0].after, "turn") - at(snaps[0].before, "turn") < 1e-3 * critical
    assert present(simulation, snaps[0].after).settings["turn"] == pytest.approx(1.1 * critical)


# ---- recorded motions -------------------------------------------------------------------------------------------


PLUG = """\
format = 1
gravity = [0, 0, 0]
[types.wire]
stiffness = { bending = 0.001, torsion = 0.0008 }
mass_per_length = 0.01
radius = "2 mm"
[[cables]]
name = "wire"
type = "wire"
length = "300 mm"
points = 33
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { on = "plug", frame = "crimp" }
[[parts]]
name = "plug"
motion = "held"
position = [0.2, 0, 0]
shape = { kind = "box", size = ["20 mm", "20 mm", "20 mm"] }
frames.crimp = { position = ["-10 mm", 0, 0], tangent = [1, 0, 0] }
[[parts]]
name = "wall"
position = [0.2, 0.1, 0]
shape = { kind = "box", size = ["200 mm", "10 mm", "100 mm"] }
[[motions]]
name = "path"
tracks = [{ part = "plug", file = "path.csv" }]
"""


def recorded(folder: Path, positions: list[tuple[float, float, float]], turns: list[float] | None = None) -> Simulation:
    """A plug on a recorded path, turned about x."""
    lines = ["time,x,y,z,qw,qx,qy,qz"]
    for k, (x, y, z) in enumerate(positions):
        half = 0.5 * (turns[k] if turns else 0.0)
        lines.append(f"{k},{x},{y},{z},{math.cos(half)},{math.sin(half)},0,0")
    (folder / "path.csv").write_text("\n".join(lines))
    (folder / "plug.toml").write_text(PLUG)
    return Simulation(Scene.load(folder / "plug.toml"))


def test_a_recorded_part_takes_its_cables_along_and_twists_them(tmp_path: Path) -> None:
    """Turned by 8 rad in all, in steps of 1: quaternions alone would say 8 − 2π."""
    simulation = recorded(tmp_path, [(0.305, 0, 0)] * 9, [float(k) for k in range(9)])
    text = "\n".join(k for k in PLUG.splitlines() if "shape" not in k)  # nothing to touch
    (tmp_path / "plug.toml").write_text(text)
    simulation = Simulation(Scene.load(tmp_path / "plug.toml"))
    visits = list(simulation.sweep(motion="path"))
    assert all(k.ok for k in visits)
    assert simulation.supports("wire")[-1].turn == pytest.approx(8.0, abs=1e-6)
    assert np.allclose(visits[-1].shapes["wire"][-1], (0.295, 0, 0), atol=1e-7)


def test_a_held_part_that_meets_an_obstacle_jams_there_and_says_where(tmp_path: Path) -> None:
    simulation = recorded(tmp_path, [(0.2, 0.01 * k, 0) for k in range(16)])
    visits = list(simulation.sweep(motion="path"))
    free = [k for k in visits if not k.stopped]
    assert [k.ok for k in free] == [True] * 9  # wall at 95 mm, the plug reaches 10 mm ahead
    jam = visits[9]
    assert jam.status == "jammed"
    assert "plug stopped at wall, at (200, 85, 0) mm" in jam.reason
    assert all(k.status == "jammed" and k.here.poses == jam.here.poses for k in visits[9:])
    assert len(visits) == 16


def test_a_driven_part_does_not_stop(tmp_path: Path) -> None:
    recorded(tmp_path, [(0.2, 0.01 * k, 0) for k in range(5)])
    (tmp_path / "plug.toml").write_text(PLUG.replace('"held"', '"driven"').replace("0.2, 0.1, 0]", "0.2, 0.03, 0]"))
    visits = list(Simulation(Scene.load(tmp_path / "plug.toml")).sweep(motion="path"))
    assert not any(k.stopped for k in visits)


RAM = """\
format = 1
[types.hose]
section = { diameter = "10 mm" }
material = { youngs_modulus = "5 MPa", poisson = 0.45, density = 1100 }
limits = { clearance = "1 mm" }
[[cables]]
name = "hose"
type = "hose"
length = "460 mm"
points = 61
start = { position = [0, -0.2, 0], tangent = [0, 1, 0], roll = 0 }
end = { position = [0, 0.2, 0], tangent = [0, 1, 0], roll = 0 }
[[parts]]
name = "ram"
motion = "driven"
position = [-0.12, 0, -0.09]
shape = { kind = "sphere", radius = "30 mm" }
[[joints]]
name = "stroke"
part = "ram"
kind = "slide"
axis = [1, 0, 0]
range = [0, "150 mm"]
"""


def test_a_moving_part_pushes_the_cable_aside_and_it_comes_back() -> None:
    """Never in it, pushed no later than the first touch; without friction it lies back there as it lay before."""
    simulation = Simulation(Scene.from_toml(RAM))
    strokes = [0.01 * k for k in range(15)]
    there = [(k, simulation.contacts) for k in simulation.sweep(grid={"stroke": strokes})]
    back = list(simulation.sweep(grid={"stroke": strokes[::-1]}))
    for stroke, (visit, contacts) in zip(strokes, there, strict=True):
        assert visit.ok, visit.reason
        ram = np.array([-0.12 + stroke, 0.0, -0.09])
        far = float(np.linalg.norm(visit.shapes["hose"] - ram, axis=1).min())
        assert far > 0.035 - 1e-6
        assert bool(contacts) == (far < 0.0351)
        pushed = sum((k.force for k in contacts), np.zeros(3))
        assert not contacts or pushed[0] > 0.0
    assert there[-1][1]
    assert not there[0][1]
    for (visit, _), again in zip(there, reversed(back), strict=True):
        assert np.abs(visit.shapes["hose"] - again.shapes["hose"]).max() < 1e-5


def test_a_recording_that_is_broken_is_refused_before_anything_moves(tmp_path: Path) -> None:
    simulation = recorded(tmp_path, [(0.2, 0.01, 0), (0.2, math.nan, 0)])
    with pytest.raises(SceneError, match=r"path\.csv: sample 2: every number must be finite"):
        simulation.sweep(motion="path")
    (tmp_path / "path.csv").unlink()
    with pytest.raises(SceneError, match=r"path\.csv: there is no such file"):
        simulation.sweep(motion="path")
