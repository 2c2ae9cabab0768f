"""What is handed out of one cable: all that the judge sees of a solve."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Answer(NamedTuple):
    """One cable as handed out, at its points. "Before" and "after" differ where a support or a load acts."""

    s: Array  # (points,) unstretched arc length, m
    positions: Array  # (points, 3) m
    quaternions: Array  # (points, 4) (w, x, y, z)
    force_before: Array  # (points, 3) N; zero before the first point
    force_after: Array  # (points, 3) N; zero after the last point
    moment_before: Array  # (points, 3) N m
    moment_after: Array  # (points, 3) N m
