"""Findings written to a folder: JSON, a CSV table of contacts, and per cable a CSV table, the plots and the picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lissom.analysis.report import Findings, json_text
from lissom.rods.result import CableResult
from lissom.scene.files import write

if TYPE_CHECKING:
    from lissom.analysis.scenery import Thing
    from lissom.simulation import Simulation

LONGEST_NAME = 80
CONTACTS = "contacts"
"""The name of the table of contacts: no cable's."""

PICTURES = ("png", "svg")


def write_findings(found: Findings, folder: Path) -> Iterator[Path]:
    """Writes everything, each file whole or not at all, and yields each path once it is there."""
    from lissom.analysis.scenery import scenery
    from lissom.analysis.spreadsheet import contacts_csv

    yield write(folder / "result.json", json_text(found).encode())
    if found.contacts:
        yield write(folder / f"{CONTACTS}.csv", contacts_csv(found.scene, found.contacts).encode())
    things = scenery(found.scene, found.poses, [result for result in found.cables.values() if result is not None])
    names = stems(found.cables)
    for name, result in found.cables.items():
        if result is not None:
            yield from write_cable(found, result, things, folder, names[name])


def write_cable(
    found: Findings, result: CableResult, things: tuple[Thing, ...], folder: Path, stem: str
) -> Iterator[Path]:
    from lissom.analysis.spreadsheet import csv_text

    yield write(folder / f"{stem}.csv", csv_text(found.scene, result).encode())
    from lissom.analysis.picture import plot_shape
    from lissom.analysis.plots import image, plot_along

    for name, figure in (
        ("along", plot_along(found.scene, result, contacts=found.contacts)),
        ("shape", plot_shape(found.scene, result, contacts=found.contacts, things=things)),
    ):
        for kind in ("png", "svg"):
            yield write(folder / f"{stem}-{name}.{kind}", image(figure, kind))


def picture(simulation: Simulation, cable: str, path: Path | None) -> bytes:
    """One cable among everything else, as PNG; in a file, where one is given, as its ending says."""
    from lissom.analysis.picture import plot_shape
    from lissom.analysis.plots import image
    from lissom.analysis.scenery import scenery

    kind = "png" if path is None else path.suffix.lower().removeprefix(".")
    if path is not None and kind not in PICTURES:
        raise ValueError(f"{path.name}: a picture ends in one of {', '.join(f'.{k}' for k in PICTURES)}")
    scene = simulation.scene
    poses = {part.name: simulation.pose(part.name) for part in scene.parts}
    things = scenery(scene, poses, [simulation.cable(name) for name in simulation.cables])
    figure = plot_shape(scene, simulation.cable(cable), contacts=simulation.contacts, things=things)
    content = image(figure, kind)
    if path is not None:
        write(path, content)
    return content


def stems(cables: Iterable[str]) -> dict[str, str]:
    """A file name for each cable: its own, less what file systems do not take, and unlike the others'."""
    taken = {CONTACTS}
    found: dict[str, str] = {}
    for name in cables:
        stem = "".join(c if c.isalnum() or c in " -_+.,()" else "-" for c in name)[:LONGEST_NAME].strip(" .")
        stem = stem or "cable"
        unique, number = stem, 2
        while unique.casefold() in taken:
            unique, number = f"{stem} {number}", number + 1
        taken.add(unique.casefold())
        found[name] = unique
    return found
