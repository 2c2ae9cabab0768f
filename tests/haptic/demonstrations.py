"""The demonstrations of examples/haptic, with the sequences that were written down before they were run."""

from pathlib import Path

import numpy as np

from lissom.gripping import haptic_loop, path_of
from lissom.haptic.coupling import CouplingNumbers
from lissom.haptic.devices import PathDevice
from lissom.haptic.disturbing import noisy, wobbled
from lissom.haptic.recording import Recording
from lissom.scene import Scene

EXAMPLES = Path(__file__).parents[2] / "examples" / "haptic"
EXPECTED = {
    "over-edge": ("none", "point on edge of table", "end on face of table", "none"),
    "pegs": (
        "none",
        "point on face of peg A",
        "point on face of peg A, point on face of peg B",
        "point on face of peg A",
        "none",
    ),
}
WIRE = """
[[cables]]
name = "wire"
length = "300 mm"
stiffness = { bending = 0.01, torsion = 0.008 }
mass_per_length = "60 g/m"
radius = "2 mm"
start = { position = [0, 0, 0.2], tangent = [1, 0, 0], roll = 0 }
[haptic]
grip = "wire/start"
"""
"""Held at its start, the other end free."""
WOBBLE = 0.002
NOISE = 0.05
RATE = 100.0
"""Ticks in a second: ten times fewer than in the loop, the model makes as many steps."""


def example(name: str) -> Scene:
    return Scene.load(EXAMPLES / f"{name}.toml")


def demonstrated(name: str, seed: int | None = None) -> Recording:
    """The demonstration as it is, or wobbled by 2 mm with 0.05 N of noise."""
    scene = example(name)
    path = path_of(scene)
    led = path if seed is None else wobbled(path, WOBBLE, seed)
    direct = CouplingNumbers(kind="direct", guarded=False)
    loop = haptic_loop(scene, device=PathDevice(led), coupling=direct, rate=RATE)
    report = loop.run(float(path.time[-1]), real_time=False)
    assert report.ok, report.reason
    assert np.isfinite(loop.recording.force).all()
    return loop.recording if seed is None else noisy(loop.recording, NOISE, seed)
