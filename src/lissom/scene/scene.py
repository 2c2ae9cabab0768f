"""The whole scene: what a person describes, validated and immutable."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, PrivateAttr, model_validator

from lissom.scene import belonging
from lissom.scene.cable import Cable
from lissom.scene.cabletype import MAKE, CableType, Limits
from lissom.scene.described import Described, plain, reject
from lissom.scene.errors import ABSENT, Problem, SceneError
from lissom.scene.fields import Acceleration, Name, Prose, suggestion
from lissom.scene.frozendict import FrozenDict
from lissom.scene.haptic import Haptic
from lissom.scene.joint import Joint, Motion, Settings, Value
from lissom.scene.junction import Junction
from lissom.scene.library import PREFIX, library
from lissom.scene.part import Part
from lissom.scene.placing import with_kinds
from lissom.scene.rope import Rope

if TYPE_CHECKING:
    from lissom.scene.reading import Document

Thing = TypeVar("Thing", Cable, Part, Junction, Joint, Motion, Rope)


class Scene(Described):
    """Types, cables, parts, junctions and joints, and the gravity they hang in.

    Read one with :meth:`load`, or build it from the same classes. An edit (:meth:`with_value`) makes a
    new scene; a scene that came from a file remembers its text, so that saving keeps comments and order.
    """

    format: Literal[1] = Field(1, description="version of the format")
    title: Prose = Field("", description="shown on screen and in reports")
    gravity: Acceleration = Field((0.0, 0.0, -9.81), description="m/s²")
    types: Annotated[dict[Name, CableType], AfterValidator(FrozenDict)] = Field(
        default_factory=FrozenDict, description="what cables are made of, by name", max_length=10_000
    )
    cables: tuple[Cable, ...] = Field((), description="the cables", max_length=10_000)
    parts: tuple[Part, ...] = Field((), description="rigid things: obstacles, carriers, connectors", max_length=10_000)
    junctions: tuple[Junction, ...] = Field((), description="where cables are joined", max_length=10_000)
    joints: tuple[Joint, ...] = Field((), description="how parts move", max_length=10_000)
    positions: Annotated[dict[Name, Settings], AfterValidator(FrozenDict)] = Field(
        default_factory=FrozenDict, description="named settings of the joints", max_length=10_000
    )
    motions: tuple[Motion, ...] = Field((), description="paths through time", max_length=1000)
    ropes: tuple[Rope, ...] = Field((), description="ropes over parts: machines", max_length=10_000)
    haptic: Haptic | None = Field(None, description="how a cable is felt: its gripper and where that goes")

    _document: Document | None = PrivateAttr(None)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a ``.toml`` or ``.json`` scene file. Raises SceneError with all problems and their lines."""
        from lissom.scene.reading import read_file

        return cls._of(read_file(Path(path)))

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """A scene from the text of a TOML file."""
        from lissom.scene.reading import read_toml

        return cls._of(read_toml(text, file=None))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """A scene from the text of a JSON file."""
        from lissom.scene.reading import read_json

        return cls._of(read_json(text, file=None))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """A scene from plain data, with the keys of the file. Values may be unit strings."""
        from lissom.scene.reading import validated

        return validated(cls, data)

    @classmethod
    def _of(cls, document: Document) -> Self:
        from lissom.scene.reading import validated

        scene = validated(cls, document.data, document)
        scene._document = document
        return scene

    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the file: only what was said, in SI numbers."""
        return {"format": self.format, **plain(self)}

    def save(self, path: str | Path) -> None:
        """Write a ``.toml`` or ``.json`` scene file that reads back as an equal scene.

        Comments, order and spelling of the file this scene came from are kept; only values that were
        changed are rewritten. The file is replaced as a whole, never left half written. In another folder
        than the one it came from, relative paths of meshes are rewritten so that they lead to the same files.
        """
        from lissom.scene.saving import save

        save(self, Path(path))

    @property
    def folder(self) -> Path:
        """Where the file lies that this scene came from, and the meshes it names; else the working directory."""
        file = None if self._document is None else self._document.file
        return Path() if file is None else Path(file).parent

    def source(self, *where: str | int) -> tuple[int | None, str | None]:
        """Line and file that say what stands there, such as "parts", 0, "mesh"; None for what no file says."""
        if self._document is None:
            return None, None
        return self._document.line_of(where), self._document.file

    def cable(self, name: str) -> Cable:
        """The cable of this name."""
        return _named(self.cables, name, "cable")

    def part(self, name: str) -> Part:
        """The part of this name."""
        return _named(self.parts, name, "part")

    def junction(self, name: str) -> Junction:
        """The junction of this name."""
        return _named(self.junctions, name, "junction")

    def joint(self, name: str) -> Joint:
        """The joint of this name."""
        return _named(self.joints, name, "joint")

    def motion(self, name: str) -> Motion:
        """The motion of this name."""
        return _named(self.motions, name, "motion")

    def rope(self, name: str) -> Rope:
        """The rope of this name."""
        return _named(self.ropes, name, "rope")

    @property
    def is_machine(self) -> bool:
        """Whether its free parts move in time, by ropes or joints; else they hang on cables."""
        free = {part.name for part in self.parts if part.motion == "free"}
        return bool(self.ropes) or any(joint.part in free for joint in self.joints)

    def position(self, name: str) -> dict[str, Value]:
        """Every joint in a named position, rad or m; one that is not named there stands as it stands."""
        if name not in self.positions:
            near = suggestion(name, list(self.positions))
            raise SceneError([Problem(f"positions.{name}", ABSENT, f"there is no position of this name{near}")])
        said = self.positions[name]
        return {k.name: k.read(said[k.name]) if k.name in said else k.setting for k in self.joints}

    def type_of(self, cable: Cable | str) -> CableType:
        """What a cable is made of: its named type, one of the library, or the fields written on it.

        Limits written on a cable replace those of its type, one by one.
        """
        if isinstance(cable, str):
            cable = self.cable(cable)
        if cable.type is None:
            said = {key: getattr(cable, key) for key in (*MAKE, "limits") if key in cable.model_fields_set}
            return CableType(**said)
        named = self.named_type(cable.type)
        if cable.limits is None:
            return named
        limits = {**(plain(named.limits) if named.limits else {}), **plain(cable.limits)}
        return named.model_copy(update={"limits": Limits(**limits)})

    def named_type(self, name: str) -> CableType:
        """A type by the name a cable or a stretch gives it: one of ``types``, or ``library:NAME``."""
        found = library().get(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else self.types.get(name)
        if found is None:
            raise SceneError([Problem(f"types.{name}", ABSENT, belonging.unknown_type(self, name))])
        return found

    def with_value(self, path: str, value: Any) -> Self:
        """A new scene in which one thing is different, for example ``"brake hose/length", "450 mm"``.

        ``None`` takes the thing out. Raises SceneError for a path or a value that does not fit.
        """
        return self.with_values({path: value})

    def with_values(self, changes: Mapping[str, Any]) -> Self:
        """The same for several things at once, checked only together."""
        from lissom.scene.paths import edited

        return self._again(edited(self, changes))

    def with_cable(self, cable: Mapping[str, Any]) -> Self:
        """A new scene with one cable more: its fields, with the keys of the file."""
        data = self.to_dict()
        return self._again({**data, "cables": [*data.get("cables", []), dict(cable)]})

    def without_cable(self, name: str) -> Self:
        """A new scene without this cable. Raises SceneError where something is joined to it."""
        self.cable(name)
        data = self.to_dict()
        return self._again({**data, "cables": [k for k in data["cables"] if k["name"] != name]})

    def with_motion(self, motion: Mapping[str, Any], instead_of: str | None = None) -> Self:
        """A new scene with one motion more, or with it in the place of another: its fields, as in the file."""
        data = self.to_dict()
        motions = list(data.get("motions", []))
        if instead_of is None:
            return self._again({**data, "motions": [*motions, dict(motion)]})
        self.motion(instead_of)
        return self._again({**data, "motions": [dict(motion) if k["name"] == instead_of else k for k in motions]})

    def without_motion(self, name: str) -> Self:
        """A new scene without this motion."""
        self.motion(name)
        data = self.to_dict()
        return self._again({**data, "motions": [k for k in data["motions"] if k["name"] != name]})

    def with_only(self, names: Collection[str]) -> Self:
        """A new scene with these cables alone, and the junctions that join nothing else; parts stay."""
        data = self.to_dict()
        data["cables"] = [k for k in data.get("cables", []) if k["name"] in names]
        joints = data.pop("junctions", [])
        inside = [k for k in joints if all(member["cable"] in names for member in k["members"])]
        return self._again({**data, "junctions": inside} if inside else data)

    def _again(self, data: dict[str, Any]) -> Self:
        """This scene with other data; it remembers its text."""
        from lissom.scene.reading import validated

        scene = validated(type(self), data)
        scene._document = self._document
        return scene

    def __eq__(self, other: object) -> bool:
        """Equal when they say the same; the text they came from does not count."""
        if not isinstance(other, Scene):
            return NotImplemented
        return all(getattr(self, key) == getattr(other, key) for key in type(self).model_fields)

    __hash__ = None  # type: ignore[assignment]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if slips := belonging.scene_slips(self):
            reject(slips)
        self.__dict__["cables"] = with_kinds(self)  # before anyone has seen this scene
        if slips := belonging.joined_slips(self):
            reject(slips)
        return self


def _named(things: Iterable[Thing], name: str, word: str) -> Thing:
    for thing in things:
        if thing.name == name:
            return thing
    near = suggestion(name, [thing.name for thing in things])
    raise SceneError([Problem(str(name), ABSENT, f"there is no {word} of this name{near}")])
