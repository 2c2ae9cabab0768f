"""One kind of rigid thing: obstacle, carrier, connector, wheel, weight; and the frames on it that hold cables."""

from __future__ import annotations

from pathlib import PurePath
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, StrictBool, model_validator

from lissom.scene.described import Described, Slip, reject
from lissom.scene.errors import ABSENT
from lissom.scene.fields import Components, Direction, Name, Position, Quantity, Quaternion, Roll, Text, Vec3, Vec4
from lissom.scene.frames import frame_quaternion
from lissom.scene.frozendict import FrozenDict
from lissom.scene.pose import NO_TURN, Pose, direction_of, orientation_of, pointing_slips
from lissom.scene.shape import PlaneShape, Shape

Motion = Literal["fixed", "held", "driven", "free"]
MeshUnits = Literal["mm", "cm", "m", "in"]

MESH_UNITS: Final[dict[str, float]] = {"mm": 0.001, "cm": 0.01, "m": 1.0, "in": 0.0254}
"""In metres."""

WITHOUT_UNITS: Final = (".stl", ".obj", ".ply")
"""Files that do not say the unit of their numbers."""

IN_METRES: Final = (".glb", ".gltf")
"""Files whose numbers are metres by definition."""

Inertia = Annotated[
    Vec3, Components(Quantity(at_least=0.0, at_most=1e12, hint="it is in kg m²: a wheel has about m r²/2"))
]
Density = Annotated[float, Quantity("density", at_least=0.1, at_most=1e5, hint="steel has 7850 kg/m³")]
Mass = Annotated[float, Quantity("mass", at_least=1e-9, at_most=1e9, hint='a plain number is in kg: write "250 g"')]
Friction = Annotated[float, Quantity(at_least=0.0, at_most=10.0, hint="rubber on steel is about 0.8, 0 is smooth")]


class Frame(Described):
    """A named place on a part where a cable can be mounted: a position, and a direction if it holds one."""

    position: Position = Field(description="in the part's axes, m")
    tangent: Direction | None = Field(None, description="direction of the cable, from its start to its end")
    roll: Roll | None = Field(None, description="turn of d1 about the tangent, rad; needs tangent")
    quaternion: Quaternion | None = Field(None, description="(w, x, y, z) of the frame, instead of tangent and roll")

    @property
    def direction(self) -> Vec3 | None:
        """The unit tangent in the part's axes, or None."""
        return direction_of(self)

    @property
    def orientation(self) -> Vec4 | None:
        """The unit quaternion of the whole frame in the part's axes, or None if the roll is not said."""
        return orientation_of(self)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if slips := pointing_slips(self):
            reject(slips)
        return self


class Part(Described):
    """A rigid thing with a mesh, a shape, or neither (then it only carries frames, as a connector)."""

    name: Name = Field(description="a name, unique in the scene")
    mesh: Annotated[str, Text(1000)] | None = Field(
        None, description="file with its surface (.stl .obj .ply .glb .gltf), relative to the scene file"
    )
    units: MeshUnits | None = Field(None, description="of the mesh file; needed for .stl, .obj and .ply")
    shape: Shape | None = Field(None, description='{ kind = "box", size = [x, y, z] } and so on, instead of mesh')
    position: Position = Field((0.0, 0.0, 0.0), description="of its origin, m; in the world, or in the parent's axes")
    tangent: Direction | None = Field(None, description="where its z axis points, instead of quaternion")
    roll: Roll | None = Field(None, description="turn about its z axis, rad; needs tangent; absent: 0")
    quaternion: Quaternion | None = Field(None, description="(w, x, y, z) that turns its axes; absent: not turned")
    parent: Name | None = Field(None, description="the part that it moves with")
    motion: Motion = Field(
        "fixed",
        description="fixed, held (moved by the user), driven (by a joint or a recorded motion), free (by forces)",
    )
    mass: Mass | None = Field(None, description="kg; needed when free, unless density is given")
    density: Density | None = Field(None, description="kg/m³, of its shape, instead of mass")
    inertia: Inertia | None = Field(
        None, description="about its x, y, z through its centre of mass, kg m²; absent: that of its shape filled evenly"
    )
    center_of_mass: Position | None = Field(None, description="in its axes, m; absent: its origin")
    collide: StrictBool = Field(True, description="false: nothing touches it")
    ignore: tuple[Name, ...] = Field((), description="names of parts that it never touches", max_length=10_000)
    friction: Friction = Field(0.0, description="coefficient of friction of its surface")
    frames: Annotated[dict[Name, Frame], AfterValidator(FrozenDict)] = Field(
        default_factory=FrozenDict, description="places to mount cables on, by name", max_length=1000
    )

    @property
    def pose(self) -> Pose:
        """Position and unit quaternion, in the world or in the axes of the parent."""
        turn = orientation_of(self)
        if turn is None:
            turn = NO_TURN if self.tangent is None else frame_quaternion(self.tangent, 0.0)
        return self.position, turn

    @property
    def scale(self) -> float:
        """Metres per number in the mesh file."""
        return MESH_UNITS[self.units or "m"]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if slips := part_slips(self):
            reject(slips)
        return self


PART_KEYS: Final = frozenset(Part.model_fields)
"""Frames must not be called so: ``carrier/position`` is the position of the carrier."""


def part_slips(part: Part) -> list[Slip]:
    return pointing_slips(part) + _mesh_slips(part) + _mass_slips(part) + _motion_slips(part) + _frame_name_slips(part)


def _mesh_slips(part: Part) -> list[Slip]:
    if part.mesh is None:
        if part.units is not None:
            return [(("units",), part.units, "must be left out: they are the units of a mesh file, and there is none")]
        return []
    slips: list[Slip] = []
    if part.shape is not None:
        slips.append((("shape",), ABSENT, "must not be given together with mesh: keep one of them"))
    ending = PurePath(part.mesh).suffix.lower()
    if not part.mesh.strip() or not part.mesh.isprintable():
        slips.append((("mesh",), part.mesh, 'must be the path of a file, such as "carrier.stl"'))
    elif ending not in WITHOUT_UNITS + IN_METRES:
        known = ", ".join(WITHOUT_UNITS + IN_METRES)
        slips.append((("mesh",), part.mesh, f"must end in one of {known}: convert the file to one of these"))
    elif part.units is None and ending in WITHOUT_UNITS:
        message = f'is missing: a {ending} file does not say its unit; give units = "mm", "cm", "m" or "in"'
        slips.append((("units",), ABSENT, message))
    return slips


def _mass_slips(part: Part) -> list[Slip]:
    slips: list[Slip] = []
    if part.inertia is not None and min(part.inertia) > 0.0:  # 0 says that nothing turns it about that axis
        small, middle, large = sorted(part.inertia)
        if large > (1.0 + 1e-9) * (small + middle):
            most = f"the largest, {large:g}, cannot exceed the sum {small + middle:g} of the others"
            message = f"must be that of a body: {most}"
            slips.append((("inertia",), part.inertia, message))
    if part.density is None:
        return slips
    if part.mass is not None:
        slips.append((("density",), part.density, "must not be given together with mass: keep one of them"))
    if part.shape is None or isinstance(part.shape, PlaneShape):
        message = "needs a shape with a volume (a mesh may be open): give mass instead"
        slips.append((("density",), part.density, message))
    return slips


def _motion_slips(part: Part) -> list[Slip]:
    if part.motion != "free":
        return []
    slips: list[Slip] = []
    if part.mass is None and part.density is None:
        slips.append((("mass",), ABSENT, 'is missing: a free part needs its mass in kg; or motion = "fixed"'))
    if isinstance(part.shape, PlaneShape):
        slips.append((("motion",), part.motion, 'must be "fixed", "held" or "driven": a half space has no end to fall'))
    return slips


def _frame_name_slips(part: Part) -> list[Slip]:
    message = "must not be the name of a field of the part: give the frame another name"
    return [(("frames", name), ABSENT, message) for name in part.frames if name in PART_KEYS]
