"""Changing what there is: fields, clips, cables, parts, junctions."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lissom.assembling import make_solid
from lissom.building import free_name
from lissom.scene import Scene, SceneError
from lissom.scene.files import write_atomically
from lissom.scene.frames import frame_quaternion
from lissom.scene.pose import relative
from lissom.scene.saving import path_from
from lissom.session.beside import ABOVE, room_beside
from lissom.session.measuring import measure_text
from lissom.session.messages.commands import (
    AddCable,
    AddClip,
    AddPart,
    AddShape,
    AddType,
    Duplicate,
    Edit,
    Join,
    Mount,
    Remove,
    Rename,
    SpaceClips,
)
from lissom.session.messages.events import Notice
from lissom.session.messages.values import Json, Vec4
from lissom.session.session import Act, Session
from lissom.session.surfaces import surface_of
from lissom.session.uploads import upload_file
from lissom.session.workspace import Workspace, WorkspaceError

TURNED_UP: dict[str, Vec4] = {
    "z": (1.0, 0.0, 0.0, 0.0),
    "y": (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0),
    "x": (math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0),
}
"""The rotation that makes an axis of a file point up."""

HUGE = 100.0
"""A part that many times larger (or smaller) than the cables: its units are probably wrong."""


def edit(session: Session, command: Edit) -> Json:
    simulation = session.simulation
    scene = simulation.scene.with_values(command.values)
    stays_inside(session, scene)
    simulation.replace_scene(scene)
    session.solve()
    return None


def stays_inside(session: Session, scene: Scene) -> None:
    """A page may name only files of the workspace; what the scene file itself names was there before."""
    before = {file for _, file in named_files(session.simulation.scene)}
    for field, name in named_files(scene):
        if name not in before:
            file = os.path.realpath(scene.folder / name)
            if not Path(file).is_relative_to(session.workspace.folder):
                raise WorkspaceError(f"{field} = {name!r:.80}: leads out of the workspace")


def named_files(scene: Scene) -> Iterator[tuple[str, str]]:
    """Meshes and recordings, each with the field that names it."""
    for part in scene.parts:
        if part.mesh is not None:
            yield f"{part.name}/mesh", part.mesh
    for motion in scene.motions:
        for track in motion.tracks:
            yield f"{motion.name}/tracks", track.file


def add_clip(session: Session, command: AddClip) -> Json:
    path = session.simulation.add_clip(command.cable, at=command.at, kind=command.clip)
    session.solve()
    return path


def space_clips(session: Session, command: SpaceClips) -> Json:
    paths = session.simulation.space_clips(command.cable, command.count, kind=command.clip)
    session.solve()
    return list(paths)


def add_cable(session: Session, command: AddCable) -> Json:
    simulation = session.simulation
    scene = simulation.scene
    name = command.name or free_name("cable", names(scene))
    fields: dict[str, Any] = {}
    if command.type is not None:
        fields["type"] = command.type
    elif scene.cables:
        last = scene.to_dict()["cables"][-1]
        fields = {
            key: last[key]
            for key in ("type", "section", "material", "stiffness", "mass_per_length", "radius")
            if key in last
        }
    else:
        fields["type"] = next(iter(scene.types), None) or "library:brake-hose-epdm"
    ends = [mounted(session, k) for k in (command.start, command.end)]
    session.report = simulation.add_cable(name, start=ends[0], end=ends[1], length=command.length, **fields)
    session.changed = True
    return name


def add_type(session: Session, command: AddType) -> Json:
    session.simulation.add_type(command.name, like=command.like, cable=command.cable)
    session.solve()
    return command.name


def mounted(session: Session, mount: Mount) -> dict[str, Any]:
    """The fields of an end: in the axes of its part where it is on one."""
    if mount.on is None:
        return {"position": mount.position, "tangent": mount.tangent}
    frame = frame_quaternion(mount.tangent, 0.0)
    position, quaternion = relative(session.simulation.pose(mount.on), (mount.position, frame))
    return {"on": mount.on, "position": position, "quaternion": quaternion}


def prepare_part(workspace: Workspace, command: AddPart) -> None:
    """Reads the mesh and makes it something to touch: seconds for a million triangles, which can pass elsewhere.

    What cannot be read is said when the part is added.
    """
    with contextlib.suppress(SceneError, ValueError):
        file = upload_file(workspace, command.upload)
        units = {} if file.suffix == ".glb" else {"units": command.units}
        scene = Scene.from_dict({"parts": [{"name": "mesh", "mesh": str(file), **units}]})
        make_solid(scene, scene.parts[0])


def add_part(session: Session, command: AddPart) -> Json:
    """The uploaded file goes to a folder `meshes` beside the scene."""
    source = upload_file(session.workspace, command.upload)
    scene = session.simulation.scene
    beside = session.file.parent if session.file is not None else session.workspace.folder
    folder = session.workspace.folder_in(beside, "meshes")
    name = free_name(command.name, names(scene))
    target = session.workspace.free_name(command.name, source.suffix.lower(), folder)
    write_atomically(target, source.read_bytes())
    units = {} if source.suffix.lower() == ".glb" else {"units": command.units}
    try:
        session.simulation.add_part(
            name,
            mesh=path_from(str(target), str(scene.folder.resolve())),
            **units,
            position=command.position,
            quaternion=TURNED_UP[command.up],
            motion="held",
        )
    except (SceneError, ValueError):
        target.unlink()
        raise
    session.solve()
    warn_of_size(session, name)
    return name


def add_shape(session: Session, command: AddShape) -> Json:
    name = free_name(command.name, names(session.simulation.scene))
    session.simulation.add_part(name, shape=command.shape, position=command.position, motion="held")
    session.solve()
    return name


def warn_of_size(session: Session, name: str) -> None:
    """Says so where a part is far larger or smaller than the cables."""
    scene = session.simulation.scene
    lengths = [cable.length for cable in scene.cables]
    vertices = surface_of(scene, scene.part(name))[0]
    if not lengths or not len(vertices):
        return
    size, longest = float(np.ptp(vertices, axis=0).max()), max(lengths)
    if size > HUGE * longest or size < longest / HUGE:
        word = "larger" if size > longest else "smaller"
        ratio = max(size / longest, longest / size)
        text = f"{name} is {ratio:.0f} times {word} than the longest cable: are its units right?"
        session.tell(Notice("warning", text, name))


def join(session: Session, command: Join) -> Json:
    name = session.simulation.join(command.ends, name=command.name, motion=command.motion)
    session.solve()
    return name


def remove(session: Session, command: Remove) -> Json:
    for path in command.paths:
        session.simulation.remove(path)
    session.solve()
    return None


def duplicate(session: Session, command: Duplicate) -> Json:
    is_part = any(k.name == command.path for k in session.simulation.scene.parts)
    offset = command.offset or (room_beside(session, command.path) if is_part else ABOVE)
    name = session.simulation.duplicate(command.path, offset=offset)
    session.solve()
    return name


def rename(session: Session, command: Rename) -> Json:
    """Nothing is solved anew: the shapes are the same under another name. The desk knows it too."""
    session.simulation.rename(command.path, command.name)
    session.report = session.simulation.solve()
    old, part = command.path.partition("/")[::2]

    def again(entry: str) -> str:
        if part:
            return f"{old}/{command.name}" if entry == command.path else entry
        head, slash, rest = entry.partition("/")
        return f"{command.name}{slash}{rest}" if head == old else entry

    desk = session.desk
    lists = {key: tuple(again(k) for k in getattr(desk, key)) for key in ("hidden", "locked", "transparent")}
    measures = tuple(
        replace(k, a=replace(k.a, path=again(k.a.path)), b=replace(k.b, path=again(k.b.path))) for k in desk.measures
    )
    session.arrange(
        **lists,
        groups={key: [again(k) for k in entries] for key, entries in desk.groups.items()},
        measures=tuple(replace(k, text=measure_text(k.a, k.b)) for k in measures),
        points=tuple(replace(k, cable=again(k.cable)) for k in desk.points),
    )
    session.plotted = None if session.plotted is None else again(session.plotted)
    return None


def names(scene: Scene) -> list[str]:
    return [*(k.name for k in scene.cables), *(k.name for k in scene.parts), *(k.name for k in scene.junctions)]


ACTS = {
    Edit: Act(edit, lambda k: f"set {', '.join(k.values)[:60]}"),
    AddClip: Act(add_clip, lambda k: f"add clip on {k.cable}"),
    SpaceClips: Act(space_clips, lambda k: f"{k.count} clips on {k.cable}"),
    AddCable: Act(add_cable, lambda k: "new cable"),
    AddType: Act(add_type, lambda k: f"new type {k.name}"),
    AddPart: Act(add_part, lambda k: f"add {k.name}"),
    AddShape: Act(add_shape, lambda k: f"add {k.name}"),
    Join: Act(join, lambda k: f"join {', '.join(k.ends)[:60]}"),
    Remove: Act(remove, lambda k: f"delete {', '.join(k.paths)[:60]}"),
    Duplicate: Act(duplicate, lambda k: f"duplicate {k.path}"),
    Rename: Act(rename, lambda k: f"rename {k.path}"),
}
