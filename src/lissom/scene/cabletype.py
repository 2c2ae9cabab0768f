"""What a cable is made of: its section and material, or its measured stiffness, and its limits."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import Discriminator, Field, StrictBool, Tag, model_validator

from lissom.scene.described import Described, Slip, reject
from lissom.scene.errors import ABSENT
from lissom.scene.fields import Components, Length, LengthOrZero, OneOrList, Prose, Quantity, Vec2

T = TypeVar("T", bound=Described)

_STIFFNESS = Quantity("stiffness", at_least=0.0, at_most=1e12)

Modulus = Annotated[
    float,
    Quantity(
        "pressure",
        at_least=1e3,
        at_most=2e12,
        hint='a plain number is in Pa: rubber is about "5 MPa", PVC "50 MPa", steel "210 GPa"',
    ),
]
ShearModulus = Annotated[
    float,
    Quantity(
        "pressure",
        at_least=300.0,
        at_most=1e12,
        hint='a plain number is in Pa: rubber is about "2 MPa", steel "80 GPa"',
    ),
]
Poisson = Annotated[float, Quantity(at_least=-0.99, at_most=0.5, hint="rubber is about 0.49, plastics 0.4, metals 0.3")]
Density = Annotated[
    float,
    Quantity(
        "density",
        at_least=0.0,
        at_most=30_000.0,
        hint='a plain number is in kg/m3: rubber is "1.2 g/cm3" = 1200',
    ),
]
MassPerLength = Annotated[
    float,
    Quantity("mass per length", at_least=0.0, at_most=1e4, hint='a plain number is in kg/m: write "107 g/m"'),
]
SideLength = Annotated[
    float,
    Quantity("length", at_least=1e-6, at_most=1.0, hint='a plain number is in metres: write "10.5 mm"'),
]

LIGHTEST: Final = 10.0
"""kg/m³: below the lightest foam, a density was meant in g/cm³."""


WEAKEST: Final = 1e-20
"""N m²: below any fibre; what is smaller would overflow where loads are divided by it."""


class RoundSection(Described):
    """A disc or a ring, by diameters or by radii."""

    diameter: SideLength | None = Field(None, description="outer diameter, m")
    inner_diameter: SideLength | None = Field(None, description="diameter of the bore, m; absent: solid")
    radius: SideLength | None = Field(None, description="outer radius, m, instead of diameter")
    inner_radius: SideLength | None = Field(None, description="radius of the bore, m, instead of inner_diameter")

    @property
    def outer(self) -> float:
        """Outer radius, m."""
        return _radius(self.radius, self.diameter)

    @property
    def inner(self) -> float:
        """Radius of the bore, m; 0 when solid."""
        return _radius(self.inner_radius, self.inner_diameter)

    @model_validator(mode="after")
    def _check(self) -> Self:
        slips = _either(self, "diameter", "radius", needed=True)
        slips += _either(self, "inner_diameter", "inner_radius")
        if not slips and not self.inner < self.outer:
            key, other = _said(self, "inner_diameter", "inner_radius"), _said(self, "diameter", "radius")
            bound = f"{other} = {getattr(self, other):g} m"
            slips.append(((key,), getattr(self, key), f"must be smaller than {bound}: the bore lies inside"))
        return _unless(self, slips)


class Layer(Described):
    """One ring of a layered section, from the layer inside it out to ``to_radius``."""

    to_radius: SideLength | None = Field(None, description="outer radius of this layer, m")
    to_diameter: SideLength | None = Field(None, description="outer diameter of this layer, m")
    youngs_modulus: Modulus = Field(description="Young's modulus, Pa")
    poisson: Poisson | None = Field(None, description="Poisson's ratio, or give shear_modulus")
    shear_modulus: ShearModulus | None = Field(None, description="shear modulus, Pa")
    density: Density | None = Field(None, description="kg/m³")

    @property
    def outer(self) -> float:
        """Outer radius, m."""
        return _radius(self.to_radius, self.to_diameter)

    @property
    def shear(self) -> float:
        """Shear modulus, Pa."""
        return _shear(self.youngs_modulus, self.poisson, self.shear_modulus)

    @model_validator(mode="after")
    def _check(self) -> Self:
        slips = _either(self, "to_radius", "to_diameter", needed=True)
        slips += _either(self, "poisson", "shear_modulus", needed=True)
        return _unless(self, slips + _too_light(self.density))


class LayeredSection(Described):
    """Rings of different materials, from the inside out."""

    layers: tuple[Layer, ...] = Field(description="from the inside out", min_length=1, max_length=1000)
    inner_radius: SideLength | None = Field(None, description="radius of the bore, m; absent: solid")
    inner_diameter: SideLength | None = Field(None, description="diameter of the bore, m, instead of inner_radius")

    @property
    def outer(self) -> float:
        """Outer radius, m."""
        return self.layers[-1].outer

    @property
    def inner(self) -> float:
        """Radius of the bore, m; 0 when solid."""
        return _radius(self.inner_radius, self.inner_diameter)

    @model_validator(mode="after")
    def _check(self) -> Self:
        slips = _either(self, "inner_radius", "inner_diameter")
        if slips:
            reject(slips)
        inside = self.inner
        for i, layer in enumerate(self.layers):
            if not layer.outer > inside:
                key = _said(layer, "to_radius", "to_diameter")
                message = f"must lie outside the one before it (radius {inside:g} m): layers go from the inside out"
                slips.append((("layers", i, key), getattr(layer, key), message))
            inside = layer.outer
        return _unless(self, slips)


class RectangleSection(Described):
    """A flat cable: ``width`` along d1, ``height`` along d2."""

    width: SideLength = Field(description="side along d1, m")
    height: SideLength = Field(description="side along d2, m")


def _section_kind(value: Any) -> str:
    if isinstance(value, (LayeredSection, RectangleSection)):
        return "layered" if isinstance(value, LayeredSection) else "rectangle"
    if isinstance(value, dict) and "layers" in value:
        return "layered"
    if isinstance(value, dict) and ("width" in value or "height" in value):
        return "rectangle"
    return "round"


Section = Annotated[
    Annotated[RoundSection, Tag("round")]
    | Annotated[LayeredSection, Tag("layered")]
    | Annotated[RectangleSection, Tag("rectangle")],
    Discriminator(_section_kind),
]

SECTIONS: Final[dict[str, type[Described]]] = {
    "round": RoundSection,
    "layered": LayeredSection,
    "rectangle": RectangleSection,
}
"""By the tag that pydantic puts into the place of an error."""


class Material(Described):
    """A homogeneous isotropic material."""

    youngs_modulus: Modulus = Field(description="Young's modulus, Pa")
    poisson: Poisson | None = Field(None, description="Poisson's ratio, or give shear_modulus")
    shear_modulus: ShearModulus | None = Field(None, description="shear modulus, Pa")
    density: Density | None = Field(None, description="kg/m³; needed unless mass_per_length is given")

    @property
    def shear(self) -> float:
        """Shear modulus, Pa."""
        return _shear(self.youngs_modulus, self.poisson, self.shear_modulus)

    @model_validator(mode="after")
    def _check(self) -> Self:
        return _unless(self, _either(self, "poisson", "shear_modulus", needed=True) + _too_light(self.density))


class Stiffness(Described):
    """Measured stiffness, instead of section and material."""

    bending: Annotated[float | Vec2, OneOrList(_STIFFNESS, Components(_STIFFNESS, 2))] = Field(
        description="N m², one value or [about d1, about d2]; 0: a rope"
    )
    torsion: Annotated[float, _STIFFNESS] | None = Field(None, description="N m²; may be left out for a rope")
    axial: Annotated[float, Quantity("force", above=0.0, at_most=1e15)] | None = Field(
        None, description="EA, N; absent: inextensible"
    )

    @property
    def both(self) -> Vec2:
        """Bending stiffness about d1 and about d2, N m²."""
        return self.bending if isinstance(self.bending, tuple) else (self.bending, self.bending)

    @model_validator(mode="after")
    def _check(self) -> Self:
        slips: list[Slip] = []
        low, high = min(self.both), max(self.both)
        if low == 0.0 < high:
            slips.append((("bending",), self.bending, "must be positive about both axes, or 0 about both (a rope)"))
        elif 0.0 < low < WEAKEST:
            message = f"must be 0 (a rope) or at least {WEAKEST:g} N m2"
            slips.append((("bending",), self.bending, message))
        elif high > 0.0 and self.torsion is None:
            message = "is missing: a torsional stiffness in N m2, for a solid round section bending / (1 + poisson)"
            slips.append((("torsion",), ABSENT, message))
        elif high > 0.0 and self.torsion is not None and self.torsion < WEAKEST:
            message = f"must be at least {WEAKEST:g} N m2 when the cable bends; a swivel end lets it turn freely"
            slips.append((("torsion",), self.torsion, message))
        return _unless(self, slips)


class Limits(Described):
    """Rules that a solved shape is checked against. They do not constrain it."""

    bend_radius: Length | None = Field(None, description="smallest allowed bend radius, m")
    measured: Literal["centre", "inside"] = Field("centre", description="where the bend radius is measured")
    tension: Annotated[float, Quantity("force", above=0.0, at_most=1e12)] | None = Field(
        None, description="largest allowed tension, N"
    )
    twist_per_length: Annotated[float, Quantity("curvature", above=0.0, at_most=1e6)] | None = Field(
        None, description="largest allowed |τ|, rad/m"
    )
    clearance: LengthOrZero | None = Field(None, description="smallest allowed distance to other things, m")
    stress: Annotated[float, Quantity("pressure", above=0.0, at_most=1e12)] | None = Field(
        None, description="largest allowed bending stress at the surface, Pa; needs a section"
    )


class TypeFields(Described):
    """What may be said of a cable's make, in a type or on the cable itself."""

    section: Section | None = Field(None, description="{ diameter, inner_diameter }, { width, height } or { layers }")
    material: Material | None = Field(None, description="of a round or rectangular section")
    stiffness: Stiffness | None = Field(None, description="measured, instead of section and material")
    mass_per_length: MassPerLength | None = Field(
        None, description="kg/m; with a section it replaces the computed mass (a filled hose)"
    )
    radius: SideLength | None = Field(None, description="for drawing and contact, with a measured stiffness, m")
    extensible: StrictBool = Field(False, description="true: a section stretches with its own E A")
    limits: Limits | None = Field(None, description="rules to check")


MAKE: Final = ("section", "material", "stiffness", "mass_per_length", "radius", "extensible")
"""The fields of :class:`TypeFields` that a named type replaces; ``limits`` may stand beside it."""


class CableType(TypeFields):
    """A kind of cable: either section (with material or layers), or stiffness with mass per length."""

    description: Prose = Field("", description="what it is")
    source: Prose = Field("", description="where the numbers come from")

    @model_validator(mode="after")
    def _check(self) -> Self:
        return _unless(self, make_slips(self))


def make_slips(made: TypeFields) -> list[Slip]:
    """Is the stiffness said in exactly one way, and the mass with it?"""
    if made.stiffness is not None:
        return _measured_slips(made, made.stiffness)
    if made.section is None:
        missing = 'section = { diameter = "10 mm" } with a material, or stiffness = { bending, torsion }'
        return [(("section",), ABSENT, f"is missing: say what the cable is made of, as {missing}")]
    slips: list[Slip] = []
    weighed = made.mass_per_length is not None
    if isinstance(made.section, LayeredSection):
        if made.material is not None:
            message = "must be left out: every layer of the section has its own youngs_modulus and density"
            slips.append((("material",), ABSENT, message))
        for i, layer in enumerate(made.section.layers):
            if layer.density is None and not weighed:
                slips.append((("section", "layers", i, "density"), ABSENT, _NO_DENSITY))
    elif made.material is None:
        message = 'is missing: a section needs { youngs_modulus = "7.5 MPa", poisson = 0.49, density = 1230 }'
        slips.append((("material",), ABSENT, message))
    elif made.material.density is None and not weighed:
        slips.append((("material", "density"), ABSENT, _NO_DENSITY))
    if made.radius is not None:
        slips.append((("radius",), made.radius, "must be left out: the section already gives it"))
    return slips


_NO_DENSITY: Final = "is missing: give it in kg/m3, or mass_per_length for the whole cable; 0 means weightless"


def _measured_slips(made: TypeFields, stiffness: Stiffness) -> list[Slip]:
    slips: list[Slip] = []
    for key in ("section", "material"):
        if getattr(made, key) is not None:
            message = "must be left out beside a measured stiffness: say the stiffness in one way only"
            slips.append(((key,), ABSENT, message))
    if made.mass_per_length is None:
        slips.append((("mass_per_length",), ABSENT, 'is missing: give it in kg/m, or "107 g/m"; 0 means weightless'))
    if made.extensible and stiffness.axial is None:
        slips.append((("extensible",), True, "needs a section; with a measured stiffness give stiffness.axial in N"))
    limits = made.limits
    if limits is not None and limits.stress is not None:
        slips.append((("limits", "stress"), limits.stress, "needs a section with a material, to know the stress"))
    if limits is not None and limits.measured == "inside" and made.radius is None:
        slips.append((("radius",), ABSENT, 'is missing: a bend radius measured "inside" needs the radius of the cable'))
    return slips


def _unless(thing: T, slips: list[Slip]) -> T:
    if slips:
        reject(slips)
    return thing


def _either(thing: Described, first: str, second: str, *, needed: bool = False) -> list[Slip]:
    """At most one of two ways to say the same thing (exactly one if ``needed``)."""
    a, b = getattr(thing, first), getattr(thing, second)
    if a is not None and b is not None:
        return [((second,), b, f"must not be given together with {first}: keep one of them")]
    if needed and a is None and b is None:
        return [((first,), ABSENT, f"is missing: give {first} or {second}")]
    return []


def _said(thing: Described, first: str, second: str) -> str:
    return first if getattr(thing, first) is not None else second


def _radius(radius: float | None, diameter: float | None) -> float:
    return radius if radius is not None else 0.5 * (diameter or 0.0)


def _shear(youngs_modulus: float, poisson: float | None, shear_modulus: float | None) -> float:
    if shear_modulus is not None:
        return shear_modulus
    assert poisson is not None  # one of the two is validated to be there
    return youngs_modulus / (2.0 * (1.0 + poisson))


def _too_light(density: float | None) -> list[Slip]:
    if density is None or density == 0.0 or density >= LIGHTEST:
        return []
    message = f'must be 0 or at least {LIGHTEST:g} kg/m3; for {density:g} g/cm3 write "{density:g} g/cm3"'
    return [(("density",), density, message)]
