"""Changing what there is: fields, clips, cables, parts, junctions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lissom.scene.frames import frame_quaternion
from lissom.scene.pose import relative
from lissom.scene.saving import path_from, write_atomically
from lissom.session import renaming
from lissom.session.messages import (
    AddCable,
    AddClip,
    AddPart,
    AddShape,
    Duplicate,
    Edit,
    Join,
    Json,
    Mount,
    Remove,
    Rename,
    SpaceClips,
    Vec4,
)
from lissom.session.session import Act, Session
from lissom.session.uploads import upload_file

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
    simulation.replace_scene(scene)
    session.solve()
    return None


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
    name = command.name or free_name("cable", [k.name for k in scene.cables])
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
        fields["type"] = next(iter(scene.types), None) or "library:epdm-brake-hose"
    ends = [mounted(session, k) for k in (command.start, command.end)]
    session.report = simulation.add_cable(name, start=ends[0], end=ends[1], length=command.length, **fields)
    session.changed = True
    return name


def mounted(session: Session, mount: Mount) -> dict[str, Any]:
    """The fields of an end: in the axes of its part where it is on one."""
    if mount.on is None:
        return {"position": mount.position, "tangent": mount.tangent}
    frame = frame_quaternion(mount.tangent, 0.0)
    position, quaternion = relative(session.simulation.pose(mount.on), (mount.position, frame))
    return {"on": mount.on, "position": position, "quaternion": quaternion}


def add_part(session: Session, command: AddPart) -> Json:
    """The uploaded file goes to a folder `meshes` beside the scene."""
    source = upload_file(session.workspace, command.upload)
    scene = session.simulation.scene
    beside = session.file.parent if session.file is not None else session.workspace.folder
    folder = beside / "meshes"
    folder.mkdir(exist_ok=True)
    target = session.workspace.free_name(command.name, source.suffix.lower(), folder)
    write_atomically(target, source.read_bytes())
    part: dict[str, Any] = {"name": command.name, "mesh": path_from(str(target), str(scene.folder.resolve()))}
    if source.suffix.lower() not in (".glb", ".gltf"):
        part["units"] = command.units
    part |= {"position": command.position, "quaternion": TURNED_UP[command.up], "motion": "held"}
    add_to(session, "parts", part)
    warn_of_size(session, command.name)
    return command.name


def add_shape(session: Session, command: AddShape) -> Json:
    name = free_name(command.name, [k.name for k in session.simulation.scene.parts])
    add_to(session, "parts", {"name": name, "shape": command.shape, "position": command.position, "motion": "held"})
    return name


def add_to(session: Session, key: str, thing: dict[str, Any]) -> None:
    simulation = session.simulation
    data = simulation.scene.to_dict()
    data[key] = [*data.get(key, []), thing]
    simulation.replace_scene(simulation.scene._again(data))
    session.solve()


def warn_of_size(session: Session, name: str) -> None:
    """Says so where a part is far larger or smaller than the cables."""
    from lissom.session.messages import Notice
    from lissom.session.surfaces import surface_of

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
    """The junction stands where the first end is, in world axes; every end keeps its pose."""
    simulation = session.simulation
    data = simulation.scene.to_dict()
    if len(command.ends) < 2:
        raise ValueError("join: needs two ends or more")
    name = command.name or free_name("junction", [k["name"] for k in data.get("junctions", [])])
    members: list[dict[str, Any]] = []
    origin: np.ndarray[Any, Any] | None = None
    for path in command.ends:
        cable, _, end = path.partition("/")
        if end not in ("start", "end"):
            raise ValueError(f"join {path}: only the ends of cables can be joined: give cable/start or cable/end")
        result = simulation.cable(cable)
        point = 0 if end == "start" else -1
        x, q = result.positions[point], result.quaternions[point]
        origin = x if origin is None else origin
        members.append({"cable": cable, "at": end, "position": (x - origin).tolist(), "quaternion": q.tolist()})
        said = next(k for k in data["cables"] if k["name"] == cable)
        said.pop(end, None)
        if end == "end":
            said.pop("twist", None)
    assert origin is not None
    junction = {"name": name, "motion": command.motion, "position": origin.tolist(), "members": members}
    data["junctions"] = [*data.get("junctions", []), junction]
    simulation.replace_scene(simulation.scene._again(data))
    session.solve()
    return name


def remove(session: Session, command: Remove) -> Json:
    scene = session.simulation.scene
    for path in command.paths:
        name, _, part = path.partition("/")
        if part and any(k.name == name for k in scene.cables):
            session.simulation.remove(path)
            scene = session.simulation.scene
        else:
            scene = renaming.without(session.simulation, scene, name)
            session.simulation.replace_scene(scene)
    session.solve()
    return None


def duplicate(session: Session, command: Duplicate) -> Json:
    simulation = session.simulation
    data = simulation.scene.to_dict()
    name = command.path
    names = [k["name"] for key in ("cables", "parts") for k in data.get(key, [])]
    copy = free_name(f"{name} copy", names)
    by = np.array(command.offset)
    for key in ("cables", "parts"):
        for thing in data.get(key, []):
            if thing["name"] == name:
                twin = {**thing, "name": copy}
                if key == "parts":
                    twin["position"] = (np.array(thing.get("position", (0, 0, 0))) + by).tolist()
                else:
                    twin = shifted(twin, by)
                    twin["initial"] = {"points": (simulation.cable(name).positions + by).tolist()}
                data[key] = [*data[key], twin]
                simulation.replace_scene(simulation.scene._again(data))
                session.solve()
                return copy
    raise ValueError(f"{name}: only a cable or a part can be duplicated")


def shifted(cable: dict[str, Any], by: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The fields of a cable whose ends and clips in the world are moved; those on parts stay on them."""

    def moved(held: dict[str, Any]) -> dict[str, Any]:
        if "on" in held or "position" not in held:
            return held
        return {**held, "position": (np.array(held["position"]) + by).tolist()}

    found: dict[str, Any] = {key: moved(cable[key]) for key in ("start", "end") if key in cable}
    clips = {"clips": [moved(k) for k in cable["clips"]]} if "clips" in cable else {}
    return {**cable, **found, **clips}


def rename(session: Session, command: Rename) -> Json:
    renaming.rename(session, command.path, command.name)
    return None


def free_name(stem: str, taken: list[str]) -> str:
    """The stem, or with the first number that is free."""
    if stem not in taken and stem not in ("cable", "junction"):
        return stem
    return next(name for k in range(1, len(taken) + 2) if (name := f"{stem} {k}") not in taken)


ACTS = {
    Edit: Act(edit, lambda k: f"set {', '.join(k.values)[:60]}"),
    AddClip: Act(add_clip, lambda k: f"add clip on {k.cable}"),
    SpaceClips: Act(space_clips, lambda k: f"{k.count} clips on {k.cable}"),
    AddCable: Act(add_cable, lambda k: "new cable"),
    AddPart: Act(add_part, lambda k: f"add {k.name}"),
    AddShape: Act(add_shape, lambda k: f"add {k.name}"),
    Join: Act(join, lambda k: f"join {', '.join(k.ends)[:60]}"),
    Remove: Act(remove, lambda k: f"delete {', '.join(k.paths)[:60]}"),
    Duplicate: Act(duplicate, lambda k: f"duplicate {k.path}"),
    Rename: Act(rename, lambda k: f"rename {k.path}"),
}
