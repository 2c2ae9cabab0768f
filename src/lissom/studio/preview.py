"""What an uploaded mesh looks like before it becomes a part: its size and what is wrong with it."""

from __future__ import annotations

from typing import Any

from lissom.scene import Scene, SceneError
from lissom.session.uploads import upload_file
from lissom.session.workspace import Workspace


def preview(workspace: Workspace, key: str) -> dict[str, Any]:
    """Bounding box in the file's own numbers, triangles, warnings. Raises ValueError for a file that is no mesh."""
    from lissom.exchange import part_mesh

    file = upload_file(workspace, key)
    part: dict[str, Any] = {"name": "mesh", "mesh": str(file)}
    if file.suffix not in (".glb", ".gltf"):
        part["units"] = "m"
    try:
        scene = Scene.from_dict({"parts": [part]})
        mesh = part_mesh(scene, scene.parts[0])
    except SceneError as error:
        raise ValueError(str(error).replace(str(file), "the file")) from None
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    return {
        "low": low.tolist(),
        "high": high.tolist(),
        "triangles": len(mesh.triangles),
        "closed": bool(mesh.closed),
        "warnings": list(mesh.warnings),
        "needs_units": "units" in part,
    }
