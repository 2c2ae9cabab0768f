"""A solved scene as one document for programs: what `lissom solve --json` prints.

All numbers are SI. JSON has no word for nan and infinity: both become null (the bend radius of a straight
cable, the Frenet torsion where there is no normal, the stress of a measured stiffness).
"""

import dataclasses
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lissom import __version__
from lissom.analysis.along import Along
from lissom.analysis.checks import Check, check_cable
from lissom.analysis.contacts import other_at
from lissom.analysis.stress import at_points, bending_stress
from lissom.reports import Report, SolveError
from lissom.rods.describing import Contact
from lissom.rods.judge.certificate import Certificate
from lissom.rods.outcome import RodReport
from lissom.rods.result import CableResult
from lissom.rods.surroundings import Clearance
from lissom.scene import Scene
from lissom.scene.placing import Poses
from lissom.scene.pose import Pose
from lissom.simulation import Simulation


@dataclass(frozen=True, slots=True)
class Findings:
    """All that is known about a scene after a solve: what tables, documents and plots are made from."""

    scene: Scene
    report: Report
    cables: dict[str, CableResult | None]  # None: no equilibrium was found
    checks: tuple[Check, ...]
    contacts: tuple[Contact, ...] = ()
    clearances: tuple[Clearance, ...] = ()
    notes: tuple[str, ...] = ()  # what had to be said about meshes and overlaps
    poses: Poses = field(default_factory=dict)  # where the parts stand

    @property
    def failed_checks(self) -> tuple[Check, ...]:
        """Those that were made and did not pass."""
        return tuple(check for check in self.checks if check.ok is False)


def findings(simulation: Simulation, report: Report, scene: Scene | None = None) -> Findings:
    """Gathers the read-outs of a solved simulation; its `scene`, as it is now, where that is not given."""
    scene = simulation.scene if scene is None else scene
    results: dict[str, CableResult | None] = {}
    for name in simulation.cables:
        try:
            last = simulation.cable(name)
        except SolveError:
            results[name] = None
        else:
            results[name] = last if last.valid else None
    contacts = simulation.contacts
    known = all(result is not None for result in results.values())
    clearances = simulation.clearances if known else ()
    clear = zero_where_touching(clearances, contacts)
    checks: list[Check] = []
    for name, result in results.items():
        checks += check_cable(scene, name, result, [k for k in clear if k.cable == name] if known else None)
    notes, poses = list(simulation.notes), {part.name: simulation.pose(part.name) for part in scene.parts}
    return Findings(scene, report, results, tuple(checks), contacts, clearances, tuple(notes), poses)


def zero_where_touching(clearances: Iterable[Clearance], contacts: Iterable[Contact]) -> list[Clearance]:
    """Where a cable touches a part, its points may lie in it by as much as they differ from the smooth cable through
    them: the contact was solved, so that is no overlap.
    """
    touching = {(k.cable, k.part) for k in contacts if k.other_place is None}
    return [
        dataclasses.replace(k, distance=max(k.distance, 0.0)) if (k.cable, k.part) in touching else k
        for k in clearances
    ]


def document(found: Findings) -> dict[str, Any]:
    """The findings as plain lists, numbers and texts; every number is finite or None."""
    report = found.report
    whole = {
        "lissom": __version__,
        "title": found.scene.title,
        "status": report.status,
        "reason": report.reason,
        "seconds": report.seconds,
        "iterations": report.iterations,
        "cables": {
            name: cable_entry(found.scene, name, report.cables[name], result) for name, result in found.cables.items()
        },
        "parts": {name: pose_entry(pose) for name, pose in found.poses.items()},
        "contacts": [contact_entry(found.scene, contact) for contact in found.contacts],
        "clearances": [clearance_entry(found.scene, clearance) for clearance in found.clearances],
        "checks": [dataclasses.asdict(check) for check in found.checks],
        "notes": found.notes,
    }
    clean: dict[str, Any] = plain(whole)
    return clean


def cable_entry(scene: Scene, name: str, report: RodReport, result: CableResult | None) -> dict[str, Any]:
    """One cable: shape, forces and read-outs (null where there is no equilibrium), then the certificate."""
    shape = dict.fromkeys(SHAPE_KEYS) if result is None else shape_entry(Along(scene, result))
    return {
        **shape,
        "length": scene.cable(name).length,
        "error": None if result is None else result.error,
        "certificate": None if report.certificate is None else certificate_entry(report.certificate),
        "residual": report.residual,
        "length_error": report.length_error,
        "penetration": report.penetration,
        "stable": report.stable,
        "status": report.status,
        "reason": report.reason,
        "shortfall": report.shortfall,
        "iterations": report.iterations,
        "seconds": report.seconds,
        "element": report.element,
        "model": scene.cable(name).model,
        "level": report.level or None,
        "change": report.change if report.level else None,
        "methods": report.methods,
        "unstable_directions": report.index,
        "neutral_directions": report.neutral,
        "other_equilibria": [{"energy": other.energy} for other in report.others],
        "warnings": report.warnings if result is None else result.warnings,
    }


def certificate_entry(found: Certificate) -> dict[str, Any]:
    """Every condition that the judge asked for, and the largest value over bound."""
    conditions = [
        {"name": k.name, "value": k.value, "bound": k.bound, "unit": k.unit, "at": k.at, "where": k.where or None}
        for k in found.conditions
    ]
    return {"worst": found.worst, "seconds": found.seconds, "conditions": conditions}


def pose_entry(pose: Pose) -> dict[str, Any]:
    """Where a part is in the world."""
    return {"position": pose[0], "quaternion": pose[1]}


def contact_entry(scene: Scene, contact: Contact) -> dict[str, Any]:
    """One contact; between two cables it is told once, and the force acts the other way on the other one.

    Where a free part touches a part there is no cable, and no place along one; the force is the one on the free part.
    """
    lies = contact.body is None
    return {
        "cable": contact.cable if lies else None,
        "at": contact.at if lies else None,
        "place": contact.place if lies else None,
        "body": contact.body,
        "part": contact.part,
        "other_at": other_at(scene, contact),
        "point": contact.point,
        "normal": contact.normal,
        "force": contact.force,
        "pressure": contact.pressure,
    }


def clearance_entry(scene: Scene, clearance: Clearance) -> dict[str, Any]:
    """How near a cable comes to a part, and where."""
    return {
        "cable": clearance.cable,
        "part": clearance.part,
        "distance": clearance.distance,
        "at": clearance.place / scene.cable(clearance.cable).length,
        "point": clearance.point,
    }


SHAPE_KEYS = (
    *("s", "positions", "quaternions", "force", "moment", "force_before", "moment_before"),
    *("curvature", "curvature_components", "torsion", "bend_radius", "frenet_torsion", "material_angle"),
    *("tension", "bending_stress", "min_bend_radius", "min_bend_radius_at", "total_torsion", "turns"),
    *("stretched_length", "reactions", "places", "energy"),
)
"""What is only known of an equilibrium."""


def shape_entry(along: Along) -> dict[str, Any]:
    """Everything under SHAPE_KEYS, in that order."""
    result = along.result
    return {
        "s": result.s,
        "positions": result.positions,
        "quaternions": result.quaternions,
        "force": result.force,
        "moment": result.moment,
        "force_before": result.force_before,
        "moment_before": result.moment_before,
        "curvature": result.curvature,
        "curvature_components": result.strains[:, :2],
        "torsion": result.torsion,
        "bend_radius": result.bend_radius,
        "frenet_torsion": result.frenet_torsion,
        "material_angle": result.material_angle,
        "tension": result.tension,
        "bending_stress": at_points(bending_stress(along)),
        "min_bend_radius": result.min_bend_radius,
        "min_bend_radius_at": result.min_bend_radius_at,
        "total_torsion": result.total_torsion,
        "turns": result.turns,
        "stretched_length": result.stretched_length,
        "reactions": {
            name: {"force": wrench.force, "moment": wrench.moment} for name, wrench in result.reactions.items()
        },
        "places": result.places,
        "energy": result.energy,
    }


def plain(value: Any) -> Any:
    """Lists, dicts, numbers and texts only; what is not finite becomes None."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            return plain(value.tolist())
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def json_text(found: Findings) -> str:
    """The document as JSON, one line per field of a cable."""
    return pretty(document(found)) + "\n"


def pretty(value: Any, depth: int = 3, indent: str = "") -> str:
    """JSON with a line per entry down to some depth, and arrays on one line each. ASCII only, never nan."""
    if isinstance(value, dict) and value and depth > 0:
        inner = indent + "  "
        items = [f"{inner}{json.dumps(key)}: {pretty(item, depth - 1, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict) and depth > 0:
        inner = indent + "  "
        return "[\n" + ",\n".join(inner + pretty(item, 0) for item in value) + f"\n{indent}]"
    return json.dumps(value, allow_nan=False)
