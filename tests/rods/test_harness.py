"""Cables joined at junctions: forces balance, angles stay, and a junction that joins two halves is not felt."""

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom import Simulation
from lissom.rods.harness import first_poses
from lissom.scene import Scene

Array = NDArray[np.float64]

CASES = Path(__file__).parents[1] / "data" / "cases"
WIRE = """
[types.wire]
stiffness = { bending = 0.035, torsion = 0.025 }
mass_per_length = 0.107
"""
CLOSED = 1e-8  # m: how exactly a cable meets its supports
MASS_PER_LENGTH, G = 0.107, 9.81
START = "{ position = [0, 0, 0], tangent = [1, 0, 0], roll = 0.0 }"
END = "{ position = [0.5, 0.2, -0.1], tangent = [0, 0.6, -0.8], roll = 0.3 }"
JOINED = (("trunk", "end"), ("left", "start"), ("right", "start"))


def cable(name: str, length: float, points: int, start: str = "", end: str = "") -> str:
    lines = ["[[cables]]", f'name = "{name}"', 'type = "wire"', f"length = {length}", f"points = {points}"]
    lines += [f"{key} = {value}" for key, value in (("start", start), ("end", end)) if value]
    return "\n".join(lines) + "\n"


def junction(name: str, members: str, more: str = "") -> str:
    return f'[[junctions]]\nname = "{name}"\n{more}\nmembers = [{members}]\n'


def y_scene(more: str = "", offset: str = "") -> Scene:
    members = f"""{{ cable = "trunk", at = "end" }},
        {{ cable = "left", at = "start", tangent = [1, 1, 0]{offset} }},
        {{ cable = "right", at = "start", tangent = [1, -1, 0] }}"""
    return Scene.from_toml(
        WIRE
        + cable("trunk", 0.4, 41, start="{ position = [0, 0, 0], tangent = [1, 0, 0] }")
        + cable("left", 0.25, 26, end="{ position = [0.5, 0.15, 0.03] }")
        + cable("right", 0.22, 23, end="{ position = [0.5, -0.15, 0] }")
        + junction("Y", members, more)
    )


def solved(scene: Scene) -> Simulation:
    simulation = Simulation(scene)
    simulation.solve().raise_if_failed()
    return simulation


def wrenches(simulation: Simulation, joined: tuple[tuple[str, str], ...]) -> Array:
    """(members, 6) what the junction exerts on each member, moments about the place of the first."""
    found: list[Array] = []
    origin: Array | None = None
    for name, support in joined:
        result = simulation.cable(name)
        wrench = result.reactions[support]
        place = {"start": 0.0, "end": result.length}.get(support, 0.5 * result.length)
        x = result.positions[int(np.argmin(np.abs(result.s - place)))]
        origin = x if origin is None else origin
        found.append(np.concatenate([wrench.force, wrench.moment + np.cross(x - origin, wrench.force)]))
    return np.array(found)


def assert_balanced(simulation: Simulation, joined: tuple[tuple[str, str], ...], mass: float = 0.0) -> None:
    each = wrenches(simulation, joined)
    total = each.sum(axis=0)
    total[2] += mass * G  # the junction hangs on its members
    assert float(np.abs(total[:3]).max()) <= 1e-8 * float(np.abs(each[:, :3]).max())
    assert float(np.abs(total[3:]).max()) <= 1e-8 * float(np.abs(each[:, 3:]).max())


def test_a_free_junction_in_the_middle_of_a_cable_changes_nothing() -> None:
    """Two halves joined are one cable, on the fourth-order element of both."""
    whole = solved(Scene.from_toml(WIRE + cable("whole", 0.84, 81, START, END)))
    one = whole.cable("whole")
    assert one.report.element == "polished"
    x, y, z = one.positions[40]
    members = '{ cable = "first", at = "end" }, { cable = "second", at = "start" }'
    halves = solved(
        Scene.from_toml(
            WIRE
            + cable("first", 0.42, 41, start=START)
            + cable("second", 0.42, 41, end=END)
            + junction("J", members, f"position = [{x:.2f}, {y:.2f}, {z:.2f}]")
        )
    )
    first, second = halves.cable("first"), halves.cable("second")
    both = np.concatenate([first.positions, second.positions[1:]])
    assert float(np.abs(both - one.positions).max()) < 1e-6 * one.length
    for end, joined in (("start", first), ("end", second)):
        assert joined.reactions[end].force == pytest.approx(one.reactions[end].force, rel=1e-6, abs=1e-8)
        assert joined.reactions[end].moment == pytest.approx(one.reactions[end].moment, rel=1e-6, abs=1e-8)
    assert first.energy["total"] + second.energy["total"] == pytest.approx(one.energy["total"], rel=1e-6)
    assert first.stable
    assert_balanced(halves, (("first", "end"), ("second", "start")))


def test_y_from_no_position() -> None:
    simulation = solved(y_scene())
    assert_balanced(simulation, JOINED)
    trunk, left, right = (simulation.cable(name) for name, _ in JOINED)
    assert left.positions[0] == pytest.approx(trunk.positions[-1], abs=CLOSED)
    assert right.positions[0] == pytest.approx(trunk.positions[-1], abs=CLOSED)
    for branch in (left, right):  # the angles are those of the junction
        assert float(branch.tangents[0] @ trunk.tangents[-1]) == pytest.approx(math.sqrt(0.5), abs=1e-9)
    assert float(left.tangents[0] @ right.tangents[0]) == pytest.approx(0.0, abs=1e-9)
    assert trunk.stable
    weight = MASS_PER_LENGTH * G * (0.4 + 0.25 + 0.22)
    held = [trunk.reactions["start"], left.reactions["end"], right.reactions["end"]]
    assert sum(k.force for k in held) == pytest.approx([0.0, 0.0, weight], abs=1e-8 * weight)


def test_moments_count_the_arms_of_members_that_sit_beside_the_origin() -> None:
    simulation = solved(y_scene(offset=", position = [0.01, 0.02, 0.0]"))
    assert_balanced(simulation, JOINED)
    arm = simulation.cable("left").positions[0] - simulation.cable("trunk").positions[-1]
    assert float(np.linalg.norm(arm)) == pytest.approx(math.hypot(0.01, 0.02), abs=CLOSED)


def test_a_junction_with_mass_hangs_on_its_members() -> None:
    light, heavy = solved(y_scene()), solved(y_scene("mass = 0.05"))
    assert_balanced(heavy, JOINED, mass=0.05)
    assert heavy.cable("trunk").positions[-1, 2] < light.cable("trunk").positions[-1, 2] - 2e-4


def test_the_first_guess_does_not_decide() -> None:
    """The same shape from no position and from one that is far off."""
    given, found = solved(y_scene("position = [0.36, -0.01, -0.05]")), solved(y_scene())
    for name, _ in JOINED:
        difference = np.abs(given.cable(name).positions - found.cable(name).positions).max()
        assert float(difference) < 1e-6


def test_a_harness_whose_lengths_suffice_is_not_called_too_short() -> None:
    sim = Simulation(Scene.load(CASES / "false_infeasible.json"))
    sim.solve().raise_if_failed()
    for name in sim.cables:
        found = sim.cable(name)
        assert np.linalg.norm(np.diff(found.positions, axis=0), axis=1).sum() == pytest.approx(found.length, rel=1e-3)


@pytest.mark.parametrize("apart", [0.7, 0.59, 0.61])
def test_only_lengths_through_the_whole_network_say_that_it_cannot_be(apart: float) -> None:
    """Two cables of 0.3 m in a row over a free junction: 0.6 m in all."""
    cables = [
        {"name": "a", "length": 0.3, "start": {"position": [0, 0, 0]}},
        {"name": "b", "length": 0.3, "end": {"position": [apart, 0, 0]}},
    ]
    wire = {"stiffness": {"bending": 1e-3, "torsion": 1e-3}, "mass_per_length": 0.01}
    joined = [{"cable": "a", "at": "end"}, {"cable": "b", "at": "start"}]
    scene = Scene.from_dict({"cables": [c | wire for c in cables], "junctions": [{"name": "J", "members": joined}]})
    report = Simulation(scene).solve()
    assert report.ok == (apart < 0.6)
    if apart > 0.6:
        assert report.status == "infeasible"
        assert max(k.shortfall for k in report.cables.values()) == pytest.approx(apart - 0.6)
        assert "a/start and b/end" in report.reason


def test_first_guesses_leave_slack() -> None:
    scene = y_scene()
    (where, _) = first_poses(scene, None)["Y"]
    for anchor, length in (((0.0, 0.0, 0.0), 0.4), ((0.5, 0.15, 0.03), 0.25), ((0.5, -0.15, 0.0), 0.22)):
        assert math.dist(where, anchor) < length


def test_a_branch_off_the_inside_of_a_trunk() -> None:
    """A junction at 0.5 of a trunk that goes on; its branch is held elsewhere."""
    members = '{ cable = "trunk", at = 0.5 }, { cable = "branch", at = "start", tangent = [0, 0, -1] }'
    simulation = solved(
        Scene.from_toml(
            WIRE
            + cable("trunk", 0.84, 81, START, END)
            + cable("branch", 0.3, 31, end="{ position = [0.4, -0.1, -0.3] }")
            + junction("J", members)
        )
    )
    trunk, branch = simulation.cable("trunk"), simulation.cable("branch")
    assert_balanced(simulation, (("trunk", "J"), ("branch", "start")))
    assert branch.positions[0] == pytest.approx(trunk.positions[40], abs=CLOSED)
    assert float(branch.tangents[0] @ trunk.tangents[40]) == pytest.approx(0.0, abs=1e-9)
    assert branch.reactions["start"].force[2] > 0.0


def test_a_branch_that_hangs_freely_off_a_trunk() -> None:
    members = '{ cable = "trunk", at = 0.5 }, { cable = "tail", at = "start", tangent = [0, 0, -1] }'
    simulation = solved(
        Scene.from_toml(WIRE + cable("trunk", 0.84, 81, START, END) + cable("tail", 0.1, 11) + junction("J", members))
    )
    assert_balanced(simulation, (("trunk", "J"), ("tail", "start")))
    assert simulation.cable("tail").reactions["start"].force[2] == pytest.approx(MASS_PER_LENGTH * G * 0.1, rel=1e-9)


def test_a_held_junction_moves_and_takes_its_cables_along() -> None:
    held = 'motion = "held"\nposition = [{}, {}, {}]'
    simulation = solved(y_scene(held.format(0.37, 0.0, 0.0)))
    for k in range(1, 4):
        where = (0.37, -0.01 * k, 0.01 * k)
        simulation.move("Y", position=where)
        simulation.solve().raise_if_failed()
        for name, end in JOINED:
            assert simulation.cable(name).positions[0 if end == "start" else -1] == pytest.approx(where, abs=CLOSED)
    afresh = solved(y_scene(held.format(*where)))
    for name, _ in JOINED:
        assert float(np.abs(simulation.cable(name).positions - afresh.cable(name).positions).max()) < 1e-4
    assert simulation.scene.junctions[0].position == pytest.approx(where)


def test_a_loop() -> None:
    """Two cables side by side between two free junctions: a closed circuit of unknown poses."""
    members = """{{ cable = "{}", at = "{}" }},
        {{ cable = "near", at = "{}", tangent = [1, {}, 0] }}, {{ cable = "far", at = "{}", tangent = [1, {}, 0] }}"""
    simulation = solved(
        Scene.from_toml(
            WIRE
            + cable("in", 0.3, 31, start="{ position = [0, 0, 0], tangent = [1, 0, 0] }")
            + cable("near", 0.3, 31)
            + cable("far", 0.35, 36)
            + cable("out", 0.3, 31, end="{ position = [0.8, 0, 0], tangent = [1, 0, 0] }")
            + junction("J", members.format("in", "end", "start", 1, "start", -1))
            + junction("K", members.format("out", "start", "end", -1, "end", 1))
        )
    )
    assert_balanced(simulation, (("in", "end"), ("near", "start"), ("far", "start")))
    assert_balanced(simulation, (("out", "start"), ("near", "end"), ("far", "end")))
    near, far = simulation.cable("near"), simulation.cable("far")
    assert near.positions[0] == pytest.approx(far.positions[0], abs=CLOSED)
    assert near.positions[-1] == pytest.approx(far.positions[-1], abs=CLOSED)


RING = '{ cable = "a", at = "end" }, { cable = "ring", at = "start", tangent = [1, 1, 0] }, '
RING += '{ cable = "ring", at = "end", tangent = [-1, 1, 0] }'


@pytest.mark.parametrize(
    "more", ["", "position = [0, 0, -0.1]\nquaternion = [0.7071068, 0, 0.7071068, 0]"], ids=["guessed", "taut"]
)
def test_both_ends_of_a_cable_on_one_free_junction(more: str) -> None:
    """A ring that hangs on a cable: the junction is below the support, the forces at it balance."""
    a = cable("a", 0.1, 21, start="{ position = [0, 0, 0], tangent = [0, 0, -1] }")
    scene = Scene.from_toml(WIRE + cable("ring", 0.4, 65) + a + junction("J", RING, more))
    simulation = solved(scene)
    joined = (("a", "end"), ("ring", "start"), ("ring", "end"))
    found = wrenches(simulation, joined)
    assert float(np.abs(found.sum(axis=0)).max()) < 1e-7 * float(np.abs(found).max())
    assert simulation.cable("a").reactions["start"].force[2] == pytest.approx(0.5 * MASS_PER_LENGTH * G, rel=1e-7)
    assert simulation.pose("J")[0] == pytest.approx((0.0, 0.0, -0.1), abs=1e-6)


def test_what_is_free_is_not_moved() -> None:
    simulation = Simulation(y_scene())
    with pytest.raises(ValueError, match=r'Y: motion = "free".*motion = "held"'):
        simulation.move("Y", position=(0.3, 0.0, 0.0))


@pytest.mark.parametrize("path", ["trunk/end", "left/start", "trunk/T"])
def test_what_is_joined_is_not_moved_by_itself(path: str) -> None:
    """It was, and the scene that was then to say so could not be."""
    data = y_scene().to_dict()
    branch = {"name": "branch", "type": "wire", "length": 0.2, "end": {"position": [0.3, -0.1, -0.1]}}
    members = [{"cable": "trunk", "at": 0.5}, {"cable": "branch", "at": "start", "tangent": [1, -1, 0]}]
    more = {"cables": [*data["cables"], branch], "junctions": [*data["junctions"], {"name": "T", "members": members}]}
    simulation = solved(Scene.from_dict(data | more))
    with pytest.raises(ValueError, match=f'{path}: is joined by "[YT]".*move that instead'):
        simulation.move(path, position=(0.3, 0.0, 0.0))


def test_a_clip_on_a_joined_cable_counts_from_nothing() -> None:
    """Twist is counted from clamps that the cable has itself: the scene was refused."""
    simulation = solved(y_scene())
    simulation.add_clip("left", at=0.6)
    before = simulation.cable("left").positions
    again = solved(simulation.scene)
    assert np.allclose(again.cable("left").positions[[0, -1]], before[[0, -1]], atol=1e-6)
