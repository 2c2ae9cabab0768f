"""A part as something to touch."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.solids import Solid
from lissom.rods.bodies import matrix

Array = NDArray[np.float64]


@dataclass(slots=True)
class Obstacle:
    """A part as something to touch, where it stands."""

    name: str
    solid: Solid
    friction: float
    position: Array  # (3,) m
    quaternion: Array  # (4,)
    size: float  # m: how far a point of it moves when it turns by a radian
    rotation: Array = field(init=False)  # (3, 3)

    def __post_init__(self) -> None:
        self.rotation = matrix(self.quaternion)

    def stand(self, position: Array, quaternion: Array) -> None:
        self.position, self.quaternion, self.rotation = position, quaternion, matrix(quaternion)

    def local(self, points: Array) -> Array:
        return (points - self.position) @ self.rotation

    def world(self, points: Array) -> Array:
        return points @ self.rotation.T + self.position
