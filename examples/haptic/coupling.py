"""A hand pushes a steel rod against a wall, coupled directly and softly: where the energy goes.

Run: python examples/haptic/coupling.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np

import lissom
from lissom.analysis.haptic import plot_energy
from lissom.analysis.plots import image
from lissom.gripping import haptic_loop, path_of
from lissom.haptic.coupling import CouplingNumbers
from lissom.haptic.devices import HandNumbers, SimulatedHand

COUPLINGS = {
    "direct": CouplingNumbers(kind="direct", guarded=False),
    "direct, with the guard": CouplingNumbers(kind="direct"),
    "virtual coupling": CouplingNumbers(),
}


def main(folder: Path) -> Path:
    scene = lissom.Scene.load(Path(__file__).with_name("wall.toml"))
    path = path_of(scene)
    traces = {}
    for name, numbers in COUPLINGS.items():
        loop = haptic_loop(
            scene, device=SimulatedHand(path.at, HandNumbers(tremor=0.02)), coupling=numbers, traced=True
        )
        report = loop.run(2.5, real_time=False)
        force = np.array(loop.trace.force)[-500:, 2]
        energy = f"energy at least {report.energy_least:9.4f} J, taken by the guard {report.energy_damped:.4f} J"
        print(f"{name:24} force {force.mean():6.2f} ± {force.std():5.2f} N, {energy}")
        traces[name] = loop.trace
    drawn = folder / "haptic-energy.png"
    drawn.write_bytes(image(plot_energy(traces), "png", dpi=100))
    return drawn


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
