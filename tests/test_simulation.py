"""The simulation as a program uses it: move, grip, edit, go back, fail gracefully."""

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

from lissom.reports import SolveError
from lissom.rods.result import CableResult
from lissom.scene import Scene, SceneError
from lissom.simulation import Simulation

Array = NDArray[np.float64]

CASES = Path(__file__).parent / "data" / "cases"

HOSE: dict[str, Any] = {
    "name": "hose",
    "length": 0.42,
    "points": 65,
    "stiffness": {"bending": 0.035, "torsion": 0.025},
    "mass_per_length": 0.107,
    "start": {"position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.0]},
    "end": {"position": [0.2, 0.14, -0.12], "tangent": [0.0, 0.6, -0.8]},
}
END = np.array(HOSE["end"]["position"])
WEIGHT = 0.107 * 9.81 * 0.42


def beside_end(x: float, y: float, z: float) -> Array:
    return np.asarray(END + np.array([x, y, z]))


def simulation(**fields: Any) -> Simulation:
    cable = {key: value for key, value in {**HOSE, **fields}.items() if value is not None}
    return Simulation(Scene.from_dict({"cables": [cable]}))


def solved(**fields: Any) -> tuple[Simulation, CableResult]:
    sim = simulation(**fields)
    sim.solve().raise_if_failed()
    return sim, sim.cable("hose")


def same_shape(a: CableResult, b: CableResult, tolerance: float = 1e-7) -> bool:
    return bool(np.abs(a.positions - b.positions).max() < tolerance * a.length)


# ---- solving ----------------------------------------------------------------------------------------------


def test_report() -> None:
    report = simulation().solve()
    assert report.ok
    assert report.status == "converged"
    assert report.iterations > 0
    assert report.seconds > 0.0
    assert report.cables["hose"].stable
    assert report.raise_if_failed() is report


def test_nothing_to_read_before_a_solve() -> None:
    with pytest.raises(SolveError, match="no equilibrium yet"):
        simulation().cable("hose")


def test_unknown_names() -> None:
    sim = simulation()
    with pytest.raises(SceneError, match='did you mean "hose"'):
        sim.cable("hoze")
    with pytest.raises(SceneError, match="hose/start, hose/end"):
        sim.move("hose/middle", position=(0, 0, 0))


@pytest.mark.parametrize("offset", [(0.005, 0.0, 0.0), (0.0, -0.03, 0.02), (0.03, 0.03, 0.05)])
def test_warm_and_cold_agree(offset: tuple[float, float, float]) -> None:
    sim, _ = solved()
    goal = END + offset
    sim.move("hose/end", position=goal)
    report = sim.solve()
    assert report.ok
    warm = sim.cable("hose")
    _, cold = solved(end={**HOSE["end"], "position": goal.tolist()})
    assert same_shape(warm, cold)
    assert np.allclose(warm.moment, cold.moment, rtol=0, atol=1e-6 * np.abs(cold.moment).max())
    assert np.allclose(warm.positions[-1], goal, rtol=0, atol=5e-8 * warm.length)


def test_a_small_move_takes_few_iterations() -> None:
    sim, _ = solved()
    sim.move("hose/end", position=beside_end(0.005, 0.0, 0.0))
    assert sim.solve().iterations <= 4


def test_moves_in_every_form_agree() -> None:
    """A quaternion, a scipy rotation, a 4×4 matrix, and position with tangent."""
    turn = Rotation.from_rotvec([0.3, -1.2, 0.4])
    x, y, z, w = turn.as_quat()
    pose = np.eye(4)
    pose[:3, :3] = turn.as_matrix()
    pose[:3, 3] = END
    shapes = []
    for change in (
        {"quaternion": (w, x, y, z)},
        {"quaternion": (-w, -x, -y, -z)},
        {"quaternion": turn},
        {"pose": pose},
    ):
        sim, _ = solved()
        sim.move("hose/end", **change)
        sim.solve().raise_if_failed()
        shapes.append(sim.cable("hose"))
        assert np.allclose(shapes[-1].tangents[-1], turn.as_matrix()[:, 2], rtol=0, atol=1e-12)
    for other in shapes[1:]:
        assert same_shape(shapes[0], other)


def test_moving_a_tangent_keeps_the_roll() -> None:
    """The present frame is turned by the smallest rotation."""
    sim, before = solved()
    sim.move("hose/end", tangent=(0.1, 0.6, -0.8))
    sim.solve().raise_if_failed()
    after = sim.cable("hose")
    goal = np.array([0.1, 0.6, -0.8]) / math.sqrt(1.01)
    assert np.allclose(after.tangents[-1], goal, rtol=0, atol=1e-12)
    angle = 2.0 * math.acos(min(1.0, abs(float(before.quaternions[-1] @ after.quaternions[-1]))))
    assert angle == pytest.approx(math.acos(float(goal @ before.tangents[-1])), abs=1e-7)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"position": (0.0, math.nan, 0.0)}, "finite"),
        ({"quaternion": (1.0, 1.0, 0.0, 0.0)}, "norm"),
        ({"pose": np.eye(3)}, "4×4"),
        ({"pose": np.diag([1.0, 1.0, -1.0, 1.0])}, "rotation"),
    ],
)
def test_bad_moves_say_what_is_wrong(change: dict[str, Any], message: str) -> None:
    sim, _ = solved()
    with pytest.raises(ValueError, match=message):
        sim.move("hose/end", **change)


def test_a_ball_has_no_direction_to_move() -> None:
    sim, _ = solved(end={"position": END.tolist()})
    with pytest.raises(ValueError, match="holds no direction"):
        sim.move("hose/end", quaternion=(1.0, 0.0, 0.0, 0.0))


def test_many_moves_around_and_back() -> None:
    sim, before = solved()
    for k in range(1, 41):
        a = 2.0 * math.pi * k / 40
        sim.move("hose/end", position=beside_end(0.03 * math.sin(a), 0.03 * (1.0 - math.cos(a)), 0.0))
        sim.solve().raise_if_failed()
    assert same_shape(before, sim.cable("hose"), 1e-6)


# ---- results ----------------------------------------------------------------------------------------------


def test_results_are_read_only_and_stay() -> None:
    sim, first = solved()
    arrays = (
        "positions",
        "quaternions",
        "force",
        "moment",
        "curvature",
        "strains",
        "tension",
        "tangents",
        "torsion",
    )
    kept = {name: getattr(first, name).copy() for name in arrays}
    for name in arrays:
        with pytest.raises(ValueError, match="read-only"):
            getattr(first, name)[0] = 0.0
    reactions = first.reactions["end"].force.copy()
    sim.move("hose/end", position=beside_end(0.02, 0.0, 0.0))
    sim.solve().raise_if_failed()
    assert sim.cable("hose") is not first
    for name in arrays:
        assert np.array_equal(getattr(first, name), kept[name])
    assert np.array_equal(first.reactions["end"].force, reactions)


def test_a_result_read_late_is_still_the_old_one() -> None:
    """What is computed on demand must not see a later solve."""
    sim, first = solved()
    expected = solved()[1].reactions["end"].force
    sim.move("hose/end", position=beside_end(0.05, 0.0, 0.0))
    sim.solve().raise_if_failed()
    assert np.array_equal(first.reactions["end"].force, expected)
    assert first.energy["total"] == solved()[1].energy["total"]


# ---- grips ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["clamp", "ball", "swivel"])
@pytest.mark.parametrize("at", [0.3, 0.5, 0.777])
def test_grip_moves_and_releases(kind: str, at: float) -> None:
    sim, before = solved()
    force = float(np.abs(before.force).max())
    grip = sim.grip("hose", at=at, kind=kind)
    assert np.abs(grip.wrench.force).max() < 1e-6 * force  # nothing jumps
    assert np.abs(grip.wrench.moment).max() < 1e-6 * force * before.length
    held = sim.cable("hose")
    assert np.abs(CubicSpline(held.s, held.positions)(before.s) - before.positions).max() < 1e-6 * before.length
    goal = grip.position - np.array([0.0, 0.0, 0.02])
    report = grip.move(position=goal, max_step=0.005)
    assert report.ok
    assert np.allclose(grip.position, goal, rtol=0, atol=1e-12)
    moved = sim.cable("hose")
    point = int(np.argmin(np.abs(moved.s - at * moved.length)))
    assert np.allclose(moved.positions[point], goal, rtol=0, atol=5e-8 * moved.length)
    assert grip.wrench.force[2] < -1e-2 * force
    assert balance(moved, WEIGHT) < 1e-7
    grip.release()
    sim.solve().raise_if_failed()
    after = sim.cable("hose")
    assert same_shape(before, after, 1e-6)
    assert "grip 1" not in after.reactions


def test_two_grips_and_their_paths() -> None:
    sim, _ = solved()
    first, second = sim.grip("hose", at=0.3), sim.grip("hose", at=0.6, kind="ball")
    assert (first.path, second.path) == ("hose/grip 1", "hose/grip 2")
    sim.move("hose/grip 2", position=second.position + np.array([0.0, 0.01, 0.0]))
    sim.solve().raise_if_failed()
    result = sim.cable("hose")
    assert set(result.reactions) == {"start", "grip 1", "grip 2", "end"}
    assert balance(result, WEIGHT) < 1e-7
    assert sim.scene.cables[0].clips == ()  # grips are not part of the scene


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"at": 1.5}, "between 0 and 1"),
        ({"at": 0.5, "kind": "ring"}, "clamp, ball or swivel"),
        ({"at": 1.0}, "already held"),
    ],
)
def test_bad_grips_say_what_is_wrong(arguments: dict[str, Any], message: str) -> None:
    sim, _ = solved()
    with pytest.raises(ValueError, match=message):
        sim.grip("hose", **arguments)


# ---- edits, states, copies --------------------------------------------------------------------------------


def test_edit_length() -> None:
    sim, _ = solved()
    sim.edit("hose", length=0.45)
    sim.solve().raise_if_failed()
    edited = sim.cable("hose")
    assert edited.length == 0.45
    assert sim.scene.cables[0].length == 0.45
    _, cold = solved(length=0.45)
    assert same_shape(edited, cold)


def test_edit_after_a_move_keeps_the_move() -> None:
    sim, _ = solved()
    sim.move("hose/end", position=beside_end(0.01, 0.0, 0.0))
    sim.edit("hose", length=0.45)
    sim.solve().raise_if_failed()
    assert np.allclose(sim.cable("hose").positions[-1], beside_end(0.01, 0.0, 0.0), rtol=0, atol=1e-9)
    assert sim.scene.cables[0].end is not None
    assert sim.scene.cables[0].end.position == pytest.approx(tuple(beside_end(0.01, 0.0, 0.0)))


def test_an_edit_for_which_no_shape_is_found_does_not_spoil_the_next_one() -> None:
    sim = Simulation(Scene.load(CASES / "edit_points.json"))
    sim.solve().raise_if_failed()
    sim.edit("c", points=257, length=0.3)
    assert sim.solve().status == "infeasible"
    sim.edit("c", points=513, length=0.6876450690290654)
    assert sim.solve().ok


def test_more_points_are_another_grid_of_the_same_shape() -> None:
    sim = Simulation(Scene.load(CASES / "edit_points.json"))
    sim.solve().raise_if_failed()
    sim.edit("c", points=257)  # 129 do not resolve its boundary layers
    sim.solve().raise_if_failed()
    before = sim.cable("c")
    sim.edit("c", points=513)
    sim.solve().raise_if_failed()
    after = sim.cable("c")
    for axis in range(3):
        there = CubicSpline(after.s, after.positions[:, axis])(before.s)
        assert np.abs(there - before.positions[:, axis]).max() < 1e-4


def test_going_back_to_a_state_without_a_shape_shows_the_same() -> None:
    sim = simulation()
    sim.solve().raise_if_failed()
    sim.edit("hose", length=0.2)
    assert sim.solve().status == "infeasible"
    before, state = sim.cable("hose").positions, pickle.loads(pickle.dumps(sim.state()))
    sim.restore(state)
    assert np.array_equal(sim.cable("hose").positions, before)
    sim.edit("hose", length=0.42)
    assert sim.solve().ok


def test_edit_of_one_cable_leaves_the_others_alone() -> None:
    other = {**HOSE, "name": "other"}
    sim = Simulation(Scene.from_dict({"cables": [HOSE, other]}))
    sim.solve().raise_if_failed()
    kept = sim.cable("other")
    sim.edit("hose", length=0.43)
    sim.solve().raise_if_failed()
    assert sim.cable("other") is kept


def test_the_scene_follows_the_moves() -> None:
    sim, _ = solved()
    sim.move("hose/end", position=(0.21, 0.14, -0.12), tangent=(0.0, 1.0, 0.0))
    sim.solve().raise_if_failed()
    again = Simulation(sim.scene)
    again.solve().raise_if_failed()
    assert same_shape(sim.cable("hose"), again.cable("hose"))


def test_state_and_restore() -> None:
    sim, before = solved()
    state = sim.state()
    sim.move("hose/end", position=beside_end(0.05, 0.0, 0.0))
    sim.edit("hose", length=0.45)
    sim.solve().raise_if_failed()
    assert not same_shape(before, sim.cable("hose"), 1e-3)
    sim.restore(state)
    after = sim.cable("hose")  # without solving
    assert np.array_equal(after.positions, before.positions)
    assert sim.scene == state.scene
    assert sim.solve().iterations == 0


def test_state_with_a_grip() -> None:
    sim, _ = solved()
    grip = sim.grip("hose", at=0.4)
    grip.move(position=grip.position - [0.0, 0.0, 0.01]).raise_if_failed()
    gripped = sim.cable("hose")
    state = sim.state()
    grip.release()
    sim.solve().raise_if_failed()
    sim.restore(state)
    assert np.array_equal(sim.cable("hose").positions, gripped.positions)
    assert "grip 1" in sim.cable("hose").reactions


def test_a_restored_grip_can_be_released() -> None:
    sim, before = solved()
    grip = sim.grip("hose", at=0.4)
    state = sim.state()
    grip.move(position=grip.position - [0.0, 0.0, 0.01]).raise_if_failed()
    sim.restore(state)
    grip.release()
    sim.solve().raise_if_failed()
    assert same_shape(before, sim.cable("hose"), 1e-6)


def test_copies_are_independent() -> None:
    sim, before = solved()
    other = sim.copy()
    assert np.array_equal(other.cable("hose").positions, before.positions)
    other.move("hose/end", position=beside_end(0.03, 0.0, 0.0))
    other.solve().raise_if_failed()
    assert np.array_equal(sim.cable("hose").positions, before.positions)
    sim.move("hose/end", position=beside_end(0.03, 0.0, 0.0))
    sim.solve().raise_if_failed()
    assert np.array_equal(sim.cable("hose").positions, other.cable("hose").positions)


def test_states_and_simulations_pickle() -> None:
    sim, before = solved()
    state = pickle.loads(pickle.dumps(sim.state()))
    fresh = simulation()
    fresh.restore(state)
    assert np.array_equal(fresh.cable("hose").positions, before.positions)
    whole = pickle.loads(pickle.dumps(sim))
    assert np.array_equal(whole.cable("hose").positions, before.positions)
    result = pickle.loads(pickle.dumps(before))
    assert np.array_equal(result.moment, before.moment)


# ---- what cannot be ---------------------------------------------------------------------------------------


def test_too_far_away_says_by_how_much_and_keeps_the_last_shape() -> None:
    sim, before = solved()
    sim.move("hose/end", position=(0.5, 0.0, 0.0))
    report = sim.solve()
    assert not report.ok
    assert report.status == "infeasible"
    assert report.cables["hose"].shortfall == pytest.approx(0.08, abs=1e-12)
    assert "are 500 mm apart, the cable between them is 420 mm long: 80 mm too short" in report.reason
    with pytest.raises(SolveError, match="infeasible"):
        report.raise_if_failed()
    assert np.array_equal(sim.cable("hose").positions, before.positions)
    sim.move("hose/end", position=END)
    sim.solve().raise_if_failed()
    assert same_shape(before, sim.cable("hose"))


def test_infeasible_from_the_start() -> None:
    sim = simulation(end={"position": [0.0, 0.0, 0.43]})
    report = sim.solve()
    assert report.status == "infeasible"
    assert report.cables["hose"].shortfall == pytest.approx(0.01, abs=1e-12)
    with pytest.raises(SolveError):
        sim.cable("hose")


def test_infeasible_between_clips() -> None:
    clips = [
        {"name": "a", "at": 0.25, "kind": "ball", "position": [0.1, 0.0, 0.0]},
        {"name": "b", "at": 0.5, "kind": "ball", "position": [0.1, 0.12, 0.0]},
    ]
    report = simulation(clips=clips).solve()
    assert report.status == "infeasible"
    assert report.cables["hose"].shortfall == pytest.approx(0.12 - 0.105, abs=1e-12)
    assert "a and b" in report.reason


def test_a_far_target_of_a_grip_stops_at_the_first_failure() -> None:
    sim, _ = solved()
    grip = sim.grip("hose", at=0.5, kind="ball")
    report = grip.move(position=(5.0, 0.0, 0.0), max_step=0.05)
    assert report.status == "infeasible"
    result = sim.cable("hose")
    point = int(np.argmin(np.abs(result.s - 0.5 * result.length)))
    assert np.all(np.abs(result.positions[point]) < 0.3)  # the last good shape


# ---- supports, loads, types -------------------------------------------------------------------------------


def balance(
    result: CableResult,
    weight: float,
    forces: tuple[tuple[float, Any], ...] = (),
    moments: tuple[Any, ...] = (),
    masses: Array | None = None,
) -> float:
    """Sum of all forces and moments, relative to the largest reaction. Forces are (fraction, vector)."""
    h = np.diff(result.s)
    share = h / h.sum() if masses is None else masses / masses.sum()
    a, b = result.positions[:-1], result.positions[1:]
    # middle of gravity of each segment: of fourth order with the tangents, as the shape is
    middle = 0.5 * (a + b) - h[:, None] / 12.0 * (result.tangents[1:] - result.tangents[:-1])
    down = np.array([0.0, 0.0, -weight])
    force, moment = down.copy(), np.cross(share @ middle, down)
    for at, vector in forces:
        point = int(np.argmin(np.abs(result.s - at * result.length)))
        force += vector
        moment += np.cross(result.positions[point], vector)
    for vector in moments:
        moment += vector
    points = {name: int(np.argmin(np.abs(result.s / result.length - at))) for name, at in result.places.items()}
    largest = 0.0
    for name, wrench in result.reactions.items():
        force += wrench.force
        moment += wrench.moment + np.cross(result.positions[points[name]], wrench.force)
        largest = max(largest, float(np.abs(wrench.force).max()))
    return max(float(np.abs(force).max()), float(np.abs(moment).max()) / result.length) / largest


def test_balance_without_clips() -> None:
    _, result = solved(points=129)
    assert balance(result, WEIGHT) < 1e-8


@pytest.mark.parametrize("kind", ["clamp", "ball", "swivel"])
@pytest.mark.parametrize("at", [0.5, 0.313])
def test_clips_hold_what_they_say(kind: str, at: float) -> None:
    """Exactly at their place, with reactions that balance weight and loads."""
    _, bare = solved(points=129)
    near = int(np.argmin(np.abs(bare.s - at * bare.length)))
    where = bare.positions[near] + [0.0, 0.01, -0.02]
    direction = bare.tangents[near] + [0.0, 0.2, 0.2]
    direction /= np.linalg.norm(direction)
    clip: dict[str, Any] = {"name": "clip", "at": at, "kind": kind, "position": where.tolist()}
    if kind != "ball":
        clip["tangent"] = direction.tolist()
    load = np.array([0.4, -0.3, -0.2])
    _, result = solved(points=129, clips=[clip], loads=[{"at": 0.8, "force": load.tolist()}])
    point = int(np.argmin(np.abs(result.s - at * result.length)))
    assert result.s[point] == pytest.approx(at * result.length, abs=1e-15)
    assert np.allclose(result.positions[point], where, rtol=0, atol=1e-9 * result.length)
    reaction = result.reactions["clip"]
    if kind == "ball":
        assert np.abs(reaction.moment).max() < 1e-8
    else:
        assert np.allclose(result.tangents[point], direction, rtol=0, atol=1e-12)
    if kind == "swivel":
        assert abs(float(reaction.moment @ direction)) < 1e-8
        assert np.abs(reaction.moment).max() > 1e-3
    assert balance(result, WEIGHT, ((0.8, load),)) < 1e-7
    jump = result.force_before[point] - result.force[point]
    assert np.allclose(jump, reaction.force, rtol=0, atol=1e-12)


def test_twist_between_clips() -> None:
    """A clamping clip carries its own twist; the far end counts from it."""
    clip = {"at": 0.5, "kind": "clamp", "position": [0.15, 0.06, 0.0], "tangent": [0.6, 0.8, 0.0]}
    _, untwisted = solved(clips=[clip])
    _, twisted = solved(clips=[{**clip, "twist": 2.0}])
    half = untwisted.s <= 0.21

    def m3(result: CableResult) -> Array:
        return np.asarray(np.einsum("ij,ij->i", result.moment, result.tangents))

    assert abs(float(m3(twisted)[half][5] - m3(untwisted)[half][5])) > 0.1  # the first half is twisted
    assert np.allclose(m3(twisted)[~half], m3(untwisted)[~half], atol=1e-6)  # the second was carried along
    assert np.allclose(twisted.positions[~half], untwisted.positions[~half], atol=1e-7)


@pytest.mark.parametrize("axes", [["x"], ["y", "z"], ["x", "y", "z"]])
def test_free_axes(axes: list[str]) -> None:
    """An end free along an axis exerts no force along it, and keeps its direction."""
    _, result = solved(points=129, end={**HOSE["end"], "free": axes})
    reaction = result.reactions["end"]
    scale = float(np.abs(result.reactions["start"].force).max())
    for k, axis in enumerate("xyz"):
        if axis in axes:
            assert abs(float(reaction.force[k])) < 1e-9 * scale
        else:
            assert result.positions[-1, k] == pytest.approx(END[k], abs=1e-9)
    assert np.allclose(result.tangents[-1], [0.0, 0.6, -0.8], rtol=0, atol=1e-12)
    assert np.abs(reaction.moment).max() > 1e-4
    assert balance(result, WEIGHT) < 1e-7


def test_swivel_end_is_free_to_turn() -> None:
    _, result = solved(end={**HOSE["end"], "kind": "swivel"})
    m3 = np.einsum("ij,ij->i", result.moment, result.tangents)
    assert float(np.abs(m3).max()) < 1e-8
    assert abs(result.total_torsion) < 1e-7
    assert np.allclose(result.tangents[-1], [0.0, 0.6, -0.8], rtol=0, atol=1e-12)
    assert result.report.neutral == 0


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ({"position": [0, 0, 0]}, {"position": END.tolist()}, 1),
        ({"position": [0, 0, 0]}, HOSE["end"], 0),
        (HOSE["start"], {"position": END.tolist()}, 0),
        ({**HOSE["start"], "kind": "swivel"}, {**HOSE["end"], "kind": "swivel"}, 1),
        (HOSE["start"], {**HOSE["end"], "kind": "swivel"}, 0),
    ],
    ids=["ball–ball", "ball–clamp", "clamp–ball", "swivel–swivel", "clamp–swivel"],
)
def test_neutral_directions_are_counted(start: dict[str, Any], end: dict[str, Any], expected: int) -> None:
    """Nothing holds the roll of a cable between balls or swivels: neutral, not unstable."""
    sim, result = solved(start=start, end=end)
    assert result.report.neutral == expected
    assert result.stable
    sim.move("hose/end", position=beside_end(0.01, 0.0, 0.0))
    assert sim.solve().ok
    assert sim.cable("hose").report.neutral == expected


def test_load_at_a_place() -> None:
    """A force inside bends like two cables would: the internal force jumps by it, the moment does not."""
    load = np.array([0.2, -0.5, 0.3])
    _, result = solved(points=129, loads=[{"at": 0.37, "force": load.tolist()}])
    point = int(np.argmin(np.abs(result.s - 0.37 * result.length)))
    assert result.s[point] == pytest.approx(0.37 * result.length, abs=1e-15)
    jump = result.force_before[point] - result.force[point]
    assert np.allclose(jump, load, rtol=0, atol=1e-12)
    assert np.allclose(result.moment_before[point], result.moment[point], rtol=0, atol=1e-8)
    assert balance(result, WEIGHT, ((0.37, load),)) < 1e-7


@pytest.mark.parametrize("axes", ["world", "body"])
def test_moment_at_a_place(axes: str) -> None:
    given = np.array([0.01, -0.02, 0.015])
    _, result = solved(points=129, loads=[{"at": 0.4, "moment": given.tolist(), "axes": axes}])
    point = int(np.argmin(np.abs(result.s - 0.4 * result.length)))
    w, x, y, z = result.quaternions[point]
    if axes == "body":
        v = np.array([x, y, z])
        given = given + 2.0 * np.cross(v, np.cross(v, given) + w * given)
    jump = result.moment_before[point] - result.moment[point]
    assert np.allclose(jump, given, rtol=0, atol=1e-8)
    assert balance(result, WEIGHT, moments=(given,)) < 1e-7
    assert result.stable is None
    assert result.report.status == "converged"


def test_a_load_at_a_support_goes_into_the_support() -> None:
    _, bare = solved()
    _, loaded = solved(loads=[{"at": 1.0, "force": [1.0, 2.0, 3.0]}])
    assert same_shape(bare, loaded)
    change = loaded.reactions["end"].force - bare.reactions["end"].force
    assert np.allclose(change, [-1.0, -2.0, -3.0], rtol=0, atol=1e-6)


def test_stretches() -> None:
    """A stiff, heavy middle: its mass counts where it is, and the curvature jumps with the stiffness."""
    cable = {**HOSE, "points": 129, "stretches": [{"from": 0.25, "to": 0.5, "type": "taped"}]}
    taped = {"stiffness": {"bending": 0.35, "torsion": 0.25}, "mass_per_length": 0.5}
    scene = Scene.from_dict({"cables": [cable], "types": {"taped": taped}})
    sim = Simulation(scene)
    sim.solve().raise_if_failed()
    result = sim.cable("hose")
    middle = 0.5 * (result.s[1:] + result.s[:-1]) / result.length
    mass = np.where((middle > 0.25) & (middle < 0.5), 0.5, 0.107) * np.diff(result.s)
    assert balance(result, 9.81 * float(mass.sum()), masses=mass) < 1e-7
    total = result.reactions["start"].force[2] + result.reactions["end"].force[2]
    assert total == pytest.approx(9.81 * float(mass.sum()), rel=1e-9)
    point = int(np.argmin(np.abs(result.s - 0.25 * result.length)))
    m = float(np.linalg.norm(result.moment[point]))
    assert result.curvature[point] <= m / 0.035 * (1.0 + 1e-9)
    inside = (result.s > 0.26 * result.length) & (result.s < 0.49 * result.length)
    bend = np.linalg.norm(np.cross(result.tangents, result.moment), axis=1)
    assert np.allclose(result.curvature[inside], bend[inside] / 0.35, rtol=1e-6)


def test_twist_is_reported_in_turns() -> None:
    _, result = solved(points=129, twist=math.radians(270.0))
    _, back = solved(points=129, twist=math.radians(-90.0))
    assert result.turns > 0.6
    assert back.turns < -0.1
    assert not same_shape(result, back, 1e-3)


def test_both_formulations_agree() -> None:
    scene = Scene.from_dict({"cables": [{**HOSE, "points": 33}]})
    shapes = []
    for formulation in ("rotations", "augmented"):
        sim = Simulation(scene, formulation=formulation)
        sim.solve().raise_if_failed()
        shapes.append(sim.cable("hose").positions)
    assert np.abs(shapes[0] - shapes[1]).max() < 1e-3 * 0.42


def test_an_end_of_a_joined_cable_can_be_turned() -> None:
    """Its twist has nothing in the scene to count from: saying one made the scene refuse itself."""
    simulation = Simulation(Scene.load(Path(__file__).parents[1] / "examples" / "harness.toml"))
    simulation.solve().raise_if_failed()
    simulation.move("right/end", position=(0.54, -0.15, 0.06), tangent=(1.0, 0.2, 0.0))
    simulation.solve().raise_if_failed()
    assert simulation.scene.cable("right").end is not None
    assert simulation.scene.cable("right").twist is None


def test_a_picture_needs_no_page_and_no_file(tmp_path: Path) -> None:
    simulation = Simulation(Scene.load(Path(__file__).parents[1] / "examples" / "cantilever.toml"))
    simulation.solve()
    assert simulation.picture().startswith(b"\x89PNG")
    drawn = simulation.picture(tmp_path / "shape.svg")
    assert (tmp_path / "shape.svg").read_bytes() == drawn
    assert b"<svg" in drawn
    with pytest.raises(ValueError, match=r"shape\.jpg: a picture ends in one of \.png"):
        simulation.picture(tmp_path / "shape.jpg")
