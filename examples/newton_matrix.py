"""Structure of the Newton matrix: a 3×3 block per frame and neighbour, and a border per span [GS07 fig. 10].

GS07's Hessian has seven unknowns per point; ours has three rotations per frame and one force component per
axis and span between supports. Time and memory are linear in the number of points. Run: python
examples/newton_matrix.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib import rc_context

import lissom
from lissom.analysis.plots import BLUE, GREY, INK, STYLE, VERMILLION, image, new_figure
from lissom.rods.chain import assemble, workspace
from lissom.rods.reading import read_line
from lissom.rods.solver import RodSolver

SCENE = """
[[cables]]
name = "cable"
type = "library:brake-hose-epdm"
length = "400 mm"
points = 13
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { position = ["250 mm", "100 mm", "40 mm"], tangent = [0, 1, 0] }
clips = [{ name = "clip", at = 0.5, kind = "ball", position = ["140 mm", "-20 mm", "-60 mm"] }]
"""


def newton_matrix() -> tuple[np.ndarray, np.ndarray, int]:
    """The whole matrix [K, −Aᵀ; A, E], the right-hand side (−g, −c), and how many unknowns are rotations."""
    scene = lissom.Scene.from_toml(SCENE)
    solver = RodSolver(read_line(scene, scene.cable("cable")))
    solver.solve()
    chain = solver.chain(solver.scheme)
    work = workspace(chain)
    assemble(chain, work, solver.q, solver.nu + 0.1)  # off the equilibrium, so that the right-hand side is not zero
    frames, runs = len(chain.mask), len(chain.target)
    size = 3 * frames
    K = np.zeros((size + runs, size + runs))
    rows, columns = np.triu_indices(3)
    for i in range(frames):
        block = np.zeros((3, 3))
        block[rows, columns] = block[columns, rows] = work.diagonal[i]
        K[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = block
        if i + 1 < frames:
            upper = work.upper[i].reshape(3, 3)
            K[3 * i : 3 * i + 3, 3 * i + 3 : 3 * i + 6] = upper
            K[3 * i + 3 : 3 * i + 6, 3 * i : 3 * i + 3] = upper.T
    A = work.columns[:, :runs, :].transpose(1, 0, 2).reshape(runs, size)
    K[size:, :size], K[:size, size:] = A, -A.T
    K[size:, size:] = work.border[:runs, :runs]
    return K, np.concatenate([-work.gradient.ravel(), -work.closure[:runs]]), size


def main(folder: Path) -> Path:
    matrix, right, size = newton_matrix()
    with rc_context({**STYLE, "axes.grid": False}):
        figure = new_figure(6.4, 5.4)
        axes, side = figure.subplots(1, 2, width_ratios=[12, 1])
        scale = np.abs(matrix).max()
        for value, rows, target in ((matrix, len(matrix), axes), (right[:, None], len(right), side)):
            i, j = np.nonzero(np.abs(value) > 1e-12 * scale)
            border = (i >= size) | (j >= size)
            target.scatter(j, i, s=9, marker="s", linewidths=0, c=np.where(border, VERMILLION, BLUE))
            target.set(xlim=(-1, value.shape[1]), ylim=(rows, -1), aspect="equal", xticks=[], yticks=[])
        for line in (axes.axhline, axes.axvline, side.axhline):
            line(size - 0.5, color=GREY, linewidth=0.7)
        axes.set_title(f"K: {size} rotations, block-tridiagonal     border: {len(matrix) - size} forces", color=INK)
        side.set_title("−g, −c", color=INK)
    path = folder / "newton-matrix.png"
    path.write_bytes(image(figure, "png", dpi=120))
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
