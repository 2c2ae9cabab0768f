"""What the judge says is the status, and what is handed out after a failure is the last certified shape."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom import Scene, Simulation, SolveError, solve_many
from lissom.analysis.report import document, findings
from lissom.rods import starting
from lissom.rods.judge.alone import NAMES
from lissom.rods.judge.asked import Poses
from lissom.rods.judge.cable import Judged
from lissom.rods.judge.certificate import WORDS
from lissom.rods.judge.verdict import Case, Judge
from lissom.rods.line import Line
from lissom.rods.solver import RodSolver
from lissom.scene.templates import TEMPLATES
from tests.truth.checker import check

CASES = Path(__file__).parent / "data" / "cases"
HOSE = """
format = 1
[[cables]]
name = "hose"
length = 0.5
points = 65
radius = 0.004
stiffness = { bending = 0.01, torsion = 0.008 }
mass_per_length = 0.05
start = { position = [0, 0, 0], tangent = [1, 0, 0] }
end = { position = [0.3, 0, 0], tangent = [1, 0, 0] }
"""


def case(name: str) -> Simulation:
    return Simulation(Scene.load(CASES / f"{name}.json"))


# ---- certified and wrong, once ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sleeve119", "sleeve137", "sleeve_in_stretch", "ring166"])
def test_what_slides_past_a_load_or_a_border_rests_where_nothing_drives_it(name: str) -> None:
    simulation = case(name)
    report = simulation.solve().raise_if_failed()
    certificate = report.cables["c"].certificate
    assert certificate is not None
    assert certificate.worst < 1.0
    assert not check(json.loads((CASES / f"{name}.json").read_text()), simulation)


def test_turns_lost_without_contact_are_told_of() -> None:
    simulation = case("turns_lost")
    report = simulation.solve().raise_if_failed()
    assert "2 turns more than asked for: it slipped over an end" in report.cables["c"].warnings
    simulation.move("c/end", position=simulation.cable("c").positions[-1] + [0.0, 0.0, 0.002])
    report = simulation.solve().raise_if_failed()  # where nothing was said: they seemed to be there again
    assert "2 turns more than asked for, as before" in report.cables["c"].warnings


def test_a_turn_that_nobody_asked_for_is_seen_without_another_shape_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first guess went in a loop, which brought a turn: the answer for twist 0, from which others are counted, had
    it as well.
    """
    monkeypatch.setattr(starting, "unwind", lambda *_: None)
    report = case("loop_in_the_first_guess").solve()
    assert report.status == "not_converged"
    certificate = report.cables["c1"].certificate
    assert certificate is not None
    assert certificate.failed is not None
    assert (certificate.failed.name, certificate.failed.where) == ("mounted", "end")


def test_a_cable_squeezed_inside_out_is_refused() -> None:
    """Soft along its axis and pressed together, segments ran backwards: certified, for the linear law allows it."""
    report = case("squeezed_inside_out").solve()
    assert report.status == "not_converged"
    assert "squeezed" in report.reason


def test_turns_are_counted_where_an_end_moves_along_a_free_axis() -> None:
    """The link was off by a third of a turn because the end had moved, and then nothing was said: certified."""
    report = case("turns_lost_beside_a_free_axis").solve()
    assert report.status == "not_converged"
    assert "the turns differ by 2 turns" in report.reason


@pytest.mark.parametrize("turns", [3, 5])
def test_turns_wound_through_the_material_are_not_certified(turns: int) -> None:
    """One shape was found for 360°, 1080° and 1800°."""
    text = HOSE.replace('name = "hose"', f'name = "hose"\ntwist = {2.0 * math.pi * turns}')
    report = Simulation(Scene.from_toml(text)).solve()
    assert report.status in ("not_converged", "under_resolved")
    loose = Simulation(Scene.from_toml(text.replace("radius = 0.004", "radius = 0.004\ncollide = false"))).solve()
    assert not loose.ok or any("turns" in text for text in loose.cables["hose"].warnings)


def test_a_cable_of_420_metres_in_a_small_scene_is_not_resolved() -> None:
    scene = Scene.from_toml(HOSE.replace("length = 0.5", "length = 420"))
    report = Simulation(scene).solve()
    assert report.status in ("under_resolved", "not_converged")
    assert not report.ok


def test_what_is_refused_stays_refused_until_something_is_changed() -> None:
    """A second solve began anew, and certified what the first had refused: on the old grid, or through a cable."""
    simulation = Simulation(Scene.from_toml(HOSE))
    simulation.solve().raise_if_failed()
    simulation.edit("hose", twist=10.0 * math.pi)
    first = simulation.solve()
    assert not first.ok
    assert first.cables["hose"].certificate is not None
    again = simulation.solve()
    assert (again.status, again.reason) == (first.status, first.reason)
    assert not simulation.cable("hose").valid
    simulation.edit("hose", twist=0.0)
    simulation.solve().raise_if_failed()
    assert simulation.cable("hose").valid


def test_cables_solved_with_one_that_has_no_shape_have_none() -> None:
    """The judge met a contact of a cable that it was not told of: KeyError; and the other was converged, unjudged."""
    ends = {
        "a": ("[0, 0, 0]", "[0.25, 0.12, -0.05]", "[0, 1, 0]", "0.42"),
        "b": ("[0, 0, 0.1]", "[0.25, -0.12, 0.05]", "[0, -1, 0]", "0.5"),
    }
    text = "format = 1\n" + "".join(
        f'[[cables]]\nname = "{name}"\nlength = {length}\npoints = 33\nradius = 0.00525\nmass_per_length = 0.097\n'
        "stiffness = { bending = 0.005, torsion = 0.0035 }\n"
        f"start = {{ position = {start}, tangent = [1, 0, 0], roll = 0 }}\n"
        f"end = {{ position = {end}, tangent = {tangent} }}\n"
        for name, (start, end, tangent, length) in ends.items()
    )
    text += '[[parts]]\nname = "ball"\nshape = { kind = "sphere", radius = 0.04 }\nposition = [0.12, 0, -0.15]\n'
    simulation = Simulation(Scene.from_toml(text))
    simulation.solve().raise_if_failed()
    simulation.edit("a", twist=math.radians(1500.0))
    simulation.solve()
    simulation.soften("a", bent=0.5)
    report = simulation.solve()
    assert report.status != "error"
    for found in report.cables.values():
        assert found.certificate is not None or not found.is_shape


def test_a_stretch_with_another_radius_is_told_of_where_something_may_be_touched() -> None:
    text = (
        HOSE
        + """
[[cables.stretches]]
from = 0.3
to = 0.7
type = "thick"
[types.thick]
stiffness = { bending = 0.02, torsion = 0.016 }
mass_per_length = 0.05
radius = 0.009
"""
    )
    alone = Simulation(Scene.from_toml(text)).solve().raise_if_failed()
    assert not alone.cables["hose"].warnings
    floor = text + '[[parts]]\nname = "floor"\nshape = { kind = "plane" }\nposition = [0, 0, -0.3]\n'
    report = Simulation(Scene.from_toml(floor)).solve().raise_if_failed()
    warned = report.cables["hose"].warnings
    assert any("4 mm, from 0.3 to 0.7 of its length too, where it has 9 mm" in k for k in warned)


@pytest.mark.parametrize("radius", [0.009, 0.002])
def test_what_touches_along_a_stretch_with_another_radius_is_not_certified(radius: float) -> None:
    """It lay 5 mm deep in the floor, or floated above it, and was certified."""
    text = (
        HOSE.replace("mass_per_length = 0.05", "mass_per_length = 0.2")
        + f"""
[[cables.stretches]]
from = 0.3
to = 0.7
type = "other"
[types.other]
stiffness = {{ bending = 0.01, torsion = 0.008 }}
mass_per_length = 0.2
radius = {radius}
"""
    )
    text += '[[parts]]\nname = "floor"\nshape = { kind = "plane" }\nposition = [0, 0, -0.1]\n'
    report = Simulation(Scene.from_toml(text)).solve()
    assert report.status in ("not_converged", "under_resolved")
    assert ("inside floor" if radius > 0.004 else "away from what it touches") in report.reason
    assert "touches with its own radius, 4 mm, from 0.3 to 0.7" in report.reason
    Simulation(Scene.from_toml(text.replace(f"radius = {radius}", "radius = 0.004"))).solve().raise_if_failed()


def test_the_first_scene_of_a_new_user_is_certified() -> None:
    for text in TEMPLATES.values():
        assert Simulation(Scene.from_toml(text)).solve().ok


@pytest.mark.parametrize(("before", "after"), [(0.0, 360.0), (0.0, 720.0), (720.0, 0.0), (90.0, 810.0), (0.0, 270.0)])
def test_an_edit_of_many_turns_is_solved_as_if_it_had_been_so_from_the_start(before: float, after: float) -> None:
    """It was certified with nothing turned, or refused."""

    def wound(twist: float) -> Scene:
        return Scene.from_toml(HOSE.replace('name = "hose"', f'name = "hose"\ntwist = {math.radians(twist)}'))

    simulation, anew = Simulation(wound(before)), Simulation(wound(after))
    simulation.solve().raise_if_failed()
    anew.solve().raise_if_failed()
    simulation.edit("hose", twist=math.radians(after))
    simulation.solve().raise_if_failed()
    assert simulation.cable("hose").turns == pytest.approx(anew.cable("hose").turns, abs=1e-6)


def test_a_rope_does_not_mind_the_direction_of_a_grip() -> None:
    rope = HOSE.replace("{ bending = 0.01, torsion = 0.008 }", "{ bending = 0, torsion = 0 }")
    simulation = Simulation(Scene.from_toml(rope.replace(", tangent = [1, 0, 0]", "")))
    simulation.solve().raise_if_failed()
    grip = simulation.grip("hose", at=0.4)
    assert grip.move(position=grip.position + np.array([0.0, 0.0, 0.02])).ok


# ---- what is handed out ----------------------------------------------------------------------------------------------


def test_after_a_failed_solve_the_last_certified_shape_is_handed_out_as_such() -> None:
    simulation = Simulation(Scene.from_toml(HOSE))
    simulation.solve().raise_if_failed()
    before = simulation.cable("hose")
    assert before.valid
    simulation.move("hose/end", position=(0.6, 0.0, 0.0))
    report = simulation.solve()
    assert report.status == "infeasible"
    after = simulation.cable("hose")
    assert not after.valid
    assert after.reason == report.cables["hose"].reason
    assert np.array_equal(after.positions, before.positions)
    state = simulation.state()
    simulation.restore(state)
    assert np.array_equal(simulation.cable("hose").positions, before.positions)
    assert not simulation.cable("hose").valid
    told = document(findings(simulation, report))
    assert told["cables"]["hose"]["positions"] is None
    assert told["cables"]["hose"]["status"] == "infeasible"
    simulation.move("hose/end", position=(0.3, 0.0, 0.0))
    assert simulation.solve().ok
    assert simulation.cable("hose").valid


def test_what_never_had_a_shape_raises() -> None:
    simulation = Simulation(Scene.from_toml(HOSE.replace("[0.3, 0, 0]", "[0.6, 0, 0]")))
    simulation.solve()
    with pytest.raises(SolveError, match="too short"):
        simulation.cable("hose")


def test_an_edit_that_fails_hands_out_no_numbers_of_what_it_began_from() -> None:
    simulation = Simulation(Scene.from_toml(HOSE))
    simulation.solve().raise_if_failed()
    before = simulation.cable("hose")
    simulation.edit("hose", length=0.25)
    assert not simulation.solve().ok
    after = simulation.cable("hose")
    assert not after.valid
    assert after.length == before.length
    assert np.array_equal(after.force, before.force)


def test_the_document_lists_every_condition() -> None:
    simulation = Simulation(Scene.from_toml(HOSE))
    told = json.loads(json.dumps(document(findings(simulation, simulation.solve()))))["cables"]["hose"]
    names = {k["name"] for k in told["certificate"]["conditions"]}
    assert {"place", "direction", "roll", "force", "moment", "material", "shape", "stretch", "resolution"} <= names
    assert names <= WORDS.keys()
    ratios = [k["value"] / k["bound"] for k in told["certificate"]["conditions"]]
    assert told["certificate"]["worst"] == pytest.approx(max(ratios))
    assert 0.0 < told["error"] < 1e-6


# ---- errors inside ---------------------------------------------------------------------------------------------------


def test_an_error_inside_is_a_status_and_leaves_everything_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(Scene.from_toml(HOSE))
    simulation.solve().raise_if_failed()
    before = simulation.cable("hose").positions
    simulation.move("hose/end", position=(0.32, 0.0, 0.0))

    def broken(self: RodSolver, cold: bool = False) -> None:
        raise KeyError("somewhere")

    with monkeypatch.context() as patch:
        patch.setattr(RodSolver, "solve", broken)
        with pytest.raises(KeyError):  # in tests
            simulation.solve()
        patch.delenv("PYTEST_CURRENT_TEST")
        report = simulation.solve()
    assert report.status == "error"
    assert "KeyError" in report.reason
    assert "report it" in report.reason
    assert not simulation.cable("hose").valid
    assert np.array_equal(simulation.cable("hose").positions, before)
    assert simulation.solve().ok


@pytest.mark.parametrize("broken", [KeyError, KeyboardInterrupt])
def test_what_was_not_judged_to_the_end_is_not_handed_out(broken: type[BaseException], monkeypatch: Any) -> None:
    """An error in the judge, or Ctrl-C, left an unjudged shape, valid: the next solve had nothing to do."""
    simulation = Simulation(Scene.from_toml(HOSE))
    simulation.solve().raise_if_failed()
    before = simulation.cable("hose").positions
    simulation.move("hose/end", position=(0.32, 0.0, 0.0))

    def verdict(self: Judge, case: Case) -> None:
        raise broken("somewhere")

    with monkeypatch.context() as patch:
        patch.setattr(Judge, "verdict", verdict)
        patch.delenv("PYTEST_CURRENT_TEST")
        if broken is KeyboardInterrupt:
            with pytest.raises(KeyboardInterrupt):
                simulation.solve()
        else:
            assert simulation.solve().status == "error"
    assert not simulation.cable("hose").valid
    assert np.array_equal(simulation.cable("hose").positions, before)
    report = simulation.solve().raise_if_failed()
    assert report.cables["hose"].certificate is not None


def test_turns_are_not_lost_by_way_of_three_points() -> None:
    """On three points frames differ by more than half a turn: nobody sees which way, and that became the reference."""
    simulation = Simulation(Scene.from_toml(HOSE.replace('name = "hose"', f'name = "hose"\ntwist = {4.0 * math.pi}')))
    simulation.solve().raise_if_failed()
    simulation.edit("hose", points=3)
    assert not simulation.solve().ok
    simulation.edit("hose", points=65)
    report = simulation.solve()
    assert not report.ok or abs(simulation.cable("hose").torsion).mean() > 1.0


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_a_saved_state_that_is_twisted_otherwise_is_not_taken(turns: int, tmp_path: Path) -> None:
    """The twist of the file was changed: the old turns stayed, certified, for there was nothing to count from."""
    twisted = HOSE.replace('name = "hose"', f'name = "hose"\ntwist = {2.0 * math.pi * (2 - turns)}')
    simulation = Simulation(Scene.from_toml(twisted))
    simulation.solve().raise_if_failed()
    there = tmp_path / "hose.toml"
    simulation.save(there)
    there.write_text(there.read_text().replace(f"twist = {2.0 * math.pi * (2 - turns)}", "twist = 0.0"))
    opened = Simulation.open(there)
    opened.solve().raise_if_failed()
    assert abs(opened.cable("hose").total_torsion) < 1e-6
    assert any("twisted otherwise" in note for note in opened.notes) == (turns != 2)


def test_what_waits_after_a_failure_waits_in_a_copy_as_well() -> None:
    """The copy gave the old reason for a scene of which it was not true."""
    simulation = Simulation(Scene.from_toml(HOSE))
    simulation.solve().raise_if_failed()
    simulation.move("hose/end", position=(2.0, 2.0, 2.0))
    assert simulation.solve().status == "infeasible"
    simulation.move("hose/end", position=(0.31, 0.0, 0.0))
    simulation.copy().solve().raise_if_failed()
    state = simulation.state()
    simulation.restore(state)
    simulation.solve().raise_if_failed()


def test_a_shape_far_from_the_continuous_one_is_warned_of() -> None:
    simulation = Simulation(Scene.from_toml(HOSE.replace("points = 65", "points = 4")))
    simulation.solve().raise_if_failed()
    hose = simulation.cable("hose")
    assert hose.error > 1e-3 * hose.length
    assert any("ever more points" in text for text in hose.warnings)


# ---- between features ------------------------------------------------------------------------------------------------


def test_the_move_of_an_end_is_kept_when_a_part_moves_after_it() -> None:
    part = (
        '[[parts]]\nname = "ball"\nshape = { kind = "sphere", radius = 0.02 }\nmotion = "held"\nposition = [0, 1, 0]\n'
    )
    simulation = Simulation(Scene.from_toml(HOSE + part))
    simulation.solve().raise_if_failed()
    simulation.move("hose/end", position=(0.3, 0.05, 0.0))
    simulation.move("ball", position=(0.0, 1.1, 0.0))
    simulation.solve().raise_if_failed()
    assert simulation.cable("hose").positions[-1] == pytest.approx([0.3, 0.05, 0.0], abs=1e-9)


@pytest.mark.parametrize("axes", ["world", "body"])
def test_a_moment_at_an_end_on_a_free_part_turns_the_part(axes: str) -> None:
    text = HOSE.replace("end = { position = [0.3, 0, 0], tangent = [1, 0, 0] }", 'end = { on = "plug", frame = "f" }')
    text = text.replace("mass_per", f'loads = [{{ at = 1.0, moment = [0, 0.02, 0], axes = "{axes}" }}]\nmass_per')
    text += '[[parts]]\nname = "plug"\nmotion = "free"\nmass = 0.05\nposition = [0.3, 0, -0.1]\n'
    text += "frames.f = { position = [0, 0, 0], tangent = [1, 0, 0] }\n"
    simulation = Simulation(Scene.from_toml(text))
    simulation.solve().raise_if_failed()
    hose = simulation.cable("hose")
    # the part exerts its weight and no moment: all of the load is in the cable
    assert np.linalg.norm(hose.reactions["end"].moment) < 1e-9
    assert np.linalg.norm(hose.moment[-1]) == pytest.approx(0.02, rel=1e-6)


def test_variants_of_a_scene_are_judged_too(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene.from_toml(HOSE)
    ends = np.array([[0.3, 0.0, 0.01 * k] for k in range(4)])
    assert solve_many(scene, {"hose/end.position": ends}, workers=1).ok.all()
    plain = Judged.rows

    def strict(self: Judged, line: Line, poses: Poses, *given: Any) -> NDArray[np.float64]:
        rows = plain(self, line, poses, *given)
        if poses.position[-1, 2] > 0.015:  # of the last two
            rows[NAMES.index("force")] = 1.0, 1e-6, 0.0, 1e6
        return rows

    monkeypatch.setattr(Judged, "rows", strict)
    found = solve_many(scene, {"hose/end.position": ends}, workers=1)
    assert list(found.status) == ["converged", "converged", "not_converged", "not_converged"]
    assert np.isnan(found.positions["hose"][2:]).all()
