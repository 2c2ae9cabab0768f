"""`lissom run` of machines: what it refuses, and what is kept when it is interrupted."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from lissom import cli
from lissom.machines.machine import Machine

EXAMPLES = Path(__file__).parents[2] / "examples"
ATWOOD = str(EXAMPLES / "machines" / "atwood.toml")


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the twelfth step."""
    step, taken = Machine.step, []

    def counted(self: Machine, dt: float, substeps: int | None = None) -> None:
        step(self, dt, substeps)
        taken.append(dt)
        if len(taken) == 12:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Machine, "step", counted)


@pytest.mark.usefixtures("interrupted")
def test_what_was_computed_before_ctrl_c_is_kept(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli.app, ["run", ATWOOD, "--seconds", "1000", "-o", str(tmp_path)])
    assert result.exit_code == 130, result.output
    assert "0.2 s, 12 steps" in result.stdout
    assert "stopped at 0.20 s of 1000 s" in result.stderr
    assert len(json.loads((tmp_path / "run.json").read_text())["time"]) == 13
    assert (tmp_path / "tension.png").exists()


@pytest.mark.usefixtures("interrupted")
@pytest.mark.parametrize("form", ["--json", "--npz"])
def test_what_goes_to_stdout_is_whole_after_ctrl_c(form: str) -> None:
    result = CliRunner().invoke(cli.app, ["run", ATWOOD, "--seconds", "1000", form])
    assert result.exit_code == 130, result.stderr
    said = json.loads(result.stdout_bytes) if form == "--json" else np.load(io.BytesIO(result.stdout_bytes))
    assert len(said["time"]) == 13


def test_ctrl_c_before_the_first_step_ends_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Machine, "step", pressed)
    result = CliRunner().invoke(cli.app, ["run", ATWOOD])
    assert result.exit_code == 130
    assert "Traceback" not in result.output


def test_ctrl_c_while_the_command_is_loaded_ends_without_a_traceback() -> None:
    code = (
        "import runpy, sys\n"
        "class Pressed:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "runpy.run_module('lissom', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode in (130, -signal.SIGINT)
    assert done.stderr == ""


def test_what_is_no_machine_is_not_run() -> None:
    result = CliRunner().invoke(cli.app, ["run", str(EXAMPLES / "brake-hose.toml")])
    assert result.exit_code == 2
    assert "nothing moves by itself: no ropes, no free parts; use `lissom solve`" in result.stderr
