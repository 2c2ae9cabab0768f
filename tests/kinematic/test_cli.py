"""`lissom solve` on kinematic cables says what is certified and what is not."""

import json
from pathlib import Path

from typer.testing import CliRunner

from lissom.cli import app

SCENE = str(Path(__file__).parents[2] / "examples" / "kinematic" / "connected.toml")


def test_the_table_says_level_and_nearness() -> None:
    said = CliRunner().invoke(app, ["solve", SCENE])
    assert said.exit_code == 0
    assert "64 segments a section" in said.stdout
    assert "from the true shape" in " ".join(said.stdout.split())


def test_json_has_model_level_and_change() -> None:
    said = CliRunner().invoke(app, ["solve", SCENE, "--json"])
    assert said.exit_code == 0
    cable = json.loads(said.stdout)["cables"]["cables"]
    assert (cable["model"], cable["level"], cable["element"]) == ("kinematic", 64, "kinematic")
    assert 0.0 < cable["change"] < 0.01


def test_what_it_cannot_do_is_said_with_a_cure() -> None:
    said = CliRunner().invoke(app, ["solve", SCENE, "--set", "cables/friction=0.3"])
    assert said.exit_code == 2
    assert 'model = "rod"' in said.stderr
