"""Rings and sleeves among parts: nothing drives them along their cable, and what is refused leaves everything alone."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lissom.rods.assembly import Assembly
from lissom.scene import Scene
from lissom.simulation import Simulation

RING = {"at": 0.6164, "kind": "ring", "position": [-0.3744, -0.0925, -0.0043]}


def beside_a_bar(**changes: Any) -> Simulation:
    """A cable through a ring that hangs free of a thick bar, and one that comes to lie on it when the end moves."""
    bar = {"name": "bar", "shape": {"kind": "cylinder", "radius": 0.077, "length": 4.0}, "tangent": [0.25, -1, 0]}
    cable = {
        "name": "c",
        "length": 0.929,
        "points": 28,
        "radius": 0.0036,
        "stiffness": {"bending": 0.00392, "torsion": 0.003},
        "mass_per_length": 0.0765,
        "start": {"position": [0, 0, 0]},
        "end": {"position": [-0.6518, -0.1664, 0], "tangent": [-0.996, 0.009, 0.088]},
        "clips": [RING],
    }
    bar["position"] = [-0.1737, -0.0444, -0.0397]
    simulation = Simulation(Scene.from_dict({"cables": [{**cable, **changes}], "parts": [bar]}))
    simulation.solve().raise_if_failed()
    return simulation


def over_a_bar(clip: dict[str, Any], length: float = 0.9, friction: float = 0.0) -> Simulation:
    """A cable over a bar and then through a clip."""
    bar = {"name": "bar", "shape": {"kind": "cylinder", "radius": 0.04, "length": 1.0}, "tangent": [0, 1, 0]}
    cable = {
        "name": "c",
        "length": length,
        "points": 61,
        "radius": 0.004,
        "stiffness": {"bending": 0.004, "torsion": 0.003},
        "mass_per_length": 0.15,
        "start": {"position": [-0.25, 0, -0.1], "tangent": [0.3, 0, 1]},
        "end": {"position": [0.45, 0.1, -0.05]},
        "clips": [{"name": "clip", "position": [0.2, 0, -0.1], **clip}],
        "initial": {"points": [[-0.25, 0, -0.1], [-0.1, 0, 0.1], [0.1, 0, 0.1], [0.2, 0, -0.1], [0.45, 0.1, -0.05]]},
    }
    simulation = Simulation(Scene.from_dict({"cables": [cable], "parts": [{**bar, "friction": friction}]}))
    simulation.solve().raise_if_failed()
    return simulation


def pull_along(simulation: Simulation, name: str = "clip") -> float:
    """What a slide exerts along its cable, as a part of all that it exerts."""
    c = simulation.cable("c")
    at = int(np.argmin(np.abs(c.s - c.places[name] * c.length)))
    force = c.reactions[name].force
    return float(force @ c.tangents[at]) / float(np.linalg.norm(force))


def test_a_ring_among_parts_slides_and_the_end_is_where_it_is_held() -> None:
    """The ring was frozen, the move refused, and after it the cable was certified 4 cm from where its end was held."""
    sim = beside_a_bar()
    first = sim.cable("c").places["clip 1"]
    for end, place in (((-0.6105, -0.1469, 0.0083), 0.7348), ((-0.6518, -0.1664, 0.0), first)):
        sim.move("c/end", position=end)
        assert sim.solve().ok
        c = sim.cable("c")
        assert c.positions[-1] == pytest.approx(end, abs=1e-6)
        assert c.places["clip 1"] == pytest.approx(place, abs=1e-3)
        assert abs(pull_along(sim, "clip 1")) < 1e-5


def test_a_ring_before_which_the_cable_lies_on_a_bar_sits_where_the_energy_is_least() -> None:
    """Balls held a little to either side must both be higher."""
    ring = over_a_bar({"kind": "ring"})
    assert ring.contacts
    assert abs(pull_along(ring)) < 1e-4
    c = ring.cable("c")
    place = c.places["clip"]
    for step in (-0.01, 0.01):
        ball = over_a_bar({"kind": "ball", "at": place + step})
        assert ball.cable("c").energy["total"] > c.energy["total"] + 1e-6


def test_a_sleeve_is_pushed_out_to_the_side_that_bends_more() -> None:
    """[docs/theory/rods.md §8]: it exerts the jump of ½ M·D⁻¹M along the cable."""
    sim = over_a_bar({"kind": "sleeve", "tangent": [0.2, 0, -1]})
    assert sim.contacts
    c = sim.cable("c")
    at = int(np.argmin(np.abs(c.s - c.places["clip"] * c.length)))
    before, after = c.moment_before[at], c.moment[at]
    D = np.array([0.004, 0.004, 0.003])
    R = c.quaternions[at]
    w, v = R[0], R[1:]

    def turned(m: np.ndarray) -> np.ndarray:
        return m + 2.0 * np.cross(-v, np.cross(-v, m) + w * m)

    jump = 0.5 * float(np.sum(turned(after) ** 2 / D) - np.sum(turned(before) ** 2 / D))
    assert abs(jump) > 1e-3
    assert float(c.reactions["clip"].force @ c.tangents[at]) == pytest.approx(jump, rel=1e-3)


def test_a_cable_drawn_through_a_ring_over_a_bar_slides_along() -> None:
    sim = over_a_bar({"kind": "ring"})
    places = [sim.cable("c").places["clip"]]
    for x in (*np.linspace(0.45, 0.53, 9)[1:], *np.linspace(0.53, 0.45, 9)[1:]):
        sim.move("c/end", position=(float(x), 0.1, -0.05))
        sim.solve().raise_if_failed()
        places.append(sim.cable("c").places["clip"])
        assert abs(pull_along(sim)) < 1e-4
    assert np.all(np.diff(places[:9]) < 0.0)  # what is drawn out on one side comes from the other
    assert places[-1] == pytest.approx(places[0], abs=1e-5)


def test_a_cable_that_lifts_off_while_its_ring_slides() -> None:
    """Driving forces of solves that were only roughly converged did not change, and the places did not settle."""
    sim = beside_a_bar()
    for end in ((-0.68, -0.1664, 0.01), (-0.70, -0.17, 0.03), (-0.6518, -0.1664, 0.0), (-0.6105, -0.1469, 0.0083)):
        sim.move("c/end", position=end)
        sim.solve().raise_if_failed()
        assert abs(pull_along(sim, "clip 1")) < 1e-4
    assert sim.cable("c").places["clip 1"] == pytest.approx(0.7348, abs=1e-3)


def test_a_refused_move_leaves_the_ring_where_it_was() -> None:
    sim = over_a_bar({"kind": "ring"})
    good = sim.cable("c")
    before, place, pressure = good.positions.copy(), good.places["clip"], [k.pressure for k in sim.contacts]
    sim.move("c/end", position=(0.75, 0.1, -0.05))  # too far: around the bar the cable is too short
    report = sim.solve()
    assert not report.ok
    assert "c" in report.reason
    assert sim.cable("c").places["clip"] == place
    assert np.array_equal(sim.cable("c").positions, before)
    assert [k.pressure for k in sim.contacts] == pressure
    sim.move("c/end", position=(0.45, 0.1, -0.05))
    sim.solve().raise_if_failed()
    assert sim.cable("c").positions == pytest.approx(before, abs=1e-6)


def test_states_copies_and_files_know_where_a_ring_is(tmp_path: Path) -> None:
    sim = over_a_bar({"kind": "ring"})
    sim.move("c/end", position=(0.5, 0.1, -0.05))
    sim.solve().raise_if_failed()
    x = sim.cable("c").positions
    other = sim.copy()
    assert np.array_equal(other.cable("c").positions, x)
    assert other.solve().iterations == 0
    sim.save(tmp_path / "ring.toml")
    opened = Simulation.open(tmp_path / "ring.toml")
    assert not opened.notes
    assert opened.cable("c").positions == pytest.approx(x, abs=1e-6)


def test_what_is_not_where_it_is_held_is_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """The certificate looks for itself, whatever a solve says."""
    sim = over_a_bar({"kind": "ring"})
    sim.move("c/end", position=(0.46, 0.1, -0.05))
    monkeypatch.setattr(Assembly, "_place", lambda *_: None)
    report = sim.solve()
    assert not report.ok
    assert "mm from where end holds it" in report.reason


def test_a_slide_that_is_driven_is_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = over_a_bar({"kind": "ring"})
    sim.move("c/end", position=(0.47, 0.1, -0.05))
    monkeypatch.setattr("lissom.rods.slides.Slides.settle", lambda self, system, solve, most, final: (solve(), ""))
    report = sim.solve()
    assert not report.ok
    assert "clip: is driven along the cable" in report.reason
