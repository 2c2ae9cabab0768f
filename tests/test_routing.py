"""Lengths that are typed, pulled, or found: against scans over the length, and with everything around them."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

from lissom.scene import Scene, SceneError
from lissom.simulation import Simulation

Array = NDArray[np.float64]

HOSE: dict[str, Any] = {
    "name": "hose",
    "length": 0.42,
    "points": 65,
    "stiffness": {"bending": 0.035, "torsion": 0.025},
    "mass_per_length": 0.107,
    "start": {"position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.0], "roll": 0.0},
    "end": {"position": [0.2, 0.14, -0.12], "tangent": [0.0, 0.6, -0.8], "roll": 0.0},
}
END = np.array(HOSE["end"]["position"])
LEVEL = {"position": [0.4, 0, 0], "tangent": [1, 0, 0], "roll": 0.0}
BEND = [[0.2 * math.sin(t), 0.0, 0.2 * (1 - math.cos(t))] for t in np.linspace(0.0, 1.6, 13)]
CLIP = {"name": "c", "from_start": 0.15, "position": [0.1, 0.03, 0.02], "tangent": [1, 0.2, 0], "roll": 0.0}

CABLES: dict[str, dict[str, Any]] = {
    "hose": {},
    "sagging": {"mass_per_length": 0.6, "end": LEVEL, "length": 0.45},
    "moulded": {"length": 0.32, "rest": {"points": BEND}},
    "curved": {"rest": {"curvature": [2.0, -3.0, 0.5]}},
    "twisted": {"twist": math.pi, "start": {**HOSE["start"], "roll": 0.3}, "end": {**HOSE["end"], "roll": None}},
    "heavy": {"mass_per_length": 1.5, "stiffness": {"bending": 0.004, "torsion": 0.003}},
}


def scene(**fields: Any) -> Scene:
    cable = {**HOSE, **fields}
    cable["end"] = {key: value for key, value in cable["end"].items() if value is not None}
    return Scene.from_dict({"cables": [cable]})


def solved(**fields: Any) -> Simulation:
    sim = Simulation(scene(**fields))
    sim.solve().raise_if_failed()
    return sim


def curve(sim: Simulation) -> Array:
    found = sim.cable("hose")
    line = CubicHermiteSpline(found.s, found.positions, found.tangents)
    return np.asarray(line(np.linspace(0.0, found.length, 301)))


def energy(sim: Simulation) -> float:
    """With heights counted from the middle between the two ends."""
    found = sim.cable("hose")
    weight = np.sum(found._grid.weight * found._grid.h[:, None], axis=0)
    return found.energy["total"] + float(weight @ (0.5 * (found.positions[0] + found.positions[-1])))


# ---- mode 2: a scan over the length ------------------------------------------------------------------------------


@pytest.mark.parametrize("tension", [0.7, 4.0, 25.0])
@pytest.mark.parametrize("kind", CABLES)
def test_soft_length_agrees_with_a_scan_over_the_length(kind: str, tension: float) -> None:
    """The least of V + kL²/2r over lengths, each a cold solve of a scene of its own."""
    fields = CABLES[kind]
    if kind == "heavy":
        tension += 5.0  # below wr/2 it would grow without end
    sim = Simulation(scene(**fields))
    with sim.soften("hose", tension=tension) as mode:
        sim.solve().raise_if_failed()
    end = np.array(scene(**fields).cable("hose").end.position)  # type: ignore[union-attr]
    way = float(np.linalg.norm(end))

    def cost(length: float) -> float:
        changed = dict(fields)
        if "rest" in fields and "points" in fields["rest"]:  # a longer mould: its angles stay
            factor = length / fields["length"]
            changed["rest"] = {"points": (factor * np.array(fields["rest"]["points"])).tolist()}
        lonely = Simulation(scene(**{**changed, "length": length, "points": 129}))
        lonely.solve().raise_if_failed()
        return energy(lonely) + 0.5 * tension * length**2 / way

    lengths = np.linspace(0.99 * (mode.length - way), 1.01 * (mode.length - way), 3) + way
    found = minimize_scalar(cost, bracket=tuple(lengths), tol=1e-7)
    assert mode.length == pytest.approx(found.x, abs=2e-4 * (mode.length - way) + 2e-6)
    assert cost(found.x) <= cost(mode.length) + 1e-12


def test_soft_spans_agree_with_a_scan_over_both_lengths() -> None:
    sim = Simulation(scene(clips=[CLIP]))
    with sim.soften("hose", tension=3.0) as mode:
        sim.solve().raise_if_failed()
        spans = mode.spans()

    def cost(first: float, second: float) -> float:
        lonely = Simulation(scene(clips=[{**CLIP, "from_start": first}], length=first + second, points=257))
        lonely.solve().raise_if_failed()
        found = lonely.cable("hose")
        total = found.energy["total"]
        for k, (a, b) in enumerate(((0.0, first), (first, first + second))):
            ends = [int(np.argmin(np.abs(found.s - place))) for place in (a, b)]
            total += (b - a) * 0.107 * -9.81 * float(found.positions[ends, 2].mean())
            total += 1.5 * (b - a) ** 2 / spans[k].way
        return total

    first, second = (span.length for span in spans)
    a = minimize_scalar(lambda x: cost(x, second), bracket=(0.9999 * first, first, 1.0001 * first), tol=1e-8)
    b = minimize_scalar(lambda x: cost(first, x), bracket=(0.999 * second, second, 1.001 * second), tol=1e-8)
    assert (first, second) == pytest.approx((a.x, b.x), rel=2e-5)


@pytest.mark.parametrize("bent", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("kind", CABLES)
def test_soft_length_does_not_depend_on_the_points(kind: str, bent: float) -> None:
    lengths = []
    for points in (33, 129):
        sim = Simulation(scene(**{**CABLES[kind], "points": points}))
        mode = sim.soften("hose", bent=bent)
        sim.solve().raise_if_failed()
        lengths.append(mode.length)
    way = math.hypot(*scene(**CABLES[kind]).cable("hose").end.position)  # type: ignore[union-attr, misc]
    assert lengths[0] == pytest.approx(lengths[1], abs=2e-3 * (lengths[1] - way) + 1e-4 * way)


def test_one_knob_from_rather_straight_to_rather_bent() -> None:
    sim = solved()
    mode = sim.soften("hose", bent=0.0)
    lengths, radii = [], []
    for bent in np.linspace(0.0, 1.0, 6):
        mode.bent = float(bent)
        sim.solve().raise_if_failed()
        lengths.append(mode.length)
        radii.append(sim.cable("hose").min_bend_radius)
    assert np.all(np.diff(lengths) > 0.0)
    assert radii[-1] > 4.0 * radii[0]
    assert lengths[0] < 1.035 * np.linalg.norm(END)
    assert lengths[-1] > 1.1 * np.linalg.norm(END)


def test_a_scene_twice_as_large_looks_the_same() -> None:
    """Without weight only B/r² counts."""
    ratios = []
    for size in (1.0, 2.0):
        end = {**HOSE["end"], "position": (size * END).tolist()}
        sim = Simulation(scene(mass_per_length=0.0, end=end, length=size * 0.42))
        mode = sim.soften("hose", bent=0.6)
        sim.solve().raise_if_failed()
        ratios.append(mode.length / size)
    assert ratios[0] == pytest.approx(ratios[1], rel=1e-7)


def test_the_length_does_not_depend_on_the_way_there() -> None:
    """Dragged around and back, entered again, begun from another length: always the same."""
    sim = solved()
    mode = sim.soften("hose", bent=0.6)
    sim.solve().raise_if_failed()
    first = mode.length
    for k in range(1, 9):
        sim.move("hose/end", position=END + 0.01 * np.array([math.sin(k), k % 3, -k % 4]))
        assert sim.solve().ok
    sim.move("hose/end", position=END)
    sim.solve().raise_if_failed()
    assert mode.length == pytest.approx(first, rel=1e-6)
    mode.freeze()
    again = sim.soften("hose", bent=0.6)
    sim.solve().raise_if_failed()
    assert again.length == pytest.approx(first, rel=1e-6)
    other = Simulation(scene(length=0.28))
    mode = other.soften("hose", bent=0.6)
    other.solve().raise_if_failed()
    assert mode.length == pytest.approx(first, rel=1e-6)


def test_too_short_to_reach_is_no_obstacle() -> None:
    sim = Simulation(scene(length=0.1))
    assert sim.solve().status == "infeasible"
    mode = sim.soften("hose")
    assert sim.solve().ok
    sim.move("hose/end", position=3.0 * END)
    assert sim.solve().ok
    assert mode.length > 3.0 * np.linalg.norm(END)


def test_a_straight_cable_has_no_best_length_but_the_shortest() -> None:
    sim = Simulation(scene(mass_per_length=0.0, end=LEVEL, length=0.45))
    mode = sim.soften("hose")
    report = sim.solve()
    assert report.ok
    assert mode.length == pytest.approx(0.4, rel=2e-4)
    assert "shortest length is the best" in report.cables["hose"].warnings[-1]
    assert mode.notes


def test_too_soft_for_its_weight_grows_without_end_and_says_so() -> None:
    """The ends of a catenary carry wL/2 and more, with L itself."""
    rope = {"stiffness": {"bending": 0}, "start": {"position": [0, 0, 0]}, "end": {"position": [0.4, 0, 0]}}
    sim = solved(**rope, length=0.5, mass_per_length=1.0)
    sim.soften("hose", tension=0.3 * 9.81 * 0.4)  # less than wr/2
    report = sim.solve()
    assert report.status == "not_converged"
    assert "no length is long enough" in report.reason


def test_a_load_beyond_the_end_of_a_shorter_cable_is_told_not_raised() -> None:
    sim = solved(loads=[{"from_start": 0.35, "force": [0, 0, -0.1]}])
    mode = sim.soften("hose", bent=0.3)
    report = sim.solve()
    assert report.status == "not_converged"
    assert "load 1.from_start" in report.reason
    assert mode.length >= 0.35
    assert mode.freeze().ok
    with sim.feed("hose"):
        sim.move("hose/end", position=0.3 * END)
        assert sim.solve().ok


def test_only_the_spans_between_the_places_are_soft() -> None:
    sim = solved(clips=[CLIP], length=0.4)
    with sim.soften("hose", between=("c", "end")) as mode:
        sim.solve().raise_if_failed()
        assert len(mode.spans()) == 1
    cable = sim.scene.cable("hose")
    assert cable.clip("c").from_start == pytest.approx(0.15, abs=1e-12)
    assert cable.length != pytest.approx(0.4, rel=1e-3)


def test_two_cables_of_a_harness_and_a_contact() -> None:
    """Free junctions follow; cables lie on a bar: the same balance, with everything solved together."""
    sim = Simulation(Scene.load(Path(__file__).parents[1] / "examples/harness.toml"))
    sim.solve().raise_if_failed()
    modes = [sim.soften(name, bent=0.7) for name in ("left", "right")]
    sim.solve().raise_if_failed()
    assert all(np.all(mode.balance().off < 1e-6) for mode in modes)
    before = [mode.length for mode in modes]
    sim.move("left plug", position=(0.55, 0.18, 0.06))
    sim.solve().raise_if_failed()
    assert modes[0].length > before[0]
    assert all(mode.freeze().ok for mode in modes)
    assert sim.scene.cable("left").length == modes[0].length


def test_soft_length_over_a_bar_agrees_with_a_scan_over_the_length() -> None:
    """Contact does no work along the cable: the same balance, found with contact in every step."""
    start, end = ({"position": [x, 0, 0], "tangent": [0.3, 0, -5.0 * x], "roll": 0} for x in (-0.2, 0.2))
    rope = {"name": "hose", "length": 0.56, "points": 41, "radius": 0.004, "start": start, "end": end}
    rope |= {"stiffness": {"bending": 0.004, "torsion": 0.003}, "mass_per_length": 0.1}
    rope["initial"] = {"points": [[-0.2, 0, 0], [-0.1, 0, 0.15], [0, 0, 0.2], [0.1, 0, 0.15], [0.2, 0, 0]]}
    bar = {"name": "bar", "shape": {"kind": "cylinder", "diameter": 0.1, "length": 0.3}, "position": [0, 0, 0.1]}
    sim = Simulation(Scene.from_dict({"cables": [rope], "parts": [{**bar, "tangent": [0, 1, 0]}]}))
    with sim.soften("hose", tension=1.0) as mode:
        sim.solve().raise_if_failed()
    assert sim.contacts

    def cost(length: float) -> float:
        other = sim.copy()
        other.lengthen("hose", to=length)
        other.solve().raise_if_failed()
        return energy(other) + 0.5 * length**2 / 0.4

    lengths = mode.length + np.linspace(-0.004, 0.004, 9)
    slope = np.polyder(np.polyfit(lengths - mode.length, [cost(float(k)) for k in lengths], 4))
    least = min(np.roots(slope), key=abs)
    assert abs(least) < 5e-5 * mode.length


# ---- mode 1 ------------------------------------------------------------------------------------------------------


def test_pulling_feeds_the_cable() -> None:
    """Farther than it was long, in one drag; back gives the length back."""
    sim = solved(length=0.3)
    slack = 0.3 - np.linalg.norm(END)
    with sim.feed("hose") as mode:
        for k in range(1, 21):
            sim.move("hose/end", position=(1.0 + 0.1 * k) * END)
            assert sim.solve().ok
        assert mode.length == pytest.approx(3.0 * np.linalg.norm(END) + slack, rel=1e-9)
        sim.move("hose/end", position=END)
        sim.solve().raise_if_failed()
        assert mode.length == pytest.approx(0.3, rel=1e-9)
        sim.move("hose/end", position=1.5 * END)
        sim.solve().raise_if_failed()
    assert sim.scene.cable("hose").length == pytest.approx(1.5 * np.linalg.norm(END) + slack, rel=1e-9)
    sim.move("hose/end", position=3.0 * END)
    assert sim.solve().status == "infeasible"  # frozen


def test_pulling_feeds_only_between_the_places() -> None:
    sim = solved(clips=[CLIP, {"name": "d", "at": 0.85, "kind": "ball", "position": [0.19, 0.11, -0.09]}], length=0.4)
    with sim.feed("hose", between=(0.5, 0.6)):
        sim.move("hose/d", position=(0.22, 0.14, -0.12))
        sim.move("hose/end", position=(0.23, 0.17, -0.15))
        sim.solve().raise_if_failed()
    found = sim.scene.cable("hose")
    assert found.clip("c").from_start == pytest.approx(0.15)
    at = found.clip("d").at
    assert at is not None
    assert (1.0 - at) * found.length == pytest.approx(0.06)
    assert found.length > 0.43


def test_each_span_is_fed_for_itself() -> None:
    """Spread over all of them, the one that is pulled would be too short."""
    sim = solved(clips=[CLIP], length=0.4)
    with sim.feed("hose"):
        sim.move("hose/end", position=3.0 * END)
        sim.solve().raise_if_failed()
    assert sim.scene.cable("hose").clip("c").from_start == pytest.approx(0.15)


def test_a_grip_can_pull_too() -> None:
    sim = solved(length=0.3)
    grip = sim.grip("hose", at=0.5)
    with sim.feed("hose", between=("start", "grip 1")) as mode:
        report = grip.move(position=grip.position + np.array([0.0, 0.0, 0.1]), max_step=0.02)
    assert report.status == "infeasible"  # the other half is as long as it was
    with sim.feed("hose") as mode:
        assert grip.move(position=grip.position, max_step=0.02).ok
        assert mode.length > 0.3
    assert np.allclose(sim.cable("hose").reactions["grip 1"].force, grip.wrench.force)


# ---- typed -------------------------------------------------------------------------------------------------------


def test_a_typed_length_is_the_length() -> None:
    sim = solved()
    sim.lengthen("hose", by="30 mm")
    sim.solve().raise_if_failed()
    assert sim.scene.cable("hose").length == pytest.approx(0.45)
    cold = solved(length=0.45)
    assert np.abs(curve(sim) - curve(cold)).max() < 1e-7
    sim.lengthen("hose", to=0.4)
    sim.solve().raise_if_failed()
    assert np.abs(curve(sim) - curve(solved(length=0.4))).max() < 1e-7


def test_material_is_put_in_between_the_places_only() -> None:
    """A twist and a stretch of another type beyond them do not notice."""
    types = {"taped": {"stiffness": {"bending": 0.08, "torsion": 0.05}, "mass_per_length": 0.3}}
    cable = {**HOSE, "clips": [CLIP], "stretches": [{"from": 0.05, "to": 0.2, "type": "taped"}], "length": 0.4}
    sim = Simulation(Scene.from_dict({"cables": [cable], "types": types}))
    sim.solve().raise_if_failed()
    before = sim.cable("hose")
    sim.lengthen("hose", to=0.3, between=("c", "end"))
    sim.solve().raise_if_failed()
    after = sim.cable("hose")
    assert after.length == pytest.approx(0.45)
    upto = CubicHermiteSpline(after.s, after.positions, after.tangents)
    inside = before.s <= 0.15
    assert np.abs(upto(before.s[inside]) - before.positions[inside]).max() < 1e-5 * 0.4  # of the grid
    assert sim.scene.cable("hose").stretches[0].to * 0.45 == pytest.approx(0.08)


def test_lengths_that_cannot_be() -> None:
    sim = solved(clips=[CLIP], length=0.4)
    for wrong in ({}, {"by": 0.1, "to": 0.2}):
        with pytest.raises(ValueError, match="one of them"):
            sim.lengthen("hose", **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="-250 mm would be left; the cable is 250 mm long there"):
        sim.lengthen("hose", by=-0.5, between=("c", "end"))
    with pytest.raises(ValueError, match="unit"):
        sim.lengthen("hose", by="3 kg")
    with pytest.raises(SceneError, match="hose/start, hose/c, hose/end"):
        sim.lengthen("hose", by=0.1, between=("start", "clip 7"))
    with pytest.raises(SceneError, match="two different places"):
        sim.lengthen("hose", by=0.1, between=("start", 0.0))
    with pytest.raises(SceneError, match="between 0 and 1"):
        sim.lengthen("hose", by=0.1, between=("start", 1.5))
    with pytest.raises(ValueError, match="rather straight"):
        sim.soften("hose", bent=2.0)
    with pytest.raises(ValueError, match="above 0"):
        sim.soften("hose", tension=0.0)
    mode = sim.soften("hose")
    with pytest.raises(ValueError, match="freeze"):
        sim.lengthen("hose", by=0.1)
    mode.freeze()
    free = Simulation(Scene.from_dict({"cables": [{k: v for k, v in HOSE.items() if k != "end"}]}))
    with pytest.raises(SceneError, match="two supports"):
        free.soften("hose")
    with pytest.raises(SceneError, match="nothing can pull"):
        free.feed("hose")
    harness = Simulation(Scene.load(Path(__file__).parents[1] / "examples/harness.toml"))
    with pytest.raises(SceneError, match="follows the pull by itself"):
        harness.feed("left")
    loop = Simulation(scene(end={**HOSE["end"], "position": [0, 0, 0]}))
    with pytest.raises(SceneError, match="at one place"):
        loop.soften("hose")


# ---- freezing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("points", [33, 65, 129])
def test_freezing_spaces_the_points_evenly_without_moving_the_shape(points: int) -> None:
    clip = {**CLIP, "from_start": 0.2}
    sim = solved(clips=[clip], points=points, length=0.41)
    mode = sim.soften("hose", bent=0.3)
    sim.solve().raise_if_failed()
    before, uneven = curve(sim), np.diff(sim.cable("hose").s)
    report = mode.freeze()
    assert report.ok
    even = np.diff(sim.cable("hose").s)
    assert uneven.max() / uneven.min() > 1.5
    assert even.max() / even.min() < 1.0 + 3.0 / (0.3 * points)  # a clip has a point of its own
    reference = Simulation(sim.scene.with_value("hose/points", 513))
    reference.solve().raise_if_failed()
    error = np.abs(curve(reference) - before).max()
    assert np.abs(curve(sim) - before).max() < 2.0 * error + 1e-9
    assert len(sim.cable("hose").s) == points


def test_what_was_found_is_in_the_scene_and_in_the_file(tmp_path: Path) -> None:
    sim = solved(clips=[CLIP], loads=[{"at": 0.8, "force": [0, 0, -0.5]}])
    with sim.soften("hose", bent=0.4) as mode:
        sim.move("hose/end", position=END + np.array([0.02, 0.01, 0.0]))
        sim.solve().raise_if_failed()
        assert sim.scene.cable("hose").length == mode.length
    sim.save(tmp_path / "a.toml")
    again = Simulation.open(tmp_path / "a.toml")
    assert again.scene == sim.scene
    assert again.notes == []
    assert np.abs(curve(again) - curve(sim)).max() < 1e-7
    cold = Simulation(sim.scene)
    cold.solve().raise_if_failed()
    assert np.abs(curve(cold) - curve(sim)).max() < 1e-7


def test_going_back_leaves_the_mode() -> None:
    sim = solved()
    state = sim.state()
    sim.soften("hose")
    sim.solve().raise_if_failed()
    sim.restore(state)
    sim.solve().raise_if_failed()
    assert sim.cable("hose").length == 0.42


def test_a_clip_is_left_where_a_grip_was_moved_and_turned_to() -> None:
    """Frames that are carried over three clamps are turned more than over two: the scene contradicted itself."""
    end = {"position": (0.2, 0.05, 0.1), "tangent": (0.1, 0.2, 1.0)}
    sim = solved(end=end, length=0.42)
    grip = sim.grip("hose", at=0.43)
    turned = Rotation.from_rotvec((0.0, 0.4, 0.3)) * Rotation.from_quat(grip.quaternion, scalar_first=True)
    assert grip.move(position=grip.position + np.array([0.0, 0.02, 0.0]), quaternion=turned).ok
    sim.turn("hose/end", 0.1)
    assert sim.solve().ok
    assert sim.scene.cable("hose").twist == pytest.approx(0.1)
    before = sim.cable("hose").positions
    path = grip.keep()
    assert np.allclose(sim.cable("hose").positions, before, atol=1e-9)
    again = Simulation(sim.scene)
    assert again.solve().ok
    assert again.scene.cable("hose").clip(path.partition("/")[2]).twist is not None
    assert np.allclose(again.cable("hose").positions, before, atol=1e-6)


def test_a_grip_and_an_edit_in_soft_mode() -> None:
    sim = solved()
    mode = sim.soften("hose", bent=0.6)
    sim.solve().raise_if_failed()
    grip = sim.grip("hose", at=0.5)
    assert len(mode.spans()) == 2
    assert grip.move(position=grip.position + np.array([0.0, 0.0, 0.05])).ok
    sim.edit("hose", stiffness={"bending": 0.05, "torsion": 0.03})
    assert sim.solve().ok
    assert len(mode.spans()) == 2
    grip.release()
    assert sim.solve().ok
    assert len(mode.spans()) == 1


def test_a_curvature_per_point_is_not_worn_away() -> None:
    """Frame after frame the rest shape is made from the one at the beginning."""
    curvature = [[4.0 * math.sin(0.3 * k), 0.0, 0.0] for k in range(65)]
    sim = solved(rest={"curvature": curvature}, clips=[CLIP])
    mode = sim.soften("hose", bent=0.6, between=("c", "end"))
    sim.solve().raise_if_failed()
    first, rest = mode.length, sim.scene.cable("hose").rest
    for k in range(1, 30):
        sim.move("hose/end", position=END + np.array([0.0, 0.002 * (k % 5), 0.0]))
        assert sim.solve().ok
    sim.move("hose/end", position=END)
    sim.solve().raise_if_failed()
    assert mode.length == pytest.approx(first, rel=1e-6)
    now = sim.scene.cable("hose").rest
    assert rest is not None
    assert now is not None
    assert np.allclose(np.array(now.curvature), np.array(rest.curvature), atol=1e-3)


def test_the_page_about_it_runs() -> None:
    text = (Path(__file__).parents[1] / "docs/routing.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)
        names["sim"].solve().raise_if_failed()
