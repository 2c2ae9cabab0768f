"""Supports hold what the scene asks, and give only what their kind gives; forces jump only where something acts."""

import numpy as np

from tests.truth.answer import Answer, Verdict
from tests.truth.asked import DIRECTED, SLIDES, Held, Pose
from tests.truth.turning import Array

POSITION = 1e-5  # of the length
DIRECTION = 2e-4  # rad
FORCE = 2e-5  # of the force scale
MOMENT = 5e-5  # of the moment scale
SLIDE = 2e-4  # of the force scale
SLIDE_SECOND = 2e-2  # likewise, where moments are of second order
SLIDE_MOULDED = 2e-3  # of the largest moment times the rest curvature of a moulded shape: ways to interpolate differ
SLIDE_TAUT = 3e-7  # of the length: what a place may be off; the pull of a taut span goes with a power of 1/slack
# A second-order element hands out moments that jump a little at loads and beside supports.
SECOND = 0.5


def check_supports(a: Answer, poses: dict[str, Pose], verdict: Verdict) -> None:
    for held in a.cable.supports:
        if held.name not in a.places or held.name not in a.reactions:
            verdict.require(f"support {held.name} is missing", 1.0, 0.5, a.cable.name)
            continue
        check_place(a, held, verdict)
        check_pose(a, held, poses, verdict)
        check_reaction(a, held, verdict)
        if held.kind in SLIDES:
            check_slide(a, held, verdict)


def check_place(a: Answer, held: Held, verdict: Verdict) -> None:
    """It sits at a point, and at the place asked for unless it slides."""
    place = a.places[held.name]
    off = float(np.min(np.abs(a.s - place)))
    verdict.require("support off the points (m)", off, 1e-6 * a.cable.length, f"{a.cable.name}/{held.name}")
    if held.kind not in SLIDES and held.place is not None:
        off = abs(place - held.place)
        verdict.require("support elsewhere on the cable (m)", off, 1e-6 * a.cable.length, f"{a.cable.name}/{held.name}")


def check_pose(a: Answer, held: Held, poses: dict[str, Pose], verdict: Verdict) -> None:
    """Position but for free axes, tangent, and the turn about it modulo 2π."""
    x, R = a.pose_at(held)
    where = f"{a.cable.name}/{held.name}"
    origin, axes = poses[held.on] if held.on else (np.zeros(3), np.eye(3))
    gap = x - (origin + axes @ held.position)
    gap[held.free] = 0.0
    verdict.require("support not held (m)", float(np.linalg.norm(gap)), POSITION * a.cable.length, where)
    if held.frame is None or a.cable.is_rope:
        return
    goal = axes @ held.frame
    tilt = float(np.linalg.norm(np.cross(R[:, 2], goal[:, 2])) if R[:, 2] @ goal[:, 2] > 0.0 else np.pi)
    verdict.require("tangent not held (rad)", tilt, DIRECTION, where)
    if held.rolls:
        turn = abs(float(np.arctan2(R[:, 0] @ goal[:, 1], R[:, 0] @ goal[:, 0])))
        verdict.require("turn about the tangent not held (rad)", turn, DIRECTION, where)


def check_reaction(a: Answer, held: Held, verdict: Verdict) -> None:
    """No force along free axes; no moment from a ball or ring, none about the tangent from a swivel or sleeve."""
    force, moment = a.reactions[held.name]
    i = a.point_of(a.places[held.name])
    where = f"{a.cable.name}/{held.name}"
    for axis in held.free:
        verdict.require("force along a free axis (N)", abs(float(force[axis])), FORCE * a.force_scale, where)
    bound = MOMENT * a.moment_scale + rough(a, i)
    if held.kind not in DIRECTED:
        verdict.require("moment from a joint (N m)", float(np.linalg.norm(moment)), bound, where)
    elif held.kind != "clamp":
        verdict.require("torsion from a swivel (N m)", abs(float(moment @ a.R[i, :, 2])), bound, where)


def rough(a: Answer, i: int) -> float:
    """What second-order moments may jump by without a cause at the point i, N m."""
    if a.order == 4:
        return 0.0
    turns = np.linalg.norm(a.turns_of_segments(), axis=1)
    near = slice(max(i - 2, 0), i + 2)
    D = float(np.max(a.cable.make.stiffness))
    push = float(np.max(np.linalg.norm(a.n_after[near], axis=1))) * float(np.max(a.h[near]))
    return SECOND * (D / float(np.min(a.h[near])) * float(np.max(turns[near])) ** 3 + push * float(np.max(turns[near])))


def check_jumps(a: Answer, pushed: Array, verdict: Verdict) -> None:
    """Inner forces and moments jump by loads and reactions only, and by what contacts push with (points, 3)."""
    force, moment = a.n_before - a.n_after, a.m_before - a.m_after
    slack = 1e-6 * a.cable.length
    for load in a.cable.loads:
        i = a.point_of(load.place)
        if abs(a.s[i] - load.place) <= slack:
            force[i] -= load.force
            moment[i] -= a.R[i] @ load.moment if load.in_body else load.moment
    for name, (push, turn) in a.reactions.items():
        i = a.point_of(a.places[name])
        force[i] -= push
        moment[i] -= turn
    if a.order == 4:
        force -= pushed
        pushed = np.zeros_like(pushed)
    loose = np.where(np.any(pushed != 0.0, axis=1), np.inf, 1.0)
    for i in range(len(a.s)):
        if np.isfinite(loose[i]):
            size = float(np.linalg.norm(force[i]))
            verdict.require("force jumps without a cause (N)", size, FORCE * a.force_scale, a.at(i))
        size = float(np.linalg.norm(moment[i])) * (not a.cable.is_rope)
        bound = MOMENT * a.moment_scale + rough(a, i)
        if np.isinf(loose[i]):
            bound += float(np.linalg.norm(pushed[i])) * float(np.max(a.h))
        verdict.require("moment jumps without a cause (N m)", size, bound, a.at(i))
    total = np.linalg.norm(np.sum(force, axis=0) - np.sum(pushed, axis=0))
    verdict.require("contacts do not add up (N)", float(total), 1e-4 * a.force_scale, a.cable.name)


def check_slide(a: Answer, held: Held, verdict: Verdict) -> None:
    """The material force does not jump where the cable may slide, unless something stops it there."""
    place = a.places[held.name]
    i = a.point_of(place)
    others = [a.places[k.name] for k in a.cable.supports if k.name != held.name and k.name in a.places]
    stops = [0.0, a.cable.length, *others, *a.cable.borders, *(k.place for k in a.cable.loads)]
    near = float(np.min(np.abs(np.array(stops) - place)))
    if near < 1e-3 * a.cable.length:
        verdict.unchecked.append(f"slide {held.name} rests at something")
        return
    # what jumps there besides is a contact nearby: its force is shared among the points around it
    before, after = (
        material_force(a, i, -1, a.n_before[i]),
        material_force(a, i, 1, a.n_before[i] - a.reactions[held.name][0]),
    )
    bound = SLIDE * a.force_scale
    if a.order == 2:
        bound += SLIDE_SECOND * a.force_scale
    if a.cable.rest.moulded:
        rest = float(np.max(np.linalg.norm(a.cable.rest.at(a.s), axis=1)))
        bound += SLIDE_MOULDED * float(np.linalg.norm(a.m_after[i])) * rest
    for other in others:
        slack = abs(place - other) - float(np.linalg.norm(a.x[i] - a.x[a.point_of(other)]))
        bound += SLIDE_TAUT * a.cable.length * float(np.linalg.norm(a.n_after[i])) / max(slack, 1e-9 * a.cable.length)
    verdict.require("slide is driven (N)", abs(after - before), bound, f"{a.cable.name}/{held.name}")


def material_force(a: Answer, i: int, side: int, n: Array) -> float:
    """H = T + T²/2EA + ½ M·D⁻¹M + M·ω0 just before (−1) or after (1) the point i."""
    make = a.cable.makes(np.array([a.s[i] + side * 1e-6 * a.cable.length]))[0]
    m = a.m_before[i] if side < 0 else a.m_after[i]
    M = a.R[i].T @ m
    if a.cable.is_rope:
        T = float(np.linalg.norm(n))
        return T + 0.5 * make.compliance * T * T
    T = float(n @ a.R[i, :, 2])
    rest = a.cable.rest.at(np.array([a.s[i]]))[0]
    return float(T + 0.5 * make.compliance * T * T + 0.5 * M @ (M / make.stiffness) + M @ rest)
