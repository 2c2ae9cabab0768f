"""A hand pushes a steel rod against a wall, and turns one onto a floor, coupled directly and softly: where the energy
goes, and what the hand feels.

Run: python examples/haptic/coupling.py FOLDER
"""

import sys
from pathlib import Path

import lissom
from lissom.analysis.haptic import plot_energy
from lissom.analysis.plots import image
from lissom.gripping import haptic_loop, path_of
from lissom.haptic.coupling import CouplingNumbers
from lissom.haptic.devices import HandNumbers, SimulatedHand
from lissom.haptic.loop import HapticLoop

COUPLINGS = {
    "direct": CouplingNumbers(kind="direct", guarded=False),
    "direct, with the guard": CouplingNumbers(kind="direct"),
    "virtual coupling": CouplingNumbers(guarded=False),
    "virtual, with the guard": CouplingNumbers(),
}
TURNED = (("rod", 30.0), ("force", 120.0), ("force", 30.0))
"""Backends, and steps of the force model in a millisecond: with few it comes to rest late, and makes energy."""


def led(scene: lissom.Scene, numbers: CouplingNumbers) -> HapticLoop:
    """2.5 s of a hand on its path."""
    hand = SimulatedHand(path_of(scene).at, HandNumbers(tremor=0.02))
    loop = haptic_loop(scene, device=hand, coupling=numbers, traced=True, wait=True)
    report = loop.run(2.5, real_time=False)
    felt = loop.recording
    force, torque = felt.force[-50:, 2], felt.torque[-50:, 1]
    words = f"force {force.mean():6.2f} ± {force.std():5.2f} N, torque {torque.mean():6.3f} ± {torque.std():5.3f} N m"
    print(f"{words}, energy at least {report.energy_least:8.4f} J, the guard took {report.energy_damped:.4f} J")
    return loop


def main(folder: Path, turned_by: tuple[tuple[str, float], ...] = TURNED) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    here = Path(__file__).parent
    traces = {}
    print("pushed against a wall")
    for name, numbers in COUPLINGS.items():
        print(f"  {name:24}", end=" ")
        traces[name] = led(lissom.Scene.load(here / "wall.toml"), numbers).trace
    turned = lissom.Scene.load(here / "wall-turned.toml")
    for backend, steps in turned_by:
        print(f"turned onto a floor, {backend}{'' if backend == 'rod' else f', {steps:g} steps in a millisecond'}")
        for name, numbers in COUPLINGS.items():
            print(f"  {name:24}", end=" ")
            led(turned.with_values({"haptic.backend": backend, "haptic.steps": steps}), numbers)
    drawn = folder / "haptic-energy.png"
    drawn.write_bytes(image(plot_energy(traces), "png", dpi=100))
    return drawn


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
