"""Contact states: the demonstrations give what was expected, whatever the noise, and nothing chatters."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lissom.gripping import run_program
from lissom.haptic.program import Program, Robot, make_program
from lissom.haptic.recording import Recording
from lissom.haptic.states import Numbers, held_on, segment, without_moments, without_short
from lissom.scene import SceneError
from tests.haptic.demonstrations import EXPECTED, RATE, demonstrated, example

SEEDS = range(1000, 1020)
"""Not those from 0 to 19, with which the numbers of `states.Numbers` were chosen."""


@pytest.fixture(scope="module")
def shown() -> dict[str, Recording]:
    return {name: demonstrated(name) for name in EXPECTED}


@pytest.mark.parametrize("name", list(EXPECTED))
def test_demonstration_gives_the_sequence_written_down_beforehand(shown: dict[str, Recording], name: str) -> None:
    found = segment(shown[name])
    assert found.sequence == EXPECTED[name]
    assert len(found.changes) == len(found.states) - 1


@pytest.mark.parametrize("name", list(EXPECTED))
def test_sequence_is_the_same_under_noise(name: str) -> None:
    """2 mm of wandering hand, 0.05 N on every force: twenty of twenty."""
    others = {seed: found for seed in SEEDS if (found := segment(demonstrated(name, seed)).sequence) != EXPECTED[name]}
    assert others == {}


def test_features_are_those_of_the_contact(shown: dict[str, Recording]) -> None:
    """Onto the edge the table pushes the cable up; against peg A the peg pushes back, along −y."""
    edge, pegs = segment(shown["over-edge"]), segment(shown["pegs"])
    assert edge.changes[0].direction @ [0.0, 0.0, 1.0] > 0.9
    assert edge.changes[-1].direction @ [0.0, 0.0, -1.0] > 0.9
    assert pegs.changes[0].direction @ [0.0, -1.0, 0.0] > 0.9
    assert pegs.changes[0].size > 0.1
    assert pegs.changes[0].slope > 0.2
    assert [str(k) for k in pegs.changes[1].begins] == ["point on face of peg B"]
    assert pegs.changes[1].ends == ()


def test_states_as_data_are_json(shown: dict[str, Recording]) -> None:
    text = json.dumps(segment(shown["pegs"]).entries(), allow_nan=False)
    assert [k["name"] for k in json.loads(text)["states"]] == list(EXPECTED["pegs"])


@pytest.mark.parametrize("offset", [(0.0, 0.0, 0.006), (0.008, 0.0, -0.006)])
def test_program_finds_the_edge_of_a_table_that_stands_elsewhere(
    shown: dict[str, Recording], offset: tuple[float, float, float]
) -> None:
    program = make_program(shown["over-edge"], segment(shown["over-edge"]))
    scene = example("over-edge")
    there = np.add(scene.part("table").position, offset)
    robot, seen = run_program(program, scene.with_value("table/position", there.tolist()), rate=RATE)
    assert robot.status == "done", robot.reason
    assert segment(seen).sequence == EXPECTED["over-edge"]
    assert "felt" in {how for _, _, how in robot.log}
    late = robot.log[0][0] - program.legs[0].duration  # a higher table is felt sooner
    assert late * offset[2] < 0.0
    assert np.abs(np.diff(seen.position, axis=0)).max() < 0.002  # nothing jumps where states change


def test_robot_that_feels_nothing_is_lost_and_says_where(shown: dict[str, Recording]) -> None:
    program = make_program(shown["over-edge"], segment(shown["over-edge"]))
    scene = example("over-edge").with_value("table/position", [-0.15, 0.0, -0.4])
    robot, _ = run_program(program, scene, rate=RATE)
    assert robot.status == "lost"
    assert "none: the change of" in robot.reason
    assert "too far from where they were demonstrated" in robot.reason


def test_program_survives_its_file(shown: dict[str, Recording], tmp_path: Path) -> None:
    program = make_program(shown["pegs"], segment(shown["pegs"]))
    file = tmp_path / "program.json"
    file.write_text(program.to_json(), encoding="utf-8")
    assert Program.load(file) == program


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": 1}', '{"format": 1, "legs": [], "start": [[0, 0, 0], [1, 0, 0, 0]]}', '{"format": 2}'],
)
def test_files_that_are_no_program_are_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "program.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SceneError, match=r"program\.json"):
        Program.load(file)


def test_hostile_numbers_in_a_program_are_refused(shown: dict[str, Recording], tmp_path: Path) -> None:
    data = json.loads(make_program(shown["pegs"], segment(shown["pegs"])).to_json())
    data["legs"][0]["path"][0][1] = float("nan")
    file = tmp_path / "program.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(SceneError, match="finite"):
        Program.load(file)
    with pytest.raises(ValueError, match="legs"):
        Robot(replace(make_program(shown["pegs"], segment(shown["pegs"])), legs=()))


def test_what_flickers_does_not_chatter() -> None:
    rng = np.random.default_rng(0)
    values = np.where(np.arange(1000) > 500, 0.3, 0.0) + 0.05 * rng.normal(size=1000)
    on = held_on(values, 0.2, 0.1)
    calm = without_short(without_short(on, 20, False), 20, True)
    assert np.count_nonzero(np.diff(calm.astype(int))) == 1


def test_moments_become_what_was_before() -> None:
    codes = np.array([0, 0, 0, 1, 0, 0, 0, 2, 2, 2, 2, 1])[:, None]
    assert without_moments(codes, 3)[:, 0].tolist() == [0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2]


def test_numbers_out_of_bounds_are_named() -> None:
    with pytest.raises(ValueError, match="cease"):
        Numbers(begin=0.1, cease=0.2)
    with pytest.raises(ValueError, match="stretch"):
        Numbers(stretch=0.7)
