"""Everything is in balance as a whole: cables, junctions and free parts."""

from typing import Any

import numpy as np

from tests.truth.answer import Answer, Verdict
from tests.truth.asked import Data, Pose
from tests.truth.turning import Array

FORCE = 1e-4  # of the largest force that takes part
MOMENT = 1e-3  # of the largest force times the size of what it acts on
SEGMENTS = 1.0  # contacts are spread over neighbouring points


def check_cable(a: Answer, contacts: list[tuple[float, Array]], verdict: Verdict) -> None:
    """Weight, loads, reactions and contacts (place, force) of a cable."""
    c = a.cable
    origin = a.x[0]
    middle = 0.5 * (a.s[:-1] + a.s[1:])
    weight = (a.h * np.array([k.mass for k in c.makes(middle)]))[:, None] * c.gravity
    centres = 0.5 * (a.x[:-1] + a.x[1:])
    forces = [weight.sum(axis=0)]
    moments = [np.cross(centres - origin, weight).sum(axis=0)]
    for load in c.loads:
        i = a.point_of(load.place)
        forces.append(load.force)
        turn = a.R[i] @ load.moment if load.in_body else load.moment
        moments.append(np.cross(a.position(load.place) - origin, load.force) + turn)
    for name, (force, moment) in a.reactions.items():
        i = a.point_of(a.places[name])
        forces.append(force)
        moments.append(np.cross(a.x[i] - origin, force) + moment)
    for place, force in contacts:
        forces.append(force)
        moments.append(np.cross(a.position(place) - origin, force))
    size = max(float(np.max(np.linalg.norm(forces, axis=1))), 1e-6 * a.force_scale)
    arm = float(np.max(np.linalg.norm(a.x - origin, axis=1)))
    most = float(np.max(np.linalg.norm(moments, axis=1)))
    verdict.require("forces on a cable (N)", float(np.linalg.norm(np.sum(forces, axis=0))), FORCE * size, c.name)
    spread = SEGMENTS * float(np.max(a.h)) * sum(float(np.linalg.norm(k)) for _, k in contacts)
    pull = float(np.max(np.linalg.norm(weight.sum(axis=0)))) * float(np.max(a.h))
    bound = MOMENT * max(most, size * arm) + spread + pull
    verdict.require("moments on a cable (N m)", float(np.linalg.norm(np.sum(moments, axis=0))), bound, c.name)


def check_bodies(
    answers: dict[str, Answer], scene: Data, poses: dict[str, Pose], contacts: list[Any], verdict: Verdict
) -> None:
    """Free junctions and free parts: what their cables and contacts push with carries their weight."""
    gravity = np.array(scene.get("gravity", [0.0, 0.0, -9.81]), dtype=float)
    for body in [*(scene.get("junctions") or []), *(scene.get("parts") or [])]:
        if body.get("motion", "free" if "members" in body else "fixed") != "free":
            continue
        name = body["name"]
        position, axes = poses[name]
        centre = position + axes @ np.array(body.get("center_of_mass") or [0.0, 0.0, 0.0], dtype=float)
        pushes = [(centre, (body.get("mass") or 0.0) * gravity, np.zeros(3))]
        for a in answers.values():
            for held in a.cable.supports:
                if held.on == name and held.name in a.reactions:
                    force, moment = a.reactions[held.name]
                    pushes.append((a.x[a.point_of(a.places[held.name])], -force, -moment))
        for contact in contacts:
            if contact.body == name:
                pushes.append((contact.point, contact.force, np.zeros(3)))
            elif contact.part == name:
                pushes.append((contact.point, -contact.force, np.zeros(3)))
        check_body(name, centre, pushes, answers, verdict)


def check_body(
    name: str, centre: Array, pushes: list[tuple[Array, Array, Array]], answers: dict[str, Answer], verdict: Verdict
) -> None:
    forces = np.array([force for _, force, _ in pushes])
    turns = np.array([moment + np.cross(place - centre, force) for place, force, moment in pushes])
    size = max(float(np.max(np.linalg.norm(forces, axis=1))), 1e-4 * min(a.force_scale for a in answers.values()))
    arm = max(float(np.max(np.linalg.norm(turns, axis=1))), 1e-4 * min(a.moment_scale for a in answers.values()))
    verdict.require("forces on a body (N)", float(np.linalg.norm(forces.sum(axis=0))), FORCE * size, name)
    verdict.require("moments on a body (N m)", float(np.linalg.norm(turns.sum(axis=0))), MOMENT * arm, name)
