"""Rings and sleeves: their place is where the energy is least, and what they exert follows from it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.rods import sliding
from lissom.rods.result import CableResult
from lissom.scene import Scene
from lissom.simulation import Simulation

Array = NDArray[np.float64]
CASES = Path(__file__).parents[1] / "data" / "cases"
HOSE = Path(__file__).parents[2] / "examples" / "brake-hose.toml"


def through(clip: dict[str, Any] | None, mass: float = 0.1, **cable: Any) -> CableResult:
    fields = {
        "name": "c",
        "length": 1.0,
        "points": 81,
        "stiffness": {"bending": 0.01, "torsion": 0.007},
        "mass_per_length": mass,
        "start": {"position": [0, 0, 0], "tangent": [1, 0, 0]},
        "end": {"position": [0.4, 0.4, 0.1], "tangent": [0, 1, 0]},
        "clips": [{"name": "clip", "position": [0.35, 0.1, -0.15], **(clip or {})}],
    }
    simulation = Simulation(Scene.from_dict({"cables": [{**fields, **cable}]}))
    simulation.solve().raise_if_failed()
    return simulation.cable("c")


def test_slides_without_a_place_lie_between_the_clips_they_are_listed_between() -> None:
    sim = Simulation(Scene.load(CASES / "slide_without_place.json"))
    sim.solve().raise_if_failed()
    cable = sim.cable("c")
    assert 0.0 < cable.places["k0"] < cable.places["k1"] < 1.0
    for clip in sim.scene.cable("c").clips:
        point = int(np.argmin(np.abs(cable.s - cable.places[clip.name] * cable.length)))
        assert cable.positions[point] == pytest.approx(clip.position, abs=1e-7)


def test_slides_that_are_listed_in_another_order_than_they_can_be_met_are_asked_for_their_place() -> None:
    clips = [{"kind": "ring", "position": [x, 0, -0.1]} for x in (0.7, 0.1)]
    ends = {"start": {"position": [0, 0, 0]}, "end": {"position": [0.9, 0, 0]}}
    cable = {"name": "c", "length": 1.2, "stiffness": {"bending": 0.01, "torsion": 0.01}, "clips": clips, **ends}
    cable["mass_per_length"] = 0.1
    report = Simulation(Scene.from_dict({"cables": [cable]})).solve()
    assert report.status == "infeasible"
    assert "through clip 1, clip 2: if these lie in another order, give them `at`" in report.reason
    swapped = Simulation(Scene.from_dict({"cables": [{**cable, "clips": clips[::-1]}]}))
    assert swapped.solve().ok


def test_a_clip_put_on_before_a_slide_without_a_place_leaves_it_where_it_is() -> None:
    clips = [{"name": "ring", "kind": "ring", "position": [0.45, 0, -0.25]}]
    ends = {"start": {"position": [0, 0, 0]}, "end": {"position": [0.9, 0, 0]}}
    cable = {"name": "c", "length": 1.2, "stiffness": {"bending": 0.01, "torsion": 0.01}, "clips": clips, **ends}
    sim = Simulation(Scene.from_dict({"cables": [{**cable, "mass_per_length": 0.1}]}))
    sim.solve().raise_if_failed()
    before = sim.cable("c").places["ring"]
    for at in (0.2, 0.8):
        sim.add_clip("c", at=at, kind="ball")
        assert sim.solve().ok
        assert sim.cable("c").places["ring"] == pytest.approx(before, abs=1e-3)


@pytest.mark.parametrize("at", [None, 0.35, 0.7])
def test_a_ring_sits_where_the_energy_is_least(at: float | None) -> None:
    """Balls held a little to either side must both be higher, whatever the first guess was."""
    ring = through({"kind": "ring"} if at is None else {"kind": "ring", "at": at})
    place = ring.places["clip"]
    for step in (-0.004, 0.004):
        assert through({"kind": "ball", "at": place + step}).energy["total"] > ring.energy["total"] + 1e-7
    assert ring.energy["total"] == pytest.approx(through({"kind": "ring"}).energy["total"], rel=1e-6)


def test_a_ring_does_not_pull_along_the_cable() -> None:
    """No friction: with a continuous moment the tension is continuous, and the force is at right angles."""
    ring = through({"kind": "ring"})
    at = int(np.argmin(np.abs(ring.s - ring.places["clip"] * ring.length)))
    force = ring.reactions["clip"].force
    assert abs(force @ ring.tangents[at]) < 1e-5 * np.linalg.norm(force)
    assert np.abs(ring.reactions["clip"].moment).max() < 1e-9


def test_a_sleeve_exerts_the_jump_of_the_bending_energy_along_the_cable() -> None:
    sleeve = through({"kind": "sleeve", "tangent": [1, 0, 0]})
    at = int(np.argmin(np.abs(sleeve.s - sleeve.places["clip"] * sleeve.length)))
    stiffness = np.array([0.01, 0.01, 0.007])
    before, after = sleeve.strain_before[at], sleeve.strain_after[at]
    jump = 0.5 * np.sum(stiffness * after**2) - 0.5 * np.sum(stiffness * before**2)
    assert sleeve.reactions["clip"].force @ sleeve.tangents[at] == pytest.approx(jump, rel=1e-4)


def test_a_ring_is_never_worse_than_a_sleeve() -> None:
    """A sleeve also holds the tangent: one more constraint cannot lower the least energy."""
    ring, sleeve = through({"kind": "ring"}), through({"kind": "sleeve", "tangent": [1, 0, 0]})
    assert ring.energy["total"] <= sleeve.energy["total"] + 1e-9


def test_a_swivel_at_the_place_of_a_sleeve_is_the_same_problem() -> None:
    """It was not: the cold solve of the swivel ended in a much higher minimum, one turn off."""
    sleeve = through({"kind": "sleeve", "tangent": [1, 0, 0]}, mass=0.0)
    swivel = through({"kind": "swivel", "tangent": [1, 0, 0], "at": sleeve.places["clip"]}, mass=0.0)
    assert swivel.energy["total"] == pytest.approx(sleeve.energy["total"], rel=1e-4)


def test_a_rope_through_a_ring_has_one_tension() -> None:
    rope = through(
        {"kind": "ring", "position": [0.3, 0.0, 0.2]},
        stiffness={"bending": 0.0},
        length=1.5,
        start={"position": [0, 0, 0]},
        end={"position": [0.8, 0, 0.1]},
    )
    at = int(np.argmin(np.abs(rope.s - rope.places["clip"] * rope.length)))
    before, after = (np.linalg.norm(f[at]) for f in (rope.force_before, rope.force))
    assert before == pytest.approx(after, rel=1e-4)


def test_slides_settle_where_friction_holds_them_stiffly() -> None:
    """A force that is steep where something sticks, and level where it slips: differences see only the level."""
    asked: list[float] = []

    def driven(places: Array) -> Array:
        asked.append(float(places[0]))
        return np.clip(2e5 * (places - 0.5000123), -1.3, 1.3) + 0.01 * (places - 0.5)

    start = np.array([0.5])
    rest = sliding.run_to_rest(
        start, driven(start), driven, lambda: (np.zeros(1), np.ones(1)), ["ring"], 1.0, 1e-6, slope=np.array([[1e3]])
    )
    assert not rest.reason
    assert abs(float(driven(rest.places)[0])) < 1e-6
    assert len(asked) < 25


@pytest.mark.parametrize("kind", ["ring", "sleeve"])
def test_a_slide_put_on_a_nearly_straight_span_changes_nothing(kind: str) -> None:
    """Rounding of its length drives the slide with more than counts as none."""
    simulation = Simulation(Scene.load(HOSE))
    simulation.solve().raise_if_failed()
    before = simulation.cable("brake hose")
    simulation.add_clip("brake hose", at=0.55, kind=kind, clip="slide")
    simulation.solve().raise_if_failed()
    after = simulation.cable("brake hose")
    x = [np.interp(before.s, after.s, k) for k in after.positions.T]
    assert float(np.abs(np.array(x).T - before.positions).max()) < 1e-3 * before.length
    assert float(np.linalg.norm(after.reactions["slide"].force)) < 1e-2
