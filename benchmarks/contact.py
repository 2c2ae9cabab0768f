"""`make bench`: cables among parts and in harnesses.

`python -m benchmarks.contact [--quick] [--markdown]`; docs/benchmark.md says what is measured.
"""

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from benchmarks.bracket import bracket
from benchmarks.dragged import at_most, percentiles
from benchmarks.table import Row, markdown, table
from lissom import Scene, Simulation
from lissom.geometry.solids import Solid, mesh_solid
from lissom.rods.rules import global_rule, individual_rule

Array = NDArray[np.float64]

HOSE = """
[[cables]]
name = "hose"
length = 0.56
points = 101
section = { diameter = "10 mm" }
material = { youngs_modulus = "8 MPa", poisson = 0.49, density = 1200 }
start = { position = [-0.18, 0.1, 0.1], tangent = [1, 0, 0], roll = 0 }
end = { position = [0.18, -0.1, 0.1], tangent = [1, 0, 0], roll = 0 }

[[parts]]
name = "bracket"
shape = { kind = "box", size = [0.001, 0.001, 0.001] }
motion = "held"
"""
LYING = """
[[cables]]
name = "hose"
length = 0.6
points = {{points}}
radius = 0.006
stiffness = {{{{ bending = 0.02, torsion = 0.016 }}}}
mass_per_length = 0.15
start = {{{{ position = [-0.22, 0.0, {height}], tangent = [1, 0, 0], roll = 0 }}}}
end = {{{{ position = [0.22, 0.0, {height}], tangent = [1, 0, 0], roll = 0 }}}}

[[parts]]
name = "part"
{part}
"""
HEIGHT = {"ball": 0.05, "table": 0.02}
ON = {
    "ball": LYING.format(
        height=HEIGHT["ball"], part='shape = {{ kind = "sphere", radius = 0.06 }}\nposition = [0, 0, -0.09]'
    ),
    "table": LYING.format(height=HEIGHT["table"], part='shape = {{ kind = "plane" }}\nposition = [0, 0, -0.01]'),
}
FRAMES = 120
TRIANGLES = (10_000, 100_000, 1_000_000)
BRANCHES = (1, 5, 20, 80)


def meshes(frames: int) -> Iterator[Row]:
    for triangles in TRIANGLES:
        vertices, faces = bracket(triangles)
        mesh_solid(vertices[:], faces[:1000], False)  # compiled
        began = time.perf_counter()
        solid = mesh_solid(vertices, faces, False)
        built = time.perf_counter() - began
        aim = at_most(built, 2.0, "≤ 2 s") if triangles == 1_000_000 else {}
        yield Row("hose dragged over a bracket", f"tree of {len(faces):,} triangles", mean=1000 * built, **aim)
        yield dragged(solid, len(faces), frames)


def dragged(solid: Solid, triangles: int, frames: int) -> Row:
    """The end of a hose moves by some 5 mm per frame, over the bracket and around it."""
    simulation = Simulation(Scene.from_toml(HOSE))
    simulation._cables.solids = dict.fromkeys(simulation._cables.solids, solid)
    simulation.solve().raise_if_failed()
    angles = 0.05 * np.arange(frames)
    way = [-0.02 * np.sin(angles), 0.1 * np.sin(0.7 * angles), -0.05 * np.sin(0.4 * angles) ** 2]
    p, told = followed(simulation, "hose/end", np.array([0.18, -0.1, 0.1]) + np.stack(way, axis=1))
    aim = at_most(p["mean"], 5.0, "≥ 200 frames/s") if 90_000 < triangles < 110_000 else {}
    return Row("hose dragged over a bracket", f"drag, {1e3 / p['mean']:.0f} frames/s; {told}", 101, **p, **aim)


def followed(simulation: Simulation, end: str, places: Array) -> tuple[dict[str, Any], str]:
    """Times of the frames in which an end goes along places (m); what it touched, and frames that had no answer."""
    times: list[float] = []
    contacts: list[int] = []
    held = 0
    for place in places.tolist():
        began = time.perf_counter()
        simulation.move(end, position=tuple(place))
        held += not simulation.solve().ok
        times.append(1e3 * (time.perf_counter() - began))
        contacts.append(len(simulation.contacts))
    return percentiles(times), f"{np.median(contacts):.0f} contacts; {held} frames held"


def lying(frames: int) -> Iterator[Row]:
    """A hose on a ball, or on a table; its end goes round a circle, 5 mm a frame."""
    angles = 0.2 * np.arange(1, frames + 1)
    circle = 0.025 * np.stack([np.cos(angles) - 1.0, np.sin(angles), 0.0 * angles], axis=1)
    for what, counts in (("ball", (51, 101)), ("table", (51, 101))):
        for points in counts:
            simulation = Simulation(Scene.from_toml(ON[what].format(points=points)))
            simulation.solve().raise_if_failed()
            home = np.array([0.22, 0.0, HEIGHT[what]])
            followed(simulation, "hose/end", home + circle[:8])
            p, told = followed(simulation, "hose/end", home + circle)
            yield Row("hose on a ball and on a table", f"{what}, {told}", points, **p)


def harnesses(repeats: int) -> Iterator[Row]:
    """Branches of 40 points around one free junction: time of a solve per point."""
    first = 0.0
    for branches in BRANCHES:
        simulation = Simulation(star(branches))
        simulation.solve().raise_if_failed()
        times = []
        for k in range(repeats):
            simulation.move("branch 0/end", position=(0.3, 0.0, -0.1 + 0.005 * ((k % 2) - 0.5)))
            began = time.perf_counter()
            report = simulation.solve().raise_if_failed()
            times.append((time.perf_counter() - began) / max(report.iterations, 1))
        per_point = 1e9 * float(np.median(times)) / (40 * (branches + 1))
        first = first or per_point
        ratio = f"{per_point / first:.2f} × that of 1 branch"
        yield Row("harness", f"{branches} branches", 40 * (branches + 1), per_point=per_point, note=ratio)


def star(branches: int) -> Scene:
    """A trunk and its branches, ends on a circle."""
    made = ["[types.wire]\nstiffness = { bending = 0.004, torsion = 0.003 }\nmass_per_length = 0.05\n"]
    made.append(cable("trunk", "start = { position = [0, 0, 0.2], tangent = [0, 0, -1], roll = 0 }"))
    members = ['{ cable = "trunk", at = "end", tangent = [0, 0, -1] }']
    for k in range(branches):
        angle = 2 * np.pi * k / branches
        x, y = 0.3 * np.cos(angle), 0.3 * np.sin(angle)
        end = f"end = {{ position = [{x:.6f}, {y:.6f}, -0.1], tangent = [{x:.6f}, {y:.6f}, 0], roll = 0 }}"
        made.append(cable(f"branch {k}", end))
        members.append(f'{{ cable = "branch {k}", at = "start", tangent = [{x:.6f}, {y:.6f}, -0.1] }}')
    made.append('[[junctions]]\nname = "knot"\nmembers = [' + ", ".join(members) + "]\n")
    return Scene.from_toml("\n".join(made))


def cable(name: str, end: str) -> str:
    return f'[[cables]]\nname = "{name}"\ntype = "wire"\nlength = 0.36\npoints = 40\n{end}\n'


def bundle(frames: int) -> Iterator[Row]:
    """20 cables of 50 points in four rows, each row in the grooves of the one below and longer: it lies on it.

    Then an end of the uppermost row is lifted by 1 mm per frame.
    """
    made = ["[types.wire]\nstiffness = { bending = 0.004, torsion = 0.003 }\nmass_per_length = 0.05\nradius = 0.004\n"]
    for k in range(20):
        row = k // 5
        y, z = 0.009 * (k % 5) + 0.0045 * (row % 2), 0.0078 * row
        made.append(
            f'[[cables]]\nname = "c{k}"\ntype = "wire"\nlength = {0.42 + 0.002 * row}\npoints = 50\n'
            f"start = {{ position = [0, {y}, {z}], tangent = [1, 0, 0], roll = 0 }}\n"
            f"end = {{ position = [0.4, {y}, {z}], tangent = [1, 0, 0], roll = 0 }}\n"
        )
    scene = Scene.from_toml("\n".join(made))
    Simulation(scene).solve()  # compiled
    simulation = Simulation(scene)
    began = time.perf_counter()
    report = simulation.solve()
    cold = 1e3 * (time.perf_counter() - began)
    name = "20 cables in mutual contact"
    job = f"cold; {len(simulation.contacts)} contacts; {report.status}"
    yield Row(name, job, 1000, mean=cold, iterations=float(report.iterations))
    times: list[float] = []
    iterations = held = 0
    for frame in range(frames):
        began = time.perf_counter()
        simulation.move("c19/end", position=(0.4, 0.0405, 0.0234 + 0.001 * (frame + 1)))
        report = simulation.solve()
        times.append(1e3 * (time.perf_counter() - began))
        iterations += report.iterations
        held += not report.ok
    job = f"drag; {len(simulation.contacts)} contacts; {held} frames held"
    yield Row(name, job, 1000, **percentiles(times), iterations=iterations / frames)


UNDER = {
    "a bar": 'shape = { kind = "cylinder", radius = 0.05, length = 1 }\n'
    "tangent = [0, 1, 0]\nposition = [0.4, 0, -0.28]",
    "a table": 'shape = { kind = "plane" }\nposition = [0, 0, -0.1]',
}


def rules() -> Iterator[Row]:
    """A hanging cable on a bar and on a table, one end moved by 3 mm, four times, with either rule."""
    for name, part in UNDER.items():
        for rule in (global_rule, individual_rule):
            scene = Scene.from_toml(
                f'[[parts]]\nname = "part"\n{part}\n[[cables]]\nname = "cable"\nlength = 1\npoints = 41\n'
                "stiffness = { bending = 0.004, torsion = 0.004 }\nmass_per_length = 0.2\n"
                "start = { position = [0, 0, 0] }\nend = { position = [0.8, 0, 0.05] }\n"
            )
            simulation = Simulation(scene)
            simulation.solve().raise_if_failed()
            contacts = len(simulation.contacts)
            iterations, held = 0, 0
            for frame in range(1, 5):
                assert simulation._cables.islands is not None
                (assembly,) = simulation._cables.islands.assemblies
                assembly._network = False  # the rules are those of the solver that knows no core
                assembly._system = assembly._system or assembly._new_system()
                assembly._system.rule = rule
                simulation.move("cable/end", position=(0.8, 0.0, 0.05 + 0.003 * frame))
                report = simulation.solve()
                iterations += report.iterations
                held += not report.ok
            job = f"{name}, {contacts} contacts: {rule.__name__.replace('_', ' ')}; {held} of 4 frames held"
            yield Row("rules for contact forces", job, 41, iterations=iterations / 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer frames")
    parser.add_argument("--markdown", action="store_true", help="print the table for the docs")
    options = parser.parse_args()
    rows = [*meshes(20 if options.quick else FRAMES), *harnesses(4 if options.quick else 12)]
    rows += [*lying(30 if options.quick else 100), *bundle(3 if options.quick else 20), *rules()]
    print(markdown(rows)) if options.markdown else Console().print(table("Contact and harness", rows))


if __name__ == "__main__":
    main()
