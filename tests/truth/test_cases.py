"""Scenes that were refused once though they have a shape, or certified and wrong: each by another fault."""

import json
from pathlib import Path

import pytest

from lissom import Scene, Simulation
from tests.truth.checker import check
from tests.truth.run import BENT

CASES = Path(__file__).parents[1] / "data" / "cases"


@pytest.mark.parametrize(
    "name",
    [
        "moments_on_a_plug",  # moments have no energy, and no step lowered it
        "plug_on_balls_above",  # no shift kept a free body from climbing
        "soft_axially_in_a_harness",  # points of short steps were stretched by the forces of whole ones
        "slide_in_a_harness",  # the assembly had a bound of its own for slides
        "through_a_cylinder",  # it was drawn back to one side only
        "islands_with_a_junction",  # the pose of a free junction was lost when islands were split
        "ring_beside_a_stretched_span",  # what stretches may be shorter than its way
        "sleeve_beside_a_free_junction",  # which follows: it limits no slide
        "soft_length_as_short_as_can_be",  # one span at its shortest kept the other from settling
        "crossing",
        "sleeve_past_a_load",  # another frame of the grid is the sleeve's then
        "sleeve_past_a_load_in_a_harness",
        "slide_over_a_load_among_parts",  # the points before and after were others: an error inside
        "contact_beside_a_ring",  # which enters at the point of the ring, and does not drive it
        "varied_rest_of_second_order",  # bent by its ends, at rest by its halves: the judge's bound knew one
        "rope_over_an_edge",  # where frames turn by half of what the rope does
        "cold_start_through_itself",  # which has no history
        "branches_beside_a_junction",  # overlap was placed at the start of the sample
        "wound_by_a_long_step",  # two turns that a step without an energy brought: certified and wrong
        "loop_in_the_first_guess",  # the loop brought a turn that stayed: certified and wrong
    ],
)
def test_what_was_refused_or_wrong_is_right(name: str) -> None:
    data = json.loads((CASES / f"{name}.json").read_text())
    simulation = Simulation(Scene.from_dict(data))
    soft = (data, BENT) if data.get("title") == "soft" else None
    if soft is not None:
        simulation.soften("c0", bent=BENT)
    simulation.solve().raise_if_failed()
    assert not check(data if soft is None else simulation.scene.to_dict(), simulation, soft=soft)
