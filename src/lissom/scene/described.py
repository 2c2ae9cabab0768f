"""The base of all that a person describes: frozen, no unknown keys, errors of our own kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticCustomError

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)

Slip = tuple[tuple[str | int, ...], object, str]
"""A problem found by a validator: where (keys below the thing validated), the value, the message."""

SLIPS = "slips"
"""The error type under which validators hand several slips at once through pydantic."""


def reject(slips: list[Slip]) -> NoReturn:
    """Raise all slips as one pydantic error; :mod:`lissom.scene.problems` takes them apart again."""
    text = "; ".join(f"{'.'.join(map(str, where))}: {message}" if where else message for where, _, message in slips)
    raise PydanticCustomError(SLIPS, "{text}", {"text": text, SLIPS: slips})


class _Raising(ModelMetaclass):
    """Building an object in code raises SceneError, as reading a file does.

    A metaclass, because overriding ``__init__`` would also be called for every nested object and
    would hide from pydantic where in the whole an error lies.
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except ValidationError as error:
            from lissom.scene.problems import scene_error

            raise scene_error(error, kwargs, cls) from None


class Described(BaseModel, metaclass=_Raising):
    """A part of the description. Immutable: an edit makes a new one."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, hide_input_in_errors=True)


def plain(thing: Described) -> dict[str, Any]:
    """Only what was said, with the keys of the file, in SI numbers: the form that files hold."""
    dumped = thing.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
    cleaned = _lists(dumped)
    assert isinstance(cleaned, dict)
    return cleaned


def _lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lists(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_lists(item) for item in value]
    return value
