"""The findings for a person at a terminal: certificate, shape, reactions, contacts, energies, checks. In mm,
degrees, N and N m.

Everything fits 80 columns; without a terminal (a pipe, a file) the same text comes without colours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np
from rich import box
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lissom.analysis.along import Array, settled
from lissom.analysis.checks import Check
from lissom.analysis.contacts import Touch, nearest, pushes, touches
from lissom.analysis.report import Findings
from lissom.rods.outcome import RodReport
from lissom.rods.result import CableResult, Wrench

SHOWN: Final[dict[str, tuple[float, str, str]]] = {
    "bend_radius": (1000.0, "mm", "bend radius ≥"),
    "clearance": (1000.0, "mm", "clearance ≥"),
    "tension": (1.0, "N", "tension ≤"),
    "twist_per_length": (math.degrees(1.0), "deg/m", "twist ≤"),
    "stress": (1e-6, "MPa", "bending stress ≤"),
}
"""Rule → factor from SI, unit on the screen, what it reads."""

# Parts whose distance is told; the rest is in the JSON.
MOST_CLEARANCES: Final = 6

STATUS_COLOUR: Final = {"converged": "green", "unstable": "yellow"}


def print_findings(found: Findings, console: Console) -> None:
    """Prints everything worth knowing; long arrays are for CSV and JSON."""
    if found.scene.title:
        console.print(Text(found.scene.title, style="bold"))
    for note in found.notes:
        console.print(warning(note))
    for name, result in found.cables.items():
        console.print(cable_block(found, name, result))
    for name, groups in pushes(found.contacts).items():
        console.print(Text(name, style="bold"))
        console.print(Padding(push_table(groups), (0, 0, 1, 2)))
    if found.checks:
        console.print(Padding(check_table(found.checks), (0, 0, 0, 2)))


def cable_block(found: Findings, name: str, result: CableResult | None) -> RenderableType:
    report = found.report.cables[name]
    parts: list[RenderableType] = [certificate(name, report)]
    if report.reason:
        parts.append(Padding(Text(report.reason, style="yellow"), (0, 0, 0, 2)))
    notes = report.warnings if result is None else result.warnings
    parts += [Padding(warning(note), (0, 0, 0, 2)) for note in notes]
    if result is not None:
        parts.append(Padding(fact_table(found, result), (0, 0, 0, 2)))
        parts.append(Padding(reaction_table(result), (1, 0, 1, 2)))
        if groups := touches(found.scene, found.contacts, name):
            parts.append(Padding(contact_table(groups), (0, 0, 1, 2)))
    return Group(*parts)


def warning(note: str) -> Text:
    return Text(f"! {note}", style="yellow")


def certificate(name: str, report: RodReport) -> Text:
    """May this answer be trusted, and what did it cost."""
    line = Text()
    line.append(name, style="bold")
    line.append(": ")
    line.append(report.status.replace("_", " "), style=f"bold {STATUS_COLOUR.get(report.status, 'red')}")
    words = []
    if report.status == "converged":
        line.append({True: ", stable", False: ", unstable", None: ", stability not applicable"}[report.stable])
    if report.level:
        words.append(f"{report.level} segments a section")
    if report.element:
        words += [f"residual {report.residual:.0e}", report.element]
    if report.certificate is not None:
        words.append(f"worst condition at {report.certificate.worst:.2g} of its bound")
    if report.iterations:
        words.append(f"{report.iterations} iterations")
    words.append(duration(report.seconds))
    line.append(f" ({', '.join(words)})", style="dim")
    return line


def duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1.0 else f"{1000.0 * seconds:.3g} ms"


def fact_table(found: Findings, result: CableResult) -> Table:
    table = Table.grid(padding=(0, 2))
    for what, value in facts(found, result):
        table.add_row(Text(what, style="dim"), Text(value))
    return table


def facts(found: Findings, result: CableResult) -> Iterator[tuple[str, str]]:
    """(what, value with unit) in the order a person asks."""
    length = f"{1000.0 * result.length:.6g} mm"
    if result.stretched_length != result.length:
        length += f", stretched to {1000.0 * result.stretched_length:.6g} mm"
    yield "length", f"{length} ({len(result.s)} points)"
    if result.report.level:
        yield "approximation", nearness(result.report)
    if math.isinf(result.min_bend_radius):
        yield "smallest bend radius", "none: straight"
    else:
        place = f"at {result.min_bend_radius_at:.3f} ({1000 * result.min_bend_radius_at * result.length:.4g} mm)"
        yield "smallest bend radius", f"{1000.0 * result.min_bend_radius:.4g} mm {place}"
    degrees = math.degrees(result.total_torsion)
    yield "torsion ∫τ ds", f"{settled(result.turns):.4g} turns ({settled(degrees):.4g}°)"
    tension = f"{settled(float(result.tension.min())):.4g} … {settled(float(result.tension.max())):.4g} N"
    yield "tension", tension
    energies = {key: value for key, value in result.energy.items() if value != 0.0 and key != "total"}
    parts = ", ".join(f"{key} {value:.4g}" for key, value in energies.items() if abs(value) > 1e-12)
    yield "energy", f"{result.energy['total']:.4g} J" + (f" ({parts})" if parts else "")
    report = result.report
    if report.neutral:
        yield "neutral directions", f"{report.neutral} (free to turn or slide without force)"
    if report.others:
        others = ", ".join(f"{other.energy:.4g} J" for other in report.others)
        yield "other stable shapes", f"{len(report.others)} found, with energy {others}"
    said = {"newton", "polished", "kinematic"}
    extra = [method for method in report.methods if method not in said]
    if extra:
        yield "methods", ", ".join(extra)
    if math.isfinite(result.error):
        yield "error, by estimate", f"{1000.0 * result.error:.2g} mm ({result.error / result.length:.1g} of the length)"
    yield from distances(found, result.name)


def nearness(report: RodReport) -> str:
    """What is certified of a kinematic cable, and what is not."""
    if math.isinf(report.change):
        return "a chain in balance; how far from the true shape is not known"
    moved = f"doubling the segments moved joints by {1000.0 * report.change:.2g} mm"
    return f"a chain in balance; {moved}: about {1000.0 * report.change / 3.0:.2g} mm from the true shape"


def distances(found: Findings, name: str) -> Iterator[tuple[str, str]]:
    """How near the cable comes to the parts around it, the nearest first."""
    touched = touches(found.scene, found.contacts, name)
    clear = nearest(found.clearances, name)
    length = found.scene.cable(name).length
    for k in clear[:MOST_CLEARANCES]:
        value = "none: touches it" if k.part in touched else f"{1000.0 * k.distance:.4g} mm"
        yield f"clearance to {k.part}", f"{value} at {k.place / length:.3f} ({1000.0 * k.place:.4g} mm)"
    if more := clear[MOST_CLEARANCES:]:
        yield "clearance to others", f"over {1000.0 * more[0].distance:.4g} mm to {len(more)} more"
    if touched:
        depth = 1e6 * found.report.cables[name].penetration
        yield "penetration", f"{depth:.2g} µm" if depth >= 0.001 else "under 0.001 µm"


def reaction_table(result: CableResult) -> Table:
    table = lined_table()
    table.add_column("reaction", overflow="fold")
    table.add_column("at", justify="right", no_wrap=True)
    table.add_column("force x y z [N]", justify="right", no_wrap=True)
    table.add_column("moment x y z [N m]", justify="right", no_wrap=True)
    largest = largest_reaction(result)
    for name, wrench in result.reactions.items():
        table.add_row(
            escape(name),
            f"{result.places[name]:.3f}",
            triple(wrench.force, largest[0]),
            triple(wrench.moment, largest[1]),
        )
    return table


def contact_table(groups: dict[str, list[Touch]]) -> Table:
    """What touches the cable: a row per part, however many places there are."""
    table = lined_table()
    table.add_column("touched by", overflow="fold")
    table.add_column("places", justify="right", no_wrap=True)
    table.add_column("force on it x y z [N]", justify="right", no_wrap=True)
    table.add_column("largest [N]", justify="right", no_wrap=True)
    table.add_column("at", justify="right", no_wrap=True)
    totals = {by: np.sum([touch.force for touch in group], axis=0) for by, group in groups.items()}
    largest = max(float(abs(total).max()) for total in totals.values())
    for by, group in groups.items():
        most = max(group, key=lambda touch: touch.strength)
        table.add_row(
            escape(by), f"{len(group)}", triple(totals[by], largest), f"{most.strength:.4g}", f"{most.at:.3f}"
        )
    return table


def push_table(groups: dict[str, list[Array]]) -> Table:
    """What touches a free part: a row per part that does."""
    table = lined_table()
    table.add_column("touched by", overflow="fold")
    table.add_column("places", justify="right", no_wrap=True)
    table.add_column("force on it x y z [N]", justify="right", no_wrap=True)
    totals = {by: np.sum(forces, axis=0) for by, forces in groups.items()}
    largest = max(float(abs(total).max()) for total in totals.values())
    for by, forces in groups.items():
        table.add_row(escape(by), f"{len(forces)}", triple(totals[by], largest))
    return table


def largest_reaction(result: CableResult) -> tuple[float, float]:
    wrenches: list[Wrench] = list(result.reactions.values())
    force = max((float(abs(w.force).max()) for w in wrenches), default=0.0)
    moment = max((float(abs(w.moment).max()) for w in wrenches), default=0.0)
    return force, moment


def triple(vector: Array, largest: float) -> str:
    """Three numbers with the decimals that give the largest of the table four digits; no rounding errors."""
    decimals = 3 if largest < 1e-12 else min(max(3 - math.floor(math.log10(largest)), 0), 6)
    floor = 0.5 * 10.0**-decimals
    numbers = [0.0 if abs(v) < floor else float(v) for v in vector]
    width = max(7, len(f"{-largest:.{decimals}f}"))
    return " ".join(f"{v:{width}.{decimals}f}" for v in numbers)


def lined_table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")


def check_table(checks: tuple[Check, ...]) -> Table:
    table = lined_table()
    table.add_column("", no_wrap=True)
    several = len({check.cable for check in checks}) > 1
    if several:
        table.add_column("cable", overflow="fold")
    for heading in ("check", "value", "margin", "at"):
        table.add_column(heading, justify="left" if heading == "check" else "right")
    for check in checks:
        table.add_row(*check_row(check, several))
    return table


def check_row(check: Check, several: bool) -> list[Text]:
    factor, unit, reads = SHOWN[check.rule]
    mark = {True: ("✓", "green"), False: ("✗", "bold red"), None: ("–", "yellow")}[check.ok]
    rule = f"{reads} {factor * check.limit:.4g} {unit}"
    if check.measured == "inside":
        rule += " inside"
    if check.stretch:
        rule += f" ({check.stretch})"
    if check.part:
        rule += f", nearest: {check.part}"
    row = [Text(mark[0], style=mark[1])] + ([Text(check.cable)] if several else []) + [Text(rule)]
    if check.ok is None:
        return [*row, Text("not checked", style="yellow"), Text(check.note, style="dim"), Text("")]
    assert check.value is not None
    assert check.margin is not None
    value = "straight" if math.isinf(check.value) else f"{settled(factor * check.value):.4g} {unit}"
    margin = "∞" if math.isinf(check.margin) else f"{factor * check.margin:+.4g} {unit}"
    return [*row, Text(value), Text(margin, style=mark[1]), Text(f"{check.at:.3f}")]
