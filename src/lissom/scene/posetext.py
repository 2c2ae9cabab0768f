"""A pose typed on one line: ``120 mm, 0, 80 mm; tangent 0, 0, 1; roll 30 deg``."""

from __future__ import annotations

from typing import Final

from lissom.scene.errors import ABSENT, Problem, SceneError
from lissom.scene.frames import Quaternion, frame_quaternion, normalized
from lissom.scene.pose import Pose
from lissom.scene.units import UnitError, parse

EXAMPLES: Final = 'such as "120 mm, 0, 80 mm", with "; quaternion w, x, y, z" or "; tangent x, y, z; roll 30 deg"'


def parse_pose(text: str, turn: Quaternion) -> Pose:
    """Position (m) and unit quaternion; ``turn`` is the one where the text says none."""
    place, *others = text.split(";")
    position = _numbers(text, place, "length", 3, "the position")
    said: dict[str, str] = {}
    for other in others:
        word, _, value = other.strip().partition(" ")
        if word not in ("quaternion", "tangent", "roll") or word in said:
            raise _wrong(text, f"after the position come quaternion, or tangent and roll, each once, not {word!r:.40}")
        said[word] = value
    if "quaternion" in said and len(said) > 1:
        raise _wrong(text, "a quaternion holds the whole orientation: leave out tangent and roll")
    if "roll" in said and "tangent" not in said:
        raise _wrong(text, "roll needs tangent")
    if "quaternion" in said:
        w, x, y, z = _numbers(text, said["quaternion"], "number", 4, "the quaternion")
        size = (w * w + x * x + y * y + z * z) ** 0.5
        if not abs(size - 1.0) < 1e-3:
            raise _wrong(text, f"the norm of the quaternion is {size:g}, it must be 1 (w first)")
        turn = normalized((w, x, y, z))
    if "tangent" in said:
        a, b, c = _numbers(text, said["tangent"], "number", 3, "the tangent")
        if not (a or b or c):
            raise _wrong(text, "the tangent must point somewhere")
        turn = frame_quaternion((a, b, c), _numbers(text, said.get("roll", "0"), "angle", 1, "the roll")[0])
    return (position[0], position[1], position[2]), turn


def _numbers(text: str, part: str, dimension: str, count: int, what: str) -> list[float]:
    words = [word.strip() for word in part.strip().strip("[]()").split(",")]
    if len(words) != count:
        raise _wrong(text, f"{what} must be {count} number{'s' if count > 1 else ''}, separated by commas")
    try:
        return [parse(word, dimension) for word in words]
    except UnitError as error:
        raise _wrong(text, f"{what}: {error}") from None


def _wrong(text: str, message: str) -> SceneError:
    return SceneError([Problem("", ABSENT, f"pose {text!r:.80}: {message}; {EXAMPLES}")])
