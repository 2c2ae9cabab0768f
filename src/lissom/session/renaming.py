"""Other names, and things taken out: what refers to them changes with them, and shapes stay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lissom.scene import Scene
from lissom.session.session import Session
from lissom.simulation import Simulation, SimulationState


def rename(session: Session, path: str, name: str) -> None:
    """Nothing is solved anew: the shapes are the same under another name."""
    simulation = session.simulation
    state = simulation.state()
    scene, old, part = state.scene, *path.partition("/")[::2]
    if path.startswith("types."):
        simulation.restore(replace(state, scene=with_type_renamed(scene, path.removeprefix("types."), name)))
    elif part:
        where = next((k for k, clip in enumerate(scene.cable(old).clips) if clip.name == part), None)
        if where is None:
            raise ValueError(f"{path}: ends have no names of their own; a clip has")
        clips = [dict(k) for k in _thing(scene.to_dict(), "cables", old)["clips"]]
        clips[where]["name"] = name
        simulation.replace_scene(scene.with_value(f"{old}/clips", clips))
        session.solve()
    else:
        simulation.restore(with_renamed(state, old, name))
    session.report = simulation.solve()
    desk = session.desk
    swapped = {key: tuple(_swapped(k, path, old, name) for k in getattr(desk, key)) for key in _LISTS}
    groups = {key: [_swapped(k, path, old, name) for k in names] for key, names in desk.groups.items()}
    session.arrange(**swapped, groups=groups)
    session.changed = True


_LISTS = ("hidden", "locked", "transparent")


def _swapped(entry: str, path: str, old: str, name: str) -> str:
    if "/" in path:
        return f"{old}/{name}" if entry == path else entry
    head, slash, rest = entry.partition("/")
    return f"{name}{slash}{rest}" if head == old else entry


def with_renamed(state: SimulationState, old: str, name: str) -> SimulationState:
    data = state.scene.to_dict()
    for key in ("cables", "parts", "junctions"):
        for thing in data.get(key, []):
            if thing["name"] == old:
                thing["name"] = name
            for field in ("parent", "on"):
                if thing.get(field) == old:
                    thing[field] = name
            if old in thing.get("ignore", ()):
                thing["ignore"] = [name if k == old else k for k in thing["ignore"]]
            for held in (thing.get("start"), thing.get("end"), *thing.get("clips", [])):
                if held and held.get("on") == old:
                    held["on"] = name
            for member in thing.get("members", []):
                if member["cable"] == old:
                    member["cable"] = name

    def again(known: dict[str, Any]) -> dict[str, Any]:
        return {name if key == old else key: value for key, value in known.items()}

    lines = {key: replace(line, name=name) if key == old else line for key, line in state.lines.items()}
    return replace(
        state,
        scene=state.scene._again(data),
        rods=again(state.rods),
        lines=again(lines),
        reports=again(state.reports),
        parts=again(state.parts),
        junctions=again(state.junctions),
        mounted=again(state.mounted),
        past=None,
    )


def with_type_renamed(scene: Scene, old: str, name: str) -> Scene:
    data = scene.to_dict()
    types = data.get("types", {})
    if old not in types or name in types:
        raise ValueError(
            f"types.{old}: there is no such type" if old not in types else f"types.{name}: is there already"
        )
    data["types"] = {name if key == old else key: value for key, value in types.items()}
    for cable in data.get("cables", []):
        for thing in (cable, *cable.get("stretches", [])):
            if thing.get("type") == old:
                thing["type"] = name
    return scene._again(data)


def without(simulation: Simulation, scene: Scene, name: str) -> Scene:
    """The scene without a cable, part or junction; what it held stays where it is, held in the world."""
    data = scene.to_dict()
    kinds = [key for key in ("cables", "parts", "junctions") if any(k["name"] == name for k in data.get(key, []))]
    if not kinds:
        scene.cable(name)  # raises with near matches
    key = kinds[0]
    data[key] = [k for k in data[key] if k["name"] != name]
    if key == "parts":
        _free_from_part(simulation, data, name)
    if key == "junctions":
        _free_from_junction(simulation, scene, data, name)
    if key == "cables":
        for junction in data.get("junctions", []):
            junction["members"] = [k for k in junction["members"] if k["cable"] != name]
        lone = [k["name"] for k in data.get("junctions", []) if len(k["members"]) < 2]
        for junction in lone:
            _free_from_junction(simulation, scene, data, junction)
        if "junctions" in data:
            data["junctions"] = [k for k in data["junctions"] if k["name"] not in lone]
    return scene._again(data)


def _free_from_part(simulation: Simulation, data: dict[str, Any], name: str) -> None:
    for part in data["parts"]:
        if part.get("parent") == name:
            position, quaternion = simulation.pose(part["name"])
            part.pop("tangent", None)
            part.pop("roll", None)
            part.update(parent=None, position=position, quaternion=quaternion)
            del part["parent"]
        if name in part.get("ignore", ()):
            part["ignore"] = [k for k in part["ignore"] if k != name]
    for cable in data.get("cables", []):
        if name in cable.get("ignore", ()):
            cable["ignore"] = [k for k in cable["ignore"] if k != name]
        supports = {k.name: k for k in simulation.supports(cable["name"])}
        held = {"start": cable.get("start"), "end": cable.get("end")}
        held |= {clip["name"]: clip for clip in cable.get("clips", [])}
        for at, said in held.items():
            if said and said.get("on") == name:
                for field in ("on", "frame", "tangent", "roll"):
                    said.pop(field, None)
                said["position"] = supports[at].position
                if said.get("kind", "clamp") in ("clamp", "swivel", "sleeve"):
                    said["quaternion"] = supports[at].quaternion


def _free_from_junction(simulation: Simulation, scene: Scene, data: dict[str, Any], name: str) -> None:
    """Its ends stay where they are, clamped."""
    there = {cable["name"]: cable for cable in data.get("cables", [])}
    for member in scene.junction(name).members:
        cable = there.get(member.cable)
        end = member.end(scene.cable(member.cable).length)
        if cable is not None and end is not None:
            result = simulation.cable(member.cable)
            point = 0 if end == "start" else -1
            position, quaternion = result.positions[point].tolist(), result.quaternions[point].tolist()
            cable[end] = {"position": position, "quaternion": quaternion}


def _thing(data: dict[str, Any], key: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(k for k in data[key] if k["name"] == name)
    return found
