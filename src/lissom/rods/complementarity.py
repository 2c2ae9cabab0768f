"""Which contacts act, and how hard: the linear complementarity problem of one Newton step."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# How often the number of wrong signs may fail to fall before they are mended one by one.
PATIENCE = 3


def nonnegative(matrix: Array, right: Array, start: Flags, most: int = 400) -> Array | None:
    """x ≥ 0 with w = matrix·x − right ≥ 0 and x·w = 0, by block principal pivoting; None if it finds none.

    `start` marks the entries expected positive. Exchanging one wrong sign at a time ends for every positive definite
    matrix (Murty); exchanging all of them ends sooner.
    """
    size = len(right)
    acting = start.copy()
    best, patience = size + 1, PATIENCE
    noise = 1e-13 * float(np.abs(right).max(initial=0.0))
    for _ in range(most):
        x = np.zeros(size)
        inside = np.flatnonzero(acting)
        if len(inside):
            try:
                x[inside] = np.linalg.solve(matrix[np.ix_(inside, inside)], right[inside])
            except np.linalg.LinAlgError:
                return None
        w = matrix @ x - right
        wrong = np.flatnonzero(np.where(acting, x < 0.0, w < -noise))
        if not len(wrong):
            return x
        if len(wrong) < best:
            best, patience = len(wrong), PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            wrong = wrong[-1:]
        acting[wrong] = ~acting[wrong]
    return None
