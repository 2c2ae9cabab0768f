"""Scenes that use every key, shared by the tests of files, paths and messages."""

from __future__ import annotations

import pytest
from hypothesis import settings

settings.register_profile("unhurried", deadline=None)  # a busy machine is not a failure
settings.load_profile("unhurried")

FULL = """\
# the hose of the front axle
format = 1
title = "Front left # brake hose"   # a hash in a text
gravity = [0.0, 0.0, "-9810 mm/s2"]

[types.epdm]                        # the hose
section = { diameter = "10.5 mm", inner_diameter = "3.2 mm" }  # outside, bore
material = { youngs_modulus = "7.5 MPa", poisson = 0.49, density = 1230 }
limits = { bend_radius = "50 mm", measured = "inside", clearance = "3 mm", tension = 40.0, stress = "2 MPa" }

[types."flat 2.5"]
description = "a flat cable"
section = { width = 0.02, height = "2 mm" }
material = { youngs_modulus = 1e8, shear_modulus = 4e7, density = 1200.0 }
extensible = true

[types.layered]
mass_per_length = "90 g/m"
[types.layered.section]
inner_diameter = "2 mm"
layers = [
  { to_diameter = "4 mm", youngs_modulus = "1 GPa", poisson = 0.4 },   # the liner
  # a comment between
  { to_radius = "5 mm", youngs_modulus = "5 MPa", shear_modulus = "2 MPa" },
]

[[cables]]
name = "brake hose"
type = "epdm"                       # see above
length = "420 mm"
points = 65
rest = { curvature = [[0, 0.5, 0], [0, 1, 0], [0, "0.002 1/mm", 0]] }
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = "10 deg" }
end   = { position = ["200 mm", 0.1, 0], quaternion = [1, 0, 0, 0], free = ["x"] }
loads = [
  { at = 1.0, force = [0, 0, -1.0] },
  { from_end = "5 cm", moment = [0, 0, "20 N mm"], axes = "body" },   # follows the cable
]
initial = { points = [[0, 0, 0], [0.1, 0, 0.1], [0.2, 0.1, 0]] }
limits = { tension = 30 }

[[cables.clips]]                    # the first clip
at = 0.5
kind = "clamp"
position = [0.1, 0.05, -0.08]
tangent = [0, 1, 0]
twist = "1 turn"

[[cables.clips]]
name = "guide"
kind = "ring"
position = [0.15, 0.05, -0.08]

[[cables.stretches]]
from = 0.2
to = 0.4
type = "layered"

[[cables]]
name = "strap"
type = "flat 2.5"
length = 0.3
start = { position = [0, 1, 0] }
twist_unused = 0

[[cables]]
name = "wire"
stiffness = { bending = [0.002, 0.001], torsion = 0.001, axial = "2 kN" }
mass_per_length = 0.01
radius = "1 mm"
length = 0.5
start = { position = [0, 2, 0], kind = "swivel", tangent = [0, 0, 2] }
""".replace("twist_unused = 0\n", "").replace("points = 65\n", "points = 3\n")


WORKSHOP = """\
# a harness on a machine
title = "Parts and junctions"

[types.wire]
stiffness = { bending = 0.01, torsion = 0.008 }
mass_per_length = "60 g/m"
radius = "4 mm"

[[cables]]
name = "trunk"
type = "wire"
length = "600 mm"
start = { on = "chassis", frame = "plug" }   # as the plug sits
ignore = ["floor", "chassis"]                # never touched

[[cables.clips]]
name = "tie"
at = 0.4
on = "arm"
position = [0, 0, "20 mm"]
tangent = [1, 0, 0]

[[cables.clips]]
name = "eye"
kind = "ring"
on = "arm"
frame = "hole"

[[cables]]
name = "left"
type = "wire"
length = 0.3
end = { on = "arm", position = [0.4, 0.1, 0], quaternion = [1, 0, 0, 0], free = ["x"] }
collide = false

[[cables]]
name = "right"
type = "wire"
length = 0.3
end = { position = [0.5, -0.2, 0] }

[[parts]]                                    # the ground
name = "floor"
shape = { kind = "plane" }
position = [0, 0, "-300 mm"]
friction = 0.4

[[parts]]
name = "chassis"
mesh = "meshes/chassis.stl"                  # from the CAD
units = "mm"
position = [0, 0, "50 mm"]
tangent = [0, 0, 1]
roll = "90 deg"
frames.plug = { position = ["10 mm", 0, 0], tangent = [0, 1, 0], roll = 0 }   # of the harness

[[parts]]
name = "arm"
shape = { kind = "profile", points = [[0, 0], ["1 cm", 0], [0, 0.02]], length = "200 mm" }
parent = "chassis"                           # turns with it
motion = "driven"
quaternion = [0.6, 0, 0, 0.8]
[parts.frames.hole]                          # for the eye
position = [0.05, 0, 0]
[parts.frames."end 2.5"]
position = [0.1, 0, 0]
tangent = [1, 0, 0]

[[parts]]
name = "weight"
motion = "free"
mass = "250 g"
center_of_mass = [0, 0, 0.01]
collide = false
shape = { kind = "capsule", diameter = "30 mm", length = "40 mm" }

[[junctions]]
name = "Y1"                                  # where it splits
position = [0.3, 0, 0]
mass = "5 g"
members = [
  { cable = "trunk", at = "end" },           # comes in
  { cable = "left", at = "start", tangent = [1, 1, 0] },
  { cable = "right", from_start = "0 mm", tangent = [1, -1, 0], roll = "10 deg", position = [0, "2 mm", 0] },
]
"""


@pytest.fixture(scope="session")
def full() -> str:
    return FULL


@pytest.fixture(scope="session")
def workshop() -> str:
    return WORKSHOP
