"""Cables with model = "kinematic" in scenes: beside the rod, with clips and loads, among parts, within a budget."""

import math
from typing import Any

import numpy as np
import pytest

from lissom.batch import solve_many
from lissom.gripping import haptic_loop
from lissom.reaching import reach
from lissom.scene import Scene, SceneError
from lissom.simulation import Simulation
from tests.kinematic.cases import HOSE


def scene(parts: list[dict[str, Any]] | None = None, **changes: Any) -> Scene:
    cable = {k: v for k, v in {**HOSE, **changes}.items() if v is not None}
    return Scene.from_dict({"cables": [cable], "parts": parts or []})


def both(**changes: Any) -> tuple[Simulation, Simulation]:
    """The same cable, kinematic and as a rod."""
    made = [Simulation(scene(**{**changes, "model": model})) for model in ("kinematic", "rod")]
    for simulation in made:
        report = simulation.solve()
        assert report.ok, report.reason
    return made[0], made[1]


CASES: dict[str, dict[str, Any]] = {
    "clamped": {},
    "twisted": {"twist": math.radians(150.0)},
    "swivels": {"start": {**HOSE["start"], "kind": "swivel"}, "end": {**HOSE["end"], "kind": "swivel"}},
    "balls": {"start": {"position": [0, 0, 0]}, "end": {"position": [0.3, 0.2, 0.0]}},
    "free end": {"end": None},
    "ball clip": {"clips": [{"at": 0.4, "position": [0.2, 0.0, 0.08]}]},
    "clamp clip": {"clips": [{"at": 0.4, "position": [0.2, 0.0, 0.08], "tangent": [1, 0.2, 0]}]},
    "load": {"loads": [{"at": 0.5, "force": [0.0, 0.0, -0.4]}]},
    "two types": {"stretches": [{"from": 0.0, "to": 0.5, "type": "soft"}]},
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_near_the_rod_in_shape_forces_and_moments(name: str) -> None:
    changes = dict(CASES[name])
    made = []
    for model in ("kinematic", "rod"):
        cable = {k: v for k, v in {**HOSE, **changes, "model": model}.items() if v is not None}
        soft = {"stiffness": {"bending": 0.008, "torsion": 0.006}, "mass_per_length": 0.1, "radius": 0.005}
        simulation = Simulation(Scene.from_dict({"types": {"soft": soft}, "cables": [cable]}))
        report = simulation.solve()
        assert report.ok, report.reason
        made.append(simulation.cable("hose"))
    ours, rod = made
    s = np.linspace(0.0, 0.6, 33)
    shapes = [np.stack([np.interp(s, k.s, k.positions[:, a]) for a in range(3)], axis=1) for k in made]
    assert np.abs(shapes[0] - shapes[1]).max() < 1e-3 * 0.6
    for support, wrench in rod.reactions.items():
        size = max(float(np.abs(k.force).max()) for k in rod.reactions.values())
        assert np.abs(ours.reactions[support].force - wrench.force).max() < 0.01 * size
        turn = max(float(np.abs(k.moment).max()) for k in rod.reactions.values()) + 1e-6
        assert np.abs(ours.reactions[support].moment - wrench.moment).max() < 0.02 * turn
    assert ours.turns == pytest.approx(rod.turns, abs=2e-3)
    assert ours.min_bend_radius == pytest.approx(rod.min_bend_radius, rel=0.03)
    assert ours.report.level == 64
    assert ours.report.residual < 1e-6


def test_without_a_budget_it_goes_to_the_finest_level_and_says_how_near_that_is() -> None:
    kinematic, rod = both()
    report = kinematic.solve().cables["hose"]
    assert report.level == 64
    away = np.linalg.norm(kinematic.cable("hose").positions - rod.cable("hose").positions, axis=1).max()
    assert away == pytest.approx(report.change / 3.0, rel=0.25)
    assert report.length_error < 1e-15


def test_points_say_the_finest_level() -> None:
    simulation = Simulation(scene(points=100))
    simulation.solve()
    assert simulation.solve().cables["hose"].level == 128


def test_a_budget_of_nothing_gives_four_segments_while_moving_and_32_at_rest() -> None:
    simulation = Simulation(scene())
    assert simulation.solve(budget=0.0).cables["hose"].level == 4
    assert len(simulation.cable("hose").positions) == 5
    assert simulation.solve(budget=0.0).cables["hose"].level == 32
    simulation.move("hose/end", position=(0.3, 0.2, 0.02))
    assert simulation.solve(budget=0.0).cables["hose"].level == 4
    assert simulation.solve(budget=10.0).cables["hose"].level == 64
    assert simulation.solve(budget=0.0).cables["hose"].level == 64  # nothing changed


def test_a_second_call_continues_to_what_one_call_without_a_budget_gives() -> None:
    simulation, whole = Simulation(scene()), Simulation(scene())
    whole.solve()
    levels = [simulation.solve(budget=1e-9).cables["hose"].level]
    while levels[-1] < 64:
        levels.append(simulation.solve(budget=1e-4).cables["hose"].level)
    assert levels == sorted(levels)
    there = simulation.cable("hose").positions
    assert np.abs(there - whole.cable("hose").positions).max() < 1e-12


@pytest.mark.parametrize("budget", [-1, math.nan, math.inf, "4 ms"])
def test_a_budget_that_is_no_time_is_an_error(budget: Any) -> None:
    with pytest.raises(ValueError, match=f"budget = {budget!r}: must be a time from 0 on, in seconds"):
        Simulation(scene()).solve(budget=budget)


def test_while_dragged_it_stays_on_its_branch() -> None:
    simulation = Simulation(scene())
    simulation.solve()
    last = simulation.cable("hose").positions
    for k in range(1, 41):
        simulation.move("hose/end", position=(0.3, 0.2 - 0.005 * k, 0.0025 * k))
        assert simulation.solve().ok
        now = simulation.cable("hose").positions
        assert np.linalg.norm(now - last, axis=1).max() < 0.03
        last = now


def test_state_save_and_grip(tmp_path: Any) -> None:
    simulation = Simulation(scene())
    simulation.solve()
    there = simulation.cable("hose").positions
    state = simulation.state()
    simulation.move("hose/end", position=(0.2, 0.2, 0.1))
    simulation.solve()
    simulation.restore(state)
    assert np.array_equal(simulation.cable("hose").positions, there)
    assert np.abs(simulation.copy().cable("hose").positions - there).max() < 1e-12
    simulation.save(tmp_path / "hose.toml")
    opened = Simulation.open(tmp_path / "hose.toml")
    assert np.abs(opened.cable("hose").positions - there).max() < 1e-6
    grip = simulation.grip("hose", at=0.5)
    assert grip.move(position=grip.position + np.array([0.0, 0.0, 0.02])).ok
    assert np.linalg.norm(grip.wrench.force) > 0.0
    grip.release()
    assert simulation.solve().ok
    again = simulation.cable("hose")
    s = np.linspace(0.0, 0.6, len(there))
    back = np.stack([np.interp(s, again.s, again.positions[:, k]) for k in range(3)], axis=1)
    assert np.abs(back - there).max() < 1e-4


def test_models_are_switched_by_an_edit() -> None:
    simulation = Simulation(scene())
    simulation.solve()
    simulation.edit("hose", model="rod")
    assert simulation.solve().cables["hose"].element == "polished"
    simulation.edit("hose", model="kinematic")
    report = simulation.solve()
    assert report.cables["hose"].element == "kinematic"
    assert report.ok


def test_it_lies_on_a_plane_like_the_rod() -> None:
    floor: list[dict[str, Any]] = [{"name": "floor", "position": [0, 0, -0.1], "shape": {"kind": "plane"}}]
    changes = {
        "start": {"position": [0, 0, 0]},
        "end": {"position": [0.35, 0, 0]},
        "stiffness": {"bending": 0.002, "torsion": 0.001},
    }
    made = []
    for model in ("kinematic", "rod"):
        simulation = Simulation(scene(floor, **{**changes, "model": model}))
        report = simulation.solve()
        assert report.ok, report.reason
        made.append(simulation)
    ours, rod = (k.cable("hose") for k in made)
    assert ours.positions[:, 2].min() > -0.1 + 0.005 - 1e-4
    pushes = [sum(float(c.force[2]) for c in k.contacts) for k in made]
    assert pushes[0] == pytest.approx(pushes[1], rel=0.05)
    total = sum(ours.reactions[k].force[2] for k in ("start", "end")) + pushes[0]
    assert total == pytest.approx(0.6 * 0.1 * 9.81, rel=1e-6)
    x = np.stack([np.interp(ours.s, rod.s, rod.positions[:, k]) for k in range(3)], axis=1)
    images = (x, x * (1.0, -1.0, 1.0))  # to which side it lies down is open
    assert min(np.linalg.norm(ours.positions - k, axis=1).max() for k in images) < 5e-3


def test_it_is_pushed_aside_by_a_part_that_moves_in() -> None:
    ball = [
        {"name": "ball", "position": [0.15, 0, -0.4], "motion": "held", "shape": {"kind": "sphere", "radius": 0.05}}
    ]
    changes = {"start": {"position": [0, 0, 0]}, "end": {"position": [0.3, 0, 0]}}
    simulation = Simulation(scene(ball, **changes))
    assert simulation.solve().ok
    before = simulation.cable("hose").energy["total"]
    assert not simulation.contacts
    for k in range(1, 9):
        simulation.move("ball", position=(0.15, 0.0, -0.4 + 0.02 * k))
        assert simulation.solve().ok
    x = simulation.cable("hose").positions
    assert simulation.cable("hose").energy["total"] > before + 1e-4
    assert np.linalg.norm(x - (0.15, 0.0, -0.24), axis=1).min() > 0.05 + 0.005 - 1e-4
    assert {c.part for c in simulation.contacts} == {"ball"}


def test_a_loop_does_not_pass_through_itself() -> None:
    changes: dict[str, Any] = {
        "start": {"position": [0, 0, 0], "tangent": [1, 0, 0]},
        "end": {"position": [0.12, 0.004, 0.0], "tangent": [1, 0, 0]},
        "mass_per_length": 0.0,
    }
    simulation = Simulation(scene(**changes))
    assert simulation.solve().ok
    assert [c.part for c in simulation.contacts] == ["hose"] * len(simulation.contacts)
    assert simulation.contacts
    through = Simulation(scene(**changes, collide=False))
    assert through.solve().ok
    assert not through.contacts
    assert simulation.cable("hose").energy["total"] > through.cable("hose").energy["total"]


def test_too_short_is_infeasible_and_says_by_how_much() -> None:
    report = Simulation(scene(end={"position": [0.7, 0, 0]})).solve()
    assert report.status == "infeasible"
    assert "100 mm too short" in report.reason


def test_one_that_is_too_short_from_the_start_touches_nothing() -> None:
    simulation = Simulation(scene(end={"position": [0.7, 0, 0]}))
    simulation.solve()
    assert simulation.contacts == ()


def test_contacts_stay_with_the_last_good_shape() -> None:
    floor: list[dict[str, Any]] = [{"name": "floor", "position": [0, 0, -0.1], "shape": {"kind": "plane"}}]
    soft = {"bending": 0.002, "torsion": 0.001}
    simulation = Simulation(scene(floor, stiffness=soft, end={"position": [0.35, 0, 0]}))
    simulation.solve()
    points = [c.point for c in simulation.contacts]
    assert points
    simulation.move("hose/start", position=(-0.9, 0, 0))
    assert simulation.solve().status == "infeasible"
    assert np.array_equal([c.point for c in simulation.contacts], points)


def test_several_cables_at_once_are_what_each_is_alone() -> None:
    cables = [
        {**HOSE, "name": f"hose {k}", "end": {"position": [0.3, 0.1 * k, 0.0], "tangent": [0, 1, 0]}} for k in range(4)
    ]
    together = Simulation(Scene.from_dict({"cables": cables}))
    assert together.solve().ok
    for cable in cables:
        alone = Simulation(Scene.from_dict({"cables": [cable]}))
        alone.solve()
        assert np.array_equal(alone.cable(cable["name"]).positions, together.cable(cable["name"]).positions)


def test_four_segments_say_that_their_nearness_is_not_known() -> None:
    report = Simulation(scene(points=5)).solve().cables["hose"]
    assert report.change == math.inf
    assert report.warnings[0] == "how near 4 segments are is not known: use at least 9 points"


def test_without_springs_and_weight_its_shape_is_not_determined() -> None:
    ends: dict[str, Any] = {"start": {"position": [0, 0, 0]}, "end": {"position": [0.3, 0.2, 0]}}
    report = Simulation(scene(stiffness={"bending": 0.0, "torsion": 0.0}, mass_per_length=0.0, **ends)).solve()
    assert report.status == "not_converged"
    assert "not determined where nothing pulls on it: give it weight" in report.reason


def test_a_boundary_layer_that_no_segment_resolves_is_said() -> None:
    soft = {"bending": 1e-6, "torsion": 1e-6}
    (warning,) = Simulation(scene(stiffness=soft)).solve().cables["hose"].warnings
    assert "a boundary layer is not resolved" in warning
    wanted = int(warning.split()[-2])
    assert 65 < wanted <= 4097
    assert Simulation(scene(stiffness=soft, points=wanted)).solve().cables["hose"].warnings == ()


def test_a_support_inside_a_part_is_refused_as_of_a_rod() -> None:
    floor: list[dict[str, Any]] = [{"name": "floor", "position": [0, 0, 0.02], "shape": {"kind": "plane"}}]
    reports = [Simulation(scene(floor, model=model)).solve() for model in ("kinematic", "rod")]
    assert reports[0].reason == reports[1].reason
    assert "start holds hose 25 mm inside floor: mount it on floor" in reports[0].reason
    assert [k.status for k in reports] == ["not_converged", "not_converged"]
    simulation = Simulation(scene([{**floor[0], "position": [0, 0, -0.2], "motion": "held"}]))
    assert simulation.solve().ok
    there = simulation.cable("hose").positions
    simulation.move("hose/end", position=(0.3, 0.2, -0.25))
    assert simulation.solve(budget=0.004).status == "not_converged"
    assert np.array_equal(simulation.cable("hose").positions, there)


def test_a_corner_between_two_joints_is_said_and_found_by_more_points() -> None:
    box = [{"name": "box", "position": [0.25, 0.0, -0.05], "shape": {"kind": "box", "size": [0.1, 0.1, 0.1]}}]
    coarse = Simulation(scene(box))
    report = coarse.solve().cables["hose"]
    (nearest,) = coarse.clearances
    assert nearest.distance < -0.001
    assert report.penetration == pytest.approx(-nearest.distance)
    assert report.warnings == ("it is 1.43 mm inside box between its joints: use at least 129 points",)
    fine = Simulation(scene(box, points=513))
    report = fine.solve().cables["hose"]
    assert report.penetration < 0.1 * 0.005
    assert report.warnings == ()
    assert {c.part for c in fine.contacts} == {"box"}


def test_lengths_that_follow_from_forces_are_refused() -> None:
    simulation = Simulation(scene())
    simulation.solve()
    for enter in (simulation.feed, simulation.soften):
        with pytest.raises(SceneError, match='hose/model = "kinematic": must be "rod" while a length follows'):
            enter("hose")
    assert simulation.modes() == ()
    assert simulation.solve().ok


def test_a_cable_whose_length_follows_from_forces_is_not_switched() -> None:
    simulation = Simulation(scene(model="rod"))
    simulation.solve()
    soft = simulation.soften("hose")
    with pytest.raises(SceneError, match="make it a rod, or freeze its length first"):
        simulation.edit("hose", model="kinematic")
    assert simulation.scene.cable("hose").model == "rod"
    assert simulation.solve().ok
    soft.freeze()
    simulation.edit("hose", model="kinematic")
    assert simulation.solve().cables["hose"].level == 64


def test_reach_is_refused() -> None:
    plug: list[dict[str, Any]] = [{"name": "plug", "motion": "held", "position": [0.3, 0.2, 0]}]
    made = scene(plug, end={"on": "plug", "position": [0, 0, 0], "tangent": [0, 1, 0]})
    with pytest.raises(SceneError, match='hose/model = "kinematic": must be "rod" where lengths are asked for'):
        reach(made, "plug", (0.4, 0.2, 0.0))


def test_reach_is_refused_where_it_is_only_joined_to_what_hangs_on_the_part() -> None:
    plug = {"name": "plug", "motion": "held", "position": [0.3, 0.2, 0]}
    rod = {**HOSE, "name": "rod", "model": "rod", "start": {"on": "plug", "position": [0, 0, 0], "tangent": [0, 1, 0]}}
    members = [{"cable": "hose", "at": "end"}, {"cable": "rod", "at": "end"}]
    cables = [{k: v for k, v in cable.items() if k != "end"} for cable in (HOSE, rod)]
    tee = {"name": "tee", "motion": "held", "position": [0.3, 0.3, 0.0], "members": members}
    made = Scene.from_dict({"cables": cables, "parts": [plug], "junctions": [tee]})
    with pytest.raises(SceneError, match='hose/model = "kinematic": must be "rod" where lengths are asked for'):
        reach(made, "plug", (0.4, 0.2, 0.0))


def test_many_variants_are_what_each_is_alone() -> None:
    places = [(0.3, 0.2, 0.0), (0.3, 0.1, 0.1), (0.9, 0.0, 0.0)]
    found = solve_many(scene(), {"hose/end.position": places})
    assert found.status.tolist() == ["converged", "converged", "infeasible"]
    for n in range(2):
        alone = Simulation(scene(end={"position": places[n], "tangent": [0, 1, 0]}))
        alone.solve()
        assert np.array_equal(found.positions["hose"][n], alone.cable("hose").positions)
    assert np.isnan(found.positions["hose"][2]).all()


def test_its_end_force_is_felt_in_the_haptic_loop() -> None:
    path = [{"time": 0, "position": [0, 0, 0]}, {"time": 0.2, "position": [0.0, 0.01, 0.01]}]
    haptic = {"grip": "hose/start", "backend": "rod", "waypoints": path}
    loop = haptic_loop(Scene.from_dict({"cables": [HOSE], "haptic": haptic}), wait=True)
    assert loop.run(0.4, real_time=False).status == "good"
    simulation = Simulation(scene())
    simulation.move("hose/start", position=(0.0, 0.01, 0.01))
    simulation.solve()
    reaction = simulation.cable("hose").reactions["start"]
    assert loop.recording.force[-1] == pytest.approx(-reaction.force, rel=1e-6)
    assert loop.recording.torque[-1] == pytest.approx(-reaction.moment, rel=1e-6)
