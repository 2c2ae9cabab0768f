"""The cable types that ship with the package: ``type = "library:NAME"``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Final

from lissom.scene.cabletype import CableType
from lissom.scene.frozendict import FrozenDict

PREFIX: Final = "library:"
"""How a scene names a type of the library."""


@cache
def library() -> FrozenDict[str, CableType]:
    """All types of the library by name (without the prefix)."""
    text = resources.files("lissom.scene").joinpath("library.toml").read_text(encoding="utf-8")
    return FrozenDict({name: CableType(**said) for name, said in tomllib.loads(text).items()})
