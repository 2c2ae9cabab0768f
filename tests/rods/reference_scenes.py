"""The reference cases as scenes of the public format, and what they are compared with.

The data are copies of published or independently computed solutions: `tests/data/references/README.md`.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.rods.result import CableResult, rotations
from lissom.scene import Scene

Array = NDArray[np.float64]

DATA = Path(__file__).parent.parent / "data" / "references"
GRAVITY = 9.81  # m/s²: the files give weights, the scenes masses
SAMPLES = 33  # every case is tabulated at s/L = 0, 1/32, …, 1
CABLE = "cable"


def load(case: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((DATA / f"{case}.json").read_text(encoding="utf-8"))
    return data


def one_cable(**cable: Any) -> Scene:
    """A scene with nothing but this cable; absent things as None."""
    return Scene.from_dict({"cables": [{"name": CABLE, **{k: v for k, v in cable.items() if v is not None}}]})


def make(case: str, points: int) -> Scene:
    """The scene of a reference case on a grid of so many points."""
    data = load(case)
    parameters, held = data["parameters"], data["boundary_conditions"]
    length = data["L"]
    start, end, twist = supports(case, parameters, held)
    force = parameters.get("tip_force", [0.0, 0.0, 0.0])
    return one_cable(
        length=length,
        points=points,
        stiffness=stiffness(parameters),
        mass_per_length=parameters.get("w", 0.0) / GRAVITY,
        start=start,
        end=end,
        twist=twist,
        rest={"curvature": parameters["rest_strain_u0"]} if "rest_strain_u0" in parameters else None,
        loads=[{"at": 1.0, "force": force}] if any(force) else None,
        initial=loop(length) if case.startswith("ring_") else None,
    )


def stiffness(parameters: dict[str, Any]) -> dict[str, Any]:
    if "B1_weak_about_d1" in parameters:
        bending = [parameters["B1_weak_about_d1"], parameters["B2_strong_about_d2"]]
        return {"bending": bending, "torsion": parameters["C"]}
    if parameters["B"] == 0.0:
        rope = {"bending": 0.0}
        return {**rope, "axial": parameters["EA"]} if "EA" in parameters else rope
    return {"bending": parameters["B"], "torsion": parameters["C"]}


def supports(
    case: str, parameters: dict[str, Any], held: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any] | None, float | None]:
    """Start, end and twist."""
    origin = [0.0, 0.0, 0.0]
    if "phi_deg" in parameters:  # the frame of the far end is said by the twist alone
        start = {"position": held["s0"]["r"], "quaternion": held["s0"]["q_wxyz"]}
        end = {"position": held["sL"]["r"], "tangent": parameters["tangentL"]}
        return start, end, math.radians(parameters["phi_deg"])
    if "end_rotation_R_rad" in parameters:
        start = {"position": origin, "quaternion": [1.0, 0.0, 0.0, 0.0]}
        end = {
            "position": [0.0, 0.0, parameters["L"] - parameters["end_shortening_D"]],
            "tangent": [0.0, 0.0, 1.0],
        }
        return start, end, parameters["end_rotation_R_rad"]
    if "span" in parameters:
        return {"position": origin}, {"position": [parameters["span"], 0.0, parameters["height"]]}, None
    if isinstance(held.get("sL"), dict):
        start = {"position": held["s0"]["r"], "quaternion": unit(held["s0"]["q_wxyz"])}
        return start, {"position": held["sL"]["r"], "quaternion": unit(held["sL"]["q_wxyz"])}, None
    start = {"position": origin, "quaternion": unit(held["q0"])}
    if case == "ring_unloaded_energy":
        return start, dict(start), None
    return start, None, None


def unit(quaternion: list[float]) -> list[float]:
    q = np.array(quaternion)
    return [float(v) for v in q / np.linalg.norm(q)]


def loop(length: float) -> dict[str, Any]:
    """First guess of the rings: one turn below the clamp, starting along +x."""
    angle = np.linspace(0.0, 2.0 * np.pi, 33)
    radius = length / (2.0 * np.pi)
    points = radius * np.stack([np.sin(angle), 0.0 * angle, np.cos(angle) - 1.0], axis=1)
    return {"points": points.tolist()}


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A map of solutions onto equally valid ones: what it does to vectors and to axial vectors (moments)."""

    polar: Array
    axial: Array

    @property
    def is_identity(self) -> bool:
        return bool(np.allclose(self.polar, np.eye(3), atol=1e-12))


IDENTITY = Symmetry(np.eye(3), np.eye(3))


def best_symmetry(data: dict[str, Any], positions: Array) -> Symmetry:
    """The copy of the tabulated solution nearest to these positions (33, 3)."""
    reference = np.array(data["reference"]["positions"])
    found = [IDENTITY]
    symmetries = data["symmetries"]
    if data["id"] == "ring_unloaded_energy":
        symmetries = [*symmetries, "rotation_x"]  # neutral: about the tangent at the clamp
    if "mirror_y" in symmetries:
        found.append(Symmetry(np.diag([1.0, -1.0, 1.0]), np.diag([-1.0, 1.0, -1.0])))
    for name, axis in (("rotation_x", 0), ("rotation_z", 2)):
        if name in symmetries:
            found.append(rotation_about(axis, reference, positions))
    return min(found, key=lambda k: float(np.linalg.norm(positions - reference @ k.polar.T)))


def rotation_about(axis: int, reference: Array, positions: Array) -> Symmetry:
    """The rotation about a world axis that brings the reference nearest to the positions."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    cosine = float(np.sum(reference[:, i] * positions[:, i] + reference[:, j] * positions[:, j]))
    sine = float(np.sum(reference[:, i] * positions[:, j] - reference[:, j] * positions[:, i]))
    size = math.hypot(cosine, sine)
    R = np.eye(3)
    R[i, i] = R[j, j] = cosine / size
    R[j, i] = sine / size
    R[i, j] = -R[j, i]
    return Symmetry(R, R)


@dataclass(frozen=True, slots=True)
class Errors:
    """How far a result is from the tabulated solution, and in what measure."""

    position: float  # largest distance / L
    tangent: float  # largest angle, rad
    frame: float  # largest angle, rad; nan where a symmetric copy was compared or the file has no frames
    force: float  # largest component / largest component of the reactions
    moment: float
    inner_force: float  # along the cable, in the same measure
    inner_moment: float
    energy: float  # largest of the energies' relative errors

    @property
    def reaction(self) -> float:
        return max(self.force, self.moment)


def compare(case: str, result: CableResult) -> Errors:
    data = load(case)
    reference = data["reference"]
    every = (len(result.s) - 1) // (SAMPLES - 1)
    assert (len(result.s) - 1) % (SAMPLES - 1) == 0
    positions = result.positions[::every]
    symmetry = best_symmetry(data, positions)
    position = largest_distance(positions, np.array(reference["positions"]) @ symmetry.polar.T) / data["L"]
    tangent = frame = math.nan
    if "quaternions_wxyz" in reference:
        R = rotations(np.array(reference["quaternions_wxyz"]))
        ours = rotations(result.quaternions[::every])
        tangent = largest_angle(ours[:, :, 2], R[:, :, 2] @ symmetry.polar.T)
        if symmetry.is_identity:
            frame = 2.0 * largest_distance(ours.reshape(-1, 9), R.reshape(-1, 9)) / math.sqrt(8.0)
    force, inner_force = wrench_errors(
        result, reference.get("internal_force_n"), symmetry.polar, force_scale(data), every, "force"
    )
    moment, inner_moment = wrench_errors(
        result,
        reference.get("internal_moment_m"),
        symmetry.axial,
        force_scale(data) * data["L"],
        every,
        "moment",
    )
    return Errors(position, tangent, frame, force, moment, inner_force, inner_moment, energy_error(data, result))


def force_scale(data: dict[str, Any]) -> float:
    """Where there is no force or moment to speak of, errors are relative to B/L² and B/L."""
    parameters = data["parameters"]
    return float(parameters.get("B", parameters.get("B1_weak_about_d1"))) / float(data["L"]) ** 2


def wrench_errors(
    result: CableResult, table: list[list[float]] | None, turn: Array, least: float, every: int, what: str
) -> tuple[float, float]:
    """(of the reactions, along the cable), relative to the largest component of the reactions."""
    if table is None:
        return math.nan, math.nan
    expected = np.array(table) @ turn.T
    inner = result.force if what == "force" else result.moment
    reactions = {name: getattr(wrench, what) for name, wrench in result.reactions.items()}
    applied = {"start": -expected[0], "end": expected[-1]}
    scale = max(float(np.abs(applied[name]).max()) for name in reactions)
    if scale < 1e-6 * least:
        scale = least if least > 0.0 else float(np.abs(expected).max())
    reaction = max(float(np.abs(reactions[name] - applied[name]).max()) for name in reactions) / scale
    return reaction, float(np.abs(inner[::every] - expected).max()) / scale


# Parts of the energy below this share of the largest part are compared with the largest part.
SMALL_SHARE = 1e-5


def energy_error(data: dict[str, Any], result: CableResult) -> float:
    scalars = data["reference"]["scalars"]
    names = {
        "energy_bending": "bending",
        "energy_twist": "torsion",
        "energy_gravity": "gravity",
        "energy_total": "total",
        "energy_total_elastic_plus_gravity": "own",
        "energy_total_with_load": "total",
    }
    parts = dict(result.energy)
    parts["own"] = parts["total"] - parts["loads"]
    known = {ours: scalars[theirs]["value"] for theirs, ours in names.items() if theirs in scalars}
    if "energy_elastic" in scalars:  # the unloaded helix: none at all
        scale = data["parameters"]["B"] / data["L"]
        return float(abs(parts["total"] - scalars["energy_elastic"]["value"]) / scale)
    if not known:
        return math.nan
    largest = max(abs(value) for value in known.values())
    errors = [
        abs(parts[name] - value) / (abs(value) if abs(value) > SMALL_SHARE * largest else largest)
        for name, value in known.items()
    ]
    return float(max(errors))


def largest_distance(a: Array, b: Array) -> float:
    return float(np.linalg.norm(a - b, axis=1).max())


def largest_angle(a: Array, b: Array) -> float:
    """Between unit vectors, by the chord: exact for small angles."""
    return 2.0 * math.asin(min(1.0, 0.5 * largest_distance(a, b)))
