"""The answer of `lissom reach`, for a person and for a program."""

import json
from dataclasses import asdict

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lissom.reaching import Reach


def print_reach(found: Reach, console: Console) -> None:
    """In mm."""
    headline = "reached" if found.reached else "not reached" if found.certified else "not certified"
    colour = "green" if found.reached else "yellow" if found.certified else "red"
    console.print(Text(f"{found.part}: {headline}", style=colour))
    stops = Table(box=box.SIMPLE, show_edge=False)
    for title in ("rest position", "x mm", "y mm", "z mm", ""):
        stops.add_column(title, justify="right" if title.endswith("mm") else "left")
    for k, stop in enumerate(found.stops, start=1):
        name = "target" if k == len(found.stops) else f"via {k}"
        stops.add_row(name, *(f"{1000 * v:.2f}" for v in stop.position), "✓" if stop.reached else "✗")
    if not found.reached:
        way = f"{100 * found.done:.2f} % of the way there"
        stops.add_row("gets to", *(f"{1000 * v:.2f}" for v in found.position), way)
    console.print(stops)
    if found.needs:
        needs = Table(box=box.SIMPLE, show_edge=False)
        for title in ("cable", "length mm", "at least mm", "short by mm", "or instead"):
            needs.add_column(title, justify="right" if title.endswith("mm") else "left")
        for need in found.needs:
            numbers = (f"{1000 * v:.2f}" for v in (need.length, need.least, need.shortfall))
            needs.add_row(Text(need.cable), *numbers, Text(", ".join(need.instead_of)))
        console.print(needs)
    if found.reason:
        console.print(Text(found.reason, style="yellow"))


def reach_json(found: Reach) -> str:
    """All of it in SI, without the scene."""
    data = {
        "part": found.part,
        "reached": found.reached,
        "certified": found.certified,
        "reason": found.reason,
        "stops": [asdict(stop) for stop in found.stops],
        "pose": {"position": found.position, "quaternion": found.quaternion, "leg": found.leg, "done": found.done},
        "short": found.short,
        "needs": {
            need.cable: {
                "length": need.length,
                "least": need.least,
                "shortfall": need.shortfall,
                "instead_of": need.instead_of,
            }
            for need in found.needs
        },
    }
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
