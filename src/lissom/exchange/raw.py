"""What every reader of a mesh file hands over, and how it says no."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vertices = NDArray[np.float64]
Triangles = NDArray[np.int64]

MOST_TRIANGLES: Final = 20_000_000
"""About 5 GB while a file is read; a whole car has about as many."""

LARGEST_FILE: Final = 2 * 2**30


class Unreadable(Exception):
    """What is wrong with the file, and the cure; the caller knows its name."""


class RawMesh(NamedTuple):
    """As it stands in the file: vertices (v, 3) in its unit, triangles (t, 3) of valid indices, and what was odd."""

    vertices: Vertices
    triangles: Triangles
    notes: tuple[str, ...] = ()


def numbers(text: bytes, count: int) -> NDArray[np.float64] | None:
    """The numbers in a text, if there are that many and nothing else."""
    try:
        found: NDArray[np.float64] = np.fromstring(text, dtype=np.float64, sep=" ")
    except (ValueError, DeprecationWarning):  # numpy stops at what is no number: today with a warning, later an error
        return None
    return found if len(found) == count else None


def refuse_too_many(triangles: int) -> None:
    if triangles > MOST_TRIANGLES:
        raise Unreadable(f"has {triangles} triangles, more than the {MOST_TRIANGLES} allowed: simplify it, or split it")


def refuse_too_many_vertices(vertices: int) -> None:
    if vertices > 3 * MOST_TRIANGLES:
        raise Unreadable(f"has {vertices} vertices, more than the {3 * MOST_TRIANGLES} allowed: simplify it")
