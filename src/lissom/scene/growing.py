"""A cable that gets longer or shorter between places: what that means for everything that is said along it.

Growing is a map of places: piecewise linear, from where things are on the cable (``old``, from 0 to its length) to
where they are afterwards (``new``). Between two neighbouring places of the map material is put in or taken out evenly.

- Beyond the places that move apart nothing changes: distances between clips, and the material between them, stay.
- Between them, what is said as a fraction stays at its part of the way; what is said as a length (``from_start``,
  ``from_end``) keeps that distance, counted from the last place that the map names on that side.
- New material has the rest curvature (1/m) of its surroundings. A moulded shape (``rest.points``) keeps its angles
  instead, and its straights and bends get longer: that is how a mould is changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom.scene.errors import Problem, SceneError
from lissom.scene.rest import moulded_points

if TYPE_CHECKING:
    from lissom.scene.cable import Clip, Load, Rest
    from lissom.scene.junction import Member
    from lissom.scene.scene import Scene

Array = NDArray[np.float64]


def grown(scene: Scene, name: str, old: Array, new: Array, shape: tuple[Rest | None, Array] | None = None) -> Scene:
    """The scene with the places ``old`` (m) of a cable at ``new``; the last of both is its length.

    ``shape`` is a rest shape, and the places on the cable that had it, from which the rest shape is made: where a cable
    grows again and again, so that nothing is worn away. Raises SceneError for what no longer fits.
    """
    cable = scene.cable(name)
    changes: dict[str, Any] = {f"{name}/length": float(new[-1])}
    for clip in cable.clips:
        changes |= _moved(f"{name}/{clip.name}", clip, old, new)
    for k, load in enumerate(cable.loads, start=1):
        changes |= _moved(f"{name}/load {k}", load, old, new)
    for k, stretch in enumerate(cable.stretches, start=1):
        for key, fraction in (("from", stretch.from_), ("to", stretch.to)):
            changes[f"{name}/stretch {k}.{key}"] = _mapped(fraction * old[-1], old, new) / float(new[-1])
    for junction in scene.junctions:
        for k, member in enumerate(junction.members, start=1):
            if member.cable == name and member.end(cable.length) is None:
                changes |= _moved(f"{junction.name}/member {k}", member, old, new)
    rest, places = shape or (cable.rest, old)
    if rest is not None:
        changes |= _reshaped(f"{name}/rest", rest, places, new)
    return scene.with_values(changes)


def _mapped(place: float, old: Array, new: Array) -> float:
    return float(np.interp(place, old, new))


def _moved(path: str, thing: Clip | Load | Member, old: Array, new: Array) -> dict[str, Any]:
    """Where it is afterwards, said as it was said before."""
    length, longer = float(old[-1]), float(new[-1])
    place = thing.place(length)
    if place is None:
        return {}
    if thing.at is not None:
        return {f"{path}.at": min(_mapped(place, old, new) / longer, 1.0)}
    key = "from_start" if thing.from_start is not None else "from_end"
    k = int(np.clip(np.searchsorted(old, place, side="right") - 1, 0, len(old) - 2))
    if place in (old[k], old[k + 1]):
        there = _mapped(place, old, new)
    elif key == "from_start":
        there = float(new[k]) + place - float(old[k])
    else:
        there = float(new[k + 1]) + place - float(old[k + 1])
    if not new[k] <= there <= new[k + 1]:
        left = 1000.0 * float(new[k + 1] - new[k])
        message = (
            f"does not fit any more: the cable has only {left:.6g} mm there; say at (a fraction), or move it first"
        )
        raise SceneError([Problem(f"{path}.{key}", getattr(thing, key), message)])
    return {f"{path}.{key}": there if key == "from_start" else longer - there}


def _reshaped(path: str, rest: Rest, old: Array, new: Array) -> dict[str, Any]:
    if rest.points is not None:
        return {f"{path}.points": _longer_mould(rest.points, old, new).tolist()}
    given = np.asarray(rest.curvature, dtype=np.float64)
    if given.ndim == 1 or is_even(old, new):
        return {}
    before = np.interp(np.linspace(0.0, new[-1], len(given)), new, old)
    even = np.linspace(0.0, old[-1], len(given))
    return {f"{path}.curvature": np.stack([np.interp(before, even, given[:, j]) for j in range(3)], axis=1).tolist()}


def is_even(old: Array, new: Array) -> bool:
    """Whether the whole cable gets longer by one factor."""
    return bool(np.abs(new * old[-1] - old * new[-1]).max() <= 1e-12 * old[-1] * new[-1])


def _longer_mould(points: tuple[tuple[float, float, float], ...], old: Array, new: Array) -> Array:
    """The points with every piece of the curve longer by the factor that the map has there, in its own direction."""
    drawn = np.asarray(points)
    if is_even(old, new):
        return np.asarray(drawn[0] + (new[-1] / old[-1]) * (drawn - drawn[0]))
    knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(drawn, axis=0), axis=1))])
    knots *= old[-1] / knots[-1]  # nearly arc lengths: chords of a smooth curve
    s = np.unique(np.concatenate([knots, old]))
    s = s[np.concatenate([[True], np.diff(s) > 1e-6 * old[-1]])]
    s[-1] = old[-1]
    p = moulded_points(points, float(old[-1]), s)
    factor = np.diff(np.interp(s, old, new)) / np.diff(s)
    return np.asarray(np.vstack([p[:1], p[0] + np.cumsum(factor[:, None] * np.diff(p, axis=0), axis=0)]))
