"""Where parts are on their bodies, and frames as matrices."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Placed:
    """Which body carries a part, and the part's place and turn in the body's axes."""

    body: int
    offset: Array
    turn: Array  # (3, 3)


def matrix_of(q: Any) -> Array:
    """Of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def axes_about(z: Array) -> Array:
    """A right-handed frame with this z, as columns."""
    z = z / np.linalg.norm(z)
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    return np.column_stack((x, np.cross(z, x), z))
