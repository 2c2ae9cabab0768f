"""What a system of cables asks of its surroundings."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lissom.rods.bodies import Body
from lissom.rods.contacts import Contacts
from lissom.rods.smooth import Dip

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Touching(Protocol):
    """Whatever knows what is near the cables."""

    def begin(self, c: Contacts) -> None:
        """A solve begins with these contacts: of the places that are watched only those that press still are."""
        ...

    def near(self, points: list[Array], bodies: list[Body]) -> Contacts:
        """Contacts of cables whose points are there, with their gaps; forces not filled in."""
        ...

    doubled: bool
    """Whether places that stay are wanted as well where others run along the cable."""

    @property
    def sight(self) -> float:
        """m: gaps between cables up to this are seen, and to parts beyond it."""
        ...

    @property
    def reach(self) -> float:
        """m: a point with no contact near may move by this without passing a part unseen."""
        ...

    def passing(self, before: list[Array], after: list[Array]) -> float:
        """The part of a straight way, 0 … 1, at which cables first pass through each other; above 1 if not at all."""
        ...

    def pin(self, points: list[Array], depth: float) -> bool:
        """Cables that overlap by more than `depth` (m) between places that touch are to touch there too, from now on.

        False where they do not.
        """
        ...

    def dips(self, points: list[Array], bodies: list[Body], depth: float) -> list[Dip]:
        """Where cables are in parts by more than `depth` (m), or than is allowed near what holds them."""
        ...

    def watch(self, found: list[Dip]) -> None:
        """Contacts are looked for there as well from now on."""
        ...

    def room(self, points: list[Array], bodies: list[Body], most: float) -> list[Array]:
        """Per cable (points,) m: how far each point may surely move, if that is more; no more than `most`."""
        ...
