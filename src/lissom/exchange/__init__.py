"""CAD in and out: surfaces of parts from mesh files."""

from lissom.exchange.meshfiles import MeshData, MeshError, part_mesh, read_mesh, shape_mesh

__all__ = ["MeshData", "MeshError", "part_mesh", "read_mesh", "shape_mesh"]
