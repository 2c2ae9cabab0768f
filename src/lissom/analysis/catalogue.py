"""The library of cable types as tables for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lissom.analysis.table import SHOWN, lined_table
from lissom.scene import CableType, SceneError, SectionProperties
from lissom.scene import library as shipped
from lissom.scene.errors import ABSENT, Problem
from lissom.scene.fields import suggestion


def print_catalogue(console: Console) -> None:
    """One line per type: name, size, bending stiffness, mass."""
    types = shipped()
    table = lined_table()
    table.add_column("type", no_wrap=True, min_width=max(map(len, types)))
    for heading in ("Ø mm", "B N m²", "g/m"):
        table.add_column(heading, justify="right", no_wrap=True, min_width=6)
    table.add_column("what it is")
    for name, made in types.items():
        section = SectionProperties.of(made)
        table.add_row(
            Text(name, style="bold"),
            f"{2000.0 * section.radius:.3g}",
            f"{max(section.bending):.2g}",
            f"{1000.0 * section.mass_per_length:.3g}",
            Text(made.description),
        )
    console.print(table)
    console.print('\nB: bending stiffness. Use one as type = "library:NAME"; `lissom library NAME` tells more.')


def print_type(name: str, console: Console) -> None:
    """One type in full."""
    types = shipped()
    if name not in types:
        message = f'there is no type "{name}" in the library{suggestion(name, types)}; `lissom library` lists them'
        raise SceneError([Problem("", ABSENT, message)])
    made = types[name]
    console.print(Text(f"library:{name}", style="bold"))
    table = Table.grid(padding=(0, 2))
    for what, value in facts(made):
        table.add_row(Text(what, style="dim"), Text(value))
    console.print(table)


def facts(made: CableType) -> Iterator[tuple[str, str]]:
    section = SectionProperties.of(made)
    yield "what it is", made.description
    yield "diameter", f"{2000.0 * section.radius:.4g} mm"
    about1, about2 = section.bending
    bending = f"{about1:.4g} N m²"
    yield "bending", bending if about1 == about2 else f"{bending} about d1, {about2:.4g} N m² about d2"
    yield "torsion", f"{section.torsion:.4g} N m²"
    yield "axial", "inextensible" if math.isinf(section.axial) else f"{section.axial:.4g} N"
    yield "mass", f"{1000.0 * section.mass_per_length:.4g} g/m"
    if section.youngs_modulus is not None:
        yield "Young's modulus", f"{1e-6 * section.youngs_modulus:.4g} MPa (at the surface)"
    if made.limits is not None:
        stated = [
            f"{reads} {factor * getattr(made.limits, rule):.4g} {unit}"
            for rule, (factor, unit, reads) in SHOWN.items()
            if getattr(made.limits, rule) is not None
        ]
        yield "limits", ", ".join(stated) + (" (inside)" if made.limits.measured == "inside" else "")
    yield "source", made.source
