"""Scenes to begin with, for ``lissom new``: small, complete, with the comments one needs first."""

from __future__ import annotations

from typing import Final

from lissom.scene.errors import ABSENT, Problem, SceneError
from lissom.scene.fields import suggestion

_HEAD: Final = """\
# A scene for lissom. A plain number is in SI units (m, N, kg, Pa, rad);
# a text may carry its unit: "420 mm", "7.5 MPa", "90 deg".
format = 1
"""

_HOSE: Final = """\
title = "A hose between two points"
gravity = [0, 0, -9.81]                # z is up

[types.hose]
section = { diameter = "10.5 mm", inner_diameter = "3.2 mm" }
material = { youngs_modulus = "7.5 MPa", poisson = 0.49, density = 1230 }
# Measured values may stand instead of section and material:
# stiffness = { bending = "0.005 N m2", torsion = "0.0035 N m2" }
# mass_per_length = "97 g/m"
# radius = "5.25 mm"
limits = { bend_radius = "50 mm", measured = "centre", tension = "40 N" }   # checked, not enforced

[[cables]]
name = "hose"
type = "hose"                          # or one of `lissom library`: "library:brake-hose-epdm"
length = "420 mm"
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { position = ["250 mm", "120 mm", "-50 mm"], tangent = [0, 1, 0] }
# twist = "90 deg"                     # of the end, about its tangent, relative to the start

# [[cables.clips]]
# name = "clip 1"
# at = 0.5                             # fraction of the length; or from_start = "210 mm", or from_end
# kind = "clamp"                       # clamp | ball | swivel | ring | sleeve (the last two slide)
# position = ["160 mm", "20 mm", "-60 mm"]
# tangent = [1, 0.5, 0]
"""

_CANTILEVER: Final = """\
title = "A strip clamped at one end, with a weight on the other"
gravity = [0, 0, -9.81]

[types.strip]
section = { width = "20 mm", height = "1 mm" }      # width along d1, height along d2
material = { youngs_modulus = "206 GPa", poisson = 0.3, density = 7850 }
limits = { stress = "500 MPa" }

[[cables]]
name = "strip"
type = "strip"
length = "400 mm"
# Roll turns d1 about the tangent. For a tangent along x, roll 0 has d1 = -z and d2 = y;
# a quarter turn lays the width flat.
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = "90 deg" }
# an absent `end` is free
loads = [{ at = 1, force = [0, 0, "-1 N"] }]
"""

_ROPE: Final = """\
title = "A rope between two hooks"
gravity = [0, 0, -9.81]

[[cables]]
name = "rope"
stiffness = { bending = 0 }            # no bending stiffness: a rope, hanging as a catenary
mass_per_length = "65 g/m"
radius = "5 mm"
length = "2.4 m"
start = { position = [0, 0, 0] }       # a position alone is a ball joint
end = { position = [2, 0, 0.3] }
"""

_MOULDED: Final = """\
title = "A moulded elbow hose"
gravity = [0, 0, -9.81]

[types.elbow]
section = { diameter = "24 mm", inner_diameter = "16 mm" }
material = { youngs_modulus = "6 MPa", poisson = 0.49, density = 1200 }

[[cables]]
name = "elbow"
type = "elbow"
length = "377.1 mm"                    # the curve through the points, within 1 %
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { position = ["230 mm", 0, "200 mm"], tangent = [0, 0, 1], roll = 0 }

# The shape as moulded: points on the centre line, here a quarter circle of radius 100 mm
# between two straight pieces of 110 mm. Only its form counts, not where it lies; its roll 0 is
# that of a clamp whose tangent is the first direction of the points.
[cables.rest]
points = [
  [0, 0, 0], [0.0275, 0, 0], [0.055, 0, 0], [0.0825, 0, 0], [0.11, 0, 0],
  [0.135882, 0, 0.003407], [0.16, 0, 0.013397], [0.180711, 0, 0.029289],
  [0.196603, 0, 0.05], [0.206593, 0, 0.074118], [0.21, 0, 0.1],
  [0.21, 0, 0.1275], [0.21, 0, 0.155], [0.21, 0, 0.1825], [0.21, 0, 0.21],
]
"""

_PARTS: Final = """\
title = "A hose from the chassis to a carrier that moves"
gravity = [0, 0, -9.81]

[types.hose]
section = { diameter = "10.5 mm", inner_diameter = "3.2 mm" }
material = { youngs_modulus = "7.5 MPa", poisson = 0.49, density = 1230 }
limits = { bend_radius = "50 mm", clearance = "3 mm" }

[[cables]]
name = "hose"
type = "hose"
length = "420 mm"
start = { on = "bracket", position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }   # in the bracket's axes
end = { on = "carrier", frame = "banjo" }                    # moves with the carrier
# ignore = ["floor"]                   # parts that it never touches

[[parts]]
name = "floor"
shape = { kind = "plane" }             # everything below its z = 0 is solid
position = [0, 0, "-250 mm"]

[[parts]]
name = "bracket"                       # neither shape nor mesh: it only carries frames
position = [0, 0, "50 mm"]

[[parts]]
name = "carrier"
shape = { kind = "cylinder", diameter = "60 mm", length = "120 mm" }   # along z, centred
# mesh = "carrier.stl"                 # instead of a shape: .stl .obj .ply .glb .gltf
# units = "mm"                         # of the numbers in the mesh file
position = ["300 mm", "150 mm", 0]
motion = "held"                        # fixed | held (by you) | driven (by a joint) | free (needs mass)
frames.banjo = { position = ["-40 mm", 0, 0], tangent = [0, 1, 0] }    # in the carrier's axes
"""

TEMPLATES: Final[dict[str, str]] = {
    "hose": _HEAD + _HOSE,
    "cantilever": _HEAD + _CANTILEVER,
    "rope": _HEAD + _ROPE,
    "moulded": _HEAD + _MOULDED,
    "parts": _HEAD + _PARTS,
}
"""By kind."""


def new_scene(kind: str = "hose") -> str:
    """The TOML text of a scene to begin with: hose, cantilever, rope, moulded or parts."""
    if kind not in TEMPLATES:
        listed = ", ".join(TEMPLATES)
        raise SceneError(
            [Problem("", ABSENT, f'there is no template "{kind}"{suggestion(kind, TEMPLATES)}; try {listed}')]
        )
    return TEMPLATES[kind]
