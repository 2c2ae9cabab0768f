"""What can be shown of a scene before anything is solved, or even compiled: its description, and the shape it had."""

from __future__ import annotations

from lissom.scene import Scene, SceneError
from lissom.scene.sections import SectionProperties
from lissom.session import wire
from lissom.session.desk import Desk, Shapes, desk_path, load_desk
from lissom.session.gallery import gallery
from lissom.session.messages.events import CableInfo, SceneEvent
from lissom.session.messages.snapshots import Frame, Strand
from lissom.session.outlines import THINNEST, outline
from lissom.session.workspace import Workspace, WorkspaceError


def stored(workspace: Workspace, file: str | None, demo: str | None) -> tuple[SceneEvent, bytes] | None:
    """The description and a frame; None where nothing was stored. What is wrong with the files is said on opening."""
    try:
        path = workspace.scene(file) if file is not None else gallery()[demo or ""]
        scene = Scene.load(path)
        desk, shapes, _ = load_desk(desk_path(path))
    except (KeyError, ValueError, OSError, SceneError, WorkspaceError):
        return None
    return description(scene, desk, file), stored_frame(shapes)


def description(scene: Scene, desk: Desk, file: str | None) -> SceneEvent:
    return SceneEvent(
        title=scene.title,
        file=file,
        unsaved=False,
        recovered=False,
        undo="",
        redo="",
        simulate=True,
        recording=False,
        unit=desk.unit,
        gravity=scene.gravity,
        cables=[cable_info(scene, k.name) for k in scene.cables],
        parts=[],
        junctions=[],
        types=[],
        hidden=list(desk.hidden),
        locked=[],
        transparent=list(desk.transparent),
        groups={},
        views=list(desk.views),
        measures=[],
        variants=[],
        points=[],
        colour="none",
        question=desk.question,
    )


def cable_info(scene: Scene, name: str) -> CableInfo:
    cable, made = scene.cable(name), scene.type_of(name)
    section = SectionProperties.of(made)
    radius = max(section.radius, THINNEST)
    return CableInfo(name, cable.type, cable.length, radius, outline(made, section), 0, [], {}, "fixed", None, {}, {})


def stored_frame(shapes: Shapes) -> bytes:
    """Shapes of a file, before anything has been solved."""
    strands = [Strand(name, len(x), 0.0, 0.0, 0.0) for name, (x, _) in shapes.items()]
    arrays = [(wire.numbers(x), wire.numbers(q), wire.numbers([0.0] * len(x))) for x, q in shapes.values()]
    return wire.frame_bytes(Frame(0, 0.0, "stored", "", "none", strands, [], None), arrays)
