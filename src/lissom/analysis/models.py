"""Shapes out: all cables and parts, where they are, as one binary glTF file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lissom.analysis.scenery import scenery
from lissom.scene.files import write_atomically
from lissom.simulation import Simulation

ENDLESS = 100.0
"""m: what is larger stands for an endless plane, and is left out."""

UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""z up here, y up in glTF."""


def write_glb(path: Path, simulation: Simulation) -> None:
    """Metres, y up as the format has it; every cable and part a mesh of its own name."""
    import trimesh  # slow to load, and the studio starts without it

    poses = {part.name: simulation.pose(part.name) for part in simulation.scene.parts}
    cables = [simulation.cable(name) for name in simulation.cables]
    whole = trimesh.Scene()
    for thing in scenery(simulation.scene, poses, cables):
        vertices = 0.001 * thing.vertices @ UP.T
        if np.ptp(vertices, axis=0).max() < ENDLESS:
            mesh = trimesh.Trimesh(vertices, thing.triangles, process=False)
            whole.add_geometry(mesh, node_name=thing.name, geom_name=thing.name)
    write_atomically(path, bytes(whole.export(file_type="glb")))  # type: ignore[no-untyped-call]
