"""The scene as the page knows it: everything that is not a shape."""

from __future__ import annotations

from typing import Any

from lissom.analysis.catalogue import facts
from lissom.reports import SolveError
from lissom.rods.line import NO_DIRECTION
from lissom.routing import Feed, Soft
from lissom.scene import Cable, CableType, Scene
from lissom.scene.library import library
from lissom.scene.sections import SectionProperties
from lissom.session.desk import Variant
from lissom.session.machines import machine_info
from lissom.session.messages.events import (
    CableInfo,
    ClipInfo,
    FrameInfo,
    JunctionInfo,
    MakeInfo,
    PartInfo,
    SceneEvent,
    Support,
    TypeInfo,
    VariantInfo,
)
from lissom.session.messages.values import Vec3, Vec4
from lissom.session.motions import joint_infos, motion_infos, position_infos
from lissom.session.moving import is_joined
from lissom.session.outlines import THINNEST, outline
from lissom.session.session import Session
from lissom.session.surfaces import Surfaces


def describe(session: Session, surfaces: Surfaces) -> SceneEvent:
    """All of it, as it is now."""
    simulation, desk = session.simulation, session.desk
    scene = simulation.scene
    data = scene.to_dict()
    session.described = True
    return SceneEvent(
        title=scene.title,
        file=None if session.file is None else session.workspace.said(session.file),
        unsaved=session.unsaved,
        recovered=session.recovered,
        undo=session.history.undo_label,
        redo=session.history.redo_label,
        simulate=session.simulate,
        recording=session.recorder.on,
        unit=desk.unit,
        gravity=scene.gravity,
        cables=[cable_info(session, k, said) for k, said in zip(scene.cables, data.get("cables", ()), strict=True)],
        parts=[part_info(session, surfaces, said) for said in data.get("parts", ())],
        junctions=[
            JunctionInfo(
                k.name,
                k.motion,
                [
                    f"{m.cable}/{m.end(scene.cable(m.cable).length) or f'{m.place(scene.cable(m.cable).length):.4g}'}"
                    for m in k.members
                ],
                *simulation.pose(k.name),
                said,
            )
            for k, said in zip(scene.junctions, data.get("junctions", ()), strict=True)
        ],
        types=[*(type_info(k, made) for k, made in scene.types.items()), *library_types()],
        hidden=list(desk.hidden),
        locked=list(desk.locked),
        transparent=list(desk.transparent),
        groups={key: list(names) for key, names in desk.groups.items()},
        views=list(desk.views),
        measures=list(desk.measures),
        variants=[variant_info(k) for k in desk.variants],
        points=list(desk.points),
        colour=desk.colour,
        question=desk.question,
        joints=joint_infos(scene),
        positions=position_infos(scene),
        motions=motion_infos(scene),
        taking=session.take is not None,
        machine=machine_info(session),
    )


def cable_info(session: Session, cable: Cable, said: dict[str, Any]) -> CableInfo:
    scene = session.simulation.scene
    made = scene.type_of(cable)
    section = SectionProperties.of(made)
    mode = session.simulation.mode(cable.name)
    limits = made.limits
    return CableInfo(
        cable.name,
        cable.type,
        cable.length,
        max(section.radius, THINNEST),
        outline(made, section),
        points(session, cable.name),
        supports(session, scene, cable),
        {} if limits is None else {k: v for k, v in limits.model_dump().items() if v is not None},
        "soft" if isinstance(mode, Soft) else "feed" if isinstance(mode, Feed) else "fixed",
        mode.bent if isinstance(mode, Soft) else None,
        {
            "bending about d1": section.bending[0],
            "bending about d2": section.bending[1],
            "torsion": section.torsion,
            "mass_per_length": section.mass_per_length,
        },
        said,
    )


def variant_info(kept: Variant) -> VariantInfo:
    makes = [make_info(k) for k in kept.scene.cables]
    return VariantInfo(kept.name, kept.shown, list(kept.values), makes, kept.drawn if kept.shown else {})


def make_info(cable: Cable) -> MakeInfo:
    """As its scene says it."""
    return MakeInfo(cable.name, cable.type, [ClipInfo(k.name, k.kind, k.place(cable.length)) for k in cable.clips])


def points(session: Session, name: str) -> int:
    try:
        return len(session.simulation.cable(name).s)
    except SolveError:
        return 0


def supports(session: Session, scene: Scene, cable: Cable) -> list[Support]:
    """Start, clips, end: also the ends that nothing holds."""
    said = cable.held
    found: list[Support] = []
    for k in session.simulation.supports(cable.name):
        held = said.get(k.name)
        kind = "joined" if is_joined(session, cable.name, k.name) else k.kind
        on = None if held is None else held.on
        turn = None if k.direction == NO_DIRECTION else k.quaternion
        found.append(Support(f"{cable.name}/{k.name}", k.name, kind, k.place / cable.length, on, k.position, turn))
    for name, at in (("start", 0.0), ("end", 1.0)):
        if not any(k.name == name for k in found):
            x, q = end_pose(session, cable.name, int(at) * -1)
            found.append(Support(f"{cable.name}/{name}", name, "free", at, None, x, q))
    return sorted(found, key=lambda k: k.at)


def end_pose(session: Session, name: str, point: int) -> tuple[Vec3, Vec4 | None]:
    try:
        result = session.simulation.cable(name)
    except SolveError:
        return (0.0, 0.0, 0.0), None
    (x, y, z), (a, b, c, d) = result.positions[point].tolist(), result.quaternions[point].tolist()
    return (x, y, z), (a, b, c, d)


def part_info(session: Session, surfaces: Surfaces, said: dict[str, Any]) -> PartInfo:
    scene = session.simulation.scene
    part = scene.part(said["name"])
    key, closed, triangles = surfaces.key(scene, part)
    pose = session.simulation.pose(part.name)
    frames = [FrameInfo(name, k.position, k.direction, k.orientation) for name, k in part.frames.items()]
    return PartInfo(part.name, key, closed, triangles, part.motion, part.parent, frames, *pose, said)


def library_types() -> list[TypeInfo]:
    return [type_info(f"library:{name}", made) for name, made in library().items()]


def type_info(name: str, made: CableType) -> TypeInfo:
    summary = ", ".join(value for _, value in list(facts(made))[:2])
    return TypeInfo(name, summary, made.model_dump(exclude_none=True, mode="json"))
