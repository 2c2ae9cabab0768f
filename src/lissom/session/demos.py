"""The shapes that are stored with the demos of the gallery: `python -m lissom.session.demos` solves them anew.

They are what a page shows while kernels are being compiled. Questions, views and the scenes of variants stay.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from lissom.scene import Scene
from lissom.session.desk import Shapes, desk_path, load_desk, save_desk
from lissom.session.gallery import gallery
from lissom.session.messages.commands import KeepVariant, Reset, ShowVariant, TakeVariant
from lissom.session.session import Session
from lissom.session.shapes import shapes
from lissom.session.slots import Slot
from lissom.session.workspace import Workspace
from lissom.simulation import Simulation

DIGITS = 7
"""Of stored positions in m, and of quaternions."""


def solved(file: Path, folder: Path) -> Session:
    """A session on a demo, with its variants solved anew. Raises where one is not certified."""
    session = Session(Workspace.of(folder), lambda event: None)
    desk = load_desk(desk_path(file))[0]
    session.begin(Simulation(Scene.load(file)), Slot.untitled(session.workspace), desk)
    session.report.raise_if_failed()
    for variant in desk.variants:
        session.do(TakeVariant(variant.name))
        session.report.raise_if_failed()
        session.do(KeepVariant(variant.name))
        session.do(ShowVariant(variant.name, variant.shown))
    kept = session.desk.variants
    session.do(Reset())
    session.arrange(variants=tuple(replace(k, shapes=rounded(k.shapes)) for k in kept))
    return session


def rounded(given: Shapes) -> Shapes:
    return {
        name: (
            [(round(x, DIGITS), round(y, DIGITS), round(z, DIGITS)) for x, y, z in positions],
            [(round(w, DIGITS), round(x, DIGITS), round(y, DIGITS), round(z, DIGITS)) for w, x, y, z in quaternions],
        )
        for name, (positions, quaternions) in given.items()
    }


def store() -> None:
    """Writes the files beside the scenes."""
    with tempfile.TemporaryDirectory() as folder:
        for file in gallery().values():
            session = solved(file, Path(folder))
            save_desk(desk_path(file), session.desk, rounded(shapes(session)))


if __name__ == "__main__":
    store()
