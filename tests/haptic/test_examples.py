"""Every script and scene of examples/haptic does what docs/haptic.md says."""

import importlib.util
import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from lissom.cli import app
from lissom.gripping import haptic_loop, home_of
from lissom.haptic.udp import UdpDevice
from tests.haptic.demonstrations import EXAMPLES, EXPECTED, example

FIGURES = Path(__file__).parents[2] / "docs" / "figures"


def script(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_stick_is_within_two_percent_of_the_exact_rod() -> None:
    """KH05 figs. 12 and 13: the consistent law at N = 16, in three orientations; 0.02 % are reached."""
    stick = script("stick")
    given = stick.automatic(stick.LENGTH, stick.MASS, stick.BENDING, stick.POINTS)
    for angle in stick.ANGLES:
        assert stick.off(stick.settled(given, angle).positions, stick.exact(angle)) < 0.02


def test_experiments_follow_closer_with_dynamics() -> None:
    """KH05 figs. 8 to 11, a hanging cable."""
    experiments = script("experiments")
    for kind in ("vertical", "vertical accelerated"):
        static = experiments.run("relative", kind, (), 14.0)
        dynamic = experiments.run("dynamic", kind, (), 14.0)
        assert dynamic.lag < 0.5 * static.lag
        assert dynamic.cable.health.steps < static.cable.health.steps


def test_relative_limits_change_nothing_in_the_rotation() -> None:
    experiments = script("experiments")
    a, b = (experiments.run(rule, "rotation", (), 8.0) for rule in ("dynamic", "heavy"))
    assert a.cable.health == b.cable.health
    assert a.cable.positions == pytest.approx(b.cable.positions)


def test_coupling_writes_its_figure(tmp_path: Path) -> None:
    written = script("coupling").main(tmp_path / "out", ())  # a folder that is not there yet
    assert written.read_bytes().startswith(b"\x89PNG")
    assert (FIGURES / written.name).exists()


def test_client_and_loop_talk() -> None:
    scene = example("wall")
    device = UdpDevice(home_of(scene), port=0)
    loop = haptic_loop(scene, device=device)
    client = script("udp_client")
    answers: list[int] = []
    thread = threading.Thread(target=lambda: answers.append(client.main(device.address[1], 0.5)))
    thread.start()
    loop.run(3.0, is_over=lambda: bool(answers))
    thread.join(timeout=10.0)
    device.close()
    assert answers[0] > 20
    assert device.taken > 20
    assert np.isfinite(loop.recording.force).all()


def test_command_line_from_scene_to_replay(tmp_path: Path) -> None:
    runner = CliRunner()
    scene = str(EXAMPLES / "over-edge.toml")
    ran = runner.invoke(app, ["run", scene, "-o", str(tmp_path)])
    assert ran.exit_code == 0, ran.output
    assert {"haptic.json", "recording.npz", "force.png"} <= {k.name for k in tmp_path.iterdir()}
    recording = str(tmp_path / "recording.npz")
    found = runner.invoke(app, ["states", recording, "--json", "-o", str(tmp_path)])
    assert found.exit_code == 0, found.output
    assert json.loads((tmp_path / "states.json").read_text())["sequence"] == list(EXPECTED["over-edge"])
    assert {"program.json", "states.png"} <= {k.name for k in tmp_path.iterdir()}
    elsewhere = ["--replay", scene, "--set", "table/position=[-0.15, 0, -0.045]"]
    again = runner.invoke(app, ["states", recording, *elsewhere])
    assert again.exit_code == 0, again.output
    assert "the same states in the same order" in again.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["feel", str(EXAMPLES / "wall.toml"), "--device", "udp", "--host", "0.0.0.0"], "token = 0"),
        (["feel", str(EXAMPLES.parent / "cantilever.toml")], "[haptic]"),
        (["states", "nowhere.npz"], "no such file"),
        (["feel", str(EXAMPLES / "wall.toml"), "--set", "haptic.grip=rod/middle"], "there is no such support"),
    ],
)
def test_mistakes_on_the_command_line_end_in_status_2(words: list[str], said: str) -> None:
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 2
    assert said in ran.output


def test_feel_reports_its_rate(tmp_path: Path) -> None:
    ran = CliRunner().invoke(
        app, ["feel", str(EXAMPLES / "wall.toml"), "--seconds", "0.3", "--device", "hand", "--json"]
    )
    assert ran.exit_code == 0, ran.output
    report = json.loads(ran.stdout)["report"]
    assert report["ticks"] + report["skipped"] == 300
    assert report["status"] == "good"


def test_ctrl_c_ends_the_loop_and_is_followed_by_the_report(tmp_path: Path) -> None:
    """Nothing was said and nothing written of what had been felt until then."""
    loading = ["feel", str(EXAMPLES / "wall.toml"), "--seconds", "0.01"]
    assert CliRunner().invoke(app, loading).exit_code == 0
    words = ["feel", str(EXAMPLES / "wall.toml"), "--seconds", "60", "--json", "-o", str(tmp_path)]
    threading.Timer(2.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    before = signal.getsignal(signal.SIGINT)
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.output
    assert 0 < json.loads(ran.stdout)["report"]["ticks"] < 60_000
    assert (tmp_path / "recording.npz").exists()
    assert signal.getsignal(signal.SIGINT) == before
