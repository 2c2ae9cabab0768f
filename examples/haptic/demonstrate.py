"""Two demonstrations turned into contact states: a cable over an edge, and one threaded between two pegs.

Run: python examples/haptic/demonstrate.py FOLDER — with 20 noise seeds (2 mm, 0.05 N): add the number, 20, at the end.
Seeds begin at 1000: the numbers of `states.Numbers` were chosen with those from 0 to 19.
"""

import sys
from pathlib import Path

import lissom
from lissom.analysis.haptic import plot_forces
from lissom.analysis.plots import image
from lissom.gripping import haptic_loop, path_of
from lissom.haptic.coupling import CouplingNumbers
from lissom.haptic.devices import PathDevice
from lissom.haptic.disturbing import noisy, wobbled
from lissom.haptic.states import segment

HERE = Path(__file__).parent
FIRST = 1000
EXPECTED = {
    "over-edge": "none → point on edge of table → end on face of table → none",
    "pegs": "none → point on face of peg A → point on face of peg A, point on face of peg B → point on face of peg A → "
    "none",
}


def main(folder: Path, seeds: int = 0) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    drawn = folder / "haptic-states.png"
    for name, expected in EXPECTED.items():
        scene = lissom.Scene.load(HERE / f"{name}.toml")
        path = path_of(scene)
        good = 0
        for seed in (None, *range(FIRST, FIRST + seeds)):
            led = path if seed is None else wobbled(path, 0.002, seed)
            direct = CouplingNumbers(kind="direct", guarded=False)
            loop = haptic_loop(scene, device=PathDevice(led), coupling=direct, rate=100.0 if seeds else 1000.0)
            loop.run(float(path.time[-1]), real_time=False)
            shown = loop.recording if seed is None else noisy(loop.recording, 0.05, seed)
            found = segment(shown)
            said = " → ".join(found.sequence)
            good += said == expected
            if seed is None:
                print(f"{name}: {said}")
                drawn.write_bytes(image(plot_forces(shown, found), "png", dpi=100))
            elif said != expected:
                print(f"  seed {seed}: {said}")
        print(f"{name}: {good} of {seeds + 1} as expected")
    return drawn


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else "."), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
