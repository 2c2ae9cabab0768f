"""What a person describes: validated, immutable; files in and out."""

from lissom.scene.cable import Cable, Clip, End, Initial, Load, Rest, Stretch
from lissom.scene.cabletype import (
    CableType,
    Layer,
    LayeredSection,
    Limits,
    Material,
    RectangleSection,
    RoundSection,
    Stiffness,
)
from lissom.scene.errors import Problem, SceneError
from lissom.scene.haptic import Haptic, Waypoint
from lissom.scene.joint import Joint, Keyframe, Motion, Motor, Spring, Track
from lissom.scene.junction import Junction, Member
from lissom.scene.library import library
from lissom.scene.part import Frame, Part
from lissom.scene.paths import parse_assignment
from lissom.scene.rope import Link, Rope, RopeLimits, RopeStiffness
from lissom.scene.scene import Scene
from lissom.scene.schema import json_schema
from lissom.scene.sections import SectionProperties
from lissom.scene.shape import BoxShape, CapsuleShape, CylinderShape, PlaneShape, ProfileShape, SphereShape
from lissom.scene.state import load_state, packed_state, save_state, state_path, unpacked_state
from lissom.scene.templates import new_scene

__all__ = [
    "BoxShape",
    "Cable",
    "CableType",
    "CapsuleShape",
    "Clip",
    "CylinderShape",
    "End",
    "Frame",
    "Haptic",
    "Initial",
    "Joint",
    "Junction",
    "Keyframe",
    "Layer",
    "LayeredSection",
    "Limits",
    "Link",
    "Load",
    "Material",
    "Member",
    "Motion",
    "Motor",
    "Part",
    "PlaneShape",
    "Problem",
    "ProfileShape",
    "RectangleSection",
    "Rest",
    "Rope",
    "RopeLimits",
    "RopeStiffness",
    "RoundSection",
    "Scene",
    "SceneError",
    "SectionProperties",
    "SphereShape",
    "Spring",
    "Stiffness",
    "Stretch",
    "Track",
    "Waypoint",
    "json_schema",
    "library",
    "load_state",
    "new_scene",
    "packed_state",
    "parse_assignment",
    "save_state",
    "state_path",
    "unpacked_state",
]
