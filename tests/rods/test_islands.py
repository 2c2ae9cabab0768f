"""Cables that do not meet are solved for themselves; where they come to meet, as one system, with the same result."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lissom import cables
from lissom.rods import newton
from lissom.rods.assembly import Assembly
from lissom.rods.past import Past
from lissom.rods.system import Settled
from lissom.scene import Scene
from lissom.simulation import Simulation

CASES = Path(__file__).parents[1] / "data" / "cases"
CABLE = """
[[cables]]
name = "{name}"
length = 0.5
points = 41
section = {{ diameter = "10 mm" }}
material = {{ youngs_modulus = "8 MPa", poisson = 0.49, density = 1200 }}
friction = {friction}
start = {{ position = [{x0}, {y0}, {z}], tangent = [{tx}, {ty}, 0], roll = 0 }}
end = {{ position = [{x1}, {y1}, {z}], tangent = [{tx}, {ty}, 0], roll = 0 }}
"""
TABLE = """
[[parts]]
name = "table"
shape = { kind = "plane" }
position = [0, 0, -0.1]
motion = "held"
"""


def hose(name: str, y: float, z: float, friction: float = 0.0, across: bool = False) -> str:
    """Along x at y and z; across it, along y at z, over x = 0."""
    if across:
        return CABLE.format(name=name, x0=0.0, y0=y - 0.2, x1=0.0, y1=y + 0.2, z=z, tx=0, ty=1, friction=friction)
    return CABLE.format(name=name, x0=-0.2, y0=y, x1=0.2, y1=y, z=z, tx=1, ty=0, friction=friction)


def solved(*cables: str, parts: str = TABLE) -> Simulation:
    simulation = Simulation(Scene.from_toml("".join(cables) + parts))
    simulation.solve().raise_if_failed()
    return simulation


def crossing(height: float, friction: float = 0.0) -> Simulation:
    """A hose, and another across it."""
    return solved(hose("lower", 0.0, 0.05, friction), hose("upper", 0.0, 0.05 + height, friction, across=True))


def lower(simulation: Simulation, height: float) -> None:
    """Both ends of the upper hose to there above those of the lower one."""
    for end, y in (("start", -0.2), ("end", 0.2)):
        simulation.move(f"upper/{end}", position=(0.0, y, 0.05 + height))


def islands(simulation: Simulation) -> list[list[str]]:
    assert simulation._cables.islands is not None
    return sorted(sorted(k.solvers) for k in simulation._cables.islands.assemblies)


def points(simulation: Simulation, name: str) -> np.ndarray:
    return np.asarray(simulation.cable(name).positions)


@pytest.fixture
def as_one(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """All cables are one system, whether they meet or not."""
    monkeypatch.setattr(cables, "bound", lambda scene: [[k.name for k in scene.cables]])
    return monkeypatch


def test_only_the_hose_that_is_moved_is_solved() -> None:
    simulation = solved(*(hose(f"hose {k}", 0.1 * k, 0.0) for k in range(3)))
    assert len(islands(simulation)) == 3
    before = simulation.solve()
    shapes = [points(simulation, f"hose {k}") for k in (1, 2)]
    simulation.move("hose 0/end", position=(0.2, 0.01, 0.0))
    after = simulation.solve()
    assert after.ok
    for k in (1, 2):
        assert after.cables[f"hose {k}"] is before.cables[f"hose {k}"]
        assert np.array_equal(points(simulation, f"hose {k}"), shapes[k - 1])
    assert points(simulation, "hose 0")[-1][1] == pytest.approx(0.01)


def test_hoses_that_come_to_meet_are_as_if_they_had_always_been_one_system(as_one: pytest.MonkeyPatch) -> None:
    together = crossing(0.1)
    assert len(islands(together)) == 1
    as_one.undo()
    apart = crossing(0.1)
    assert len(islands(apart)) == 2
    for height in (0.05, 0.02, 0.005, -0.01, -0.03):
        for simulation in (together, apart):
            lower(simulation, height)
            assert simulation.solve().ok
    assert len(islands(apart)) == 1
    pressures = [sum(c.pressure for c in k.contacts if c.part != "table") for k in (together, apart)]
    assert pressures[0] > 0.01
    assert pressures[1] == pytest.approx(pressures[0], rel=1e-5)
    for name in ("lower", "upper"):
        assert np.abs(points(apart, name) - points(together, name)).max() < 1e-6


def test_a_jump_does_not_take_a_hose_through_another() -> None:
    """The upper one lies on the lower one after it, though its ends are lower than all of that."""
    simulation = crossing(0.1)
    lower(simulation, -0.08)
    assert simulation.solve().ok
    (contact,) = (c for c in simulation.contacts if c.part != "table")
    up = contact.normal[2] if contact.cable == "upper" else -contact.normal[2]
    assert contact.pressure > 0.1
    assert up > 0.2
    assert points(simulation, "upper")[0][2] < points(simulation, "lower")[:, 2].max() - 0.05


def test_those_that_part_are_solved_for_themselves_again() -> None:
    simulation = crossing(0.1)
    for height in (0.0, -0.03):
        lower(simulation, height)
        assert simulation.solve().ok
    assert len(islands(simulation)) == 1
    lower(simulation, 0.1)
    assert simulation.solve().ok
    assert not simulation.contacts
    assert len(islands(simulation)) == 2
    alone = crossing(0.1)
    for name in ("lower", "upper"):
        assert np.abs(points(simulation, name) - points(alone, name)).max() < 1e-7


def test_where_one_fails_the_others_are_as_they_were() -> None:
    """A part takes three hoses along, of which the last is too short."""
    text = "".join(hose(f"hose {k}", 0.1 * k, 0.0) for k in range(3))
    text = text.replace("end = { position", 'end = { on = "carrier", position')
    text = "length = 0.42".join(text.rsplit("length = 0.5", 1))
    simulation = solved(text, parts=TABLE + '[[parts]]\nname = "carrier"\nmotion = "held"\n')
    assert len(islands(simulation)) == 3
    before = {k: points(simulation, k) for k in simulation.cables}
    simulation.move("carrier", position=(0.08, 0.0, 0.0))
    report = simulation.solve()
    assert [report.cables[f"hose {k}"].status for k in range(3)] == ["not_converged", "not_converged", "infeasible"]
    assert (
        report.cables["hose 0"].reason
        == "put back to where it was, for hose 2 has no shape there: " + report.cables["hose 2"].reason
    )
    for name, x in before.items():
        assert np.abs(points(simulation, name) - x).max() < 1e-12
    simulation.move("carrier", position=(0.01, 0.0, 0.0))
    assert simulation.solve().ok
    for name in before:
        assert points(simulation, name)[-1][0] == pytest.approx(0.21)


def test_where_one_is_too_short_those_it_touches_are_not_said_to_have_a_shape() -> None:
    simulation = crossing(0.004)
    assert simulation.contacts
    before = {k: points(simulation, k) for k in simulation.cables}
    name = next(iter(before))
    simulation.move(f"{name}/end", position=(2.0, 0.0, 0.0))
    report = simulation.solve()
    assert {k: report.cables[k].status for k in before} == {
        k: "infeasible" if k == name else "not_converged" for k in before
    }
    for k, x in before.items():
        assert np.abs(points(simulation, k) - x).max() < 1e-12


def test_ropes_that_begin_with_given_shapes_and_find_none_are_a_status() -> None:
    report = Simulation(Scene.load(CASES / "crossing.json")).solve()
    assert report.status in ("converged", "not_converged")
    assert {k.status for k in report.cables.values()} == {report.status}


def test_what_cannot_be_solved_does_not_keep_others_from_their_shape() -> None:
    short = hose("short", 0.0, 0.0).replace("length = 0.5", "length = 0.3")
    simulation = Simulation(Scene.from_toml(short + hose("long", 0.2, 0.0) + TABLE))
    report = simulation.solve()
    assert report.cables["short"].status == "infeasible"
    assert report.cables["long"].ok
    assert simulation.has_shape("long")
    assert not simulation.has_shape("short")


def test_a_start_that_fails_half_way_leaves_no_contacts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge was told of what pressed on a cable that has no shape: an error inside."""
    pressed = solved(hose("one", 0.0, -0.05)).contacts
    assert pressed

    def stops(self: Assembly, *_: Any, **__: Any) -> tuple[Settled, str]:
        self.contacts = pressed
        return Settled(newton.OUT_OF_ITERATIONS, 0, 0.0, 0.0, 0.0, 0, 0, 0), "stopped"

    monkeypatch.setattr(Assembly, "_settled", stops)
    report = Simulation(Scene.from_toml(hose("one", 0.0, -0.05) + hose("apart", 2.0, 0.5) + TABLE)).solve()
    assert report.cables["one"].status == "not_converged"
    assert report.cables["apart"].ok


def test_a_new_cable_leaves_the_others_alone() -> None:
    simulation = solved(hose("one", 0.0, 0.0))
    simulation.move("one/end", position=(0.1, 0.0, 0.0))
    simulation.solve().raise_if_failed()
    before = points(simulation, "one")
    more = Scene.from_toml(hose("two", 0.3, 0.0)).to_dict()["cables"][0]
    simulation.replace_scene(simulation.scene.with_cable(more))
    assert simulation.solve().ok
    assert len(islands(simulation)) == 2
    assert np.abs(points(simulation, "one") - before).max() < 1e-7


def on_the_floor() -> Simulation:
    """Two rough hoses across each other, and one on the floor."""
    simulation = crossing(0.1, friction=0.3)
    scene = simulation.scene.with_cable(Scene.from_toml(hose("floor", 0.3, -0.06)).to_dict()["cables"][0])
    simulation.replace_scene(scene)
    for height in (0.0, -0.02, -0.03):
        lower(simulation, height)
        simulation.solve().raise_if_failed()
    assert islands(simulation) == [["floor"], ["lower", "upper"]]
    return simulation


def test_a_state_with_several_islands_comes_back_with_its_contacts() -> None:
    simulation = on_the_floor()
    before = sorted((c.cable, c.part, c.pressure) for c in simulation.contacts)
    assert {part for _, part, _ in before} >= {"table"}
    state = simulation.state()
    lower(simulation, 0.1)
    simulation.solve()
    simulation.restore(state)
    assert simulation.solve().iterations == 0
    assert sorted((c.cable, c.part, c.pressure) for c in simulation.contacts) == before


def test_the_past_of_some_cables_is_a_part_of_that_of_all() -> None:
    simulation = on_the_floor()
    assert simulation._cables.islands is not None
    past = simulation._cables.islands.past
    assert past.rubbed is not None
    again = Past.together([past.only(["upper", "lower"]), past.only(["floor"])], list(past.cables))
    assert len(again.contacts) == len(past.contacts) > 0
    assert np.array_equal(np.sort(again.contacts.force), np.sort(past.contacts.force))
    assert again.rubbed is not None
    assert np.array_equal(again.rubbed.link, past.rubbed.link)
    assert np.array_equal(again.rubbed.place, past.rubbed.place)
    assert len(past.rubbed.place) > 0
    assert again.memory.keys() == past.memory.keys()
    assert again.sound


def test_what_begins_in_each_other_is_solved_together_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hoses through each other: each was joined to the others, and all solved again, one after the other."""
    sizes: list[int] = []
    solve = Assembly.solve

    def counted(self: Assembly, *given: Any) -> Any:
        sizes.append(len(self.solvers))
        return solve(self, *given)

    monkeypatch.setattr(Assembly, "solve", counted)
    cables = [hose(f"hose {k}", 0.006 * k, 0.05) for k in range(4)]  # each 4 mm in the next
    Simulation(Scene.from_toml("".join(cables))).solve()
    assert sizes[:4] == [1, 1, 1, 1]
    assert sum(size > 1 for size in sizes) <= 2
