"""What the page is told of sweeps, and the commands for them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.checks import Check
from lissom.analysis.sweepreport import write_swept
from lissom.analysis.sweeps import Reading
from lissom.scene import Scene
from lissom.scene.files import make_folder
from lissom.session.background import Envelope, MotionSwept
from lissom.session.messages.motion import (
    Band,
    EnvelopeInfo,
    ExportSweep,
    ShowEnvelope,
    SnapMark,
    StopSweep,
    Sweep,
    SweepInfo,
    Sweeps,
)
from lissom.session.messages.values import Json
from lissom.session.session import Act, Session

DIGITS: Final = 6
"""Significant ones of the values that the page draws."""


# ---- for the page ----------------------------------------------------------------------------------------------------


def told(session: Session) -> Sweeps:
    """All sweeps of motions that are still there."""
    held = session.grabbed
    scene = session.simulation.scene if held is None else held.before.state.scene
    names = {k.name for k in scene.motions}
    found = session.background.found
    return Sweeps([info(k, key_of(k.scene, name) != key_of(scene, name)) for name, k in found.items() if name in names])


def info(found: MotionSwept, stale: bool) -> SweepInfo:
    readings = found.swept.readings
    return SweepInfo(
        found.motion,
        found.progress,
        stale,
        found.total,
        [0.0 if k.time is None else k.time for k in readings],
        ["" if k.status == "converged" else k.reason or k.status for k in readings],
        bands(readings),
        [SnapMark(s.cable, i, s.distance) for i, k in enumerate(readings) for s in k.snaps],
        [envelope_info(name, k) for name, k in found.envelopes.items()],
        found.error,
    )


def bands(readings: Sequence[Reading]) -> list[Band]:
    groups: dict[tuple[str, str, float, str], list[Check | None]] = {}
    for i, reading in enumerate(readings):
        for check in reading.checks:
            key = (check.cable, check.rule, check.limit, check.stretch)
            groups.setdefault(key, [None] * len(readings))[i] = check
    return [band(checks) for checks in groups.values()]


def band(checks: Sequence[Check | None]) -> Band:
    first = next(k for k in checks if k is not None)
    margins = [None if k is None or k.margin is None else k.margin for k in checks]
    known = [i for i, margin in enumerate(margins) if margin is not None]
    worst = min(known, key=lambda i: margins[i] or 0.0, default=None)
    at = first if worst is None else checks[worst]
    part = "" if at is None else at.part
    return Band(
        first.cable,
        first.rule,
        first.rule.replace("_", " ") + (f" to {part}" if part else ""),
        first.limit,
        first.unit,
        [None if k is None else rounded(k.value) for k in checks],
        [rounded(k) for k in margins],
        worst,
        sum(k is not None and k.ok is False for k in checks),
    )


def rounded(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(f"{value:.{DIGITS}g}")


def envelope_info(name: str, envelope: Envelope) -> EnvelopeInfo:
    return EnvelopeInfo(
        name,
        envelope.shown,
        round(envelope.done, 2),
        envelope.key,
        None if envelope.mesh is None else float(f"{volume(*envelope.mesh):.4g}"),
        envelope.error,
    )


def volume(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> float:
    """m³ inside a closed mesh."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


# ---- whether the scene is still the one that was swept --------------------------------------------------------------


def key_of(scene: Scene, motion: str) -> str:
    """What the sweep of a motion depends on: not where joints and what is led or free stand, nor other motions."""
    data: dict[str, Any] = {key: value for key, value in scene.to_dict().items() if key not in ("title", "positions")}
    data["motions"] = [k for k in data.get("motions", []) if k["name"] == motion]
    data["joints"] = [{key: v for key, v in k.items() if key != "value"} for k in data.get("joints", [])]
    led = {track["part"] for k in data["motions"] for track in k.get("tracks", [])}
    data["parts"] = [without_pose(k) if k["name"] in led or is_free(k) else k for k in data.get("parts", [])]
    data["junctions"] = [without_pose(k) if k.get("motion", "free") == "free" else k for k in data.get("junctions", [])]
    files = [scene.folder / track["file"] for k in data["motions"] for track in k.get("tracks", [])]
    data["files"] = [file.stat().st_mtime_ns if file.is_file() else 0 for file in files]
    return json.dumps(data, sort_keys=True)


def is_free(part: dict[str, Any]) -> bool:
    return bool(part.get("motion") == "free")


def without_pose(thing: dict[str, Any]) -> dict[str, Any]:
    return {key: v for key, v in thing.items() if key not in ("position", "quaternion", "tangent", "roll")}


# ---- commands --------------------------------------------------------------------------------------------------------


def sweep(session: Session, command: Sweep) -> Json:
    held = session.grabbed  # what is in a hand is not swept
    session.background.sweep(session.simulation.state() if held is None else held.before.state, command.motion)
    return None


def stop_sweep(session: Session, command: StopSweep) -> Json:
    session.background.stop()
    return None


def show_envelope(session: Session, command: ShowEnvelope) -> Json:
    session.background.envelope(command.motion, command.cable, command.shown)
    return None


def export_sweep(session: Session, command: ExportSweep) -> Json:
    """Tables, plots, JSON; and the envelopes that were found."""
    found = session.background.of(command.motion)
    stem = "untitled" if session.file is None else session.file.stem
    name = "".join(c if c.isalnum() or c in " -_" else "-" for c in f"{stem} {command.motion} sweep")
    folder = session.workspace.file(name)
    make_folder(folder)
    for there in folder.iterdir():
        session.workspace.inside(there)
    envelopes = {cable: k.mesh for cable, k in found.envelopes.items() if k.mesh is not None}
    files = list(write_swept(found.scene, found.swept, folder, envelopes=envelopes))
    return {"folder": session.workspace.said(folder), "files": [file.name for file in files]}


ACTS = {
    Sweep: Act(sweep),
    StopSweep: Act(stop_sweep),
    ShowEnvelope: Act(show_envelope),
    ExportSweep: Act(export_sweep),
}
