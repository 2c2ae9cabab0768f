"""Building while simulating: things get other names, are joined, doubled, turned and taken out. Shapes stay.

What a thing held stays where it is when the thing goes, and what named it names it by its new name.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.laying import Laid, counted
from lissom.rods.line import FRAME, NO_DIRECTION, Support
from lissom.rods.result import CableResult
from lissom.scene import Problem, Scene, SceneError
from lissom.scene.errors import ABSENT
from lissom.scene.frames import product
from lissom.scene.library import library
from lissom.scene.pose import NO_TURN, Pose, composed, turned
from lissom.verbs import whole

Array = NDArray[np.float64]
Data = dict[str, Any]

SMALL_TURN: Final = 0.5
"""rad: a turn is made in steps of this, so that none of it is lost."""

KINDS: Final = ("cables", "parts", "junctions", "joints", "ropes")

MAKE: Final = ("section", "material", "stiffness", "mass_per_length", "radius", "extensible", "limits")
"""Fields of a cable that say what it is made of, as a type does."""


class Built(Laid):
    """Names, joints, copies."""

    @abstractmethod
    def state(self) -> Any: ...
    @abstractmethod
    def restore(self, state: Any) -> None: ...
    @abstractmethod
    def move(self, path: str, *, position: Any = None, quaternion: Any = None) -> None: ...
    @abstractmethod
    def pose(self, name: str) -> Pose: ...

    @whole
    def rename(self, path: str, name: str) -> None:
        """Another name for a cable, part, junction, joint, rope, clip ("hose/clip 1") or type ("types.epdm").

        Nothing moves.
        """
        modes = self.modes()
        state = self.state()
        scene, old, part = state.scene, *path.partition("/")[::2]
        if path.startswith("types."):
            state = replace(state, scene=with_type_renamed(scene, path.removeprefix("types."), name))
        elif part:
            state = _with_clip_renamed(state, old, part, name)
        else:
            _kind(scene.to_dict(), scene, old)
            state = with_renamed(state, old, name)
            modes = tuple(replace(k, cable=name) if k.cable == old else k for k in modes)
        self.restore(state)
        self.take_up(modes)

    @whole
    def join(self, ends: Sequence[str], *, name: str | None = None, motion: str = "free") -> str:
        """Joins ends ("trunk/end", "left/start") into a junction, each in the pose it has. Gives its name.

        The junction stands where the first end is, in world axes.
        """
        if len(ends) < 2:
            raise ValueError("join: needs two ends or more")
        data = self.scene.to_dict()
        name = name or free_name("junction", _names(data))
        members: list[Data] = []
        origin: Array | None = None
        for path in ends:
            cable, _, end = path.partition("/")
            if end not in ("start", "end"):
                raise ValueError(f"join {path}: only the ends of cables can be joined: give cable/start or cable/end")
            result = self.cable(cable)
            point = 0 if end == "start" else -1
            x, q = result.positions[point], result.quaternions[point]
            origin = x if origin is None else origin
            members.append({"cable": cable, "at": end, "position": (x - origin).tolist(), "quaternion": q.tolist()})
            said = _thing(data, "cables", cable)
            said.pop(end, None)
            self._forget_twist(said, end)
        assert origin is not None
        junction = {"name": name, "motion": motion, "position": origin.tolist(), "members": members}
        data["junctions"] = [*data.get("junctions", []), junction]
        self.replace_scene(self.scene._again(data))
        return name

    @whole
    def duplicate(self, path: str, *, offset: Sequence[float] = (0.0, 0.0, 0.05), name: str | None = None) -> str:
        """A second cable or part like this one, beside it by `offset` (m). What sits on parts stays on them."""
        data = self.scene.to_dict()
        key = _kind(data, self.scene, path)
        if key not in ("cables", "parts"):
            raise ValueError(f"{path}: only a cable or a part can be duplicated")
        by = np.array(offset)
        twin = {**_thing(data, key, path), "name": name or free_name(f"{path} copy", _names(data))}
        if key == "parts":
            twin["position"] = (np.array(twin.get("position", (0.0, 0.0, 0.0))) + by).tolist()
        else:
            twin = _shifted(twin, by)
            twin["initial"] = {"points": (self.cable(path).positions + by).tolist()}
        data[key] = [*data[key], twin]
        self.replace_scene(self.scene._again(data))
        return str(twin["name"])

    @whole
    def add_part(self, name: str, **fields: Any) -> None:
        """A new part: the fields of the scene file (mesh and units, or shape; position, quaternion, motion, …)."""
        data = self.scene.to_dict()
        data["parts"] = [*data.get("parts", []), {"name": name, **fields}]
        self.replace_scene(self.scene._again(data))

    @whole
    def add_type(self, name: str, *, like: str, cable: str | None = None) -> None:
        """A new cable type of the scene: a copy of another ("rubber", "library:…"), or of what a cable is made of now.

        With `cable` that cable is of it from then on.
        """
        data = self.scene.to_dict()
        types = data.setdefault("types", {})
        if not name or name in types or name.startswith("library:") or set(name) & set("./"):
            raise ValueError(f"type {name!r:.60}: must be a name that no type has yet, without dots and slashes")
        own = next((k for k in data.get("cables", []) if k["name"] == like), None)
        if own is not None and "type" in own:
            like, own = own["type"], None
        if own is not None:
            types[name] = {key: own[key] for key in MAKE if key in own}
        elif like in types:
            types[name] = dict(types[like])
        elif like.removeprefix("library:") in library():
            types[name] = library()[like.removeprefix("library:")].model_dump(exclude_none=True, mode="json")
        else:
            raise ValueError(f"type like {like!r:.60}: is neither a type of the scene or the library nor a cable")
        if cable is not None:
            made = _thing(data, "cables", self.scene.cable(cable).name)
            for key in MAKE if own is not None else ():
                made.pop(key, None)
            made["type"] = name
        self.replace_scene(self.scene._again(data))

    @whole
    def remove(self, path: str) -> None:
        """Takes a clip ("hose/clip 1"), cable, part, junction, joint or rope out.

        What it held stays where it is, clamped. With a part go its joint and the links of ropes on it, and a rope that
        has lost an end, or has one link left.
        """
        if "/" in path:
            super().remove(path)
        else:
            self.replace_scene(self._without(path))

    @whole
    def turn(self, path: str, by: float) -> float:
        """Turns an end or clip about its tangent, by an angle in rad, whole turns too, and solves on the way.

        Stops where the cable does not follow; gives the angle turned. Raises where it cannot be turned at all.
        """
        name, _, part = path.partition("/")
        support = next((k for k in self._held(name) if k.name == part), None)
        if support is None or support.direction == NO_DIRECTION:
            raise ValueError(f"{path}: does not hold the cable's direction, so it cannot turn it")
        steps = max(1, math.ceil(abs(by) / SMALL_TURN))
        half = 0.5 * by / steps
        q = support.quaternion
        for k in range(steps):
            before, q = q, product(q, (math.cos(half), 0.0, 0.0, math.sin(half)))
            self.move(path, quaternion=q)
            report = self.solve()
            if report.status not in ("converged", "unstable"):
                self.move(path, quaternion=before)
                self.solve()
                if k == 0:
                    raise ValueError(f"{path}: cannot be turned further: {report.reason}")
                return 2.0 * half * k
        return by

    def _forget_twist(self, cable: Data, end: str) -> None:
        """Of an end that is joined, whose frame the junction says; or of the clamp that counted from it."""
        clamps = [k.name for k in self._held(cable["name"]) if k.direction == FRAME]
        counts = end if end == "end" else clamps[1] if clamps[:1] == ["start"] and len(clamps) > 1 else ""
        if counts == "end":
            cable.pop("twist", None)
        for clip in cable.get("clips", []):
            if clip["name"] == counts:
                clip.pop("twist", None)

    # ---- what goes, and what it held ---------------------------------------------------------------------------------

    def _without(self, name: str) -> Scene:
        """The scene without one thing."""
        scene = self.scene
        data = scene.to_dict()
        key = _kind(data, scene, name)
        data[key] = [k for k in data[key] if k["name"] != name]
        if key == "parts":
            self._free_from_part(data, name)
        elif key == "junctions":
            self._free_from_junction(data, name)
        elif key == "joints":
            self._free_from_joint(data, name)
        elif key == "cables":
            for junction in data.get("junctions", []):
                junction["members"] = [k for k in junction["members"] if k["cable"] != name]
            alone = [k["name"] for k in data.get("junctions", []) if len(k["members"]) < 2]
            for junction in alone:
                self._free_from_junction(data, junction)
            data["junctions"] = [k for k in data.get("junctions", []) if k["name"] not in alone]
        return scene._again({k: v for k, v in data.items() if v not in ([], {})})

    def _free_from_part(self, data: Data, name: str) -> None:
        for joint in [k["name"] for k in data.get("joints", []) if k["part"] == name]:
            data["joints"] = [k for k in data["joints"] if k["name"] != joint]
            _forget_joint(data, joint)
        _forget_links(data, name)
        for part in data["parts"]:
            if part.get("parent") == name:
                self._free_from_parent(data, part)
            _forget_name(part, name)
        for cable in data.get("cables", []):
            _forget_name(cable, name)
            supports = {k.name: k for k in self._held(cable["name"])}
            for at, said in _held_by(cable).items():
                if said.get("on") == name:
                    for field in ("on", "frame", "tangent", "roll", "quaternion"):
                        said.pop(field, None)
                    said["position"] = supports[at].position
                    if supports[at].direction != NO_DIRECTION:
                        said["quaternion"] = supports[at].quaternion

    def _free_from_parent(self, data: Data, part: Data) -> None:
        """A part stands in the world where it stands now, and its joint with it."""
        carrier = self.pose(part.pop("parent"))
        _put(part, composed(carrier, self.scene.part(part["name"]).pose))
        for joint in data.get("joints", []):
            if joint["part"] == part["name"]:
                joint["origin"] = composed(carrier, (joint.get("origin", (0.0, 0.0, 0.0)), NO_TURN))[0]
                if "axis" in joint:
                    joint["axis"] = turned(carrier[1], joint["axis"])

    def _free_from_joint(self, data: Data, name: str) -> None:
        """Its part stays where it is; a driven one without a joint stands still, where its parent has it."""
        joint = self.scene.joint(name)
        moved = _thing(data, "parts", joint.part)
        _put(moved, joint.moved(self.scene.part(joint.part).pose, joint.setting))
        if moved.get("motion") == "driven":
            moved["motion"] = "fixed"
        _forget_joint(data, name)

    def _free_from_junction(self, data: Data, name: str) -> None:
        """Its members stay where they are, clamped, with the turns they have."""
        there = {cable["name"]: cable for cable in data.get("cables", [])}
        for member in self.scene.junction(name).members:
            cable = there.get(member.cable)
            if cable is None:
                continue
            result = self.cable(member.cable)
            length = self._length(member.cable)
            end = member.end(length)
            place = member.place(length)
            point = int(np.argmin(np.abs(result.s - place)))
            clamp: Data = {
                "position": result.positions[point].tolist(),
                "quaternion": result.quaternions[point].tolist(),
            }
            if end is not None:
                cable[end] = clamp
            else:
                called = free_name(name, [k["name"] for k in cable.get("clips", [])])
                clip = {"name": called, "at": place / length, "kind": "clamp", **clamp}
                cable["clips"] = [*cable.get("clips", []), clip]
            self._say_twists(cable, result, place, end or called)

    def _say_twists(self, cable: Data, result: CableResult, place: float, called: str) -> None:
        """Of the clamp that was a junction's, and of the one after it: both count from the clamp before."""
        clamps = [k for k in self._held(cable["name"]) if k.direction == FRAME]
        own = next((k for k in clamps if abs(k.place - place) < 1e-9 * result.length), None)
        if own is None:
            return
        number = clamps.index(own)
        pairs: list[tuple[Support, Support, str]] = []
        if number > 0:
            pairs.append((clamps[number - 1], own, called))
        if number + 1 < len(clamps):
            pairs.append((own, clamps[number + 1], clamps[number + 1].name))
        for before, clamp, at in pairs:
            twist = counted(result, before, clamp)
            if at == "end" and "end" in cable:
                cable["twist"] = twist
            elif at in (clips := {k["name"]: k for k in cable.get("clips", [])}):
                clips[at]["twist"] = twist


# ---- other names -----------------------------------------------------------------------------------------------------


def renamed(scene: Scene, old: str, name: str) -> Scene:
    """The same scene under another name of one thing."""
    data = scene.to_dict()
    for key in KINDS:
        for thing in data.get(key, []):
            if thing["name"] == old:
                thing["name"] = name
            if thing.get("parent") == old:
                thing["parent"] = name
            if old in thing.get("ignore", ()):
                thing["ignore"] = [name if k == old else k for k in thing["ignore"]]
            for held in (*_held_by(thing).values(), *thing.get("path", ())):
                if held.get("on") == old:
                    held["on"] = name
            for member in thing.get("members", []):
                if member["cable"] == old:
                    member["cable"] = name
    for moved in (*data.get("joints", []), *(t for k in data.get("motions", []) for t in k.get("tracks", []))):
        if moved["part"] == old:
            moved["part"] = name
    felt = data.get("haptic", {})
    if felt.get("grip", "").rpartition("/")[0] == old:
        felt["grip"] = f"{name}/{felt['grip'].rpartition('/')[2]}"
    for settings in _settings(data):
        if old in settings:
            again = {name if key == old else key: value for key, value in settings.items()}
            settings.clear()
            settings.update(again)
    return scene._again(data)


def with_renamed(state: Any, old: str, name: str) -> Any:
    """The same state under another name of one thing."""

    def again(known: dict[str, Any]) -> dict[str, Any]:
        return {name if key == old else key: value for key, value in known.items()}

    def named(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name if k == old else k for k in names)

    past = state.past
    lines = {key: replace(line, name=name) if key == old else line for key, line in state.lines.items()}
    is_junction = old in state.junctions  # which holds cables under its own name
    return replace(
        state,
        scene=renamed(state.scene, old, name),
        machine=None
        if state.machine is None
        else replace(state.machine, scene=renamed(state.machine.scene, old, name)),
        rods=again({key: _held_as(rod, old, name) if is_junction else rod for key, rod in state.rods.items()}),
        lines=again({key: _held_as(line, old, name) if is_junction else line for key, line in lines.items()}),
        reports=again(state.reports),
        parts=again(state.parts),
        junctions=again(state.junctions),
        mounted=again(state.mounted),
        past=None if past is None else replace(past, cables=named(past.cables), parts=named(past.parts)),
    )


def _with_clip_renamed(state: Any, cable: str, old: str, name: str) -> Any:
    data = state.scene.to_dict()
    clip = next((k for k in _thing(data, "cables", cable).get("clips", ()) if k["name"] == old), None)
    if clip is None:
        raise ValueError(f"{cable}/{old}: ends have no names of their own; a clip has")
    clip["name"] = name
    if data.get("haptic", {}).get("grip") == f"{cable}/{old}":
        data["haptic"]["grip"] = f"{cable}/{name}"
    return replace(
        state,
        scene=state.scene._again(data),
        rods={**state.rods, cable: _held_as(state.rods[cable], old, name)},
        lines={**state.lines, cable: _held_as(state.lines[cable], old, name)},
    )


def _held_as(thing: Any, old: str, name: str) -> Any:
    """A line, or the state of one, with another name for one of its supports."""
    if thing is None:
        return None
    return replace(thing, supports=tuple(k._replace(name=name) if k.name == old else k for k in thing.supports))


def with_type_renamed(scene: Scene, old: str, name: str) -> Scene:
    data = scene.to_dict()
    types = data.get("types", {})
    if old not in types or name in types:
        message = f"types.{old}: there is no such type" if old not in types else f"types.{name}: is there already"
        raise ValueError(message)
    data["types"] = {name if key == old else key: value for key, value in types.items()}
    for cable in data.get("cables", []):
        for thing in (cable, *cable.get("stretches", [])):
            if thing.get("type") == old:
                thing["type"] = name
    return scene._again(data)


# ---- plain data of a scene -------------------------------------------------------------------------------------------


def _kind(data: Data, scene: Scene, name: str) -> str:
    """Where the thing of this name stands. Raises with near matches."""
    for key in KINDS:
        if any(k["name"] == name for k in data.get(key, [])):
            return key
    if not scene.cables:
        raise SceneError([Problem(name, ABSENT, "there is nothing of this name")])
    scene.cable(name)
    raise AssertionError(name)


def _thing(data: Data, key: str, name: str) -> Data:
    found: Data | None = next((k for k in data.get(key, []) if k["name"] == name), None)
    if found is None:
        raise SceneError([Problem(name, ABSENT, "there is nothing of this name")])
    return found


def _names(data: Data) -> list[str]:
    return [k["name"] for key in KINDS for k in data.get(key, [])]


def _held_by(cable: Data) -> dict[str, Data]:
    """What the ends and clips of a cable say, by name."""
    ends = {key: cable[key] for key in ("start", "end") if isinstance(cable.get(key), dict)}
    return ends | {clip["name"]: clip for clip in cable.get("clips", [])}


def _put(part: Data, pose: Pose) -> None:
    """A part is there, whatever said its pose before."""
    for field in ("tangent", "roll"):
        part.pop(field, None)
    part["position"], part["quaternion"] = pose


def _settings(data: Data) -> list[Data]:
    """All that say values of joints by name: positions and keyframes."""
    frames = [k["joints"] for motion in data.get("motions", []) for k in motion.get("keyframes", [])]
    return [*data.get("positions", {}).values(), *frames]


def _forget_joint(data: Data, name: str) -> None:
    """In positions and motions; one that says nothing else goes."""
    for settings in _settings(data):
        settings.pop(name, None)
    data["positions"] = {key: said for key, said in data.get("positions", {}).items() if said}
    for motion in data.get("motions", []):
        if "keyframes" in motion:
            motion["keyframes"] = [k for k in motion["keyframes"] if k["joints"]]
    data["motions"] = [k for k in data.get("motions", []) if k.get("tracks") or len(k.get("keyframes", ())) > 1]


def _forget_links(data: Data, part: str) -> None:
    """Ropes run past a part that goes; those that end on it, or have one link left, go with it."""
    ropes = []
    for rope in data.get("ropes", []):
        path = [k for k in rope["path"] if k["on"] != part]
        whole = rope.get("closed", False) or {rope["path"][0]["on"], rope["path"][-1]["on"]}.isdisjoint({part})
        if whole and len(path) > 1:
            ropes.append({**rope, "path": path})
    data["ropes"] = ropes


def _forget_name(thing: Data, name: str) -> None:
    if name in thing.get("ignore", ()):
        thing["ignore"] = [k for k in thing["ignore"] if k != name]


def _shifted(cable: Data, by: Array) -> Data:
    """A cable whose ends and clips in the world are moved; those on parts stay on them."""

    def moved(held: Data) -> Data:
        if "on" in held or "position" not in held:
            return held
        return {**held, "position": (np.array(held["position"]) + by).tolist()}

    ends: Data = {key: moved(cable[key]) for key in ("start", "end") if key in cable}
    clips = {"clips": [moved(k) for k in cable["clips"]]} if "clips" in cable else {}
    return {**cable, **ends, **clips}


def free_name(stem: str, taken: Sequence[str]) -> str:
    """The stem where it is a name of its own, or with the first number that is free: "cable 1"."""
    if stem not in taken and stem not in ("cable", "junction"):
        return stem
    return next(name for k in range(1, len(taken) + 2) if (name := f"{stem} {k}") not in taken)
