"""Sessions to try commands on, and what is asked of them again and again."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.scene import Scene, SceneError
from lissom.session import replaying
from lissom.session.messages.commands import Command, Replay
from lissom.session.messages.events import Event
from lissom.session.session import Session
from lissom.session.slots import Slot
from lissom.session.workspace import Workspace
from lissom.simulation import Simulation

Array = NDArray[np.float64]

TYPE = {"radius": 0.004, "stiffness": {"bending": 0.02, "torsion": 0.015}, "mass_per_length": 0.1}

HOSE: dict[str, Any] = {
    "types": {"rubber": {**TYPE, "limits": {"bend_radius": 0.03}}},
    "cables": [
        {
            "name": "hose",
            "type": "rubber",
            "length": 0.4,
            "points": 41,
            "start": {"position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.0], "roll": 0.0},
            "end": {"position": [0.3, 0.0, -0.05], "tangent": [1.0, 0.0, 0.0]},
        }
    ],
}
"""One hose between two clamps."""

HARNESS: dict[str, Any] = {
    "types": {"loom": TYPE},
    "cables": [
        {
            "name": "trunk",
            "type": "loom",
            "length": 0.3,
            "points": 31,
            "start": {"position": [0.0, 0.0, 0.12], "tangent": [1.0, 0.0, 0.0], "roll": 0.0},
        },
        {
            "name": "left",
            "type": "loom",
            "length": 0.34,
            "points": 25,
            "end": {"on": "plug", "position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.0], "roll": 0.0},
        },
        {
            "name": "right",
            "type": "loom",
            "length": 0.34,
            "points": 25,
            "end": {"position": [0.45, -0.12, 0.0], "tangent": [1.0, 0.0, 0.0], "roll": 0.0},
        },
    ],
    "parts": [
        {"name": "plug", "position": [0.45, 0.12, 0.0], "motion": "held"},
        {"name": "bar", "shape": {"kind": "cylinder", "radius": 0.02, "length": 0.3}, "position": [0.15, 0.0, 0.09]}
        | {"tangent": [0.0, 1.0, 0.0]},
    ],
    "junctions": [
        {
            "name": "Y",
            "members": [
                {"cable": "trunk", "at": "end"},
                {"cable": "left", "at": "start", "tangent": [1.0, 0.6, 0.0]},
                {"cable": "right", "at": "start", "tangent": [1.0, -0.6, 0.0]},
            ],
        }
    ],
}
"""A trunk over a bar, and two branches from a free junction, one of them on a plug."""


class Told(list[Event]):
    """What a session told the page."""

    def texts(self) -> str:
        return " | ".join(str(k) for k in self)


def make_session(folder: Path, scene: dict[str, Any] | None = None) -> Session:
    told = Told()
    session = Session(Workspace.of(folder), told.append)
    session.begin(Simulation(Scene.from_dict(copy.deepcopy(scene or HOSE))), Slot.untitled(session.workspace))
    assert session.report.ok, session.report
    return session


def told(session: Session) -> Told:
    found: Any = session.tell
    events: Told = found.__self__
    return events


def said(session: Session, name: str = "hose") -> Any:
    """What the scene says of a cable."""
    return session.simulation.scene.cable(name)


def points(session: Session, name: str = "hose") -> Array:
    return np.array(session.simulation.cable(name).positions)


def shape_of(session: Session) -> dict[str, Array]:
    return {name: points(session, name) for name in session.simulation.cables}


def same(a: dict[str, Array], b: dict[str, Array]) -> bool:
    """To the last bit."""
    return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)


def apart(a: dict[str, Array], b: dict[str, Array]) -> float:
    """m, of points of the same number."""
    assert a.keys() == b.keys()
    return max(float(np.abs(a[k] - b[k]).max()) for k in a)


def certified(session: Session) -> bool:
    """The certificate of every cable: forces balanced, the length kept, nothing in anything."""
    return session.report.ok and all(
        k.residual < 1e-6 and k.length_error < 1e-6 and k.penetration < 1e-4 for k in session.report.cables.values()
    )


def replayed(session: Session, path: str) -> int:
    """Plays a recording as fast as it goes; gives how many commands were done."""

    def do(command: Command) -> str:
        try:
            session.do(command)
        except (SceneError, ValueError) as error:
            return str(error)
        return ""

    session.do(Replay(path))
    done = 0
    while session.replaying is not None:
        playing = session.replaying
        replaying.play(session, do)
        done = playing.done
    return done
