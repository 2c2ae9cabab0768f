"""Whether an answer is right: everything at once, from what the simulation hands out and what the scene asked for."""

import copy
import itertools
from typing import Any

import numpy as np

import lissom
from tests.truth.answer import Answer, Verdict, taken
from tests.truth.asked import Cable, Data, Pose, mount, poses_of
from tests.truth.balance import check_bodies, check_cable
from tests.truth.integrating import check_equations
from tests.truth.linking import link, own_link
from tests.truth.supports import check_jumps, check_supports
from tests.truth.touching import check_touching, pushed
from tests.truth.turning import matrix, turn_between

LENGTH = 1e-3  # of the length: chords against arc
PLAIN = 0.25  # of a turn: beyond, end poses leave open which link is the least
TURNS = 0.12  # of a turn: links are counted from a grid
# Turns may be lost two by two where the report says so.
NAMED = ("slipped over an end", "passed through itself")


def check(scene: Data, sim: lissom.Simulation, *, soft: tuple[Data, float] | None = None) -> Verdict:
    """All violations of one solved simulation. `scene` is what was asked, with lengths as they were found.

    `soft`: the scene before c0 found its own length, and how bent it is to be.
    """
    verdict = Verdict()
    answers = answers_of(scene, sim)
    poses = standing(scene, sim)
    contacts: list[Any] = list(sim.contacts)
    for a in answers.values():
        if not all(np.all(np.isfinite(k)) for k in (a.x, a.R, a.n_after, a.m_after)):
            verdict.require("not a number", 1.0, 0.0, a.cable.name)
            return verdict
        shares, acting = pushed(a, contacts)
        told = any("not resolved" in text for text in sim.cable(a.cable.name).report.warnings)
        check_equations(a, acting, verdict, told)
        check_supports(a, poses, verdict)
        check_jumps(a, shares, verdict)
        check_cable(a, acting, verdict)
        check_length(a, verdict)
    check_bodies(answers, scene, poses, contacts, verdict)
    check_touching(answers, scene, poses, contacts, verdict)
    check_turns(scene, sim, answers, verdict, soft)
    return verdict


def answers_of(scene: Data, sim: lissom.Simulation) -> dict[str, Answer]:
    found = {}
    for data in scene["cables"]:
        cable = Cable(data, scene)
        mount(cable, scene)
        found[cable.name] = taken(cable, sim.cable(cable.name))
    return found


def standing(scene: Data, sim: lissom.Simulation) -> dict[str, Pose]:
    """Parts as the scene has them; what is free where it came to rest."""
    poses = poses_of(scene)
    for body in [*(scene.get("junctions") or []), *(scene.get("parts") or [])]:
        if body.get("motion", "free" if "members" in body else "fixed") == "free":
            position, q = sim.pose(body["name"])
            poses[body["name"]] = np.array(position), matrix(q)
    return poses


def check_length(a: Answer, verdict: Verdict) -> None:
    """The grid is as long as asked, in order, and the curve as long as the grid and its stretch."""
    where = a.cable.name
    verdict.require("length of the grid (m)", abs(a.s[-1] - a.cable.length), 1e-9 * a.cable.length, where)
    verdict.require("points out of order (m)", -float(np.min(a.h)), 0.0, where)
    middle = 0.5 * (a.s[:-1] + a.s[1:])
    compliance = np.array([k.compliance for k in a.cable.makes(middle)])
    pull = 0.5 * (a.n_after[:-1] + a.n_before[1:])
    chord = np.diff(a.x, axis=0)
    size = np.linalg.norm(chord, axis=1)
    tension = np.sum(pull * chord, axis=1) / np.maximum(size, 1e-300)
    turn = np.linalg.norm(a.turns_of_segments()[:, :2], axis=1)
    curve = size * (1.0 + turn**2 / 24.0) if not a.cable.is_rope else size
    gap = abs(float(np.sum(curve - a.h * (1.0 + compliance * tension))))
    bound = LENGTH * a.cable.length + (0.02 * a.cable.length if a.cable.is_rope else 0.0)
    bound += float(np.sum(a.h * turn**a.order)) / 16.0
    verdict.require("length of the curve (m)", gap, bound, where)
    ends = np.sum(a.n_after[:-1] * a.R[:-1, :, 2], axis=1), np.sum(a.n_before[1:] * a.R[1:, :, 2], axis=1)
    squeezed = float(np.max(-compliance * np.minimum(*ends), initial=0.0))
    verdict.require("squeezed to nothing (of a segment)", squeezed, 1.0, where)


# ---- turns ---------------------------------------------------------------------------------------------------------


def check_turns(
    scene: Data,
    sim: lissom.Simulation,
    answers: dict[str, Answer],
    verdict: Verdict,
    soft: tuple[Data, float] | None,
) -> None:
    """Links against those of the same scene without twist, for cables held by fixed clamps at both ends."""
    for a in answers.values():
        check_mounting(a, verdict)
    asked = {name: k for name, a in answers.items() if (k := turns_asked(a)) is not None}
    if not asked:
        return
    still = untwisted(scene if soft is None else soft[0])
    other = lissom.Simulation(lissom.Scene.from_dict(copy.deepcopy(still)))
    if soft is not None:
        other.soften("c0", bent=soft[1])
    if not other.solve().ok:
        verdict.unchecked.append("turns: not solved without twist")
        return
    if soft is not None:
        still = other.scene.to_dict()
    for name, turns in asked.items():
        reference = answers_of(still, other)[name]
        if coarse(answers[name], reference) > TURNS:
            verdict.unchecked.append(f"turns of {name}: too coarse to count")
            continue
        off = link(answers[name]) - link(reference) - turns
        whole = round(off)
        verdict.require("turns are not whole", abs(off - whole), TURNS + coarse(answers[name], reference), name)
        report = sim.cable(name).report
        said = any(text in str((report.reason, report.methods, report.warnings)) for text in NAMED)
        if whole % 2:
            verdict.require("turns lost, an odd number", abs(whole), 0.5, name)
        elif not said:
            verdict.require("turns lost without a word", abs(whole), 0.5, name)


def check_mounting(a: Answer, verdict: Verdict) -> None:
    """The link is the turns asked for, or an even number besides; where two classes are as plain, nothing is said."""
    if a.cable.data.get("initial") or not clamped_in_the_world(a) or coarse(a) > TURNS:
        return
    off = own_link(a) - turns_told(a)
    if abs(off - round(off)) < PLAIN:
        verdict.require("a turn that nobody asked for", float(round(off) % 2), 0.5, a.cable.name)


def coarse(*answers: Answer) -> float:
    """How far off links are on coarse grids, in turns."""
    return sum(float(np.sum(np.linalg.norm(a.turns_of_segments(), axis=1) ** 3)) for a in answers) / 100.0


def clamped_in_the_world(a: Answer) -> bool:
    """At both ends, with frames that are known."""
    ends = {k.name: k for k in a.cable.supports}
    held = [ends.get("start"), ends.get("end")]
    known = all(k is not None and not k.on and k.kind == "clamp" and k.frame is not None for k in held)
    return known and not a.cable.is_rope and bool(held[1] and held[1].rolls)


def turns_asked(a: Answer) -> float | None:
    """Turns from the start to the end beyond the untwisted mounting, where both ends are clamped in the world."""
    if not clamped_in_the_world(a):
        return None
    end = a.cable.data["end"]
    return turns_told(a) if a.cable.data.get("twist") is not None or "roll" in end or "quaternion" in end else None


def turns_told(a: Answer) -> float:
    """Turns from clamp to clamp, the whole ones as `twist` says."""
    held = [k for k in sorted(a.cable.supports, key=lambda k: a.places[k.name]) if k.kind == "clamp"]
    total = 0.0
    frames = [(k.data, k.frame) for k in held if k.frame is not None]
    for (_, before), (data, frame) in itertools.pairwise(frames):
        told = a.cable.data.get("twist") if data is frames[-1][0] else data.get("twist")
        found = turn_between(before, frame)
        if told is not None:
            found += 2.0 * np.pi * round((told - found) / (2.0 * np.pi))
        total += found
    return total / (2.0 * np.pi)


def untwisted(scene: Data) -> Data:
    """The same scene with clamps that were told by tangents alone, and without twist."""
    still = copy.deepcopy(scene)
    for data in still["cables"]:
        cable = Cable(data, still)
        if not cable.data.get("end") or cable.data["end"].get("on"):
            continue
        data.pop("twist", None)
        for place in [data["end"], *(data.get("clips") or [])]:
            place.pop("twist", None)
            place.pop("roll", None)
            if place.get("quaternion") is not None:
                place["tangent"] = matrix(place.pop("quaternion"))[:, 2].tolist()
    return still
