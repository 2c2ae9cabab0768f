"""Which contacts act, and how hard: the linear complementarity problem of one Newton step."""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import lean_kernel as kernel
from lissom.rods.halting import given_up

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


# More entries than this are exchanged in blocks, with LAPACK.
LARGE = 256
# So many blocks may pass without fewer entries being wrong; then one entry is exchanged at a time.
PATIENCE = 4


def nonnegative(matrix: Array, right: Array, start: NDArray[np.bool_]) -> Array | None:
    """x ≥ 0 with w = matrix·x − right ≥ 0 and x·w = 0, for a symmetric matrix; None where it is not positive definite.

    `start` marks the entries expected positive.
    """
    size = len(right)
    x = np.zeros(size)
    if size == 0:
        return x
    if size > LARGE:
        found = exchanged(matrix, right, start)
        if found is not None or given_up():
            return found
    inside = start.astype(np.int64)
    order = np.zeros(size, dtype=np.int64)
    scratch = np.empty((size, size))
    if descend(matrix, right, inside, order, scratch, x, np.empty(size)):
        return x
    return None


def exchanged(matrix: Array, right: Array, start: NDArray[np.bool_]) -> Array | None:
    """The same by exchanging all entries that are wrong at once, as long as they get fewer [Júdice & Pires 1994].

    Else the last one only, which ends for every positive definite matrix [Murty 1974].
    """
    noise = 1e-13 * float(np.abs(right).max(initial=0.0))
    inside = start.copy()
    definite = is_definite(matrix)
    fewest, left = len(right) + 1, PATIENCE
    for _ in range(10 * len(right) + 10):
        if given_up():
            return None
        block = matrix[np.ix_(inside, inside)]
        if not (definite or is_definite(block)):
            return None
        x = np.zeros(len(right))
        x[inside] = np.linalg.solve(block, right[inside])
        wrong = np.where(inside, x < 0.0, matrix @ x - right < -noise)
        count = int(np.count_nonzero(wrong))
        if count == 0:
            return x
        if count < fewest:
            fewest, left = count, PATIENCE
        elif left > 0:
            left -= 1
        else:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        inside ^= wrong
    return None


def is_definite(matrix: Array) -> bool:
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    return True


@kernel
def descend(Q: Array, b: Array, inside: Indices, order: Indices, L: Array, x: Array, z: Array) -> bool:
    """Active sets, one entry in or out at a time [Lawson & Hanson 1974, ch. 23]; ½ x·Qx − b·x falls with each."""
    size = len(b)
    noise = 0.0
    for i in range(size):
        noise = max(noise, abs(b[i]))
    noise *= 1e-13
    if not solve_inside(Q, b, inside, order, L, z):
        return False
    for _ in range(size):  # a start that is not feasible: let go of what pulls
        worst = -1
        for i in range(size):
            if inside[i] == 1 and z[i] < 0.0 and (worst < 0 or z[i] < z[worst]):
                worst = i
        if worst < 0:
            break
        inside[worst] = 0
        if not solve_inside(Q, b, inside, order, L, z):
            return False
    for i in range(size):
        x[i] = z[i] if inside[i] == 1 else 0.0
    for _ in range(10 * size + 10):
        enters = -1
        lowest = 0.0
        for i in range(size):
            if inside[i] == 1:
                continue
            total = -b[i]
            for j in range(size):
                if inside[j] == 1:
                    total += Q[i, j] * x[j]
            if total < -noise:
                gain = total * total / max(Q[i, i], 1e-300)
                if gain > lowest:
                    lowest = gain
                    enters = i
        if enters < 0:
            return True
        inside[enters] = 1
        while True:
            if not solve_inside(Q, b, inside, order, L, z):
                return False
            part = 1.0
            leaves = -1
            for i in range(size):
                if inside[i] == 1 and z[i] < 0.0:
                    ratio = x[i] / (x[i] - z[i])
                    if ratio < part:
                        part = ratio
                        leaves = i
            for i in range(size):
                if inside[i] == 1:
                    x[i] += part * (z[i] - x[i])
            if leaves < 0:
                break
            x[leaves] = 0.0
            inside[leaves] = 0
    return False


@kernel
def solve_inside(Q: Array, b: Array, inside: Indices, order: Indices, L: Array, z: Array) -> bool:
    """z on the entries inside, by Cholesky; False if the matrix there is not positive definite."""
    count = 0
    for i in range(len(b)):
        z[i] = 0.0
        if inside[i] == 1:
            order[count] = i
            count += 1
    for i in range(count):
        for j in range(i + 1):
            total = Q[order[i], order[j]]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                L[i, i] = math.sqrt(total)
            else:
                L[i, j] = total / L[j, j]
    for i in range(count):
        total = b[order[i]]
        for k in range(i):
            total -= L[i, k] * z[order[k]]
        z[order[i]] = total / L[i, i]
    for i in range(count - 1, -1, -1):
        total = z[order[i]]
        for k in range(i + 1, count):
            total -= L[k, i] * z[order[k]]
        z[order[i]] = total / L[i, i]
    return True
