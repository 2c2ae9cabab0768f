"""Connectors: free parts on cable ends that touch other parts, and held ones that stop at them."""

import csv
import io
import math
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console

from lissom import Simulation
from lissom.analysis.report import document, findings
from lissom.analysis.spreadsheet import contacts_csv
from lissom.analysis.table import print_findings
from lissom.geometry.solids import box_mesh
from lissom.rods.bodies import matrix
from lissom.scene import Scene

Array = NDArray[np.float64]

CASES = Path(__file__).parents[1] / "data" / "cases"
G = 9.81
RADIUS = 0.003
DEPTH = 1e-4 * RADIUS  # m: the penetration a solve allows
TYPES = """
[types.wire]
stiffness = { bending = 0.01, torsion = 0.008 }
mass_per_length = 0.06
radius = 0.003

[types.thread]
stiffness = { bending = 1e-6, torsion = 1e-6 }
mass_per_length = 1e-7
"""
SIZE = (0.04, 0.02, 0.03)
BOX = 'shape = { kind = "box", size = [0.04, 0.02, 0.03] }'
PLANE = 'shape = { kind = "plane" }'
SIDE = "frames.f = { position = [-0.02, 0, 0], tangent = [1, 0, 0] }"


def cable(name: str, part: str, start: str = "position = [0, 0, 0], tangent = [1, 0, 0]", more: str = "") -> str:
    lines = ["[[cables]]", f'name = "{name}"', f"start = {{ {start} }}", f'end = {{ on = "{part}", frame = "f" }}']
    defaults = {"type": '"wire"', "length": "0.4", "points": "41"}
    lines += [f"{key} = {value}" for key, value in defaults.items() if f"{key} =" not in more]
    return "\n".join([*lines, more, ""])


def part(name: str, *lines: str) -> str:
    return "\n".join(["[[parts]]", f'name = "{name}"', *lines, ""])


def free(name: str, mass: float, *lines: str) -> str:
    return part(name, 'motion = "free"', f"mass = {mass}", *lines)


def simulated(*texts: str) -> Simulation:
    return Simulation(Scene.from_toml(TYPES + "\n".join(texts)))


def solved(*texts: str) -> Simulation:
    simulation = simulated(*texts)
    simulation.solve().raise_if_failed()
    return simulation


def pushes(simulation: Simulation, body: str) -> tuple[Array, Array]:
    """(k, 3) m where a part is pushed by others, and (k, 3) N how."""
    points, forces = [np.zeros((0, 3))], [np.zeros((0, 3))]
    for contact in simulation.contacts:
        for name, sense in ((contact.body, 1.0), (contact.part, -1.0)):
            if name == body:
                points.append(contact.point[None])
                forces.append(sense * contact.force[None])
    return np.concatenate(points), np.concatenate(forces)


def assert_balanced(simulation: Simulation, body: str, mass: float, ends: tuple[str, ...]) -> None:
    """Weight, contacts and cables add up to nothing, forces and moments about the part's origin."""
    origin, _ = simulation.pose(body)
    points, forces = pushes(simulation, body)
    force, moment = forces.sum(axis=0), np.cross(points - origin, forces).sum(axis=0)
    force[2] -= mass * G
    for name in ends:
        result = simulation.cable(name)
        wrench = result.reactions["end"]
        force -= wrench.force
        moment -= wrench.moment + np.cross(result.positions[-1] - origin, wrench.force)
    scale = max(mass * G, float(np.abs(forces).max(initial=0.0)))
    assert float(np.abs(force).max()) < 1e-7 * scale
    assert float(np.abs(moment).max()) < 1e-7 * scale * 0.4


def corners(simulation: Simulation, name: str, size: tuple[float, float, float] = SIZE) -> Array:
    position, quaternion = simulation.pose(name)
    return np.asarray(box_mesh(size)[0] @ matrix(np.array(quaternion)).T + np.array(position))


PLUG = free("plug", 0.05, BOX, "position = [0.36, 0, -0.05]", SIDE)


# ---- resting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("height", [-0.2, -0.1, -0.066])
def test_a_box_falls_on_a_plane_and_rests(height: float) -> None:
    simulation = solved(cable("w", "plug"), PLUG, part("table", PLANE, f"position = [0, 0, {height}]"))
    lowest = float(corners(simulation, "plug")[:, 2].min())
    assert lowest == pytest.approx(height, abs=DEPTH)
    assert_balanced(simulation, "plug", 0.05, ("w",))
    _, forces = pushes(simulation, "plug")
    assert float(forces[:, 2].min()) > 0.0
    assert float(np.abs(forces[:, :2]).max()) == 0.0
    assert simulation.cable("w").stable


@pytest.mark.parametrize("mass", [1e-4, 20.0])
def test_light_and_heavy_connectors_rest(mass: float) -> None:
    plug = free("plug", mass, BOX, "position = [0.36, 0, -0.02]", SIDE)
    simulation = solved(cable("w", "plug"), plug, part("table", PLANE, "position = [0, 0, -0.06]"))
    assert float(corners(simulation, "plug")[:, 2].min()) == pytest.approx(-0.06, abs=DEPTH)
    assert_balanced(simulation, "plug", mass, ("w",))


def test_a_loose_box_lies_flat_and_stays() -> None:
    """No cable holds it: nothing but its weight and the table; it may lie anywhere, and does not drift."""
    loose = free("loose", 0.1, BOX, "position = [0.1, 0.2, -0.18]", "tangent = [0.1, 0.05, 1]")
    simulation = solved(cable("w", "plug"), PLUG, loose, part("table", PLANE, "position = [0, 0, -0.2]"))
    z = np.sort(corners(simulation, "loose")[:, 2])
    assert z[:4] == pytest.approx(np.full(4, -0.2), abs=2 * DEPTH)
    _, forces = pushes(simulation, "loose")
    assert forces.sum(axis=0) == pytest.approx([0.0, 0.0, 0.1 * G], abs=1e-7)
    before = simulation.pose("loose")
    simulation.move("w/start", position=(0.0, 0.01, 0.0))
    simulation.solve().raise_if_failed()
    assert simulation.pose("loose")[0] == pytest.approx(before[0], abs=1e-6)
    assert simulation.pose("loose")[1] == pytest.approx(before[1], abs=1e-6)


def test_a_ball_that_hangs_against_a_wall() -> None:
    """A thread from the wall to the middle of a ball: tan α = R/√(l² − R²), the wall pushes with m g tan α."""
    l, R, mass = 0.3, 0.05, 0.2
    ball = free("ball", mass, f'shape = {{ kind = "sphere", radius = {R} }}', "position = [0.06, 0, -0.27]",
                "frames.f = { position = [0, 0, 0] }")  # fmt: skip
    more = f'type = "thread"\nlength = {l}\nignore = ["ball"]\ncollide = false'
    simulation = solved(
        cable("w", "ball", "position = [0, 0, 0]", more), ball, part("wall", PLANE, "tangent = [1, 0, 0]")
    )
    _, forces = pushes(simulation, "ball")
    assert forces.sum(axis=0) == pytest.approx([mass * G * R / math.sqrt(l * l - R * R), 0.0, 0.0], rel=1e-4, abs=1e-9)
    assert simulation.pose("ball")[0] == pytest.approx([R, 0.0, -math.sqrt(l * l - R * R)], abs=1e-4)
    assert simulation.pose("ball")[0][0] == pytest.approx(R, abs=1e-7)


def test_a_ball_in_a_groove() -> None:
    """Two planes with slopes 3:4 and 4:3 at right angles: they carry 0.8 and 0.6 of the weight along their normals."""
    mass = 0.2
    ball = free("ball", mass, 'shape = { kind = "sphere", radius = 0.02 }', "position = [0.2, 0.01, -0.05]",
                "frames.f = { position = [-0.02, 0, 0] }")  # fmt: skip
    simulation = solved(
        cable("w", "ball", "position = [0, 0, 0]", 'type = "thread"\ncollide = false'),
        ball,
        part("left", PLANE, "position = [0, 0, -0.1]", "tangent = [0, 0.6, 0.8]"),
        part("right", PLANE, "position = [0, 0, -0.1]", "tangent = [0, -0.8, 0.6]"),
    )
    found = {contact.part: contact.pressure for contact in simulation.contacts}
    assert found["left"] == pytest.approx(0.8 * mass * G, rel=1e-4)
    assert found["right"] == pytest.approx(0.6 * mass * G, rel=1e-4)
    middle = np.array(simulation.pose("ball")[0])
    assert float((middle - [0.0, 0.0, -0.1]) @ [0.0, 0.6, 0.8]) == pytest.approx(0.02, abs=1e-7)
    assert_balanced(simulation, "ball", mass, ("w",))


def test_a_ball_slides_down_a_slope_until_its_thread_is_taut() -> None:
    angle, R, mass, l = math.radians(30.0), 0.02, 0.5, 0.25
    down, up = np.array([math.cos(angle), 0.0, -math.sin(angle)]), np.array([math.sin(angle), 0.0, math.cos(angle)])
    start, ball = R * up, R * up + 0.12 * down
    simulation = solved(
        cable("w", "ball", f"position = {start.tolist()}", f'type = "thread"\nlength = {l}\ncollide = false'),
        free("ball", mass, f'shape = {{ kind = "sphere", radius = {R} }}', f"position = {ball.tolist()}",
             "frames.f = { position = [0, 0, 0] }"),
        part("slope", PLANE, f"tangent = {up.tolist()}"),
    )  # fmt: skip
    assert float(simulation.cable("w").tension[-1]) == pytest.approx(mass * G * math.sin(angle), rel=1e-4)
    (contact,) = simulation.contacts
    assert contact.pressure == pytest.approx(mass * G * math.cos(angle), rel=1e-4)
    assert np.array(simulation.pose("ball")[0]) == pytest.approx(start + l * down, abs=1e-4)


def test_a_box_leans_in_a_corner() -> None:
    simulation = solved(
        cable("w", "plug"),
        PLUG,
        part("floor", PLANE, "position = [0, 0, -0.12]"),
        part("wall", PLANE, "position = [0.40, 0, 0]", "tangent = [-1, 0, 0]"),
    )
    found = corners(simulation, "plug")
    assert float(found[:, 2].min()) == pytest.approx(-0.12, abs=DEPTH)
    assert float(found[:, 0].max()) == pytest.approx(0.40, abs=DEPTH)
    assert {contact.part for contact in simulation.contacts} == {"floor", "wall"}
    assert_balanced(simulation, "plug", 0.05, ("w",))


def test_edges_that_cross() -> None:
    """A plug lies across the ridge of a beam: its two long lower edges cross the ridge, no corner touches."""
    turn = f"quaternion = [{math.cos(math.pi / 8)}, 0, {math.sin(math.pi / 8)}, 0]"
    beam = part("beam", 'shape = { kind = "box", size = [0.02, 0.5, 0.02] }', "position = [0.41, 0, -0.06]", turn)
    simulation = solved(cable("w", "plug", more='ignore = ["beam"]'), PLUG.replace("-0.05]", "0]"), beam)
    assert_balanced(simulation, "plug", 0.05, ("w",))
    points, _ = pushes(simulation, "plug")
    assert len(points) == 2
    ridge = [0.41, -0.06 + 0.01 * math.sqrt(2.0)]
    assert points[:, [0, 2]] == pytest.approx(np.array([ridge, ridge]), abs=1e-6)
    assert np.sort(points[:, 1]) == pytest.approx([-0.01, 0.01], abs=1e-4)


@pytest.mark.parametrize(
    "shape", ['kind = "capsule", radius = 0.01, length = 0.03', 'kind = "cylinder", radius = 0.01, length = 0.03']
)
@pytest.mark.parametrize(
    "below",
    [
        'shape = { kind = "cylinder", radius = 0.05, length = 1 }\ntangent = [0, 1, 0]\nposition = [0.39, 0, -0.12]',
        'shape = { kind = "box", size = [0.1, 0.1, 0.1] }\nposition = [0.39, 0.01, -0.14]',
        'shape = { kind = "sphere", radius = 0.05 }\nposition = [0.39, 0.005, -0.12]',
    ],
)
def test_round_connectors_on_round_and_square_things(shape: str, below: str) -> None:
    frame = "frames.f = { position = [0, 0, -0.015], tangent = [0, 0, 1] }"
    plug = free("plug", 0.1, f"shape = {{ {shape} }}", "position = [0.38, 0, -0.03]", "tangent = [1, 0, 0]", frame)
    simulation = solved(cable("w", "plug"), plug, part("below", below))
    assert_balanced(simulation, "plug", 0.1, ("w",))
    assert simulation.cable("w").report.penetration <= DEPTH


def test_two_free_connectors_push_each_other() -> None:
    """Side by side on cables 10 mm apart, each 20 mm wide."""
    top = "frames.f = { position = [0, 0, 0.015], tangent = [0, 0, -1] }"
    texts: list[str] = []
    for name, y in (("a", -0.005), ("b", 0.005)):
        texts.append(cable(f"to {name}", name, f"position = [0, {y}, 0], tangent = [0, 0, -1]"))
        texts.append(free(name, 0.1, BOX, f"position = [0, {2.2 * y}, -0.41]", top))
    simulation = solved(*texts)
    assert any({k.body, k.part} == {"a", "b"} for k in simulation.contacts)
    for name in ("a", "b"):
        assert_balanced(simulation, name, 0.1, (f"to {name}",))
    apart = np.array(simulation.pose("b")[0]) - np.array(simulation.pose("a")[0])
    assert float(apart[1]) > 0.0199


def test_parts_that_ignore_each_other_do_not_touch() -> None:
    table = part("table", PLANE, "position = [0, 0, -0.1]", 'ignore = ["plug"]')
    simulation = solved(cable("w", "plug", more='ignore = ["table"]'), PLUG, table)
    assert not simulation.contacts
    assert simulation.pose("plug")[0][2] < -0.2


def test_what_is_mounted_on_a_free_part_moves_and_touches_with_it() -> None:
    """A pin below the plug: it is the pin that comes to stand on the table."""
    pin = part(
        "pin", 'shape = { kind = "box", size = [0.01, 0.01, 0.02] }', 'parent = "plug"', "position = [0, 0, -0.025]"
    )
    simulation = solved(cable("w", "plug"), PLUG, pin, part("table", PLANE, "position = [0, 0, -0.1]"))
    assert {contact.body for contact in simulation.contacts} <= {"plug", "pin"}
    assert "pin" in {contact.body for contact in simulation.contacts}
    assert float(corners(simulation, "pin", (0.01, 0.01, 0.02))[:, 2].min()) == pytest.approx(-0.1, abs=DEPTH)
    (x, q), (y, p) = simulation.pose("plug"), simulation.pose("pin")
    assert np.array(y) == pytest.approx(np.array(x) + matrix(np.array(q)) @ [0.0, 0.0, -0.025], abs=1e-12)
    assert p == pytest.approx(q)


# ---- meshes, sheets, fast moves -------------------------------------------------------------------------------------


def write_stl(path: Path, vertices: Array, triangles: NDArray[np.int64]) -> None:
    """Binary STL in mm."""
    data = bytearray(80) + struct.pack("<I", len(triangles))
    for corner in 1000.0 * vertices[triangles]:
        data += struct.pack("<12fH", 0, 0, 0, *corner.ravel(), 0)
    path.write_bytes(bytes(data))


def ball_mesh(radius: float, rows: int = 12) -> tuple[Array, NDArray[np.int64]]:
    """A closed ball of triangles."""
    polar = np.pi * np.arange(1, rows) / rows
    around = 2.0 * np.pi * np.arange(2 * rows) / (2 * rows)
    ring = np.array(
        [[math.sin(a) * math.cos(b), math.sin(a) * math.sin(b), math.cos(a)] for a in polar for b in around]
    )
    vertices = radius * np.concatenate([[[0.0, 0.0, 1.0]], ring, [[0.0, 0.0, -1.0]]])
    n, last = len(around), len(vertices) - 1
    faces: list[tuple[int, int, int]] = []
    for j in range(n):
        k = (j + 1) % n
        faces += [(0, 1 + j, 1 + k), (last, last - n + k, last - n + j)]
        for i in range(len(polar) - 1):
            a, b = 1 + i * n, 1 + (i + 1) * n
            faces += [(a + j, b + j, b + k), (a + j, b + k, a + k)]
    return vertices, np.array(faces, dtype=np.int64)


def test_mesh_connectors_on_mesh_parts(tmp_path: Path) -> None:
    write_stl(tmp_path / "plug.stl", *ball_mesh(0.02))
    write_stl(tmp_path / "tray.stl", *box_mesh((0.5, 0.5, 0.1)))
    text = (
        TYPES
        + cable("w", "plug")
        + free("plug", 0.05, 'mesh = "plug.stl"', 'units = "mm"', "position = [0.36, 0, -0.05]", SIDE)
    )
    text += part("tray", 'mesh = "tray.stl"', 'units = "mm"', "position = [0.3, 0, -0.15]")
    (tmp_path / "scene.toml").write_text(text)
    simulation = Simulation(Scene.load(tmp_path / "scene.toml"))
    simulation.solve().raise_if_failed()
    assert_balanced(simulation, "plug", 0.05, ("w",))
    z = simulation.pose("plug")[0][2]
    assert -0.1 + 0.02 * math.cos(math.pi / 24) ** 2 - DEPTH < z < -0.1 + 0.02 + DEPTH


@pytest.mark.parametrize("mass", [0.05, 20.0])
def test_no_connector_falls_through_a_thin_open_sheet(tmp_path: Path, mass: float) -> None:
    sheet = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    write_stl(tmp_path / "sheet.stl", sheet, np.array([[0, 1, 2], [0, 2, 3]]))
    text = (
        TYPES + cable("w", "plug", more="length = 0.5") + free("plug", mass, BOX, "position = [0.36, 0, -0.05]", SIDE)
    )
    text += part("sheet", 'mesh = "sheet.stl"', 'units = "mm"', "position = [0, 0, -0.2]")
    (tmp_path / "scene.toml").write_text(text)
    simulation = Simulation(Scene.load(tmp_path / "scene.toml"))
    simulation.solve().raise_if_failed()
    thick = 1e-3 * 0.5 * math.dist(SIZE, (0, 0, 0))  # as a sheet is taken to be for parts
    assert float(corners(simulation, "plug")[:, 2].min()) == pytest.approx(-0.2 + thick, abs=1e-6)
    assert_balanced(simulation, "plug", mass, ("w",))
    simulation.move("w/start", position=(0.0, 0.3, 0.1))  # a jump that pulls it along and up
    simulation.solve()
    assert float(corners(simulation, "plug")[:, 2].min()) > -0.2


# ---- held parts ------------------------------------------------------------------------------------------------------


HELD = part("plug", 'motion = "held"', BOX, "position = [0.36, 0, -0.05]", SIDE)
TABLE = part("table", PLANE, "position = [0, 0, -0.1]")


def test_a_held_part_stops_at_a_plane() -> None:
    simulation = solved(cable("w", "plug"), HELD, TABLE)
    simulation.move("plug", position=(0.30, 0.0, -0.2))
    report = simulation.solve()
    assert report.ok
    assert report.reason == "plug stopped at table after 23.3 % of its way"
    part_of_way = 0.035 / 0.15
    expected = (0.36 - 0.06 * part_of_way, 0.0, -0.085)
    assert simulation.pose("plug")[0] == pytest.approx(expected, abs=2 * DEPTH)
    assert simulation.scene.part("plug").position == pytest.approx(expected, abs=2 * DEPTH)
    assert simulation.cable("w").positions[-1] == pytest.approx(
        np.array(expected) - np.array([0.02, 0, 0]), abs=2 * DEPTH
    )
    simulation.move("plug", position=(0.30, 0.0, -0.2))  # pressing on does not lead deeper
    assert simulation.solve().ok
    assert simulation.pose("plug")[0] == pytest.approx(expected, abs=2 * DEPTH)
    simulation.move("plug", position=(0.25, 0.0, simulation.pose("plug")[0][2]))  # along the table it goes
    assert simulation.solve().reason == ""
    assert simulation.pose("plug")[0][0] == 0.25


def test_a_turning_part_stops_where_its_corner_touches() -> None:
    """Half a diagonal is longer than half a side: it stops when z = ½(a sin θ + c cos θ) reaches the table."""
    simulation = solved(cable("w", "plug"), HELD, part("table", PLANE, "position = [0, 0, -0.07]"))
    simulation.move("plug", quaternion=(math.cos(math.pi / 4), 0.0, math.sin(math.pi / 4), 0.0))
    report = simulation.solve()
    assert report.ok
    assert "plug stopped at table" in report.reason
    angle = 2.0 * math.acos(simulation.pose("plug")[1][0])
    assert 0.5 * (SIZE[0] * math.sin(angle) + SIZE[2] * math.cos(angle)) == pytest.approx(0.02, abs=2 * DEPTH)


def test_a_held_part_passes_no_thin_sheet_in_a_jump(tmp_path: Path) -> None:
    sheet = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    write_stl(tmp_path / "sheet.stl", sheet, np.array([[0, 1, 2], [0, 2, 3]]))
    text = TYPES + cable("w", "plug", more="length = 0.8") + HELD
    text += part("sheet", 'mesh = "sheet.stl"', 'units = "mm"', "position = [0, 0, -0.1]")
    (tmp_path / "scene.toml").write_text(text)
    simulation = Simulation(Scene.load(tmp_path / "scene.toml"))
    simulation.solve().raise_if_failed()
    simulation.move("plug", position=(0.36, 0.0, -0.5))
    report = simulation.solve()
    assert report.ok
    assert "stopped at sheet" in report.reason
    assert float(corners(simulation, "plug")[:, 2].min()) == pytest.approx(-0.1, abs=1e-4)


def test_a_plug_goes_into_the_socket_it_ignores_and_out_of_one_it_overlaps() -> None:
    block = ['shape = { kind = "box", size = [0.08, 0.04, 0.06] }', "position = [0.36, 0.1, -0.05]"]
    simulation = solved(
        cable("w", "plug", more='ignore = ["socket"]'),
        HELD.replace("motion", 'ignore = ["socket"]\nmotion'),
        part("socket", *block),
    )
    simulation.move("plug", position=(0.36, 0.1, -0.05))
    report = simulation.solve()
    assert report.ok
    assert report.reason == ""
    block[1] = "position = [0.36, 0.025, -0.05]"  # 5 mm too near
    simulation = solved(cable("w", "plug"), HELD, part("socket", *block))
    assert any(
        "plug is 5 mm inside socket" in note or "socket is 5 mm inside plug" in note for note in simulation.notes
    )
    simulation.move("plug", position=(0.36, 0.01, -0.05))
    assert "stopped at socket" in simulation.solve().reason
    assert simulation.pose("plug")[0][1] == pytest.approx(0.0, abs=1e-6)
    simulation.move("plug", position=(0.36, -0.02, -0.05))
    assert simulation.solve().reason == ""


def test_children_stop_their_parent() -> None:
    pin = part("pin", 'shape = { kind = "sphere", radius = 0.01 }', 'parent = "plug"', "position = [0, 0, -0.04]")
    simulation = solved(cable("w", "plug"), HELD.replace("-0.05]", "-0.03]"), pin, TABLE)
    simulation.move("plug", position=(0.36, 0.0, -0.2))
    assert "plug stopped at table" in simulation.solve().reason
    assert simulation.pose("plug")[0][2] == pytest.approx(-0.05, abs=2 * DEPTH)
    assert simulation.pose("pin")[0][2] == pytest.approx(-0.09, abs=2 * DEPTH)


def test_a_fixed_part_goes_where_it_is_told() -> None:
    simulation = solved(cable("w", "plug"), HELD.replace('"held"', '"fixed"'), TABLE)
    simulation.move("plug", position=(0.36, 0.0, -0.09))
    assert simulation.solve().reason == ""
    assert simulation.pose("plug")[0] == (0.36, 0.0, -0.09)


def test_a_held_part_pushes_a_free_one_which_pulls_its_cable() -> None:
    pusher = part("pusher", 'shape = { kind = "box", size = [0.02, 0.1, 0.1] }', "position = [0.41, -0.1, -0.045]",
                  'motion = "held"')  # fmt: skip
    simulation = solved(cable("w", "plug"), PLUG, TABLE, pusher)
    before = simulation.cable("w").reactions["start"].force[1]
    assert abs(before) < 1e-6
    for y in (-0.05, 0.0, 0.02):
        simulation.move("pusher", position=(0.41, y, -0.045))
        report = simulation.solve().raise_if_failed()
        assert report.reason == ""
        assert_balanced(simulation, "plug", 0.05, ("w",))
    points, forces = pushes(simulation, "plug")
    side = np.abs(forces[:, 1]) > 0.0
    assert float(points[side, 1].max()) == pytest.approx(0.07, abs=2 * DEPTH)  # on the face of the pusher
    assert simulation.pose("plug")[0][1] > 0.07
    assert simulation.cable("w").reactions["start"].force[1] < -1e-3


# ---- what is told ----------------------------------------------------------------------------------------------------


def test_contacts_of_parts_are_told() -> None:
    simulation = simulated(cable("w", "plug"), PLUG, TABLE)
    found = findings(simulation, simulation.solve())
    told = [k for k in document(found)["contacts"] if k["body"] == "plug"]
    assert len(told) == 2
    for contact in told:
        assert (contact["cable"], contact["at"], contact["place"], contact["part"]) == (None, None, None, "table")
        assert contact["force"] == pytest.approx([0.0, 0.0, contact["pressure"]])
    assert document(found)["parts"]["plug"]["position"][2] > -0.1
    rows = list(csv.DictReader(io.StringIO(contacts_csv(found.scene, found.contacts))))
    assert [row["part"] for row in rows if row["body"] == "plug"] == ["table", "table"]
    stream = io.StringIO()
    print_findings(found, Console(file=stream, width=120))
    assert "plug" in stream.getvalue()
    assert "table" in stream.getvalue()


# ---- state -----------------------------------------------------------------------------------------------------------


def test_state_copy_and_pickle_keep_a_resting_connector() -> None:
    simulation = solved(cable("w", "plug"), PLUG, TABLE)
    state = pickle.loads(pickle.dumps(simulation.state()))
    pose = simulation.pose("plug")
    simulation.move("w/start", position=(-0.03, 0.02, 0.0))
    simulation.solve().raise_if_failed()
    moved = simulation.pose("plug")
    simulation.restore(state)
    assert simulation.pose("plug") == pose
    simulation.move("w/start", position=(-0.03, 0.02, 0.0))
    simulation.solve().raise_if_failed()
    assert simulation.pose("plug")[0] == pytest.approx(moved[0], abs=1e-5)
    other = simulation.copy()
    assert other.pose("plug") == simulation.pose("plug")
    other.move("w/start", position=(0.0, 0.0, 0.0))
    other.solve().raise_if_failed()
    assert other.pose("plug")[0] == pytest.approx(pose[0], abs=1e-5)


def test_a_saved_scene_has_free_things_where_they_came_to_rest(tmp_path: Path) -> None:
    """Parts and junctions used to be saved where the scene first had them, and fell again when it was opened."""
    hose = {"stiffness": {"bending": 0.01, "torsion": 0.007}, "mass_per_length": 0.05, "radius": 0.004, "points": 21}
    start = {"position": [0, 0, 0], "tangent": [1, 0, 0], "roll": 0}
    cables = [
        {**hose, "name": "a", "length": 0.3, "start": start},
        {
            **hose,
            "name": "b",
            "length": 0.2,
            "end": {"on": "plug", "position": [0, 0, 0], "tangent": [1, 0, 0], "roll": 0},
        },
    ]
    joint = {"name": "Y", "members": [{"cable": "a", "at": "end"}, {"cable": "b", "at": "start"}]}
    table = {"name": "table", "shape": {"kind": "plane"}, "position": [0, 0, -0.2]}
    box = {"kind": "box", "size": [0.03, 0.03, 0.02]}
    plug = {"name": "plug", "shape": box, "position": [0.48, 0, 0], "motion": "free", "mass": 0.1}
    sim = Simulation(Scene.from_dict({"cables": cables, "junctions": [joint], "parts": [table, plug]}))
    sim.solve().raise_if_failed()
    assert sim.pose("plug")[0][2] < -0.1
    assert sim.scene.part("plug").position == sim.pose("plug")[0]
    said = sim.scene.junction("Y").pose
    assert said is not None
    assert [*said[0], *said[1]] == pytest.approx([*sim.pose("Y")[0], *sim.pose("Y")[1]], abs=1e-12)
    sim.save(tmp_path / "y.toml")
    opened = Simulation(Scene.load(tmp_path / "y.toml"))
    for name in ("plug", "Y"):
        assert opened.pose(name)[0] == pytest.approx(sim.pose(name)[0], abs=1e-12)
        assert opened.pose(name)[1] == pytest.approx(sim.pose(name)[1], abs=1e-12)
    opened = Simulation.open(tmp_path / "y.toml")
    assert not opened.notes
    for name in ("a", "b"):
        assert opened.cable(name).positions == pytest.approx(sim.cable(name).positions, abs=1e-6)
    sim.edit("a", mass_per_length=0.06)
    assert sim.pose("plug")[0][2] < -0.1  # and an edit goes on from there


IN_THE_WAY = """
    [types.wire]
    stiffness = { bending = 0.01, torsion = 0.008 }
    mass_per_length = 0.06
    radius = 0.004
    [[cables]]
    name = "c"
    type = "wire"
    length = 0.5
    start = { START, tangent = [1, 0, 0] }
    end = { position = [0.2, 0, 0.06], tangent = [1, 0, 0] }
    [[parts]]
    name = "block"
"""


def test_what_a_cold_start_pushes_out_of_a_part_is_named() -> None:
    ball = 'shape = { kind = "sphere", radius = 0.06 }\nposition = [0, 0, -0.03]\n'
    text = IN_THE_WAY.replace("START", "position = [-0.2, 0, 0.06]") + ball
    report = Simulation(Scene.from_toml(text)).solve().raise_if_failed()
    assert any(k.startswith("pushed out of block (20.7 mm deep") for k in report.cables["c"].methods)
    assert not report.cables["c"].warnings


def test_a_cable_that_cannot_leave_the_part_it_is_mounted_on_says_so() -> None:
    box = 'shape = { kind = "box", size = [0.2, 0.05, 0.05] }\nposition = [-0.1, 0, 0.06]\n'
    text = IN_THE_WAY.replace("START", 'on = "block", position = [0, 0, 0]') + box
    report = Simulation(Scene.from_toml(text)).solve()
    assert not report.ok
    assert "c could not be pushed out of block" in report.reason
    assert "let the cable ignore block" in report.reason
    assert "motion" not in report.reason


@pytest.mark.parametrize(("start", "end"), [(0.8, -0.6), (0.0, 2.0), (-1.0, 1.5)])
def test_a_cold_start_that_pushes_a_cable_out_of_a_part_keeps_the_roll_of_its_clamps(start: float, end: float) -> None:
    ball = 'shape = { kind = "sphere", radius = 0.06 }\nposition = [0, 0, -0.03]\n'
    text = IN_THE_WAY.replace("START", f"roll = {start}, position = [-0.2, 0, 0.06]")
    text = text.replace(
        "0.06], tangent = [1, 0, 0] }\n    [[parts", f"0.06], tangent = [1, 0, 0], roll = {end} }}\n    [[parts"
    )
    sim = Simulation(Scene.from_toml(text + ball))
    report = sim.solve().raise_if_failed()
    assert any(k.startswith("pushed out of block") for k in report.cables["c"].methods)
    assert_ends_are_as_asked(sim, "c")
    cable = sim.cable("c")
    twist = float(np.trapezoid(cable.torsion, cable.s))
    assert twist == pytest.approx(end - start, abs=1.0)  # the rest is writhe; a turn too many is 2π


def test_a_cylinder_in_the_way_takes_no_roll_off_a_clamp() -> None:
    sim = Simulation(Scene.load(CASES / "roll_lost.json"))
    sim.solve().raise_if_failed()
    assert_ends_are_as_asked(sim, "c0")


def test_cables_that_begin_with_given_shapes_keep_the_roll_of_their_clamps() -> None:
    text = """
    [types.wire]
    stiffness = { bending = 0.01, torsion = 0.008 }
    mass_per_length = 0.06
    radius = 0.004
    """
    for name, x, y in (("a", 0.2, 0.0), ("b", 0.0, 0.2)):
        text += f"""
    [[cables]]
    name = "{name}"
    type = "wire"
    length = 0.5
    start = {{ position = [{-x}, {-y}, 0], tangent = [{5 * x}, {5 * y}, 0], roll = 0.5 }}
    end = {{ position = [{x}, {y}, 0], tangent = [{5 * x}, {5 * y}, 0], roll = -0.9 }}
    initial = {{ points = [[{-x}, {-y}, 0], [0, 0, {-0.13 if name == "a" else -0.1}], [{x}, {y}, 0]] }}
    """
    sim = Simulation(Scene.from_toml(text))
    sim.solve().raise_if_failed()
    for name in ("a", "b"):
        assert_ends_are_as_asked(sim, name)


def assert_ends_are_as_asked(sim: Simulation, name: str) -> None:
    cable = sim.cable(name)
    for end, q in (
        (sim.scene.cable(name).start, cable.quaternions[0]),
        (sim.scene.cable(name).end, cable.quaternions[-1]),
    ):
        assert end is not None
        assert abs(q @ np.array(end.orientation)) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("centre", [(0.0, 0.01, 0.0), (0.0, 0.0, 0.01), (0.0, -0.004, -0.01)])
def test_a_plug_on_two_balls_hangs_with_its_centre_below_them(centre: tuple[float, float, float]) -> None:
    scene = Scene.load(CASES / "plug_two_balls.json")
    sim = Simulation(scene.with_values({"plug/center_of_mass": list(centre)}))
    sim.solve().raise_if_failed()
    position, quaternion = sim.pose("plug")
    arm = matrix(np.array(quaternion)) @ np.array(centre)
    assert arm == pytest.approx([0.0, 0.0, -math.hypot(*centre)], abs=1e-6)
    assert position[0] == pytest.approx(0.0, abs=1e-6)
    pull = sum(sim.cable(name).reactions["end"].force[2] for name in ("c0", "c1"))
    assert pull == pytest.approx(-0.01 * G, rel=1e-5)  # on the cables


@pytest.mark.parametrize("seed", range(6))
def test_a_weight_on_one_ball_hangs_below_it(seed: int) -> None:
    """That it may spin made it "unstable", or kept a solve from its last digits."""
    rng = np.random.default_rng(seed)
    ball, centre = 0.02 * rng.normal(size=(2, 3))
    (x, y, z), (u, v, w), mass = ball, centre, float(rng.uniform(0.01, 0.3))
    sim = solved(
        cable("w", "weight", f"position = [0, 0, 0], tangent = {rng.normal(size=3).tolist()}, roll = 0"),
        free("weight", mass, f"frames.f = {{ position = [{x}, {y}, {z}] }}", f"center_of_mass = [{u}, {v}, {w}]")
        + "position = [0.2, 0.05, -0.1]\ncollide = false",
    )
    arm = matrix(np.array(sim.pose("weight")[1])) @ (centre - ball)
    assert arm == pytest.approx([0.0, 0.0, -float(np.linalg.norm(centre - ball))], abs=1e-6)
    assert sim.cable("w").reactions["end"].force == pytest.approx([0.0, 0.0, -mass * G], abs=1e-6 * mass * G)


def test_a_swivel_on_a_free_part_is_refused_with_its_reason() -> None:
    """Its direction would have to turn with the part: moments on the part did not balance."""
    hung = cable("w", "weight").replace('frame = "f"', 'frame = "f", kind = "swivel"')
    weight = free("weight", 0.1, "frames.f = { position = [0, 0, 0.02], tangent = [0, 0, -1] }", "collide = false")
    report = simulated(hung, weight).solve()
    assert report.status == "not_converged"
    assert "w/end: a swivel cannot be on weight yet" in report.reason
    solved(hung.replace("swivel", "clamp"), weight)
